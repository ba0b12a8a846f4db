// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A batch in pieces, which the GPUs of a place take from a queue. The pieces of a GPU that fails
//! are done by the others.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use halimede_arith::job::{interrupt, Amount, Columns, Timing};

use crate::error::CudaError;
use crate::kernel::{BatchOf, Kernel, ReplyOf, Stop};
use crate::place::{GpuPlace, Member, Workspaces};
use crate::workspace::Workspace;

/// Answers the requests of a batch. Returns the replies to the requests before the first one that
/// no GPU answered, and its error.
pub(crate) fn run<K: Kernel>(
    place: &GpuPlace,
    batch: BatchOf<'_, K>,
    timing: &mut Timing,
) -> (Vec<ReplyOf<K>>, Result<(), Stop>) {
    let mut members = place.members_for_next_batch();
    let queue = Queue::<K>::new(batch, members.len());
    let (mut landed, mut stops) = (Vec::new(), Vec::new());
    while !members.is_empty() && !queue.is_empty() && !queue.is_stopped() {
        let mut longest = Timing::default();
        let outcomes = queue.share(&members);
        let mut working = Vec::new();
        for (member, outcome) in members.iter().zip(outcomes) {
            landed.extend(outcome.landed);
            longest = elementwise_longest(longest, outcome.timing);
            match outcome.done {
                Ok(()) => working.push(*member),
                Err(stop) => stops.push((member.gpu.info().ordinal, stop)),
            }
        }
        timing.add(longest);
        members = working;
    }
    let replies = in_order::<K>(landed, batch.len());
    if replies.len() == batch.len() {
        for (gpu, error) in stops {
            tracing::warn!(gpu, %error, "a GPU failed; others did its requests");
        }
        return (replies, Ok(()));
    }
    (replies, most_hopeful(stops.into_iter().map(|(_, stop)| stop)).map_or(Ok(()), Err))
}

/// Returns the time of work in parallel.
fn elementwise_longest(one: Timing, other: Timing) -> Timing {
    Timing {
        to_device: one.to_device.max(other.to_device),
        compute: one.compute.max(other.compute),
        from_device: one.from_device.max(other.from_device),
        ..one
    }
}

/// Returns an interrupt if there is one, otherwise an error after which a retry helps, otherwise
/// any error.
fn most_hopeful(stops: impl Iterator<Item = Stop>) -> Option<Stop> {
    stops.min_by_key(|stop| match stop {
        Stop::Interrupted => 0,
        stop if !stop.is_final() => 1,
        _ => 2,
    })
}

/// Joins the replies to pieces, given with their first requests, up to the first gap.
fn in_order<K: Kernel>(mut landed: Vec<(usize, Vec<ReplyOf<K>>)>, most: usize) -> Vec<ReplyOf<K>> {
    landed.sort_unstable_by_key(|(start, _)| *start);
    let mut replies = Vec::with_capacity(most);
    for (start, piece) in landed {
        if start != replies.len() {
            break;
        }
        replies.extend(piece);
    }
    replies
}

/// The requests of a batch that no GPU has taken.
struct Queue<'b, K: Kernel> {
    batch: BatchOf<'b, K>,
    /// The largest piece, with which all GPUs have work.
    most: Amount,
    waiting: Mutex<VecDeque<Range<usize>>>,
    is_stopped: AtomicBool,
}

/// The work of a GPU on a batch.
struct Outcome<K: Kernel> {
    /// The replies to pieces, with their first requests.
    landed: Vec<(usize, Vec<ReplyOf<K>>)>,
    timing: Timing,
    done: Result<(), Stop>,
}

impl<'b, K: Kernel> Queue<'b, K> {
    fn new(batch: BatchOf<'b, K>, gpus: usize) -> Self {
        let requests = K::PIECE.requests.min(batch.len().div_ceil(gpus.max(1)));
        let waiting = Mutex::new(std::iter::once(0..batch.len()).collect());
        let most = Amount { requests, ..K::PIECE };
        Self { batch, most, waiting, is_stopped: AtomicBool::new(false) }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Range<usize>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Takes the next piece of at most this amount.
    fn take(&self, most: Amount) -> Option<Range<usize>> {
        let mut waiting = self.waiting();
        let range = waiting.pop_front()?;
        let end = range.start + most.first_of::<K::Operation>(self.batch.slice(range.clone()));
        if end < range.end {
            waiting.push_front(end..range.end);
        }
        Some(range.start..end)
    }

    /// Puts a piece back.
    fn give_back(&self, piece: Range<usize>) {
        self.waiting().push_front(piece);
    }

    /// Lets all GPUs take pieces, the first of them on this thread.
    fn share(&self, members: &[&Member]) -> Vec<Outcome<K>> {
        let Some((first, others)) = members.split_first() else { return Vec::new() };
        std::thread::scope(|scope| {
            let others: Vec<_> =
                others.iter().map(|member| scope.spawn(|| self.work(member))).collect();
            let mut outcomes = vec![self.work(first)];
            for other in others {
                outcomes.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            outcomes
        })
    }

    /// Takes pieces until none is left or the GPU fails.
    fn work(&self, member: &Member) -> Outcome<K> {
        let mut outcome = Outcome { landed: Vec::new(), timing: Timing::default(), done: Ok(()) };
        let mut kept = member.lock();
        outcome.done =
            Workspaces::of(&mut kept, &member.gpu).map_err(Stop::from).and_then(|workspaces| {
                workspaces.all.iter_mut().for_each(|workspace| workspace.choose(K::ENGINE));
                let mut run = Run::<K> {
                    workspaces: &mut workspaces.all,
                    queue: self,
                    flying: VecDeque::new(),
                    landed: &mut outcome.landed,
                    timing: &mut outcome.timing,
                };
                let done = run.all();
                // The next batch uses the workspaces again.
                run.wait();
                done
            });
        if !outcome.landed.is_empty() {
            member.gpu.count_batch();
        }
        if outcome.done.is_err() {
            // Also frees the memory.
            *kept = None;
        }
        outcome
    }
}

/// The work of a GPU in progress.
struct Run<'r, 'b, K: Kernel> {
    workspaces: &'r mut [Workspace],
    queue: &'r Queue<'b, K>,
    /// The pieces in flight with their workspaces, oldest first.
    flying: VecDeque<(usize, Range<usize>)>,
    landed: &'r mut Vec<(usize, Vec<ReplyOf<K>>)>,
    timing: &'r mut Timing,
}

impl<K: Kernel> Run<'_, '_, K> {
    fn all(&mut self) -> Result<(), Stop> {
        let mut workspace = 0;
        let mut most = self.queue.most;
        loop {
            if interrupt::is_requested() == Some(true) {
                self.queue.is_stopped.store(true, Ordering::Relaxed);
            }
            if self.queue.is_stopped() {
                return Err(Stop::Interrupted);
            }
            if self.flying.len() == self.workspaces.len() {
                self.land()?;
            }
            let Some(piece) = self.queue.take(most) else { break };
            let length = piece.len();
            match self.launch(workspace, piece.clone()) {
                Ok(()) => workspace = (workspace + 1) % self.workspaces.len(),
                Err(error) => {
                    self.queue.give_back(piece);
                    let is_too_large = matches!(error, CudaError::Memory { .. });
                    if !is_too_large || (length == 1 && self.flying.is_empty()) {
                        return Err(error.into());
                    }
                    // The other pieces may have the memory; then a smaller piece may fit.
                    self.land_all()?;
                    self.wait();
                    self.workspaces.iter_mut().for_each(Workspace::shrink);
                    most.requests = length.div_ceil(2);
                }
            }
        }
        self.land_all()
    }

    /// Gives a piece to a workspace.
    fn launch(&mut self, workspace: usize, piece: Range<usize>) -> Result<(), CudaError> {
        let start = Instant::now();
        K::start(&mut self.workspaces[workspace], self.queue.batch.slice(piece.clone()))?;
        self.flying.push_back((workspace, piece));
        self.timing.to_device += start.elapsed();
        Ok(())
    }

    fn land_all(&mut self) -> Result<(), Stop> {
        while !self.flying.is_empty() {
            self.land()?;
        }
        Ok(())
    }

    /// Waits for the oldest piece, and adds its replies. After an error, the piece is still in
    /// flight.
    fn land(&mut self) -> Result<(), CudaError> {
        let Some((workspace, piece)) = self.flying.front().cloned() else { return Ok(()) };
        let start = Instant::now();
        let workspace = &mut self.workspaces[workspace];
        workspace.synchronize()?;
        let computed = Instant::now();
        self.timing.compute += computed - start;
        let (first, count) = (piece.start, piece.len());
        let replies = K::finish(workspace, self.queue.batch.slice(piece))?;
        if replies.len() != count {
            let reason = format!("{} replies to {count} requests", replies.len());
            return Err(CudaError::Launch { function: K::ENGINE, reason });
        }
        self.flying.pop_front();
        self.landed.push((first, replies));
        self.timing.from_device += computed.elapsed();
        Ok(())
    }

    /// Waits for the workspaces, so that their memory can be used again. Puts the pieces back that
    /// are in flight after an error.
    fn wait(&mut self) {
        for (_, piece) in self.flying.drain(..).rev() {
            self.queue.give_back(piece);
        }
        for workspace in self.workspaces.iter() {
            if let Err(error) = workspace.synchronize() {
                tracing::debug!(%error, "the rest of a batch failed as well");
            }
        }
    }
}
