// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `verify-block` prints: each check with its verdict.

use std::collections::BTreeMap;

use halimede_zcash::{
    Block, BlockTransaction, CheckSummary, InputVerdict, Report, Summary, TransactionReport,
};

use crate::arguments::VerifyBlockOptions;
use crate::error::CommandError;
use crate::output::{output_error, print_line, print_table};

/// A block's report, to be printed.
pub struct BlockReport<'b> {
    pub block: &'b Block,
    pub report: &'b Report,
    pub summary: Summary,
    pub options: &'b VerifyBlockOptions,
}

/// A line of the report.
struct Row {
    check: String,
    verdict: &'static str,
    detail: String,
}

impl BlockReport<'_> {
    pub fn print(&self, json: bool) -> Result<(), CommandError> {
        if json {
            let summary =
                serde_json::to_string(&self.summary).map_err(|error| output_error(error.into()))?;
            return print_line(&summary);
        }
        let Summary { hash, network, height, .. } = &self.summary;
        let height = height.map_or_else(|| "unknown".into(), |height| height.to_string());
        print_line(&format!("block   {hash}"))?;
        print_line(&format!("height  {height}, {network} network"))?;
        let mut rows = self.checks();
        for (index, report) in self.report.transactions.iter().enumerate() {
            rows.extend(self.transaction_rows(index, report));
        }
        let rows: Vec<_> =
            rows.into_iter().map(|row| vec![row.check, row.verdict.into(), row.detail]).collect();
        print_table(&["check", "verdict", ""], &rows)?;
        print_line(&self.last_line())
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

    /// Those of the block as a whole.
    fn checks(&self) -> Vec<Row> {
        let row = |check: &CheckSummary| Row {
            check: check.check.into(),
            verdict: verdict(check.valid),
            detail: check.detail.clone(),
        };
        self.summary.checks.iter().map(row).collect()
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

    fn last_line(&self) -> String {
        let times = self.summary.seconds;
        let milliseconds = |seconds: f64| format!("{:.2} ms", 1e3 * seconds);
        let not_checked = match self.report.inputs().not_checked {
            0 => String::new(),
            count => format!(", but {} not checked: --spent has to give more", are_inputs(count)),
        };
        format!(
            "{}{not_checked} ({}: parsing {}, scripts {}, proof of work {}, {} signatures {})",
            verdict(self.report.is_valid()),
            milliseconds(times.total),
            milliseconds(times.parsing),
            milliseconds(times.scripts),
            milliseconds(times.proof_of_work),
            self.summary.signatures,
            milliseconds(times.signatures),
        )
    }
}

/// The inputs of a transaction, by kinds.
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

#[cfg(test)]
mod tests {
    use clap::Parser;
    use halimede_equihash::Mask;
    use halimede_zcash::{Hash, InputFault, InputReport, Known, NotChecked, Times};

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
        let summary = Summary::new(&block, Known::default(), &report, Times::default());
        let report = BlockReport { block: &block, report: &report, summary, options: &options };
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
