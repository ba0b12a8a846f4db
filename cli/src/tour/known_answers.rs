// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known answers of every operation in the table, as jobs of the tour; for operations without
//! known answers, their examples.

use std::time::Instant;

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;
use halimede_operations::example::{faults, prepare, requests, Prepared};

use super::{JobOutcome, Tour};
use crate::error::CommandError;

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let mut jobs = Jobs { tour, outcome: Ok(()) };
    halimede_operations::visit(&mut jobs);
    jobs.outcome
}

struct Jobs<'t, 'd> {
    tour: &'t mut Tour<'d>,
    outcome: Result<(), CommandError>,
}

impl Visitor for Jobs<'_, '_> {
    fn visit<I: Interface>(&mut self) {
        if self.outcome.is_ok() {
            self.outcome = self.show::<I>();
        }
    }
}

impl Jobs<'_, '_> {
    fn show<I: Interface>(&mut self) -> Result<(), CommandError> {
        let groups = I::known_answers().map_err(CommandError::BadInput)?;
        if groups.is_empty() {
            return self.show_examples::<I>();
        }
        for group in groups {
            let name = format!("{}: {}", group.name, group.about);
            let (requests, expected): (Vec<_>, Vec<_>) = group.answers.into_iter().unzip();
            self.tour.job::<I::Operation>(name, &requests, &expected)?;
        }
        Ok(())
    }

    fn show_examples<I: Interface>(&mut self) -> Result<(), CommandError> {
        let examples = prepare::<I>().map_err(CommandError::BadInput)?;
        let examples: Vec<_> =
            examples.into_iter().filter(|example| example.request().is_some()).collect();
        if examples.is_empty() {
            return Ok(());
        }
        let name = format!("{}: examples", I::ABOUT.name);
        self.tour.progress.set_message(name.clone());
        let start = Instant::now();
        let (check, fallback) = run(self.tour.device, &examples)?;
        let seconds = start.elapsed().as_secs_f64();
        self.tour.push(name, examples.len(), seconds, check, fallback);
        Ok(())
    }
}

/// Runs examples. Returns the outcome, and the number of examples that the fallback answered.
fn run<Op: Operation>(
    device: &Device,
    examples: &[Prepared<Op>],
) -> Result<(JobOutcome, usize), CommandError> {
    let requests = requests(examples);
    let answered = match Execute::<Op>::execute(device, Op::batch(&requests)) {
        Ok(answered) => answered,
        Err(error) => return JobOutcome::of_error(error).map(|check| (check, 0)),
    };
    let check = match faults(examples, answered.replies).len() {
        0 => JobOutcome::Ok,
        wrong => JobOutcome::Wrong(wrong),
    };
    Ok((check, answered.timing.fallback_requests))
}

impl JobOutcome {
    /// Returns the outcome of a job that the device cannot run: it lacks the engine, or the image
    /// of the simulated card is missing.
    ///
    /// # Errors
    /// Any other error.
    pub(super) fn of_error(error: DeviceError) -> Result<Self, CommandError> {
        match error {
            DeviceError::Unsupported { .. } | DeviceError::Unavailable { .. } => {
                Ok(Self::NotOnThisDevice)
            }
            other => Err(other.into()),
        }
    }
}
