/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Refused calls: their statuses and messages. A refused call writes nothing. */
#include "check.h"

static uint64_t values[4 * 64], before[4 * 64];
static uint64_t output[4 * 16];

/* Checks that a call has this status and message, and did not change the arrays. */
#define REFUSED(expected, words, call)                                                     \
    do {                                                                                   \
        memcpy(before, values, sizeof values);                                             \
        memset(output, 0x5a, sizeof output);                                               \
        const halimede_status status = (call);                                             \
        CHECK(status == HALIMEDE_STATUS_##expected);                                       \
        CHECK(strstr(halimede_last_error(), words) != NULL);                               \
        CHECK(memcmp(before, values, sizeof values) == 0);                                 \
        for (size_t byte = 0; byte < sizeof output; byte++)                                \
            CHECK(((const uint8_t *)output)[byte] == 0x5a);                                \
    } while (0)

static const halimede_filecoin_hasher arity_2 = {.arity = 2};

static void pointers(void)
{
    uint64_t *const odd = (uint64_t *)(void *)((char *)values + 1);
    REFUSED(NULL_POINTER, "states is NULL", halimede_permute(NULL, 0, 3, NULL, 1));
    REFUSED(NULL_POINTER, "states is NULL", halimede_permute_bytes(NULL, 2, 3, NULL, 1));
    REFUSED(MISALIGNED, "states is at 0x", halimede_permute(NULL, 0, 3, odd, 1));
    REFUSED(NULL_POINTER, "hasher is NULL",
            halimede_filecoin_hash(NULL, NULL, values, 1, 2, output));
    REFUSED(NULL_POINTER, "preimages is NULL",
            halimede_filecoin_hash(NULL, &arity_2, NULL, 1, 2, output));
    REFUSED(NULL_POINTER, "digests is NULL",
            halimede_filecoin_hash(NULL, &arity_2, values, 1, 2, NULL));
    REFUSED(MISALIGNED, "not a multiple of 8",
            halimede_filecoin_hash(NULL, &arity_2, odd, 1, 2, output));
    REFUSED(NULL_POINTER, "pairs is NULL", halimede_starknet_hash(NULL, NULL, 1, output));
    REFUSED(NULL_POINTER, "digests is NULL", halimede_starknet_hash_single(NULL, values, 1, NULL));
    REFUSED(NULL_POINTER, "offsets is NULL",
            halimede_starknet_hash_many_offsets(NULL, values, 1, NULL, 1, output));
    REFUSED(NULL_POINTER, "root is NULL", halimede_tree_root(NULL, 2, 0, values, 2, NULL));
    REFUSED(NULL_POINTER, "info is NULL", halimede_instance(0, 3, NULL));
    REFUSED(MISALIGNED, "device is at 0x",
            halimede_permute((const halimede_device *)(const void *)odd, 0, 3, values, 1));
    /* Empty arrays may be NULL. */
    CHECK_OK(halimede_permute(NULL, 0, 3, NULL, 0));
    CHECK_OK(halimede_filecoin_hash(NULL, &arity_2, NULL, 0, 2, NULL));
    CHECK_OK(halimede_starknet_hash_many(NULL, NULL, 0, 5, NULL));
    CHECK_OK(halimede_starknet_hash_many(NULL, NULL, 1, 0, output));
}

static void overlaps(void)
{
    REFUSED(OVERLAP, "preimages and digests share memory",
            halimede_filecoin_hash(NULL, &arity_2, values, 4, 2, values));
    REFUSED(OVERLAP, "pairs and digests", halimede_starknet_hash(NULL, values, 2, values + 12));
    REFUSED(OVERLAP, "leaves and root", halimede_tree_root(NULL, 2, 0, values, 4, values + 12));
    REFUSED(OVERLAP, "offsets and digests",
            halimede_starknet_hash_many_offsets(NULL, values, 2, output, 2, output));
    /* Adjacent arrays do not overlap. */
    CHECK_OK(halimede_starknet_hash(NULL, values, 2, values + 16));
}

static void counts(void)
{
    const size_t absurd[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 12 + 1, (size_t)1 << 59};
    for (size_t place = 0; place < sizeof absurd / sizeof absurd[0]; place++) {
        const size_t count = absurd[place];
        const char *words = "do not fit into memory";
        REFUSED(WRONG_LENGTH, words, halimede_permute(NULL, 0, 3, values, count));
        REFUSED(WRONG_LENGTH, words, halimede_permute_bytes(NULL, 0, 3, (uint8_t *)values, count));
        REFUSED(WRONG_LENGTH, words,
                halimede_filecoin_hash(NULL, &arity_2, values, count, 2, output));
        REFUSED(WRONG_LENGTH, words, halimede_starknet_hash(NULL, values, count, output));
        REFUSED(WRONG_LENGTH, words,
                halimede_starknet_hash_many(NULL, values, 2, count, output));
        REFUSED(WRONG_LENGTH, words,
                halimede_starknet_hash_many_offsets(NULL, values, 1, values, count, output));
        REFUSED(WRONG_LENGTH, words, halimede_tree_root(NULL, 2, 0, values, count, output));
    }
}

static void lengths(void)
{
    REFUSED(WRONG_LENGTH, "expected 2 elements, got 3",
            halimede_filecoin_hash(NULL, &arity_2, values, 2, 3, output));
    REFUSED(WRONG_LENGTH, "expected 2 elements, got 0",
            halimede_filecoin_hash(NULL, &arity_2, values, 2, 0, output));
    const halimede_filecoin_hasher constant = {.arity = 8, .hash_type = 1};
    REFUSED(WRONG_LENGTH, "expected 1 to 8 elements, got 9",
            halimede_filecoin_hash(NULL, &constant, values, 1, 9, output));
    const uint64_t late[] = {1, 2}, back[] = {0, 3, 2}, shorter[] = {0, 1, 3}, longer[] = {0, 5};
    REFUSED(WRONG_LENGTH, "the first is 1, wanted 0",
            halimede_starknet_hash_many_offsets(NULL, values, 2, late, 1, output));
    REFUSED(WRONG_LENGTH, "number 2 is 2, below the 3 before it",
            halimede_starknet_hash_many_offsets(NULL, values, 2, back, 2, output));
    REFUSED(WRONG_LENGTH, "the last is 3, wanted the number of elements, 4",
            halimede_starknet_hash_many_offsets(NULL, values, 4, shorter, 2, output));
    REFUSED(WRONG_LENGTH, "the last is 5, wanted the number of elements, 4",
            halimede_starknet_hash_many_offsets(NULL, values, 4, longer, 1, output));
    REFUSED(NOT_A_TREE, "9 leaves do not fill a tree of arity 8",
            halimede_tree_root(NULL, 8, 0, values, 9, output));
    REFUSED(NOT_A_TREE, "0 leaves do not fill", halimede_tree_root(NULL, 2, 0, NULL, 0, output));
}

static void numbers(void)
{
    halimede_instance_info info = {0};
    REFUSED(UNKNOWN_INSTANCE, "no width 6", halimede_permute(NULL, 2, 6, values, 1));
    REFUSED(UNKNOWN_INSTANCE, "no width 2", halimede_permute(NULL, 0, 2, values, 1));
    REFUSED(UNKNOWN_INSTANCE, "no width 0", halimede_permute(NULL, 1, 0, values, 1));
    REFUSED(INVALID_ARGUMENT, "family is 3", halimede_permute(NULL, 3, 3, values, 1));
    REFUSED(UNKNOWN_INSTANCE, "unknown instance", halimede_instance_by_name("bitcoin", &info));
    REFUSED(INVALID_ARGUMENT, "not UTF-8", halimede_instance_by_name("stark-\xff", &info));
    REFUSED(NULL_POINTER, "name is NULL", halimede_instance_by_name(NULL, &info));
    CHECK(info.width == 0);
    const struct {
        halimede_filecoin_hasher hasher;
        halimede_status status;
        const char *words;
    } hashers[] = {
        {{.arity = 1}, HALIMEDE_STATUS_UNKNOWN_INSTANCE, "arity 1"},
        {{.arity = UINT32_MAX}, HALIMEDE_STATUS_UNKNOWN_INSTANCE, "arity 4294967295"},
        {{.arity = 2, .strength = 2}, HALIMEDE_STATUS_INVALID_ARGUMENT, "strength is 2"},
        {{.arity = 2, .hash_type = 4}, HALIMEDE_STATUS_INVALID_ARGUMENT, "hash_type is 4"},
        {{.arity = 2, .hash_type = 3}, HALIMEDE_STATUS_INVALID_ARGUMENT, "1..=256, got 0"},
        {{.arity = 2, .hash_type = 3, .custom_id = 257}, HALIMEDE_STATUS_INVALID_ARGUMENT,
         "got 257"},
        {{.arity = 2, .custom_id = 5}, HALIMEDE_STATUS_INVALID_ARGUMENT, "custom_id is 5"},
    };
    for (size_t place = 0; place < sizeof hashers / sizeof hashers[0]; place++) {
        CHECK(halimede_filecoin_hash(NULL, &hashers[place].hasher, values, 1, 2, output) ==
              hashers[place].status);
        CHECK(strstr(halimede_last_error(), hashers[place].words) != NULL);
    }
    REFUSED(UNKNOWN_INSTANCE, "arity 1", halimede_tree_root(NULL, 1, 0, values, 2, output));
    REFUSED(INVALID_ARGUMENT, "strength is 9", halimede_tree_root(NULL, 2, 9, values, 2, output));
}

static void elements(void)
{
    memcpy(values + 4 * 7, fr_modulus, 32);
    REFUSED(NOT_REDUCED, "states: row 2, element 1: 0x73eda753",
            halimede_permute(NULL, 0, 3, values, 4));
    REFUSED(NOT_REDUCED, "preimages: row 3, element 1",
            halimede_filecoin_hash(NULL, &arity_2, values, 4, 2, output));
    REFUSED(NOT_REDUCED, "leaves: row 7, element 0",
            halimede_tree_root(NULL, 2, 0, values, 8, output));
    /* The modulus minus 1 is an element, with a digest different from those of its neighbors. */
    values[4 * 7] -= 1;
    CHECK_OK(halimede_permute(NULL, 0, 3, values, 4));
    fill(values, 64, 3);
    memcpy(values + 4 * 5, felt_modulus, 32);
    REFUSED(NOT_REDUCED, "pairs: row 2, element 1",
            halimede_starknet_hash(NULL, values, 3, output));
    const uint64_t offsets[] = {0, 4, 4, 6};
    REFUSED(NOT_REDUCED, "elements: row 2, element 1",
            halimede_starknet_hash_many_offsets(NULL, values, 6, offsets, 3, output));
    halimede_starknet_hasher *hasher = NULL;
    uint64_t empty[4], after[4];
    CHECK_OK(halimede_starknet_hasher_new(&hasher));
    CHECK_OK(halimede_starknet_hasher_digest(hasher, empty));
    REFUSED(NOT_REDUCED, "elements: row 5",
            halimede_starknet_hasher_update(hasher, values, 6));
    CHECK_OK(halimede_starknet_hasher_digest(hasher, after));
    CHECK(memcmp(empty, after, 32) == 0);
    REFUSED(NULL_POINTER, "elements is NULL", halimede_starknet_hasher_update(hasher, NULL, 1));
    REFUSED(NULL_POINTER, "hasher is NULL", halimede_starknet_hasher_update(NULL, values, 1));
    REFUSED(NULL_POINTER, "digest is NULL", halimede_starknet_hasher_digest(hasher, NULL));
    REFUSED(NULL_POINTER, "is NULL", halimede_starknet_hasher_new(NULL));
    REFUSED(NULL_POINTER, "is NULL", halimede_starknet_hasher_clone(hasher, NULL));
    halimede_starknet_hasher *none = NULL;
    REFUSED(NULL_POINTER, "hasher is NULL", halimede_starknet_hasher_clone(NULL, &none));
    CHECK(none == NULL);
    halimede_starknet_hasher_free(hasher);
    halimede_starknet_hasher_free(NULL);
}

static void blake3(void)
{
    uint8_t *const bytes = (uint8_t *)values, *const place = (uint8_t *)output;
    uint64_t *const odd = (uint64_t *)(void *)((char *)values + 1);
    const uint64_t offsets[] = {0, 3, 8}, back[] = {0, 3, 2}, far[] = {0, 3, 9}, one[] = {UINT64_MAX};
    const uint8_t *const messages[] = {bytes, NULL, bytes + 8};
    const size_t lengths[] = {8, 0, 8}, wrong_lengths[] = {8, 1, 8}, long_lengths[] = {8, 0, SIZE_MAX};
    const char *words = "do not fit into memory";
    REFUSED(NULL_POINTER, "message is NULL", halimede_blake3_hash(NULL, NULL, NULL, 1, 0, place, 32));
    REFUSED(NULL_POINTER, "output is NULL", halimede_blake3_hash(NULL, NULL, bytes, 1, 0, NULL, 32));
    REFUSED(OVERLAP, "message and output share memory",
            halimede_blake3_hash(NULL, NULL, bytes, 33, 0, bytes + 32, 32));
    REFUSED(WRONG_LENGTH, words, halimede_blake3_hash(NULL, NULL, bytes, SIZE_MAX, 0, place, 32));
    REFUSED(WRONG_LENGTH, words, halimede_blake3_hash(NULL, NULL, bytes, 1, 0, place, SIZE_MAX));
    REFUSED(INVALID_ARGUMENT, "got 2 bytes from byte 18446744073709551614 on",
            halimede_blake3_hash(NULL, NULL, bytes, 1, UINT64_MAX - 1, place, 2));
    REFUSED(NULL_POINTER, "data is NULL",
            halimede_blake3_hash_many(NULL, NULL, NULL, 8, offsets, 2, place));
    REFUSED(NULL_POINTER, "offsets is NULL",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, NULL, 0, place));
    REFUSED(MISALIGNED, "offsets is at 0x",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, odd, 2, place));
    REFUSED(NULL_POINTER, "digests is NULL",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, offsets, 2, NULL));
    REFUSED(OVERLAP, "data and digests",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, offsets, 2, bytes + 7));
    REFUSED(OVERLAP, "offsets and digests",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, output, 1, place));
    REFUSED(WRONG_LENGTH, "offsets: offset 2 is 2, below the previous one, 3",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, back, 2, place));
    REFUSED(WRONG_LENGTH, "the last offset is 9, but the data has 8 bytes",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, far, 2, place));
    REFUSED(WRONG_LENGTH, "the last offset is 18446744073709551615",
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, one, 0, place));
    REFUSED(WRONG_LENGTH, words,
            halimede_blake3_hash_many(NULL, NULL, bytes, 8, offsets, SIZE_MAX, place));
    REFUSED(WRONG_LENGTH, words,
            halimede_blake3_hash_many(NULL, NULL, bytes, SIZE_MAX, offsets, 2, place));
    REFUSED(NULL_POINTER, "messages is NULL",
            halimede_blake3_hash_many_pointers(NULL, NULL, NULL, lengths, 3, place));
    REFUSED(NULL_POINTER, "lengths is NULL",
            halimede_blake3_hash_many_pointers(NULL, NULL, messages, NULL, 3, place));
    REFUSED(NULL_POINTER, "number 1 of the messages: message is NULL",
            halimede_blake3_hash_many_pointers(NULL, NULL, messages, wrong_lengths, 3, place));
    REFUSED(WRONG_LENGTH, "number 2 of the messages: ",
            halimede_blake3_hash_many_pointers(NULL, NULL, messages, long_lengths, 3, place));
    REFUSED(OVERLAP, "number 2 of the messages: message and digests share memory",
            halimede_blake3_hash_many_pointers(NULL, NULL, messages, lengths, 3, bytes + 15));
    REFUSED(WRONG_LENGTH, words,
            halimede_blake3_hash_many_pointers(NULL, NULL, messages, lengths, SIZE_MAX, place));
    /* Empty arrays may be NULL, except the offsets, which have one entry. */
    CHECK_OK(halimede_blake3_hash(NULL, NULL, NULL, 0, UINT64_MAX, NULL, 0));
    CHECK_OK(halimede_blake3_hash_many(NULL, NULL, NULL, 0, offsets, 0, NULL));
    CHECK_OK(halimede_blake3_hash_many_pointers(NULL, NULL, NULL, NULL, 0, NULL));
}

static void blake3_modes(void)
{
    static const uint8_t key[33] = "whats the Elvish word for friend";
    const struct {
        halimede_blake3_mode mode;
        halimede_status status;
        const char *words;
    } modes[] = {
        {{.kind = 3}, HALIMEDE_STATUS_INVALID_ARGUMENT, "mode: kind is 3, expected 0 to 2"},
        {{.key = key}, HALIMEDE_STATUS_INVALID_ARGUMENT, "mode: key is not NULL, but the kind is 0"},
        {{.context = ""}, HALIMEDE_STATUS_INVALID_ARGUMENT, "mode: context is not NULL"},
        {{.kind = 1}, HALIMEDE_STATUS_NULL_POINTER, "mode: key is NULL"},
        {{.kind = 1, .key = key, .context = ""}, HALIMEDE_STATUS_INVALID_ARGUMENT, "context is not"},
        {{.kind = 2}, HALIMEDE_STATUS_NULL_POINTER, "mode: context is NULL"},
        {{.kind = 2, .key = key, .context = ""}, HALIMEDE_STATUS_INVALID_ARGUMENT, "key is not"},
        {{.kind = 2, .context = "\xff"}, HALIMEDE_STATUS_INVALID_ARGUMENT, "not UTF-8"},
    };
    const uint64_t offsets[] = {0, 8};
    const uint8_t *const bytes = (const uint8_t *)values, *const messages[] = {bytes};
    const size_t length = 8;
    halimede_blake3_hasher *hasher = NULL, *none = NULL;
    for (size_t place = 0; place < sizeof modes / sizeof modes[0]; place++) {
        const halimede_blake3_mode *mode = &modes[place].mode;
        const halimede_status statuses[] = {
            halimede_blake3_hash(NULL, mode, bytes, 8, 0, (uint8_t *)output, 32),
            halimede_blake3_hash_many(NULL, mode, bytes, 8, offsets, 1, (uint8_t *)output),
            halimede_blake3_hash_many_pointers(NULL, mode, messages, &length, 1,
                                               (uint8_t *)output),
            halimede_blake3_hasher_new(mode, &none),
        };
        for (size_t call = 0; call < sizeof statuses / sizeof statuses[0]; call++)
            CHECK(statuses[call] == modes[place].status);
        CHECK(strstr(halimede_last_error(), modes[place].words) != NULL);
    }
    REFUSED(MISALIGNED, "mode is at 0x",
            halimede_blake3_hasher_new((const void *)((const char *)&modes[0].mode + 1), &none));
    REFUSED(NULL_POINTER, "is NULL", halimede_blake3_hasher_new(NULL, NULL));
    REFUSED(NULL_POINTER, "hasher is NULL", halimede_blake3_hasher_clone(NULL, &none));
    REFUSED(NULL_POINTER, "hasher is NULL", halimede_blake3_hasher_update(NULL, bytes, 1));
    REFUSED(NULL_POINTER, "hasher is NULL", halimede_blake3_hasher_reset(NULL));
    REFUSED(NULL_POINTER, "hasher is NULL",
            halimede_blake3_hasher_digest(NULL, 0, (uint8_t *)output, 32));
    CHECK(none == NULL);

    uint8_t empty[32], after[32];
    CHECK_OK(halimede_blake3_hasher_new(NULL, &hasher));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, empty, 32));
    REFUSED(NULL_POINTER, "is NULL", halimede_blake3_hasher_clone(hasher, NULL));
    REFUSED(NULL_POINTER, "bytes is NULL", halimede_blake3_hasher_update(hasher, NULL, 1));
    REFUSED(WRONG_LENGTH, "do not fit into memory",
            halimede_blake3_hasher_update(hasher, bytes, SIZE_MAX));
    REFUSED(NULL_POINTER, "output is NULL", halimede_blake3_hasher_digest(hasher, 0, NULL, 32));
    REFUSED(INVALID_ARGUMENT, "got 32 bytes from byte 18446744073709551584 on",
            halimede_blake3_hasher_digest(hasher, UINT64_MAX - 31, (uint8_t *)output, 32));
    CHECK_OK(halimede_blake3_hasher_update(hasher, NULL, 0));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, after, 32));
    CHECK(memcmp(empty, after, 32) == 0);
    halimede_blake3_hasher_free(hasher);
    halimede_blake3_hasher_free(NULL);
}

static void devices(void)
{
    halimede_device *device = NULL;
    const char *const names[] = {"tape:1", "", "cuda:0", "xdma:/nonexistent/x", "sim:/nonexistent"};
    for (size_t place = 0; place < sizeof names / sizeof names[0]; place++)
        REFUSED(DEVICE_UNAVAILABLE, names[place],
                halimede_device_open(names[place], NULL, &device));
    REFUSED(NULL_POINTER, "name is NULL", halimede_device_open(NULL, NULL, &device));
    REFUSED(INVALID_ARGUMENT, "not UTF-8", halimede_device_open("\xff", NULL, &device));
    REFUSED(NULL_POINTER, "device is NULL", halimede_device_open("cpu", NULL, NULL));
    CHECK(device == NULL);
    halimede_device_close(NULL);
    /* Freeing keeps the message of the previous call. */
    CHECK(strcmp(halimede_last_error(), "device is NULL") == 0);
    CHECK_OK(halimede_device_open("cpu", NULL, &device));
    CHECK(strcmp(halimede_last_error(), "") == 0);
    halimede_device_close(device);
}

int main(void)
{
    fill(values, 64, 1);
    pointers();
    overlaps();
    counts();
    lengths();
    numbers();
    fill(values, 64, 2);
    elements();
    blake3();
    blake3_modes();
    devices();
    CHECK(strcmp(halimede_version(), HALIMEDE_VERSION) == 0);
    CHECK(strcmp(halimede_status_name(HALIMEDE_STATUS_OVERLAP), "HALIMEDE_STATUS_OVERLAP") == 0);
    CHECK(strcmp(halimede_status_name(-1), "unknown status") == 0);
    halimede_instance_info info;
    CHECK_OK(halimede_instance_by_name("filecoin-8-strengthened", &info));
    CHECK(info.family == HALIMEDE_FAMILY_FILECOIN_STRENGTHENED && info.width == 9);
    CHECK(info.full_rounds == 8 && info.partial_rounds == 72 && info.alpha == 5);
    CHECK(memcmp(info.modulus, fr_modulus, 32) == 0);
    CHECK_OK(halimede_instance(HALIMEDE_FAMILY_STARK, 3, &info));
    CHECK(info.partial_rounds == 83 && info.alpha == 3);
    CHECK(memcmp(info.modulus, felt_modulus, 32) == 0);
    printf("refusals\n");
    return 0;
}
