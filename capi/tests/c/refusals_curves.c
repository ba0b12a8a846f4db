/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the functions of Schnorr, recovery and BLS12-381 do not take is refused with its status, and
 * nothing is written. The first argument is the file of a verifying key. */
#include "check.h"

static uint8_t data[64], verdicts[4], place[576];
static const halimede_bytes rows[4] = {{data, 32}, {data, 32}, {data, 0}, {data, 64}};

/* Checks a call's status, a part of its message, and that it wrote nothing. */
#define REFUSED(call, status, words)                                                       \
    do {                                                                                   \
        memset(verdicts, 0x5a, sizeof verdicts);                                           \
        memset(place, 0x5a, sizeof place);                                                 \
        CHECK((call) == HALIMEDE_STATUS_##status);                                         \
        CHECK(strstr(halimede_last_error(), words) != NULL);                               \
        for (size_t byte = 0; byte < sizeof verdicts; byte++)                              \
            CHECK(verdicts[byte] == 0x5a);                                                 \
        for (size_t byte = 0; byte < sizeof place; byte++)                                 \
            CHECK(place[byte] == 0x5a);                                                    \
    } while (0)

/* A column's rows are looked at one by one. */
static void pointers(void)
{
    const halimede_bytes *const odd = (const halimede_bytes *)(const void *)(data + 1);
    halimede_bytes bad[4];
    memcpy(bad, rows, sizeof bad);
    REFUSED(halimede_schnorr_verify(NULL, NULL, rows, rows, 4, verdicts), NULL_POINTER,
            "keys is NULL");
    REFUSED(halimede_schnorr_verify(NULL, rows, rows, rows, 4, NULL), NULL_POINTER, "verdicts is");
    REFUSED(halimede_schnorr_verify(NULL, rows, odd, rows, 4, verdicts), MISALIGNED,
            "messages is at");
    REFUSED(halimede_schnorr_verify(NULL, rows, rows, rows, SIZE_MAX, verdicts), WRONG_LENGTH,
            "more than memory holds");
    bad[3].data = NULL;
    REFUSED(halimede_schnorr_verify(NULL, rows, bad, rows, 4, verdicts), NULL_POINTER,
            "number 3 of the messages: data is NULL");
    bad[3] = (halimede_bytes){data, SIZE_MAX};
    REFUSED(halimede_schnorr_verify(NULL, rows, rows, bad, 4, verdicts), WRONG_LENGTH,
            "number 3 of the signatures: ");
    bad[3] = (halimede_bytes){verdicts, 1};
    REFUSED(halimede_schnorr_verify(NULL, bad, rows, rows, 4, verdicts), OVERLAP,
            "number 3 of the keys: data and verdicts share memory");
    REFUSED(halimede_kzg_verify(NULL, NULL, rows, rows, rows, rows, 4, verdicts), NULL_POINTER,
            "setup is NULL");
    REFUSED(halimede_groth16_verify(NULL, NULL, rows, rows, 4, verdicts), NULL_POINTER,
            "key is NULL");
    REFUSED(halimede_bls_aggregate_verify(NULL, rows, rows, 4, NULL, 96, verdicts), NULL_POINTER,
            "signature is NULL");
    REFUSED(halimede_bls_pairing_check(NULL, rows, rows, 0, NULL), NULL_POINTER, "is_one is NULL");
    REFUSED(halimede_bls_pairing(NULL, rows, rows, 0, NULL), NULL_POINTER, "product is NULL");
    REFUSED(halimede_groth16_key_inputs(NULL, NULL), NULL_POINTER, "key is NULL");
}

static void numbers(void)
{
    const halimede_bls_suite group = {.group = 2}, scheme = {.scheme = 3};
    REFUSED(halimede_bls_verify(NULL, &group, rows, rows, rows, 4, verdicts), INVALID_ARGUMENT,
            "group is 2, there are 0 and 1");
    REFUSED(halimede_bls_verify(NULL, &scheme, rows, rows, rows, 4, verdicts), INVALID_ARGUMENT,
            "scheme is 3, there are 0 to 2");
    REFUSED(halimede_bls_verify_possessions(9, rows, rows, 4, verdicts), INVALID_ARGUMENT,
            "group is 9");
    REFUSED(halimede_bls_aggregate(9, rows, 4, place, 96), INVALID_ARGUMENT, "group is 9");
    REFUSED(halimede_bls_sum(NULL, 2, rows, NULL, 0, place, 48), INVALID_ARGUMENT, "curve is 2");
    REFUSED(halimede_bls_map_to_curve(NULL, 2, rows, 4, place, 48), INVALID_ARGUMENT, "curve is 2");
    REFUSED(halimede_bls_hash_to_curve(NULL, 7, 0, data, 3, rows, 4, place, 48), INVALID_ARGUMENT,
            "curve is 7");
    REFUSED(halimede_bls_eip2537(NULL, 7, data, 64, place, 128), INVALID_ARGUMENT,
            "precompile is 7, there are 0 to 6");
}

static void lengths(void)
{
    const uint64_t descending[] = {0, 3, 2}, beyond[] = {0, 2, 5};
    REFUSED(halimede_bls_verify_aggregates(0, rows, 4, descending, rows, rows, 2, verdicts),
            WRONG_LENGTH, "offsets: list 1 is from 3 to 2 of 4 keys");
    REFUSED(halimede_bls_verify_aggregates(0, rows, 4, beyond, rows, rows, 2, verdicts),
            WRONG_LENGTH, "offsets: list 1 is from 2 to 5 of 4 keys");
    REFUSED(halimede_bls_verify_aggregates(0, rows, 4, NULL, rows, rows, 0, verdicts), NULL_POINTER,
            "offsets is NULL");
    REFUSED(halimede_bls_aggregate(HALIMEDE_BLS_GROUP_MIN_PK, rows, 4, place, 48), WRONG_LENGTH,
            "sum: got a length of 48 bytes, wanted 96");
    REFUSED(halimede_bls_aggregate(0, NULL, 0, place, 96), WRONG_LENGTH, "signatures: got none");
    REFUSED(halimede_bls_sum(NULL, HALIMEDE_BLS_CURVE_G2, rows, NULL, 0, place, 48), WRONG_LENGTH,
            "wanted 96");
    REFUSED(halimede_bls_sum(NULL, 0, rows, place, 4, place, 48), OVERLAP, "scalars and sum share");
    REFUSED(halimede_bls_hash_to_curve(NULL, 0, 0, data, 3, rows, 4, place, 47), WRONG_LENGTH,
            "points: got a length of 47 bytes");
    REFUSED(halimede_bls_hash_to_curve(NULL, 0, 0, data, 0, rows, 4, place, 48), WRONG_LENGTH,
            "domain: got no bytes");
    REFUSED(halimede_bls_eip2537(NULL, HALIMEDE_EIP2537_G1_ADD, data, 64, place, 256), WRONG_LENGTH,
            "output: got a length of 256 bytes, wanted 128");
    REFUSED(halimede_ecdsa_recover(NULL, NULL, rows, rows, 4, NULL, place, verdicts), WRONG_LENGTH,
            "number 2 of the digests: got no bytes");
    REFUSED(halimede_ecdsa_recover(NULL, NULL, rows, rows, 2, place, place + 100, verdicts),
            OVERLAP, "keys and addresses share memory");
}

static void malformed(const char *key_path)
{
    halimede_kzg_setup *const no_setup = (halimede_kzg_setup *)data;
    halimede_groth16_key *const no_key = (halimede_groth16_key *)data;
    halimede_kzg_setup *setup = no_setup;
    halimede_groth16_key *key = no_key;
    char text[] = "4096\n64\n", path[] = "/nowhere/at/all";
    REFUSED(halimede_bls_sum(NULL, 0, rows, NULL, 4, place, 48), MALFORMED,
            "points: row 0: a point of G1 has 48 bytes, not 32");
    REFUSED(halimede_bls_pairing(NULL, rows, rows, 4, place), MALFORMED, "g1: row 0: ");
    REFUSED(halimede_bls_map_to_curve(NULL, 0, rows, 4, place, 48), MALFORMED, "row 0: ");
    REFUSED(halimede_bls_eip2537(NULL, 0, NULL, 0, place, 128), MALFORMED,
            "the input has 0 bytes, not 256");
    REFUSED(halimede_kzg_setup_new((const uint8_t *)text, strlen(text), &setup), MALFORMED,
            "not a trusted setup: line 2: the number of points is \"64\", not 65");
    REFUSED(halimede_kzg_setup_new((const uint8_t *)"\xff", 1, &setup), MALFORMED, "utf-8");
    REFUSED(halimede_kzg_setup_open(path, &setup), UNREADABLE, "/nowhere/at/all: ");
    REFUSED(halimede_kzg_setup_open(key_path, &setup), MALFORMED, "not a trusted setup: ");
    REFUSED(halimede_kzg_setup_open(NULL, &setup), NULL_POINTER, "path is NULL");
    REFUSED(halimede_groth16_key_new(data, 64, &key), MALFORMED,
            "not a verifying key: the key has 64 bytes, not 868");
    REFUSED(halimede_groth16_key_open(path, &key), UNREADABLE, "/nowhere/at/all: ");
    REFUSED(halimede_groth16_key_open(key_path, NULL), NULL_POINTER,
            "the place for the key is NULL");
    CHECK(setup == no_setup && key == no_key);
    halimede_kzg_setup_free(NULL);
    halimede_groth16_key_free(NULL);
    CHECK(strcmp(halimede_status_name(14), "HALIMEDE_STATUS_UNREADABLE") == 0);
    CHECK(strcmp(halimede_verdict_name(HALIMEDE_VERDICT_ODD_Y), "odd-y") == 0);
    CHECK(strcmp(halimede_verdict_name(99), "unknown verdict") == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    fill_bytes(data, sizeof data, 21);
    pointers();
    numbers();
    lengths();
    malformed(argv[1]);
    printf("refusals\n");
    return 0;
}
