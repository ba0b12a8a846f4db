/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Equihash, ECDSA and blocks: known answers come out one by one and in batches, and what is spoilt
 * is found. The first argument is a file of lines: "equihash N K VERDICT INPUT SOLUTION",
 * "ecdsa VERDICT KEY DIGEST SIGNATURE" (compact) and "block HASH BYTES", numbers in decimal and
 * bytes in hexadecimal. The second one, if there is one, is a device. */
#include "check.h"

enum { MOST_BYTES = 4096, MOST_CASES = 400, HEADER = 1487, INPUT = 140, SOLUTION = 1344 };

static const halimede_device *device;

static uint8_t digit(char letter)
{
    const char *const digits = "0123456789abcdef";
    const char *const place = strchr(digits, letter);
    CHECK(letter != 0 && place != NULL);
    return (uint8_t)(place - digits);
}

/* Bytes that are kept to the program's end, the last ones first. */
struct kept {
    struct kept *before;
    uint8_t data[];
};
static struct kept *last_kept;

static void free_kept(void)
{
    while (last_kept != NULL) {
        struct kept *before = last_kept->before;
        free(last_kept);
        last_kept = before;
    }
}

/* The next word as bytes; they are kept to the program's end. */
static halimede_bytes next_bytes(FILE *file)
{
    static char word[2 * MOST_BYTES + 1];
    CHECK(fscanf(file, " %8192s", word) == 1);
    const size_t length = strlen(word) / 2;
    CHECK(strlen(word) % 2 == 0);
    struct kept *kept = malloc(sizeof *kept + length + 1);
    CHECK(kept != NULL);
    kept->before = last_kept;
    last_kept = kept;
    for (size_t byte = 0; byte < length; byte++)
        kept->data[byte] = (uint8_t)(digit(word[2 * byte]) << 4 | digit(word[2 * byte + 1]));
    return (halimede_bytes){kept->data, length};
}

static unsigned next_number(FILE *file)
{
    unsigned number = 0;
    CHECK(fscanf(file, "%u", &number) == 1);
    return number;
}

/* Checks solutions, without the difficulty. */
static void verify_solutions(const halimede_device *on, const char *n, const char *k,
                             const halimede_bytes *inputs, const halimede_bytes *solutions,
                             size_t count, uint8_t *verdicts)
{
    const halimede_setting settings[] = {{"n", n}, {"k", k}, {"difficulty", "false"}};
    CHECK_OK(halimede_equihash_verify(on, settings, 3, inputs, solutions, count, verdicts));
}

/* A solution alone, and those of Zcash's headers kept for a batch. */
static void read_equihash(FILE *file, halimede_bytes *inputs, halimede_bytes *solutions,
                          uint8_t *expected, size_t *kept)
{
    char n[8], k[8];
    CHECK(fscanf(file, " %7s %7s", n, k) == 2);
    const uint8_t wanted = (uint8_t)next_number(file);
    const halimede_bytes input = next_bytes(file), solution = next_bytes(file);
    const int is_zcash = strcmp(n, "200") == 0 && strcmp(k, "9") == 0 && input.length == INPUT;
    uint8_t verdict = 0xff;
    /* A card takes headers alone. */
    verify_solutions(is_zcash ? device : NULL, n, k, &input, &solution, 1, &verdict);
    CHECK(verdict == wanted);
    if (!is_zcash)
        return;
    CHECK(*kept < MOST_CASES);
    inputs[*kept] = input;
    solutions[*kept] = solution;
    expected[(*kept)++] = wanted;
}

static void read_ecdsa(FILE *file, halimede_bytes columns[][MOST_CASES], uint8_t *expected,
                       size_t *kept)
{
    CHECK(*kept < MOST_CASES);
    expected[*kept] = (uint8_t)next_number(file);
    for (size_t column = 0; column < 3; column++)
        columns[column][*kept] = next_bytes(file);
    ++*kept;
}

/* All rows at once and each alone, with keys that are kept and without. */
static void check_ecdsa(halimede_bytes columns[][MOST_CASES], const uint8_t *expected, size_t count)
{
    static uint8_t verdicts[MOST_CASES + 1];
    const halimede_bytes *const keys = columns[0], *const digests = columns[1];
    const halimede_bytes *const signatures = columns[2];
    /* A simulated card is slow: it gets them once. */
    const size_t rounds = device == NULL ? 2 : 1, most_keys = device == NULL ? 64 : 0;
    for (size_t cached_keys = 0; cached_keys <= most_keys; cached_keys += 64) {
        const halimede_setting settings[] = {{"format", "compact"}};
        halimede_ecdsa_verifier *verifier = NULL;
        CHECK_OK(halimede_ecdsa_verifier_new(settings, 1, cached_keys, &verifier));
        for (size_t round = 0; round < rounds; round++) {
            memset(verdicts, 0x5a, sizeof verdicts);
            CHECK_OK(halimede_ecdsa_verify(device, verifier, keys, digests, signatures, count,
                                           verdicts));
            CHECK(memcmp(verdicts, expected, count) == 0 && verdicts[count] == 0x5a);
        }
        for (size_t row = 0; device == NULL && row < count; row++) {
            uint8_t verdict = 0xff;
            CHECK_OK(halimede_ecdsa_verify(NULL, verifier, &keys[row], &digests[row],
                                           &signatures[row], 1, &verdict));
            CHECK(verdict == expected[row]);
        }
        halimede_ecdsa_verifier_free(verifier);
    }
    /* They are not DER, which NULL asks for; an invalid key is reported first. */
    CHECK_OK(halimede_ecdsa_verify(device, NULL, keys, digests, signatures, count, verdicts));
    for (size_t row = 0; row < count; row++)
        CHECK(verdicts[row] == (expected[row] == HALIMEDE_VERDICT_KEY
                                    ? HALIMEDE_VERDICT_KEY
                                    : HALIMEDE_VERDICT_SIGNATURE));
}

/* A header, and the same with a bit flipped in each, alone and together. */
static void check_headers(halimede_bytes block, const uint8_t *hash)
{
    enum { COUNT = 40, MAIN = HALIMEDE_ZCASH_NETWORK_MAIN };
    static uint8_t headers[COUNT][HEADER], verdicts[COUNT], hashes[COUNT][32];
    uint64_t seed = 346;
    for (size_t row = 0; row < COUNT; row++) {
        memcpy(headers[row], block.data, HEADER);
        size_t bit = 0;
        do
            bit = (size_t)(next_random(&seed) % (8 * HEADER));
        while (bit / 8 >= INPUT && bit / 8 < INPUT + 3);
        if (row > 0)
            headers[row][bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK_OK(halimede_zcash_verify_headers(device, MAIN, headers[0], sizeof headers, COUNT, verdicts,
                                           hashes[0]));
    CHECK(verdicts[0] == HALIMEDE_VERDICT_VALID && memcmp(hashes[0], hash, 32) == 0);
    for (size_t row = 1; row < COUNT; row++) {
        const halimede_bytes input = {headers[row], INPUT};
        const halimede_bytes solution = {headers[row] + INPUT + 3, SOLUTION};
        uint8_t alone = 0xff, without = 0xff;
        CHECK(verdicts[row] > HALIMEDE_VERDICT_VALID);
        CHECK(memcmp(hashes[row], hash, 32) != 0);
        CHECK_OK(halimede_zcash_verify_headers(NULL, MAIN, headers[row], HEADER, 1, &alone, NULL));
        CHECK(alone == verdicts[row]);
        verify_solutions(NULL, "200", "9", &input, &solution, 1, &without);
        CHECK(without >= HALIMEDE_VERDICT_DUPLICATE && without <= HALIMEDE_VERDICT_XOR);
        CHECK(without == alone || alone == HALIMEDE_VERDICT_DIFFICULTY ||
              alone == HALIMEDE_VERDICT_HEADER);
    }
    headers[3][INPUT] ^= 1;
    memset(verdicts, 0x5a, sizeof verdicts);
    CHECK(halimede_zcash_verify_headers(device, MAIN, headers[0], sizeof headers, COUNT, verdicts,
                                        NULL) == HALIMEDE_STATUS_MALFORMED);
    CHECK(strstr(halimede_last_error(), "number 3 of the headers: at byte 140: ") != NULL);
    CHECK(verdicts[0] == 0x5a && verdicts[COUNT - 1] == 0x5a);
}

static void check_block(halimede_bytes block, const uint8_t *hash)
{
    halimede_zcash_verdict verdict;
    char *json = NULL;
    const halimede_zcash_known known = {.has_height = 1, .height = 346};
    CHECK_OK(halimede_zcash_verify_block(device, block.data, block.length, &known, &verdict, &json));
    CHECK(verdict.verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_VALID && verdict.unchecked == 0);
    CHECK(verdict.proof_of_work == HALIMEDE_VERDICT_VALID);
    CHECK(verdict.inputs_valid + verdict.inputs_invalid + verdict.inputs_incomplete == 0);
    CHECK(memcmp(verdict.hash, hash, 32) == 0);
    CHECK(json != NULL && strstr(json, "\"height\":346,") != NULL);
    CHECK(strstr(json, "\"verdict\":\"valid\",\"faults\":[],\"unchecked\":[],") != NULL);
    halimede_text_free(json);
    CHECK_OK(halimede_zcash_verify_block(NULL, block.data, block.length, NULL, &verdict, NULL));
    /* The block only claims its height. */
    CHECK(verdict.verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INCOMPLETE && verdict.unchecked == 1);

    const halimede_zcash_known higher = {.has_height = 1, .height = 347};
    CHECK_OK(halimede_zcash_verify_block(NULL, block.data, block.length, &higher, &verdict, &json));
    CHECK(verdict.verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID);
    CHECK(verdict.proof_of_work == HALIMEDE_VERDICT_VALID);
    CHECK(strstr(json, "claims height 346, not 347") != NULL);
    halimede_text_free(json);

    /* A state of the chain has the height, right or wrong. */
    const char *const states[2] = {
        "{\"hash\": \"000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f\", \"height\": 346}",
        "{\"hash\": \"000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f\", \"height\": 345}",
    };
    halimede_zcash_known stated[2] = {{0}, {0}};
    halimede_zcash_verdict by_state[2];
    const uint32_t expected[2] = {HALIMEDE_ZCASH_BLOCK_VERDICT_VALID,
                                  HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID};
    for (int row = 0; row < 2; row++) {
        stated[row].state = states[row];
        stated[row].state_length = strlen(states[row]);
        CHECK_OK(halimede_zcash_verify_block(NULL, block.data, block.length, &stated[row],
                                             &by_state[row], NULL));
        CHECK(by_state[row].verdict == expected[row]);
    }

    const halimede_zcash_known malformed = {.state = "[", .state_length = 1};
    CHECK(halimede_zcash_verify_block(NULL, block.data, block.length, &malformed, &verdict, NULL)
          == HALIMEDE_STATUS_MALFORMED);
    CHECK(strstr(halimede_last_error(), "state: ") != NULL);

    /* The same block four times: known, claimed, known wrongly, damaged. */
    uint8_t *const all = malloc(4 * block.length);
    CHECK(all != NULL);
    const halimede_zcash_known facts[4] = {known, {0}, higher, known};
    const size_t lengths[4] = {block.length, block.length, block.length, block.length};
    halimede_zcash_verdict verdicts[4];
    for (size_t row = 0; row < 4; row++)
        memcpy(all + row * block.length, block.data, block.length);
    all[4 * block.length - 1] ^= 1;
    CHECK_OK(halimede_zcash_verify_blocks(device, all, lengths, 4, facts, verdicts));
    CHECK(verdicts[0].verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_VALID);
    CHECK(verdicts[1].verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INCOMPLETE);
    CHECK(verdicts[2].verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID);
    CHECK(verdicts[3].verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID);
    CHECK(verdicts[3].proof_of_work == HALIMEDE_VERDICT_VALID);
    CHECK(memcmp(verdicts[3].hash, hash, 32) == 0);
    CHECK_OK(halimede_zcash_verify_blocks(NULL, all, lengths, 3, NULL, verdicts));
    CHECK(verdicts[2].verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INCOMPLETE);
    free(all);

    uint64_t seed = 7;
    uint8_t *const changed = malloc(block.length);
    CHECK(changed != NULL);
    memcpy(changed, block.data, block.length);
    for (size_t round = 0; round < 20; round++) {
        const size_t bit = (size_t)(next_random(&seed) % (8 * INPUT));
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_OK(halimede_zcash_verify_block(NULL, changed, block.length, NULL, &verdict, NULL));
        CHECK(verdict.verdict == HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID);
        CHECK(verdict.proof_of_work > HALIMEDE_VERDICT_VALID);
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const size_t cut = (size_t)(next_random(&seed) % block.length);
        json = (char *)&seed;
        memset(&verdict, 0x5a, sizeof verdict);
        CHECK(halimede_zcash_verify_block(NULL, changed, cut, NULL, &verdict, &json) ==
              HALIMEDE_STATUS_MALFORMED);
        CHECK(strstr(halimede_last_error(), "not a block: ") != NULL);
        CHECK(json == (char *)&seed && verdict.hash[0] == 0x5a);
    }
    free(changed);
}

int main(int argc, char **argv)
{
    static halimede_bytes inputs[MOST_CASES], solutions[MOST_CASES], columns[3][MOST_CASES];
    static uint8_t verdicts[MOST_CASES], of_solutions[MOST_CASES], expected[MOST_CASES];
    size_t headers = 0, signatures = 0, cases = 0;
    /* A busy machine simulates slowly. */
    const halimede_device_options options = {.time_limit_ms = 60000};
    halimede_device *opened = NULL;
    char kind[16];
    CHECK(argc > 1);
    FILE *const file = fopen(argv[1], "r");
    CHECK(file != NULL);
    if (argc > 2)
        CHECK_OK(halimede_device_open(argv[2], &options, &opened));
    device = opened;
    for (; fscanf(file, "%15s", kind) == 1; cases++) {
        if (strcmp(kind, "equihash") == 0) {
            read_equihash(file, inputs, solutions, of_solutions, &headers);
        } else if (strcmp(kind, "ecdsa") == 0) {
            read_ecdsa(file, columns, expected, &signatures);
        } else {
            CHECK(strcmp(kind, "block") == 0);
            const halimede_bytes hash = next_bytes(file), block = next_bytes(file);
            CHECK(hash.length == 32);
            check_headers(block, hash.data);
            check_block(block, hash.data);
        }
    }
    CHECK(feof(file));
    fclose(file);
    verify_solutions(device, "200", "9", inputs, solutions, headers, verdicts);
    CHECK(headers > 1 && memcmp(verdicts, of_solutions, headers) == 0);
    check_ecdsa(columns, expected, signatures);
    halimede_device_close(opened);
    free_kept();
    printf("%zu known answers on %s\n", cases, argc > 2 ? argv[2] : "this processor");
    return 0;
}
