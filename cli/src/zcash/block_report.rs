// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `verify-block` prints: each check with its verdict.

use std::collections::BTreeMap;
use std::io::{stdout, Write};
use std::time::Duration;

use halimede_equihash::Check;
use halimede_zcash::{
    Block, BlockFault, BlockTransaction, Hash, InputVerdict, Known, Report, TransactionReport,
};
use serde_json::{json, Value};

use super::verify_block::Times;
use crate::arguments::VerifyBlockOptions;
use crate::error::CommandError;
use crate::output::print_table;

/// A block's report, to be printed.
pub struct BlockReport<'b> {
    pub block: &'b Block,
    pub known: Known,
    pub report: &'b Report,
    pub times: Times,
    pub options: &'b VerifyBlockOptions,
}

/// A line of the report.
struct Row {
    check: String,
    verdict: &'static str,
    detail: String,
}

impl Row {
    fn new(check: impl Into<String>, faults: Vec<String>, otherwise: impl Into<String>) -> Self {
        let detail = if faults.is_empty() { otherwise.into() } else { faults.join("; ") };
        Self { check: check.into(), verdict: verdict(faults.is_empty()), detail }
    }
}

/// What a block's fault is of: a line of the report.
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

impl BlockReport<'_> {
    pub fn print(&self, json: bool) -> Result<(), CommandError> {
        if json {
            return print_line(&self.json().to_string());
        }
        let height = self.height().map_or_else(|| "unknown".into(), |height| height.to_string());
        print_line(&format!("block   {}", self.block.hash()))?;
        print_line(&format!("height  {height}, {} network", self.block.network()))?;
        let mut rows = self.checks();
        for (index, report) in self.report.transactions.iter().enumerate() {
            rows.extend(self.transaction_rows(index, report));
        }
        let rows: Vec<_> =
            rows.into_iter().map(|row| vec![row.check, row.verdict.into(), row.detail]).collect();
        print_table(&["check", "verdict", ""], &rows);
        print_line(&self.summary())
    }

    /// Whether the command is content.
    pub fn outcome(&self) -> Result<(), CommandError> {
        let counts = self.report.inputs();
        if !self.report.is_valid() {
            return Err(CommandError::BlockInvalid("the block is invalid".into()));
        }
        match counts.not_checked {
            count if count > 0 && self.options.require_spent => {
                let reason = format!("{} not checked", are_inputs(count));
                Err(CommandError::BlockInvalid(reason))
            }
            _ => Ok(()),
        }
    }

    fn height(&self) -> Option<u32> {
        self.known.height.or_else(|| self.block.height())
    }

    /// Those of the block as a whole.
    fn checks(&self) -> Vec<Row> {
        let mask = self.report.proof_of_work;
        let named = |check: Check| format!("{} (mask {:#04x})", check.message(), mask.bits());
        let difficulty = mask.has(Check::Difficulty).then(|| named(Check::Difficulty));
        let of_solution = |check: &Check| *check != Check::Difficulty && mask.has(*check);
        let solution = Check::ALL.into_iter().find(of_solution).map(named);
        let params = self.block.header().params();
        let faults = |of: Part| -> Vec<String> {
            let faults = self.report.faults.iter().filter(|fault| part(fault) == of);
            faults.map(ToString::to_string).collect()
        };
        let version = format!("version {}", self.block.header().version());
        let root = Hash(self.block.header().merkle_root()).to_string();
        let bits = format!("target {:08x}", self.block.header().bits());
        let of_target = faults(Part::Target).into_iter().chain(difficulty).collect();
        let unknown = match self.report.inputs().not_checked {
            0 => "",
            _ => " at least: redeem scripts of inputs that are not checked may have more",
        };
        let operations = format!("{}{unknown}", self.report.signature_operations);
        vec![
            Row::new("header", faults(Part::Header), version),
            Row::new("difficulty", of_target, bits),
            Row::new("equihash", solution.into_iter().collect(), params.to_string()),
            Row::new("merkle root", faults(Part::Tree), root),
            Row::new("signature operations", faults(Part::Operations), operations),
        ]
    }

    /// A line for a transaction, and one for each input that is not valid.
    fn transaction_rows(&self, index: usize, report: &TransactionReport) -> Vec<Row> {
        let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
        let summary = summary_of(&self.block.transactions()[index], report);
        let summary = match faults.is_empty() {
            true => summary,
            false => format!("{}; {summary}", faults.join("; ")),
        };
        let is_open = |verdict: &InputVerdict| matches!(verdict, InputVerdict::NotChecked(_));
        let open = report.inputs.iter().any(|input| is_open(&input.verdict));
        let verdict = match (report.is_valid(), open) {
            (true, true) => "not checked",
            (valid, _) => verdict(valid),
        };
        let detail = format!("{} {summary}", report.txid);
        let mut rows = vec![Row { check: format!("transaction {index}"), verdict, detail }];
        for (number, input) in report.inputs.iter().enumerate() {
            let kind = input.kind.as_ref().map_or_else(String::new, |kind| format!("{kind}: "));
            let (verdict, reason) = match &input.verdict {
                InputVerdict::Valid => continue,
                InputVerdict::Invalid(fault) => ("invalid", fault.to_string()),
                InputVerdict::NotChecked(reason) => ("not checked", reason.to_string()),
            };
            let detail = format!("{kind}{reason}");
            rows.push(Row { check: format!("  input {number}"), verdict, detail });
        }
        rows
    }

    fn summary(&self) -> String {
        let times = self.times;
        let milliseconds = |time: Duration| format!("{:.2} ms", 1e3 * time.as_secs_f64());
        let not_checked = match self.report.inputs().not_checked {
            0 => String::new(),
            count => format!(", but {} not checked: --spent has to give more", are_inputs(count)),
        };
        format!(
            "{}{not_checked} ({}: parsing {}, scripts {}, proof of work {}, {} signatures {})",
            verdict(self.report.is_valid()),
            milliseconds(times.total),
            milliseconds(times.parsing),
            milliseconds(times.preparing),
            milliseconds(times.proof_of_work),
            times.signature_count,
            milliseconds(times.signatures),
        )
    }

    fn json(&self) -> Value {
        let (mask, times, counts) = (self.report.proof_of_work, self.times, self.report.inputs());
        let checks = self.checks().into_iter().map(|row| {
            let valid = row.verdict == verdict(true);
            json!({ "check": row.check, "valid": valid, "detail": row.detail })
        });
        let transactions = self.report.transactions.iter().enumerate().map(|(index, report)| {
            let transaction = &self.block.transactions()[index];
            transaction_json(transaction, report)
        });
        json!({
            "hash": self.block.hash().to_string(),
            "network": self.block.network().name(),
            "height": self.height(),
            "bytes": self.block.bytes(),
            "valid": self.report.is_valid(),
            "proof_of_work": { "mask": mask.bits(), "first": mask.first().map(Check::message) },
            "checks": checks.collect::<Vec<_>>(),
            "inputs": {
                "valid": counts.valid, "invalid": counts.invalid, "not_checked": counts.not_checked,
            },
            "transactions": transactions.collect::<Vec<_>>(),
            "signature_operations": self.report.signature_operations,
            "signatures": times.signature_count,
            "seconds": {
                "total": times.total.as_secs_f64(),
                "parsing": times.parsing.as_secs_f64(),
                "scripts": times.preparing.as_secs_f64(),
                "proof_of_work": times.proof_of_work.as_secs_f64(),
                "signatures": times.signatures.as_secs_f64(),
            },
        })
    }
}

fn transaction_json(transaction: &BlockTransaction, report: &TransactionReport) -> Value {
    let inputs = report.inputs.iter().enumerate().map(|(number, input)| {
        let (verdict, reason) = match &input.verdict {
            InputVerdict::Valid => (verdict(true), None),
            InputVerdict::Invalid(fault) => (verdict(false), Some(fault.to_string())),
            InputVerdict::NotChecked(reason) => ("not checked", Some(reason.to_string())),
        };
        let kind = input.kind.as_ref().map(ToString::to_string);
        json!({ "input": number, "kind": kind, "verdict": verdict, "reason": reason })
    });
    json!({
        "txid": report.txid.to_string(),
        "begins_at": transaction.range().start,
        "coinbase": transaction.is_coinbase(),
        "valid": report.is_valid(),
        "faults": report.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "inputs": inputs.collect::<Vec<_>>(),
    })
}

/// What a transaction spends, by kinds.
fn summary_of(transaction: &BlockTransaction, report: &TransactionReport) -> String {
    if transaction.is_coinbase() {
        return "coinbase".into();
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for input in &report.inputs {
        let kind = input.kind.as_ref().map_or_else(|| "unknown".into(), ToString::to_string);
        *kinds.entry(kind).or_default() += 1;
    }
    match kinds.is_empty() {
        true => "no transparent inputs".into(),
        false => {
            let kinds: Vec<_> =
                kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            kinds.join(", ")
        }
    }
}

fn verdict(is_valid: bool) -> &'static str {
    if is_valid {
        "valid"
    } else {
        "invalid"
    }
}

fn are_inputs(count: usize) -> String {
    match count {
        1 => "1 input is".into(),
        count => format!("{count} inputs are"),
    }
}

fn print_line(text: &str) -> Result<(), CommandError> {
    writeln!(stdout(), "{text}").map_err(|source| CommandError::Stream { stream: "output", source })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use halimede_equihash::Mask;
    use halimede_zcash::{Hash, InputFault, InputReport, NotChecked};

    use super::*;
    use crate::arguments::{Arguments, Command, ZcashCommand};

    const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");

    fn options(more: &[&str]) -> VerifyBlockOptions {
        let words = [&["halimede", "zcash", "verify-block", "block"], more].concat();
        match Arguments::parse_from(words).command {
            Command::Zcash(ZcashCommand::VerifyBlock(options)) => options,
            other => panic!("{other:?}"),
        }
    }

    fn outcome(verdicts: &[InputVerdict], more: &[&str]) -> Result<(), String> {
        let options = options(more);
        let block = Block::parse(BLOCK_346.as_bytes(), options.network).unwrap();
        let inputs = verdicts.iter().cloned().map(|verdict| InputReport { kind: None, verdict });
        let transaction =
            TransactionReport { txid: Hash([7; 32]), faults: vec![], inputs: inputs.collect() };
        let report = Report {
            proof_of_work: Mask::VALID,
            faults: vec![],
            transactions: vec![transaction],
            signature_operations: 0,
        };
        let (known, times) = (Known::default(), Times::default());
        let report =
            BlockReport { block: &block, known, report: &report, times, options: &options };
        report.outcome().map_err(|error| {
            assert_eq!(error.exit_code(), 1);
            error.to_string()
        })
    }

    #[test]
    fn inputs_that_are_not_checked_fail_where_they_must_be() {
        let open = InputVerdict::NotChecked(NotChecked::SpentOutputUnknown { input: 1 });
        let valid = InputVerdict::Valid;
        let verdicts = [valid.clone(), open.clone(), open];
        assert_eq!(outcome(&verdicts, &[]), Ok(()));
        let reason = Err("2 inputs are not checked".to_owned());
        assert_eq!(outcome(&verdicts, &["--require-spent"]), reason);
        let reason = Err("1 input is not checked".to_owned());
        assert_eq!(outcome(&verdicts[..2], &["--require-spent"]), reason);
        assert_eq!(outcome(std::slice::from_ref(&valid), &["--require-spent"]), Ok(()));
        let invalid = InputVerdict::Invalid(InputFault::False { signature: None });
        assert_eq!(outcome(&[valid, invalid], &[]), Err("the block is invalid".to_owned()));
    }
}
