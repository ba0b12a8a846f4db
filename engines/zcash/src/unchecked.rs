// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The unchecked items of a block, counted per transaction and in total, and the rules that only
//! the chain decides.

use std::collections::BTreeMap;

use halimede_equihash::Network;
use zcash_primitives::transaction::TxVersion;
use zcash_protocol::consensus::BranchId;

use crate::block::{Block, BlockTransaction};
use crate::commitment::Commitment;
use crate::gap::{Gap, Unchecked};
use crate::known::Known;
use crate::network::branch_at;
use crate::report::{InputReport, TransactionReport};
use crate::rules::{rules, Part, Rule, State};
use crate::shielded::{old_proofs, ShieldedChecks};
use crate::state::{ChainState, StatePart};
use crate::verdict::{InputVerdict, NotChecked};

/// The numbers of shielded parts of a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shielded {
    /// The number of Sprout JoinSplits.
    pub join_splits: usize,
    /// The number of Sapling spends.
    pub spends: usize,
    /// The number of Sapling outputs.
    pub outputs: usize,
    /// The number of Orchard actions.
    pub actions: usize,
}

impl Shielded {
    /// Counts the shielded parts of this transaction.
    pub fn of(transaction: &BlockTransaction) -> Self {
        let data = transaction.transaction();
        let sapling = data.sapling_bundle();
        Self {
            join_splits: data.sprout_bundle().map_or(0, |bundle| bundle.joinsplits.len()),
            spends: sapling.map_or(0, |bundle| bundle.shielded_spends().len()),
            outputs: sapling.map_or(0, |bundle| bundle.shielded_outputs().len()),
            actions: data.orchard_bundle().map_or(0, |bundle| bundle.actions().len()),
        }
    }
}

/// Returns the unchecked items of a transaction whose inputs have these verdicts.
pub fn of_transaction(
    transaction: &BlockTransaction,
    inputs: &[InputReport],
    shielded: &ShieldedChecks,
) -> Vec<Unchecked> {
    let with = |wanted: fn(&NotChecked) -> bool| {
        let is_wanted = |input: &&InputReport| match &input.verdict {
            InputVerdict::Incomplete(reason) => wanted(reason),
            _ => false,
        };
        inputs.iter().filter(is_wanted).count()
    };
    let is_later = transaction.transaction().version() == TxVersion::V6;
    counted([
        (Gap::SpentOutputs, with(|why| matches!(why, NotChecked::SpentOutputUnknown { .. }))),
        (Gap::Answers, with(|why| matches!(why, NotChecked::Unanswered))),
        (Gap::Branch, with(|why| matches!(why, NotChecked::BranchUnknown)).min(1)),
        (Gap::LaterRules, is_later.into()),
        (Gap::OldJoinSplitProofs, old_proofs(transaction)),
        (Gap::ShieldedProofs, shielded.unanswered(transaction)),
        (Gap::ShieldedSignatures, shielded.unsigned()),
    ])
}

/// Returns the unchecked items of a block under these rules, including those of its transactions.
pub fn of_block(
    block: &Block,
    known: Known,
    branch: Option<BranchId>,
    transactions: &[TransactionReport],
) -> Vec<Unchecked> {
    let tells_branch = branch_at(block.network(), 0).is_some();
    // A given branch does not hide that the height has later rules.
    let height = known.height.or_else(|| block.height());
    let of_height = height.and_then(|height| branch_at(block.network(), height));
    let content = Commitment::of(block.network(), height, branch);
    let is_uncommitted =
        content == Some(Commitment::HistoryAndBlock) && known.history_root.is_none();
    let own: [(Gap, usize); 4] = [
        (Gap::Height, known.height.is_none().into()),
        (Gap::Branch, (known.branch.is_none() && !tells_branch).into()),
        (Gap::HistoryRoot, is_uncommitted.into()),
        (Gap::LaterRules, [branch, of_height].into_iter().flatten().any(is_later).into()),
    ];
    let mut sums: BTreeMap<Gap, usize> = BTreeMap::new();
    for (gap, count) in own {
        *sums.entry(gap).or_default() += count;
    }
    for Unchecked { gap, count } in transactions.iter().flat_map(|report| &report.unchecked) {
        *sums.entry(*gap).or_default() += count;
    }
    // The branch counts once, however many transactions need it.
    sums.entry(Gap::Branch).and_modify(|count| *count = (*count).min(1));
    counted(sums)
}

fn counted(counts: impl IntoIterator<Item = (Gap, usize)>) -> Vec<Unchecked> {
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(gap, count)| Unchecked { gap, count }).collect()
}

/// Returns `true` if this branch is later than the specification that the list of rules follows.
fn is_later(branch: BranchId) -> bool {
    matches!(branch, BranchId::Nu6_2 | BranchId::Nu6_3 | BranchId::Nu7)
}

/// Returns the rules for this block at this height that only the chain decides, and that the known
/// state does not decide.
pub fn needs_chain_state(
    block: &Block,
    state: Option<&ChainState>,
    height: Option<u32>,
) -> Vec<&'static Rule> {
    let all: Vec<_> = block.transactions().iter().map(|of| (of, Shielded::of(of))).collect();
    let any = |test: fn(&(&BlockTransaction, Shielded)) -> bool| all.iter().any(test);
    let has = |part: Part| match part {
        Part::Block => true,
        Part::OwnNetwork => block.network() == Network::Regtest,
        Part::Inputs => any(|(of, _)| {
            let data = of.transaction();
            !of.is_coinbase() && data.transparent_bundle().is_some_and(|own| !own.vin.is_empty())
        }),
        Part::JoinSplits => any(|(_, parts)| parts.join_splits > 0),
        Part::SaplingSpends => any(|(_, parts)| parts.spends > 0),
        Part::Sapling => any(|(_, parts)| parts.spends + parts.outputs > 0),
        Part::Actions => any(|(_, parts)| parts.actions > 0),
    };
    let is_decided = |part: Option<StatePart>| match (state, part) {
        (Some(state), Some(part)) => state.decides(part, block, height),
        _ => false,
    };
    let is_open = |rule: &&Rule| match rule.state {
        State::ChainState { of, given, .. } => has(of) && !is_decided(given),
        _ => false,
    };
    rules().filter(is_open).collect()
}

/// Returns the rules for a single header that only the chain decides.
pub fn header_needs_chain_state() -> impl Iterator<Item = &'static Rule> {
    rules().filter(|rule| match rule.state {
        State::ChainState { of: Part::Block, .. } => rule.section.starts_with("7.6"),
        _ => false,
    })
}
