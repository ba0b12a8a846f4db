/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Runs cases through the library: arguments are the setup and a file of lines. A line has the name
 * of a function, the expected result, and fields of hexadecimal digits: inputs, then outputs. Prints
 * the number of cases.
 */

#include "ckzg.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                    \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);           \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { MOST_FIELDS = 8 };

typedef struct {
    uint8_t *bytes;
    size_t length;
} Field;

static unsigned digit(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static Field field(const char *text) {
    Field field;
    size_t i;
    field.length = text[0] == '-' ? 0 : strlen(text) / 2;
    field.bytes = malloc(field.length + 8);
    REQUIRE(field.bytes != NULL);
    for (i = 0; i < field.length; i++) {
        field.bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    return field;
}

/* Checks an output, or that it was not needed. */
static void same(C_KZG_RET result, const void *found, Field expected) {
    REQUIRE(result != C_KZG_OK || memcmp(found, expected.bytes, expected.length) == 0);
}

static C_KZG_RET run(const char *name, Field *in, const KZGSettings *s) {
    static Cell cells[CELLS_PER_EXT_BLOB];
    static KZGProof proofs[CELLS_PER_EXT_BLOB];
    const Blob *blob = (const Blob *)in[0].bytes;
    const Bytes48 *first = (const Bytes48 *)in[0].bytes;
    C_KZG_RET result;
    KZGProof proof;
    Bytes32 y;
    bool ok = true;
    memset(&proof, 0, sizeof proof);
    memset(&y, 0, sizeof y);
    if (strcmp(name, "blob_to_kzg_commitment") == 0) {
        result = blob_to_kzg_commitment(&proof, blob, s);
        same(result, &proof, in[1]);
    } else if (strcmp(name, "compute_kzg_proof") == 0) {
        result = compute_kzg_proof(&proof, &y, blob, (const Bytes32 *)in[1].bytes, s);
        same(result, &proof, in[2]);
        same(result, &y, in[3]);
    } else if (strcmp(name, "compute_blob_kzg_proof") == 0) {
        result = compute_blob_kzg_proof(&proof, blob, (const Bytes48 *)in[1].bytes, s);
        same(result, &proof, in[2]);
    } else if (strcmp(name, "compute_cells_and_kzg_proofs") == 0) {
        result = compute_cells_and_kzg_proofs(cells, proofs, blob, s);
        same(result, cells, in[1]);
        same(result, proofs, in[2]);
        memset(cells, 0, sizeof cells);
        REQUIRE(compute_cells_and_kzg_proofs(cells, NULL, blob, s) == result);
        same(result, cells, in[1]);
    } else if (strcmp(name, "recover_cells_and_kzg_proofs") == 0) {
        const uint64_t *indices = (const uint64_t *)in[0].bytes;
        const Cell *given = (const Cell *)in[1].bytes;
        uint64_t count = in[0].length / sizeof(uint64_t);
        result = recover_cells_and_kzg_proofs(cells, proofs, indices, given, count, s);
        same(result, cells, in[2]);
        same(result, proofs, in[3]);
        memset(cells, 0, sizeof cells);
        REQUIRE(recover_cells_and_kzg_proofs(cells, NULL, indices, given, count, s) == result);
        same(result, cells, in[2]);
    } else if (strcmp(name, "verify_kzg_proof") == 0) {
        const Bytes32 *z = (const Bytes32 *)in[1].bytes, *value = (const Bytes32 *)in[2].bytes;
        result = verify_kzg_proof(&ok, first, z, value, (const Bytes48 *)in[3].bytes, s);
        REQUIRE(ok == (in[4].length > 0 && in[4].bytes[0]));
    } else if (strcmp(name, "verify_blob_kzg_proof") == 0) {
        const Bytes48 *commitment = (const Bytes48 *)in[1].bytes;
        bool together = true;
        result = verify_blob_kzg_proof(&ok, blob, commitment, (const Bytes48 *)in[2].bytes, s);
        REQUIRE(ok == (in[3].length > 0 && in[3].bytes[0]));
        REQUIRE(verify_blob_kzg_proof_batch(&together, blob, commitment,
                                            (const Bytes48 *)in[2].bytes, 1, s) == result);
        REQUIRE(together == ok);
    } else {
        REQUIRE(strcmp(name, "verify_cell_kzg_proof_batch") == 0);
        result = verify_cell_kzg_proof_batch(&ok, first, (const uint64_t *)in[1].bytes,
                                             (const Cell *)in[2].bytes,
                                             (const Bytes48 *)in[3].bytes,
                                             in[1].length / sizeof(uint64_t), s);
        REQUIRE(ok == (in[4].length > 0 && in[4].bytes[0]));
    }
    return result;
}

/* NULL pointers, and setups that are refused. */
static void refusals(const KZGSettings *s) {
    static Blob blob;
    static Cell cells[CELLS_PER_EXT_BLOB];
    KZGSettings empty, other;
    KZGCommitment commitment;
    Bytes32 y;
    bool ok = true;
    uint8_t bytes[48] = {0};
    FILE *file;
    memset(&empty, 0, sizeof empty);
    memset(&commitment, 0, sizeof commitment);
    memset(&y, 0, sizeof y);
    REQUIRE(sizeof empty == 10 * sizeof(void *));
    REQUIRE(blob_to_kzg_commitment(NULL, &blob, s) == C_KZG_BADARGS);
    REQUIRE(blob_to_kzg_commitment(&commitment, NULL, s) == C_KZG_BADARGS);
    REQUIRE(blob_to_kzg_commitment(&commitment, &blob, NULL) == C_KZG_BADARGS);
    REQUIRE(blob_to_kzg_commitment(&commitment, &blob, &empty) == C_KZG_BADARGS);
    REQUIRE(compute_kzg_proof(&commitment, NULL, &blob, &y, s) == C_KZG_BADARGS);
    REQUIRE(compute_kzg_proof(&commitment, &y, &blob, NULL, s) == C_KZG_BADARGS);
    REQUIRE(compute_blob_kzg_proof(&commitment, &blob, NULL, s) == C_KZG_BADARGS);
    REQUIRE(compute_cells_and_kzg_proofs(NULL, NULL, &blob, s) == C_KZG_BADARGS);
    REQUIRE(compute_cells_and_kzg_proofs(cells, NULL, NULL, s) == C_KZG_BADARGS);
    REQUIRE(recover_cells_and_kzg_proofs(cells, NULL, NULL, cells, 64, s) == C_KZG_BADARGS);
    REQUIRE(recover_cells_and_kzg_proofs(NULL, NULL, NULL, NULL, 0, s) == C_KZG_BADARGS);
    REQUIRE(recover_cells_and_kzg_proofs(cells, NULL, NULL, NULL, UINT64_MAX, s) == C_KZG_BADARGS);
    REQUIRE(verify_kzg_proof(NULL, NULL, NULL, NULL, NULL, s) == C_KZG_BADARGS);
    REQUIRE(verify_blob_kzg_proof(&ok, &blob, NULL, NULL, s) == C_KZG_BADARGS && !ok);
    ok = true;
    REQUIRE(verify_cell_kzg_proof_batch(&ok, NULL, NULL, NULL, NULL, 1, s) == C_KZG_BADARGS && !ok);
    REQUIRE(verify_cell_kzg_proof_batch(&ok, NULL, NULL, NULL, NULL, UINT64_MAX, s) == C_KZG_BADARGS);
    REQUIRE(verify_cell_kzg_proof_batch(&ok, NULL, NULL, NULL, NULL, 0, s) == C_KZG_OK && ok);
    ok = false;
    REQUIRE(verify_blob_kzg_proof_batch(&ok, NULL, NULL, NULL, 0, s) == C_KZG_OK && ok);
    REQUIRE(load_trusted_setup(&other, bytes, 48, bytes, 48, bytes, 48, 0) == C_KZG_BADARGS);
    free_trusted_setup(&other);
    REQUIRE(load_trusted_setup(NULL, bytes, 48, bytes, 48, bytes, 48, 0) == C_KZG_BADARGS);
    REQUIRE(load_trusted_setup(&other, NULL, 48, bytes, 48, bytes, 48, 0) == C_KZG_BADARGS);
    REQUIRE(load_trusted_setup_file(&other, NULL, 0) == C_KZG_BADARGS);
    file = tmpfile();
    REQUIRE(file != NULL);
    REQUIRE(load_trusted_setup_file(&other, file, 0) == C_KZG_BADARGS);
    REQUIRE(load_trusted_setup_file(&other, file, 16) == C_KZG_BADARGS);
    fclose(file);
    free_trusted_setup(&other);
    free_trusted_setup(&other);
    free_trusted_setup(NULL);
}

int main(int count, char **words) {
    KZGSettings settings;
    FILE *file;
    long size, lines = 0;
    char *text, *line, *rest;
    REQUIRE(count == 3);
    file = fopen(words[1], "r");
    REQUIRE(file != NULL);
    REQUIRE(load_trusted_setup_file(&settings, file, 8) == C_KZG_OK);
    fclose(file);
    file = fopen(words[2], "r");
    REQUIRE(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    REQUIRE(size > 0 && fseek(file, 0, SEEK_SET) == 0);
    text = malloc((size_t)size + 1);
    REQUIRE(text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    text[size] = '\0';
    for (line = text; *line != '\0'; line = rest, lines++) {
        Field fields[MOST_FIELDS] = {{NULL, 0}};
        char *name, *expected;
        int number = 0;
        C_KZG_RET result;
        char *end = strchr(line, '\n');
        REQUIRE(end != NULL);
        *end = '\0';
        rest = end + 1;
        name = strtok(line, " ");
        expected = strtok(NULL, " ");
        REQUIRE(name != NULL && expected != NULL);
        for (char *word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {
            REQUIRE(number < MOST_FIELDS);
            fields[number++] = field(word);
        }
        result = run(name, fields, &settings);
        if ((int)result != atoi(expected)) {
            fprintf(stderr, "case %ld: %s gave %d, expected %s\n", lines, name, (int)result, expected);
            return 1;
        }
        while (number > 0) {
            free(fields[--number].bytes);
        }
    }
    refusals(&settings);
    free(text);
    free_trusted_setup(&settings);
    REQUIRE(settings.setup == NULL);
    printf("%ld cases\n", lines);
    return 0;
}
