// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a device: cut to what a card takes at once, and finished by a fallback.

use std::time::{Duration, Instant};

use halimede_arith::job::{Batch, Compute, DeviceError, Execute, Timing};
use halimede_card::wire::WireOperation;
use halimede_card::{Attempt, Card};

use crate::device::{Backend, Device};
use crate::fork;

impl<Op: Compute + WireOperation> Execute<Op> for Device {
    /// Without a fallback, a request that the device cannot do is
    /// [`DeviceError::Unsupported`] before anything is sent.
    fn execute(&self, requests: &[Op::Request]) -> Result<Batch<Op::Reply>, DeviceError> {
        let card = match &self.backend {
            Backend::Processor => return Ok(compute::<Op>(requests)),
            Backend::Card(card) => card,
        };
        match &self.fallback {
            Some(fallback) => {
                let attempt = attempt::<Op>(card, requests, self.batch_requests, Then::Continue);
                finish::<Op>(fallback, requests, attempt)
            }
            None => {
                card.require_supported::<Op>(requests)?;
                attempt::<Op>(card, requests, self.batch_requests, Then::Stop)
                    .into_batch(card.name())
            }
        }
    }
}

/// Answers a batch on this processor.
fn compute<Op: Compute>(requests: &[Op::Request]) -> Batch<Op::Reply> {
    let start = Instant::now();
    let replies = fork::in_pool(|| Op::compute_batch(requests));
    Batch { replies, timing: Timing { compute: start.elapsed(), ..Timing::default() } }
}

/// What to do when a piece of a batch has failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Leave the rest.
    Stop,
    /// Try the rest: the card has been reset, or answers at once that it has been given up.
    Continue,
}

/// Does what the card can of a batch, in pieces of at most `piece` requests.
fn attempt<Op: WireOperation>(
    card: &Card,
    requests: &[Op::Request],
    piece: usize,
    then: Then,
) -> Attempt<Op::Reply> {
    if requests.len() <= piece {
        return card.attempt::<Op>(requests);
    }
    let mut whole: Attempt<Op::Reply> =
        Attempt { replies: vec![], timing: Timing::default(), unsupported: None, failure: None };
    for piece in requests.chunks(piece) {
        let attempt = card.attempt::<Op>(piece);
        let before = whole.replies.len();
        whole.replies.extend(attempt.replies);
        add(&mut whole.timing, attempt.timing);
        if let (None, Some((index, reason))) = (&whole.unsupported, attempt.unsupported) {
            whole.unsupported = Some((before + index, reason));
        }
        let failed = attempt.failure.is_some();
        whole.failure = whole.failure.or(attempt.failure);
        if failed && then == Then::Stop {
            break;
        }
    }
    whole.replies.resize(requests.len(), None);
    whole
}

/// Adds the times of a piece.
fn add(sum: &mut Timing, piece: Timing) {
    sum.to_device += piece.to_device;
    sum.compute += piece.compute;
    sum.from_device += piece.from_device;
    sum.fallback_requests += piece.fallback_requests;
    sum.card_clocks = match (sum.card_clocks, piece.card_clocks) {
        (Some(sum), Some(piece)) => Some(sum + piece),
        (one, other) => one.or(other),
    };
}

/// Answers on the fallback what has no reply yet.
fn finish<Op: Compute + WireOperation>(
    fallback: &Device,
    requests: &[Op::Request],
    attempt: Attempt<Op::Reply>,
) -> Result<Batch<Op::Reply>, DeviceError> {
    let Attempt { mut replies, mut timing, unsupported, failure } = attempt;
    let is_missing = |index: &usize| replies[*index].is_none();
    let missing: Vec<usize> = (0..requests.len()).filter(is_missing).collect();
    if !missing.is_empty() {
        let unsupported = unsupported.map(|(_, reason)| reason);
        let reason = failure.map(|failure| failure.to_string()).or(unsupported);
        let count = missing.len();
        tracing::warn!(count, reason, fallback = fallback.name(), "requests go to the fallback");
        let rest: Vec<Op::Request> = missing.iter().map(|&index| requests[index].clone()).collect();
        let batch = Execute::<Op>::execute(fallback, &rest)
            .map_err(|error| renumber(error, &missing, requests.len()))?;
        for (&index, reply) in missing.iter().zip(batch.replies) {
            replies[index] = Some(reply);
        }
        timing.compute += total(&batch.timing);
        timing.fallback_requests += count;
    }
    Ok(Batch { replies: replies.into_iter().flatten().collect(), timing })
}

/// All the time of a batch.
fn total(timing: &Timing) -> Duration {
    timing.to_device + timing.compute + timing.from_device
}

/// Names the request by its place in the whole batch where a fallback failed.
fn renumber(error: DeviceError, missing: &[usize], requests: usize) -> DeviceError {
    match error {
        DeviceError::Failed { device, request_index, reason, .. } => {
            let request_index = missing.get(request_index).copied().unwrap_or(request_index);
            DeviceError::Failed { device, request_index, requests, reason }
        }
        other => other,
    }
}
