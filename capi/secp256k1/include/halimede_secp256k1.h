/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Verification of ECDSA and Schnorr signatures over secp256k1, computed by Halimede, with the
 * names, types and results of the interface of libsecp256k1. A program that verifies with that
 * library links libhalimede_secp256k1 instead. The library does not sign, and does not tweak or
 * combine keys. The functions that end in _many are its own.
 *
 * Serialized numbers are big-endian. All data are public: the time depends on them.
 *
 * A pointer is NULL only where a comment says so. Another NULL pointer, and every other condition
 * that a comment calls illegal, calls the context's callback for illegal arguments; if the callback
 * returns, the function returns 0, and outputs are undefined. The default callback writes a message
 * to standard error and aborts.
 *
 * Functions that take a const context may run in several threads with the same one; a callback must
 * allow that. A callback may leave with longjmp, but may not throw.
 *
 * The functions that end in _many share the work among the threads of a pool, as many as there are
 * processors or as RAYON_NUM_THREADS says. After a fork, the child may not call them.
 */

#ifndef HALIMEDE_SECP256K1_H
#define HALIMEDE_SECP256K1_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SECP256K1_API
#define SECP256K1_API extern
#endif
#if defined(__GNUC__)
#define SECP256K1_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#else
#define SECP256K1_WARN_UNUSED_RESULT
#endif

/** The flag of secp256k1_context_create; the two others mean the same. */
#define SECP256K1_CONTEXT_NONE 0x001
#define SECP256K1_CONTEXT_VERIFY 0x101
#define SECP256K1_CONTEXT_SIGN 0x201

/** The flags of secp256k1_ec_pubkey_serialize. */
#define SECP256K1_EC_COMPRESSED 0x102
#define SECP256K1_EC_UNCOMPRESSED 0x002

/** The first bytes of serialized keys. */
#define SECP256K1_TAG_PUBKEY_EVEN 0x02
#define SECP256K1_TAG_PUBKEY_ODD 0x03
#define SECP256K1_TAG_PUBKEY_UNCOMPRESSED 0x04
#define SECP256K1_TAG_PUBKEY_HYBRID_EVEN 0x06
#define SECP256K1_TAG_PUBKEY_HYBRID_ODD 0x07

/** Holds callbacks. */
typedef struct secp256k1_context_struct secp256k1_context;

/** A parsed public key; its bytes are those of this library. An object of zeros is illegal. */
typedef struct secp256k1_pubkey {
    unsigned char data[64];
} secp256k1_pubkey;

/** A parsed public key of BIP 340. An object of zeros is illegal. */
typedef struct secp256k1_xonly_pubkey {
    unsigned char data[64];
} secp256k1_xonly_pubkey;

/** A parsed ECDSA signature. */
typedef struct secp256k1_ecdsa_signature {
    unsigned char data[64];
} secp256k1_ecdsa_signature;

/** A parsed ECDSA signature with its recovery id. */
typedef struct secp256k1_ecdsa_recoverable_signature {
    unsigned char data[65];
} secp256k1_ecdsa_recoverable_signature;

/* Contexts */

/** A context with the default callbacks. It cannot be cloned, destroyed, randomized or changed. */
SECP256K1_API const secp256k1_context *const secp256k1_context_static;

/** Verifies two published signatures. If a verdict is wrong, calls the default error callback. */
SECP256K1_API void secp256k1_selftest(void);

/** Creates a context after a self test. Other flags than the three are illegal, by the static
 *  context's callback, and give NULL. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT secp256k1_context *
secp256k1_context_create(unsigned int flags);

/** Copies a context and its callbacks. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT secp256k1_context *
secp256k1_context_clone(const secp256k1_context *ctx);

/** Destroys a context, which may be NULL. */
SECP256K1_API void secp256k1_context_destroy(secp256k1_context *ctx);

/** Returns 1. Verification has no secrets to blind; seed32 may be NULL and is not read. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_context_randomize(secp256k1_context *ctx, const unsigned char *seed32);

/** Sets the callback for illegal arguments, to which data is passed. NULL restores the default. */
SECP256K1_API void secp256k1_context_set_illegal_callback(
    secp256k1_context *ctx, void (*fun)(const char *message, void *data), const void *data);

/** Sets the callback for internal errors, to which data is passed. NULL restores the default. */
SECP256K1_API void secp256k1_context_set_error_callback(
    secp256k1_context *ctx, void (*fun)(const char *message, void *data), const void *data);

/* Public keys */

/** Parses a compressed (33 bytes), uncompressed or hybrid key (65 bytes). Returns 1, or 0 if the
 *  key is invalid. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ec_pubkey_parse(const secp256k1_context *ctx, secp256k1_pubkey *pubkey,
                          const unsigned char *input, size_t inputlen);

/** Writes 33 or 65 bytes, and their number to outputlen. Returns 1. Other flags than the two, and
 *  an outputlen that is too small before the call, are illegal. */
SECP256K1_API int secp256k1_ec_pubkey_serialize(const secp256k1_context *ctx,
                                                unsigned char *output, size_t *outputlen,
                                                const secp256k1_pubkey *pubkey,
                                                unsigned int flags);

/** Compares compressed forms: returns a number below, equal to or above 0. An illegal key is below
 *  every valid one, after its call of the callback. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ec_pubkey_cmp(const secp256k1_context *ctx, const secp256k1_pubkey *pubkey1,
                        const secp256k1_pubkey *pubkey2);

/** Parses x, 32 bytes. Returns 1, or 0 if no point has it. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_xonly_pubkey_parse(const secp256k1_context *ctx, secp256k1_xonly_pubkey *pubkey,
                             const unsigned char *input32);

/** Writes x, 32 bytes. Returns 1. */
SECP256K1_API int secp256k1_xonly_pubkey_serialize(const secp256k1_context *ctx,
                                                   unsigned char *output32,
                                                   const secp256k1_xonly_pubkey *pubkey);

/** Compares x, like secp256k1_ec_pubkey_cmp. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_xonly_pubkey_cmp(const secp256k1_context *ctx, const secp256k1_xonly_pubkey *pk1,
                           const secp256k1_xonly_pubkey *pk2);

/** Converts a key. Writes 1 to pk_parity, which may be NULL, if y was odd, otherwise 0. Returns
 *  1. */
SECP256K1_API int secp256k1_xonly_pubkey_from_pubkey(const secp256k1_context *ctx,
                                                     secp256k1_xonly_pubkey *xonly_pubkey,
                                                     int *pk_parity,
                                                     const secp256k1_pubkey *pubkey);

/* ECDSA */

/** Parses r and s, 32 bytes each. Returns 1, or 0 if a number is not below n; the signature is then
 *  one that is never valid, like those with a zero. */
SECP256K1_API int secp256k1_ecdsa_signature_parse_compact(const secp256k1_context *ctx,
                                                          secp256k1_ecdsa_signature *sig,
                                                          const unsigned char *input64);

/** Parses DER. Returns 1 for every valid encoding of two integers, or 0. If r or s is out of range,
 *  or the encoding is invalid, the signature is one that is never valid. */
SECP256K1_API int secp256k1_ecdsa_signature_parse_der(const secp256k1_context *ctx,
                                                      secp256k1_ecdsa_signature *sig,
                                                      const unsigned char *input,
                                                      size_t inputlen);

/** Writes r and s, 32 bytes each. Returns 1. */
SECP256K1_API int
secp256k1_ecdsa_signature_serialize_compact(const secp256k1_context *ctx,
                                            unsigned char *output64,
                                            const secp256k1_ecdsa_signature *sig);

/** Writes DER, and its length, at most 72, to outputlen. Returns 1, or 0 if outputlen was less; it
 *  then is the length that is needed. */
SECP256K1_API int secp256k1_ecdsa_signature_serialize_der(const secp256k1_context *ctx,
                                                          unsigned char *output,
                                                          size_t *outputlen,
                                                          const secp256k1_ecdsa_signature *sig);

/** Writes the signature with the lower of s and n - s to sigout, which may be NULL or sigin.
 *  Returns 1 if s was the higher one, otherwise 0. */
SECP256K1_API int secp256k1_ecdsa_signature_normalize(const secp256k1_context *ctx,
                                                      secp256k1_ecdsa_signature *sigout,
                                                      const secp256k1_ecdsa_signature *sigin);

/** Returns 1 if the signature of the 32-byte digest is valid and its s is at most (n - 1) / 2;
 *  otherwise 0. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ecdsa_verify(const secp256k1_context *ctx, const secp256k1_ecdsa_signature *sig,
                       const unsigned char *msghash32, const secp256k1_pubkey *pubkey);

/** Verifies n signatures, each like secp256k1_ecdsa_verify: results[i] is 1 or 0, and the digests
 *  have 32 bytes each. Returns 1 if all are valid, otherwise 0. If n is 0, pointers may be NULL and
 *  the function returns 1. An illegal key makes the whole call illegal, and all results 0. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ecdsa_verify_many(const secp256k1_context *ctx, int *results,
                            const secp256k1_ecdsa_signature *sigs,
                            const unsigned char *msghashes32, const secp256k1_pubkey *pubkeys,
                            size_t n);

/* Recovery of keys */

/** Parses r and s, 32 bytes each. Returns 1, or 0 if a number is not below n. A recid other than 0,
 *  1, 2 and 3 is illegal. */
SECP256K1_API int secp256k1_ecdsa_recoverable_signature_parse_compact(
    const secp256k1_context *ctx, secp256k1_ecdsa_recoverable_signature *sig,
    const unsigned char *input64, int recid);

/** Writes r and s, 32 bytes each, and the recovery id. Returns 1. */
SECP256K1_API int secp256k1_ecdsa_recoverable_signature_serialize_compact(
    const secp256k1_context *ctx, unsigned char *output64, int *recid,
    const secp256k1_ecdsa_recoverable_signature *sig);

/** Removes the recovery id. Returns 1. */
SECP256K1_API int secp256k1_ecdsa_recoverable_signature_convert(
    const secp256k1_context *ctx, secp256k1_ecdsa_signature *sig,
    const secp256k1_ecdsa_recoverable_signature *sigin);

/** Recovers the key under which the signature of the 32-byte digest is valid; s may be the higher
 *  one. Returns 1, or 0 if there is no such key. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ecdsa_recover(const secp256k1_context *ctx, secp256k1_pubkey *pubkey,
                        const secp256k1_ecdsa_recoverable_signature *sig,
                        const unsigned char *msghash32);

/** Recovers n keys, each like secp256k1_ecdsa_recover: results[i] is 1 or 0, and pubkeys[i] is
 *  zeros if results[i] is 0. Returns 1 if all are recovered, otherwise 0. If n is 0, pointers may be NULL
 *  and the function returns 1. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_ecdsa_recover_many(const secp256k1_context *ctx, int *results,
                             secp256k1_pubkey *pubkeys,
                             const secp256k1_ecdsa_recoverable_signature *sigs,
                             const unsigned char *msghashes32, size_t n);

/* Schnorr signatures (BIP 340) */

/** Returns 1 if the signature, 64 bytes, of the message is valid, otherwise 0. msg may be NULL if
 *  msglen is 0. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_schnorrsig_verify(const secp256k1_context *ctx, const unsigned char *sig64,
                            const unsigned char *msg, size_t msglen,
                            const secp256k1_xonly_pubkey *pubkey);

/** Verifies n signatures of 64 bytes, each like secp256k1_schnorrsig_verify: results[i] is 1 or 0.
 *  Returns 1 if all are valid, otherwise 0. If n is 0, pointers may be NULL and the function
 *  returns 1. An illegal key or message makes the whole call illegal, and all results 0. */
SECP256K1_API SECP256K1_WARN_UNUSED_RESULT int
secp256k1_schnorrsig_verify_many(const secp256k1_context *ctx, int *results,
                                 const unsigned char *sigs64, const unsigned char *const *msgs,
                                 const size_t *msglens, const secp256k1_xonly_pubkey *pubkeys,
                                 size_t n);

/** Writes SHA-256(SHA-256(tag) || SHA-256(tag) || msg), 32 bytes. Returns 1. */
SECP256K1_API int secp256k1_tagged_sha256(const secp256k1_context *ctx, unsigned char *hash32,
                                          const unsigned char *tag, size_t taglen,
                                          const unsigned char *msg, size_t msglen);

#ifdef __cplusplus
}
#endif

#endif
