/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Refused calls of Equihash, ECDSA and blocks: their statuses and messages. They write nothing. */
#include "check.h"

static uint8_t bytes[4096], before[4096], output[64];

/* Checks that a call has this status and message, and did not change the arrays. */
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

static const halimede_setting regtest[] = {{"n", "48"}, {"k", "5"}};

static void equihash(void)
{
    static const char *const wrong[][2] = {
        {"47", "5"}, {"48", "2"}, {"48", "6"}, {"0", "0"}, {"200", "200"}, {"48", "five"}};
    const halimede_bytes header = {bytes, 140}, solution = {bytes + 200, 36};
    for (size_t place = 0; place < sizeof wrong / sizeof wrong[0]; place++) {
        const halimede_setting settings[] = {{"n", wrong[place][0]}, {"k", wrong[place][1]}};
        REFUSED(INVALID_ARGUMENT, "",
                halimede_equihash_verify(NULL, settings, 2, &header, &solution, 1, output));
    }
    REFUSED(NULL_POINTER, "headers is NULL",
            halimede_equihash_verify(NULL, regtest, 2, NULL, &solution, 1, output));
    REFUSED(NULL_POINTER, "solutions is NULL",
            halimede_equihash_verify(NULL, regtest, 2, &header, NULL, 1, output));
    REFUSED(NULL_POINTER, "verdicts is NULL",
            halimede_equihash_verify(NULL, regtest, 2, &header, &solution, 1, NULL));
    REFUSED(OVERLAP, "share memory",
            halimede_equihash_verify(NULL, regtest, 2, &header, &solution, 1, bytes + 235));
    REFUSED(OVERLAP, "share memory",
            halimede_equihash_verify(NULL, regtest, 2, &header, &solution, 1, bytes + 139));
    REFUSED(WRONG_LENGTH, "do not fit into memory",
            halimede_equihash_verify(NULL, regtest, 2, &header, &solution, SIZE_MAX, output));
    /* Empty arrays may be NULL; a header or a solution of a wrong length is a malformed item. */
    CHECK_OK(halimede_equihash_verify(NULL, NULL, 0, NULL, NULL, 0, NULL));
    CHECK_OK(halimede_equihash_verify(NULL, NULL, 0, &header, &solution, 1, output));
    CHECK(output[0] == HALIMEDE_VERDICT_MALFORMED);
    CHECK_OK(halimede_equihash_verify(NULL, regtest, 2, &solution, &solution, 1, output));
    CHECK(output[0] == HALIMEDE_VERDICT_MALFORMED);
}

static void headers(void)
{
    enum { REGTEST = HALIMEDE_ZCASH_NETWORK_REGTEST };
    REFUSED(INVALID_ARGUMENT, "network is 3, expected 0 to 2",
            halimede_zcash_verify_headers(NULL, 3, bytes, 177, 1, output, NULL));
    REFUSED(WRONG_LENGTH, "headers: expected 1 x 177 bytes, got 178",
            halimede_zcash_verify_headers(NULL, REGTEST, bytes, 178, 1, output, NULL));
    REFUSED(WRONG_LENGTH, "memory",
            halimede_zcash_verify_headers(NULL, REGTEST, bytes, 177, SIZE_MAX, output, NULL));
    REFUSED(MALFORMED, "number 0 of the headers: at byte 140: ",
            halimede_zcash_verify_headers(NULL, REGTEST, bytes, 177, 1, output, NULL));
    REFUSED(NULL_POINTER, "headers is NULL",
            halimede_zcash_verify_headers(NULL, REGTEST, NULL, 177, 1, output, NULL));
    REFUSED(OVERLAP, "headers and verdicts share memory",
            halimede_zcash_verify_headers(NULL, REGTEST, bytes, 177, 1, bytes + 176, NULL));
    REFUSED(OVERLAP, "verdicts and hashes share memory",
            halimede_zcash_verify_headers(NULL, REGTEST, bytes, 177, 1, output, output));
    CHECK_OK(halimede_zcash_verify_headers(NULL, REGTEST, NULL, 0, 0, NULL, NULL));
}

static void ecdsa(void)
{
    halimede_ecdsa_verifier *verifier = NULL;
    const halimede_setting format[] = {{"format", "pem"}}, other[] = {{"group", "g1"}};
    const halimede_setting hash[] = {{"hash", "sha256"}, {"low-s", "true"}};
    REFUSED(INVALID_ARGUMENT, "`format`: one of der,",
            halimede_ecdsa_verifier_new(format, 1, 0, &verifier));
    REFUSED(INVALID_ARGUMENT, "unknown setting \"group\"",
            halimede_ecdsa_verifier_new(other, 1, 0, &verifier));
    REFUSED(INVALID_ARGUMENT, "cached_keys is 18446744073709551615",
            halimede_ecdsa_verifier_new(NULL, 0, SIZE_MAX, &verifier));
    REFUSED(NULL_POINTER, "is NULL", halimede_ecdsa_verifier_new(NULL, 0, 0, NULL));
    CHECK(verifier == NULL);
    halimede_ecdsa_verifier_free(NULL);

    const halimede_bytes key = {bytes, 33}, digest = {bytes, 32}, signature = {bytes, 64};
    halimede_bytes keys[3] = {key, key, key}, digests[3] = {digest, digest, digest};
    halimede_bytes signatures[3] = {signature, signature, signature};
    REFUSED(NULL_POINTER, "keys is NULL",
            halimede_ecdsa_verify(NULL, NULL, NULL, digests, signatures, 1, output));
    REFUSED(NULL_POINTER, "digests is NULL",
            halimede_ecdsa_verify(NULL, NULL, keys, NULL, signatures, 1, output));
    REFUSED(NULL_POINTER, "signatures is NULL",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, NULL, 1, output));
    REFUSED(NULL_POINTER, "verdicts is NULL",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 3, NULL));
    REFUSED(MISALIGNED, "verifier is at 0x",
            halimede_ecdsa_verify(NULL, (const void *)(bytes + 1), keys, digests, signatures, 3,
                                  output));
    REFUSED(OVERLAP, "share memory",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 3, bytes + 32));
    REFUSED(WRONG_LENGTH, "do not fit into memory",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, SIZE_MAX, output));
    digests[2].length = 0;
    REFUSED(WRONG_LENGTH, "number 2 of the digests: got 0 bytes, wanted a digest of 32",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 3, output));
    signatures[0].length = SIZE_MAX;
    REFUSED(WRONG_LENGTH, "number 0 of the signatures: ",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 3, output));
    keys[1].data = NULL;
    REFUSED(NULL_POINTER, "number 1 of the keys: data is NULL",
            halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 3, output));
    /* An empty key or signature is invalid, which is a verdict; an empty message has a digest. */
    keys[0] = signatures[0] = (halimede_bytes){NULL, 0};
    CHECK_OK(halimede_ecdsa_verify(NULL, NULL, keys, digests, signatures, 1, output));
    CHECK(output[0] == HALIMEDE_VERDICT_KEY);
    CHECK_OK(halimede_ecdsa_verifier_new(hash, 2, 9, &verifier));
    CHECK_OK(halimede_ecdsa_verify(NULL, verifier, keys, &digests[2], signatures, 1, output));
    CHECK(output[0] == HALIMEDE_VERDICT_KEY);
    halimede_ecdsa_verifier_free(verifier);
    CHECK_OK(halimede_ecdsa_verify(NULL, NULL, NULL, NULL, NULL, 0, NULL));
    CHECK(strcmp(halimede_verdict_name(HALIMEDE_VERDICT_HIGH_S), "high-s") == 0);
    CHECK(strcmp(halimede_verdict_name(99), "unknown verdict") == 0);
}

static void blocks(void)
{
    halimede_zcash_verdict verdict = {0};
    char *json = NULL;
    const halimede_zcash_known network = {.network = 3}, branch = {.branch = "12345678"};
    const halimede_zcash_known text = {.branch = "NU5"}, spent = {.spent_length = 1};
    const halimede_zcash_known root = {.history_root = "12"}, state = {.state_length = 1};
    REFUSED(NULL_POINTER, "block is NULL",
            halimede_zcash_verify_block(NULL, NULL, 1, NULL, &verdict, &json));
    REFUSED(NULL_POINTER, "verdict is NULL",
            halimede_zcash_verify_block(NULL, bytes, 1, NULL, NULL, &json));
    REFUSED(MALFORMED, "not a block: it is empty",
            halimede_zcash_verify_block(NULL, NULL, 0, NULL, &verdict, &json));
    REFUSED(MALFORMED, "at byte 100: unexpected end",
            halimede_zcash_verify_block(NULL, bytes, 100, NULL, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: network is 3, expected 0 to 2",
            halimede_zcash_verify_block(NULL, bytes, 100, &network, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: branch: unknown branch 12345678",
            halimede_zcash_verify_block(NULL, bytes, 100, &branch, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: branch: \"NU5\" is not a hexadecimal",
            halimede_zcash_verify_block(NULL, bytes, 100, &text, &verdict, &json));
    REFUSED(INVALID_ARGUMENT, "known: history_root: \"12\" is not a hash",
            halimede_zcash_verify_block(NULL, bytes, 100, &root, &verdict, &json));
    REFUSED(NULL_POINTER, "known: spent is NULL",
            halimede_zcash_verify_block(NULL, bytes, 100, &spent, &verdict, &json));
    REFUSED(NULL_POINTER, "known: state is NULL",
            halimede_zcash_verify_block(NULL, bytes, 100, &state, &verdict, &json));
    REFUSED(MISALIGNED, "known is at 0x",
            halimede_zcash_verify_block(NULL, bytes, 100, (const void *)(bytes + 1), &verdict, NULL));
    CHECK(json == NULL && verdict.verdict == 0);
    const size_t lengths[] = {0, 100}, huge[] = {SIZE_MAX, 2};
    halimede_zcash_verdict verdicts[2] = {{0}};
    REFUSED(MALFORMED, "number 0 of the blocks: not a block: it is empty",
            halimede_zcash_verify_blocks(NULL, bytes, lengths, 2, NULL, verdicts));
    REFUSED(MALFORMED, "number 0 of the blocks: not a block: at byte 100: unexpected end",
            halimede_zcash_verify_blocks(NULL, bytes, lengths + 1, 1, NULL, verdicts));
    REFUSED(WRONG_LENGTH, "lengths: the sum exceeds the address space",
            halimede_zcash_verify_blocks(NULL, bytes, huge, 2, NULL, verdicts));
    REFUSED(NULL_POINTER, "lengths is NULL",
            halimede_zcash_verify_blocks(NULL, bytes, NULL, 2, NULL, verdicts));
    REFUSED(NULL_POINTER, "blocks is NULL",
            halimede_zcash_verify_blocks(NULL, NULL, lengths, 2, NULL, verdicts));
    REFUSED(NULL_POINTER, "verdicts is NULL",
            halimede_zcash_verify_blocks(NULL, bytes, lengths, 2, NULL, NULL));
    REFUSED(INVALID_ARGUMENT, "number 0 of the blocks: known: network is 3",
            halimede_zcash_verify_blocks(NULL, bytes, lengths + 1, 1, &network, verdicts));
    CHECK(verdicts[0].verdict == 0 && verdicts[1].verdict == 0);
    CHECK_OK(halimede_zcash_verify_blocks(NULL, NULL, NULL, 0, NULL, NULL));
    halimede_text_free(NULL);
}

/* An array of zeros does not read as valid verdicts after refused calls with ignored statuses. */
static void zeros(void)
{
    uint8_t verdicts[3] = {0}, of_solutions[3] = {0};
    const halimede_bytes rows[3] = {{0}};
    CHECK(halimede_ecdsa_verify(NULL, NULL, rows, rows, rows, 3, verdicts) != HALIMEDE_STATUS_OK);
    CHECK(halimede_equihash_verify(NULL, regtest, 2, NULL, rows, 3, of_solutions) !=
          HALIMEDE_STATUS_OK);
    for (size_t row = 0; row < 3; row++) {
        CHECK(verdicts[row] != HALIMEDE_VERDICT_VALID);
        CHECK(of_solutions[row] != HALIMEDE_VERDICT_VALID);
    }
    CHECK(strcmp(halimede_verdict_name(0), "not-checked") == 0);
}

int main(void)
{
    fill_bytes(bytes, sizeof bytes, 1);
    /* Not a hexadecimal digit. */
    bytes[0] = 4;
    zeros();
    equihash();
    headers();
    ecdsa();
    blocks();
    printf("refusals\n");
    return 0;
}
