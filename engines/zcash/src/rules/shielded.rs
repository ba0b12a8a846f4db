// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sections 3 and 4: treestates, descriptions, signatures, balance.

use super::{chain, checked, given, missing, state, Part, Rule};
use crate::gap::Gap;
use crate::pool::Pool;
use crate::state::StatePart;

const TREES: &str = "the note commitment trees before the block";
const ANCHORS: &[&str] = &["zcash/tests/all/state.rs::anchors_of_earlier_blocks_are_known"];
const BALANCES: &[&str] = &["zcash/tests/all/state.rs::pools_are_not_negative"];
const POOLS: &str = "the balances of the chain's value pools";

/// In the order of their sections.
pub const RULES: [Rule; 52] = [
    checked("3.2.1", "the lead byte of a note's plaintext is valid at the height, if consensus can decrypt it", &["zcash/tests/all/proofs.rs::outputs_of_coinbase_transactions_must_decrypt"]),
    state(chain("3.3", "the previous block is valid, and its height is one less", Part::Block, "the previous block"), StatePart::Previous, &["zcash/tests/all/state.rs::the_previous_block_has_the_height_before"]),
    given(
        "3.4",
        "the outputs of a transaction do not exceed its inputs",
        Gap::SpentOutputs,
        &[
            "zcash/tests/all/rules.rs::amounts_add_up",
            "zcash/tests/all/rules.rs::what_a_join_split_takes_must_have_come_in",
        ],
    ),
    given(
        "3.4",
        "from NU6 on, a coinbase transaction leaves no remainder",
        Gap::SpentOutputs,
        &["zcash/tests/all/payments.rs::from_nu6_on_nothing_remains"],
    ),
    state(
    chain(
        "3.5",
        "the first JoinSplit's anchor is the final Sprout treestate of an earlier block",
        Part::JoinSplits,
        TREES,
    ),
        StatePart::Anchors(Pool::Sprout),
        ANCHORS,
    ),
    state(
    chain(
        "3.5",
        "another JoinSplit's anchor is such a treestate, or the one after an earlier JoinSplit of \
         its transaction",
        Part::JoinSplits,
        TREES,
    ),
        StatePart::Anchors(Pool::Sprout),
        ANCHORS,
    ),
    given("3.6", "spends and outputs agree with the Sapling balance", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    state(
    chain(
        "3.6",
        "a spend's anchor is the final Sapling treestate of an earlier block",
        Part::SaplingSpends,
        TREES,
    ),
        StatePart::Anchors(Pool::Sapling),
        ANCHORS,
    ),
    given("3.7", "actions agree with the Orchard balance", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    state(
    chain(
        "3.7",
        "the Orchard anchor is the final treestate of an earlier block",
        Part::Actions,
        TREES,
    ),
        StatePart::Anchors(Pool::Orchard),
        ANCHORS,
    ),
    chain("3.8", "the Sprout tree holds at most 2^29 notes", Part::JoinSplits, TREES),
    chain("3.8", "the Sapling tree holds at most 2^32 notes", Part::Sapling, TREES),
    chain("3.8", "the Orchard tree holds at most 2^32 notes", Part::Actions, TREES),
    checked(
        "3.9",
        "no nullifier of a pool occurs twice in the block",
        &["zcash/tests/all/shielded.rs::a_nullifier_is_revealed_once"],
    ),
    chain(
        "3.9",
        "no Sprout nullifier of the block is in an earlier one",
        Part::JoinSplits,
        "the chain's nullifiers",
    ),
    chain(
        "3.9",
        "no Sapling nullifier of the block is in an earlier one",
        Part::SaplingSpends,
        "the chain's nullifiers",
    ),
    chain(
        "3.9",
        "no Orchard nullifier of the block is in an earlier one",
        Part::Actions,
        "the chain's nullifiers",
    ),
    checked(
        "3.11",
        "only the first transaction is a coinbase transaction",
        &["zcash/tests/all/checks.rs::what_a_block_must_be_is_checked"],
    ),
    chain(
        "3.12",
        "the chain begins with the network's genesis block and contains its upgrades' blocks",
        Part::Block,
        "the preceding blocks",
    ),
    checked(
        "4.3",
        "amounts of a JoinSplit are between 0 and the money supply",
        &["zcash/tests/all/shielded.rs::amounts_of_join_splits"],
    ),
    checked("4.3", "from Sapling on, the JoinSplit's proof holds (Groth16)", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    missing("4.3", "before Sapling, the JoinSplit's proof holds (BCTV14)", Gap::OldJoinSplitProofs),
    checked("4.3", "hSig of a JoinSplit is the hash of its seed, nullifiers and the key of its transaction", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked(
        "4.3",
        "a JoinSplit does not both take and give transparent money",
        &["zcash/tests/all/shielded.rs::amounts_of_join_splits"],
    ),
    checked(
        "4.3",
        "from Canopy on, a JoinSplit takes no transparent money",
        &["zcash/tests/all/shielded.rs::amounts_of_join_splits"],
    ),
    checked(
        "4.4",
        "value commitment and key of a spend are encodings of points",
        &["zcash/tests/all/shielded.rs::encodings_of_sapling"],
    ),
    checked(
        "4.4",
        "the value commitment of a spend is not of small order",
        &["zcash/tests/all/shielded.rs::encodings_of_sapling"],
    ),
    checked("4.4", "the randomized key of a spend is not of small order", &["zcash/tests/all/proofs.rs::keys_of_small_order_are_refused"]),
    checked("4.4", "the spend's proof holds", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named", "zcash/tests/all/proofs.rs::real_blocks_hold"]),
    given("4.4", "the spend authorization signature holds", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked(
        "4.5",
        "the value commitment of an output is the encoding of a point, not of small order",
        &["zcash/tests/all/shielded.rs::encodings_of_sapling"],
    ),
    checked("4.5", "the ephemeral key of an output is the encoding of a point, not of small order", &["zcash/tests/all/proofs.rs::keys_of_small_order_are_refused"]),
    checked("4.5", "the output's proof holds", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named", "zcash/tests/all/proofs.rs::real_blocks_hold"]),
    checked(
        "4.6",
        "value commitment, nullifier, key and note commitment of an action have canonical encodings",
        &["zcash/tests/all/shielded.rs::encodings_of_orchard"],
    ),
    checked("4.6", "the ephemeral key of an action is the encoding of a point, not zero", &["zcash/tests/all/shielded.rs::encodings_of_orchard"]),
    checked("4.6", "the randomized key of an action is not zero", &["zcash/tests/all/shielded.rs::encodings_of_orchard"]),
    given("4.6", "the spend authorization signature of an action holds", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    checked("4.6", "the actions' proof holds, under the key of the transaction's upgrade", &["zcash/tests/all/proofs.rs::a_damaged_part_is_named", "zcash/tests/all/proofs.rs::real_blocks_hold"]),
    given(
        "4.10",
        "before Overwinter, signatures sign the hash of Sprout",
        Gap::SpentOutputs,
        &[
            "zcash/src/sighash/tests.rs::before_overwinter_as_zcashd",
            "zcash/tests/all/transactions.rs::what_is_signed_cannot_be_changed",
        ],
    ),
    given(
        "4.10",
        "in versions 3 and 4, signatures sign the hashes of ZIP 143 and ZIP 243",
        Gap::SpentOutputs,
        &["zcash/src/sighash/tests.rs::from_overwinter_on_as_zip_143_and_zip_243"],
    ),
    given(
        "4.10",
        "in version 5, signatures sign the hash of ZIP 244",
        Gap::SpentOutputs,
        &["zcash/src/sighash/tests.rs::from_version_5_on_as_zip_244"],
    ),
    given(
        "4.10",
        "in version 5, a signature's hash type is one of six",
        Gap::SpentOutputs,
        &["zcash/tests/all/transactions.rs::other_signatures_keys_and_types_are_refused"],
    ),
    given(
        "4.10",
        "signatures are made for the branch of the height",
        Gap::Branch,
        &["zcash/tests/all/checks.rs::on_a_network_of_its_own_the_branch_must_be_said"],
    ),
    given("4.11", "a transaction with JoinSplits has their signature", Gap::Branch, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named", "zcash/src/shielded/ed25519.rs::the_rules_differ_before_and_from_canopy"]),
    given("4.13", "the Sapling binding signature holds", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    given("4.14", "the Orchard binding signature holds", Gap::ShieldedSignatures, &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"]),
    state(chain("4.17", "the balance of the Sprout pool is not negative", Part::JoinSplits, POOLS), StatePart::Balance(Pool::Sprout), BALANCES),
    state(chain("4.17", "the balance of the Sapling pool is not negative", Part::Sapling, POOLS), StatePart::Balance(Pool::Sapling), BALANCES),
    state(chain("4.17", "the balance of the Orchard pool is not negative", Part::Actions, POOLS), StatePart::Balance(Pool::Orchard), BALANCES),
    chain("4.17", "the balance of the deferred pool is not negative", Part::Block, POOLS),
    chain("4.17", "the balance of the transparent pool is not negative (ZIP 209)", Part::Block, POOLS),
    chain("4.17", "all pools together hold at most the money supply (ZIP 209)", Part::Block, POOLS),
];
