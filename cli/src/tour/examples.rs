// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The examples of operations that no other job of the tour has shown.

use std::any::TypeId;
use std::collections::HashSet;
use std::time::Instant;

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;
use halimede_operations::example::{faults, prepare, requests, Prepared};

use super::{Check, Tour};
use crate::arguments::DeviceOptions;
use crate::devices::open_for;
use crate::error::CommandError;

pub fn visit(tour: &mut Tour<'_>, options: &DeviceOptions) -> Result<(), CommandError> {
    let shown = tour.shown.clone();
    let mut examples = Examples { tour, options, shown, outcome: Ok(()) };
    halimede_operations::visit(&mut examples);
    examples.outcome
}

struct Examples<'t, 'd> {
    tour: &'t mut Tour<'d>,
    options: &'t DeviceOptions,
    shown: HashSet<TypeId>,
    outcome: Result<(), CommandError>,
}

impl Visitor for Examples<'_, '_> {
    fn visit<I: Interface>(&mut self) {
        if self.outcome.is_ok() && !self.shown.contains(&TypeId::of::<I::Operation>()) {
            self.outcome = self.show::<I>();
        }
    }
}

impl Examples<'_, '_> {
    fn show<I: Interface>(&mut self) -> Result<(), CommandError> {
        let examples = prepare::<I>().map_err(CommandError::BadInput)?;
        let examples: Vec<_> =
            examples.into_iter().filter(|example| example.request().is_some()).collect();
        if examples.is_empty() {
            return Ok(());
        }
        let name = format!("{}: examples", I::ABOUT.name);
        self.tour.progress.set_message(name.clone());
        // The engine may have a simulated card to itself, which may not be built.
        let alone = match self.options.device.as_str() {
            "sim" => open_for::<I::Operation>(self.options).ok(),
            _ => None,
        };
        let device = alone.as_ref().unwrap_or(self.tour.device);
        let start = Instant::now();
        let (check, fallback) = run(device, &examples)?;
        let seconds = start.elapsed().as_secs_f64();
        self.tour.push(name, examples.len(), seconds, check, fallback);
        Ok(())
    }
}

/// The outcome of examples, and how many the fallback answered.
fn run<Op: Operation>(
    device: &Device,
    examples: &[Prepared<Op>],
) -> Result<(Check, usize), CommandError> {
    let requests = requests(examples);
    let answered = match Execute::<Op>::execute(device, Op::batch(&requests)) {
        Ok(answered) => answered,
        Err(DeviceError::Unsupported { .. }) => return Ok((Check::NotOnThisDevice, 0)),
        Err(error) => return Err(error.into()),
    };
    let check = match faults(examples, answered.replies).len() {
        0 => Check::Ok,
        wrong => Check::Wrong(wrong),
    };
    Ok((check, answered.timing.fallback_requests))
}
