// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The batches of a session: requests handed in, and the replies to them as they come.
//!
//! A reply without a checksum is *provisional*: an anomaly of the link that follows (a reply that
//! is missing, comes twice or belongs to nobody) may mean that it was another request's. It is
//! final once its batch is complete and every step that was in flight then has been answered as
//! well.

use std::collections::VecDeque;

use super::Operation;

/// The place of a request in its session, ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The batch's number.
    batch: u64,
    /// The request's place in it.
    index: usize,
}

/// Whether a reply can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It came without a checksum.
    Provisional,
    /// It is the request's answer.
    Final,
}

/// A batch that has been handed in and not collected.
struct Batch<Op: Operation> {
    requests: Vec<Op::Request>,
    replies: Vec<Option<(Op::Reply, Trust)>>,
    missing: usize,
    /// Number of the first step that was begun after the last provisional reply came.
    settled_by: u64,
}

impl<Op: Operation> Batch<Op> {
    fn is_provisional(&self) -> bool {
        self.replies.iter().flatten().any(|(_, trust)| *trust == Trust::Provisional)
    }
}

/// The batches of a session, oldest first; see the module.
pub struct Ledger<Op: Operation> {
    batches: VecDeque<Batch<Op>>,
    /// Number of the oldest batch.
    oldest: u64,
    /// Requests of the batches that were collected.
    collected: usize,
}

impl<Op: Operation> Default for Ledger<Op> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Op: Operation> Ledger<Op> {
    /// An empty ledger.
    pub fn new() -> Self {
        Self { batches: VecDeque::new(), oldest: 0, collected: 0 }
    }

    /// Adds a batch, with the replies that are known. Gives the places of its requests.
    pub fn push(&mut self, batch: Op::Batch<'_>) -> impl Iterator<Item = Place> {
        let number = self.oldest + self.batches.len() as u64;
        let requests = Op::keep_all(batch);
        let finals = |request| Op::known(Op::row(request)).map(|reply| (reply, Trust::Final));
        let replies: Vec<_> = requests.iter().map(finals).collect();
        let missing = replies.iter().filter(|reply| reply.is_none()).count();
        let count = requests.len();
        self.batches.push_back(Batch { requests, replies, missing, settled_by: 0 });
        (0..count).map(move |index| Place { batch: number, index })
    }

    /// Whether every batch has been taken.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The request at a place; none once its batch was collected.
    pub fn request(&self, place: Place) -> Option<&Op::Request> {
        self.get(place)?.requests.get(place.index)
    }

    /// The request at a place, as a row.
    pub fn row(&self, place: Place) -> Option<Op::Row<'_>> {
        self.request(place).map(Op::row)
    }

    /// Whether the request at a place has its reply.
    pub fn has_reply(&self, place: Place) -> bool {
        let batch = self.get(place);
        batch.is_some_and(|batch| batch.replies.get(place.index).is_some_and(Option::is_some))
    }

    fn get(&self, place: Place) -> Option<&Batch<Op>> {
        self.batches.get(place.batch.checked_sub(self.oldest)? as usize)
    }

    /// The reply to a request that has none; `next_step` is the number of the session's next step.
    pub fn answer(&mut self, place: Place, reply: Op::Reply, trust: Trust, next_step: u64) {
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

    /// The reply of another place to a request that has none.
    pub fn supply(&mut self, place: Place, reply: Op::Reply) {
        self.answer(place, reply, Trust::Final, 0);
    }

    /// Takes back every provisional reply: the places of the requests that have none now.
    pub fn distrust(&mut self) -> Vec<Place> {
        let mut places = Vec::new();
        for (number, batch) in (self.oldest..).zip(&mut self.batches) {
            for (index, slot) in batch.replies.iter_mut().enumerate() {
                if matches!(slot, Some((_, Trust::Provisional))) {
                    *slot = None;
                    batch.missing += 1;
                    places.push(Place { batch: number, index });
                }
            }
        }
        places
    }

    /// Whether the oldest batch can be given out; true without a batch. `first_in_flight` is the
    /// number of the oldest step without a reply, where there is one.
    pub fn is_oldest_settled(&self, first_in_flight: impl Fn() -> Option<u64>) -> bool {
        let Some(batch) = self.batches.front() else { return true };
        let is_settled = || first_in_flight().is_none_or(|first| first >= batch.settled_by);
        batch.missing == 0 && (batch.settled_by == 0 || is_settled())
    }

    /// True where a reply may yet be taken back.
    pub fn has_provisional(&self) -> bool {
        self.batches.iter().any(|batch| batch.settled_by > 0 && batch.is_provisional())
    }

    /// The oldest batch's requests and provisional replies, each with its place; nothing where its
    /// replies are final.
    pub fn oldest_provisional(&self) -> impl Iterator<Item = (Place, Op::Row<'_>, &Op::Reply)> {
        // A batch without one need not be searched.
        let batch = self.batches.front().filter(|batch| batch.settled_by > 0);
        batch.into_iter().flat_map(move |batch| {
            let pairs = batch.requests.iter().zip(&batch.replies).enumerate();
            pairs.filter_map(move |(index, (request, reply))| match reply {
                Some((reply, Trust::Provisional)) => {
                    Some((Place { batch: self.oldest, index }, Op::row(request), reply))
                }
                _ => None,
            })
        })
    }

    /// The oldest batch's replies, as far as they are there.
    pub fn take_oldest(&mut self) -> Option<Vec<Option<Op::Reply>>> {
        let batch = self.batches.pop_front()?;
        self.oldest += 1;
        self.collected += batch.requests.len();
        Some(batch.replies.into_iter().map(|reply| reply.map(|(reply, _)| reply)).collect())
    }

    /// Requests handed in, ever.
    pub fn submitted(&self) -> usize {
        self.collected + self.batches.iter().map(|batch| batch.requests.len()).sum::<usize>()
    }

    /// The first request without a reply, counted from the session's first.
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

    /// A request's number, counted from the session's first.
    pub fn number_of(&self, place: Place) -> usize {
        let batches = place.batch.saturating_sub(self.oldest) as usize;
        let before = self.batches.iter().take(batches).map(|batch| batch.requests.len());
        self.collected + before.sum::<usize>() + place.index
    }
}
