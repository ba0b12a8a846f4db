// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A device whose batches wait at a gate, so that tests control when they are answered.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use halimede_arith::job::{
    interrupt, Answered, AtOnce, Attempts, Columns, Compute, DeviceError, Executor, Limits, Timing,
    Unsupported,
};
use halimede_blake3::operations::{Hash, HashBatch};
use halimede_blake3::Outputs;
use halimede_device::{Device, Options, Registry};

use crate::common::PATIENCE;

/// The interval at which a batch checks for an interrupt.
const LOOK: Duration = Duration::from_millis(1);

/// A gate, which is closed at first.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
pub struct State {
    is_open: bool,
    /// The sizes of the batches that have arrived.
    pub batches: Vec<usize>,
    /// Batches that were interrupted.
    pub interrupted: usize,
    /// Fails batches instead of answering them.
    pub fails: bool,
}

impl Gate {
    /// Returns a device that only computes BLAKE3, behind this gate.
    pub fn device(&self) -> Device {
        let registry = Registry::default().with::<Hash>(self.clone());
        Device::with_executors("gate", registry, &Options::default())
    }

    pub fn open(&self) {
        self.0 .0.lock().unwrap().is_open = true;
        self.0 .1.notify_all();
    }

    pub fn fail(&self) {
        self.0 .0.lock().unwrap().fails = true;
        self.open();
    }

    /// Waits for a state of the gate.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let state = self.0 .0.lock().unwrap();
        let wait = self.0 .1.wait_timeout_while(state, PATIENCE, |state| !is_so(state));
        assert!(!wait.unwrap().1.timed_out(), "{what}");
    }

    pub fn batches(&self) -> Vec<usize> {
        self.0 .0.lock().unwrap().batches.clone()
    }
}

impl Executor<Hash> for Gate {
    fn limits(&self) -> Limits {
        Limits { may_fail: false, ..Limits::default() }
    }

    fn supports(&self, _: HashBatch<'_>) -> Result<(), Vec<Unsupported>> {
        Ok(())
    }

    fn execute(&self, batch: HashBatch<'_>) -> Result<Answered<Outputs>, DeviceError> {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap();
        state.batches.push(batch.len());
        changed.notify_all();
        let failed = |reason: &str| {
            let (device, reason) = ("gate".into(), reason.into());
            Err(DeviceError::Failed { device, request_index: 0, requests: batch.len(), reason })
        };
        while !state.is_open {
            if interrupt::is_requested() == Some(true) {
                state.interrupted += 1;
                changed.notify_all();
                return failed("interrupted");
            }
            state = changed.wait_timeout(state, LOOK).unwrap().0;
        }
        if state.fails {
            return failed("broken");
        }
        drop(state);
        Ok(Answered { replies: Hash::compute_batch(batch), timing: Timing::default() })
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<Hash> + '_> {
        Box::new(AtOnce::new(self))
    }
}
