/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Checks published answers, in limbs and in bytes. The argument is a file of lines:
 *   permute FAMILY WIDTH state... state...
 *   filecoin ARITY STRENGTH TYPE LENGTH preimage... digest
 *   starknet (1 for hash_single, 2 for hash, 0 for hash_many) LENGTH input... digest
 * with numbers in decimal and elements as 64 hexadecimal digits. */
#include "check.h"

enum { MOST_ELEMENTS = 64 };

static size_t number(FILE *file)
{
    unsigned long value;
    CHECK(fscanf(file, "%lu", &value) == 1);
    return value;
}

static void read_elements(FILE *file, uint64_t *limbs, size_t elements)
{
    CHECK(elements <= MOST_ELEMENTS);
    for (size_t element = 0; element < elements; element++)
        for (size_t limb = 4; limb-- > 0;) {
            char digits[17];
            CHECK(fscanf(file, limb == 3 ? " %16[0-9a-f]" : "%16[0-9a-f]", digits) == 1);
            CHECK(strlen(digits) == 16);
            limbs[4 * element + limb] = strtoull(digits, NULL, 16);
        }
}

/* Checks that the answer in bytes equals the answer in limbs. */
static void check_bytes(const uint8_t *bytes, const uint64_t *expected, size_t elements)
{
    uint8_t expected_bytes[32 * MOST_ELEMENTS];
    to_bytes(expected, elements, expected_bytes);
    CHECK(memcmp(bytes, expected_bytes, 32 * elements) == 0);
}

static void check_permutation(FILE *file)
{
    uint64_t state[4 * MOST_ELEMENTS], expected[4 * MOST_ELEMENTS];
    uint8_t bytes[32 * MOST_ELEMENTS];
    const uint32_t family = (uint32_t)number(file);
    const size_t width = number(file);
    read_elements(file, state, width);
    read_elements(file, expected, width);
    to_bytes(state, width, bytes);
    CHECK_OK(halimede_permute(NULL, family, width, state, 1));
    CHECK(memcmp(state, expected, 32 * width) == 0);
    CHECK_OK(halimede_permute_bytes(NULL, family, width, bytes, 1));
    check_bytes(bytes, expected, width);
}

static void check_filecoin(FILE *file)
{
    uint64_t preimage[4 * MOST_ELEMENTS], expected[4], digest[4];
    uint8_t bytes[32 * MOST_ELEMENTS], digest_bytes[32];
    halimede_filecoin_hasher hasher = {0, 0, 0, 0};
    hasher.arity = (uint32_t)number(file);
    hasher.strength = (uint32_t)number(file);
    hasher.hash_type = (uint32_t)number(file);
    const size_t length = number(file);
    read_elements(file, preimage, length);
    read_elements(file, expected, 1);
    to_bytes(preimage, length, bytes);
    CHECK_OK(halimede_filecoin_hash(NULL, &hasher, preimage, 1, length, digest));
    CHECK(memcmp(digest, expected, 32) == 0);
    CHECK_OK(halimede_filecoin_hash_bytes(NULL, &hasher, bytes, 1, length, digest_bytes));
    check_bytes(digest_bytes, expected, 1);
    if (hasher.hash_type == HALIMEDE_HASH_TYPE_MERKLE_TREE) {
        /* A tree of one node. */
        CHECK_OK(halimede_tree_root(NULL, length, hasher.strength, preimage, length, digest));
        CHECK(memcmp(digest, expected, 32) == 0);
        CHECK_OK(halimede_tree_root_bytes(NULL, length, hasher.strength, bytes, length,
                                          digest_bytes));
        check_bytes(digest_bytes, expected, 1);
    }
}

static void check_starknet(FILE *file)
{
    uint64_t input[4 * MOST_ELEMENTS], expected[4], digest[4];
    uint8_t bytes[32 * MOST_ELEMENTS], digest_bytes[32];
    const size_t function = number(file), length = number(file);
    read_elements(file, input, length);
    read_elements(file, expected, 1);
    to_bytes(input, length, bytes);
    switch (function) {
    case 1:
        CHECK_OK(halimede_starknet_hash_single(NULL, input, 1, digest));
        CHECK_OK(halimede_starknet_hash_single_bytes(NULL, bytes, 1, digest_bytes));
        break;
    case 2:
        CHECK_OK(halimede_starknet_hash(NULL, input, 1, digest));
        CHECK_OK(halimede_starknet_hash_bytes(NULL, bytes, 1, digest_bytes));
        break;
    default:
        CHECK_OK(halimede_starknet_hash_many(NULL, input, 1, length, digest));
        CHECK_OK(halimede_starknet_hash_many_bytes(NULL, bytes, 1, length, digest_bytes));
    }
    CHECK(memcmp(digest, expected, 32) == 0);
    check_bytes(digest_bytes, expected, 1);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    char kind[16];
    int lines = 0;
    for (; fscanf(file, "%15s", kind) == 1; lines++) {
        if (strcmp(kind, "permute") == 0)
            check_permutation(file);
        else if (strcmp(kind, "filecoin") == 0)
            check_filecoin(file);
        else if (strcmp(kind, "starknet") == 0)
            check_starknet(file);
        else
            CHECK(0);
    }
    CHECK(feof(file));
    fclose(file);
    printf("%d published answers\n", lines);
    return 0;
}
