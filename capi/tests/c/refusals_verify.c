/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What Equihash, ECDSA and blocks refuse, with which status and words; nothing is written then. */
#include "check.h"

static uint8_t bytes[4096], before[4096], output[64];

/* The call has this status, says these words, and has left both arrays as they were. */
#define REFUSED(expected, words, call)                                                     \
    do {                                                                                   \
        memcpy(before, bytes, sizeof bytes);                                               \
        memset(output, 0x5a, sizeof output);                                               \
        const halimede_status status = (call);                                             \
        CHECK(status == HALIMEDE_STATUS_##expected);                                       \
        CHECK(strstr(halimede_last_error(), words) != NULL);                               \
        CHECK(memcmp(before, bytes, sizeof bytes) == 0);                                   \
        for (size_t byte = 0; byte < sizeof output; byte++)                                \
            CHECK(output[byte] == 0x5a);                                                   \
    } while (0)

static const halimede_equihash_params regtest = {.n = 48, .k = 5};

static void equihash(void)
{
    const void *const odd = (const char *)(const void *)&regtest + 1;
    const halimede_equihash_params wrong[] = {{47, 5}, {48, 2}, {48, 6}, {0, 0}, {200, 200}};
    size_t size = 0;
    for (size_t place = 0; place < sizeof wrong / sizeof wrong[0]; place++) {
        REFUSED(UNKNOWN_INSTANCE, "must be", halimede_equihash_solution_bytes(&wrong[place], &size));
        REFUSED(UNKNOWN_INSTANCE, "must be",
                halimede_equihash_verify(NULL, &wrong[place], bytes, 140, bytes, 1, output));
        REFUSED(UNKNOWN_INSTANCE, "must be",
                halimede_equihash_verify_headers(NULL, &wrong[place], bytes, 177, 1, output, NULL));
    }
    CHECK(size == 0);
    REFUSED(NULL_POINTER, "bytes is NULL", halimede_equihash_solution_bytes(NULL, NULL));
    REFUSED(MISALIGNED, "params is at 0x", halimede_equihash_solution_bytes(odd, &size));
    REFUSED(NULL_POINTER, "inputs is NULL",
            halimede_equihash_verify(NULL, &regtest, NULL, 140, bytes, 1, output));
    REFUSED(NULL_POINTER, "solutions is NULL",
            halimede_equihash_verify(NULL, &regtest, bytes, 140, NULL, 1, output));
    REFUSED(NULL_POINTER, "masks is NULL",
            halimede_equihash_verify(NULL, &regtest, bytes, 140, bytes, 1, NULL));
    REFUSED(OVERLAP, "solutions and masks share memory",
            halimede_equihash_verify(NULL, &regtest, bytes, 140, bytes + 200, 1, bytes + 235));
    REFUSED(OVERLAP, "inputs and masks share memory",
            halimede_equihash_verify(NULL, &regtest, bytes, 140, bytes + 200, 1, bytes + 139));
    REFUSED(WRONG_LENGTH, "more than memory holds",
            halimede_equihash_verify(NULL, &regtest, bytes, 1, bytes, SIZE_MAX, output));
    REFUSED(WRONG_LENGTH, "more than memory holds",
            halimede_equihash_verify(NULL, &regtest, bytes, SIZE_MAX, bytes, 2, output));
    REFUSED(WRONG_LENGTH, "headers: got 178 bytes, wanted 1 x 177",
            halimede_equihash_verify_headers(NULL, &regtest, bytes, 178, 1, output, NULL));
    REFUSED(WRONG_LENGTH, "memory",
            halimede_equihash_verify_headers(NULL, &regtest, bytes, 177, SIZE_MAX, output, NULL));
    REFUSED(MALFORMED, "number 0 of the headers: at byte 140: ",
            halimede_equihash_verify_headers(NULL, &regtest, bytes, 177, 1, output, NULL));
    REFUSED(NULL_POINTER, "headers is NULL",
            halimede_equihash_verify_headers(NULL, &regtest, NULL, 177, 1, output, NULL));
    REFUSED(OVERLAP, "masks and hashes share memory",
            halimede_equihash_verify_headers(NULL, &regtest, bytes, 177, 1, output, output));
    /* None may be NULL. */
    CHECK_OK(halimede_equihash_verify(NULL, NULL, NULL, 140, NULL, 0, NULL));
    CHECK_OK(halimede_equihash_verify_headers(NULL, NULL, NULL, 0, 0, NULL, NULL));
}

static void ecdsa(void)
{
    halimede_ecdsa_verifier *verifier = NULL;
    const halimede_ecdsa_rules formats = {.format = 3}, keys = {.cached_keys = SIZE_MAX};
    REFUSED(INVALID_ARGUMENT, "format is 3", halimede_ecdsa_verifier_new(&formats, &verifier));
    REFUSED(INVALID_ARGUMENT, "cached_keys is 18446744073709551615",
            halimede_ecdsa_verifier_new(&keys, &verifier));
    REFUSED(NULL_POINTER, "is NULL", halimede_ecdsa_verifier_new(NULL, NULL));
    CHECK(verifier == NULL);
    halimede_ecdsa_verifier_free(NULL);

    const halimede_ecdsa_row good = {bytes, 33, bytes, 32, bytes, 64};
    halimede_ecdsa_row rows[3] = {good, good, good};
    REFUSED(NULL_POINTER, "rows is NULL", halimede_ecdsa_verify(NULL, NULL, NULL, 1, output));
    REFUSED(NULL_POINTER, "verdicts is NULL", halimede_ecdsa_verify(NULL, NULL, rows, 3, NULL));
    REFUSED(MISALIGNED, "verifier is at 0x",
            halimede_ecdsa_verify(NULL, (const void *)(bytes + 1), rows, 3, output));
    REFUSED(OVERLAP, "key and verdicts share memory",
            halimede_ecdsa_verify(NULL, NULL, rows, 3, bytes + 32));
    REFUSED(WRONG_LENGTH, "more than memory holds",
            halimede_ecdsa_verify(NULL, NULL, rows, SIZE_MAX, output));
    rows[2].digest_length = 0;
    REFUSED(WRONG_LENGTH, "number 2 of the rows: digest: got no bytes",
            halimede_ecdsa_verify(NULL, NULL, rows, 3, output));
    rows[1].key = NULL;
    REFUSED(NULL_POINTER, "number 1 of the rows: key is NULL",
            halimede_ecdsa_verify(NULL, NULL, rows, 3, output));
    rows[0].signature_length = SIZE_MAX;
    REFUSED(WRONG_LENGTH, "number 0 of the rows: signature: ",
            halimede_ecdsa_verify(NULL, NULL, rows, 3, output));
    /* An empty key or signature is invalid, which is a verdict. */
    rows[0] = (halimede_ecdsa_row){NULL, 0, bytes, 1, NULL, 0};
    CHECK_OK(halimede_ecdsa_verify(NULL, NULL, rows, 1, output));
    CHECK(output[0] == HALIMEDE_VERDICT_KEY);
    CHECK_OK(halimede_ecdsa_verify(NULL, NULL, NULL, 0, NULL));
    CHECK(strcmp(halimede_verdict_name(HALIMEDE_VERDICT_HIGH_S), "high-s") == 0);
    CHECK(strcmp(halimede_verdict_name(99), "unknown verdict") == 0);
}

static void blocks(void)
{
    halimede_zcash_verdict verdict = {0};
    char *json = NULL;
    const halimede_zcash_known network = {.network = 3}, branch = {.branch = "12345678"};
    const halimede_zcash_known text = {.branch = "NU5"}, spent = {.spent_length = 1};
    REFUSED(NULL_POINTER, "block is NULL",
            halimede_zcash_verify_block(NULL, NULL, 1, NULL, &verdict, &json));
    REFUSED(NULL_POINTER, "verdict is NULL",
            halimede_zcash_verify_block(NULL, bytes, 1, NULL, NULL, &json));
    REFUSED(MALFORMED, "not a block: it is empty",
            halimede_zcash_verify_block(NULL, NULL, 0, NULL, &verdict, &json));
    REFUSED(MALFORMED, "at byte 100: ends there",
            halimede_zcash_verify_block(NULL, bytes, 100, NULL, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: network is 3, there are 0 to 2",
            halimede_zcash_verify_block(NULL, bytes, 100, &network, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: branch: there is no branch 12345678",
            halimede_zcash_verify_block(NULL, bytes, 100, &branch, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: branch: \"NU5\" is no hexadecimal",
            halimede_zcash_verify_block(NULL, bytes, 100, &text, &verdict, &json));
    REFUSED(NULL_POINTER, "known: spent is NULL",
            halimede_zcash_verify_block(NULL, bytes, 100, &spent, &verdict, &json));
    REFUSED(MISALIGNED, "known is at 0x",
            halimede_zcash_verify_block(NULL, bytes, 100, (const void *)(bytes + 1), &verdict, NULL));
    CHECK(json == NULL && verdict.verdict == 0);
    halimede_text_free(NULL);
}

/* Arrays of zeros whose calls were refused, and whose statuses nobody looked at. */
static void zeros(void)
{
    uint8_t verdicts[3] = {0}, masks[3] = {0};
    const halimede_ecdsa_row rows[3] = {{0}};
    CHECK(halimede_ecdsa_verify(NULL, NULL, rows, 3, verdicts) != HALIMEDE_STATUS_OK);
    CHECK(halimede_equihash_verify(NULL, &regtest, NULL, 140, bytes, 3, masks) !=
          HALIMEDE_STATUS_OK);
    for (size_t row = 0; row < 3; row++) {
        CHECK(verdicts[row] != HALIMEDE_VERDICT_VALID);
        CHECK(verdicts[row] != HALIMEDE_VERDICT_VALID);
        CHECK(masks[row] != HALIMEDE_EQUIHASH_CHECK_VALID);
    }
    CHECK(strcmp(halimede_verdict_name(0), "not-checked") == 0);
    CHECK(strcmp(halimede_verdict_name(0), "not-checked") == 0);
}

int main(void)
{
    fill_bytes(bytes, sizeof bytes, 1);
    /* No hexadecimal digit. */
    bytes[0] = 4;
    zeros();
    equihash();
    ecdsa();
    blocks();
    printf("refusals\n");
    return 0;
}
