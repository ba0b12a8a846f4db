// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The time that batches take, by phase.

use std::time::Duration;

/// The replies to a batch, with the time spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered<Replies> {
    /// One reply per request, in the order of the requests.
    pub replies: Replies,
    /// The time spent, by phase.
    pub timing: Timing,
}

/// The time that a batch or a session spent, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Time to encode the requests and send them.
    pub to_device: Duration,
    /// Time to wait for replies when nothing is left to send; on a processor, the whole time.
    pub compute: Duration,
    /// Time to decode the replies.
    pub from_device: Duration,
    /// The clocks that the card counted, if it has a counter.
    pub card_clocks: Option<u64>,
    /// The part of `card_clocks` in which the card could have begun a request and waited for the
    /// host to send one. If an engine has cores for several fields, the value is that of the field
    /// that waited least.
    pub card_starved_clocks: Option<u64>,
    /// The part of `card_clocks` in which a reply waited for the host to receive it.
    pub card_stalled_clocks: Option<u64>,
    /// The number of requests that a fallback device answered.
    pub fallback_requests: usize,
}

impl Timing {
    /// Adds the times of another batch, which ran before or after this one.
    pub fn add(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => one.checked_add(other),
            (one, other) => one.or(other),
        };
        self.to_device += other.to_device;
        self.compute += other.compute;
        self.from_device += other.from_device;
        self.card_clocks = sum(self.card_clocks, other.card_clocks);
        self.card_starved_clocks = sum(self.card_starved_clocks, other.card_starved_clocks);
        self.card_stalled_clocks = sum(self.card_stalled_clocks, other.card_stalled_clocks);
        self.fallback_requests += other.fallback_requests;
    }
}
