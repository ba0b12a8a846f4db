// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Section 7.1: transactions, and what they inherit from Bitcoin.

use super::{chain, checked, given, missing, Part, Rule};
use crate::gap::Gap;

const VERSIONS: &[&str] =
    &["zcash/tests/all/checks.rs::versions_and_branches_are_those_of_the_height"];
const PARTS: &[&str] = &["zcash/tests/all/rules.rs::money_comes_from_somewhere_and_goes_somewhere"];
const UNREADABLE: &str =
    "zcash/tests/all/blocks.rs::a_transaction_that_is_none_is_named_with_its_place";
const COINBASE_PARTS: &[&str] =
    &["zcash/tests/all/rules.rs::coinbase_transactions_take_no_shielded_money"];
const EXPIRY: &[&str] = &["zcash/tests/all/rules.rs::transactions_expire"];
const OUTPUTS: &str = "the unspent outputs of the chain";

const SHIELDED: &[&str] = &["zcash/tests/all/proofs.rs::a_damaged_part_is_named"];
const ED25519: &[&str] =
    &["zcash/src/shielded/ed25519.rs::the_rules_differ_before_and_from_canopy"];

/// In the order of the specification.
pub const RULES: [Rule; 50] = [
    checked(
        "7.1.1",
        "an identifier is the hash defined for its version",
        &["zcash/tests/all/real_blocks.rs::whole_blocks_are_valid_or_say_what_is_not_checked"],
    ),
    checked(
        "7.1.2",
        "the version is at least 1",
        &["zcash/tests/all/shielded.rs::version_zero_is_none"],
    ),
    given(
        "7.1.2",
        "the flag of Overwinter is not set before Overwinter, and is set from then on",
        Gap::Height,
        VERSIONS,
    ),
    checked("7.1.2", "the version group is known", &[UNREADABLE]),
    given("7.1.2", "in Overwinter, the version is 3, with its group", Gap::Height, VERSIONS),
    given(
        "7.1.2",
        "from Sapling to Canopy, the version is 4, with its group",
        Gap::Height,
        VERSIONS,
    ),
    given("7.1.2", "from NU5 on, the version is 4 or 5, with its group", Gap::Height, VERSIONS),
    given(
        "7.1.2",
        "the branch that a transaction of version 5 names is that of the height",
        Gap::Height,
        VERSIONS,
    ),
    checked(
        "7.1.2",
        "before Sapling, a transaction has at most 100,000 bytes",
        &["zcash/tests/all/rules.rs::transactions_were_short_before_sapling"],
    ),
    checked(
        "7.1.2",
        "spends, outputs and actions are fewer than 2^16 each: a block's bytes hold no more",
        &["zcash/tests/all/rules.rs::blocks_of_the_largest_size_are_read"],
    ),
    checked("7.1.2", "before Sapling, there are inputs and outputs, or JoinSplits", PARTS),
    checked("7.1.2", "from Sapling on, there is an input, a spend or a JoinSplit", PARTS),
    checked("7.1.2", "from Sapling on, there is an output of some kind or a JoinSplit", PARTS),
    checked(
        "7.1.2",
        "in version 5, there is an input, a spend, or an action that may spend",
        PARTS,
    ),
    checked("7.1.2", "in version 5, there is an output, or an action that may create one", PARTS),
    checked(
        "7.1.2",
        "Orchard actions may spend or create notes",
        &["zcash/tests/all/shielded.rs::flags_of_orchard"],
    ),
    chain(
        "7.1.2",
        "a transaction that spends an output of a coinbase transaction has no transparent outputs",
        Part::Inputs,
        OUTPUTS,
    ),
    given("7.1.2", "the key of JoinSplits is a valid encoding", Gap::Branch, ED25519),
    given("7.1.2", "the signature of JoinSplits holds", Gap::Branch, SHIELDED),
    given("7.1.2", "the Sapling binding signature holds", Gap::ShieldedSignatures, SHIELDED),
    checked(
        "7.1.2",
        "in version 4, a Sapling balance requires a spend or an output",
        &["zcash/tests/all/rules.rs::a_balance_of_sapling_needs_something_there"],
    ),
    given(
        "7.1.2",
        "from height 3,363,426 (test network: 4,048,500) until NU6.2, version 5 has no Orchard \
         actions (ZIP 257)",
        Gap::Height,
        &["zcash/tests/all/rules.rs::orchard_was_suspended_before_nu6_2"],
    ),
    given("7.1.2", "the Orchard binding signature holds", Gap::ShieldedSignatures, SHIELDED),
    given(
        "7.1.2",
        "a coinbase transaction takes at most subsidy and fees, from NU6 on exactly these",
        Gap::SpentOutputs,
        &[
            "zcash/tests/all/payments.rs::no_more_than_subsidy_and_fees_is_paid_out",
            "zcash/tests/all/payments.rs::from_nu6_on_nothing_remains",
            "zcash/tests/all/payments.rs::outputs_to_sapling_count_as_paid_out",
            "zcash/tests/all/payments.rs::outputs_to_orchard_count_as_paid_out",
        ],
    ),
    checked("7.1.2", "a coinbase transaction has no JoinSplits", COINBASE_PARTS),
    checked("7.1.2", "a coinbase transaction has no Sapling spends", COINBASE_PARTS),
    given(
        "7.1.2",
        "before Heartwood, a coinbase transaction has no Sapling outputs",
        Gap::Height,
        COINBASE_PARTS,
    ),
    checked(
        "7.1.2",
        "a coinbase transaction of version 5 has Orchard spends disabled",
        COINBASE_PARTS,
    ),
    checked(
        "7.1.2",
        "the reserved bits of the Orchard flags are zero",
        &["zcash/tests/all/shielded.rs::flags_of_orchard"],
    ),
    given(
        "7.1.2",
        "the coinbase script begins with the height",
        Gap::Height,
        &[
            "zcash/tests/all/rules.rs::the_scripts_of_coinbase_transactions_have_bounds",
            "zcash/src/coinbase.rs::heights_are_read_as_they_are_written",
        ],
    ),
    checked(
        "7.1.2",
        "the coinbase script has 2 to 100 bytes",
        &["zcash/tests/all/rules.rs::the_scripts_of_coinbase_transactions_have_bounds"],
    ),
    checked(
        "7.1.2",
        "only a coinbase transaction has an input that spends nothing",
        &["zcash/tests/all/checks.rs::an_input_that_spends_nothing_is_refused"],
    ),
    checked(
        "7.1.2",
        "an output created in the block is spent only after its transaction, and once",
        &["zcash/tests/all/checks.rs::outputs_of_the_block_itself_need_not_be_given"],
    ),
    chain("7.1.2", "an output of an earlier block exists and is unspent", Part::Inputs, OUTPUTS),
    checked(
        "7.1.2",
        "an output of the block's own coinbase transaction is not spent",
        &["zcash/tests/all/rules.rs::money_just_made_cannot_be_spent"],
    ),
    chain(
        "7.1.2",
        "an output of an earlier coinbase transaction is 100 blocks old",
        Part::Inputs,
        OUTPUTS,
    ),
    checked(
        "7.1.2",
        "the output of the genesis block is not spent",
        &["zcash/tests/all/rules.rs::the_output_of_the_genesis_block_cannot_be_spent"],
    ),
    checked(
        "7.1.2",
        "the expiry height is at most 499,999,999, from NU5 on except for coinbase transactions",
        EXPIRY,
    ),
    given("7.1.2", "a transaction is not after its expiry height", Gap::Height, EXPIRY),
    given(
        "7.1.2",
        "from NU5 on, a coinbase transaction expires at the block's height",
        Gap::Height,
        EXPIRY,
    ),
    checked(
        "7.1.2",
        "the Sapling balance does not exceed the money supply in either direction",
        &["zcash/tests/all/shielded.rs::balances_are_no_more_than_all_the_money"],
    ),
    checked(
        "7.1.2",
        "the Orchard balance does not exceed the money supply in either direction",
        &["zcash/tests/all/shielded.rs::balances_are_no_more_than_all_the_money"],
    ),
    given(
        "7.1.2",
        "from Heartwood on, shielded coinbase outputs decrypt with an all-zero key",
        Gap::Height,
        &["zcash/tests/all/proofs.rs::outputs_of_coinbase_transactions_must_decrypt"],
    ),
    given(
        "7.1.2",
        "from Canopy on, the plaintexts of those outputs begin with 2",
        Gap::Height,
        &["zcash/tests/all/proofs.rs::outputs_of_coinbase_transactions_must_decrypt"],
    ),
    given(
        "7.1.2, Bitcoin",
        "scripts of inputs end with true, and their signatures are valid",
        Gap::SpentOutputs,
        &[
            "zcash/tests/all/transactions.rs::what_is_signed_is_valid_in_one_round",
            "zcash/tests/all/transactions.rs::other_signatures_keys_and_types_are_refused",
            "zcash/tests/all/checks.rs::scripts_end_as_where_signatures_are_verified_at_once",
            "zcash/tests/all/checks.rs::published_transactions_of_version_1",
        ],
    ),
    checked(
        "7.1.2, Bitcoin",
        "an output's amount, and the total of a transaction, do not exceed the money supply",
        &["zcash/tests/all/rules.rs::amounts_add_up"],
    ),
    given(
        "7.1.2, Bitcoin",
        "the total of the inputs does not exceed the money supply",
        Gap::SpentOutputs,
        &["zcash/tests/all/rules.rs::amounts_add_up"],
    ),
    given(
        "7.1.2, Bitcoin",
        "the lock time has passed, or all inputs waive it; times are compared with the header's",
        Gap::Height,
        &["zcash/tests/all/rules.rs::lock_times_must_be_over_unless_all_inputs_waive_them"],
    ),
    checked(
        "7.1.2, Bitcoin",
        "no output is spent twice",
        &["zcash/tests/all/rules.rs::copies_of_a_transaction_are_refused"],
    ),
    missing("7.1.2, later", "version 6 and its parts", Gap::LaterRules),
];
