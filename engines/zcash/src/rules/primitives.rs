// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Section 5.4: consensus rules for concrete hashes, signatures, curves, proofs and keys.

use super::{checked, given, missing, Rule};
use crate::gap::Gap;

/// In the order of their sections.
pub const RULES: [Rule; 22] = [
    checked(
        "5.4.1",
        "SHA-256 of headers, transactions and trees",
        &["zcash/src/merkle.rs::roots_of_all_small_sizes"],
    ),
    given(
        "5.4.1",
        "BLAKE2b of signature hashes, with their personalization",
        Gap::SpentOutputs,
        &["zcash/src/sighash/tests.rs::from_version_5_on_as_zip_244"],
    ),
    checked(
        "5.4.1.11",
        "the Equihash generator",
        &["equihash/tests/all/batches.rs::the_plain_blake2b_is_that_of_its_crate"],
    ),
    checked("5.4.3", "plaintexts of coinbase outputs are authentic", &["zcash/tests/all/proofs.rs::outputs_of_coinbase_transactions_must_decrypt"]),
    checked("5.4.5", "keys of note encryption are encodings of points", &["zcash/tests/all/proofs.rs::keys_of_small_order_are_refused"]),
    given("5.4.6", "Ed25519: the number of a signature is below the order; both points decode", Gap::Branch, &["zcash/src/shielded/ed25519.rs::the_rules_differ_before_and_from_canopy"]),
    given("5.4.6", "Ed25519 before Canopy: R does not have an excluded encoding; the equation without the cofactor", Gap::Branch, &["zcash/src/shielded/ed25519.rs::the_rules_differ_before_and_from_canopy"]),
    given("5.4.6", "Ed25519 from Canopy on: the equation with the cofactor (ZIP 215)", Gap::Branch, &["zcash/src/shielded/ed25519.rs::the_rules_differ_before_and_from_canopy"]),
    given("5.4.7", "RedJubjub: the number is below the order, the encoding of R canonical (ZIP 216); the equation with the cofactor", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    given("5.4.7", "RedPallas: the number is below the order, the encoding of R canonical", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    given("5.4.7.2", "RedJubjub binding signatures, under the key of the commitments", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    given("5.4.7.2", "RedPallas binding signatures, under the key of the commitments", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked(
        "5.4.9.3",
        "commitments and keys of Jubjub decode, with canonical coordinates",
        &["zcash/tests/all/shielded.rs::encodings_of_sapling"],
    ),
    checked("5.4.9.3", "ephemeral keys of Jubjub decode, with canonical coordinates", &["zcash/tests/all/proofs.rs::keys_of_small_order_are_refused"]),
    checked(
        "5.4.9.6",
        "commitments and keys of Pallas decode, with canonical coordinates",
        &["zcash/tests/all/shielded.rs::encodings_of_orchard"],
    ),
    missing(
        "5.4.10.1",
        "BCTV14 proofs: lead bytes, coordinates below the order, points of their groups",
        Gap::OldJoinSplitProofs,
    ),
    checked("5.4.10.2", "Groth16 proofs of JoinSplits: points of their groups, canonical encodings, not infinity", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked("5.4.10.2", "Groth16 proofs of spends: points of their groups, canonical encodings, not infinity", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked("5.4.10.2", "Groth16 proofs of outputs: points of their groups, canonical encodings, not infinity", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked("5.4.10.3", "Halo 2 proofs", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named", "zcash/tests/all/proofs.rs::real_blocks_hold"]),
    checked("5.4.10.2", "the verifying keys are those of the ceremonies (section 5.7)", &["zcash/src/shielded/keys.rs::the_keys_are_those_of_the_ceremonies"]),
    given("5.4.10.2", "a device has verified each Groth16 proof", Gap::ShieldedProofs, &["zcash/tests/all/proofs.rs::proofs_without_an_answer_are_counted"]),
];
