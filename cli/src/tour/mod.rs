// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede tour`: runs bundled inputs through every engine of a device, and checks the answers.

mod block;
mod ckks;
mod known_answers;

use std::time::Instant;

use halimede_arith::job::{Execute, Operation};
use halimede_device::Device;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::arguments::DeviceOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::output::{print_line, print_table, rate};
use crate::progress::spinner;

/// The outcome of a job.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum JobOutcome {
    /// All answers are right.
    Ok,
    /// The number of wrong answers.
    Wrong(usize),
    /// The device cannot run the job.
    NotOnThisDevice,
}

/// A line of the tour's table.
#[derive(Serialize)]
struct Row {
    job: String,
    device: String,
    items: usize,
    seconds: f64,
    check: JobOutcome,
    /// The number of requests that the fallback answered.
    fallback: usize,
}

/// Runs jobs on a device and collects their rows.
struct Tour<'d> {
    device: &'d Device,
    name: &'d str,
    rows: Vec<Row>,
    progress: ProgressBar,
}

pub fn run(options: &DeviceOptions, json: bool) -> Result<(), CommandError> {
    let device = open(options)?;
    let (rows, progress) = (Vec::new(), spinner());
    let mut tour = Tour { device: &device, name: &options.device, rows, progress };
    known_answers::visit(&mut tour)?;
    block::visit(&mut tour)?;
    ckks::visit(&mut tour)?;
    tour.progress.finish_and_clear();
    let rows = tour.rows;
    if json {
        print_line(&serde_json::json!({ "tour": rows }).to_string())?;
    } else {
        print_table(
            &["job", "device", "items", "rate", "check"],
            &rows.iter().map(cells).collect::<Vec<_>>(),
        )?;
    }
    let failed = rows.iter().filter(|row| matches!(row.check, JobOutcome::Wrong(_))).count();
    if failed > 0 {
        return Err(CommandError::ChecksFailed { failed, checks: rows.len() });
    }
    Ok(())
}

impl Tour<'_> {
    /// Returns `true` for a card that is simulated here, whose answers take long.
    fn is_simulated(&self) -> bool {
        self.name == "sim" || self.name.starts_with("sim:")
    }

    /// Executes the requests as one job, and compares each reply with the expected one. The first
    /// request runs once before the timing: the first use of an instance computes its constants.
    fn job<Op: Operation>(
        &mut self,
        name: String,
        requests: &[Op::Request],
        expected: &[Op::Reply],
    ) -> Result<(), CommandError>
    where
        Device: Execute<Op>,
        Op::Reply: PartialEq,
    {
        let device = self.device;
        self.progress.set_message(name.clone());
        let prepared = device.execute(Op::batch(&requests[..requests.len().min(1)]));
        let start = Instant::now();
        let outcome = prepared.and_then(|_| device.execute(Op::batch(requests)));
        let seconds = start.elapsed().as_secs_f64();
        let (check, fallback) = match outcome {
            Ok(batch) => {
                let right =
                    batch.replies.into_iter().zip(expected).filter(|(a, b)| a == *b).count();
                let check = match expected.len() - right {
                    0 => JobOutcome::Ok,
                    wrong => JobOutcome::Wrong(wrong),
                };
                (check, batch.timing.fallback_requests)
            }
            Err(error) => (JobOutcome::of_error(error)?, 0),
        };
        self.push(name, requests.len(), seconds, check, fallback);
        Ok(())
    }

    fn push(
        &mut self,
        job: String,
        items: usize,
        seconds: f64,
        check: JobOutcome,
        fallback: usize,
    ) {
        let device = self.name.to_string();
        self.rows.push(Row { job, device, items, seconds, check, fallback });
    }
}

fn cells(row: &Row) -> Vec<String> {
    let check = match &row.check {
        JobOutcome::Ok if row.fallback > 0 => format!("ok ({} by the fallback)", row.fallback),
        JobOutcome::Ok => "ok".into(),
        JobOutcome::Wrong(count) => format!("WRONG: {count} of {}", row.items),
        JobOutcome::NotOnThisDevice => "not on this device".into(),
    };
    let rate = match row.check {
        JobOutcome::NotOnThisDevice => "-".into(),
        _ => rate(row.items, row.seconds),
    };
    vec![row.job.clone(), row.device.clone(), row.items.to_string(), rate, check]
}
