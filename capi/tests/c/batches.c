/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A batch equals its rows one by one, for counts around every boundary, on any device; a tree
 * equals its levels; a hasher that is fed in pieces equals hash_many. The optional argument is a
 * device to compare with this processor. */
#include "check.h"

enum { MOST_ROWS = 600, WIDTH = 12 };

static const size_t counts[] = {0, 3, 1, 2, 7, 8, 9, 255, 256, 257, MOST_ROWS};
/* A simulated card is slow: it gets the first two counts, single messages and small trees. The
 * others are around the boundaries between the processor's lanes and threads. */
enum { COUNTS = sizeof counts / sizeof counts[0], COUNTS_OF_A_CARD = 2 };
static size_t counts_in_use = COUNTS;

static uint64_t input[4 * WIDTH * MOST_ROWS];
static uint64_t batch[4 * WIDTH * MOST_ROWS];
static uint64_t single[4 * WIDTH * MOST_ROWS];
static uint8_t input_bytes[32 * WIDTH * MOST_ROWS];
static uint8_t batch_bytes[32 * WIDTH * MOST_ROWS];
static uint8_t expected_bytes[32 * WIDTH * MOST_ROWS];

/* The batch in bytes equals the batch in limbs, and both equal the rows one by one. */
static void check_batch(size_t elements)
{
    CHECK(memcmp(batch, single, 32 * elements) == 0);
    to_bytes(batch, elements, expected_bytes);
    CHECK(memcmp(batch_bytes, expected_bytes, 32 * elements) == 0);
}

static void permutations(const halimede_device *device, uint32_t family, size_t width)
{
    for (size_t place = 0; place < counts_in_use; place++) {
        const size_t count = counts[place], elements = count * width;
        fill(input, elements, 1000 * family + 10 * width + count);
        to_bytes(input, elements, batch_bytes);
        memcpy(batch, input, 32 * elements);
        memcpy(single, input, 32 * elements);
        CHECK_OK(halimede_permute(device, family, width, batch, count));
        CHECK_OK(halimede_permute_bytes(device, family, width, batch_bytes, count));
        for (size_t row = 0; row < count; row++)
            CHECK_OK(halimede_permute(NULL, family, width, single + 4 * width * row, 1));
        check_batch(elements);
    }
}

static void filecoin(const halimede_device *device, halimede_filecoin_hasher hasher, size_t length)
{
    for (size_t place = 0; place < counts_in_use; place++) {
        const size_t count = counts[place];
        fill(input, count * length, count + length);
        to_bytes(input, count * length, input_bytes);
        CHECK_OK(halimede_filecoin_hash(device, &hasher, input, count, length, batch));
        CHECK_OK(halimede_filecoin_hash_bytes(device, &hasher, input_bytes, count, length,
                                              batch_bytes));
        for (size_t row = 0; row < count; row++)
            CHECK_OK(halimede_filecoin_hash(NULL, &hasher, input + 4 * length * row, 1, length,
                                            single + 4 * row));
        check_batch(count);
    }
}

static void starknet(const halimede_device *device)
{
    for (size_t place = 0; place < counts_in_use; place++) {
        const size_t count = counts[place];
        fill(input, 2 * count, count);
        to_bytes(input, 2 * count, input_bytes);
        CHECK_OK(halimede_starknet_hash(device, input, count, batch));
        CHECK_OK(halimede_starknet_hash_bytes(device, input_bytes, count, batch_bytes));
        for (size_t row = 0; row < count; row++)
            CHECK_OK(halimede_starknet_hash(NULL, input + 8 * row, 1, single + 4 * row));
        check_batch(count);
        CHECK_OK(halimede_starknet_hash_single(device, input, 2 * count, batch));
        CHECK_OK(halimede_starknet_hash_single_bytes(device, input_bytes, 2 * count, batch_bytes));
        for (size_t row = 0; row < 2 * count; row++)
            CHECK_OK(halimede_starknet_hash_single(NULL, input + 4 * row, 1, single + 4 * row));
        check_batch(2 * count);
    }
}

/* Messages of 0, 1, 2, 3, 4, 0, ... elements: by offsets, by a hasher fed in two pieces, and by
 * one that was cloned between them. */
static void messages(const halimede_device *device)
{
    static uint64_t offsets[MOST_ROWS + 1];
    const size_t count = counts_in_use == COUNTS ? MOST_ROWS : 5;
    for (size_t message = 0; message < count; message++)
        offsets[message + 1] = offsets[message] + message % 5;
    const size_t elements = offsets[count];
    fill(input, elements, 77);
    to_bytes(input, elements, input_bytes);
    CHECK_OK(halimede_starknet_hash_many_offsets(device, input, elements, offsets, count, batch));
    CHECK_OK(halimede_starknet_hash_many_offsets_bytes(device, input_bytes, elements, offsets,
                                                       count, batch_bytes));
    for (size_t message = 0; message < count; message++) {
        const size_t length = message % 5, first_piece = length / 2;
        const uint64_t *begin = input + 4 * offsets[message];
        const uint64_t *rest = begin + 4 * first_piece;
        uint64_t digest[4];
        uint8_t rest_bytes[32 * 5], digest_bytes[32], again[32];
        halimede_starknet_hasher *hasher = NULL, *copy = NULL;
        CHECK_OK(halimede_starknet_hasher_new(&hasher));
        CHECK_OK(halimede_starknet_hasher_update(hasher, begin, first_piece));
        CHECK_OK(halimede_starknet_hasher_clone(hasher, &copy));
        CHECK_OK(halimede_starknet_hasher_update(hasher, rest, length - first_piece));
        CHECK_OK(halimede_starknet_hasher_digest(hasher, single + 4 * message));
        halimede_starknet_hasher_free(hasher);
        /* The clone is independent of later updates. */
        to_bytes(rest, length - first_piece, rest_bytes);
        CHECK_OK(halimede_starknet_hasher_update_bytes(copy, rest_bytes, length - first_piece));
        CHECK_OK(halimede_starknet_hasher_digest_bytes(copy, digest_bytes));
        CHECK_OK(halimede_starknet_hasher_digest_bytes(copy, again));
        halimede_starknet_hasher_free(copy);
        to_bytes(single + 4 * message, 1, expected_bytes);
        CHECK(memcmp(digest_bytes, expected_bytes, 32) == 0 && memcmp(again, digest_bytes, 32) == 0);
        CHECK_OK(halimede_starknet_hash_many(device, begin, 1, length, digest));
        CHECK(memcmp(digest, single + 4 * message, 32) == 0);
    }
    check_batch(count);
}

static void tree(const halimede_device *device, size_t arity, size_t leaves)
{
    const halimede_filecoin_hasher hasher = {(uint32_t)arity, 0, 0, 0};
    uint64_t root[4];
    uint8_t root_bytes[32];
    fill(input, leaves, leaves);
    to_bytes(input, leaves, input_bytes);
    CHECK_OK(halimede_tree_root(device, arity, 0, input, leaves, root));
    CHECK_OK(halimede_tree_root_bytes(device, arity, 0, input_bytes, leaves, root_bytes));
    for (size_t nodes = leaves / arity; nodes > 0; nodes /= arity) {
        CHECK_OK(halimede_filecoin_hash(NULL, &hasher, input, nodes, arity, batch));
        memcpy(input, batch, 32 * nodes);
    }
    CHECK(memcmp(root, input, 32) == 0);
    to_bytes(root, 1, expected_bytes);
    CHECK(memcmp(root_bytes, expected_bytes, 32) == 0);
}

int main(int argc, char **argv)
{
    halimede_device *device = NULL;
    if (argc > 1) {
        /* A card lacks some instances, which the fallback answers. */
        const halimede_device_options options = {20000, 1};
        counts_in_use = COUNTS_OF_A_CARD;
        CHECK_OK(halimede_device_open(argv[1], &options, &device));
    }
    permutations(device, HALIMEDE_FAMILY_FILECOIN, 3);
    permutations(device, HALIMEDE_FAMILY_FILECOIN_STRENGTHENED, 12);
    permutations(device, HALIMEDE_FAMILY_FILECOIN, 6);
    permutations(device, HALIMEDE_FAMILY_STARK, 3);
    permutations(device, HALIMEDE_FAMILY_STARK, 9);
    filecoin(device, (halimede_filecoin_hasher){.arity = 2}, 2);
    filecoin(device, (halimede_filecoin_hasher){.arity = 7}, 7);
    filecoin(device, (halimede_filecoin_hasher){.arity = 8, .strength = 1}, 8);
    filecoin(device,
             (halimede_filecoin_hasher){.arity = 11,
                                        .hash_type = HALIMEDE_HASH_TYPE_CONSTANT_LENGTH},
             5);
    filecoin(device,
             (halimede_filecoin_hasher){
                 .arity = 4, .hash_type = HALIMEDE_HASH_TYPE_CUSTOM, .custom_id = 256},
             4);
    starknet(device);
    messages(device);
    tree(device, 2, 2);
    tree(device, 2, device ? 8 : 1024);
    tree(device, 8, device ? 8 : 4096);
    tree(device, 11, device ? 11 : 1331);
    halimede_device_close(device);
    printf("batches on %s, backend %s\n", argc > 1 ? argv[1] : "this processor",
           halimede_backend());
    return 0;
}
