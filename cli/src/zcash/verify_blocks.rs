// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-blocks`: verifies a stream of blocks in batches.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::time::Instant;

use halimede_device::Device;
use halimede_zcash::{
    verify_blocks, Block, Chain, ChainState, FaultSummary, Gap, Link, Report, Rule, RuleSummary,
    Summary, Times, Unchecked, UncheckedSummary, Verdict, RECENT_OUTPUTS,
};

use super::block_source::{BlockBatch, BlockRead, BlockSource};
use super::verify_block::{failed, one_stdin, read_spent, read_state};
use crate::arguments::VerifyBlocksOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::output::{output_error, rate, standard_output};
use crate::progress::bytes_bar;

pub fn run(options: &VerifyBlocksOptions, json: bool) -> Result<(), CommandError> {
    one_stdin(&[
        Some(&options.path),
        options.chain.spent.as_deref(),
        options.chain.state.as_deref(),
    ])?;
    let device = open(&options.chain.device)?;
    let spent = read_spent(options.chain.spent.as_deref())?;
    let state = read_state(options.chain.state.as_deref())?;
    let mut source = BlockSource::open(&options.path, options.chain.network)?;
    let report = StreamReport {
        options,
        json,
        output: BufWriter::new(standard_output()),
        counts: Counts::default(),
        start: Instant::now(),
    };
    let chain = Chain::new(options.height, spent, RECENT_OUTPUTS);
    let (device, state) = (&device, state.as_ref());
    let mut verification = Verification { device, chain, state, number: 0, report };
    let bar = bytes_bar(source.length);
    let mut end = Ok(());
    while let (Ok(()), Some(batch)) = (&end, source.batch()) {
        let bytes = batch.blocks.iter().map(|read| read.input_bytes).sum();
        end = verification.verify(batch);
        bar.inc(bytes);
    }
    bar.finish_and_clear();
    verification.end(end)
}

struct Verification<'o, W: Write> {
    device: &'o Device,
    chain: Chain,
    state: Option<&'o ChainState>,
    /// The number of blocks taken from the input.
    number: u64,
    report: StreamReport<'o, W>,
}

/// A block to verify.
struct Numbered {
    number: u64,
    block: Block,
    link: Link,
}

impl<W: Write> Verification<'_, W> {
    /// Verifies the blocks of a batch. An error is about the blocks after those that were verified.
    fn verify(&mut self, batch: BlockBatch) -> Result<(), CommandError> {
        let mut blocks = Vec::new();
        let mut end = batch.error.map_or(Ok(()), Err);
        for BlockRead { block, .. } in batch.blocks {
            self.number += 1;
            let number = self.number;
            match self.chain.add(&block) {
                Ok(link) if self.is_wanted(&block, &link) => {
                    blocks.push(Numbered { number, block, link });
                }
                Ok(_) => {}
                Err(error) => {
                    let reason = format!(
                        "{}: block {number}: {error}; with --height, blocks follow each other",
                        self.report.options.path.display()
                    );
                    end = Err(CommandError::BadInput(reason));
                    break;
                }
            }
        }
        self.verify_numbered(&blocks)?;
        end
    }

    /// Returns `true` for blocks from `--from` on.
    fn is_wanted(&self, block: &Block, link: &Link) -> bool {
        let height = link.known.height.or_else(|| block.height());
        match (self.report.options.from, height) {
            (Some(from), Some(height)) => height >= from,
            _ => true,
        }
    }

    fn verify_numbered(&mut self, blocks: &[Numbered]) -> Result<(), CommandError> {
        if blocks.is_empty() {
            return Ok(());
        }
        let submissions: Vec<_> =
            blocks.iter().map(|of| of.link.submission(&of.block, self.state)).collect();
        let (reports, times) = verify_blocks(self.device, &submissions).map_err(failed)?;
        self.report.add_times(&times);
        for (of, report) in blocks.iter().zip(&reports) {
            self.report.block(of, report).map_err(output_error)?;
        }
        self.report.output.flush().map_err(output_error)
    }

    /// Prints the last line, and returns the outcome of the command.
    fn end(mut self, end: Result<(), CommandError>) -> Result<(), CommandError> {
        let flushed = self.report.output.flush().map_err(output_error);
        match end {
            Ok(()) => self.report.total(),
            Err(CommandError::Device(source)) => {
                Err(CommandError::BlocksDevice { before: self.report.before(), source })
            }
            Err(CommandError::BadInput(reason)) => {
                flushed?;
                let before = self.report.before();
                Err(CommandError::BadInput(format!("{reason} ({before})")))
            }
            Err(error) => Err(error),
        }
    }
}

/// The numbers of the whole stream.
#[derive(Default)]
struct Counts {
    blocks: u64,
    invalid: u64,
    incomplete: u64,
    signatures: u64,
    proofs: u64,
    /// The height of the last verified block.
    last_height: Option<u32>,
    unchecked: BTreeMap<Gap, usize>,
    needs_chain_state: Vec<&'static Rule>,
}

/// Prints verdicts and counts them.
struct StreamReport<'o, W> {
    options: &'o VerifyBlocksOptions,
    json: bool,
    output: W,
    counts: Counts,
    start: Instant,
}

impl<W: Write> StreamReport<'_, W> {
    fn add_times(&mut self, times: &Times) {
        self.counts.signatures += times.signature_count as u64;
        self.counts.proofs += times.proof_count as u64;
    }

    fn block(&mut self, of: &Numbered, report: &Report) -> std::io::Result<()> {
        let verdict = report.verdict();
        let counts = &mut self.counts;
        counts.blocks += 1;
        counts.invalid += u64::from(verdict == Verdict::Invalid);
        counts.incomplete += u64::from(verdict == Verdict::Incomplete);
        for Unchecked { gap, count } in &report.unchecked {
            *counts.unchecked.entry(*gap).or_default() += count;
        }
        for rule in &report.needs_chain_state {
            if !counts.needs_chain_state.contains(rule) {
                counts.needs_chain_state.push(rule);
            }
        }
        let summary = Summary::new(&of.block, of.link.known, report, Times::default());
        let Summary { hash, height, bytes, faults, unchecked, .. } = &summary;
        counts.last_height = *height;
        let number = of.number;
        if self.json {
            let object = serde_json::json!({
                "block": number, "height": height, "hash": hash, "bytes": bytes,
                "verdict": verdict, "faults": faults, "unchecked": unchecked,
            });
            return writeln!(self.output, "{object}");
        }
        if verdict == Verdict::Valid && !self.options.verbose {
            return Ok(());
        }
        let height = height.map_or_else(|| "unknown height".into(), |height| height.to_string());
        let reasons = reasons(faults, unchecked);
        writeln!(self.output, "{number} {height} {hash} {verdict}{reasons}")
    }

    /// Returns what was verified, in words, and where to resume.
    fn before(&self) -> String {
        let Counts { blocks, invalid, last_height, .. } = self.counts;
        let resume = last_height.and_then(|height| height.checked_add(1));
        let resume = resume.filter(|_| self.options.height.is_some());
        let resume = resume.map_or_else(String::new, |next| format!("; --from {next} resumes"));
        format!("blocks verified before: {blocks}, of these invalid: {invalid}{resume}")
    }

    /// Prints the last line, and returns the outcome of the command.
    fn total(&mut self) -> Result<(), CommandError> {
        let Counts { blocks, invalid, incomplete, signatures, proofs, .. } = self.counts;
        if let (0, Some(from)) = (blocks, self.options.from) {
            let reason = format!("the input has no blocks from height {from} on (--from)");
            return Err(CommandError::BadInput(reason));
        }
        let valid = blocks - invalid - incomplete;
        let seconds = self.start.elapsed().as_secs_f64();
        let unchecked = self.counts.unchecked.iter();
        let unchecked = unchecked.map(|(gap, count)| Unchecked { gap: *gap, count: *count });
        let unchecked: Vec<UncheckedSummary> = unchecked.map(Into::into).collect();
        let chain = &self.counts.needs_chain_state;
        let line = if self.json {
            let chain: Vec<_> = chain.iter().filter_map(|rule| RuleSummary::new(rule)).collect();
            serde_json::json!({
                "blocks": blocks, "valid": valid, "invalid": invalid, "incomplete": incomplete,
                "last_height": self.counts.last_height, "unchecked": unchecked,
                "needs_chain_state": chain, "signatures": signatures, "proofs": proofs,
                "seconds": seconds,
            })
            .to_string()
        } else {
            let rate = rate(blocks as usize, seconds);
            let chain: Vec<_> =
                chain.iter().map(|rule| format!("{} ({})", rule.text, rule.section)).collect();
            format!(
                "{blocks} blocks: {valid} valid, {invalid} invalid, {incomplete} incomplete; \
                 {signatures} signatures and {proofs} proofs, {seconds:.3} s, {rate}\n\
                 only the chain decides: {}",
                chain.join("; ")
            )
        };
        writeln!(self.output, "{line}").and_then(|()| self.output.flush()).map_err(output_error)?;
        match (invalid, incomplete) {
            (0, 0) => Ok(()),
            (0, _) if self.options.chain.allow_incomplete => Ok(()),
            (0, _) => {
                let missing: Vec<_> =
                    unchecked.iter().map(|of| format!("{} {}", of.count, of.name)).collect();
                Err(CommandError::BlockIncomplete(format!(
                    "{incomplete} of {blocks} blocks are incomplete: {}; --allow-incomplete \
                     accepts that",
                    missing.join(", ")
                )))
            }
            _ => {
                let reason = format!("{invalid} of {blocks} blocks are invalid");
                Err(CommandError::BlockInvalid(reason))
            }
        }
    }
}

/// Returns the reasons of a verdict, for the line of a block.
fn reasons(faults: &[FaultSummary], unchecked: &[UncheckedSummary]) -> String {
    let faults = faults
        .iter()
        .map(|fault| format!("section {}, {}: {}", fault.section, fault.place, fault.reason));
    let unchecked = unchecked.iter().map(|of| format!("not checked: {} {}", of.count, of.name));
    let reasons: Vec<_> = faults.chain(unchecked).collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!(": {}", reasons.join("; ")),
    }
}
