// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keeps the device open: a failed card or GPU is reopened, after a pause that doubles from try to
//! try.
//! Each change of state is logged.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use halimede_arith::job::interrupt;
use halimede_device::Device;

use super::lock;

/// The longest pause. If a reopened card works for at least this time, the pause starts over.
const MOST_PAUSE: Duration = Duration::from_secs(60);
/// The time limit for the end of a try at shutdown.
const END: Duration = Duration::from_secs(2);

/// The state of the device.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The device works.
    Good,
    /// The device has failed.
    Failed {
        /// The reason.
        reason: String,
        /// The number of tries to reopen it so far.
        tries: u32,
        /// The time of the next try; `None` if the device cannot be reopened.
        next: Option<Instant>,
    },
}

/// Keeps a device open.
pub struct Keeper {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    device: Arc<Device>,
    first_pause: Duration,
    state: Mutex<State>,
    /// Signals a change of the state.
    wake: Condvar,
    /// Interrupts a running try.
    interrupt: Arc<AtomicBool>,
    tries: AtomicU64,
    opened: AtomicU64,
}

struct State {
    condition: Condition,
    /// The pause before the next try.
    pause: Duration,
    /// The last time when the device was reopened.
    opened: Option<Instant>,
    is_ending: bool,
    has_ended: bool,
}

impl Keeper {
    /// Starts to keep a device open: after a failure, the first try follows after this pause.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(device: Arc<Device>, first_pause: Duration) -> std::io::Result<Self> {
        let state = State {
            condition: Condition::Good,
            pause: first_pause,
            opened: None,
            is_ending: false,
            has_ended: false,
        };
        let shared = Arc::new(Shared {
            device,
            first_pause,
            state: Mutex::new(state),
            wake: Condvar::new(),
            interrupt: Arc::default(),
            tries: AtomicU64::new(0),
            opened: AtomicU64::new(0),
        });
        let of_thread = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("keeper".into());
        let thread = builder.spawn(move || of_thread.keep())?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Returns the current state of the device.
    pub fn condition(&self) -> Condition {
        self.look();
        lock(&self.shared.state).condition.clone()
    }

    /// Checks whether the device has failed. A batch may have opened a failed GPU again.
    pub fn look(&self) {
        let mut state = lock(&self.shared.state);
        let Some(failure) = self.shared.device.failure() else {
            self.shared.reopened(&mut state);
            return;
        };
        if matches!(state.condition, Condition::Failed { .. }) {
            return;
        }
        let now = Instant::now();
        state.pause = match state.opened {
            Some(opened) if now.duration_since(opened) < MOST_PAUSE => grown(state.pause),
            _ => self.shared.first_pause,
        };
        let next = self.shared.device.can_reopen().then(|| now + state.pause);
        let (device, reason) = (self.shared.device.name(), failure.reason);
        match next {
            Some(_) => tracing::error!(device, reason, "the device has failed; reopening it"),
            None => {
                tracing::error!(device, reason, "the device has failed, and cannot be reopened")
            }
        }
        state.condition = Condition::Failed { reason, tries: 0, next };
        self.shared.wake.notify_all();
    }

    /// Returns the number of tries to reopen the device, and of the successful ones.
    pub fn tries(&self) -> (u64, u64) {
        (self.shared.tries.load(Relaxed), self.shared.opened.load(Relaxed))
    }

    /// Stops the thread.
    pub fn stop(&self) {
        let shared = &self.shared;
        shared.interrupt.store(true, Relaxed);
        let mut state = lock(&shared.state);
        state.is_ending = true;
        shared.wake.notify_all();
        let wait = shared.wake.wait_timeout_while(state, END, |state| !state.has_ended);
        let has_ended = wait.unwrap_or_else(PoisonError::into_inner).0.has_ended;
        if let (true, Some(thread)) = (has_ended, lock(&self.thread).take()) {
            // A thread that panicked has ended too.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Runs on the thread.
    fn keep(&self) {
        let mut state = lock(&self.state);
        while !state.is_ending {
            let wait = match &state.condition {
                Condition::Failed { next: Some(next), .. } => {
                    next.saturating_duration_since(Instant::now())
                }
                _ => Duration::MAX,
            };
            if wait.is_zero() {
                drop(state);
                let outcome = interrupt::by(&self.interrupt, || self.device.reopen());
                state = lock(&self.state);
                self.tried(&mut state, outcome.err().map(|error| error.to_string()));
            } else if wait == Duration::MAX {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                let waited = self.wake.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        state.has_ended = true;
        self.wake.notify_all();
    }

    /// Records a try, with the reason if it failed.
    fn tried(&self, state: &mut State, refusal: Option<String>) {
        self.tries.fetch_add(1, Relaxed);
        let Condition::Failed { tries, next, .. } = &mut state.condition else { return };
        *tries += 1;
        let (device, tries) = (self.device.name(), *tries);
        match refusal {
            None => self.reopened(state),
            Some(reason) => {
                tracing::debug!(device, tries, reason, "the device could not be reopened");
                state.pause = grown(state.pause);
                let can_reopen = self.device.can_reopen();
                *next = can_reopen.then(|| Instant::now() + state.pause);
            }
        }
    }

    /// Records that a failed device works again, once.
    fn reopened(&self, state: &mut State) {
        let Condition::Failed { tries, .. } = state.condition else { return };
        tracing::warn!(device = self.device.name(), tries, "the device is open again");
        self.opened.fetch_add(1, Relaxed);
        state.opened = Some(Instant::now());
        state.condition = Condition::Good;
    }
}

fn grown(pause: Duration) -> Duration {
    (2 * pause).min(MOST_PAUSE)
}
