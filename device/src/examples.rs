// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The self-test's examples: those of every operation in the table, answered by the device itself.

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{Executor, Operation};
use halimede_operations::example::{faults, prepare, requests, Prepared};

use crate::device::Device;
use crate::selftest::{check, Check};

/// A check for each operation that the device has, by the examples that it supports.
pub(crate) fn checks(device: &Device) -> Vec<Check> {
    let mut examples = Examples { device, checks: Vec::new() };
    halimede_operations::visit(&mut examples);
    examples.checks
}

struct Examples<'d> {
    device: &'d Device,
    checks: Vec<Check>,
}

impl Visitor for Examples<'_> {
    fn visit<I: Interface>(&mut self) {
        let Some(executor) = self.device.executor::<I::Operation>() else { return };
        let name = I::ABOUT.name;
        match prepare::<I>() {
            Ok(prepared) => {
                let supported = |example: &Prepared<I::Operation>| {
                    example.request().is_none_or(|request| {
                        let request = std::slice::from_ref(request);
                        executor.supports(I::Operation::batch(request)).is_ok()
                    })
                };
                let prepared: Vec<_> = prepared.into_iter().filter(supported).collect();
                if prepared.iter().any(|example| example.request().is_some()) {
                    self.checks.push(check(name, || answer(executor, &prepared)));
                }
            }
            Err(reason) => self.checks.push(check(name, || Err(reason))),
        }
    }
}

/// Compares the replies of a place with the known answers.
fn answer<Op: Operation>(
    executor: &dyn Executor<Op>,
    examples: &[Prepared<Op>],
) -> Result<String, String> {
    let requests = requests(examples);
    let answered = executor.execute(Op::batch(&requests)).map_err(|error| error.to_string())?;
    match faults(examples, answered.replies).into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(format!("{} known answers", examples.len())),
    }
}
