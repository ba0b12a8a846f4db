// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Replies with where the time went.

use std::time::Duration;

/// The replies to a batch and where its time went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered<Replies> {
    /// One reply a request, in the order of the requests.
    pub replies: Replies,
    /// Where the time went.
    pub timing: Timing,
}

/// Where the time of a batch or a session went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Encoding the requests and sending them.
    pub to_device: Duration,
    /// Waiting for replies with nothing left to send; on a processor, all of it.
    pub compute: Duration,
    /// Decoding the replies.
    pub from_device: Duration,
    /// Clocks the card counted, where it has a counter.
    pub card_clocks: Option<u64>,
    /// Clocks of those in which the card could have begun a request and had none: it waited for the
    /// host. Where an engine has cores for several fields, those of the field that waited least.
    pub card_starved_clocks: Option<u64>,
    /// Clocks of those in which a reply waited for the host to take it.
    pub card_stalled_clocks: Option<u64>,
    /// How many requests were answered by a fallback device.
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
