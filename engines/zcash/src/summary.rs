// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block's verdicts in the form in which they are shown: each check with its text, ready for
//! JSON.

use halimede_equihash::Check;
use serde::Serialize;

use crate::block::{Block, BlockTransaction};
use crate::fault::BlockFault;
use crate::gap::{Gap, Unchecked};
use crate::hash::Hash;
use crate::known::Known;
use crate::report::{InputCounts, InputReport, Report, TransactionReport};
use crate::rules::{Rule, State};
use crate::verdict::{InputVerdict, Verdict};
use crate::verify::Times;

/// The verdicts on a block, which `halimede zcash verify-block --json` prints as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The hash of the block, as nodes print it.
    pub hash: String,
    /// The name of the network.
    pub network: &'static str,
    /// The given height, otherwise the height that the block claims.
    pub height: Option<u32>,
    /// The size of the block in bytes.
    pub bytes: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The violated rules, with their places.
    pub faults: Vec<FaultSummary>,
    /// The unchecked items.
    pub unchecked: Vec<UncheckedSummary>,
    /// Rules for this block that only the chain decides, and that are outside of the verdict.
    pub needs_chain_state: Vec<RuleSummary>,
    /// The device's result for header and solution.
    pub proof_of_work: ProofSummary,
    /// The checks: header, difficulty, Equihash solution, Merkle root, signature operations.
    pub checks: Vec<CheckSummary>,
    /// The numbers of inputs by verdict.
    pub inputs: InputCounts,
    /// The transactions, in order.
    pub transactions: Vec<TransactionSummary>,
    /// The number of signature operations in all known scripts.
    pub signature_operations: u64,
    /// The number of transparent signatures sent to a device.
    pub signatures: usize,
    /// The number of Groth16 proofs sent to a device.
    pub proofs: usize,
    /// The time spent, by step.
    pub seconds: Seconds,
}

/// The members of [`Summary`] that describe a whole batch.
const OF_BATCH: [&str; 3] = ["seconds", "signatures", "proofs"];

impl Summary {
    /// Returns the summary of a block that was verified together with others, as JSON: without the
    /// members `seconds`, `signatures` and `proofs`, which a batch has as a whole.
    ///
    /// # Errors
    /// None that occurs: all members are texts, numbers and lists.
    pub fn in_batch(
        block: &Block,
        known: Known,
        report: &Report,
    ) -> serde_json::Result<serde_json::Value> {
        let summary = Self::new(block, known, report, Times::default());
        let mut summary = serde_json::to_value(&summary)?;
        if let Some(members) = summary.as_object_mut() {
            members.retain(|name, _| !OF_BATCH.contains(&&name[..]));
        }
        Ok(summary)
    }
}

/// A device's result for header and solution.
#[derive(Clone, Debug, Serialize)]
pub struct ProofSummary {
    /// The failed checks, one bit each ([`Check::bit`]).
    pub mask: u8,
    /// The first failed check in words.
    pub first: Option<&'static str>,
}

/// A violated rule.
#[derive(Clone, Debug, Serialize)]
pub struct FaultSummary {
    /// The section of the Zcash protocol specification.
    pub section: &'static str,
    /// The place: `header`, `block`, a transaction by its index, or one of its inputs.
    pub place: String,
    /// The reason.
    pub reason: String,
}

/// Items of one kind that were not checked.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UncheckedSummary {
    /// The kind.
    pub name: &'static str,
    /// The number of items.
    pub count: usize,
    /// The option that closes the gap: `height`, `branch` or `spent`; `None` if no option does.
    pub option: Option<&'static str>,
    /// The input that closes the gap in words, or the reason why the check is absent.
    pub needs: &'static str,
}

impl From<Unchecked> for UncheckedSummary {
    fn from(Unchecked { gap, count }: Unchecked) -> Self {
        Self { name: Gap::name(gap), count, option: gap.option(), needs: gap.remedy() }
    }
}

/// A rule that only the chain decides.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuleSummary {
    /// The section of the Zcash protocol specification.
    pub section: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// The chain state that decides the rule.
    pub needs: &'static str,
}

impl RuleSummary {
    /// Returns the summary of a rule; `None` if the rule does not depend on the chain.
    pub fn new(rule: &Rule) -> Option<Self> {
        match rule.state {
            State::ChainState { needs, .. } => {
                Some(Self { section: rule.section, rule: rule.text, needs })
            }
            _ => None,
        }
    }
}

/// A check with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct CheckSummary {
    /// The check.
    pub check: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The reasons of a failure, otherwise the checked value.
    pub detail: String,
}

/// The verdicts on a transaction.
#[derive(Clone, Debug, Serialize)]
pub struct TransactionSummary {
    /// The identifier, as nodes print it.
    pub txid: String,
    /// The position of the transaction in the block, in bytes.
    pub begins_at: usize,
    /// Set for a coinbase transaction.
    pub coinbase: bool,
    /// The verdict on the transaction.
    pub verdict: Verdict,
    /// The faults of the transaction as a whole.
    pub faults: Vec<String>,
    /// The unchecked items of the transaction.
    pub unchecked: Vec<UncheckedSummary>,
    /// The transparent inputs that spend an output.
    pub inputs: Vec<InputSummary>,
}

/// The verdict on a transparent input.
#[derive(Clone, Debug, Serialize)]
pub struct InputSummary {
    /// The index of the input, from 0.
    pub input: usize,
    /// The kind of the spent output, if it is known.
    pub kind: Option<String>,
    /// The verdict on the input.
    pub verdict: Verdict,
    /// The reason if the input is not valid.
    pub reason: Option<String>,
}

/// The time spent by step, in seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seconds {
    /// The total.
    pub total: f64,
    /// Reading the bytes.
    pub parsing: f64,
    /// Running scripts and computing signature hashes.
    pub scripts: f64,
    /// The device's verification of the proof of work.
    pub proof_of_work: f64,
    /// The device's verification of transparent signatures.
    pub signatures: f64,
    /// The device's verification of Groth16 proofs.
    pub proofs: f64,
    /// Verifying shielded signatures and Orchard proofs.
    pub shielded: f64,
}

impl Summary {
    /// Returns the summary of a block's report.
    pub fn new(block: &Block, known: Known, report: &Report, times: Times) -> Self {
        let mask = report.proof_of_work;
        let transactions = block.transactions().iter().zip(&report.transactions);
        Self {
            hash: block.hash().to_string(),
            network: block.network().name(),
            height: known.height.or_else(|| block.height()),
            bytes: block.bytes(),
            verdict: report.verdict(),
            faults: faults(block, report),
            unchecked: report.unchecked.iter().copied().map(Into::into).collect(),
            needs_chain_state: report
                .needs_chain_state
                .iter()
                .filter_map(|rule| RuleSummary::new(rule))
                .collect(),
            proof_of_work: ProofSummary {
                mask: mask.bits(),
                first: mask.first().map(Check::message),
            },
            checks: checks(block, report),
            inputs: report.inputs(),
            transactions: transactions.map(|(of, report)| transaction(of, report)).collect(),
            signature_operations: report.signature_operations,
            signatures: times.signature_count,
            proofs: times.proof_count,
            seconds: times.into(),
        }
    }
}

impl From<Times> for Seconds {
    fn from(times: Times) -> Self {
        Self {
            total: times.total.as_secs_f64(),
            parsing: times.parsing.as_secs_f64(),
            scripts: times.preparing.as_secs_f64(),
            proof_of_work: times.proof_of_work.as_secs_f64(),
            signatures: times.signatures.as_secs_f64(),
            proofs: times.proofs.as_secs_f64(),
            shielded: times.shielded.as_secs_f64(),
        }
    }
}

impl CheckSummary {
    fn new(check: &'static str, faults: Vec<String>, otherwise: String) -> Self {
        let verdict = Verdict::of(!faults.is_empty(), false);
        let detail = if faults.is_empty() { otherwise } else { faults.join("; ") };
        Self { check, verdict, detail }
    }

    /// Marks the check as incomplete if something was not checked.
    fn but_open(mut self, is_open: bool) -> Self {
        self.verdict = Verdict::of(self.verdict == Verdict::Invalid, is_open);
        self
    }
}

/// The check that a block's fault belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Target,
    Tree,
    Operations,
}

fn part(fault: &BlockFault) -> Part {
    use BlockFault::{MerkleAmbiguous, MerkleRoot, NoTransactions, SignatureOperations, Target};
    match fault {
        Target(_) => Part::Target,
        MerkleRoot { .. } | MerkleAmbiguous | NoTransactions => Part::Tree,
        SignatureOperations { .. } => Part::Operations,
        _ => Part::Header,
    }
}

/// Returns the checks of the block as a whole.
fn checks(block: &Block, report: &Report) -> Vec<CheckSummary> {
    let (mask, header) = (report.proof_of_work, block.header());
    let named = |check: Check| format!("{} (mask {:#04x})", check.message(), mask.bits());
    let difficulty = mask.has(Check::Difficulty).then(|| named(Check::Difficulty));
    let of_solution = |check: &Check| *check != Check::Difficulty && mask.has(*check);
    let solution = Check::ALL.into_iter().find(of_solution).map(named);
    let faults = |of: Part| -> Vec<String> {
        let faults = report.faults.iter().filter(|fault| part(fault) == of);
        faults.map(ToString::to_string).collect()
    };
    let version = format!("version {}", header.version());
    let bits = format!("target {:08x}", header.bits());
    let of_target = faults(Part::Target).into_iter().chain(difficulty).collect();
    let root = Hash(header.merkle_root()).to_string();
    let is_unknown = |of: &Unchecked| of.gap == Gap::SpentOutputs;
    let is_open = report.unchecked.iter().any(is_unknown);
    let unknown = match is_open {
        false => "",
        true => " at least: redeem scripts of unchecked inputs may have more",
    };
    let operations = format!("{}{unknown}", report.signature_operations);
    let operations =
        CheckSummary::new("signature operations", faults(Part::Operations), operations);
    vec![
        CheckSummary::new("header", faults(Part::Header), version),
        CheckSummary::new("difficulty", of_target, bits),
        CheckSummary::new("equihash", solution.into_iter().collect(), header.params().to_string()),
        CheckSummary::new("merkle root", faults(Part::Tree), root),
        operations.but_open(is_open),
    ]
}

fn transaction(of: &BlockTransaction, report: &TransactionReport) -> TransactionSummary {
    let inputs = report.inputs.iter().enumerate();
    TransactionSummary {
        txid: report.txid.to_string(),
        begins_at: of.range().start,
        coinbase: of.is_coinbase(),
        verdict: report.verdict(),
        faults: report.faults.iter().map(ToString::to_string).collect(),
        unchecked: report.unchecked.iter().copied().map(Into::into).collect(),
        inputs: inputs.map(|(number, report)| input(number, report)).collect(),
    }
}

fn input(number: usize, report: &InputReport) -> InputSummary {
    let reason = match &report.verdict {
        InputVerdict::Valid => None,
        InputVerdict::Invalid(fault) => Some(fault.to_string()),
        InputVerdict::Incomplete(reason) => Some(reason.to_string()),
    };
    let verdict = report.verdict.verdict();
    let kind = report.kind.as_ref().map(ToString::to_string);
    InputSummary { input: number, kind, verdict, reason }
}

/// Returns the violated rules.
fn faults(block: &Block, report: &Report) -> Vec<FaultSummary> {
    let fault = |section, place: String, reason| FaultSummary { section, place, reason };
    let failed = Check::ALL.into_iter().filter(|check| report.proof_of_work.has(*check));
    let of_proof = failed.map(|check| {
        let section = if check == Check::Difficulty { "7.7.2" } else { "7.7.1" };
        fault(section, "header".into(), check.message().to_owned())
    });
    let of_block = report.faults.iter().map(|of| {
        let place = match of {
            BlockFault::Version { .. } | BlockFault::Target(_) => "header",
            _ => "block",
        };
        fault(of.section(), place.into(), of.to_string())
    });
    let of_transactions = report.transactions.iter().enumerate().flat_map(|(number, report)| {
        let begins = block.transactions().get(number).map_or(0, |of| of.range().start);
        let place = format!("transaction {number} (from byte {begins})");
        let whole =
            report.faults.iter().map(|of| fault(of.section(), place.clone(), of.to_string()));
        let inputs = report.inputs.iter().enumerate().filter_map(|(input, report)| {
            let InputVerdict::Invalid(of) = &report.verdict else { return None };
            Some(fault(of.section(), format!("{place}, input {input}"), of.to_string()))
        });
        whole.chain(inputs).collect::<Vec<_>>()
    });
    of_proof.chain(of_block).chain(of_transactions).collect()
}
