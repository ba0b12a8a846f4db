/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Schnorr signatures, recovered keys and BLS12-381: known answers come out in batches and one by
 * one. The first argument is a file of cases, "KIND A B ROWS" and as many lines of the expected
 * verdict and of columns in hexadecimal ("-" for no bytes); the second the file of a trusted setup,
 * the third that of a verifying key. */
#include "check.h"

enum { MOST_ROWS = 128, MOST_COLUMNS = 4, MOST_WORD = 270000 };

/* A batch: its columns, and the verdicts that are expected. */
struct batch {
    char kind[32];
    uint32_t a, b;
    size_t rows, columns;
    halimede_bytes column[MOST_COLUMNS][MOST_ROWS];
    uint8_t expected[MOST_ROWS];
};

static halimede_kzg_setup *setup;
static halimede_groth16_key *key;
static struct batch batch;

static uint8_t digit(char letter)
{
    const char *const digits = "0123456789abcdef";
    const char *const place = strchr(digits, letter);
    CHECK(letter != 0 && place != NULL);
    return (uint8_t)(place - digits);
}

/* Bytes of their own, so that a sanitizer sees what is read beyond them. */
static halimede_bytes from_digits(const char *word)
{
    halimede_bytes bytes = {NULL, 0};
    if (strcmp(word, "-") == 0)
        return bytes;
    bytes.length = strlen(word) / 2;
    uint8_t *const data = malloc(bytes.length);
    CHECK(data != NULL && strlen(word) % 2 == 0);
    for (size_t byte = 0; byte < bytes.length; byte++)
        data[byte] = (uint8_t)(digit(word[2 * byte]) << 4 | digit(word[2 * byte + 1]));
    bytes.data = data;
    return bytes;
}

static int next_batch(FILE *file)
{
    static char word[MOST_WORD];
    unsigned a, b, verdict;
    if (fscanf(file, "%31s %u %u %zu", batch.kind, &a, &b, &batch.rows) != 4)
        return 0;
    CHECK(batch.rows > 0 && batch.rows <= MOST_ROWS);
    batch.a = a;
    batch.b = b;
    for (size_t row = 0; row < batch.rows; row++) {
        CHECK(fscanf(file, "%u", &verdict) == 1);
        batch.expected[row] = (uint8_t)verdict;
        batch.columns = 0;
        while (fgetc(file) == ' ') {
            CHECK(batch.columns < MOST_COLUMNS && fscanf(file, "%269999s", word) == 1);
            batch.column[batch.columns++][row] = from_digits(word);
        }
    }
    return 1;
}

static void free_batch(void)
{
    for (size_t column = 0; column < batch.columns; column++)
        for (size_t row = 0; row < batch.rows; row++)
            free((void *)batch.column[column][row].data);
}

/* The verdicts on so many rows from one on. */
static halimede_status check_rows(size_t first, size_t rows, uint8_t *verdicts)
{
    const halimede_bytes *const c[] = {batch.column[0] + first, batch.column[1] + first,
                                       batch.column[2] + first, batch.column[3] + first};
    const halimede_bls_suite suite = {.group = batch.a, .scheme = batch.b};
    if (strcmp(batch.kind, "schnorr") == 0)
        return halimede_schnorr_verify(NULL, c[0], c[1], c[2], rows, verdicts);
    if (strcmp(batch.kind, "bls") == 0)
        return halimede_bls_verify(NULL, &suite, c[0], c[1], c[2], rows, verdicts);
    if (strcmp(batch.kind, "possessions") == 0)
        return halimede_bls_verify_possessions(batch.a, c[0], c[1], rows, verdicts);
    if (strcmp(batch.kind, "kzg") == 0)
        return halimede_kzg_verify(NULL, setup, c[0], c[1], c[2], c[3], rows, verdicts);
    if (strcmp(batch.kind, "blobs") == 0)
        return halimede_kzg_verify_blobs(NULL, setup, c[0], c[1], c[2], rows, verdicts);
    CHECK(strcmp(batch.kind, "groth16") == 0);
    return halimede_groth16_verify(NULL, key, c[0], c[1], rows, verdicts);
}

/* All rows at once and each alone. */
static void verdicts(void)
{
    uint8_t found[MOST_ROWS + 1];
    memset(found, 0x5a, sizeof found);
    CHECK_OK(check_rows(0, batch.rows, found));
    CHECK(memcmp(found, batch.expected, batch.rows) == 0 && found[batch.rows] == 0x5a);
    for (size_t row = 0; row < batch.rows; row++) {
        uint8_t alone = 0xff;
        CHECK_OK(check_rows(row, 1, &alone));
        CHECK(alone == batch.expected[row]);
    }
    CHECK_OK(check_rows(0, 0, NULL));
}

static int equal(const void *found, halimede_bytes expected)
{
    return memcmp(found, expected.data, expected.length) == 0;
}

static void recovered(void)
{
    static uint8_t keys[MOST_ROWS][64], addresses[MOST_ROWS][20], found[MOST_ROWS];
    static const uint8_t none[64];
    const halimede_recovery_rules rules = {.ethereum = batch.a, .low_s = batch.b};
    memset(keys, 0x5a, sizeof keys);
    memset(addresses, 0x5a, sizeof addresses);
    CHECK_OK(halimede_ecdsa_recover(NULL, &rules, batch.column[0], batch.column[1], batch.rows,
                                    keys[0], addresses[0], found));
    CHECK(memcmp(found, batch.expected, batch.rows) == 0);
    for (size_t row = 0; row < batch.rows; row++) {
        const int is_valid = found[row] == HALIMEDE_VERDICT_VALID;
        const halimede_bytes no_key = {none, 64}, no_address = {none, 20};
        CHECK(equal(keys[row], is_valid ? batch.column[2][row] : no_key));
        CHECK(equal(addresses[row], is_valid ? batch.column[3][row] : no_address));
        uint8_t alone[64], verdict = 0xff;
        CHECK_OK(halimede_ecdsa_recover(NULL, &rules, &batch.column[0][row], &batch.column[1][row],
                                        1, NULL, NULL, &verdict));
        CHECK(verdict == found[row]);
        CHECK_OK(halimede_ecdsa_recover(NULL, &rules, &batch.column[0][row], &batch.column[1][row],
                                        1, alone, NULL, &verdict));
        CHECK(memcmp(alone, keys[row], 64) == 0);
    }
}

/* The parts of one size that some bytes are made of. */
static size_t cut(halimede_bytes joined, size_t size, halimede_bytes *parts)
{
    CHECK(joined.length % size == 0);
    for (size_t part = 0; part < joined.length / size; part++)
        parts[part] = (halimede_bytes){joined.data + size * part, size};
    return joined.length / size;
}

static void aggregated(void)
{
    halimede_bytes parts[MOST_ROWS];
    const size_t size = batch.a == HALIMEDE_BLS_GROUP_MIN_PK ? 96 : 48;
    const size_t count = cut(batch.column[0][0], size, parts);
    uint8_t sum[96];
    CHECK_OK(halimede_bls_aggregate(batch.a, parts, count, sum, size));
    CHECK(equal(sum, batch.column[1][0]));
    parts[2].length -= 1;
    memset(sum, 0x5a, sizeof sum);
    CHECK(halimede_bls_aggregate(batch.a, parts, count, sum, size) == HALIMEDE_STATUS_MALFORMED);
    CHECK(strstr(halimede_last_error(), "signature 2: a point of G") != NULL && sum[0] == 0x5a);
}

static void aggregate_verified(void)
{
    halimede_bytes keys[MOST_ROWS], messages[MOST_ROWS];
    const halimede_bls_suite suite = {.group = batch.a, .scheme = batch.b};
    const size_t size = batch.a == HALIMEDE_BLS_GROUP_MIN_PK ? 48 : 96;
    for (size_t row = 0; row < batch.rows; row++) {
        const size_t count = cut(batch.column[0][row], size, keys);
        const halimede_bytes signature = batch.column[2][row];
        uint8_t verdict = 0xff;
        CHECK(cut(batch.column[1][row], 2, messages) == count);
        CHECK_OK(halimede_bls_aggregate_verify(&suite, keys, messages, count, signature.data,
                                               signature.length, &verdict));
        CHECK(verdict == batch.expected[row]);
    }
}

static void fast_aggregates(void)
{
    halimede_bytes keys[MOST_ROWS];
    uint64_t offsets[MOST_ROWS + 1] = {0};
    uint8_t found[MOST_ROWS];
    const size_t size = batch.a == HALIMEDE_BLS_GROUP_MIN_PK ? 48 : 96;
    for (size_t row = 0; row < batch.rows; row++)
        offsets[row + 1] = offsets[row] + cut(batch.column[0][row], size, keys + offsets[row]);
    CHECK_OK(halimede_bls_verify_aggregates(batch.a, keys, offsets[batch.rows], offsets,
                                            batch.column[1], batch.column[2], batch.rows, found));
    CHECK(memcmp(found, batch.expected, batch.rows) == 0);
}

static void hashed(void)
{
    static uint8_t points[MOST_ROWS * 96];
    const size_t size = batch.a == HALIMEDE_BLS_CURVE_G1 ? 48 : 96;
    const halimede_bytes domain = batch.column[0][0];
    CHECK_OK(halimede_bls_hash_to_curve(NULL, batch.a, batch.b, domain.data, domain.length,
                                        batch.column[1], batch.rows, points, size));
    for (size_t row = 0; row < batch.rows; row++)
        CHECK(equal(points + size * row, batch.column[2][row]));
}

static void mapped(void)
{
    uint8_t point[96];
    const size_t size = batch.a == HALIMEDE_BLS_CURVE_G1 ? 48 : 96;
    CHECK_OK(halimede_bls_map_to_curve(NULL, batch.a, batch.column[0], 1, point, size));
    CHECK(equal(point, batch.column[1][0]));
}

static void summed(void)
{
    halimede_bytes points[MOST_ROWS];
    const size_t size = batch.a == HALIMEDE_BLS_CURVE_G1 ? 48 : 96;
    for (size_t row = 0; row < batch.rows; row++) {
        const size_t count = cut(batch.column[0][row], size, points);
        uint8_t sum[96];
        CHECK_OK(halimede_bls_sum(NULL, batch.a, points, batch.column[1][row].data, count, sum,
                                  size));
        CHECK(equal(sum, batch.column[2][row]));
    }
}

static void paired(void)
{
    halimede_bytes g1[MOST_ROWS], g2[MOST_ROWS];
    const size_t count = cut(batch.column[0][0], 48, g1);
    uint8_t product[576];
    uint32_t is_one = 7;
    CHECK(cut(batch.column[1][0], 96, g2) == count);
    CHECK_OK(halimede_bls_pairing(NULL, g1, g2, count, product));
    CHECK(equal(product, batch.column[2][0]));
    CHECK_OK(halimede_bls_pairing_check(NULL, g1, g2, count, &is_one));
    CHECK(is_one == batch.a);
}

static void precompiled(void)
{
    static const size_t lengths[] = {128, 128, 256, 256, 32, 128, 256};
    for (size_t row = 0; row < batch.rows; row++) {
        const halimede_bytes input = batch.column[0][row], output = batch.column[1][row];
        uint8_t found[256] = {0x5a};
        const halimede_status status = halimede_bls_eip2537(NULL, batch.a, input.data, input.length,
                                                            found, lengths[batch.a]);
        CHECK(status == (output.length > 0 ? HALIMEDE_STATUS_OK : HALIMEDE_STATUS_MALFORMED));
        if (status == HALIMEDE_STATUS_OK)
            CHECK(output.length == lengths[batch.a] && equal(found, output));
        else
            CHECK(found[0] == 0x5a && strlen(halimede_last_error()) > 10);
    }
}

/* What to do with each kind; verdicts() with the others. */
static const struct {
    const char *kind;
    void (*check)(void);
} kinds[] = {
    {"recover", recovered},
    {"aggregate", aggregated},
    {"aggregate-verify", aggregate_verified},
    {"aggregates", fast_aggregates},
    {"hash", hashed},
    {"map", mapped},
    {"sum", summed},
    {"pairing", paired},
    {"eip2537", precompiled},
};

/* The bytes of a file. */
static halimede_bytes content(const char *path)
{
    FILE *const file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    const size_t length = (size_t)ftell(file);
    uint8_t *const data = malloc(length);
    CHECK(data != NULL && fseek(file, 0, SEEK_SET) == 0);
    CHECK(fread(data, 1, length, file) == length);
    fclose(file);
    return (halimede_bytes){data, length};
}

/* The setup and the key, each once from the file and once from its bytes. */
static void load(const char *setup_path, const char *key_path)
{
    const halimede_bytes text = content(setup_path), bytes = content(key_path);
    size_t inputs = 0;
    CHECK_OK(halimede_kzg_setup_open(setup_path, &setup));
    halimede_kzg_setup_free(setup);
    CHECK_OK(halimede_kzg_setup_new(text.data, text.length, &setup));
    CHECK_OK(halimede_groth16_key_new(bytes.data, bytes.length, &key));
    halimede_groth16_key_free(key);
    CHECK_OK(halimede_groth16_key_open(key_path, &key));
    CHECK_OK(halimede_groth16_key_inputs(key, &inputs));
    CHECK(inputs == 2);
    free((void *)text.data);
    free((void *)bytes.data);
}

int main(int argc, char **argv)
{
    size_t batches = 0;
    CHECK(argc == 4);
    load(argv[2], argv[3]);
    FILE *const file = fopen(argv[1], "r");
    CHECK(file != NULL);
    for (; next_batch(file); batches++) {
        void (*check)(void) = verdicts;
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            if (strcmp(batch.kind, kinds[kind].kind) == 0)
                check = kinds[kind].check;
        check();
        free_batch();
    }
    CHECK(feof(file));
    fclose(file);
    halimede_kzg_setup_free(setup);
    halimede_groth16_key_free(key);
    printf("%zu batches\n", batches);
    return 0;
}
