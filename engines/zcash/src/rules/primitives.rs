// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Section 5.4: consensus rules for concrete hashes, signatures, curves and proofs.

use super::{checked, given, missing, Rule};
use crate::gap::Gap;

/// In the order of their sections.
pub const RULES: [Rule; 20] = [
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
    missing("5.4.3", "plaintexts of coinbase outputs are authentic", Gap::CoinbaseNotes),
    missing("5.4.5", "keys of note encryption are encodings of points", Gap::SaplingPoints),
    missing(
        "5.4.6",
        "Ed25519: the number of a signature is below the order",
        Gap::JoinSplitSignatures,
    ),
    missing(
        "5.4.6",
        "Ed25519 before Canopy: points do not have an excluded encoding",
        Gap::JoinSplitSignatures,
    ),
    missing(
        "5.4.6",
        "Ed25519 from Canopy on: the equation with the cofactor (ZIP 215)",
        Gap::JoinSplitSignatures,
    ),
    missing(
        "5.4.7",
        "RedJubjub: the number is below the order, the point's encoding canonical",
        Gap::SaplingSpendSignatures,
    ),
    missing(
        "5.4.7",
        "RedPallas: the number is below the order, the point's encoding canonical",
        Gap::OrchardSpendSignatures,
    ),
    missing(
        "5.4.7.2",
        "RedJubjub binding signatures, under the key of the commitments",
        Gap::SaplingBindingSignatures,
    ),
    missing(
        "5.4.7.2",
        "RedPallas binding signatures, under the key of the commitments",
        Gap::OrchardBindingSignatures,
    ),
    checked(
        "5.4.9.3",
        "commitments and keys of Jubjub decode, with canonical coordinates (ZIP 216)",
        &["zcash/tests/all/shielded.rs::encodings_of_sapling"],
    ),
    missing(
        "5.4.9.3",
        "ephemeral keys of Jubjub decode, with canonical coordinates (ZIP 216)",
        Gap::SaplingPoints,
    ),
    checked(
        "5.4.9.6",
        "commitments and keys of Pallas decode, with canonical coordinates",
        &["zcash/tests/all/shielded.rs::encodings_of_orchard"],
    ),
    missing(
        "5.4.10.1",
        "BCTV14 proofs: lead bytes, coordinates below the order, points of their groups",
        Gap::JoinSplitProofs,
    ),
    missing(
        "5.4.10.2",
        "Groth16 proofs of JoinSplits: points of their groups, canonical encodings",
        Gap::JoinSplitProofs,
    ),
    missing(
        "5.4.10.2",
        "Groth16 proofs of spends: points of their groups, canonical encodings",
        Gap::SaplingSpendProofs,
    ),
    missing(
        "5.4.10.2",
        "Groth16 proofs of outputs: points of their groups, canonical encodings",
        Gap::SaplingOutputProofs,
    ),
    missing("5.4.10.3", "Halo 2 proofs: 2,720 bytes and 2,272 for each action", Gap::OrchardProofs),
];
