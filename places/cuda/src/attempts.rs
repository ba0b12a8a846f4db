// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The batches of a session on a GPU. A failure keeps the replies to the pieces before it.

use std::collections::VecDeque;
use std::marker::PhantomData;

use halimede_arith::job::{
    Attempts, Failure, FailureKind, Ledger, Operation, RequestPosition, Timing,
};

use crate::kernel::{Kernel, Stop};
use crate::pieces;
use crate::place::GpuPlace;

/// The requests of a session without replies.
pub(crate) struct OnGpu<'p, K> {
    place: &'p GpuPlace,
    /// The requests by batch, oldest first.
    pending: VecDeque<Vec<RequestPosition>>,
    answered: u64,
    timing: Timing,
    kernel: PhantomData<fn() -> K>,
}

impl<'p, K: Kernel> OnGpu<'p, K> {
    pub fn new(place: &'p GpuPlace) -> Self {
        let (pending, timing) = (VecDeque::new(), Timing::default());
        Self { place, pending, answered: 0, timing, kernel: PhantomData }
    }

    /// Asks for the replies to the requests of a batch. Returns those without a reply, and why.
    fn ask(
        &mut self,
        ledger: &mut Ledger<K::Operation>,
        mut places: Vec<RequestPosition>,
    ) -> Result<(), (Vec<RequestPosition>, Failure)> {
        type RequestOf<K> = <<K as Kernel>::Operation as Operation>::Request;
        let requests: Vec<RequestOf<K>> =
            places.iter().filter_map(|place| ledger.request(*place)).cloned().collect();
        let mut timing = Timing::default();
        let (replies, done) =
            pieces::run::<K>(self.place, K::Operation::batch(&requests), &mut timing);
        self.timing.add(timing);
        let count = replies.len();
        for (place, reply) in places.iter().zip(replies) {
            ledger.supply(*place, reply);
            self.answered += 1;
        }
        done.map_err(|stop| (places.split_off(count), stop.into()))
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        let kind = match &stop {
            Stop::Interrupted => FailureKind::Interrupted,
            stop if stop.is_final() => FailureKind::Final,
            Stop::Error(_) => FailureKind::Passing,
        };
        Self { reason: stop.to_string(), kind }
    }
}

impl<K: Kernel> Attempts<K::Operation> for OnGpu<'_, K> {
    fn submit(&mut self, places: Vec<RequestPosition>) {
        self.pending.push_back(places);
    }

    fn advance(&mut self, ledger: &mut Ledger<K::Operation>) -> Result<(), Failure> {
        while let Some(places) = self.pending.pop_front() {
            if places.is_empty() {
                continue;
            }
            if let Err((rest, failure)) = self.ask(ledger, places) {
                self.pending.push_front(rest);
                return Err(failure);
            }
        }
        Ok(())
    }

    fn settle(&mut self, ledger: &mut Ledger<K::Operation>) -> Result<(), Failure> {
        self.advance(ledger)
    }

    fn outstanding(&self) -> usize {
        self.pending.iter().map(Vec::len).sum()
    }

    fn answered(&self) -> u64 {
        self.answered
    }

    fn wants_more(&self, ledger: &Ledger<K::Operation>) -> bool {
        ledger.is_empty()
    }

    fn withdraw(&mut self, all: bool) -> Vec<RequestPosition> {
        match all {
            true => self.pending.drain(..).flatten().collect(),
            false => self.pending.pop_front().unwrap_or_default(),
        }
    }

    fn last_timing(&self) -> Timing {
        self.timing
    }
}
