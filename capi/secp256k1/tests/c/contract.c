/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * The contract of arguments: contexts, callbacks, illegal arguments, sizes, and outputs that are
 * too short. Prints "contract kept".
 */

#define _POSIX_C_SOURCE 200809L

#include "secp256k1.h"
#include "secp256k1_extrakeys.h"
#include "secp256k1_recovery.h"
#include "secp256k1_schnorrsig.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(condition)                                                    \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);           \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

static int calls;
static char last[200];
static jmp_buf jump;

static void count(const char *message, void *data) {
    calls++;
    strncpy(last, message, sizeof last - 1);
    REQUIRE(data == (void *)last);
}

static void leave(const char *message, void *data) {
    REQUIRE(message != NULL && data == NULL);
    longjmp(jump, 1);
}

/* The call must be illegal, and give 0. */
#define ILLEGAL(call)                                                         \
    do {                                                                      \
        int before = calls;                                                   \
        REQUIRE((call) == 0);                                                 \
        REQUIRE(calls == before + 1 && last[0] != '\0');                      \
    } while (0)

/* The generator of the group. */
static const unsigned char generator[33] = {
    0x02, 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b,
    0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17,
    0x98};

static void keys(const secp256k1_context *ctx) {
    unsigned char bytes[65];
    secp256k1_pubkey key, none;
    secp256k1_xonly_pubkey only, no_only;
    size_t length = sizeof bytes;
    int parity = -1;
    memset(&none, 0, sizeof none);
    memset(&no_only, 0, sizeof no_only);
    ILLEGAL(secp256k1_ec_pubkey_parse(ctx, NULL, generator, 33));
    ILLEGAL(secp256k1_ec_pubkey_parse(ctx, &key, NULL, 33));
    ILLEGAL(secp256k1_ec_pubkey_parse(ctx, &key, NULL, 0));
    REQUIRE(secp256k1_ec_pubkey_parse(ctx, &key, generator, 32) == 0);
    REQUIRE(secp256k1_ec_pubkey_parse(ctx, &key, generator, 0) == 0);
    REQUIRE(memcmp(&key, &none, sizeof key) == 0);
    REQUIRE(secp256k1_ec_pubkey_parse(ctx, &key, generator, 33) == 1);
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, NULL, &length, &key, SECP256K1_EC_COMPRESSED));
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, NULL, &key, SECP256K1_EC_COMPRESSED));
    length = 65;
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, NULL, SECP256K1_EC_COMPRESSED));
    length = 65;
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &none, SECP256K1_EC_COMPRESSED));
    length = 65;
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key, SECP256K1_CONTEXT_NONE));
    length = 32;
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key, SECP256K1_EC_COMPRESSED));
    length = 64;
    ILLEGAL(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key, SECP256K1_EC_UNCOMPRESSED));
    length = 33;
    REQUIRE(secp256k1_ec_pubkey_serialize(ctx, bytes, &length, &key, SECP256K1_EC_COMPRESSED) == 1);
    REQUIRE(length == 33 && memcmp(bytes, generator, 33) == 0);
    ILLEGAL(secp256k1_ec_pubkey_cmp(ctx, &none, &key) > 0);
    ILLEGAL(secp256k1_ec_pubkey_cmp(ctx, &key, NULL) < 0);
    REQUIRE(secp256k1_ec_pubkey_cmp(ctx, &key, &key) == 0);

    ILLEGAL(secp256k1_xonly_pubkey_parse(ctx, NULL, generator + 1));
    ILLEGAL(secp256k1_xonly_pubkey_parse(ctx, &only, NULL));
    REQUIRE(secp256k1_xonly_pubkey_parse(ctx, &only, generator + 1) == 1);
    ILLEGAL(secp256k1_xonly_pubkey_serialize(ctx, NULL, &only));
    ILLEGAL(secp256k1_xonly_pubkey_serialize(ctx, bytes, NULL));
    ILLEGAL(secp256k1_xonly_pubkey_serialize(ctx, bytes, &no_only));
    ILLEGAL(secp256k1_xonly_pubkey_cmp(ctx, &no_only, &only) > 0);
    ILLEGAL(secp256k1_xonly_pubkey_cmp(ctx, &only, &no_only) < 0);
    ILLEGAL(secp256k1_xonly_pubkey_from_pubkey(ctx, NULL, &parity, &key));
    ILLEGAL(secp256k1_xonly_pubkey_from_pubkey(ctx, &only, &parity, NULL));
    ILLEGAL(secp256k1_xonly_pubkey_from_pubkey(ctx, &only, &parity, &none));
    REQUIRE(secp256k1_xonly_pubkey_from_pubkey(ctx, &only, NULL, &key) == 1);
}

static void signatures(const secp256k1_context *ctx, const secp256k1_pubkey *key) {
    unsigned char compact[64], bytes[72];
    secp256k1_ecdsa_signature sig, copy;
    secp256k1_ecdsa_recoverable_signature recoverable;
    secp256k1_pubkey recovered, none;
    size_t length = 7;
    int id;
    memset(&none, 0, sizeof none);
    memset(compact, 0, sizeof compact);
    compact[31] = compact[63] = 1;
    ILLEGAL(secp256k1_ecdsa_signature_parse_compact(ctx, NULL, compact));
    ILLEGAL(secp256k1_ecdsa_signature_parse_compact(ctx, &sig, NULL));
    ILLEGAL(secp256k1_ecdsa_signature_parse_der(ctx, NULL, compact, 64));
    ILLEGAL(secp256k1_ecdsa_signature_parse_der(ctx, &sig, NULL, 0));
    REQUIRE(secp256k1_ecdsa_signature_parse_der(ctx, &sig, compact, 0) == 0);
    REQUIRE(secp256k1_ecdsa_signature_parse_compact(ctx, &sig, compact) == 1);
    ILLEGAL(secp256k1_ecdsa_signature_serialize_compact(ctx, NULL, &sig));
    ILLEGAL(secp256k1_ecdsa_signature_serialize_compact(ctx, bytes, NULL));
    ILLEGAL(secp256k1_ecdsa_signature_serialize_der(ctx, NULL, &length, &sig));
    ILLEGAL(secp256k1_ecdsa_signature_serialize_der(ctx, bytes, NULL, &sig));
    ILLEGAL(secp256k1_ecdsa_signature_serialize_der(ctx, bytes, &length, NULL));
    memset(bytes, 0x55, sizeof bytes);
    REQUIRE(secp256k1_ecdsa_signature_serialize_der(ctx, bytes, &length, &sig) == 0);
    REQUIRE(length == 8 && bytes[0] == 0x55);
    REQUIRE(secp256k1_ecdsa_signature_serialize_der(ctx, bytes, &length, &sig) == 1);
    REQUIRE(length == 8 && bytes[0] == 0x30 && bytes[8] == 0x55);
    ILLEGAL(secp256k1_ecdsa_signature_normalize(ctx, &copy, NULL));
    REQUIRE(secp256k1_ecdsa_signature_normalize(ctx, NULL, &sig) == 0);
    ILLEGAL(secp256k1_ecdsa_verify(ctx, NULL, compact, key));
    ILLEGAL(secp256k1_ecdsa_verify(ctx, &sig, NULL, key));
    ILLEGAL(secp256k1_ecdsa_verify(ctx, &sig, compact, NULL));
    ILLEGAL(secp256k1_ecdsa_verify(ctx, &sig, compact, &none));

    ILLEGAL(secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, NULL, compact, 0));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, &recoverable, NULL, 0));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, &recoverable, compact, -1));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, &recoverable, compact, 4));
    REQUIRE(
        secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, &recoverable, compact, 3) == 1);
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_serialize_compact(ctx, NULL, &id, &recoverable));
    ILLEGAL(
        secp256k1_ecdsa_recoverable_signature_serialize_compact(ctx, bytes, NULL, &recoverable));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_serialize_compact(ctx, bytes, &id, NULL));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_convert(ctx, NULL, &recoverable));
    ILLEGAL(secp256k1_ecdsa_recoverable_signature_convert(ctx, &sig, NULL));
    ILLEGAL(secp256k1_ecdsa_recover(ctx, NULL, &recoverable, compact));
    ILLEGAL(secp256k1_ecdsa_recover(ctx, &recovered, NULL, compact));
    ILLEGAL(secp256k1_ecdsa_recover(ctx, &recovered, &recoverable, NULL));
}

static void messages(const secp256k1_context *ctx, const secp256k1_pubkey *key) {
    unsigned char bytes[64] = {0};
    secp256k1_xonly_pubkey only, none;
    memset(&none, 0, sizeof none);
    REQUIRE(secp256k1_xonly_pubkey_from_pubkey(ctx, &only, NULL, key) == 1);
    ILLEGAL(secp256k1_schnorrsig_verify(ctx, NULL, bytes, 32, &only));
    ILLEGAL(secp256k1_schnorrsig_verify(ctx, bytes, NULL, 32, &only));
    ILLEGAL(secp256k1_schnorrsig_verify(ctx, bytes, bytes, 32, NULL));
    ILLEGAL(secp256k1_schnorrsig_verify(ctx, bytes, bytes, 32, &none));
    REQUIRE(secp256k1_schnorrsig_verify(ctx, bytes, NULL, 0, &only) == 0);
    ILLEGAL(secp256k1_tagged_sha256(ctx, NULL, bytes, 1, bytes, 1));
    ILLEGAL(secp256k1_tagged_sha256(ctx, bytes, NULL, 0, bytes, 1));
    ILLEGAL(secp256k1_tagged_sha256(ctx, bytes, bytes, 1, NULL, 0));
}

static void arrays(const secp256k1_context *ctx, const secp256k1_pubkey *key) {
    static const unsigned char bytes[128] = {0};
    const unsigned char *texts[2];
    const size_t lengths[2] = {1, 0};
    secp256k1_ecdsa_signature sigs[2];
    secp256k1_ecdsa_recoverable_signature recoverable[2];
    secp256k1_pubkey pair[2], out[2];
    secp256k1_xonly_pubkey only[2];
    int results[2] = {5, 5};
    texts[0] = bytes;
    texts[1] = NULL;
    memset(sigs, 0, sizeof sigs);
    memset(recoverable, 0, sizeof recoverable);
    memset(pair, 0, sizeof pair);
    pair[0] = *key;
    REQUIRE(secp256k1_xonly_pubkey_from_pubkey(ctx, &only[0], NULL, key) == 1);
    only[1] = only[0];
    REQUIRE(secp256k1_ecdsa_verify_many(ctx, NULL, NULL, NULL, NULL, 0) == 1);
    REQUIRE(secp256k1_schnorrsig_verify_many(ctx, NULL, NULL, NULL, NULL, NULL, 0) == 1);
    REQUIRE(secp256k1_ecdsa_recover_many(ctx, NULL, NULL, NULL, NULL, 0) == 1);
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, NULL, sigs, bytes, pair, 2));
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, results, NULL, bytes, pair, 2));
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, results, sigs, NULL, pair, 2));
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, results, sigs, bytes, NULL, 2));
    results[0] = results[1] = 5;
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, results, sigs, bytes, pair, 2));
    REQUIRE(results[0] == 0 && results[1] == 0);
    ILLEGAL(secp256k1_ecdsa_verify_many(ctx, results, sigs, bytes, pair, (size_t)-1));
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, NULL, bytes, texts, lengths, only, 2));
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, results, NULL, texts, lengths, only, 2));
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, results, bytes, NULL, lengths, only, 2));
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, results, bytes, texts, NULL, only, 2));
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, results, bytes, texts, lengths, NULL, 2));
    REQUIRE(secp256k1_schnorrsig_verify_many(ctx, results, bytes, texts, lengths, only, 2) == 0);
    texts[0] = NULL;
    ILLEGAL(secp256k1_schnorrsig_verify_many(ctx, results, bytes, texts, lengths, only, 2));
    ILLEGAL(secp256k1_ecdsa_recover_many(ctx, NULL, out, recoverable, bytes, 2));
    ILLEGAL(secp256k1_ecdsa_recover_many(ctx, results, NULL, recoverable, bytes, 2));
    ILLEGAL(secp256k1_ecdsa_recover_many(ctx, results, out, NULL, bytes, 2));
    ILLEGAL(secp256k1_ecdsa_recover_many(ctx, results, out, recoverable, NULL, 2));
    REQUIRE(secp256k1_ecdsa_recover_many(ctx, results, out, recoverable, bytes, 2) == 0);
    REQUIRE(results[0] == 0 && results[1] == 0);
}

/* The default callback must abort. */
static void aborts(int what) {
    int status;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        secp256k1_context *ctx = NULL;
        secp256k1_pubkey key;
        REQUIRE(freopen("/dev/null", "w", stderr) != NULL);
        if (what == 0) {
            ctx = secp256k1_context_create(SECP256K1_EC_COMPRESSED);
        } else if (what == 1) {
            secp256k1_context_destroy((secp256k1_context *)secp256k1_context_static);
        } else {
            const secp256k1_context *used = what == 2 ? NULL : secp256k1_context_static;
            _exit(secp256k1_ec_pubkey_parse(used, &key, NULL, 1));
        }
        _exit(ctx != NULL);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void) {
    secp256k1_context *ctx = secp256k1_context_create(SECP256K1_CONTEXT_NONE), *copy;
    secp256k1_pubkey key;
    int what;
    REQUIRE(sizeof(secp256k1_pubkey) == 64 && sizeof(secp256k1_xonly_pubkey) == 64);
    REQUIRE(sizeof(secp256k1_ecdsa_signature) == 64);
    REQUIRE(sizeof(secp256k1_ecdsa_recoverable_signature) == 65);
    REQUIRE(ctx != NULL);
    secp256k1_selftest();
    copy = secp256k1_context_create(SECP256K1_CONTEXT_VERIFY | SECP256K1_CONTEXT_SIGN);
    REQUIRE(copy != NULL && secp256k1_context_randomize(copy, NULL) == 1);
    secp256k1_context_destroy(copy);
    REQUIRE(secp256k1_ec_pubkey_parse(secp256k1_context_static, &key, generator, 33) == 1);
    for (what = 0; what < 4; what++) {
        aborts(what);
    }
    secp256k1_context_set_illegal_callback(ctx, count, last);
    secp256k1_context_set_error_callback(ctx, count, last);
    /* A clone has the callbacks. */
    copy = secp256k1_context_clone(ctx);
    REQUIRE(copy != NULL);
    secp256k1_context_destroy(ctx);
    keys(copy);
    signatures(copy, &key);
    messages(copy, &key);
    arrays(copy, &key);
    secp256k1_context_set_illegal_callback(copy, leave, NULL);
    if (setjmp(jump) == 0) {
        (void)!secp256k1_ec_pubkey_parse(copy, NULL, generator, 33);
        REQUIRE(0);
    }
    secp256k1_context_set_illegal_callback(copy, NULL, NULL);
    secp256k1_context_set_error_callback(copy, NULL, NULL);
    secp256k1_context_destroy(copy);
    secp256k1_context_destroy(NULL);
    puts("contract kept");
    return 0;
}
