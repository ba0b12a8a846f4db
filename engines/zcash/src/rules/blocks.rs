// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sections 7.6 to 7.12: headers, proof of work, payments, scripts.

use super::{chain, checked, given, missing, Part, Rule};
use crate::gap::Gap;

const BLOCK: &[&str] = &["zcash/tests/all/checks.rs::what_a_block_must_be_is_checked"];
const SOLUTIONS: &[&str] = &[
    "equihash/tests/all/vectors.rs::published_solutions_have_their_verdicts",
    "equihash/tests/all/vectors.rs::block_346_is_valid_and_every_flip_is_not",
];

const COMMITMENT: &[&str] =
    &["zcash/tests/all/commitments.rs::headers_commit_to_history_and_proofs"];

/// In the order of their sections.
pub const RULES: [Rule; 40] = [
    checked("7.6", "the header's version is at least 4", BLOCK),
    chain("7.6", "the target is the required one", Part::Block, "targets and times of the 28 preceding blocks"),
    chain("7.6", "the time is above the median of the preceding blocks, after the first blocks by at most 90 minutes", Part::Block, "times of the 11 preceding blocks"),
    chain("7.6", "the time is at most two hours ahead of a node's clock", Part::Block, "the time of the block's arrival"),
    checked("7.6", "a block has at most 2,000,000 bytes", &["zcash/tests/all/rules.rs::blocks_of_the_largest_size_are_read"]),
    chain("7.6", "from Sapling until Heartwood, the header commits to the Sapling tree", Part::Block, "the Sapling note commitment tree after the block"),
    chain("7.6", "the history root is that of the chain (ZIP 221)", Part::Block, "the history of the chain since the latest upgrade"),
    given("7.6", "the first block of Heartwood commits to zero", Gap::Height, COMMITMENT),
    given("7.6", "from Heartwood on, the header commits to the history root, from NU5 on also to signatures and proofs (ZIP 244)", Gap::HistoryRoot, COMMITMENT),
    checked("7.6", "a block has at least one transaction", BLOCK),
    checked("7.6", "the first transaction is a coinbase transaction, and no other is", BLOCK),
    checked("7.6", "the solution's length has its shortest encoding", &["zcash/tests/all/blocks.rs::the_length_of_the_solution_must_be_the_networks"]),
    checked("7.6", "nothing follows the last transaction", &["zcash/tests/all/blocks.rs::what_follows_the_last_transaction_is_refused"]),
    checked("7.6, Bitcoin", "the header has the Merkle root of the transactions", BLOCK),
    checked("7.6, Bitcoin", "no other transactions have the same root (CVE-2012-2459)", &["zcash/tests/all/checks.rs::what_a_block_must_be_is_checked", "zcash/src/merkle.rs::copies_at_the_end_keep_the_root_and_are_told"]),
    given("7.6, Bitcoin", "a block has at most 20,000 signature operations", Gap::SpentOutputs, &["zcash/tests/all/rules.rs::a_block_has_twenty_thousand_signature_operations_at_most"]),
    given("7.6, Bitcoin", "the claimed height is the block's", Gap::Height, BLOCK),
    checked("7.7.1", "the solution has the length of the parameters", &["zcash/tests/all/blocks.rs::the_length_of_the_solution_must_be_the_networks"]),
    checked("7.7.1", "the hashes of the solution XOR to zero", SOLUTIONS),
    checked("7.7.1", "hashes collide at each level", SOLUTIONS),
    checked("7.7.1", "indices are in order at each level, and distinct", SOLUTIONS),
    checked("7.7.2", "the header's hash meets the target", &["equihash/tests/all/batches.rs::the_difficulty_is_a_check_of_its_own"]),
    checked("7.7.3", "the target does not exceed the network's limit", BLOCK),
    chain("7.7.3", "on the test network, a block after a long pause may have the least difficulty (ZIP 205, ZIP 208)", Part::Block, "targets and times of the 28 preceding blocks"),
    checked("7.7.4", "the compact target is neither negative nor zero nor too large", &["equihash/src/target.rs::what_names_no_target_meets_none"]),
    chain("7.7.5", "the chain has the most work", Part::Block, "other chains"),
    given("7.8", "the subsidy is that of the height", Gap::Height, &["zcash/src/payments/subsidy.rs::subsidies_of_the_heights_at_each_boundary", "zcash/tests/all/payments.rs::no_more_than_subsidy_and_fees_is_paid_out"]),
    chain("7.8", "subsidy and payments of the coinbase transaction on a local network", Part::OwnNetwork, "the parameters of the network's nodes"),
    given("7.9", "before Canopy, the coinbase transaction pays the founders' reward", Gap::Height, &["zcash/src/payments/subsidy.rs::founders_have_a_period_of_17709_blocks_of_before_blossom", "zcash/tests/all/payments.rs::founders_are_paid_until_canopy"]),
    given("7.10", "from Canopy on, the coinbase transaction pays the funding streams", Gap::Height, &["zcash/tests/all/payments.rs::each_funding_stream_is_paid_by_an_output_of_its_own"]),
    given("7.10", "with NU6.1, the coinbase transaction pays out the lockbox", Gap::Height, &["zcash/tests/all/payments.rs::the_lockbox_is_paid_out_once"]),
    given("7.11", "CODESEPARATOR is not an operation", Gap::SpentOutputs, &["zcash/tests/all/checks.rs::scripts_end_as_where_signatures_are_verified_at_once"]),
    given("7.12", "BIP 11: multisig signatures in the order of the keys", Gap::SpentOutputs, &["zcash/tests/all/transactions.rs::multisig_wants_the_order_of_the_keys"]),
    given("7.12", "BIP 16: redeem scripts match their hash", Gap::SpentOutputs, &["zcash/tests/all/transactions.rs::what_is_signed_is_valid_in_one_round"]),
    chain("7.12", "BIP 30: no transaction has the identifier of an earlier one with unspent outputs", Part::Block, "the unspent outputs of the chain"),
    given("7.12", "BIP 34: the height in the coinbase script", Gap::Height, &["zcash/tests/all/rules.rs::the_scripts_of_coinbase_transactions_have_bounds"]),
    given("7.12", "BIP 65: CHECKLOCKTIMEVERIFY", Gap::SpentOutputs, &["zcash/tests/all/transactions.rs::lock_times_are_compared_as_consensus_has_it"]),
    given("7.12", "BIP 66: signatures in DER", Gap::SpentOutputs, &["zcash/tests/all/transactions.rs::other_signatures_keys_and_types_are_refused"]),
    given("7.1.2, Bitcoin", "a device has verified each signature", Gap::Answers, &["zcash/tests/all/checks.rs::answers_must_be_as_many_as_questions"]),
    missing("7, later", "rules of NU6.2 and later upgrades", Gap::LaterRules),
];
