/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Refused calls of the functions of operations: their statuses and messages. They write nothing. */
#include "check.h"

static uint8_t data[64], verdicts[4], place[576];
static const halimede_bytes rows[4] = {{data, 32}, {data, 32}, {data, 0}, {data, 64}};

/* Checks the status of a call, a part of its message, and that it wrote nothing. */
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

/* Each row of a column is checked. */
static void pointers(void)
{
    const halimede_bytes *const odd = (const halimede_bytes *)(const void *)(data + 1);
    halimede_bytes bad[4];
    memcpy(bad, rows, sizeof bad);
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, NULL, rows, rows, 4, verdicts), NULL_POINTER,
            "keys is NULL");
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, rows, rows, rows, 4, NULL), NULL_POINTER,
            "verdicts is");
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, rows, odd, rows, 4, verdicts), MISALIGNED,
            "messages is at");
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, rows, rows, rows, SIZE_MAX, verdicts),
            WRONG_LENGTH, "do not fit into memory");
    bad[3].data = NULL;
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, rows, bad, rows, 4, verdicts), NULL_POINTER,
            "number 3 of the messages: data is NULL");
    bad[3] = (halimede_bytes){data, SIZE_MAX};
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, rows, rows, bad, 4, verdicts), WRONG_LENGTH,
            "number 3 of the signatures: ");
    bad[3] = (halimede_bytes){verdicts, 1};
    REFUSED(halimede_secp256k1_verify_schnorr(NULL, bad, rows, rows, 4, verdicts), OVERLAP,
            "number 3 of the keys: data and verdicts share memory");
    REFUSED(halimede_kzg_verify_proof(NULL, NULL, rows, rows, rows, rows, 4, verdicts),
            NULL_POINTER, "setup is NULL");
    REFUSED(halimede_object_number(NULL, "inputs", NULL), NULL_POINTER, "object is NULL");
    REFUSED(halimede_secp256k1_recover(NULL, NULL, 0, rows, rows, 4, NULL, 64, verdicts),
            NULL_POINTER, "values is NULL");
    REFUSED(halimede_secp256k1_recover(NULL, NULL, 0, rows, rows, 4, place, 64, place + 200),
            OVERLAP, "values and verdicts share memory");
}

static void settings(void)
{
    const halimede_setting no_name = {NULL, "pop"}, no_value = {"scheme", NULL};
    const halimede_setting unknown = {"color", "red"}, wrong = {"scheme", "best"};
    const halimede_setting twice[] = {{"scheme", "pop"}, {"scheme", "pop"}};
    REFUSED(halimede_bls12_381_verify_signature(NULL, NULL, 1, rows, rows, rows, 4, verdicts),
            NULL_POINTER, "settings is NULL");
    REFUSED(halimede_bls12_381_verify_signature(NULL, &no_name, 1, rows, rows, rows, 4, verdicts),
            NULL_POINTER, "name of a setting is NULL");
    REFUSED(halimede_bls12_381_verify_signature(NULL, &no_value, 1, rows, rows, rows, 4, verdicts),
            NULL_POINTER, "value is NULL");
    REFUSED(halimede_bls12_381_verify_signature(NULL, &unknown, 1, rows, rows, rows, 4, verdicts),
            INVALID_ARGUMENT, "unknown setting \"color\"; there are: group, scheme");
    REFUSED(halimede_bls12_381_verify_signature(NULL, &wrong, 1, rows, rows, rows, 4, verdicts),
            INVALID_ARGUMENT, "`scheme`: one of basic, aug, pop is expected");
    REFUSED(halimede_bls12_381_verify_signature(NULL, twice, 2, rows, rows, rows, 4, verdicts),
            INVALID_ARGUMENT, "`scheme`: given more than once");
    REFUSED(halimede_bls12_381_hash_to_curve(NULL, NULL, 0, rows, 4, place, 48, verdicts),
            INVALID_ARGUMENT, "`domain` is missing");
}

static void lengths(void)
{
    const uint64_t descending[] = {0, 3, 2}, late[] = {1, 2, 2};
    REFUSED(halimede_bls12_381_verify_aggregate(NULL, NULL, 0, descending, rows, rows, rows, 2,
                                                verdicts),
            WRONG_LENGTH, "keys_offsets: number 2 is 2, less than the previous 3");
    REFUSED(halimede_bls12_381_verify_aggregate(NULL, NULL, 0, late, rows, rows, rows, 2, verdicts),
            WRONG_LENGTH, "keys_offsets: the first is 1, expected 0");
    REFUSED(halimede_bls12_381_verify_aggregate(NULL, NULL, 0, NULL, rows, rows, rows, 0, verdicts),
            NULL_POINTER, "keys_offsets is NULL");
    REFUSED(halimede_secp256k1_recover(NULL, NULL, 0, rows, rows, 4, place, 20, verdicts),
            WRONG_LENGTH, "value_bytes is 20, expected 64");
}

/* Malformed items get a verdict, and their values are zeros. */
static void bad_items(void)
{
    static const uint8_t none[4 * 64];
    uint8_t found[4], values[4 * 64 + 1];
    const uint64_t offsets[] = {0, 1, 1};
    memset(values, 0x5a, sizeof values);
    CHECK_OK(halimede_secp256k1_recover(NULL, NULL, 0, rows, rows, 4, values, 64, found));
    CHECK(memcmp(values, none, sizeof none) == 0 && values[sizeof none] == 0x5a);
    CHECK(found[0] == HALIMEDE_VERDICT_SIGNATURE && found[2] == HALIMEDE_VERDICT_SIGNATURE);
    CHECK_OK(halimede_secp256k1_verify_schnorr(NULL, rows, rows, rows, 4, found));
    CHECK(found[0] == HALIMEDE_VERDICT_SIGNATURE && found[2] == HALIMEDE_VERDICT_KEY);
    CHECK_OK(halimede_bls12_381_verify_aggregate(NULL, NULL, 0, offsets, rows, rows, rows, 2, found));
    CHECK(found[0] == HALIMEDE_VERDICT_KEY && found[1] == HALIMEDE_VERDICT_KEYS);
    CHECK_OK(halimede_secp256k1_verify_schnorr(NULL, NULL, NULL, NULL, 0, NULL));
}

static void objects(const char *key_path)
{
    halimede_object *const untouched = (halimede_object *)data;
    halimede_object *object = untouched;
    char text[] = "4096\n64\n", path[] = "/nowhere/at/all";
    REFUSED(halimede_object_new("kzg-setup", (const uint8_t *)text, strlen(text), &object),
            MALFORMED, "not a kzg-setup: line 2: the number of points is \"64\", not 65");
    REFUSED(halimede_object_new("kzg-setup", (const uint8_t *)"\xff", 1, &object), MALFORMED,
            "utf-8");
    REFUSED(halimede_object_new("groth16-key", data, 64, &object), MALFORMED,
            "not a groth16-key: the key has 64 bytes, not 868");
    REFUSED(halimede_object_new("key", data, 64, &object), INVALID_ARGUMENT,
            "kind is \"key\", expected one of groth16-key, kzg-setup");
    REFUSED(halimede_object_new(NULL, data, 64, &object), NULL_POINTER, "kind is NULL");
    REFUSED(halimede_object_open("kzg-setup", path, &object), UNREADABLE, "/nowhere/at/all: ");
    REFUSED(halimede_object_open("kzg-setup", key_path, &object), MALFORMED, "not a kzg-setup: ");
    REFUSED(halimede_object_open("kzg-setup", NULL, &object), NULL_POINTER, "path is NULL");
    REFUSED(halimede_object_open("groth16-key", key_path, NULL), NULL_POINTER,
            "the place for the object is NULL");
    CHECK(object == untouched);
    CHECK_OK(halimede_object_open("groth16-key", key_path, &object));
    uint64_t inputs = 7;
    REFUSED(halimede_object_number(object, "outputs", &inputs), INVALID_ARGUMENT,
            "a groth16-key has no number \"outputs\"");
    CHECK(inputs == 7);
    CHECK_OK(halimede_object_number(object, "inputs", &inputs));
    CHECK(inputs == 0);
    REFUSED(halimede_kzg_verify_proof(NULL, object, rows, rows, rows, rows, 4, verdicts),
            INVALID_ARGUMENT, "setup is a groth16-key, expected a kzg-setup");
    halimede_object_free(object);
    halimede_object_free(NULL);
    CHECK(strcmp(halimede_status_name(14), "HALIMEDE_STATUS_UNREADABLE") == 0);
    CHECK(strcmp(halimede_verdict_name(HALIMEDE_VERDICT_ODD_Y), "odd-y") == 0);
    CHECK(strcmp(halimede_verdict_name(99), "unknown verdict") == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    fill_bytes(data, sizeof data, 21);
    pointers();
    settings();
    lengths();
    bad_items();
    objects(argv[1]);
    printf("refusals\n");
    return 0;
}
