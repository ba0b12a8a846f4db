// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generated from the table of operations by `make generate`: do not edit.

use crate::call::{CallArguments, Rows, Setting};
use crate::device::Device;
use crate::object::Object;
use crate::status::Status;
use crate::verdict::Bytes;

/// The verdict on an item, which the functions of operations write for each item. Unless it is
/// HALIMEDE_VERDICT_VALID, the other outputs of the item are zeros.
#[allow(dead_code, reason = "the header has it")]
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was checked. Zeroed memory reads as this value, so it never reads as valid.
    NotChecked = 0,
    /// The item is valid.
    Valid = 1,
    /// Not a valid public key.
    Key = 2,
    /// The signature has the wrong format, or is not a point of its group.
    Signature = 3,
    /// s is above n/2, and the rules require the low form.
    HighS = 4,
    /// r is out of range.
    RRange = 5,
    /// s is out of range.
    SRange = 6,
    /// The computation leads to the point at infinity.
    Infinity = 7,
    /// All parts can be read, but they do not belong together.
    Mismatch = 8,
    /// A Schnorr signature leads to a point with an odd y.
    OddY = 9,
    /// The last byte of a signature is not a recovery id.
    RecoveryId = 10,
    /// The recovery id says that x is r + n, and that is not below p.
    XRange = 11,
    /// No point of the curve has the x that r gives.
    NotOnCurve = 12,
    /// An aggregate has no keys, or not the same number of keys and messages.
    Keys = 13,
    /// Messages are equal, which the basic scheme forbids.
    EqualMessages = 14,
    /// A commitment is not a point of its group.
    Commitment = 15,
    /// A proof has the wrong length, or a part of it is not a point of its group.
    Proof = 16,
    /// The point or the value of an opening is not a number below the order of the groups.
    Scalar = 17,
    /// A blob has the wrong length, or an element that is not below the order of the groups.
    Blob = 18,
    /// The number of public inputs does not match the key, or an input is not below the order of
    /// the groups.
    Inputs = 19,
    /// Not an item of the operation: a field has the wrong length or form.
    Malformed = 20,
    /// The hash of a block header does not meet the header's target.
    Difficulty = 21,
    /// An index occurs twice in an Equihash solution.
    Duplicate = 22,
    /// Subtrees of an Equihash solution are in the wrong order.
    IndexOrder = 23,
    /// Hashes of an Equihash solution do not collide where subtrees meet.
    Collision = 24,
    /// The hashes of an Equihash solution do not XOR to zero.
    Xor = 25,
    /// The version or the target of a block header is not valid in its network.
    Header = 26,
}

/// Hashes of circomlib's Poseidon over BN254, `count` at once (`circom.hash`).
///
/// - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
///   to elements_offsets[i + 1] - 1 of `elements`. Elements of the scalar field of BN254; their
///   number selects the width.
/// - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
///   field.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
///   significant byte first.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_circom_hash(
    device: *const Device,
    elements_offsets: *const u64,
    elements: *const u8,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "circom.hash",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[],
        rows: &[Rows::Lists(
            "elements_offsets",
            elements_offsets,
            &[Rows::Numbers("elements", elements)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Poseidon2's permutation with published parameters, `count` at once (`poseidon2.permute`).
///
/// - `state_offsets`: uint64_t[count + 1]: the list of item i is the rows state_offsets[i] to
///   state_offsets[i + 1] - 1 of `state`. The state; its length is the width of the instance.
/// - `state`: one per row, uint8_t[][32], least significant byte first. An element of the
///   instance's field.
/// - The setting "instance" ("bls12-381-2", "bls12-381-3", "bls12-381-4", "bls12-381-8",
///   "bn254-2", "bn254-3", "bn254-4", "bn254-8", "bn254-12", "bn254-16", "pallas-3", "pallas-4",
///   "pallas-8", "vesta-3", "gnark-bn254-2", "gnark-bn254-3", "gnark-bls12-381-2"; required): The
///   field and the width; `gnark-` before them for gnark-crypto's constants.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
///   significant byte first.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_poseidon2_permute(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    state_offsets: *const u64,
    state: *const u8,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "poseidon2.permute",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Lists("state_offsets", state_offsets, &[Rows::Numbers("state", state)])],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Poseidon2's compression of two elements, for Merkle trees, `count` at once
/// (`poseidon2.compress`).
///
/// - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
///   to elements_offsets[i + 1] - 1 of `elements`. The left and the right element.
/// - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
///   instance's field.
/// - The setting "instance" ("bn254-3", "bls12-381-3", "pallas-3", "vesta-3", "gnark-bn254-2",
///   "gnark-bls12-381-2"; "bn254-3" by default): With width 3, element 0 of the permuted (left,
///   right, 0), as Horizen Labs defines it; with gnark-crypto's constants, element 1 of the
///   permuted (left, right) plus right.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
///   significant byte first.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_poseidon2_compress(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    elements_offsets: *const u64,
    elements: *const u8,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "poseidon2.compress",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Lists(
            "elements_offsets",
            elements_offsets,
            &[Rows::Numbers("elements", elements)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Hashes of Noir's and gnark's Poseidon2, `count` at once (`poseidon2.hash`).
///
/// - `elements_offsets`: uint64_t[count + 1]: the list of item i is the rows elements_offsets[i]
///   to elements_offsets[i + 1] - 1 of `elements`. The elements.
/// - `elements`: one per row, uint8_t[][32], least significant byte first. An element of the
///   instance's field.
/// - The setting "instance" ("bn254-4", "gnark-bn254-2", "gnark-bls12-381-2"; "bn254-4" by
///   default): `bn254-4` for the `Poseidon2::hash` of Noir and Barretenberg; `gnark-` for
///   gnark-crypto's Merkle-Damgard hasher, which does not encode the length.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one. A number has 32 bytes, least
///   significant byte first.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_poseidon2_hash(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    elements_offsets: *const u64,
    elements: *const u8,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "poseidon2.hash",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Lists(
            "elements_offsets",
            elements_offsets,
            &[Rows::Numbers("elements", elements)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Verifies Equihash solutions of block headers, and the difficulty of the headers, `count` at
/// once (`equihash.verify`).
///
/// - `headers`: one per item, at most 65536 bytes each. The block header with its nonce, without
///   the solution: 140 bytes. If `difficulty` is false, this processor accepts any input of a
///   puzzle.
/// - `solutions`: one per item, at most 65536 bytes each. The solution in its minimal form: 1344
///   bytes for (200, 9), 36 for (48, 5).
/// - The setting "n" (8 to 512; "200" by default): The size of a hash in bits.
/// - The setting "k" (3 to 32; "9" by default): The number of levels of a solution's tree, which
///   has 2^k indices.
/// - The setting "difficulty" ("false", "true"; "true" by default): Also checks that the header's
///   hash meets its target.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_equihash_verify(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    headers: *const Bytes,
    solutions: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "equihash.verify",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("headers", headers), Rows::Bytes("solutions", solutions)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Recovery of public keys or Ethereum addresses from ECDSA signatures, `count` at once
/// (`secp256k1.recover`).
///
/// - `digests`: one per item, any number of bytes each. The digest, 32 bytes; or the message, if
///   `hash` is set.
/// - `signatures`: one per item, 65 bytes each. r, s and the recovery id.
/// - The setting "answer" ("key", "address"; "key" by default): The answer: the public key (x and
///   y), or the address.
/// - The setting "numbering" ("plain", "ethereum"; "plain" by default): The recovery ids: 0 to 3,
///   or Ethereum's 27 and 28.
/// - The setting "low-s" ("false", "true"; "false" by default): Reject an s above n/2.
/// - The setting "hash" ("none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"; "none"
///   by default): The hash function of the message; `none` if a digest is given. A digest of
///   `any-length` may have any number of bytes, of which the leftmost 32 count.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_secp256k1_recover(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    digests: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "secp256k1.recover",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("digests", digests), Rows::Bytes("signatures", signatures)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Verification of Schnorr signatures (BIP 340), `count` at once (`secp256k1.verify_schnorr`).
///
/// - `keys`: one per item, 32 bytes each. x of the public key.
/// - `messages`: one per item, any number of bytes each. The message.
/// - `signatures`: one per item, 64 bytes each. r and s.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_secp256k1_verify_schnorr(
    device: *const Device,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "secp256k1.verify_schnorr",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[],
        rows: &[
            Rows::Bytes("keys", keys),
            Rows::Bytes("messages", messages),
            Rows::Bytes("signatures", signatures),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of half-aggregate Schnorr signatures (a BIP draft), `count` at once
/// (`secp256k1.verify_half_aggregate`).
///
/// - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
///   signers_offsets[i + 1] - 1 of `keys` and `messages`. The signers, in the order of their
///   signatures.
/// - `keys`: one per row, 32 bytes each. x of the public key.
/// - `messages`: one per row, 32 bytes each. The message.
/// - `aggregates`: one per item, any number of bytes each. The r of each signature, and s.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_secp256k1_verify_half_aggregate(
    device: *const Device,
    signers_offsets: *const u64,
    keys: *const Bytes,
    messages: *const Bytes,
    aggregates: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "secp256k1.verify_half_aggregate",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[],
        rows: &[
            Rows::Lists(
                "signers_offsets",
                signers_offsets,
                &[Rows::Bytes("keys", keys), Rows::Bytes("messages", messages)],
            ),
            Rows::Bytes("aggregates", aggregates),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Half-aggregation of Schnorr signatures, which are not verified (a BIP draft), `count` at once
/// (`secp256k1.half_aggregate`).
///
/// - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
///   signers_offsets[i + 1] - 1 of `keys` and `messages` and `signatures`. The signers: first
///   those of `aggregate`.
/// - `keys`: one per row, 32 bytes each. x of the public key.
/// - `messages`: one per row, 32 bytes each. The message.
/// - `signatures`: one per row, at most 64 bytes each. r and s; empty if it is aggregated already.
/// - `aggregates`: one per item, any number of bytes each. The aggregate to extend; empty for a
///   new one.
/// - The setting "size" (0 to 65535; required): The number of signatures of each aggregate.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_secp256k1_half_aggregate(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    signers_offsets: *const u64,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    aggregates: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "secp256k1.half_aggregate",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[
            Rows::Lists(
                "signers_offsets",
                signers_offsets,
                &[
                    Rows::Bytes("keys", keys),
                    Rows::Bytes("messages", messages),
                    Rows::Bytes("signatures", signatures),
                ],
            ),
            Rows::Bytes("aggregates", aggregates),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Verification of BLS signatures, `count` at once (`bls12_381.verify_signature`).
///
/// - `keys`: one per item, at most 192 bytes each. The public key, compressed.
/// - `messages`: one per item, any number of bytes each. The message.
/// - `signatures`: one per item, at most 192 bytes each. The signature, compressed.
/// - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
///   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
/// - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): The scheme: basic, message
///   augmentation, or proof of possession, as in Ethereum.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_verify_signature(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.verify_signature",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[
            Rows::Bytes("keys", keys),
            Rows::Bytes("messages", messages),
            Rows::Bytes("signatures", signatures),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of aggregate BLS signatures of one message (FastAggregateVerify), `count` at once
/// (`bls12_381.verify_aggregate`).
///
/// - `keys_offsets`: uint64_t[count + 1]: the list of item i is the rows keys_offsets[i] to
///   keys_offsets[i + 1] - 1 of `keys`. The public keys, each with a proof of possession that was
///   verified.
/// - `keys`: one per row, at most 192 bytes each. The public key, compressed.
/// - `messages`: one per item, any number of bytes each. The message.
/// - `signatures`: one per item, at most 192 bytes each. The sum of the signatures, compressed.
/// - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
///   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_verify_aggregate(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    keys_offsets: *const u64,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.verify_aggregate",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[
            Rows::Lists("keys_offsets", keys_offsets, &[Rows::Bytes("keys", keys)]),
            Rows::Bytes("messages", messages),
            Rows::Bytes("signatures", signatures),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of aggregate BLS signatures, one message per key (AggregateVerify), `count` at
/// once (`bls12_381.verify_aggregate_of_messages`).
///
/// - `signers_offsets`: uint64_t[count + 1]: the list of item i is the rows signers_offsets[i] to
///   signers_offsets[i + 1] - 1 of `keys` and `messages`. The signers.
/// - `keys`: one per row, at most 192 bytes each. The public key, compressed.
/// - `messages`: one per row, any number of bytes each. The message.
/// - `signatures`: one per item, at most 192 bytes each. The sum of the signatures, compressed.
/// - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
///   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
/// - The setting "scheme" ("basic", "aug", "pop"; "pop" by default): The scheme: basic, message
///   augmentation, or proof of possession, as in Ethereum.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_verify_aggregate_of_messages(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    signers_offsets: *const u64,
    keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.verify_aggregate_of_messages",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[
            Rows::Lists(
                "signers_offsets",
                signers_offsets,
                &[Rows::Bytes("keys", keys), Rows::Bytes("messages", messages)],
            ),
            Rows::Bytes("signatures", signatures),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of proofs of possession of BLS secret keys (PopVerify), `count` at once
/// (`bls12_381.verify_possession`).
///
/// - `keys`: one per item, at most 192 bytes each. The public key, compressed.
/// - `proofs`: one per item, at most 192 bytes each. The proof, a signature of the key.
/// - The setting "group" ("min-pk", "min-sig"; "min-pk" by default): The groups: keys in G1 and
///   signatures in G2 (`min-pk`), or the reverse (`min-sig`).
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_verify_possession(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    keys: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.verify_possession",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("keys", keys), Rows::Bytes("proofs", proofs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Checks that products of pairings are 1, `count` at once (`bls12_381.pairing_check`).
///
/// - `pairs_offsets`: uint64_t[count + 1]: the list of item i is the rows pairs_offsets[i] to
///   pairs_offsets[i + 1] - 1 of `g1` and `g2`. The points to pair.
/// - `g1`: one per row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
/// - `g2`: one per row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_pairing_check(
    device: *const Device,
    pairs_offsets: *const u64,
    g1: *const Bytes,
    g2: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.pairing_check",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[],
        rows: &[Rows::Lists(
            "pairs_offsets",
            pairs_offsets,
            &[Rows::Bytes("g1", g1), Rows::Bytes("g2", g2)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Products of pairings, `count` at once (`bls12_381.pairing_product`).
///
/// - `pairs_offsets`: uint64_t[count + 1]: the list of item i is the rows pairs_offsets[i] to
///   pairs_offsets[i + 1] - 1 of `g1` and `g2`. The points to pair.
/// - `g1`: one per row, at most 96 bytes each. A point of G1, in 48 or 96 bytes.
/// - `g2`: one per row, at most 192 bytes each. A point of G2, in 96 or 192 bytes.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_pairing_product(
    device: *const Device,
    pairs_offsets: *const u64,
    g1: *const Bytes,
    g2: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.pairing_product",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[],
        rows: &[Rows::Lists(
            "pairs_offsets",
            pairs_offsets,
            &[Rows::Bytes("g1", g1), Rows::Bytes("g2", g2)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Sums of points of a group, `count` at once (`bls12_381.sum`).
///
/// - `points_offsets`: uint64_t[count + 1]: the list of item i is the rows points_offsets[i] to
///   points_offsets[i + 1] - 1 of `points`. The points.
/// - `points`: one per row, at most 192 bytes each. A point of the group, compressed or not.
/// - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_sum(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    points_offsets: *const u64,
    points: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.sum",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Lists("points_offsets", points_offsets, &[Rows::Bytes("points", points)])],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Multi-scalar multiplications in a group, `count` at once (`bls12_381.sum_of_multiples`).
///
/// - `terms_offsets`: uint64_t[count + 1]: the list of item i is the rows terms_offsets[i] to
///   terms_offsets[i + 1] - 1 of `points` and `factors`. The points and their factors, modulo the
///   order of the groups.
/// - `points`: one per row, at most 192 bytes each. A point of the group, compressed or not.
/// - `factors`: one per row, uint8_t[][32], least significant byte first. The factor.
/// - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_sum_of_multiples(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    terms_offsets: *const u64,
    points: *const Bytes,
    factors: *const u8,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.sum_of_multiples",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Lists(
            "terms_offsets",
            terms_offsets,
            &[Rows::Bytes("points", points), Rows::Numbers("factors", factors)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Hashing of messages to a group (RFC 9380), `count` at once (`bls12_381.hash_to_curve`).
///
/// - `messages`: one per item, any number of bytes each. The message.
/// - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
/// - The setting "domain" (text of at most 1024 bytes; required): The domain separation tag.
/// - The setting "encode" ("false", "true"; "false" by default): Use `encode_to_curve` instead of
///   `hash_to_curve`.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_hash_to_curve(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    messages: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.hash_to_curve",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("messages", messages)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Mapping of elements of the coordinate field to a group (RFC 9380), `count` at once
/// (`bls12_381.map_to_curve`).
///
/// - `elements`: one per item, at most 96 bytes each. The element, most significant byte first;
///   for G2 two, constant term first.
/// - The setting "group" ("g1", "g2"; "g1" by default): The group of the points.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_map_to_curve(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    elements: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.map_to_curve",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("elements", elements)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Ethereum's precompiles (EIP-2537), `count` at once (`bls12_381.precompile`).
///
/// - `inputs`: one per item, any number of bytes each. The input.
/// - The setting "name" ("g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1",
///   "map_fp2_to_g2"; required): The precompile.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL, and `settings` if `setting_count` is 0. A bad item does not affect the
/// others. All inputs are treated as public: the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls12_381_precompile(
    device: *const Device,
    settings: *const Setting,
    setting_count: usize,
    inputs: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "bls12_381.precompile",
        device,
        settings,
        setting_count,
        objects: &[],
        rows: &[Rows::Bytes("inputs", inputs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Verification of KZG openings at a point, `count` at once (`kzg.verify_proof`).
///
/// - `commitments`: one per item, 48 bytes each. The commitment.
/// - `zs`: one per item, 32 bytes each. The point.
/// - `ys`: one per item, 32 bytes each. The value.
/// - `proofs`: one per item, 48 bytes each. The proof.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_verify_proof(
    device: *const Device,
    setup: *const Object,
    commitments: *const Bytes,
    zs: *const Bytes,
    ys: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.verify_proof",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[
            Rows::Bytes("commitments", commitments),
            Rows::Bytes("zs", zs),
            Rows::Bytes("ys", ys),
            Rows::Bytes("proofs", proofs),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of KZG proofs of blobs, `count` at once (`kzg.verify_blob`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `commitments`: one per item, 48 bytes each. The commitment.
/// - `proofs`: one per item, 48 bytes each. The proof.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_verify_blob(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    commitments: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.verify_blob",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[
            Rows::Bytes("blobs", blobs),
            Rows::Bytes("commitments", commitments),
            Rows::Bytes("proofs", proofs),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// KZG commitments to blobs, `count` at once (`kzg.commit`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_commit(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.commit",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Bytes("blobs", blobs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// KZG proofs of the values of blobs at a point, 48 bytes, each followed by the value, `count` at
/// once (`kzg.prove`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `zs`: one per item, 32 bytes each. The point.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_prove(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    zs: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.prove",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Bytes("blobs", blobs), Rows::Bytes("zs", zs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// KZG proofs of blobs, `count` at once (`kzg.prove_blob`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `commitments`: one per item, 48 bytes each. The commitment.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_prove_blob(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    commitments: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.prove_blob",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Bytes("blobs", blobs), Rows::Bytes("commitments", commitments)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// The 128 cells of blobs, 2048 bytes each, `count` at once (`kzg.compute_cells`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_compute_cells(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.compute_cells",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Bytes("blobs", blobs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// The 128 cells of blobs, 2048 bytes each, followed by their 128 proofs, 48 bytes each, `count`
/// at once (`kzg.compute_cells_and_proofs`).
///
/// - `blobs`: one per item, 131072 bytes each. The blob.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_compute_cells_and_proofs(
    device: *const Device,
    setup: *const Object,
    blobs: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.compute_cells_and_proofs",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Bytes("blobs", blobs)],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// The 128 cells of blobs, followed by their 128 proofs, from half of the cells, `count` at once
/// (`kzg.recover_cells_and_proofs`).
///
/// - `cells_offsets`: uint64_t[count + 1]: the list of item i is the rows cells_offsets[i] to
///   cells_offsets[i + 1] - 1 of `indices` and `cells`. Cells with their indices, in ascending
///   order of these.
/// - `indices`: one per row, 1 bytes each. The index of the cell, one byte from 0 to 127.
/// - `cells`: one per row, 2048 bytes each. The cell.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `values`: uint8_t[count][value_bytes], receives the value of each item. `value_bytes` depends
///   on the settings; the error of a wrong number says the right one.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_recover_cells_and_proofs(
    device: *const Device,
    setup: *const Object,
    cells_offsets: *const u64,
    indices: *const Bytes,
    cells: *const Bytes,
    count: usize,
    values: *mut u8,
    value_bytes: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.recover_cells_and_proofs",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[Rows::Lists(
            "cells_offsets",
            cells_offsets,
            &[Rows::Bytes("indices", indices), Rows::Bytes("cells", cells)],
        )],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.compute(values, value_bytes, verdicts) }
}

/// Verification of KZG proofs of cells, `count` at once (`kzg.verify_cell`).
///
/// - `commitments`: one per item, 48 bytes each. The commitment.
/// - `indices`: one per item, 1 bytes each. The index of the cell, one byte from 0 to 127.
/// - `cells`: one per item, 2048 bytes each. The cell.
/// - `proofs`: one per item, 48 bytes each. The proof.
/// - `setup`: an object of the kind "kzg-setup". The trusted setup of a ceremony, as text.
///   Verification of openings needs one point of it, τ in G2, which is checked against τ in G1;
///   the other points are checked when commitments or cells first need them.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_verify_cell(
    device: *const Device,
    setup: *const Object,
    commitments: *const Bytes,
    indices: *const Bytes,
    cells: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "kzg.verify_cell",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("setup", setup)],
        rows: &[
            Rows::Bytes("commitments", commitments),
            Rows::Bytes("indices", indices),
            Rows::Bytes("cells", cells),
            Rows::Bytes("proofs", proofs),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}

/// Verification of Groth16 proofs under a verifying key, `count` at once (`groth16.verify`).
///
/// - `proofs`: one per item, at most 384 bytes each. The proof, compressed, in 192 bytes.
/// - `inputs_offsets`: uint64_t[count + 1]: the list of item i is the rows inputs_offsets[i] to
///   inputs_offsets[i + 1] - 1 of `inputs`. The public inputs.
/// - `inputs`: one per row, uint8_t[][32], least significant byte first. A public input.
/// - `key`: an object of the kind "groth16-key". The verifying key of a circuit, as `bellman`
///   writes it. `inputs` is the number of a proof's public inputs.
/// - `verdicts`: uint8_t[count], receives a halimede_verdict per item.
///
/// `device` may be NULL. A bad item does not affect the others. All inputs are treated as public:
/// the time depends on them.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and lengths,
/// whose message names the row; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_verify(
    device: *const Device,
    key: *const Object,
    proofs: *const Bytes,
    inputs_offsets: *const u64,
    inputs: *const u8,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    let given = CallArguments {
        operation: "groth16.verify",
        device,
        settings: std::ptr::null(),
        setting_count: 0,
        objects: &[("key", key)],
        rows: &[
            Rows::Bytes("proofs", proofs),
            Rows::Lists("inputs_offsets", inputs_offsets, &[Rows::Numbers("inputs", inputs)]),
        ],
        count,
    };
    // SAFETY: as the header requires.
    unsafe { given.check(verdicts) }
}
