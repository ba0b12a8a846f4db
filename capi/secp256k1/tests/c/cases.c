/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Runs cases: the argument is a file of lines. A line has the name of a function, and fields of
 * hexadecimal digits: inputs, then the expected results. Runs all cases of verification and
 * recovery again as arrays. Prints the number of cases.
 */

#include "secp256k1.h"
#include "secp256k1_extrakeys.h"
#include "secp256k1_recovery.h"
#include "secp256k1_schnorrsig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number_of_line;

#define REQUIRE(condition)                                                                  \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "case %ld, line %d: %s\n", number_of_line, __LINE__, #condition); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

enum { MOST_FIELDS = 8, MOST_CASES = 2048 };

typedef struct {
    unsigned char *bytes;
    size_t length;
} Field;

static const secp256k1_context *ctx;

/* The cases that run again as arrays, and their results. */
static struct {
    size_t count;
    secp256k1_ecdsa_signature sigs[MOST_CASES];
    unsigned char digests[32 * MOST_CASES];
    secp256k1_pubkey keys[MOST_CASES];
    int results[MOST_CASES];
} verified;
static struct {
    size_t count;
    unsigned char sigs[64 * MOST_CASES];
    const unsigned char *messages[MOST_CASES];
    size_t lengths[MOST_CASES];
    secp256k1_xonly_pubkey keys[MOST_CASES];
    int results[MOST_CASES];
} schnorr;
static struct {
    size_t count;
    secp256k1_ecdsa_recoverable_signature sigs[MOST_CASES];
    unsigned char digests[32 * MOST_CASES];
    secp256k1_pubkey keys[MOST_CASES];
    int results[MOST_CASES];
} recovered;

static unsigned digit(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static Field field(const char *text) {
    Field field;
    size_t i;
    field.length = text[0] == '-' ? 0 : strlen(text) / 2;
    field.bytes = (unsigned char *)malloc(field.length + 1);
    REQUIRE(field.bytes != NULL);
    for (i = 0; i < field.length; i++) {
        field.bytes[i] = (unsigned char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    return field;
}

static int is(const void *found, size_t length, Field expected) {
    return length == expected.length && memcmp(found, expected.bytes, length) == 0;
}

/* A key; whether it is valid; compressed, uncompressed, x, parity. */
static void run_key(Field *in) {
    unsigned char bytes[65];
    size_t length = sizeof bytes;
    secp256k1_pubkey key;
    secp256k1_xonly_pubkey only, again;
    int parity = -1;
    REQUIRE(secp256k1_ec_pubkey_parse(ctx, &key, in[0].bytes, in[0].length) == in[1].bytes[0]);
    if (!in[1].bytes[0]) {
        return;
    }
    REQUIRE(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key, SECP256K1_EC_COMPRESSED) == 1);
    REQUIRE(is(bytes, length, in[2]));
    length = sizeof bytes;
    REQUIRE(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key,
                                          SECP256K1_EC_UNCOMPRESSED) == 1);
    REQUIRE(is(bytes, length, in[3]));
    REQUIRE(secp256k1_xonly_pubkey_from_pubkey(ctx, &only, &parity, &key) == 1);
    REQUIRE(parity == in[5].bytes[0]);
    REQUIRE(secp256k1_xonly_pubkey_serialize(ctx, bytes, &only) == 1 && is(bytes, 32, in[4]));
    REQUIRE(secp256k1_xonly_pubkey_parse(ctx, &again, bytes) == 1);
    REQUIRE(memcmp(&again, &only, sizeof only) == 0);
}

static unsigned char sign(int order) {
    return (unsigned char)(order < 0 ? 0 : order == 0 ? 1 : 2);
}

/* Two keys; their order, and that of their x. */
static void run_compare(Field *in) {
    secp256k1_pubkey keys[2];
    secp256k1_xonly_pubkey only[2];
    int i;
    for (i = 0; i < 2; i++) {
        REQUIRE(secp256k1_ec_pubkey_parse(ctx, &keys[i], in[i].bytes, in[i].length) == 1);
        REQUIRE(secp256k1_xonly_pubkey_from_pubkey(ctx, &only[i], NULL, &keys[i]) == 1);
    }
    REQUIRE(sign(secp256k1_ec_pubkey_cmp(ctx, &keys[0], &keys[1])) == in[2].bytes[0]);
    REQUIRE(sign(secp256k1_xonly_pubkey_cmp(ctx, &only[0], &only[1])) == in[3].bytes[0]);
}

/* A signature; whether it is valid; compact, DER, normalized, whether s was high. */
static void run_signature(Field *in, int is_der) {
    unsigned char bytes[72];
    size_t length = sizeof bytes;
    secp256k1_ecdsa_signature sig;
    int result;
    memset(&sig, 0x55, sizeof sig);
    if (is_der) {
        result = secp256k1_ecdsa_signature_parse_der(ctx, &sig, in[0].bytes, in[0].length);
    } else {
        result = secp256k1_ecdsa_signature_parse_compact(ctx, &sig, in[0].bytes);
    }
    REQUIRE(result == in[1].bytes[0]);
    REQUIRE(secp256k1_ecdsa_signature_serialize_compact(ctx, bytes, &sig) == 1);
    REQUIRE(is(bytes, 64, in[2]));
    REQUIRE(secp256k1_ecdsa_signature_serialize_der(ctx, bytes, &length, &sig) == 1);
    REQUIRE(is(bytes, length, in[3]));
    REQUIRE(secp256k1_ecdsa_signature_normalize(ctx, NULL, &sig) == in[5].bytes[0]);
    REQUIRE(secp256k1_ecdsa_signature_normalize(ctx, &sig, &sig) == in[5].bytes[0]);
    REQUIRE(secp256k1_ecdsa_signature_normalize(ctx, &sig, &sig) == 0);
    REQUIRE(secp256k1_ecdsa_signature_serialize_compact(ctx, bytes, &sig) == 1);
    REQUIRE(is(bytes, 64, in[4]));
}

/* A compact signature, a digest, a key; the verdict. */
static void run_verify(Field *in) {
    size_t at = verified.count++;
    REQUIRE(at < MOST_CASES);
    (void)secp256k1_ecdsa_signature_parse_compact(ctx, &verified.sigs[at], in[0].bytes);
    REQUIRE(secp256k1_ec_pubkey_parse(ctx, &verified.keys[at], in[2].bytes, in[2].length) == 1);
    memcpy(verified.digests + 32 * at, in[1].bytes, 32);
    verified.results[at] =
        secp256k1_ecdsa_verify(ctx, &verified.sigs[at], in[1].bytes, &verified.keys[at]);
    REQUIRE(verified.results[at] == in[3].bytes[0]);
}

/* A signature, a message, x of a key; whether the key is valid, the verdict. */
static void run_schnorr(Field *in) {
    size_t at = schnorr.count;
    REQUIRE(at < MOST_CASES);
    REQUIRE(secp256k1_xonly_pubkey_parse(ctx, &schnorr.keys[at], in[2].bytes) == in[3].bytes[0]);
    if (!in[3].bytes[0]) {
        return;
    }
    memcpy(schnorr.sigs + 64 * at, in[0].bytes, 64);
    schnorr.lengths[at] = in[1].length;
    schnorr.messages[at] = in[1].length == 0 ? NULL : in[1].bytes;
    /* The array keeps the message. */
    in[1].bytes = NULL;
    schnorr.results[at] = secp256k1_schnorrsig_verify(
        ctx, schnorr.sigs + 64 * at, schnorr.messages[at], schnorr.lengths[at], &schnorr.keys[at]);
    REQUIRE(schnorr.results[at] == in[4].bytes[0]);
    schnorr.count++;
}

/* A compact signature, its id, a digest; whether r and s are in range, whether a key is found, the
 * key. */
static void run_recover(Field *in) {
    size_t at = recovered.count++, length = 65;
    unsigned char bytes[65];
    secp256k1_ecdsa_recoverable_signature *sig = &recovered.sigs[at];
    secp256k1_ecdsa_signature plain, expected;
    int id = -1;
    REQUIRE(at < MOST_CASES);
    REQUIRE(secp256k1_ecdsa_recoverable_signature_parse_compact(
                ctx, sig, in[0].bytes, in[1].bytes[0]) == in[3].bytes[0]);
    if (in[3].bytes[0]) {
        REQUIRE(secp256k1_ecdsa_recoverable_signature_serialize_compact(ctx, bytes, &id, sig) == 1);
        REQUIRE(id == in[1].bytes[0] && is(bytes, 64, in[0]));
    }
    (void)secp256k1_ecdsa_signature_parse_compact(ctx, &expected, in[0].bytes);
    REQUIRE(secp256k1_ecdsa_recoverable_signature_convert(ctx, &plain, sig) == 1);
    REQUIRE(memcmp(&plain, &expected, sizeof plain) == 0);
    memcpy(recovered.digests + 32 * at, in[2].bytes, 32);
    recovered.results[at] =
        secp256k1_ecdsa_recover(ctx, &recovered.keys[at], sig, recovered.digests + 32 * at);
    REQUIRE(recovered.results[at] == in[4].bytes[0]);
    if (in[4].bytes[0]) {
        REQUIRE(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &recovered.keys[at],
                                              SECP256K1_EC_UNCOMPRESSED) == 1);
        REQUIRE(is(bytes, length, in[5]));
    }
}

static int all(const int *results, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (!results[i]) {
            return 0;
        }
    }
    return 1;
}

/* Runs `count` cases from `start` on as arrays. */
static void run_arrays(size_t start, size_t count) {
    static int results[MOST_CASES];
    static secp256k1_pubkey keys[MOST_CASES];
    size_t bytes = count * sizeof(int);
    if (start + count <= verified.count) {
        const int *expected = verified.results + start;
        memset(results, 0x55, sizeof results);
        REQUIRE(secp256k1_ecdsa_verify_many(ctx, results, verified.sigs + start,
                                            verified.digests + 32 * start, verified.keys + start,
                                            count) == all(expected, count));
        REQUIRE(memcmp(results, expected, bytes) == 0);
    }
    if (start + count <= schnorr.count) {
        const int *expected = schnorr.results + start;
        memset(results, 0x55, sizeof results);
        REQUIRE(secp256k1_schnorrsig_verify_many(ctx, results, schnorr.sigs + 64 * start,
                                                 schnorr.messages + start, schnorr.lengths + start,
                                                 schnorr.keys + start,
                                                 count) == all(expected, count));
        REQUIRE(memcmp(results, expected, bytes) == 0);
    }
    if (start + count <= recovered.count) {
        const int *expected = recovered.results + start;
        memset(results, 0x55, sizeof results);
        REQUIRE(secp256k1_ecdsa_recover_many(ctx, results, keys, recovered.sigs + start,
                                             recovered.digests + 32 * start,
                                             count) == all(expected, count));
        REQUIRE(memcmp(results, expected, bytes) == 0);
        REQUIRE(memcmp(keys, recovered.keys + start, count * sizeof *keys) == 0);
    }
}

static void run(const char *name, Field *in) {
    unsigned char hash[32];
    if (strcmp(name, "key") == 0) {
        run_key(in);
    } else if (strcmp(name, "compare") == 0) {
        run_compare(in);
    } else if (strcmp(name, "der") == 0 || strcmp(name, "compact") == 0) {
        run_signature(in, name[0] == 'd');
    } else if (strcmp(name, "verify") == 0) {
        run_verify(in);
    } else if (strcmp(name, "schnorr") == 0) {
        run_schnorr(in);
    } else if (strcmp(name, "recover") == 0) {
        run_recover(in);
    } else {
        REQUIRE(strcmp(name, "tagged") == 0);
        REQUIRE(secp256k1_tagged_sha256(ctx, hash, in[0].bytes, in[0].length, in[1].bytes,
                                        in[1].length) == 1);
        REQUIRE(is(hash, sizeof hash, in[2]));
    }
}

int main(int count, char **words) {
    secp256k1_context *created = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    FILE *file;
    long size;
    size_t n, start;
    char *text, *line, *rest, *word;
    REQUIRE(count == 2 && created != NULL);
    ctx = created;
    file = fopen(words[1], "r");
    REQUIRE(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    REQUIRE(size > 0 && fseek(file, 0, SEEK_SET) == 0);
    text = (char *)malloc((size_t)size + 1);
    REQUIRE(text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    text[size] = '\0';
    for (line = text; *line != '\0'; line = rest, number_of_line++) {
        Field fields[MOST_FIELDS];
        char *name, *end = strchr(line, '\n');
        int number = 0;
        REQUIRE(end != NULL);
        *end = '\0';
        rest = end + 1;
        name = strtok(line, " ");
        REQUIRE(name != NULL);
        while ((word = strtok(NULL, " ")) != NULL) {
            REQUIRE(number < MOST_FIELDS);
            fields[number++] = field(word);
        }
        run(name, fields);
        while (number > 0) {
            free(fields[--number].bytes);
        }
    }
    REQUIRE(verified.count > 100 && schnorr.count > 100 && recovered.count > 100);
    for (n = 1; n < 40; n += 6) {
        for (start = 0; start < 40; start += 13) {
            run_arrays(start, n);
        }
    }
    run_arrays(0, verified.count);
    run_arrays(0, schnorr.count);
    run_arrays(0, recovered.count);
    secp256k1_context_destroy(created);
    free(text);
    printf("%ld cases\n", number_of_line);
    return 0;
}
