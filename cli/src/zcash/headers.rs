// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-headers`: verifies the proof of work of headers.

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use halimede_arith::job::{Execute, Operation, Session};
use halimede_zcash::{
    header_needs_chain_state, Header, HeaderVerdict, Network, RuleSummary, Verdict, VerifyHeader,
};
use indicatif::ProgressBar;

use super::header_source::{read_ahead, HeaderBatch, SourceError};
use crate::arguments::VerifyHeadersOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::output::{output_error, rate, standard_output};
use crate::progress::bytes_bar;

/// The maximum number of headers of a batch.
const BATCH_HEADERS: usize = 2_048;

pub fn run(options: &VerifyHeadersOptions, json: bool) -> Result<(), CommandError> {
    let device = open(&options.device)?;
    let session = Execute::<VerifyHeader>::session(&device);
    let most = device.limits::<VerifyHeader>().batch.unwrap_or(BATCH_HEADERS).min(BATCH_HEADERS);
    let (batches, length) = read_ahead(&options.file, options.network.params(), most)?;
    let report = HeaderReport {
        network: options.network,
        verbose: options.verbose,
        json,
        output: BufWriter::new(standard_output()),
        headers: 0,
        invalid: 0,
        start: Instant::now(),
    };
    let bar = bytes_bar(length);
    let mut verification =
        Verification { session, pending: VecDeque::new(), report, bar: bar.clone() };
    let end = verification.run(&batches);
    bar.finish_and_clear();
    let report = &mut verification.report;
    let flushed = report.output.flush().map_err(output_error);
    match end {
        Ok(Ok(())) => report.total(),
        Ok(Err(source)) => flushed.and(Err(report.ended_by(&options.file, source))),
        Err(CommandError::Device(source)) => {
            Err(CommandError::HeadersDevice { headers: report.headers, source })
        }
        Err(error) => Err(error),
    }
}

/// Headers that a device is verifying.
struct Verification<'d, W: Write> {
    session: Box<dyn Session<VerifyHeader> + 'd>,
    /// The submitted batches.
    pending: VecDeque<HeaderBatch>,
    report: HeaderReport<W>,
    bar: ProgressBar,
}

impl<W: Write> Verification<'_, W> {
    /// Verifies all batches. Returns the end of the input.
    fn run(
        &mut self,
        batches: &Receiver<HeaderBatch>,
    ) -> Result<Result<(), SourceError>, CommandError> {
        let mut end = None;
        loop {
            let next = if end.is_some() {
                Err(TryRecvError::Disconnected)
            } else if self.pending.is_empty() {
                batches.recv().map_err(|_| TryRecvError::Disconnected)
            } else if self.session.wants_more() {
                batches.try_recv()
            } else {
                Err(TryRecvError::Empty)
            };
            match next {
                Ok(mut batch) => {
                    end = batch.end.take();
                    self.ask(batch)?;
                }
                Err(TryRecvError::Disconnected) if self.pending.is_empty() => {
                    return Ok(end.unwrap_or(Ok(())));
                }
                Err(_) => self.answer_batch()?,
            }
        }
    }

    fn ask(&mut self, batch: HeaderBatch) -> Result<(), CommandError> {
        let requests: Vec<_> =
            batch.headers.iter().map(|header| header.request().clone()).collect();
        self.session.submit(VerifyHeader::batch(&requests))?;
        self.pending.push_back(batch);
        Ok(())
    }

    /// Reports on the oldest batch.
    fn answer_batch(&mut self) -> Result<(), CommandError> {
        let masks = self.session.collect()?.unwrap_or_default();
        let Some(batch) = self.pending.pop_front() else { return Ok(()) };
        for (header, mask) in batch.headers.iter().zip(masks) {
            let HeaderVerdict { reasons, .. } =
                HeaderVerdict::new(header, mask, self.report.network);
            self.report.header(header, &reasons).map_err(output_error)?;
        }
        self.report.output.flush().map_err(output_error)?;
        self.bar.inc(batch.bytes);
        Ok(())
    }
}

/// Prints verdicts and counts them.
struct HeaderReport<W> {
    network: Network,
    verbose: bool,
    json: bool,
    output: W,
    headers: u64,
    invalid: u64,
    start: Instant,
}

impl<W: Write> HeaderReport<W> {
    fn header(&mut self, header: &Header, reasons: &[String]) -> std::io::Result<()> {
        self.headers += 1;
        let is_valid = reasons.is_empty();
        self.invalid += u64::from(!is_valid);
        if is_valid && !self.verbose {
            return Ok(());
        }
        let (number, hash) = (self.headers, header.hash());
        let verdict = if is_valid { Verdict::Valid } else { Verdict::Invalid };
        match (self.json, is_valid) {
            (true, _) => {
                let hash = hash.to_string();
                let object = serde_json::json!({
                    "header": number, "hash": hash, "verdict": verdict, "reasons": reasons,
                });
                writeln!(self.output, "{object}")
            }
            (false, true) => writeln!(self.output, "{number} {hash} {verdict}"),
            (false, false) => {
                writeln!(self.output, "{number} {hash} {verdict}: {}", reasons.join("; "))
            }
        }
    }

    /// Prints the last line, and returns the outcome of the command.
    fn total(&mut self) -> Result<(), CommandError> {
        let (headers, invalid) = (self.headers, self.invalid);
        let (valid, seconds) = (headers - invalid, self.start.elapsed().as_secs_f64());
        let line = if self.json {
            let chain: Vec<_> = header_needs_chain_state().filter_map(RuleSummary::new).collect();
            serde_json::json!({
                "headers": headers, "valid": valid, "invalid": invalid,
                "needs_chain_state": chain, "seconds": seconds,
            })
            .to_string()
        } else {
            let rate = rate(headers as usize, seconds);
            let chain = header_needs_chain_state();
            let chain: Vec<_> =
                chain.map(|rule| format!("{} ({})", rule.text, rule.section)).collect();
            format!(
                "{headers} headers: {valid} valid, {invalid} invalid; {seconds:.3} s, {rate}\n\
                 only the chain decides: {}",
                chain.join("; ")
            )
        };
        writeln!(self.output, "{line}").and_then(|()| self.output.flush()).map_err(output_error)?;
        match invalid {
            0 => Ok(()),
            _ => Err(CommandError::HeadersInvalid { invalid, headers }),
        }
    }

    /// Returns the error of an input that is not a file of headers after all.
    fn ended_by(&self, path: &Path, source: SourceError) -> CommandError {
        let (headers, invalid) = (self.headers, self.invalid);
        let before = match headers {
            0 => String::new(),
            _ => format!(" ({headers} headers were verified before, {invalid} of them invalid)"),
        };
        match source {
            SourceError::Read(source) => CommandError::File { path: path.into(), source },
            source => CommandError::BadInput(format!("{}: {source}{before}", path.display())),
        }
    }
}
