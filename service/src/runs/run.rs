// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run, and its state for clients.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{json, Value};
use tokio::sync::watch;

use crate::objects::{Hash, Owner};

/// The name of a run: a random number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub [u8; 16]);

impl Name {
    /// Returns the name of these hexadecimal digits.
    pub fn parse(digits: &str) -> Option<Self> {
        let mut name = [0; 16];
        hex::decode_to_slice(digits, &mut name).ok()?;
        Some(Self(name))
    }

    /// Returns the hexadecimal digits.
    pub fn digits(self) -> String {
        hex::encode(self.0)
    }
}

/// The properties of a run that never change.
#[derive(Clone, Debug)]
pub struct About {
    /// The name.
    pub name: Name,
    /// The network.
    pub network: Hash,
    /// The evaluation keys.
    pub keys: Hash,
    /// The owner.
    pub owner: Owner,
    /// The place of the input in the network's batch, from 1: the run can be computed together with
    /// others of its client. 0 if the input fills the batch.
    pub place: u64,
    /// `true` if the run ends when its client disconnects.
    pub is_attached: bool,
    /// The place in the queue: smaller numbers are computed first.
    pub number: u64,
    /// The size of the encrypted input in bytes.
    pub input_bytes: u64,
}

/// The phase of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The run waits.
    Waiting,
    /// The run is being computed.
    Running {
        /// The number of steps done.
        done: usize,
        /// The number of all steps.
        steps: usize,
        /// The layer of the last step, if it has a name.
        layer: Option<String>,
    },
    /// The result is complete.
    Done {
        /// The size of the result in bytes.
        bytes: u64,
        /// The time of its completion.
        at: SystemTime,
    },
    /// The run failed.
    Failed {
        /// The reason.
        error: String,
        /// The time of the failure.
        at: SystemTime,
    },
    /// The run was cancelled.
    Cancelled,
}

impl Phase {
    /// Returns the word for clients, which is also the name of the event.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running { .. } => "running",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns `true` if the phase does not change any more.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Failed { .. } | Self::Cancelled)
    }

    /// Returns `true` if the run was complete for at least this time.
    pub fn is_older(&self, expiry: Duration, now: SystemTime) -> bool {
        match self {
            Self::Done { at, .. } | Self::Failed { at, .. } => {
                now.duration_since(*at).is_ok_and(|age| age >= expiry)
            }
            _ => false,
        }
    }
}

/// A run.
pub struct Run {
    /// The properties that never change.
    pub about: About,
    /// The phase, for all who watch it.
    pub phase: watch::Sender<Phase>,
    /// The number of the first run of its group; 0 before it is computed for the first time.
    group: AtomicU64,
    is_cancelled: AtomicBool,
}

/// Runs that are computed together.
pub struct Group {
    /// The runs, the oldest first. There is at least one.
    pub runs: Vec<Arc<Run>>,
    /// Ends the computation.
    pub interrupt: Arc<AtomicBool>,
}

impl Group {
    /// Returns a group of these runs.
    pub fn new(runs: Vec<Arc<Run>>) -> Self {
        let number = runs.first().map_or(0, |run| run.about.number);
        runs.iter().for_each(|run| run.set_group(number));
        Self { runs, interrupt: Arc::default() }
    }

    /// Sets the phase of all runs that were not cancelled.
    pub fn set(&self, phase: &Phase) {
        self.runs.iter().for_each(|run| run.set(phase.clone()));
    }

    /// Returns `true` if no run still needs the computation.
    pub fn is_cancelled(&self) -> bool {
        self.runs.iter().all(|run| run.is_cancelled())
    }

    /// Returns `true` if a run is one of these.
    pub fn has(&self, name: Name) -> bool {
        self.runs.iter().any(|run| run.about.name == name)
    }
}

impl Run {
    /// Returns a run in a phase.
    pub fn new(about: About, phase: Phase) -> Self {
        let (group, is_cancelled) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { about, phase: watch::Sender::new(phase), group, is_cancelled }
    }

    /// Returns the number of the first run of its group; 0 before it is computed.
    pub fn group(&self) -> u64 {
        self.group.load(Relaxed)
    }

    /// Sets the number of the first run of its group.
    pub fn set_group(&self, number: u64) {
        self.group.store(number, Relaxed);
    }

    /// Ends the run permanently.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
        self.phase.send_if_modified(|phase| {
            let changes = !phase.is_final();
            if changes {
                *phase = Phase::Cancelled;
            }
            changes
        });
    }

    /// Returns `true` if the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    /// Sets the phase, unless the run was cancelled.
    pub fn set(&self, next: Phase) {
        self.phase.send_if_modified(|phase| {
            let changes = *phase != Phase::Cancelled;
            if changes {
                *phase = next;
            }
            changes
        });
    }

    /// Returns the current state for clients.
    pub fn state(&self) -> Value {
        self.state_in(&self.phase.borrow())
    }

    /// Returns the state in a phase for clients.
    pub fn state_in(&self, phase: &Phase) -> Value {
        let About { name, network, keys, place, .. } = &self.about;
        let (done, steps, layer) = match phase {
            Phase::Running { done, steps, layer } => (*done, *steps, layer.as_deref()),
            _ => (0, 0, None),
        };
        let result_bytes = match phase {
            Phase::Done { bytes, .. } => Some(*bytes),
            _ => None,
        };
        let error = match phase {
            Phase::Failed { error, .. } => Some(error.as_str()),
            _ => None,
        };
        json!({
            "run": name.digits(), "network": hex::encode(network), "keys": hex::encode(keys),
            "place": place, "state": phase.word(), "done": done, "steps": steps, "layer": layer,
            "result_bytes": result_bytes, "error": error,
        })
    }
}
