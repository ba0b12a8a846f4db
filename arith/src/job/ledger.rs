// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The batches of a session: the submitted requests, and their replies as they arrive.
//!
//! A reply without a checksum is *provisional*: a later anomaly of the link (a reply that is
//! missing, duplicated or unexpected) may mean that the reply belonged to another request. The
//! reply becomes final once its batch is complete and every step that was in flight at that time
//! has been answered as well.

use std::collections::VecDeque;

use super::Operation;

/// The position of a request in its session, ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestPosition {
    /// The number of the batch.
    batch: u64,
    /// The position of the request in the batch.
    index: usize,
}

/// The reliability of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The reply came without a checksum.
    Provisional,
    /// The reply is the answer to the request.
    Final,
}

/// A batch that was submitted and not yet collected.
struct Batch<Op: Operation> {
    requests: Vec<Op::Request>,
    replies: Vec<Option<(Op::Reply, Trust)>>,
    missing: usize,
    /// The number of the first step that began after the last provisional reply arrived.
    settled_by: u64,
}

impl<Op: Operation> Batch<Op> {
    fn is_provisional(&self) -> bool {
        self.replies.iter().flatten().any(|(_, trust)| *trust == Trust::Provisional)
    }
}

/// The batches of a session, oldest first. See the module documentation.
pub struct Ledger<Op: Operation> {
    batches: VecDeque<Batch<Op>>,
    /// The number of the oldest batch.
    oldest: u64,
    /// The number of requests of the collected batches.
    collected: usize,
}

impl<Op: Operation> Default for Ledger<Op> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Op: Operation> Ledger<Op> {
    /// Returns an empty ledger.
    pub fn new() -> Self {
        Self { batches: VecDeque::new(), oldest: 0, collected: 0 }
    }

    /// Adds a batch, with the replies that are known. Returns the places of its requests.
    pub fn push(&mut self, batch: Op::Batch<'_>) -> impl Iterator<Item = RequestPosition> {
        let number = self.oldest + self.batches.len() as u64;
        let requests = Op::keep_all(batch);
        let finals = |request| Op::known(Op::row(request)).map(|reply| (reply, Trust::Final));
        let replies: Vec<_> = requests.iter().map(finals).collect();
        let missing = replies.iter().filter(|reply| reply.is_none()).count();
        let count = requests.len();
        self.batches.push_back(Batch { requests, replies, missing, settled_by: 0 });
        (0..count).map(move |index| RequestPosition { batch: number, index })
    }

    /// Returns `true` if every batch has been taken.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the request at a place; `None` once its batch was collected.
    pub fn request(&self, place: RequestPosition) -> Option<&Op::Request> {
        self.get(place)?.requests.get(place.index)
    }

    /// Returns the request at a place, as a row.
    pub fn row(&self, place: RequestPosition) -> Option<Op::Row<'_>> {
        self.request(place).map(Op::row)
    }

    /// Returns `true` if the request at a place has its reply.
    pub fn has_reply(&self, place: RequestPosition) -> bool {
        let batch = self.get(place);
        batch.is_some_and(|batch| batch.replies.get(place.index).is_some_and(Option::is_some))
    }

    fn get(&self, place: RequestPosition) -> Option<&Batch<Op>> {
        self.batches.get(place.batch.checked_sub(self.oldest)? as usize)
    }

    /// Stores the reply to a request. `next_step` is the number of the session's next step.
    pub fn answer(
        &mut self,
        place: RequestPosition,
        reply: Op::Reply,
        trust: Trust,
        next_step: u64,
    ) {
        let Some(batch) = place.batch.checked_sub(self.oldest) else { return };
        let Some(batch) = self.batches.get_mut(batch as usize) else { return };
        let Some(slot) = batch.replies.get_mut(place.index) else { return };
        if trust == Trust::Provisional {
            batch.settled_by = next_step;
        }
        if slot.replace((reply, trust)).is_none() {
            batch.missing -= 1;
        }
    }

    /// Stores a reply that another place computed.
    pub fn supply(&mut self, place: RequestPosition, reply: Op::Reply) {
        self.answer(place, reply, Trust::Final, 0);
    }

    /// Removes every provisional reply. Returns the places of the requests that now have none.
    pub fn distrust(&mut self) -> Vec<RequestPosition> {
        let mut places = Vec::new();
        for (number, batch) in (self.oldest..).zip(&mut self.batches) {
            for (index, slot) in batch.replies.iter_mut().enumerate() {
                if matches!(slot, Some((_, Trust::Provisional))) {
                    *slot = None;
                    batch.missing += 1;
                    places.push(RequestPosition { batch: number, index });
                }
            }
        }
        places
    }

    /// Returns `true` if the oldest batch can be returned to the caller, or if the ledger is empty.
    /// `first_in_flight` returns the number of the oldest step without a reply, if such a step
    /// exists.
    pub fn is_oldest_settled(&self, first_in_flight: impl Fn() -> Option<u64>) -> bool {
        let Some(batch) = self.batches.front() else { return true };
        let is_settled = || first_in_flight().is_none_or(|first| first >= batch.settled_by);
        batch.missing == 0 && (batch.settled_by == 0 || is_settled())
    }

    /// Returns `true` if a reply can still be taken back.
    pub fn has_provisional(&self) -> bool {
        self.batches.iter().any(|batch| batch.settled_by > 0 && batch.is_provisional())
    }

    /// Returns the requests and provisional replies of the oldest batch, each with its place. The
    /// iterator is empty if all replies are final.
    pub fn oldest_provisional(
        &self,
    ) -> impl Iterator<Item = (RequestPosition, Op::Row<'_>, &Op::Reply)> {
        // Batches without provisional replies need no search.
        let batch = self.batches.front().filter(|batch| batch.settled_by > 0);
        batch.into_iter().flat_map(move |batch| {
            let pairs = batch.requests.iter().zip(&batch.replies).enumerate();
            pairs.filter_map(move |(index, (request, reply))| match reply {
                Some((reply, Trust::Provisional)) => {
                    Some((RequestPosition { batch: self.oldest, index }, Op::row(request), reply))
                }
                _ => None,
            })
        })
    }

    /// Removes the oldest batch and returns its replies. Missing replies are `None`.
    pub fn take_oldest(&mut self) -> Option<Vec<Option<Op::Reply>>> {
        let batch = self.batches.pop_front()?;
        self.oldest += 1;
        self.collected += batch.requests.len();
        Some(batch.replies.into_iter().map(|reply| reply.map(|(reply, _)| reply)).collect())
    }

    /// Returns the number of requests submitted so far, including those of collected batches.
    pub fn submitted(&self) -> usize {
        self.collected + self.batches.iter().map(|batch| batch.requests.len()).sum::<usize>()
    }

    /// Returns the number of the first request without a reply, counted from the session's first.
    pub fn first_unanswered(&self) -> usize {
        let mut before = self.collected;
        for batch in &self.batches {
            match batch.replies.iter().position(Option::is_none) {
                Some(index) => return before + index,
                None => before += batch.replies.len(),
            }
        }
        before
    }

    /// Returns the number of a request, counted from the session's first.
    pub fn number_of(&self, place: RequestPosition) -> usize {
        let batches = place.batch.saturating_sub(self.oldest) as usize;
        let before = self.batches.iter().take(batches).map(|batch| batch.requests.len());
        self.collected + before.sum::<usize>() + place.index
    }
}
