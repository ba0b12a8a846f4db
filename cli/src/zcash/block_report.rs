// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints the report of `verify-block`: each check with its verdict.

use std::collections::BTreeMap;

use halimede_zcash::{
    Block, BlockTransaction, CheckSummary, InputVerdict, Report, Summary, TransactionReport,
    UncheckedSummary, Verdict,
};

use crate::arguments::VerifyBlockOptions;
use crate::error::CommandError;
use crate::output::{output_error, print_line, print_table};

/// The report of a block.
pub struct BlockReport<'b> {
    pub block: &'b Block,
    pub report: &'b Report,
    pub summary: Summary,
    pub options: &'b VerifyBlockOptions,
}

/// A line of the report.
struct Row {
    check: String,
    verdict: Verdict,
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
        rows.extend(self.summary.unchecked.iter().map(unchecked_row));
        let rows: Vec<_> = rows
            .into_iter()
            .map(|row| vec![row.check, row.verdict.to_string(), row.detail])
            .collect();
        print_table(&["check", "verdict", ""], &rows)?;
        print_line(&self.chain_line())?;
        print_line(&self.last_line())
    }

    /// Returns the outcome of the command.
    pub fn outcome(&self) -> Result<(), CommandError> {
        match self.report.verdict() {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => {
                let reason = self.summary.faults.first().map_or_else(String::new, |fault| {
                    format!(": section {}, {}: {}", fault.section, fault.place, fault.reason)
                });
                Err(CommandError::BlockInvalid(format!("the block is invalid{reason}")))
            }
            Verdict::Incomplete if self.options.chain.allow_incomplete => Ok(()),
            Verdict::Incomplete => Err(CommandError::BlockIncomplete(self.missing())),
        }
    }

    fn missing(&self) -> String {
        let missing = |of: &UncheckedSummary| format!("{} {}", of.count, of.name);
        let all: Vec<_> = self.summary.unchecked.iter().map(missing).collect();
        format!(
            "no check failed, but some were not possible: {}; --allow-incomplete accepts that",
            all.join(", ")
        )
    }

    /// Returns the line with the rules that only the chain can decide.
    fn chain_line(&self) -> String {
        let all = self.report.needs_chain_state.iter();
        let all: Vec<_> = all.map(|rule| format!("{} ({})", rule.text, rule.section)).collect();
        format!("only the chain decides: {}", all.join("; "))
    }

    /// Returns the checks of the block as a whole.
    fn checks(&self) -> Vec<Row> {
        let row = |check: &CheckSummary| Row {
            check: check.check.into(),
            verdict: check.verdict,
            detail: check.detail.clone(),
        };
        self.summary.checks.iter().map(row).collect()
    }

    /// Returns a row for a transaction, and one for each of its inputs that is not valid.
    fn transaction_rows(&self, index: usize, report: &TransactionReport) -> Vec<Row> {
        let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
        let summary = summary_of(&self.block.transactions()[index], report);
        let summary = match faults.is_empty() {
            true => summary,
            false => format!("{}; {summary}", faults.join("; ")),
        };
        let verdict = report.verdict();
        let detail = format!("{} {summary}", report.txid);
        let mut rows = vec![Row { check: format!("transaction {index}"), verdict, detail }];
        for (number, input) in report.inputs.iter().enumerate() {
            let kind = input.kind.as_ref().map_or_else(String::new, |kind| format!("{kind}: "));
            let reason = match &input.verdict {
                InputVerdict::Valid => continue,
                InputVerdict::Invalid(fault) => fault.to_string(),
                InputVerdict::Incomplete(reason) => reason.to_string(),
            };
            let verdict = input.verdict.verdict();
            let detail = format!("{kind}{reason}");
            rows.push(Row { check: format!("  input {number}"), verdict, detail });
        }
        rows
    }

    fn last_line(&self) -> String {
        let times = self.summary.seconds;
        let milliseconds = |seconds: f64| format!("{:.2} ms", 1e3 * seconds);
        format!(
            "{} ({}: parsing {}, scripts {}, proof of work {}, {} signatures {}, {} proofs {}, other \
             shielded checks {})",
            self.report.verdict(),
            milliseconds(times.total),
            milliseconds(times.parsing),
            milliseconds(times.scripts),
            milliseconds(times.proof_of_work),
            self.summary.signatures,
            milliseconds(times.signatures),
            self.summary.proofs,
            milliseconds(times.proofs),
            milliseconds(times.shielded),
        )
    }
}

/// Counts the inputs of a transaction by kind.
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

/// Returns the row of a skipped check, with the option that makes it possible.
fn unchecked_row(of: &UncheckedSummary) -> Row {
    let option = of.option.map_or_else(String::new, |option| format!("--{option}: "));
    let detail = format!("{} {}: {option}{}", of.count, of.name, of.needs);
    Row { check: "not checked".into(), verdict: Verdict::Incomplete, detail }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use halimede_equihash::Mask;
    use halimede_zcash::{BlockFault, Gap, Known, Times, Unchecked};

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

    fn outcome(
        faults: Vec<BlockFault>,
        unchecked: Vec<Unchecked>,
        more: &[&str],
    ) -> Result<(), (u8, String)> {
        let options = options(more);
        let block = Block::parse(BLOCK_346.as_bytes(), options.chain.network).unwrap();
        let report = Report {
            proof_of_work: Mask::VALID,
            faults,
            transactions: vec![],
            signature_operations: 0,
            unchecked,
            needs_chain_state: vec![],
        };
        let summary = Summary::new(&block, Known::default(), &report, Times::default());
        let report = BlockReport { block: &block, report: &report, summary, options: &options };
        report.outcome().map_err(|error| (error.exit_code(), error.to_string()))
    }

    #[test]
    fn each_verdict_has_its_code() {
        let missing = |gap, count| Unchecked { gap, count };
        let some = vec![missing(Gap::SpentOutputs, 2), missing(Gap::OldJoinSplitProofs, 1)];
        assert_eq!(outcome(vec![], vec![], &[]), Ok(()));
        let (code, reason) = outcome(vec![], some.clone(), &[]).unwrap_err();
        assert_eq!(code, 5);
        let named =
            "2 inputs whose spent outputs are unknown, 1 JoinSplit proofs from before Sapling";
        assert!(reason.contains(named) && reason.contains("--allow-incomplete"), "{reason}");
        assert_eq!(outcome(vec![], some.clone(), &["--allow-incomplete"]), Ok(()));
        for more in [&[][..], &["--allow-incomplete"]] {
            let reason = "the block is invalid: section 7.6, block: the block has no transactions";
            let invalid = outcome(vec![BlockFault::NoTransactions], some.clone(), more);
            assert_eq!(invalid, Err((1, reason.to_owned())));
        }
    }
}
