/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* BLAKE3: all functions return the published answers; a batch equals its messages one by one; a
 * hasher can be fed in any pieces. The first argument is a file: the key, the context, and lines of
 * a length and the outputs of the three modes in hexadecimal. The optional second argument is a
 * device to compare with this processor. */
#include "check.h"

enum { OUTPUT = 131, KINDS = 3, MOST_CASES = 64, MOST_BYTES = 1 << 20, MOST_MESSAGES = 2000 };

static const halimede_device *device;
static halimede_blake3_mode modes[KINDS] = {{.kind = HALIMEDE_BLAKE3_KIND_HASH},
                                            {.kind = HALIMEDE_BLAKE3_KIND_KEYED},
                                            {.kind = HALIMEDE_BLAKE3_KIND_DERIVE_KEY}};
static uint8_t data[MOST_BYTES];

/* Reads a line of the file, without its line end. */
static char *read_line(FILE *file, char *line, size_t size)
{
    CHECK(fgets(line, (int)size, file) != NULL);
    line[strcspn(line, "\n")] = 0;
    return line;
}

static void read_output(FILE *file, uint8_t *output)
{
    for (size_t byte = 0; byte < OUTPUT; byte++) {
        char digits[3];
        CHECK(fscanf(file, byte == 0 ? " %2[0-9a-f]" : "%2[0-9a-f]", digits) == 1);
        CHECK(strlen(digits) == 2);
        output[byte] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

/* Checks the output of a message: whole, in part, and from a hasher that is fed in two pieces. */
static void check_output(const halimede_blake3_mode *mode, size_t length, const uint8_t *expected)
{
    uint8_t output[OUTPUT];
    const size_t cuts[] = {0, 1, 32, 63, 64, 65, 128, OUTPUT};
    /* A simulated card is slow: it gets long messages once, in the batch of all. */
    const halimede_device *where = length > 5000 ? NULL : device;
    CHECK_OK(halimede_blake3_hash(where, mode, data, length, 0, output, OUTPUT));
    CHECK(memcmp(output, expected, OUTPUT) == 0);
    for (size_t place = 0; place < sizeof cuts / sizeof cuts[0]; place++) {
        const size_t cut = cuts[place];
        fill_bytes(output, OUTPUT, length + cut);
        CHECK_OK(halimede_blake3_hash(where, mode, data, length, 0, output, cut));
        CHECK_OK(halimede_blake3_hash(where, mode, data, length, cut, output + cut, OUTPUT - cut));
        CHECK(memcmp(output, expected, OUTPUT) == 0);
    }

    halimede_blake3_hasher *hasher = NULL, *copy = NULL;
    const size_t first = length / 3;
    CHECK_OK(halimede_blake3_hasher_new(mode, &hasher));
    CHECK_OK(halimede_blake3_hasher_update(hasher, data, first));
    CHECK_OK(halimede_blake3_hasher_clone(hasher, &copy));
    CHECK_OK(halimede_blake3_hasher_update(hasher, data + first, length - first));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, output, 70));
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 70, output + 70, OUTPUT - 70));
    CHECK(memcmp(output, expected, OUTPUT) == 0);
    /* The clone is independent of later updates; a reset hasher starts again. */
    CHECK_OK(halimede_blake3_hasher_reset(hasher));
    CHECK_OK(halimede_blake3_hasher_update(copy, data + first, length - first));
    CHECK_OK(halimede_blake3_hasher_update(hasher, data, length));
    CHECK_OK(halimede_blake3_hasher_digest(copy, 0, output, OUTPUT));
    CHECK(memcmp(output, expected, OUTPUT) == 0);
    CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, output, OUTPUT));
    CHECK(memcmp(output, expected, OUTPUT) == 0);
    halimede_blake3_hasher_free(hasher);
    halimede_blake3_hasher_free(copy);
}

/* Checks every published answer, then each mode's answers as one batch. Returns their number. */
static size_t published(FILE *file)
{
    static uint8_t expected[KINDS][MOST_CASES][OUTPUT];
    static const uint8_t *messages[MOST_CASES];
    static size_t lengths[MOST_CASES];
    uint8_t digests[MOST_CASES][32];
    size_t cases = 0;
    for (size_t byte = 0; byte < MOST_BYTES; byte++)
        data[byte] = (uint8_t)(byte % 251);
    for (unsigned long length; fscanf(file, "%lu", &length) == 1; cases++) {
        CHECK(cases < MOST_CASES && length <= MOST_BYTES);
        lengths[cases] = length;
        messages[cases] = length == 0 ? NULL : data;
        for (size_t kind = 0; kind < KINDS; kind++) {
            read_output(file, expected[kind][cases]);
            check_output(&modes[kind], length, expected[kind][cases]);
        }
    }
    CHECK(feof(file));
    for (size_t kind = 0; kind < KINDS; kind++) {
        CHECK_OK(halimede_blake3_hash_many_pointers(device, &modes[kind], messages, lengths, cases,
                                                    digests[0]));
        for (size_t number = 0; number < cases; number++)
            CHECK(memcmp(digests[number], expected[kind][number], 32) == 0);
    }
    return cases;
}

/* Compares messages of random lengths up to `longest`, with a gap before the first and after the
 * last, by offsets and by pointers, with a hasher. */
static void batch(const halimede_blake3_mode *mode, size_t count, size_t longest, uint64_t seed)
{
    static uint64_t offsets[MOST_MESSAGES + 1];
    static const uint8_t *messages[MOST_MESSAGES];
    static size_t lengths[MOST_MESSAGES];
    static uint8_t digests[32 * MOST_MESSAGES + 1], by_pointers[32 * MOST_MESSAGES], digest[32];
    fill_bytes(data, MOST_BYTES, seed);
    offsets[0] = 5;
    for (size_t number = 0; number < count; number++) {
        lengths[number] = (size_t)(next_random(&seed) % (longest + 1));
        messages[number] = data + offsets[number];
        offsets[number + 1] = offsets[number] + lengths[number];
    }
    CHECK(offsets[count] < MOST_BYTES);
    digests[32 * count] = 0x5a;
    CHECK_OK(halimede_blake3_hash_many(device, mode, data, MOST_BYTES, offsets, count, digests));
    CHECK(digests[32 * count] == 0x5a);
    CHECK_OK(halimede_blake3_hash_many_pointers(device, mode, messages, lengths, count,
                                                by_pointers));
    CHECK(memcmp(digests, by_pointers, 32 * count) == 0);
    halimede_blake3_hasher *hasher = NULL;
    CHECK_OK(halimede_blake3_hasher_new(mode, &hasher));
    for (size_t number = 0; number < count; number++) {
        CHECK_OK(halimede_blake3_hasher_reset(hasher));
        CHECK_OK(halimede_blake3_hasher_update(hasher, messages[number], lengths[number]));
        CHECK_OK(halimede_blake3_hasher_digest(hasher, 0, digest, 32));
        CHECK(memcmp(digests + 32 * number, digest, 32) == 0);
    }
    halimede_blake3_hasher_free(hasher);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 || argc == 3);
    halimede_device *opened = NULL;
    if (argc == 3) {
        const halimede_device_options options = {.time_limit_ms = 20000};
        CHECK_OK(halimede_device_open(argv[2], &options, &opened));
        device = opened;
    }
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    char key[64], context[128];
    CHECK(strlen(read_line(file, key, sizeof key)) == 32);
    modes[HALIMEDE_BLAKE3_KIND_KEYED].key = (const uint8_t *)key;
    modes[HALIMEDE_BLAKE3_KIND_DERIVE_KEY].context = read_line(file, context, sizeof context);
    const size_t cases = published(file);
    fclose(file);

    const size_t counts[] = {0, 1, 7, 8, 9, 15, 16, 17, MOST_MESSAGES};
    const size_t count_places = sizeof counts / sizeof counts[0] - (device ? 1 : 0);
    const size_t longest = device ? 3000 : 100000;
    for (size_t place = 0; place < count_places; place++)
        for (size_t kind = 0; kind < KINDS; kind++)
            batch(&modes[kind], counts[place], place == 2 ? longest : 500, counts[place] + kind);
    batch(NULL, device ? 40 : 400, 2048, 400);
    halimede_device_close(opened);
    printf("%zu published lengths on %s\n", cases, argc == 3 ? argv[2] : "this processor");
    return 0;
}
