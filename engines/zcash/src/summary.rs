// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block's verdicts as they are shown: each check with what is to be said of it, ready for JSON.

use halimede_equihash::{Check, Header, Mask, Network, TargetError};
use serde::Serialize;

use crate::block::{Block, BlockTransaction};
use crate::checks::Known;
use crate::hash::Hash;
use crate::report::{BlockFault, InputCounts, InputReport, Report, TransactionReport};
use crate::structure::header_faults;
use crate::verdict::InputVerdict;
use crate::verify::Times;

/// A block's verdicts. As JSON it is what `halimede zcash verify-block --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The block's hash as nodes print it.
    pub hash: String,
    /// The network's name.
    pub network: &'static str,
    /// The height that was given, or else the one that the block claims.
    pub height: Option<u32>,
    /// The block's bytes.
    pub bytes: usize,
    /// Whether nothing is wrong; inputs that are not checked are not.
    pub valid: bool,
    /// The device's reply about header and solution.
    pub proof_of_work: ProofSummary,
    /// Header, difficulty, Equihash solution, Merkle root, signature operations.
    pub checks: Vec<CheckSummary>,
    /// How many inputs have which verdict.
    pub inputs: InputCounts,
    /// Each transaction, in order.
    pub transactions: Vec<TransactionSummary>,
    /// Signature operations in all known scripts.
    pub signature_operations: u64,
    /// How many signatures a device was asked about.
    pub signatures: usize,
    /// Where the time went.
    pub seconds: Seconds,
}

/// A device's reply about header and solution.
#[derive(Clone, Debug, Serialize)]
pub struct ProofSummary {
    /// The failed checks, a bit for each as [`Check::bit`] says.
    pub mask: u8,
    /// The first of them in words.
    pub first: Option<&'static str>,
}

/// A check and its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct CheckSummary {
    /// The check.
    pub check: &'static str,
    /// Whether it holds.
    pub valid: bool,
    /// Why it does not, or else what there is.
    pub detail: String,
}

/// A transaction's verdicts.
#[derive(Clone, Debug, Serialize)]
pub struct TransactionSummary {
    /// Its identifier as nodes print it.
    pub txid: String,
    /// The byte of the block at which it begins.
    pub begins_at: usize,
    /// Whether it makes new money.
    pub coinbase: bool,
    /// Whether nothing is wrong with it; inputs that are not checked are not.
    pub valid: bool,
    /// Its faults as a whole.
    pub faults: Vec<String>,
    /// Each transparent input that spends something.
    pub inputs: Vec<InputSummary>,
}

/// A transparent input's verdict.
#[derive(Clone, Debug, Serialize)]
pub struct InputSummary {
    /// Its number, from 0.
    pub input: usize,
    /// The kind of what it spends, where that is known.
    pub kind: Option<String>,
    /// `valid`, `invalid` or `not checked`.
    pub verdict: &'static str,
    /// Why it is not valid.
    pub reason: Option<String>,
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seconds {
    /// All of it.
    pub total: f64,
    /// Reading the bytes.
    pub parsing: f64,
    /// Scripts and signature hashes.
    pub scripts: f64,
    /// The device, about the proof of work.
    pub proof_of_work: f64,
    /// The device, about signatures.
    pub signatures: f64,
}

impl Summary {
    /// The summary of a block's report.
    pub fn new(block: &Block, known: Known, report: &Report, times: Times) -> Self {
        let mask = report.proof_of_work;
        let transactions = block.transactions().iter().zip(&report.transactions);
        Self {
            hash: block.hash().to_string(),
            network: block.network().name(),
            height: known.height.or_else(|| block.height()),
            bytes: block.bytes(),
            valid: report.is_valid(),
            proof_of_work: ProofSummary {
                mask: mask.bits(),
                first: mask.first().map(Check::message),
            },
            checks: checks(block, report),
            inputs: report.inputs(),
            transactions: transactions.map(|(of, report)| transaction(of, report)).collect(),
            signature_operations: report.signature_operations,
            signatures: times.signature_count,
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
        }
    }
}

impl CheckSummary {
    fn new(check: &'static str, faults: Vec<String>, otherwise: String) -> Self {
        let valid = faults.is_empty();
        Self { check, valid, detail: if valid { otherwise } else { faults.join("; ") } }
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

/// Those of the block as a whole.
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
    let unknown = match report.inputs().not_checked {
        0 => "",
        _ => " at least: redeem scripts of inputs that are not checked may have more",
    };
    let operations = format!("{}{unknown}", report.signature_operations);
    vec![
        CheckSummary::new("header", faults(Part::Header), version),
        CheckSummary::new("difficulty", of_target, bits),
        CheckSummary::new("equihash", solution.into_iter().collect(), header.params().to_string()),
        CheckSummary::new("merkle root", faults(Part::Tree), root),
        CheckSummary::new("signature operations", faults(Part::Operations), operations),
    ]
}

fn transaction(of: &BlockTransaction, report: &TransactionReport) -> TransactionSummary {
    let inputs = report.inputs.iter().enumerate();
    TransactionSummary {
        txid: report.txid.to_string(),
        begins_at: of.range().start,
        coinbase: of.is_coinbase(),
        valid: report.is_valid(),
        faults: report.faults.iter().map(ToString::to_string).collect(),
        inputs: inputs.map(|(number, report)| input(number, report)).collect(),
    }
}

fn input(number: usize, report: &InputReport) -> InputSummary {
    let (verdict, reason) = match &report.verdict {
        InputVerdict::Valid => ("valid", None),
        InputVerdict::Invalid(fault) => ("invalid", Some(fault.to_string())),
        InputVerdict::NotChecked(reason) => ("not checked", Some(reason.to_string())),
    };
    let kind = report.kind.as_ref().map(ToString::to_string);
    InputSummary { input: number, kind, verdict, reason }
}

/// Why a header alone is not valid on this network, none where it is; the mask is a device's.
pub fn header_reasons(header: &Header, mask: Mask, network: Network) -> Vec<String> {
    let faults = header_faults(header, network);
    // Without a target, that the hash does not meet it says nothing more.
    let is_none = |fault: &BlockFault| match fault {
        BlockFault::Target(error) => !matches!(error, TargetError::AboveLimit { .. }),
        _ => false,
    };
    let has_target = !faults.iter().any(is_none);
    let failed = |check: &Check| mask.has(*check) && (has_target || *check != Check::Difficulty);
    let failed = Check::ALL.into_iter().filter(failed);
    let failed = failed.map(|check| check.message().to_owned());
    faults.iter().map(ToString::to_string).chain(failed).collect()
}
