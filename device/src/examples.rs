// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answers of the self-test: the device itself answers the known answers and the examples of
//! every operation of the table.

use halimede_arith::interface::{Interface, KnownAnswers, Visitor};
use halimede_arith::job::{Executor, Operation};
use halimede_operations::example::{faults, prepare, requests, Prepared};

use crate::check::{check, SelfTestCheck};
use crate::device::Device;
#[cfg(feature = "ckks")]
use crate::programs;

/// Returns the checks of the device's operations: one per group of known answers, one for the
/// examples that the device supports, and one for CKKS programs.
pub(crate) fn checks(device: &Device) -> Vec<SelfTestCheck> {
    let mut examples = Examples { device, checks: Vec::new() };
    halimede_operations::visit(&mut examples);
    #[cfg(feature = "ckks")]
    examples.checks.extend(programs::selftest::checks(device));
    examples.checks
}

struct Examples<'d> {
    device: &'d Device,
    checks: Vec<SelfTestCheck>,
}

impl Visitor for Examples<'_> {
    fn visit<I: Interface>(&mut self) {
        let Some(executor) = self.device.executor::<I::Operation>() else { return };
        let name = I::ABOUT.name;
        match I::known_answers() {
            Ok(groups) => {
                self.checks.extend(groups.into_iter().filter_map(|group| known(executor, group)));
            }
            Err(reason) => self.checks.push(check(name, || Err(reason))),
        }
        match prepare::<I>() {
            Ok(prepared) => {
                let is_supported = |example: &Prepared<I::Operation>| {
                    example.request().is_none_or(|request| supports(executor, request))
                };
                let prepared: Vec<_> = prepared.into_iter().filter(is_supported).collect();
                if prepared.iter().any(|example| example.request().is_some()) {
                    self.checks.push(check(name, || answer(executor, &prepared)));
                }
            }
            Err(reason) => self.checks.push(check(name, || Err(reason))),
        }
    }
}

/// Returns `true` if a place supports a request.
fn supports<Op: Operation>(executor: &dyn Executor<Op>, request: &Op::Request) -> bool {
    executor.supports(Op::batch(std::slice::from_ref(request))).is_ok()
}

/// Compares the replies of a place with a group of known answers; `None` if it supports none of the
/// requests. A place that may be slow gets only some of them.
fn known<Op: Operation>(
    executor: &dyn Executor<Op>,
    group: KnownAnswers<Op>,
) -> Option<SelfTestCheck> {
    let KnownAnswers { name, about, mut answers, brief } = group;
    answers.retain(|(request, _)| supports(executor, request));
    if executor.limits().may_fail {
        answers.truncate(brief);
    }
    let count = answers.len();
    (count > 0).then(|| {
        check(name, || {
            let (requests, expected): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
            let answered =
                executor.execute(Op::batch(&requests)).map_err(|error| error.to_string())?;
            let replies: Vec<Op::Reply> = answered.replies.into_iter().collect();
            if replies.len() != count {
                return Err(format!("{} replies to {count} requests", replies.len()));
            }
            match replies.iter().zip(&expected).position(|(reply, known)| reply != known) {
                None => Ok(format!("{count} {about}")),
                Some(wrong) => Err(format!("{about}: answer {wrong} of {count} is wrong")),
            }
        })
    })
}

/// Compares the replies of a place with those of the examples.
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
