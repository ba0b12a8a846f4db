// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from capi/src by `make generate`: do not edit.
//
// Poseidon hashing with Filecoin's and StarkWare's parameters, BLAKE3, Equihash, ECDSA and Schnorr
// signatures over secp256k1, signatures, openings and proofs over BLS12-381 and Zcash's blocks, in
// batches, on this processor or on a card.
//
// The function of an operation takes columns with a row for each of `count` items, and gives a
// verdict for each. Its settings have the names and values of `halimede batch` and of the service.
//
// Poseidon's elements are canonical integers below their field's modulus: as limbs, uint64_t[4],
// which are numbers and so have this machine's byte order, or as bytes, uint8_t[32]; in both the
// least significant comes first. The rest takes and gives bytes. Arrays have the shapes that the
// functions state, without gaps; an array of none may be NULL. Inputs and outputs must not overlap.
//
// Functions return a status. Where it is not HALIMEDE_STATUS_OK, nothing was written, and
// halimede_last_error() says why. All functions may be called by any number of threads at once;
// a handle must not be used while it is freed. A process that was forked may call all of them as
// well, but opens cards anew. A batch on this processor is spread over as many threads as the
// environment variable RAYON_NUM_THREADS says, or as there are cores.

#ifndef HALIMEDE_H
#define HALIMEDE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version that this header belongs to.
 */
#define HALIMEDE_VERSION "0.1.0"

/**
 * The status that a call returns. Unless it is HALIMEDE_STATUS_OK, the call has written none of
 * its outputs, and halimede_last_error() says what was wrong, with the numbers.
 */
enum halimede_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Done.
   */
  HALIMEDE_STATUS_OK = 0,
  /**
   * A pointer is NULL that must not be.
   */
  HALIMEDE_STATUS_NULL_POINTER = 1,
  /**
   * A pointer is not aligned for what it points to.
   */
  HALIMEDE_STATUS_MISALIGNED = 2,
  /**
   * Two arrays overlap that must not.
   */
  HALIMEDE_STATUS_OVERLAP = 3,
  /**
   * A length is not that of the instance, arrays do not fit each other, or a count is larger
   * than any memory.
   */
  HALIMEDE_STATUS_WRONG_LENGTH = 4,
  /**
   * An element is not below its field's modulus.
   */
  HALIMEDE_STATUS_NOT_REDUCED = 5,
  /**
   * There is no instance of this family and width, or of this name.
   */
  HALIMEDE_STATUS_UNKNOWN_INSTANCE = 6,
  /**
   * A value is not one of those that there are.
   */
  HALIMEDE_STATUS_INVALID_ARGUMENT = 7,
  /**
   * The number of leaves is not that of a full tree.
   */
  HALIMEDE_STATUS_NOT_A_TREE = 8,
  /**
   * The device is not on this machine.
   */
  HALIMEDE_STATUS_DEVICE_UNAVAILABLE = 9,
  /**
   * The device cannot do what was asked.
   */
  HALIMEDE_STATUS_DEVICE_UNSUPPORTED = 10,
  /**
   * The device stopped answering, or answered wrongly.
   */
  HALIMEDE_STATUS_DEVICE_FAILED = 11,
  /**
   * A defect of this library; please report it.
   */
  HALIMEDE_STATUS_INTERNAL = 12,
  /**
   * Bytes are not what they are given as, such as a block; the message says at which byte.
   */
  HALIMEDE_STATUS_MALFORMED = 13,
  /**
   * A file cannot be read, or is longer than what it is read for.
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
 * The families of instances.
 */
enum halimede_family
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Filecoin's: the scalar field of BLS12-381, x^5.
   */
  HALIMEDE_FAMILY_FILECOIN = 0,
  /**
   * The same with a quarter more partial rounds.
   */
  HALIMEDE_FAMILY_FILECOIN_STRENGTHENED = 1,
  /**
   * StarkWare's: p = 2^251 + 17 * 2^192 + 1, x^3.
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
 * The number of partial rounds.
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
   * An application's own, with a number from 1 to 256.
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
   * Derives a key from key material, the message, for the purpose that a context names.
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
 * The verdict on an item. The functions of operations write it for each item; where it is not
 * HALIMEDE_VERDICT_VALID, the item's other outputs are zeros.
 */
enum halimede_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Nothing was checked: memory of zeros reads as this, so that it is never valid.
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
   * The signature is not of its format, or not a point of its group.
   */
  HALIMEDE_VERDICT_SIGNATURE = 3,
  /**
   * s is above n/2, and the rules ask for the lower one.
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
   * It leads to the point at infinity.
   */
  HALIMEDE_VERDICT_INFINITY = 7,
  /**
   * All parts can be read, and do not belong together.
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
   * No point of the curve has the x that r says.
   */
  HALIMEDE_VERDICT_NOT_ON_CURVE = 12,
  /**
   * An aggregate has no keys, or not as many as messages.
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
   * A proof has another length, or a part of it is not a point of its group.
   */
  HALIMEDE_VERDICT_PROOF = 16,
  /**
   * The point or the value of an opening is not a number below the order of the groups.
   */
  HALIMEDE_VERDICT_SCALAR = 17,
  /**
   * A blob has another length, or an element that is not below the order of the groups.
   */
  HALIMEDE_VERDICT_BLOB = 18,
  /**
   * Public inputs are not as many as the key takes, or not below the order of the groups.
   */
  HALIMEDE_VERDICT_INPUTS = 19,
  /**
   * Not an item of the operation: a field has another length or form.
   */
  HALIMEDE_VERDICT_MALFORMED = 20,
  /**
   * The hash of a block header does not meet the header's target.
   */
  HALIMEDE_VERDICT_DIFFICULTY = 21,
  /**
   * An index of an Equihash solution stands twice.
   */
  HALIMEDE_VERDICT_DUPLICATE = 22,
  /**
   * Subtrees of an Equihash solution stand in the wrong order.
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
   * The version or the target of a block header is not one of its network.
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
   * A regression test's own.
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
 * Verdicts on blocks. None is 0: memory that nobody wrote to has no verdict.
 */
enum halimede_zcash_block_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Each rule that the block and what is given can decide was checked and holds.
   */
  HALIMEDE_ZCASH_BLOCK_VERDICT_VALID = 1,
  /**
   * A rule does not hold.
   */
  HALIMEDE_ZCASH_BLOCK_VERDICT_INVALID = 2,
  /**
   * Nothing failed, and something was not checked.
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
 * An interrupt of a card's engine; a mask of them has the bit 1 << HALIMEDE_INTERRUPT_ERROR and so
 * on.
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
   * The last request inside was answered.
   */
  HALIMEDE_INTERRUPT_IDLE = 2,
  /**
   * The watchdog's clocks have passed without progress.
   */
  HALIMEDE_INTERRUPT_STALLED = 3,
  /**
   * A memory's word with a flipped bit was noticed, and the engine has failed.
   */
  HALIMEDE_INTERRUPT_MEMORY_ERROR = 4,
  /**
   * The engine has failed because nothing moved.
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
 * BLAKE3 of bytes as they come, on this processor, in memory of a fixed size. Where it has a key
 * or a context, its memory is wiped when it is freed.
 *
 * Threads may share one that none of them updates, resets or frees.
 */
typedef struct halimede_blake3_hasher halimede_blake3_hasher;

/**
 * An open device: where a call's work is done. Wherever one is taken, NULL is this processor.
 *
 * A device may be used by any number of threads at once; batches on one card follow each other.
 */
typedef struct halimede_device halimede_device;

/**
 * Rules for signatures, and the keys that were parsed by it. Threads may share one that none of
 * them frees; a process that was forked keeps no keys.
 */
typedef struct halimede_ecdsa_verifier halimede_ecdsa_verifier;

/**
 * A file that was read and checked, such as the trusted setup of KZG openings. Threads may share one
 * that none of them frees.
 */
typedef struct halimede_object halimede_object;

/**
 * Starknet's hash_many of elements as they come, on the calling thread, in memory of a fixed
 * size.
 *
 * Threads may share one that none of them updates or frees.
 */
typedef struct halimede_starknet_hasher halimede_starknet_hasher;

/**
 * Settings of halimede_device_open(); all zero is the default.
 */
typedef struct halimede_device_options {
  /**
   * Milliseconds without any progress after which a card has failed; 0 is 10,000, and 60,000
   * for a simulated card.
   */
  uint32_t time_limit_ms;
  /**
   * Unless 0, this processor answers what the device cannot or has failed at, and everything
   * where it cannot be opened.
   */
  uint32_t fallback;
} halimede_device_options;

/**
 * An instance's numbers.
 */
typedef struct halimede_instance_info {
  /**
   * A halimede_family.
   */
  uint32_t family;
  /**
   * Elements in the state, t.
   */
  uint32_t width;
  /**
   * Full rounds, half of them before and half after the partial rounds.
   */
  uint32_t full_rounds;
  /**
   * Partial rounds.
   */
  uint32_t partial_rounds;
  /**
   * The exponent of the S-box.
   */
  uint32_t alpha;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * The field's modulus, least significant limb first.
   */
  uint64_t modulus[4];
} halimede_instance_info;

/**
 * Which of Filecoin's hashes; all zero but the arity is that of a Merkle tree's nodes.
 */
typedef struct halimede_filecoin_hasher {
  /**
   * Elements hashed at once.
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
   * The number, from 1 to 256, where the type is HALIMEDE_HASH_TYPE_CUSTOM; else 0.
   */
  uint32_t custom_id;
} halimede_filecoin_hasher;

/**
 * What BLAKE3 computes; all zero is the plain hash, as is NULL wherever one is taken.
 *
 * The library keeps no copy of the key beyond the call, but in a hasher, and wipes its own.
 */
typedef struct halimede_blake3_mode {
  /**
   * A halimede_blake3_kind.
   */
  uint32_t kind;
  /**
   * uint8_t[32] where the kind is HALIMEDE_BLAKE3_KIND_KEYED; else NULL.
   */
  const uint8_t *key;
  /**
   * A text, UTF-8, that ends with a zero, where the kind is HALIMEDE_BLAKE3_KIND_DERIVE_KEY;
   * else NULL. It should be written in the program, unique in the world and say what the key is
   * for.
   */
  const char *context;
} halimede_blake3_mode;

/**
 * A setting of an operation, by the names and values of the command and of HTTP.
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
 * Bytes that lie anywhere: a key, a message, a signature, a point.
 */
typedef struct halimede_bytes {
  /**
   * uint8_t[length]; it may be NULL where there are none.
   */
  const uint8_t *data;
  /**
   * How many there are.
   */
  size_t length;
} halimede_bytes;

/**
 * Known facts of a block besides its bytes. All zero means none, on the main network.
 */
typedef struct halimede_zcash_known {
  /**
   * A halimede_zcash_network.
   */
  uint32_t network;
  /**
   * Unless 0, `height` is the block's. Otherwise what the first transaction claims is taken, and
   * the verdict is incomplete.
   */
  uint32_t has_height;
  /**
   * The block's height.
   */
  uint32_t height;
  /**
   * The consensus branch, in hexadecimal as nodes print it, a text that ends with a zero; where
   * NULL, that of the height.
   */
  const char *branch;
  /**
   * Outputs of earlier blocks that the block spends: a JSON object a line, with "txid" (as
   * nodes print it), "vout", "value" (zatoshi) and "script" (hexadecimal). It is
   * char[spent_length]. An input whose output is not known is incomplete.
   */
  const char *spent;
  /**
   * Bytes of `spent`.
   */
  size_t spent_length;
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
   * A halimede_verdict on the proof of work: the first check that failed.
   */
  uint32_t proof_of_work;
  /**
   * Transparent inputs whose scripts and signatures hold.
   */
  size_t inputs_valid;
  /**
   * Inputs that do not verify.
   */
  size_t inputs_invalid;
  /**
   * Inputs that could not be checked, since too little is known.
   */
  size_t inputs_incomplete;
  /**
   * Things that were not checked, all kinds together; the JSON names and counts them.
   */
  size_t unchecked;
  /**
   * The block's hash, in the order that headers have it, which nodes print from the last byte
   * to the first.
   */
  uint8_t hash[32];
} halimede_zcash_verdict;

/**
 * What an engine of a card is and has done since the hardware reset.
 */
typedef struct halimede_engine_report {
  /**
   * Clocks with a request inside.
   */
  uint64_t busy_clocks;
  /**
   * Clocks in which it would have taken a beat of a request and none was there.
   */
  uint64_t starved_clocks;
  /**
   * Clocks in which a beat of a reply was not taken.
   */
  uint64_t blocked_clocks;
  /**
   * Requests answered with a status other than ok.
   */
  uint64_t errors;
  /**
   * Frames handed to the engine.
   */
  uint64_t requests;
  /**
   * Frames that came from it.
   */
  uint64_t replies;
  /**
   * Clocks in which a memory's word with a flipped bit was noticed.
   */
  uint64_t memory_errors;
  /**
   * Failures of the engine because nothing moved.
   */
  uint64_t time_outs;
  /**
   * Its own counters, in the order of its window in docs/card.md; 0 behind the last.
   */
  uint64_t counters[16];
  /**
   * What is built, in the order of its window; 0 behind the last.
   */
  uint32_t shape[8];
  /**
   * How many of `counters` it has.
   */
  uint32_t counter_count;
  /**
   * How many of `shape` it has.
   */
  uint32_t shape_count;
  /**
   * Bytes of requests that may wait for it without holding up anything else.
   */
  uint32_t queue_bytes;
  /**
   * Mask of the interrupts that have happened since they were last cleared.
   */
  uint32_t interrupts_pending;
  /**
   * Mask of the interrupts that the card passes on.
   */
  uint32_t interrupts_enabled;
} halimede_engine_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The message of this thread's last call that returned a status; empty where it was
 * HALIMEDE_STATUS_OK. UTF-8. It is valid until this thread's next such call.
 */
const char *halimede_last_error(void);

/**
 * The name of a status, e.g. "HALIMEDE_STATUS_NOT_REDUCED"; "unknown status" for another
 * number. The string is never freed.
 */
const char *halimede_status_name(int32_t status);

/**
 * Opens a device: "cpu", "sim" (a card simulated from its RTL, in a process that is started),
 * "sim:SOCKET", "xdma:PREFIX", "f2:PREFIX" or "uart:PATH[@BAUD]".
 *
 * `options` may be NULL. `*device` is to be closed with halimede_device_close().
 *
 * Statuses: HALIMEDE_STATUS_DEVICE_UNAVAILABLE, whose message says what to do.
 */
halimede_status halimede_device_open(const char *name,
                                     const struct halimede_device_options *options,
                                     struct halimede_device **device);

/**
 * Closes a device, and ends the simulator where there is one. NULL is closed already.
 *
 * No call may be using it, and none may afterwards.
 */
void halimede_device_close(struct halimede_device *device);

/**
 * The version of the library that is running, "MAJOR.MINOR.PATCH"; HALIMEDE_VERSION is the one
 * that was compiled against. It is valid for ever.
 */
const char *halimede_version(void);

/**
 * Which of this processor's instructions are used: "portable", "neon", "sse41", "avx2", "adx",
 * "avx512" or "avx512ifma". The best that is here, unless the environment variable
 * HALIMEDE_BACKEND named another when it was first asked for. It is valid for ever.
 */
const char *halimede_backend(void);

/**
 * The numbers of the instance of this halimede_family with `width` state elements.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message says which widths there are.
 */
halimede_status halimede_instance(uint32_t family,
                                  size_t width,
                                  struct halimede_instance_info *info);

/**
 * The numbers of the instance of this name: "filecoin-ARITY", "filecoin-ARITY-strengthened" (the
 * width is the arity and one) or "stark-WIDTH".
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message says which names there are.
 */
halimede_status halimede_instance_by_name(const char *name, struct halimede_instance_info *info);

/**
 * Permutes states in place.
 *
 * `family` is a halimede_family, `states` is uint64_t[count][width][4]: canonical integers below
 * the modulus, least significant limb first. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, HALIMEDE_STATUS_NOT_REDUCED, those of pointers and
 * lengths, those of devices.
 */
halimede_status halimede_permute(const struct halimede_device *device,
                                 uint32_t family,
                                 size_t width,
                                 uint64_t *states,
                                 size_t count);

/**
 * halimede_permute() in bytes: `states` is uint8_t[count][width][32], least significant first.
 */
halimede_status halimede_permute_bytes(const struct halimede_device *device,
                                       uint32_t family,
                                       size_t width,
                                       uint8_t *states,
                                       size_t count);

/**
 * Filecoin's hash of each preimage.
 *
 * `preimages` is uint64_t[count][length][4]: canonical integers below the modulus, least
 * significant limb first; `digests` is uint64_t[count][4], elsewhere. `length` is the hasher's
 * arity, or from 1 to the arity where its type is HALIMEDE_HASH_TYPE_CONSTANT_LENGTH. `count` may
 * be 0.
 *
 * Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for an unknown arity,
 * HALIMEDE_STATUS_INVALID_ARGUMENT for another member, HALIMEDE_STATUS_NOT_REDUCED, those of
 * pointers and lengths, those of devices.
 */
halimede_status halimede_filecoin_hash(const struct halimede_device *device,
                                       const struct halimede_filecoin_hasher *hasher,
                                       const uint64_t *preimages,
                                       size_t count,
                                       size_t length,
                                       uint64_t *digests);

/**
 * halimede_filecoin_hash() in bytes: `preimages` is uint8_t[count][length][32], `digests`
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_filecoin_hash_bytes(const struct halimede_device *device,
                                             const struct halimede_filecoin_hasher *hasher,
                                             const uint8_t *preimages,
                                             size_t count,
                                             size_t length,
                                             uint8_t *digests);

/**
 * The root of the full Merkle tree over these leaves, by Filecoin's hash of this arity and
 * halimede_strength.
 *
 * `leaves` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
 * first; `root` is uint64_t[4], elsewhere. `count` is a power of the arity, at least the arity.
 *
 * Statuses: HALIMEDE_STATUS_NOT_A_TREE, HALIMEDE_STATUS_UNKNOWN_INSTANCE for an arity that there
 * is not, HALIMEDE_STATUS_INVALID_ARGUMENT for the strength, HALIMEDE_STATUS_NOT_REDUCED, those
 * of pointers and lengths, those of devices.
 */
halimede_status halimede_tree_root(const struct halimede_device *device,
                                   size_t arity,
                                   uint32_t strength,
                                   const uint64_t *leaves,
                                   size_t count,
                                   uint64_t *root);

/**
 * halimede_tree_root() in bytes: `leaves` is uint8_t[count][32], `root` uint8_t[32], least
 * significant first.
 */
halimede_status halimede_tree_root_bytes(const struct halimede_device *device,
                                         size_t arity,
                                         uint32_t strength,
                                         const uint8_t *leaves,
                                         size_t count,
                                         uint8_t *root);

/**
 * Starknet's hash(x, y) of each pair.
 *
 * `pairs` is uint64_t[count][2][4]: canonical integers below the modulus, least significant limb
 * first; `digests` is uint64_t[count][4], elsewhere. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_NOT_REDUCED, those of pointers and lengths, those of devices.
 */
halimede_status halimede_starknet_hash(const struct halimede_device *device,
                                       const uint64_t *pairs,
                                       size_t count,
                                       uint64_t *digests);

/**
 * halimede_starknet_hash() in bytes: `pairs` is uint8_t[count][2][32], `digests`
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_bytes(const struct halimede_device *device,
                                             const uint8_t *pairs,
                                             size_t count,
                                             uint8_t *digests);

/**
 * Starknet's hash_single(x) of each element.
 *
 * `elements` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
 * first; `digests` is uint64_t[count][4], elsewhere. `count` may be 0.
 *
 * Statuses: those of halimede_starknet_hash().
 */
halimede_status halimede_starknet_hash_single(const struct halimede_device *device,
                                              const uint64_t *elements,
                                              size_t count,
                                              uint64_t *digests);

/**
 * halimede_starknet_hash_single() in bytes: `elements` and `digests` are uint8_t[count][32],
 * least significant first.
 */
halimede_status halimede_starknet_hash_single_bytes(const struct halimede_device *device,
                                                    const uint8_t *elements,
                                                    size_t count,
                                                    uint8_t *digests);

/**
 * Starknet's hash_many(x...) of messages of one length.
 *
 * `elements` is uint64_t[count][length][4]: canonical integers below the modulus, least
 * significant limb first; `digests` is uint64_t[count][4], elsewhere. Both numbers may be 0.
 *
 * Statuses: those of halimede_starknet_hash().
 */
halimede_status halimede_starknet_hash_many(const struct halimede_device *device,
                                            const uint64_t *elements,
                                            size_t count,
                                            size_t length,
                                            uint64_t *digests);

/**
 * halimede_starknet_hash_many() in bytes: `elements` is uint8_t[count][length][32], `digests`
 * uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_many_bytes(const struct halimede_device *device,
                                                  const uint8_t *elements,
                                                  size_t count,
                                                  size_t length,
                                                  uint8_t *digests);

/**
 * Starknet's hash_many(x...) of messages of any lengths, one after another.
 *
 * `elements` is uint64_t[element_count][4]: canonical integers below the modulus, least
 * significant limb first. `offsets` is uint64_t[count + 1]: message i begins at element
 * offsets[i] and ends before element offsets[i + 1]; the first is 0 and the last `element_count`.
 * `digests` is uint64_t[count][4], elsewhere.
 *
 * Statuses: those of halimede_starknet_hash(); HALIMEDE_STATUS_WRONG_LENGTH for the offsets.
 */
halimede_status halimede_starknet_hash_many_offsets(const struct halimede_device *device,
                                                    const uint64_t *elements,
                                                    size_t element_count,
                                                    const uint64_t *offsets,
                                                    size_t count,
                                                    uint64_t *digests);

/**
 * halimede_starknet_hash_many_offsets() in bytes: `elements` is uint8_t[element_count][32],
 * `digests` uint8_t[count][32], least significant first.
 */
halimede_status halimede_starknet_hash_many_offsets_bytes(const struct halimede_device *device,
                                                          const uint8_t *elements,
                                                          size_t element_count,
                                                          const uint64_t *offsets,
                                                          size_t count,
                                                          uint8_t *digests);

/**
 * A hasher that has absorbed nothing; to be freed with halimede_starknet_hasher_free().
 */
halimede_status halimede_starknet_hasher_new(struct halimede_starknet_hasher **hasher);

/**
 * A second hasher that has absorbed the same: a common beginning is hashed once. Each is to be
 * freed with halimede_starknet_hasher_free().
 */
halimede_status halimede_starknet_hasher_clone(const struct halimede_starknet_hasher *hasher,
                                               struct halimede_starknet_hasher **copy);

/**
 * Absorbs elements in their order; one that is not below the modulus leaves the hasher as it
 * was.
 *
 * `elements` is uint64_t[count][4]: canonical integers, least significant limb first. `count` may
 * be 0.
 *
 * Statuses: HALIMEDE_STATUS_NOT_REDUCED, those of pointers and lengths.
 */
halimede_status halimede_starknet_hasher_update(struct halimede_starknet_hasher *hasher,
                                                const uint64_t *elements,
                                                size_t count);

/**
 * halimede_starknet_hasher_update() in bytes: `elements` is uint8_t[count][32], least significant
 * first.
 */
halimede_status halimede_starknet_hasher_update_bytes(struct halimede_starknet_hasher *hasher,
                                                      const uint8_t *elements,
                                                      size_t count);

/**
 * The digest of all that was absorbed: uint64_t[4], least significant limb first. The hasher
 * stays as it is, so that more may follow.
 *
 * Statuses: those of pointers.
 */
halimede_status halimede_starknet_hasher_digest(const struct halimede_starknet_hasher *hasher,
                                                uint64_t *digest);

/**
 * halimede_starknet_hasher_digest() in bytes: uint8_t[32], least significant first.
 */
halimede_status halimede_starknet_hasher_digest_bytes(const struct halimede_starknet_hasher *hasher,
                                                      uint8_t *digest);

/**
 * Frees a hasher. NULL is free already.
 */
void halimede_starknet_hasher_free(struct halimede_starknet_hasher *hasher);

/**
 * BLAKE3 of one message: `output` is its extended output from byte `seek` on, whose first 32
 * bytes (`seek` 0, `output_length` 32) are the digest.
 *
 * `message` is uint8_t[length], `output` uint8_t[output_length], elsewhere. A long message is
 * spread over the cores.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, or where `seek` and
 * `output_length` together exceed 2^64 - 1; those of pointers and lengths, those of devices.
 */
halimede_status halimede_blake3_hash(const struct halimede_device *device,
                                     const struct halimede_blake3_mode *mode,
                                     const uint8_t *message,
                                     size_t length,
                                     uint64_t seek,
                                     uint8_t *output,
                                     size_t output_length);

/**
 * BLAKE3's digests of messages of any lengths, which lie in one array.
 *
 * `data` is uint8_t[data_length] and `offsets` uint64_t[count + 1], as Arrow has them: message i
 * is the bytes from offsets[i] to before offsets[i + 1]. None is below the one before it or above
 * `data_length`. `digests` is uint8_t[count][32], elsewhere. `count` may be 0.
 *
 * Statuses: HALIMEDE_STATUS_WRONG_LENGTH for the offsets, HALIMEDE_STATUS_INVALID_ARGUMENT for a
 * member of the mode, those of pointers and lengths, those of devices.
 */
halimede_status halimede_blake3_hash_many(const struct halimede_device *device,
                                          const struct halimede_blake3_mode *mode,
                                          const uint8_t *data,
                                          size_t data_length,
                                          const uint64_t *offsets,
                                          size_t count,
                                          uint8_t *digests);

/**
 * halimede_blake3_hash_many() of messages that lie anywhere: message i is
 * uint8_t[lengths[i]] at messages[i], and may be NULL where it has no bytes.
 *
 * `messages` and `lengths` have `count` entries; `digests` is uint8_t[count][32], elsewhere.
 *
 * Statuses: those of halimede_blake3_hash_many(); the message says which message it is.
 */
halimede_status halimede_blake3_hash_many_pointers(const struct halimede_device *device,
                                                   const struct halimede_blake3_mode *mode,
                                                   const uint8_t *const *messages,
                                                   const size_t *lengths,
                                                   size_t count,
                                                   uint8_t *digests);

/**
 * A hasher that has absorbed nothing; to be freed with halimede_blake3_hasher_free().
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, those of pointers.
 */
halimede_status halimede_blake3_hasher_new(const struct halimede_blake3_mode *mode,
                                           struct halimede_blake3_hasher **hasher);

/**
 * A second hasher that has absorbed the same: a common beginning is hashed once. Each is to be
 * freed with halimede_blake3_hasher_free().
 */
halimede_status halimede_blake3_hasher_clone(const struct halimede_blake3_hasher *hasher,
                                             struct halimede_blake3_hasher **copy);

/**
 * Absorbs the next `length` bytes of the message, which may be 0. Many at once are spread over the
 * cores.
 *
 * Statuses: those of pointers and lengths.
 */
halimede_status halimede_blake3_hasher_update(struct halimede_blake3_hasher *hasher,
                                              const uint8_t *bytes,
                                              size_t length);

/**
 * The extended output of all that was absorbed: uint8_t[length] from byte `seek` on, whose first
 * 32 bytes (`seek` 0, `length` 32) are the digest. The hasher stays as it is, so that more may
 * follow.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT where `seek` and `length` together exceed 2^64 - 1,
 * those of pointers and lengths.
 */
halimede_status halimede_blake3_hasher_digest(const struct halimede_blake3_hasher *hasher,
                                              uint64_t seek,
                                              uint8_t *output,
                                              size_t length);

/**
 * Forgets all that the hasher has absorbed; its mode and its key stay.
 *
 * Statuses: those of pointers.
 */
halimede_status halimede_blake3_hasher_reset(struct halimede_blake3_hasher *hasher);

/**
 * Frees a hasher. NULL is free already.
 */
void halimede_blake3_hasher_free(struct halimede_blake3_hasher *hasher);

/**
 * A word for a halimede_verdict, e.g. "valid" or "mismatch"; "unknown verdict" for another number.
 * The string is never freed.
 */
const char *halimede_verdict_name(uint32_t verdict);

/**
 * A verifier; to be freed with halimede_ecdsa_verifier_free(). `cached_keys` is the most compressed keys
 * to keep once they are parsed, about 100 bytes each; 0 for none.
 *
 * - The setting "format" ("der", "der-lax", "compact"; "der" by default): DER by the rules of BIP 66
 *   without the byte of the hash type, as blocks before them have it, or r and s in 64 bytes.
 * - The setting "low-s" ("false", "true"; "false" by default): Whether an s above n/2 is rejected.
 * - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none" by
 *   default): The function that makes the digest of a message; none of a digest. A digest of
 *   "any-length" may have other than 32 bytes: the leftmost 32 count.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting or `cached_keys`, those of pointers.
 */
halimede_status halimede_ecdsa_verifier_new(const struct halimede_setting *settings,
                                            size_t setting_count,
                                            size_t cached_keys,
                                            struct halimede_ecdsa_verifier **verifier);

/**
 * Checks signatures: `verdicts`, uint8_t[count], gets a halimede_verdict for each of the rows. A bad row
 * does the others no harm.
 *
 * - `keys`: one for each row, uint8_t[33] or [65]; an invalid one gets HALIMEDE_VERDICT_KEY.
 * - `digests`: one for each row, 32 bytes; any number of bytes with a "hash".
 * - `signatures`: one for each row, in the format of the rules.
 *
 * `verifier` may be NULL, which is one without settings and keys. All that is given is
 * taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_WRONG_LENGTH for a digest of another length, those of pointers and
 * lengths, whose message says which row it is, those of devices.
 */
halimede_status halimede_ecdsa_verify(const struct halimede_device *device,
                                      const struct halimede_ecdsa_verifier *verifier,
                                      const struct halimede_bytes *keys,
                                      const struct halimede_bytes *digests,
                                      const struct halimede_bytes *signatures,
                                      size_t count,
                                      uint8_t *verdicts);

/**
 * Frees a verifier. NULL is free already.
 */
void halimede_ecdsa_verifier_free(struct halimede_ecdsa_verifier *verifier);

/**
 * Reads an object from its file's content, uint8_t[length]; to be freed with halimede_object_free().
 *
 * The functions that take an object say its kind, e.g. "kzg-setup".
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for the kind, HALIMEDE_STATUS_MALFORMED, whose message
 * says what is wrong; those of pointers and lengths.
 */
halimede_status halimede_object_new(const char *kind,
                                    const uint8_t *content,
                                    size_t length,
                                    struct halimede_object **object);

/**
 * The same, read from the file with this path.
 *
 * Statuses: HALIMEDE_STATUS_UNREADABLE for the file, those of halimede_object_new().
 */
halimede_status halimede_object_open(const char *kind,
                                     const char *path,
                                     struct halimede_object **object);

/**
 * Frees an object. NULL is free already.
 */
void halimede_object_free(struct halimede_object *object);

/**
 * A number by which an object is used, by its name: "inputs" of a "groth16-key" is the number of a
 * proof's public inputs.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT where the object has no such number, those of pointers.
 */
halimede_status halimede_object_number(const struct halimede_object *object,
                                       const char *name,
                                       uint64_t *number);

/**
 * Checks of Equihash solutions of block headers, and of the headers' difficulty, `count` at once
 * (`equihash.verify`).
 *
 * - `headers`: one for each item, at most 65536 bytes each. The block header with its nonce,
 *   without the solution: 140 bytes. Where `difficulty` is false, this processor takes any input
 *   of a puzzle.
 * - `solutions`: one for each item, at most 65536 bytes each. The solution in its minimal form:
 *   1344 bytes for (200, 9), 36 for (48, 5).
 * - The setting "n" (8 to 512; "200" by default): Bits of a hash.
 * - The setting "k" (3 to 32; "9" by default): Levels of a solution's tree: it has 2^k indices.
 * - The setting "difficulty" ("false", "true"; "true" by default): Whether the header's hash must
 *   meet its target.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
 */
halimede_status halimede_equihash_verify(const struct halimede_device *device,
                                         const struct halimede_setting *settings,
                                         size_t setting_count,
                                         const struct halimede_bytes *headers,
                                         const struct halimede_bytes *solutions,
                                         size_t count,
                                         uint8_t *verdicts);

/**
 * Public keys, or addresses of Ethereum, that ECDSA signatures were made with, `count` at once
 * (`secp256k1.recover`).
 *
 * - `digests`: one for each item, any number of bytes each. The digest, in 32 bytes; the message
 *   where `hash` is set.
 * - `signatures`: one for each item, 65 bytes each. r, s and the recovery id.
 * - The setting "answer" ("key", "address"; "key" by default): The key, x and y, or the address.
 * - The setting "numbering" ("plain", "ethereum"; "plain" by default): Recovery ids: 0 to 3, or
 *   Ethereum's 27 and 28.
 * - The setting "low-s" ("false", "true"; "false" by default): Whether an s above n/2 is
 *   rejected.
 * - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none"
 *   by default): The function that makes the digest of a message; none of a digest. A digest of
 *   `any-length` may have other than 32 bytes: the leftmost 32 count.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of Schnorr signatures (BIP 340), `count` at once (`secp256k1.verify_schnorr`).
 *
 * - `keys`: one for each item, 32 bytes each. x of the public key.
 * - `messages`: one for each item, any number of bytes each. The message.
 * - `signatures`: one for each item, 64 bytes each. r and s.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
 */
halimede_status halimede_secp256k1_verify_schnorr(const struct halimede_device *device,
                                                  const struct halimede_bytes *keys,
                                                  const struct halimede_bytes *messages,
                                                  const struct halimede_bytes *signatures,
                                                  size_t count,
                                                  uint8_t *verdicts);

/**
 * Checks of BLS signatures, `count` at once (`bls12_381.verify_signature`).
 *
 * - `keys`: one for each item, at most 192 bytes each. The public key, compressed.
 * - `messages`: one for each item, any number of bytes each. The message.
 * - `signatures`: one for each item, at most 192 bytes each. The signature, compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): Keys in G1 and signatures in
 *   G2, or the other way round.
 * - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): Basic, message augmentation,
 *   or proof of possession, as Ethereum has it.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of sums of BLS signatures of one message (FastAggregateVerify), `count` at once
 * (`bls12_381.verify_aggregate`).
 *
 * - `keys_offsets`: uint64_t[count + 1]: the list of item i has the rows from keys_offsets[i] to
 *   before keys_offsets[i + 1] of `keys`. The public keys, each with a proof of possession that
 *   was verified.
 * - `keys`: one for each row, at most 192 bytes each. The public key, compressed.
 * - `messages`: one for each item, any number of bytes each. The message.
 * - `signatures`: one for each item, at most 192 bytes each. The sum of the signatures,
 *   compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): Keys in G1 and signatures in
 *   G2, or the other way round.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of sums of BLS signatures of a message each (AggregateVerify), `count` at once
 * (`bls12_381.verify_aggregate_of_messages`).
 *
 * - `signers_offsets`: uint64_t[count + 1]: the list of item i has the rows from
 *   signers_offsets[i] to before signers_offsets[i + 1] of `keys` and `messages`. The signers.
 * - `keys`: one for each row, at most 192 bytes each. The public key, compressed.
 * - `messages`: one for each row, any number of bytes each. The message.
 * - `signatures`: one for each item, at most 192 bytes each. The sum of the signatures,
 *   compressed.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): Keys in G1 and signatures in
 *   G2, or the other way round.
 * - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): Basic, message augmentation,
 *   or proof of possession, as Ethereum has it.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of proofs of possession of BLS secret keys (PopVerify), `count` at once
 * (`bls12_381.verify_possession`).
 *
 * - `keys`: one for each item, at most 192 bytes each. The public key, compressed.
 * - `proofs`: one for each item, at most 192 bytes each. The proof, a signature of the key.
 * - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): Keys in G1 and signatures in
 *   G2, or the other way round.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
 */
halimede_status halimede_bls12_381_verify_possession(const struct halimede_device *device,
                                                     const struct halimede_setting *settings,
                                                     size_t setting_count,
                                                     const struct halimede_bytes *keys,
                                                     const struct halimede_bytes *proofs,
                                                     size_t count,
                                                     uint8_t *verdicts);

/**
 * Whether products of pairings are 1, `count` at once (`bls12_381.pairing_check`).
 *
 * - `pairs_offsets`: uint64_t[count + 1]: the list of item i has the rows from pairs_offsets[i]
 *   to before pairs_offsets[i + 1] of `g1` and `g2`. Points that are paired.
 * - `g1`: one for each row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
 * - `g2`: one for each row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * - `pairs_offsets`: uint64_t[count + 1]: the list of item i has the rows from pairs_offsets[i]
 *   to before pairs_offsets[i + 1] of `g1` and `g2`. Points that are paired.
 * - `g1`: one for each row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
 * - `g2`: one for each row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * - `points_offsets`: uint64_t[count + 1]: the list of item i has the rows from points_offsets[i]
 *   to before points_offsets[i + 1] of `points`. The points.
 * - `points`: one for each row, at most 192 bytes each. A point of the group, compressed or not.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Sums of multiples of points of a group, `count` at once (`bls12_381.sum_of_multiples`).
 *
 * - `terms_offsets`: uint64_t[count + 1]: the list of item i has the rows from terms_offsets[i]
 *   to before terms_offsets[i + 1] of `points` and `factors`. The points and their factors,
 *   modulo the order of the groups.
 * - `points`: one for each row, at most 192 bytes each. A point of the group, compressed or not.
 * - `factors`: one for each row, uint8_t[][32], least significant byte first. The factor.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Messages hashed to a group (RFC 9380), `count` at once (`bls12_381.hash_to_curve`).
 *
 * - `messages`: one for each item, any number of bytes each. The message.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - The setting "domain" (text of at most 1024 bytes; required): The domain separation tag.
 * - The setting "encode" ("false", "true"; "false" by default): `encode_to_curve` and not
 *   `hash_to_curve`.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Elements of the coordinates' field mapped to a group (RFC 9380), `count` at once
 * (`bls12_381.map_to_curve`).
 *
 * - `elements`: one for each item, at most 96 bytes each. The element, most significant byte
 *   first; in G2 two, constant term first.
 * - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * - `inputs`: one for each item, any number of bytes each. The input.
 * - The setting "name" ("g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1",
 *   "map_fp2_to_g2"; required): The precompile.
 * - `values`: uint8_t[count][value_bytes] gets the value of each item. `value_bytes` is what the
 *   settings call for; another number is refused with the right one.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL, and `settings` where there are none. A bad item does the others no harm.
 * All that is given is taken to be public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of KZG openings at a point, `count` at once (`kzg.verify_proof`).
 *
 * - `commitments`: one for each item, 48 bytes each. The commitment.
 * - `zs`: one for each item, 32 bytes each. The point.
 * - `ys`: one for each item, 32 bytes each. The value.
 * - `proofs`: one for each item, 48 bytes each. The proof.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification needs one point of it, τ in G2, which is checked against τ in G1; the other
 *   points are checked to be digits.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
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
 * Checks of KZG proofs of blobs, `count` at once (`kzg.verify_blob`).
 *
 * - `blobs`: one for each item, 131072 bytes each. The blob.
 * - `commitments`: one for each item, 48 bytes each. The commitment.
 * - `proofs`: one for each item, 48 bytes each. The proof.
 * - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
 *   Verification needs one point of it, τ in G2, which is checked against τ in G1; the other
 *   points are checked to be digits.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
 */
halimede_status halimede_kzg_verify_blob(const struct halimede_device *device,
                                         const struct halimede_object *setup,
                                         const struct halimede_bytes *blobs,
                                         const struct halimede_bytes *commitments,
                                         const struct halimede_bytes *proofs,
                                         size_t count,
                                         uint8_t *verdicts);

/**
 * Checks of Groth16 proofs under a verifying key, `count` at once (`groth16.verify`).
 *
 * - `proofs`: one for each item, at most 384 bytes each. The proof, compressed, in 192 bytes.
 * - `inputs_offsets`: uint64_t[count + 1]: the list of item i has the rows from inputs_offsets[i]
 *   to before inputs_offsets[i + 1] of `inputs`. The public inputs.
 * - `inputs`: one for each row, uint8_t[][32], least significant byte first. A public input.
 * - `key`: an object of the kind "groth16-key". The verifying key of a circuit, as `bellman`
 *   writes it. `inputs` is the number of a proof's public inputs.
 * - `verdicts`: uint8_t[count] gets a halimede_verdict for each item.
 *
 * `device` may be NULL. A bad item does the others no harm. All that is given is taken to be
 * public: the time depends on it.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting, those of pointers and lengths, whose
 * message says which row it is, those of devices.
 */
halimede_status halimede_groth16_verify(const struct halimede_device *device,
                                        const struct halimede_object *key,
                                        const struct halimede_bytes *proofs,
                                        const uint64_t *inputs_offsets,
                                        const uint8_t *inputs,
                                        size_t count,
                                        uint8_t *verdicts);

/**
 * Verifies a block: its proof of work, the root of its transactions, and the scripts and
 * signatures of its transparent inputs. An invalid block is no error: `verdict` says so, and says
 * as well where something was not checked, such as shielded proofs.
 *
 * `block` is uint8_t[length], raw, or in hexadecimal as `getblock HASH 0` of a node prints it.
 * `known` may be NULL. Where `json` is not NULL, `*json` gets a text, JSON that ends with a zero,
 * of each check with its reason, as the command `halimede zcash verify-block --json` prints it; to
 * be freed with halimede_text_free().
 *
 * Statuses: HALIMEDE_STATUS_MALFORMED for bytes that are no block, or lines of spent outputs that
 * are none, whose message says where; HALIMEDE_STATUS_INVALID_ARGUMENT for another member of
 * `known`; those of pointers and lengths, those of devices.
 */
halimede_status halimede_zcash_verify_block(const struct halimede_device *device,
                                            const uint8_t *block,
                                            size_t length,
                                            const struct halimede_zcash_known *known,
                                            struct halimede_zcash_verdict *verdict,
                                            char **json);

/**
 * Verifies headers with their solutions, one after another: their versions, targets, hashes and
 * solutions. `verdicts`, uint8_t[count], gets a halimede_verdict for each.
 *
 * `network` is a halimede_zcash_network. A header is 140 bytes, the solution's length as the network
 * writes it, and the solution: 1487 bytes, 177 in a regression test. `headers` is `length` bytes,
 * `count` headers. Where `hashes` is not NULL, it is uint8_t[count][32] and gets the blocks' hashes:
 * double SHA-256, in the order that headers have them, which nodes print from the last byte to the
 * first.
 *
 * Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for another network, HALIMEDE_STATUS_WRONG_LENGTH for
 * another number of `headers`, HALIMEDE_STATUS_MALFORMED for a malformed header, those of pointers
 * and lengths, those of devices.
 */
halimede_status halimede_zcash_verify_headers(const struct halimede_device *device,
                                              uint32_t network,
                                              const uint8_t *headers,
                                              size_t length,
                                              size_t count,
                                              uint8_t *verdicts,
                                              uint8_t *hashes);

/**
 * Frees a text that this library made for the caller. NULL is free already.
 */
void halimede_text_free(char *text);

/**
 * What an engine of a card, named as `halimede card report` does ("poseidon"), is and has done.
 * Its values are read one after the other, while the engine goes on.
 *
 * Statuses: HALIMEDE_STATUS_DEVICE_UNSUPPORTED where the device is no card, or one without this
 * engine; HALIMEDE_STATUS_DEVICE_FAILED where the card does not answer.
 */
halimede_status halimede_engine_read(const struct halimede_device *device,
                                     const char *engine,
                                     struct halimede_engine_report *report);

/**
 * Chooses by a mask the interrupts of an engine that the card passes on: at the wire of a board,
 * and in halimede_engine_interrupting().
 *
 * Statuses: as of halimede_engine_read(), and HALIMEDE_STATUS_INVALID_ARGUMENT for a bit that
 * stands for no interrupt.
 */
halimede_status halimede_engine_enable_interrupts(const struct halimede_device *device,
                                                  const char *engine,
                                                  uint32_t mask);

/**
 * Clears interrupts of an engine that have happened, by a mask.
 *
 * Statuses: as of halimede_engine_enable_interrupts().
 */
halimede_status halimede_engine_clear_interrupts(const struct halimede_device *device,
                                                 const char *engine,
                                                 uint32_t mask);

/**
 * Whether an engine has an enabled interrupt pending: `*interrupting` is 1 or 0.
 *
 * Statuses: as of halimede_engine_read().
 */
halimede_status halimede_engine_interrupting(const struct halimede_device *device,
                                             const char *engine,
                                             uint32_t *interrupting);

/**
 * Sets the watchdog of an engine: that many clocks without progress, with work inside, raise
 * HALIMEDE_INTERRUPT_STALLED; 0 for never.
 *
 * Statuses: as of halimede_engine_read().
 */
halimede_status halimede_engine_set_watchdog(const struct halimede_device *device,
                                             const char *engine,
                                             uint32_t clocks);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HALIMEDE_H */
