// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bounded queue between connections and the device, with one lane per operation; lanes take
//! turns.
//!
//! A turn takes requests of one operation from the front of its lane, from all clients that fit
//! into a piece of some tens of milliseconds of work, and the device answers them as one batch.
//! Requests that arrive meanwhile join the next turn. A batch that is larger than a piece needs
//! several turns; other operations have turns in between.

mod device_work;
mod keeper;
mod lane;
mod life;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use halimede_arith::job::{Execute, Operation};
use halimede_device::Device;

pub use device_work::{DeviceLog, DeviceWork};
pub use keeper::{Condition, Keeper};
pub use lane::{Lane, Pending, Work};
pub use life::Guard;

use crate::refusal::{Reason, Refusal};

/// The limits of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// The maximum number of items that wait or are being computed.
    pub items: usize,
    /// The maximum number of requests that wait or are being computed.
    pub requests: usize,
    /// The number of threads that submit batches to the device.
    pub workers: usize,
    /// How long the first request of a turn waits for others to join it.
    pub join_delay: Duration,
    /// The pause before a failed card is reopened; later tries have longer pauses.
    pub reopen_pause: Duration,
}

/// A queue, and the device behind it.
pub struct Queue {
    device: Arc<Device>,
    limits: QueueLimits,
    lanes: Mutex<Vec<Arc<dyn Turns>>>,
    state: Mutex<State>,
    wake: Condvar,
    /// Stops the threads.
    interrupt: AtomicBool,
    /// The number of batches sent to the device, and of the requests in them.
    batches: AtomicUsize,
    joined: AtomicUsize,
    device_log: DeviceLog,
    keeper: Keeper,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    /// The index of the lane to check first.
    next: usize,
    items: usize,
    requests: usize,
    is_closed: bool,
    /// The number of items answered since `since`, to estimate the time after which to try again.
    answered: usize,
    since: Option<Instant>,
    rate: f64,
}

/// A lane of any operation.
trait Turns: Send + Sync {
    /// Returns the time from which on a turn should run; `None` if no request waits.
    fn ready_at(&self) -> Option<Instant>;

    /// Runs a turn.
    fn turn(&self, queue: &Queue);

    /// Refuses all waiting requests.
    fn give_up(&self, refusal: &Refusal);

    /// Returns the name of the operation.
    fn name(&self) -> &'static str;
}

/// The load of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// The number of items that wait or are being computed.
    pub items: usize,
    /// The number of their requests.
    pub requests: usize,
}

impl Queue {
    /// Starts a queue in front of a device, with its threads.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(device: Arc<Device>, limits: QueueLimits) -> std::io::Result<Arc<Self>> {
        let keeper = Keeper::start(Arc::clone(&device), limits.reopen_pause)?;
        let queue = Arc::new(Self {
            device,
            limits,
            lanes: Mutex::default(),
            state: Mutex::default(),
            wake: Condvar::new(),
            interrupt: AtomicBool::new(false),
            batches: AtomicUsize::new(0),
            joined: AtomicUsize::new(0),
            device_log: DeviceLog::default(),
            keeper,
            workers: Mutex::default(),
        });
        for number in 0..limits.workers.max(1) {
            let of_worker = Arc::clone(&queue);
            let builder = std::thread::Builder::new().name(format!("queue-{number}"));
            let worker = builder.spawn(move || of_worker.work())?;
            lock(&queue.workers).push(worker);
        }
        Ok(queue)
    }

    /// Creates a lane for an operation of the device.
    pub fn lane<Op: Operation>(self: &Arc<Self>) -> Arc<Lane<Op>> {
        self.lane_to(Arc::clone(&self.device) as Arc<dyn Execute<Op> + Send + Sync>)
    }

    /// Creates a lane for an operation of another place.
    pub fn lane_to<Op: Operation>(
        self: &Arc<Self>,
        place: Arc<dyn Execute<Op> + Send + Sync>,
    ) -> Arc<Lane<Op>> {
        let lane = Arc::new(Lane::new(self, place));
        lock(&self.lanes).push(Arc::clone(&lane) as Arc<dyn Turns>);
        lane
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns the load of the queue.
    pub fn fill(&self) -> Fill {
        let state = lock(&self.state);
        Fill { items: state.items, requests: state.requests }
    }

    /// Returns the number of batches sent to the device, and of the requests in them: a request
    /// that needs several turns counts in each.
    pub fn batches(&self) -> (usize, usize) {
        (self.batches.load(Ordering::Relaxed), self.joined.load(Ordering::Relaxed))
    }

    /// Returns the record of the device's work.
    pub fn device_log(&self) -> &DeviceLog {
        &self.device_log
    }

    /// Returns the keeper, which keeps the device open.
    pub fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// Returns the operations that the device does not support itself.
    pub fn lacking(&self) -> Vec<&'static str> {
        let engines = &self.device.capabilities().engines;
        let has = |name: &str| {
            let engine = name.split('.').next().unwrap_or(name);
            engines.iter().any(|other| match engine {
                // Expressions are programs of the engine, not one of its operations.
                "ckks" => other.name == engine,
                _ => other.operations.iter().any(|operation| operation == name),
            })
        };
        let lanes = lock(&self.lanes);
        lanes.iter().map(|lane| lane.name()).filter(|name| !has(name)).collect()
    }

    /// The limits.
    pub fn limits(&self) -> QueueLimits {
        self.limits
    }

    /// Closes the queue for new requests.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.wake.notify_all();
    }

    /// Refuses the remaining requests, and stops the threads.
    pub fn stop(&self) {
        self.close();
        self.interrupt.store(true, Ordering::Relaxed);
        let refusal = Refusal::new(Reason::Ending, "the server is shutting down");
        let lanes = lock(&self.lanes).clone();
        lanes.iter().for_each(|lane| lane.give_up(&refusal));
        self.wake.notify_all();
        self.keeper.stop();
        let workers = std::mem::take(&mut *lock(&self.workers));
        for worker in workers {
            // A thread that panicked has ended too.
            let _ = worker.join();
        }
    }

    /// Admits a request of `items` items.
    fn admit(self: &Arc<Self>, items: usize) -> Result<Room, Refusal> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return Err(Refusal::new(Reason::Ending, "the server is shutting down"));
        }
        let QueueLimits { items: most_items, requests: most_requests, .. } = self.limits;
        // A batch of more items than the limit needs an empty queue.
        let fits = state.items == 0 || state.items.saturating_add(items) <= most_items;
        if !fits || state.requests >= most_requests {
            let seconds = (state.items as f64 / state.rate.max(1.0)).clamp(1.0, 60.0);
            let message = format!(
                "{} items of {} requests are waiting: try again later",
                state.items, state.requests
            );
            let retry_after = Duration::from_secs_f64(seconds);
            return Err(Refusal::for_now(Reason::Queue, message, retry_after));
        }
        state.items += items;
        state.requests += 1;
        Ok(Room { queue: Arc::clone(self), items })
    }

    /// Removes a request of `items` items.
    fn release(&self, items: usize) {
        let mut state = lock(&self.state);
        state.items = state.items.saturating_sub(items);
        state.requests = state.requests.saturating_sub(1);
        state.answered += items;
        let now = Instant::now();
        let elapsed = now.duration_since(*state.since.get_or_insert(now)).as_secs_f64();
        if elapsed > 1.0 {
            state.rate = 0.5 * state.rate + 0.5 * state.answered as f64 / elapsed;
            (state.answered, state.since) = (0, Some(now));
        }
    }

    /// Wakes a thread for a lane with a new request.
    fn notify(&self) {
        drop(lock(&self.state));
        self.wake.notify_one();
    }

    /// Runs turns on a thread until the queue stops.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return;
            }
            let now = Instant::now();
            let lanes = lock(&self.lanes).clone();
            let mut soonest: Option<Instant> = None;
            let mut ready = None;
            for step in 0..lanes.len() {
                let number = (state.next + step) % lanes.len();
                let Some(at) = lanes[number].ready_at() else { continue };
                if at <= now || state.is_closed {
                    ready = Some(number);
                    break;
                }
                soonest = Some(soonest.map_or(at, |soonest| soonest.min(at)));
            }
            state = match (ready, soonest) {
                (Some(number), _) => {
                    state.next = number + 1;
                    drop(state);
                    // If a turn panics, its requests lose their senders, which answers them.
                    let turn = AssertUnwindSafe(|| lanes[number].turn(self));
                    if catch_unwind(turn).is_err() {
                        tracing::error!(operation = lanes[number].name(), "a turn panicked");
                    }
                    lock(&self.state)
                }
                (None, Some(at)) => {
                    let wait = at.saturating_duration_since(now);
                    let woken = self.wake.wait_timeout(state, wait);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                (None, None) => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// The place of a request in the queue.
struct Room {
    queue: Arc<Queue>,
    items: usize,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.queue.release(self.items);
    }
}

/// Locks a mutex, even if a thread panicked: each change is a single step, so that the state is
/// consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
