// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from capi/src by `make generate`: do not edit.
//
// Poseidon hashes with Filecoin's and StarkWare's parameters, BLAKE3, Equihash, ECDSA and Schnorr
// signatures over secp256k1, signatures, openings and proofs over BLS12-381, and Zcash blocks: in
// batches, on this processor or on a card.
//
// The function of an operation takes columns with one row per item, `count` rows each, and writes
// one verdict per item. Its settings have the same names and values as in `halimede batch` and in
// the HTTP service.
//
// Elements of Poseidon are canonical integers below the modulus of their field, in one of two
// forms: limbs, uint64_t[4] in native byte order, or bytes, uint8_t[32]; both least significant
// first. All other functions use bytes. Arrays have the shapes that the functions state, without
// gaps; an empty array may be NULL. Inputs and outputs must not overlap.
//
// Functions return a status. Unless it is HALIMEDE_STATUS_OK, no output was written, and
// halimede_last_error() returns the reason. Any number of threads may call all functions at once;
// a handle must not be used while it is being freed. A forked process may call all functions, but
// must open cards again. A batch on this processor uses RAYON_NUM_THREADS threads (an environment
// variable; by default one per core).

#ifndef HALIMEDE_H
#define HALIMEDE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version of this header.
 */
#define HALIMEDE_VERSION "0.1.0"

/**
 * The status that a call returns. Unless it is HALIMEDE_STATUS_OK, the call has written no output,
 * and halimede_last_error() returns the reason with details.
 */
enum halimede_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Success.
   */
  HALIMEDE_STATUS_OK = 0,
  /**
   * A pointer is NULL, but must not be.
   */
  HALIMEDE_STATUS_NULL_POINTER = 1,
  /**
   * A pointer is not aligned for its type.
   */
  HALIMEDE_STATUS_MISALIGNED = 2,
  /**
   * Two arrays overlap, but must not.
   */
  HALIMEDE_STATUS_OVERLAP = 3,
  /**
   * A length does not match the instance, arrays do not match each other, or an array does not
   * fit into memory.
   */
  HALIMEDE_STATUS_WRONG_LENGTH = 4,
  /**
   * An element is not below the modulus of its field.
   */
  HALIMEDE_STATUS_NOT_REDUCED = 5,
  /**
   * No instance has this family and width, or this name.
   */
  HALIMEDE_STATUS_UNKNOWN_INSTANCE = 6,
  /**
   * An argument has an invalid value.
   */
  HALIMEDE_STATUS_INVALID_ARGUMENT = 7,
  /**
   * The leaves do not fill a tree.
   */
  HALIMEDE_STATUS_NOT_A_TREE = 8,
  /**
   * The device is not available on this machine.
   */
  HALIMEDE_STATUS_DEVICE_UNAVAILABLE = 9,
  /**
   * The device does not support the operation.
   */
  HALIMEDE_STATUS_DEVICE_UNSUPPORTED = 10,
  /**
   * The device stopped answering, or its answer was malformed.
   */
  HALIMEDE_STATUS_DEVICE_FAILED = 11,
  /**
   * A defect of this library; please report it.
   */
  HALIMEDE_STATUS_INTERNAL = 12,
  /**
   * An input such as a block is malformed; the message gives the place.
   */
  HALIMEDE_STATUS_MALFORMED = 13,
  /**
   * A file cannot be read, or is too long.
   */
  HALIMEDE_STATUS_UNREADABLE = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_status halimede_status;
#else
typedef int32_t halimede_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The families of Poseidon instances.
 */
enum halimede_family
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Filecoin's instances: the scalar field of BLS12-381, S-box x^5.
   */
  HALIMEDE_FAMILY_FILECOIN = 0,
  /**
   * Filecoin's instances with a quarter more partial rounds.
   */
  HALIMEDE_FAMILY_FILECOIN_STRENGTHENED = 1,
  /**
   * StarkWare's instances: p = 2^251 + 17 * 2^192 + 1, S-box x^3.
   */
  HALIMEDE_FAMILY_STARK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_family halimede_family;
#else
typedef uint32_t halimede_family;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The strength of a Filecoin instance: how many partial rounds.
 */
enum halimede_strength
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * 128 bits of security with the usual margin.
   */
  HALIMEDE_STRENGTH_STANDARD = 0,
  /**
   * A quarter more partial rounds.
   */
  HALIMEDE_STRENGTH_STRENGTHENED = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_strength halimede_strength;
#else
typedef uint32_t halimede_strength;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The use of a hash, which determines the domain tag.
 */
enum halimede_hash_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * A node of a Merkle tree.
   */
  HALIMEDE_HASH_TYPE_MERKLE_TREE = 0,
  /**
   * A preimage of a fixed length from 1 to the arity, zero-padded.
   */
  HALIMEDE_HASH_TYPE_CONSTANT_LENGTH = 1,
  /**
   * Encryption.
   */
  HALIMEDE_HASH_TYPE_ENCRYPTION = 2,
  /**
   * A type defined by an application, with a number from 1 to 256.
   */
  HALIMEDE_HASH_TYPE_CUSTOM = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_hash_type halimede_hash_type;
#else
typedef uint32_t halimede_hash_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * BLAKE3's modes.
 */
enum halimede_blake3_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The plain hash.
   */
  HALIMEDE_BLAKE3_KIND_HASH = 0,
  /**
   * A message authentication code under a key of 32 bytes.
   */
  HALIMEDE_BLAKE3_KIND_KEYED = 1,
  /**
   * Key derivation: the message is the key material, and a context names the purpose of the key.
   */
  HALIMEDE_BLAKE3_KIND_DERIVE_KEY = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_blake3_kind halimede_blake3_kind;
#else
typedef uint32_t halimede_blake3_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The verdict on an item, which the functions of operations write for each item. Unless it is
 * HALIMEDE_VERDICT_VALID, the other outputs of the item are zeros.
 */
enum halimede_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Nothing was checked. Zeroed memory reads as this value, so it never reads as valid.
   */
  HALIMEDE_VERDICT_NOT_CHECKED = 0,
  /**
   * The item is valid.
   */
  HALIMEDE_VERDICT_VALID = 1,
  /**
   * Not a valid public key.
   */
  HALIMEDE_VERDICT_KEY = 2,
  /**
   * The signature has the wrong format, or is not a point of its group.
   */
  HALIMEDE_VERDICT_SIGNATURE = 3,
  /**
   * s is above n/2, and the rules require the low form.
   */
  HALIMEDE_VERDICT_HIGH_S = 4,
  /**
   * r is out of range.
   */
  HALIMEDE_VERDICT_R_RANGE = 5,
  /**
   * s is out of range.
   */
  HALIMEDE_VERDICT_S_RANGE = 6,
  /**
   * The computation leads to the point at infinity.
   */
  HALIMEDE_VERDICT_INFINITY = 7,
  /**
   * All parts can be read, but they do not belong together.
   */
  HALIMEDE_VERDICT_MISMATCH = 8,
  /**
   * A Schnorr signature leads to a point with an odd y.
   */
  HALIMEDE_VERDICT_ODD_Y = 9,
  /**
   * The last byte of a signature is not a recovery id.
   */
  HALIMEDE_VERDICT_RECOVERY_ID = 10,
  /**
   * The recovery id says that x is r + n, and that is not below p.
   */
  HALIMEDE_VERDICT_X_RANGE = 11,
  /**
   * No point of the curve has the x that r gives.
   */
  HALIMEDE_VERDICT_NOT_ON_CURVE = 12,
  /**
   * An aggregate has no keys, or not the same number of keys and messages.
   */
  HALIMEDE_VERDICT_KEYS = 13,
  /**
   * Messages are equal, which the basic scheme forbids.
   */
  HALIMEDE_VERDICT_EQUAL_MESSAGES = 14,
  /**
   * A commitment is not a point of its group.
   */
  HALIMEDE_VERDICT_COMMITMENT = 15,
  /**
   * A proof has the wrong length, or a part of it is not a point of its group.
   */
  HALIMEDE_VERDICT_PROOF = 16,
  /**
   * The point or the value of an opening is not a number below the order of the groups.
   */
  HALIMEDE_VERDICT_SCALAR = 17,
  /**
   * A blob has the wrong length, or an element that is not below the order of the groups.
   */
  HALIMEDE_VERDICT_BLOB = 18,
  /**
   * The number of public inputs does not match the key, or an input is not below the order of
   * the groups.
   */
  HALIMEDE_VERDICT_INPUTS = 19,
  /**
   * Not an item of the operation: a field has the wrong length or form.
   */
  HALIMEDE_VERDICT_MALFORMED = 20,
  /**
   * The hash of a block header does not meet the header's target.
   */
  HALIMEDE_VERDICT_DIFFICULTY = 21,
  /**
   * An index occurs twice in an Equihash solution.
   */
  HALIMEDE_VERDICT_DUPLICATE = 22,
  /**
   * Subtrees of an Equihash solution are in the wrong order.
   */
  HALIMEDE_VERDICT_INDEX_ORDER = 23,
  /**
   * Hashes of an Equihash solution do not collide where subtrees meet.
   */
  HALIMEDE_VERDICT_COLLISION = 24,
  /**
   * The hashes of an Equihash solution do not XOR to zero.
   */
  HALIMEDE_VERDICT_XOR = 25,
  /**
   * The version or the target of a block header is not valid in its network.
   */
  HALIMEDE_VERDICT_HEADER = 26,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_verdict halimede_verdict;
#else
typedef uint32_t halimede_verdict;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Zcash's networks.
 */
enum halimede_zcash_network
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The main network.
   */
  HALIMEDE_ZCASH_NETWORK_MAIN = 0,
  /**
   * The public test network.
   */
  HALIMEDE_ZCASH_NETWORK_TEST = 1,
  /**
   * A local regression test network.
   */
  HALIMEDE_ZCASH_NETWORK_REGTEST = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_zcash_network halimede_zcash_network;
#else
typedef uint32_t halimede_zcash_network;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Verdicts on blocks. No verdict is 0, so that zeroed memory does not look like a verdict.
 */
enum halimede_zcash_block_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Every rule that the block and the known facts can decide was checked and holds.
   */
  HALIMEDE_ZCASH_BLOCK_VERDICT_VALID = 1,
  /**
   * A rule does not hold.
   */
  HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID = 2,
  /**
   * Nothing failed, but something was not checked.
   */
  HALIMEDE_ZCASH_BLOCK_VERDICT_INCOMPLETE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_zcash_block_verdict halimede_zcash_block_verdict;
#else
typedef uint32_t halimede_zcash_block_verdict;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An interrupt of an engine of a card. A mask of interrupts has the bits 1 <<
 * HALIMEDE_INTERRUPT_ERROR and so on.
 */
enum halimede_interrupt
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * A request was answered with a status other than ok.
   */
  HALIMEDE_INTERRUPT_ERROR = 0,
  /**
   * A frame was ignored.
   */
  HALIMEDE_INTERRUPT_IGNORED = 1,
  /**
   * The last pending request was answered.
   */
  HALIMEDE_INTERRUPT_IDLE = 2,
  /**
   * The clocks of the watchdog passed without progress.
   */
  HALIMEDE_INTERRUPT_STALLED = 3,
  /**
   * A bit flip in a memory was detected, and the engine has failed.
   */
  HALIMEDE_INTERRUPT_MEMORY_ERROR = 4,
  /**
   * The engine has failed because it made no progress.
   */
  HALIMEDE_INTERRUPT_TIMED_OUT = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum halimede_interrupt halimede_interrupt;
#else
typedef uint32_t halimede_interrupt;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An incremental BLAKE3 hasher, which runs on this processor in constant memory. A hasher with a
 * key or a context wipes its memory when it is freed.
 *
 * Threads may share a hasher, as long as none of them updates, resets or frees it.
 */
typedef struct halimede_blake3_hasher halimede_blake3_hasher;

/**
 * An open device, on which calls run. In every function, NULL means this processor.
 *
 * Any number of threads may use a device at once; batches on the same card run sequentially.
 */
typedef struct halimede_device halimede_device;

/**
 * Rules for signatures, and a cache of parsed keys. Threads may share a verifier, as long as none
 * of them frees it; a forked process caches no keys.
 */
typedef struct halimede_ecdsa_verifier halimede_ecdsa_verifier;

/**
 * A file that was read and checked, such as the trusted setup of KZG openings. Threads may share
 * an object, as long as none of them frees it.
 */
typedef struct halimede_object halimede_object;

/**
 * An incremental hasher for Starknet's hash_many, which runs on the calling thread in constant
 * memory.
 *
 * Threads may share a hasher, as long as none of them updates or frees it.
 */
typedef struct halimede_starknet_hasher halimede_starknet_hasher;

/**
 * Settings of halimede_device_open(); all zeros are the defaults.
 */
typedef struct halimede_device_options {
  /**
   * Milliseconds without progress after which a card counts as failed; 0 means 10,000, or 60,000
   * for a simulated card.
   */
  uint32_t time_limit_ms;
  /**
   * Unless 0, this processor runs whatever the device lacks or fails at; everything, if the
   * device cannot be opened.
   */
  uint32_t fallback;
} halimede_device_options;

/**
 * The parameters of an instance.
 */
typedef struct halimede_instance_info {
  /**
   * A halimede_family.
   */
  uint32_t family;
  /**
   * The number of elements of the state, t.
   */
  uint32_t width;
  /**
   * The number of full rounds, half of them before and half after the partial rounds.
   */
  uint32_t full_rounds;
  /**
   * The number of partial rounds.
   */
  uint32_t partial_rounds;
  /**
   * The exponent of the S-box.
   */
  uint32_t alpha;
  /**
   * Reserved; 0.
   */
  uint32_t reserved;
  /**
   * The modulus of the field, least significant limb first.
   */
  uint64_t modulus[4];
} halimede_instance_info;

/**
 * A hash of Filecoin. If all members except the arity are 0, it is the hash of nodes of Merkle
 * trees.
 */
typedef struct halimede_filecoin_hasher {
  /**
   * The number of elements of a preimage.
   */
  uint32_t arity;
  /**
   * A halimede_strength.
   */
  uint32_t strength;
  /**
   * A halimede_hash_type.
   */
  uint32_t hash_type;
  /**
   * The number from 1 to 256 if the type is HALIMEDE_HASH_TYPE_CUSTOM, otherwise 0.
   */
  uint32_t custom_id;
} halimede_filecoin_hasher;

/**
 * A mode of BLAKE3. All zeros are the plain hash, as is a NULL pointer to a mode.
 *
 * The library keeps a copy of the key only in a hasher, and wipes all its copies.
 */
typedef struct halimede_blake3_mode {
  /**
   * A halimede_blake3_kind.
   */
  uint32_t kind;
  /**
   * uint8_t[32] if the kind is HALIMEDE_BLAKE3_KIND_KEYED, otherwise NULL.
   */
  const uint8_t *key;
  /**
   * A zero-terminated UTF-8 text if the kind is HALIMEDE_BLAKE3_KIND_DERIVE_KEY, otherwise NULL.
   * It should be hard-coded, globally unique, and name the purpose of the key.
   */
  const char *context;
} halimede_blake3_mode;

/**
 * A setting of an operation, with the same name and value as in the command and the HTTP service.
 */
typedef struct halimede_setting {
  /**
   * The name, e.g. "scheme".
   */
  const char *name;
  /**
   * The value, e.g. "basic".
   */
  const char *value;
} halimede_setting;

/**
 * A byte string: a key, a message, a signature, a point.
 */
typedef struct halimede_bytes {
  /**
   * uint8_t[length]; may be NULL if `length` is 0.
   */
  const uint8_t *data;
  /**
   * The number of bytes.
   */
  size_t length;
} halimede_bytes;

/**
 * Known facts about a block besides its bytes. All zeros mean a block of the main network about
 * which nothing else is known.
 */
typedef struct halimede_zcash_known {
  /**
   * A halimede_zcash_network.
   */
  uint32_t network;
  /**
   * Unless 0, `height` is the height of the block. If 0, the height that the first transaction
   * claims is used, and the verdict is incomplete.
   */
  uint32_t has_height;
  /**
   * The height of the block.
   */
  uint32_t height;
  /**
   * The consensus branch, a zero-terminated text in hexadecimal as nodes print it; NULL means
   * the branch of the height.
   */
  const char *branch;
  /**
   * The root of the chain's history before the block (ZIP 221), a zero-terminated text in
   * hexadecimal as nodes print it. From NU5 on the header commits to it, and the verdict is
   * incomplete if it is NULL.
   */
  const char *history_root;
  /**
   * The outputs of earlier blocks that the block spends, char[spent_length]: one JSON object per
   * line, with "txid" (as nodes print it), "vout", "value" (zatoshi) and "script" (hexadecimal).
   * An input whose output is unknown is incomplete.
   */
  const char *spent;
  /**
   * The number of bytes of `spent`.
   */
  size_t spent_length;
  /**
   * The state of the chain before the block, char[state_length]: JSON, as for the command's
   * --state. Rules that it does not decide are left out of the verdict. Ignored if
   * `state_length` is 0.
   */
  const char *state;
  /**
   * The number of bytes of `state`.
   */
  size_t state_length;
} halimede_zcash_known;

/**
 * The verdict on a block.
 */
typedef struct halimede_zcash_verdict {
  /**
   * A halimede_zcash_block_verdict.
   */
  uint32_t verdict;
  /**
   * A halimede_verdict on the proof of work: that of the first failed check.
   */
  uint32_t proof_of_work;
  /**
   * The number of transparent inputs whose scripts and signatures are valid.
   */
  size_t inputs_valid;
  /**
   * The number of invalid inputs.
   */
  size_t inputs_invalid;
  /**
   * The number of inputs that could not be checked for lack of data.
   */
  size_t inputs_incomplete;
  /**
   * The total number of skipped checks of all kinds; the JSON names and counts them.
   */
  size_t unchecked;
  /**
   * The hash of the block, in the byte order of headers; nodes print it from the last byte to
   * the first.
   */
  uint8_t hash[32];
} halimede_zcash_verdict;

/**
 * The shape and the counters of an engine of a card since the hardware reset.
 */
typedef struct halimede_engine_report {
  /**
   * The number of clocks with a pending request.
   */
  uint64_t busy_clocks;
  /**
   * The number of clocks in which the engine was ready for a beat of a request, but received
   * none.
   */
  uint64_t starved_clocks;
  /**
   * The number of clocks in which a beat of a reply was not accepted.
   */
  uint64_t blocked_clocks;
  /**
   * The number of requests answered with a status other than ok.
   */
  uint64_t errors;
  /**
   * The number of frames sent to the engine.
   */
  uint64_t requests;
  /**
   * The number of frames received from the engine.
   */
  uint64_t replies;
  /**
   * The number of clocks in which a bit flip in a memory was detected.
   */
  uint64_t memory_errors;
  /**
   * The number of failures of the engine because it made no progress.
   */
  uint64_t time_outs;
  /**
   * The engine's own counters, in the order of its window in docs/card.md; then zeros.
   */
  uint64_t counters[16];
  /**
   * The shape of the engine as built, in the order of its window; then zeros.
   */
  uint32_t shape[8];
  /**
   * The number of `counters` in use.
   */
  uint32_t counter_count;
  /**
   * The number of words of `shape` in use.
   */
  uint32_t shape_count;
  /**
   * The number of bytes of requests that can wait for the engine without blocking others.
   */
  uint32_t queue_bytes;
  /**
   * The mask of the interrupts that have occurred since they were last cleared.
   */
  uint32_t interrupts_pending;
  /**
   * The mask of the interrupts that the card passes on.
   */
  uint32_t interrupts_enabled;
} halimede_engine_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the error message of this thread's last call that returned a status, in UTF-8; empty if
 * the status was HALIMEDE_STATUS_OK. The string is valid until this thread's next such call.
 */
const char *halimede_last_error(void);

/**
 * Returns the name of a status, e.g. "HALIMEDE_STATUS_NOT_REDUCED"; "unknown status" for another
 * number. The string is valid forever.
 */
const char *halimede_status_name(int32_t status);

/**
 * Opens a device: "cpu", "sim" (starts a process that simulates a card from its RTL),
 * "sim:SOCKET", "xdma:PREFIX", "f2:ADDRESS", "uart:PATH[@BAUD]" or "cuda:NUMBER".
 *
 * `options` may be NULL. Close `*device` with halimede_device_close().
 *
 * Statuses: HALIMEDE_STATUS_DEVICE_UNAVAILABLE, whose message says what to do.
 */
halimede_status halimede_device_open(const char *name,
                                     const struct halimede_device_options *options,
                                     struct halimede_device **device);

/**
 * Closes a device, and stops its simulator if it has one. Does nothing for NULL.
 *
 * No call may use the device meanwhile or afterwards.
 */
void halimede_device_close(struct halimede_device *device);

/**
 * Returns the version of the library at run time, "MAJOR.MINOR.PATCH"; HALIMEDE_VERSION is the
 * version at compile time. The string is valid forever.
 */
const char *halimede_version(void);

/**
 * Returns the backend in use, which is named after its processor instructions: "portable", "neon",
 * "sse41", "avx2", "adx", "avxifma", "avx512" or "avx512ifma". It is the best backend of this
 * processor, unless the environment variable HALIMEDE_BACKEND named another at the first use. The
 * string is valid forever.
 */
const char *halimede_backend(void);

/**
 * Writes the parameters of the instance of a halimede_family with `width` state elements.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message lists the widths.
 */
halimede_status halimede_instance(uint32_t family,
                                  size_t width,
                                  struct halimede_instance_info *info);

/**
 * Writes the parameters of the instance with this name: "filecoin-ARITY",
 * "filecoin-ARITY-strengthened" (the width is the arity plus 1) or "stark-WIDTH".
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message lists the names.
 */
halimede_status halimede_instance_by_name(const char *name, struct halimede_instance_info *info);

/**
 * Permutes states in place.
 *
 * `family` is a halimede_family, `states` is uint64_t[count][width][4]: canonical integers below
 * the modulus, least significant limb first. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, HALIMEDE_STATUS_NOT_REDUCED; the statuses of
 * pointers and lengths; the statuses of devices.
 */
halimede_status halimede_permute(const struct halimede_device *device,
                                 uint32_t family,
                                 size_t width,
                                 uint64_t *states,
                                 size_t count);

/**
 * halimede_permute() with bytes: `states` is uint8_t[count][width][32], least significant first.
 */
halimede_status halimede_permute_bytes(const struct halimede_device *device,
                                       uint32_t family,
                                       size_t width,
                                       uint8_t *states,
                                       size_t count);

/**
 * Computes Filecoin's hash of each preimage.
 *
 * `preimages` is uint64_t[count][length][4]: canonical integers below the modulus, least
 * significant limb first; `digests` is uint64_t[count][4], and must not overlap with the inputs.
 * `length` is the arity of the hasher, or 1 to the arity if its type is
 * HALIMEDE_HASH_TYPE_CONSTANT_LENGTH. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for an unknown arity;
 * HALIMEDE_STATUS_INVALID_ARGUMENT for another member; HALIMEDE_STATUS_NOT_REDUCED; the statuses
 * of pointers and lengths; the statuses of devices.
 */
halimede_status halimede_filecoin_hash(const struct halimede_device *device,
                                       const struct halimede_filecoin_hasher *hasher,
                                       const uint64_t *preimages,
                                       size_t count,
                                       size_t length,
                                       uint64_t *digests);

/**
 * halimede_filecoin_hash() with bytes: `preimages` is uint8_t[count][length][32], `digests` is
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_filecoin_hash_bytes(const struct halimede_device *device,
                                             const struct halimede_filecoin_hasher *hasher,
                                             const uint8_t *preimages,
                                             size_t count,
                                             size_t length,
                                             uint8_t *digests);

/**
 * Computes the root of the full Merkle tree over these leaves, with Filecoin's hash of this arity
 * and halimede_strength.
 *
 * `leaves` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
 * first; `root` is uint64_t[4], and must not overlap with the leaves. `count` is a power of the
 * arity, at least the arity.
 *
 * Statuses: HALIMEDE_STATUS_NOT_A_TREE; HALIMEDE_STATUS_UNKNOWN_INSTANCE for an unknown arity;
 * HALIMEDE_STATUS_INVALID_ARGUMENT for the strength; HALIMEDE_STATUS_NOT_REDUCED; the statuses of
 * pointers and lengths; the statuses of devices.
 */
halimede_status halimede_tree_root(const struct halimede_device *device,
                                   size_t arity,
                                   uint32_t strength,
                                   const uint64_t *leaves,
                                   size_t count,
                                   uint64_t *root);

/**
 * halimede_tree_root() with bytes: `leaves` is uint8_t[count][32], `root` is uint8_t[32], least
 * significant first.
 */
halimede_status halimede_tree_root_bytes(const struct halimede_device *device,
                                         size_t arity,
                                         uint32_t strength,
                                         const uint8_t *leaves,
                                         size_t count,
                                         uint8_t *root);

/**
 * Computes Starknet's hash(x, y) of each pair.
 *
 * `pairs` is uint64_t[count][2][4]: canonical integers below the modulus, least significant limb
 * first; `digests` is uint64_t[count][4], and must not overlap with the inputs. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_NOT_REDUCED; the statuses of pointers and lengths; the statuses of
 * devices.
 */
halimede_status halimede_starknet_hash(const struct halimede_device *device,
                                       const uint64_t *pairs,
                                       size_t count,
                                       uint64_t *digests);

/**
 * halimede_starknet_hash() with bytes: `pairs` is uint8_t[count][2][32], `digests` is
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_bytes(const struct halimede_device *device,
                                             const uint8_t *pairs,
                                             size_t count,
                                             uint8_t *digests);

/**
 * Computes Starknet's hash_single(x) of each element.
 *
 * `elements` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
 * first; `digests` is uint64_t[count][4], and must not overlap with the inputs. `count` may be 0.
 *
 * Statuses: the statuses of halimede_starknet_hash().
 */
halimede_status halimede_starknet_hash_single(const struct halimede_device *device,
                                              const uint64_t *elements,
                                              size_t count,
                                              uint64_t *digests);

/**
 * halimede_starknet_hash_single() with bytes: `elements` and `digests` are uint8_t[count][32],
 * least significant first.
 */
halimede_status halimede_starknet_hash_single_bytes(const struct halimede_device *device,
                                                    const uint8_t *elements,
                                                    size_t count,
                                                    uint8_t *digests);

/**
 * Computes Starknet's hash_many(x...) of messages of equal length.
 *
 * `elements` is uint64_t[count][length][4]: canonical integers below the modulus, least
 * significant limb first; `digests` is uint64_t[count][4], and must not overlap with the inputs.
 * `count` and `length` may be 0.
 *
 * Statuses: the statuses of halimede_starknet_hash().
 */
halimede_status halimede_starknet_hash_many(const struct halimede_device *device,
                                            const uint64_t *elements,
                                            size_t count,
                                            size_t length,
                                            uint64_t *digests);

/**
 * halimede_starknet_hash_many() with bytes: `elements` is uint8_t[count][length][32], `digests` is
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_many_bytes(const struct halimede_device *device,
                                                  const uint8_t *elements,
                                                  size_t count,
                                                  size_t length,
                                                  uint8_t *digests);

/**
 * Computes Starknet's hash_many(x...) of messages of any lengths in one array.
 *
 * `elements` is uint64_t[element_count][4]: canonical integers below the modulus, least
 * significant limb first. `offsets` is uint64_t[count + 1]: message i is the elements offsets[i]
 * to offsets[i + 1] - 1; the first offset is 0, the last is `element_count`. `digests` is
 * uint64_t[count][4], and must not overlap with the inputs.
 *
 * Statuses: the statuses of halimede_starknet_hash(); HALIMEDE_STATUS_WRONG_LENGTH for the
 * offsets.
 */
halimede_status halimede_starknet_hash_many_offsets(const struct halimede_device *device,
                                                    const uint64_t *elements,
                                                    size_t element_count,
                                                    const uint64_t *offsets,
                                                    size_t count,
                                                    uint64_t *digests);

/**
 * halimede_starknet_hash_many_offsets() with bytes: `elements` is uint8_t[element_count][32],
 * `digests` is uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_many_offsets_bytes(const struct halimede_device *device,
                                                          const uint8_t *elements,
                                                          size_t element_count,
                                                          const uint64_t *offsets,
                                                          size_t count,
                                                          uint8_t *digests);

/**
 * Creates a hasher. Free it with halimede_starknet_hasher_free().
 */
halimede_status halimede_starknet_hasher_new(struct halimede_starknet_hasher **hasher);

/**
 * Creates a copy of a hasher with its state, e.g. to hash a common prefix only once. Free both
 * with halimede_starknet_hasher_free().
 */
halimede_status halimede_starknet_hasher_clone(const struct halimede_starknet_hasher *hasher,
                                               struct halimede_starknet_hasher **copy);

/**
 * Absorbs elements in order. If an element is not below the modulus, the hasher does not change.
 *
 * `elements` is uint64_t[count][4]: canonical integers, least significant limb first. `count` may
 * be 0.
 *
 * Statuses: HALIMEDE_STATUS_NOT_REDUCED; the statuses of pointers and lengths.
 */
halimede_status halimede_starknet_hasher_update(struct halimede_starknet_hasher *hasher,
                                                const uint64_t *elements,
                                                size_t count);

/**
 * halimede_starknet_hasher_update() with bytes: `elements` is uint8_t[count][32], least
 * significant first.
 */
halimede_status halimede_starknet_hasher_update_bytes(struct halimede_starknet_hasher *hasher,
                                                      const uint8_t *elements,
                                                      size_t count);

/**
 * Writes the digest of the absorbed elements, uint64_t[4], least significant limb first. The
 * hasher does not change: it can absorb more elements afterwards.
 *
 * Statuses: the statuses of pointers.
 */
halimede_status halimede_starknet_hasher_digest(const struct halimede_starknet_hasher *hasher,
                                                uint64_t *digest);

/**
 * halimede_starknet_hasher_digest() with bytes: `digest` is uint8_t[32], least significant first.
 */
halimede_status halimede_starknet_hasher_digest_bytes(const struct halimede_starknet_hasher *hasher,
                                                      uint8_t *digest);

/**
 * Frees a hasher. Does nothing for NULL.
 */
void halimede_starknet_hasher_free(struct halimede_starknet_hasher *hasher);

/**
 * Computes BLAKE3 of one message. Writes the extended output from byte `seek` on to `output`; with
 * `seek` 0 and `output_length` 32, this is the digest.
 *
 * `message` is uint8_t[length], `output` is uint8_t[output_length]; they must not overlap. A long
 * message is hashed by all cores.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, or if `seek` +
 * `output_length` exceeds 2^64 - 1; the statuses of pointers and lengths; the statuses of devices.
 */
halimede_status halimede_blake3_hash(const struct halimede_device *device,
                                     const struct halimede_blake3_mode *mode,
                                     const uint8_t *message,
                                     size_t length,
                                     uint64_t seek,
                                     uint8_t *output,
                                     size_t output_length);

/**
 * Computes the BLAKE3 digests of messages of any lengths in one array.
 *
 * `data` is uint8_t[data_length] and `offsets` is uint64_t[count + 1], as in Arrow: message i is
 * the bytes offsets[i] to offsets[i + 1] - 1. Offsets must not decrease, nor exceed `data_length`.
 * `digests` is uint8_t[count][32], and must not overlap with the inputs. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_WRONG_LENGTH for the offsets; HALIMEDE_STATUS_INVALID_ARGUMENT for a
 * member of the mode; the statuses of pointers and lengths; the statuses of devices.
 */
halimede_status halimede_blake3_hash_many(const struct halimede_device *device,
                                          const struct halimede_blake3_mode *mode,
                                          const uint8_t *data,
                                          size_t data_length,
                                          const uint64_t *offsets,
                                          size_t count,
                                          uint8_t *digests);

/**
 * halimede_blake3_hash_many() with one pointer per message: message i is uint8_t[lengths[i]] at
 * messages[i], which may be NULL if its length is 0.
 *
 * `messages` and `lengths` have `count` entries; `digests` is uint8_t[count][32], and must not
 * overlap with the inputs.
 *
 * Statuses: the statuses of halimede_blake3_hash_many(); the error names the number of the
 * message.
 */
halimede_status halimede_blake3_hash_many_pointers(const struct halimede_device *device,
                                                   const struct halimede_blake3_mode *mode,
                                                   const uint8_t *const *messages,
                                                   const size_t *lengths,
                                                   size_t count,
                                                   uint8_t *digests);

/**
 * Creates a hasher. Free it with halimede_blake3_hasher_free().
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode; the statuses of pointers.
 */
halimede_status halimede_blake3_hasher_new(const struct halimede_blake3_mode *mode,
                                           struct halimede_blake3_hasher **hasher);

/**
 * Creates a copy of a hasher with its state, e.g. to hash a common prefix only once. Free both
 * with halimede_blake3_hasher_free().
 */
halimede_status halimede_blake3_hasher_clone(const struct halimede_blake3_hasher *hasher,
                                             struct halimede_blake3_hasher **copy);

/**
 * Absorbs the next `length` bytes of the message; `length` may be 0. A large number of bytes is
 * hashed by all cores.
 *
 * Statuses: the statuses of pointers and lengths.
 */
halimede_status halimede_blake3_hasher_update(struct halimede_blake3_hasher *hasher,
                                              const uint8_t *bytes,
                                              size_t length);

/**
 * Writes the extended output of the absorbed bytes from byte `seek` on to `output`,
 * uint8_t[length]; with `seek` 0 and `length` 32, this is the digest. The hasher does not change:
 * it can absorb more bytes afterwards.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT if `seek` + `length` exceeds 2^64 - 1; the statuses
 * of pointers and lengths.
 */
halimede_status halimede_blake3_hasher_digest(const struct halimede_blake3_hasher *hasher,
                                              uint64_t seek,
                                              uint8_t *output,
                                              size_t length);

/**
 * Resets a hasher to its initial state, with the same mode and key.
 *
 * Statuses: the statuses of pointers.
 */
halimede_status halimede_blake3_hasher_reset(struct halimede_blake3_hasher *hasher);

/**
 * Frees a hasher. Does nothing for NULL.
 */
void halimede_blake3_hasher_free(struct halimede_blake3_hasher *hasher);

/**
 * Returns the name of a halimede_verdict, e.g. "valid" or "mismatch"; "unknown verdict" for
 * another number. The string is valid forever.
 */
const char *halimede_verdict_name(uint32_t verdict);

/**
 * Creates a verifier. Free it with halimede_ecdsa_verifier_free(). `cached_keys` is the maximum
 * number of compressed keys to cache after parsing, at about 100 bytes each; 0 for no cache.
 *
 * - The setting "format" ("der", "der-lax", "compact"; "der" by default): "der" is DER by the
 *   rules of BIP 66, without the byte of the hash type; "der-lax" is DER as in blocks before BIP
 *   66; "compact" is r and s in 64 bytes.
 * - The setting "low-s" ("false", "true"; "false" by default): "true" rejects an s above n/2.
 * - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none"
 *   by default): the function that hashes a message; with "none" and "any-length", digests are
 *   given. With "any-length", digests may have a length other than 32 bytes: the leftmost 32 bytes
 *   count.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting or `cached_keys`; the statuses of
 * pointers.
 */
halimede_status halimede_ecdsa_verifier_new(const struct halimede_setting *settings,
                                            size_t setting_count,
                                            size_t cached_keys,
                                            struct halimede_ecdsa_verifier **verifier);

/**
 * Verifies signatures. `verdicts`, uint8_t[count], receives a halimede_verdict per row. A bad row
 * does not affect the others.
 *
 * - `keys`: one per row, uint8_t[33] or [65]; an invalid one gets HALIMEDE_VERDICT_KEY.
 * - `digests`: one per row, 32 bytes; any number of bytes with a "hash" other than "none".
 * - `signatures`: one per row, in the format of the settings.
 *
 * `verifier` may be NULL: a verifier with default settings and without a cache. All inputs are
 * treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of a wrong length; the statuses of pointers
 * and lengths, whose message names the row; the statuses of devices.
 */
halimede_status halimede_ecdsa_verify(const struct halimede_device *device,
                                      const struct halimede_ecdsa_verifier *verifier,
                                      const struct halimede_bytes *keys,
                                      const struct halimede_bytes *digests,
                                      const struct halimede_bytes *signatures,
                                      size_t count,
                                      uint8_t *verdicts);

/**
 * Frees a verifier. Does nothing for NULL.
 */
void halimede_ecdsa_verifier_free(struct halimede_ecdsa_verifier *verifier);

/**
 * Creates an object from the content of its file, uint8_t[length]. Free it with
 * halimede_object_free().
 *
 * Functions that need an object state its kind, e.g. "kzg-setup".
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for the kind; HALIMEDE_STATUS_MALFORMED, whose
 * message gives the reason; the statuses of pointers and lengths.
 */
halimede_status halimede_object_new(const char *kind,
                                    const uint8_t *content,
                                    size_t length,
                                    struct halimede_object **object);

/**
 * halimede_object_new() with the content of the file at this path.
 *
 * Statuses: HALIMEDE_STATUS_UNREADABLE for the file; the statuses of halimede_object_new().
 */
halimede_status halimede_object_open(const char *kind,
                                     const char *path,
                                     struct halimede_object **object);

/**
 * Frees an object. Does nothing for NULL.
 */
void halimede_object_free(struct halimede_object *object);

/**
 * Writes a number that belongs to an object, by its name: "inputs" of a "groth16-key" is the
 * number of public inputs of a proof.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT if the object has no such number; the statuses of
 * pointers.
 */
halimede_status halimede_object_number(const struct halimede_object *object,
                                       const char *name,
                                       uint64_t *number);

/**
 * Hashes of circomlib's Poseidon over BN254, `count` at once (`circom.hash`).
 *
 * - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
 *   to elements_offsets[i + 1] - 1 of `elements`. Elements of the scalar field of BN254; their
 *   number selects the width.
 * - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
 *   field.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
 *   significant byte first.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_circom_hash(const struct halimede_device *device,
                                     const uint64_t *elements_offsets,
                                     const uint8_t *elements,
                                     size_t count,
                                     uint8_t *values,
                                     size_t value_bytes,
                                     uint8_t *verdicts);

/**
 * Poseidon2's permutation with published parameters, `count` at once (`poseidon2.permute`).
 *
 * - `state_offsets`: uint64_t[count + 1]: the list of item i is the rows state_offsets[i] to
 *   state_offsets[i + 1] - 1 of `state`. The state; its length is the width of the instance.
 * - `state`: one per row, uint8_t[][32], least significant byte first. An element of the
 *   instance's field.
 * - The setting "instance" ("bls12-381-2", "bls12-381-3", "bls12-381-4", "bls12-381-8",
 *   "bn254-2", "bn254-3", "bn254-4", "bn254-8", "bn254-12", "bn254-16", "pallas-3", "pallas-4",
 *   "pallas-8", "vesta-3", "gnark-bn254-2", "gnark-bn254-3", "gnark-bls12-381-2"; required): The
 *   field and the width; `gnark-` before them for gnark-crypto's constants.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
 *   significant byte first.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_poseidon2_permute(const struct halimede_device *device,
                                           const struct halimede_setting *settings,
                                           size_t setting_count,
                                           const uint64_t *state_offsets,
                                           const uint8_t *state,
                                           size_t count,
                                           uint8_t *values,
                                           size_t value_bytes,
                                           uint8_t *verdicts);

/**
 * Poseidon2's compression of two elements, for Merkle trees, `count` at once
 * (`poseidon2.compress`).
 *
 * - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
 *   to elements_offsets[i + 1] - 1 of `elements`. The left and the right element.
 * - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
 *   instance's field.
 * - The setting "instance" ("bn254-3", "bls12-381-3", "pallas-3", "vesta-3", "gnark-bn254-2",
 *   "gnark-bls12-381-2"; "bn254-3" by default): With width 3, element 0 of the permuted (left,
 *   right, 0), as Horizen Labs defines it; with gnark-crypto's constants, element 1 of the
 *   permuted (left, right) plus right.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
 *   significant byte first.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_poseidon2_compress(const struct halimede_device *device,
                                            const struct halimede_setting *settings,
                                            size_t setting_count,
                                            const uint64_t *elements_offsets,
                                            const uint8_t *elements,
                                            size_t count,
                                            uint8_t *values,
                                            size_t value_bytes,
                                            uint8_t *verdicts);

/**
 * Hashes of Noir's and gnark's Poseidon2, `count` at once (`poseidon2.hash`).
 *
 * - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
 *   to elements_offsets[i + 1] - 1 of `elements`. The elements.
 * - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
 *   instance's field.
 * - The setting "instance" ("bn254-4", "gnark-bn254-2", "gnark-bls12-381-2"; "bn254-4" by
 *   default): `bn254-4` for the `Poseidon2::hash` of Noir and Barretenberg; `gnark-` for
 *   gnark-crypto's Merkle-Damgard hasher, which does not encode the length.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
 *   significant byte first.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_poseidon2_hash(const struct halimede_device *device,
                                        const struct halimede_setting *settings,
                                        size_t setting_count,
                                        const uint64_t *elements_offsets,
                                        const uint8_t *elements,
                                        size_t count,
                                        uint8_t *values,
                                        size_t value_bytes,
                                        uint8_t *verdicts);

/**
 * Verifies Equihash solutions of block headers, and the difficulty of the headers, `count` at
 * once (`equihash.verify`).
 *
 * - `headers`: one per item, at most 65536 bytes each. The block header with its nonce, without
 *   the solution: 140 bytes. If `difficulty` is false, this processor accepts any input of a
 *   puzzle.
 * - `solutions`: one per item, at most 65536 bytes each. The solution in its minimal form: 1344
 *   bytes for (200, 9), 36 for (48, 5).
 * - The setting "n" (8 to 512; "200" by default): The size of a hash in bits.
 * - The setting "k" (3 to 32; "9" by default): The number of levels of a solution's tree, which
 *   has 2^k indices.
 * - The setting "difficulty" ("false", "true"; "true" by default): Also checks that the header's
 *   hash meets its target.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_equihash_verify(const struct halimede_device *device,
                                         const struct halimede_setting *settings,
                                         size_t setting_count,
                                         const struct halimede_bytes *headers,
                                         const struct halimede_bytes *solutions,
                                         size_t count,
                                         uint8_t *verdicts);

/**
 * Recovery of public keys or Ethereum addresses from ECDSA signatures, `count` at once
 * (`secp256k1.recover`).
 *
 * - `digests`: one per item, any number of bytes each. The digest, 32 bytes; or the message, if
 *   `hash` is set.
 * - `signatures`: one per item, 65 bytes each. r, s and the recovery id.
 * - The setting "answer" ("key", "address"; "key" by default): The answer: the public key (x and
 *   y), or the address.
 * - The setting "numbering" ("plain", "ethereum"; "plain" by default): The recovery ids: 0 to 3,
 *   or Ethereum's 27 and 28.
 * - The setting "low-s" ("false", "true"; "false" by default): Reject an s above n/2.
 * - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none"
 *   by default): The hash function of the message; `none` if a digest is given. A digest of
 *   `any-length` may have any number of bytes, of which the leftmost 32 count.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_secp256k1_recover(const struct halimede_device *device,
                                           const struct halimede_setting *settings,
                                           size_t setting_count,
                                           const struct halimede_bytes *digests,
                                           const struct halimede_bytes *signatures,
                                           size_t count,
                                           uint8_t *values,
                                           size_t value_bytes,
                                           uint8_t *verdicts);

/**
 * Verification of Schnorr signatures (BIP 340), `count` at once (`secp256k1.verify_schnorr`).
 *
 * - `keys`: one per item, 32 bytes each. x of the public key.
 * - `messages`: one per item, any number of bytes each. The message.
 * - `signatures`: one per item, 64 bytes each. r and s.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_secp256k1_verify_schnorr(const struct halimede_device *device,
                                                  const struct halimede_bytes *keys,
                                                  const struct halimede_bytes *messages,
                                                  const struct halimede_bytes *signatures,
                                                  size_t count,
                                                  uint8_t *verdicts);

/**
 * Verification of half-aggregate Schnorr signatures (a BIP draft), `count` at once
 * (`secp256k1.verify_half_aggregate`).
 *
 * - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
 *   signers_offsets[i + 1] - 1 of `keys` and `messages`. The signers, in the order of their
 *   signatures.
 * - `keys`: one per row, 32 bytes each. x of the public key.
 * - `messages`: one per row, 32 bytes each. The message.
 * - `aggregates`: one per item, any number of bytes each. The r of each signature, and s.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_secp256k1_verify_half_aggregate(const struct halimede_device *device,
                                                         const uint64_t *signers_offsets,
                                                         const struct halimede_bytes *keys,
                                                         const struct halimede_bytes *messages,
                                                         const struct halimede_bytes *aggregates,
                                                         size_t count,
                                                         uint8_t *verdicts);

/**
 * Half-aggregation of Schnorr signatures, which are not verified (a BIP draft), `count` at once
 * (`secp256k1.half_aggregate`).
 *
 * - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
 *   signers_offsets[i + 1] - 1 of `keys` and `messages` and `signatures`. The signers: first
 *   those of `aggregate`.
 * - `keys`: one per row, 32 bytes each. x of the public key.
 * - `messages`: one per row, 32 bytes each. The message.
 * - `signatures`: one per row, at most 64 bytes each. r and s; empty if it is aggregated already.
 * - `aggregates`: one per item, any number of bytes each. The aggregate to extend; empty for a
 *   new one.
 * - The setting "size" (0 to 65535; required): The number of signatures of each aggregate.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_secp256k1_half_aggregate(const struct halimede_device *device,
                                                  const struct halimede_setting *settings,
                                                  size_t setting_count,
                                                  const uint64_t *signers_offsets,
                                                  const struct halimede_bytes *keys,
                                                  const struct halimede_bytes *messages,
                                                  const struct halimede_bytes *signatures,
                                                  const struct halimede_bytes *aggregates,
                                                  size_t count,
                                                  uint8_t *values,
                                                  size_t value_bytes,
                                                  uint8_t *verdicts);

/**
 * Verification of BLS signatures, `count` at once (`bls12_381.verify_signature`).
 *
 * - `keys`: one per item, at most 192 bytes each. The public key, compressed.
 * - `messages`: one per item, any number of bytes each. The message.
 * - `signatures`: one per item, at most 192 bytes each. The signature, compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
 *   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
 * - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): The scheme: basic, message
 *   augmentation, or proof of possession, as in Ethereum.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_verify_signature(const struct halimede_device *device,
                                                    const struct halimede_setting *settings,
                                                    size_t setting_count,
                                                    const struct halimede_bytes *keys,
                                                    const struct halimede_bytes *messages,
                                                    const struct halimede_bytes *signatures,
                                                    size_t count,
                                                    uint8_t *verdicts);

/**
 * Verification of aggregate BLS signatures of one message (FastAggregateVerify), `count` at once
 * (`bls12_381.verify_aggregate`).
 *
 * - `keys_offsets`: uint64_t[count + 1]: the list of item i is the rows keys_offsets[i] to
 *   keys_offsets[i + 1] - 1 of `keys`. The public keys, each with a proof of possession that was
 *   verified.
 * - `keys`: one per row, at most 192 bytes each. The public key, compressed.
 * - `messages`: one per item, any number of bytes each. The message.
 * - `signatures`: one per item, at most 192 bytes each. The sum of the signatures, compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
 *   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_verify_aggregate(const struct halimede_device *device,
                                                    const struct halimede_setting *settings,
                                                    size_t setting_count,
                                                    const uint64_t *keys_offsets,
                                                    const struct halimede_bytes *keys,
                                                    const struct halimede_bytes *messages,
                                                    const struct halimede_bytes *signatures,
                                                    size_t count,
                                                    uint8_t *verdicts);

/**
 * Verification of aggregate BLS signatures, one message per key (AggregateVerify), `count` at
 * once (`bls12_381.verify_aggregate_of_messages`).
 *
 * - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
 *   signers_offsets[i + 1] - 1 of `keys` and `messages`. The signers.
 * - `keys`: one per row, at most 192 bytes each. The public key, compressed.
 * - `messages`: one per row, any number of bytes each. The message.
 * - `signatures`: one per item, at most 192 bytes each. The sum of the signatures, compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
 *   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
 * - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): The scheme: basic, message
 *   augmentation, or proof of possession, as in Ethereum.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_verify_aggregate_of_messages(const struct halimede_device *device,
                                                                const struct halimede_setting *settings,
                                                                size_t setting_count,
                                                                const uint64_t *signers_offsets,
                                                                const struct halimede_bytes *keys,
                                                                const struct halimede_bytes *messages,
                                                                const struct halimede_bytes *signatures,
                                                                size_t count,
                                                                uint8_t *verdicts);

/**
 * Verification of proofs of possession of BLS secret keys (PopVerify), `count` at once
 * (`bls12_381.verify_possession`).
 *
 * - `keys`: one per item, at most 192 bytes each. The public key, compressed.
 * - `proofs`: one per item, at most 192 bytes each. The proof, a signature of the key.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
 *   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_verify_possession(const struct halimede_device *device,
                                                     const struct halimede_setting *settings,
                                                     size_t setting_count,
                                                     const struct halimede_bytes *keys,
                                                     const struct halimede_bytes *proofs,
                                                     size_t count,
                                                     uint8_t *verdicts);

/**
 * Checks that products of pairings are 1, `count` at once (`bls12_381.pairing_check`).
 *
 * - `pairs_offsets`: uint64_t[count + 1]: the list of item i is the rows pairs_offsets[i] to
 *   pairs_offsets[i + 1] - 1 of `g1` and `g2`. The points to pair.
 * - `g1`: one per row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
 * - `g2`: one per row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_pairing_check(const struct halimede_device *device,
                                                 const uint64_t *pairs_offsets,
                                                 const struct halimede_bytes *g1,
                                                 const struct halimede_bytes *g2,
                                                 size_t count,
                                                 uint8_t *verdicts);

/**
 * Products of pairings, `count` at once (`bls12_381.pairing_product`).
 *
 * - `pairs_offsets`: uint64_t[count + 1]: the list of item i is the rows pairs_offsets[i] to
 *   pairs_offsets[i + 1] - 1 of `g1` and `g2`. The points to pair.
 * - `g1`: one per row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
 * - `g2`: one per row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_pairing_product(const struct halimede_device *device,
                                                   const uint64_t *pairs_offsets,
                                                   const struct halimede_bytes *g1,
                                                   const struct halimede_bytes *g2,
                                                   size_t count,
                                                   uint8_t *values,
                                                   size_t value_bytes,
                                                   uint8_t *verdicts);

/**
 * Sums of points of a group, `count` at once (`bls12_381.sum`).
 *
 * - `points_offsets`: uint64_t[count + 1]: the list of item i is the rows points_offsets[i] to
 *   points_offsets[i + 1] - 1 of `points`. The points.
 * - `points`: one per row, at most 192 bytes each. A point of the group, compressed or not.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_sum(const struct halimede_device *device,
                                       const struct halimede_setting *settings,
                                       size_t setting_count,
                                       const uint64_t *points_offsets,
                                       const struct halimede_bytes *points,
                                       size_t count,
                                       uint8_t *values,
                                       size_t value_bytes,
                                       uint8_t *verdicts);

/**
 * Multi-scalar multiplications in a group, `count` at once (`bls12_381.sum_of_multiples`).
 *
 * - `terms_offsets`: uint64_t[count + 1]: the list of item i is the rows terms_offsets[i] to
 *   terms_offsets[i + 1] - 1 of `points` and `factors`. The points and their factors, modulo the
 *   order of the groups.
 * - `points`: one per row, at most 192 bytes each. A point of the group, compressed or not.
 * - `factors`: one per row, uint8_t[][32], least significant byte first. The factor.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_sum_of_multiples(const struct halimede_device *device,
                                                    const struct halimede_setting *settings,
                                                    size_t setting_count,
                                                    const uint64_t *terms_offsets,
                                                    const struct halimede_bytes *points,
                                                    const uint8_t *factors,
                                                    size_t count,
                                                    uint8_t *values,
                                                    size_t value_bytes,
                                                    uint8_t *verdicts);

/**
 * Hashing of messages to a group (RFC 9380), `count` at once (`bls12_381.hash_to_curve`).
 *
 * - `messages`: one per item, any number of bytes each. The message.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - The setting "domain" (text of at most 1024 bytes; required): The domain separation tag.
 * - The setting "encode" ("false", "true"; "false" by default): Use `encode_to_curve` instead of
 *   `hash_to_curve`.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_hash_to_curve(const struct halimede_device *device,
                                                 const struct halimede_setting *settings,
                                                 size_t setting_count,
                                                 const struct halimede_bytes *messages,
                                                 size_t count,
                                                 uint8_t *values,
                                                 size_t value_bytes,
                                                 uint8_t *verdicts);

/**
 * Mapping of elements of the coordinate field to a group (RFC 9380), `count` at once
 * (`bls12_381.map_to_curve`).
 *
 * - `elements`: one per item, at most 96 bytes each. The element, most significant byte first;
 *   for G2 two, constant term first.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_map_to_curve(const struct halimede_device *device,
                                                const struct halimede_setting *settings,
                                                size_t setting_count,
                                                const struct halimede_bytes *elements,
                                                size_t count,
                                                uint8_t *values,
                                                size_t value_bytes,
                                                uint8_t *verdicts);

/**
 * Ethereum's precompiles (EIP-2537), `count` at once (`bls12_381.precompile`).
 *
 * - `inputs`: one per item, any number of bytes each. The input.
 * - The setting "name" ("g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1",
 *   "map_fp2_to_g2"; required): The precompile.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
 * others. All inputs are treated as public: the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_bls12_381_precompile(const struct halimede_device *device,
                                              const struct halimede_setting *settings,
                                              size_t setting_count,
                                              const struct halimede_bytes *inputs,
                                              size_t count,
                                              uint8_t *values,
                                              size_t value_bytes,
                                              uint8_t *verdicts);

/**
 * Verification of KZG openings at a point, `count` at once (`kzg.verify_proof`).
 *
 * - `commitments`: one per item, 48 bytes each. The commitment.
 * - `zs`: one per item, 32 bytes each. The point.
 * - `ys`: one per item, 32 bytes each. The value.
 * - `proofs`: one per item, 48 bytes each. The proof.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_verify_proof(const struct halimede_device *device,
                                          const struct halimede_object *setup,
                                          const struct halimede_bytes *commitments,
                                          const struct halimede_bytes *zs,
                                          const struct halimede_bytes *ys,
                                          const struct halimede_bytes *proofs,
                                          size_t count,
                                          uint8_t *verdicts);

/**
 * Verification of KZG proofs of blobs, `count` at once (`kzg.verify_blob`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `commitments`: one per item, 48 bytes each. The commitment.
 * - `proofs`: one per item, 48 bytes each. The proof.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_verify_blob(const struct halimede_device *device,
                                         const struct halimede_object *setup,
                                         const struct halimede_bytes *blobs,
                                         const struct halimede_bytes *commitments,
                                         const struct halimede_bytes *proofs,
                                         size_t count,
                                         uint8_t *verdicts);

/**
 * KZG commitments to blobs, `count` at once (`kzg.commit`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_commit(const struct halimede_device *device,
                                    const struct halimede_object *setup,
                                    const struct halimede_bytes *blobs,
                                    size_t count,
                                    uint8_t *values,
                                    size_t value_bytes,
                                    uint8_t *verdicts);

/**
 * KZG proofs of the values of blobs at a point, 48 bytes, each followed by the value, `count` at
 * once (`kzg.prove`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `zs`: one per item, 32 bytes each. The point.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_prove(const struct halimede_device *device,
                                   const struct halimede_object *setup,
                                   const struct halimede_bytes *blobs,
                                   const struct halimede_bytes *zs,
                                   size_t count,
                                   uint8_t *values,
                                   size_t value_bytes,
                                   uint8_t *verdicts);

/**
 * KZG proofs of blobs, `count` at once (`kzg.prove_blob`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `commitments`: one per item, 48 bytes each. The commitment.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_prove_blob(const struct halimede_device *device,
                                        const struct halimede_object *setup,
                                        const struct halimede_bytes *blobs,
                                        const struct halimede_bytes *commitments,
                                        size_t count,
                                        uint8_t *values,
                                        size_t value_bytes,
                                        uint8_t *verdicts);

/**
 * The 128 cells of blobs, 2048 bytes each, `count` at once (`kzg.compute_cells`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_compute_cells(const struct halimede_device *device,
                                           const struct halimede_object *setup,
                                           const struct halimede_bytes *blobs,
                                           size_t count,
                                           uint8_t *values,
                                           size_t value_bytes,
                                           uint8_t *verdicts);

/**
 * The 128 cells of blobs, 2048 bytes each, followed by their 128 proofs, 48 bytes each, `count`
 * at once (`kzg.compute_cells_and_proofs`).
 *
 * - `blobs`: one per item, 131072 bytes each. The blob.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_compute_cells_and_proofs(const struct halimede_device *device,
                                                      const struct halimede_object *setup,
                                                      const struct halimede_bytes *blobs,
                                                      size_t count,
                                                      uint8_t *values,
                                                      size_t value_bytes,
                                                      uint8_t *verdicts);

/**
 * The 128 cells of blobs, followed by their 128 proofs, from half of the cells, `count` at once
 * (`kzg.recover_cells_and_proofs`).
 *
 * - `cells_offsets`: uint64_t[count + 1]: the list of item i is the rows cells_offsets[i] to
 *   cells_offsets[i + 1] - 1 of `indices` and `cells`. Cells with their indices, in ascending
 *   order of these.
 * - `indices`: one per row, 1 bytes each. The index of the cell, one byte from 0 to 127.
 * - `cells`: one per row, 2048 bytes each. The cell.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
 *   on the settings; the error of a wrong number says the right one.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_recover_cells_and_proofs(const struct halimede_device *device,
                                                      const struct halimede_object *setup,
                                                      const uint64_t *cells_offsets,
                                                      const struct halimede_bytes *indices,
                                                      const struct halimede_bytes *cells,
                                                      size_t count,
                                                      uint8_t *values,
                                                      size_t value_bytes,
                                                      uint8_t *verdicts);

/**
 * Verification of KZG proofs of cells, `count` at once (`kzg.verify_cell`).
 *
 * - `commitments`: one per item, 48 bytes each. The commitment.
 * - `indices`: one per item, 1 bytes each. The index of the cell, one byte from 0 to 127.
 * - `cells`: one per item, 2048 bytes each. The cell.
 * - `proofs`: one per item, 48 bytes each. The proof.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
 *   the other points are checked when commitments or cells first need them.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_kzg_verify_cell(const struct halimede_device *device,
                                         const struct halimede_object *setup,
                                         const struct halimede_bytes *commitments,
                                         const struct halimede_bytes *indices,
                                         const struct halimede_bytes *cells,
                                         const struct halimede_bytes *proofs,
                                         size_t count,
                                         uint8_t *verdicts);

/**
 * Verification of Groth16 proofs under a verifying key, `count` at once (`groth16.verify`).
 *
 * - `proofs`: one per item, at most 384 bytes each. The proof, compressed, in 192 bytes.
 * - `inputs_offsets`: uint64_t[count + 1]: the list of item i is the rows inputs_offsets[i] to
 *   inputs_offsets[i + 1] - 1 of `inputs`. The public inputs.
 * - `inputs`: one per row, uint8_t[][32], least significant byte first. A public input.
 * - `key`: an object of the kind "groth16-key". The verifying key of a circuit, as `bellman`
 *   writes it. `inputs` is the number of a proof's public inputs.
 * - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
 *
 * `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
 * the time depends on them.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
 * whose message names the row; the statuses of devices.
 */
halimede_status halimede_groth16_verify(const struct halimede_device *device,
                                        const struct halimede_object *key,
                                        const struct halimede_bytes *proofs,
                                        const uint64_t *inputs_offsets,
                                        const uint8_t *inputs,
                                        size_t count,
                                        uint8_t *verdicts);

/**
 * Verifies a block: its proof of work, the root of its transactions, the payments of its first
 * transaction, the scripts and signatures of its transparent inputs, and its shielded proofs and
 * signatures. For an invalid block, the status is HALIMEDE_STATUS_OK, and `verdict` reports it.
 * `verdict` also counts checks that were skipped for lack of data.
 *
 * `block` is uint8_t[length], raw or in hexadecimal, as `getblock HASH 0` of a node prints it.
 * `known` may be NULL. Unless `json` is NULL, `*json` receives a zero-terminated JSON text with
 * each check and its reason, as the command `halimede zcash verify-block --json` prints it. Free
 * it with halimede_text_free().
 *
 * Statuses: HALIMEDE_STATUS_MALFORMED for a malformed block, malformed lines of spent outputs or a
 * malformed state, whose message gives the place; HALIMEDE_STATUS_INVALID_ARGUMENT for another
 * member of `known`; the statuses of pointers and lengths; the statuses of devices.
 */
halimede_status halimede_zcash_verify_block(const struct halimede_device *device,
                                            const uint8_t *block,
                                            size_t length,
                                            const struct halimede_zcash_known *known,
                                            struct halimede_zcash_verdict *verdict,
                                            char **json);

/**
 * Verifies many blocks together, which is faster than one after another. A verdict does not depend
 * on the other blocks. `verdicts`, halimede_zcash_verdict[count], receives a verdict per block.
 *
 * `lengths`, size_t[count], are the lengths of the blocks. `blocks` holds the concatenated blocks,
 * each raw or in hexadecimal. `known` is NULL, or halimede_zcash_known[count] with the known facts
 * about each block.
 *
 * Statuses: as for halimede_zcash_verify_block(), with the number of the block in the message. If
 * the status is not HALIMEDE_STATUS_OK, no verdict is written.
 */
halimede_status halimede_zcash_verify_blocks(const struct halimede_device *device,
                                             const uint8_t *blocks,
                                             const size_t *lengths,
                                             size_t count,
                                             const struct halimede_zcash_known *known,
                                             struct halimede_zcash_verdict *verdicts);

/**
 * Verifies headers with their solutions: their versions, targets, hashes and solutions.
 * `verdicts`, uint8_t[count], receives a halimede_verdict per header.
 *
 * `network` is a halimede_zcash_network. A header consists of 140 bytes, the length of the
 * solution in the encoding of the network, and the solution: 1487 bytes in total, 177 on a
 * regression test network. `headers` holds `count` concatenated headers, `length` bytes in total.
 * Unless `hashes` is NULL, it is uint8_t[count][32], and receives the hashes of the blocks: double
 * SHA-256, in the byte order of headers; nodes print them from the last byte to the first.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for an unknown network; HALIMEDE_STATUS_WRONG_LENGTH
 * if `length` does not match `count`; HALIMEDE_STATUS_MALFORMED for a malformed header; the
 * statuses of pointers and lengths; the statuses of devices.
 */
halimede_status halimede_zcash_verify_headers(const struct halimede_device *device,
                                              uint32_t network,
                                              const uint8_t *headers,
                                              size_t length,
                                              size_t count,
                                              uint8_t *verdicts,
                                              uint8_t *hashes);

/**
 * Frees a text that this library returned. Does nothing for NULL.
 */
void halimede_text_free(char *text);

/**
 * Reads the shape and the counters of an engine of a card, named as in `halimede card report`,
 * e.g. "poseidon". The values are read sequentially, while the engine runs.
 *
 * Statuses: HALIMEDE_STATUS_DEVICE_UNSUPPORTED if the device is not a card, or the card does not
 * have this engine; HALIMEDE_STATUS_DEVICE_FAILED if the card does not answer.
 */
halimede_status halimede_engine_read(const struct halimede_device *device,
                                     const char *engine,
                                     struct halimede_engine_report *report);

/**
 * Sets the mask of the interrupts of an engine that the card passes on: to the interrupt wire of a
 * board, and to halimede_engine_interrupting().
 *
 * Statuses: the statuses of halimede_engine_read(); HALIMEDE_STATUS_INVALID_ARGUMENT for an
 * unknown bit.
 */
halimede_status halimede_engine_enable_interrupts(const struct halimede_device *device,
                                                  const char *engine,
                                                  uint32_t mask);

/**
 * Clears the pending interrupts of an engine that a mask names.
 *
 * Statuses: the statuses of halimede_engine_enable_interrupts().
 */
halimede_status halimede_engine_clear_interrupts(const struct halimede_device *device,
                                                 const char *engine,
                                                 uint32_t mask);

/**
 * Sets `*interrupting` to 1 if an enabled interrupt of an engine is pending, otherwise to 0.
 *
 * Statuses: the statuses of halimede_engine_read().
 */
halimede_status halimede_engine_interrupting(const struct halimede_device *device,
                                             const char *engine,
                                             uint32_t *interrupting);

/**
 * Sets the watchdog of an engine: `clocks` without progress while a request is pending raise
 * HALIMEDE_INTERRUPT_STALLED; 0 disables the watchdog.
 *
 * Statuses: the statuses of halimede_engine_read().
 */
halimede_status halimede_engine_set_watchdog(const struct halimede_device *device,
                                             const char *engine,
                                             uint32_t clocks);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HALIMEDE_H */
