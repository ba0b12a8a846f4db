// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report on a block.

use halimede_equihash::Mask;
use serde::Serialize;

use crate::fault::{BlockFault, TransactionFault};
use crate::gap::Unchecked;
use crate::hash::Hash;
use crate::kind::Kind;
use crate::rules::Rule;
use crate::verdict::{InputVerdict, Verdict};

/// The verdicts on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The failed checks of the proof of work.
    pub proof_of_work: Mask,
    /// The faults of the block as a whole.
    pub faults: Vec<BlockFault>,
    /// The reports on the transactions, in order.
    pub transactions: Vec<TransactionReport>,
    /// The number of signature operations in the block's scripts, without the redeem scripts of
    /// inputs whose spent outputs are unknown.
    pub signature_operations: u64,
    /// The unchecked items of the block and of all its transactions, by kind.
    pub unchecked: Vec<Unchecked>,
    /// Rules for this block that only the chain decides, and that no option covers. They are
    /// outside of the verdict.
    pub needs_chain_state: Vec<&'static Rule>,
}

/// The verdicts on a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionReport {
    /// The identifier of the transaction.
    pub txid: Hash,
    /// The faults of the transaction as a whole.
    pub faults: Vec<TransactionFault>,
    /// The reports on the transparent inputs that spend an output, in order.
    pub inputs: Vec<InputReport>,
    /// The unchecked items of the transaction, by kind. Those of a coinbase transaction may contain
    /// the other transactions' inputs whose spent outputs are unknown: it pays out their fees.
    pub unchecked: Vec<Unchecked>,
}

/// The verdict on a transparent input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputReport {
    /// The kind of the spent output, if it is known.
    pub kind: Option<Kind>,
    /// The verdict on the input.
    pub verdict: InputVerdict,
}

impl Report {
    /// Returns the verdict on the block.
    pub fn verdict(&self) -> Verdict {
        let is_invalid = |of: &TransactionReport| of.verdict() == Verdict::Invalid;
        let is_faulty = !self.proof_of_work.is_valid()
            || !self.faults.is_empty()
            || self.transactions.iter().any(is_invalid);
        Verdict::of(is_faulty, !self.unchecked.is_empty())
    }

    /// Counts the inputs by verdict.
    pub fn inputs(&self) -> InputCounts {
        let mut counts = InputCounts::default();
        for input in self.transactions.iter().flat_map(|transaction| &transaction.inputs) {
            match input.verdict.verdict() {
                Verdict::Valid => counts.valid += 1,
                Verdict::Invalid => counts.invalid += 1,
                Verdict::Incomplete => counts.incomplete += 1,
            }
        }
        counts
    }
}

/// The numbers of inputs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputCounts {
    /// The number of inputs whose scripts end with true.
    pub valid: usize,
    /// The number of inputs that violate a rule.
    pub invalid: usize,
    /// The number of inputs without a definite verdict.
    pub incomplete: usize,
}

impl TransactionReport {
    /// Returns the verdict on the transaction.
    pub fn verdict(&self) -> Verdict {
        let is_invalid = |input: &InputReport| input.verdict.verdict() == Verdict::Invalid;
        let is_faulty = !self.faults.is_empty() || self.inputs.iter().any(is_invalid);
        Verdict::of(is_faulty, !self.unchecked.is_empty())
    }
}
