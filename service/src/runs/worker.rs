// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The threads that compute runs.

use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use halimede_arith::job::interrupt;
use halimede_ckks_nn::{NetworkError, NetworkServer};
use halimede_files::read_limited;

use super::run::{About, Group};
use super::store::Store;
use super::{load, Phase, Run, Runs, State};
use crate::networks::Network;
use crate::objects::{CkksKeys, Share};
use crate::refusal::{Reason, Refusal};

/// Everything that a run holds in memory.
struct Held {
    network: Arc<Network>,
    keys: Arc<CkksKeys>,
    _share: Share,
}

/// Why a run has no result.
enum NoResult {
    /// It was cancelled, or the server stops.
    Interrupted,
    /// It failed.
    Failed(String),
}

impl From<Refusal> for NoResult {
    fn from(refusal: Refusal) -> Self {
        match refusal.reason {
            Reason::Deadline => Self::Interrupted,
            _ => Self::Failed(refusal.message),
        }
    }
}

impl Runs {
    /// Starts the threads.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn work(self: &Arc<Self>) -> std::io::Result<()> {
        if self.store.is_none() {
            return Ok(());
        }
        for number in 0..self.limits.workers.max(1) {
            let runs = Arc::clone(self);
            let builder = std::thread::Builder::new().name(format!("runs-{number}"));
            let worker = builder.spawn(move || runs.work_on())?;
            self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
        Ok(())
    }

    /// Interrupts all runs, which the next server continues, and waits for the threads.
    pub fn stop(&self) {
        let state = self.state();
        self.is_stopping.store(true, Relaxed);
        state.running.iter().for_each(|group| group.interrupt.store(true, Relaxed));
        drop(state);
        self.wake.notify_all();
        let workers =
            std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // A thread that panicked has ended too.
            let _ = worker.join();
        }
    }

    fn work_on(&self) {
        let Some(store) = &self.store else { return };
        while let Some(group) = self.next() {
            // A panic is a failure of the run, and not of the thread.
            let compute = AssertUnwindSafe(|| self.compute(store, &group));
            let start = Instant::now();
            let computed = catch_unwind(compute)
                .unwrap_or_else(|_| Err(NoResult::Failed("a defect of the server".into())));
            self.counts.busy(start.elapsed());
            self.end(store, &group, &computed);
        }
    }

    /// Waits for runs, and marks them as being computed. Returns `None` when the server stops.
    fn next(&self) -> Option<Arc<Group>> {
        let mut state = self.state();
        loop {
            if self.is_stopping.load(Relaxed) {
                return None;
            }
            let runs = state.first();
            if !runs.is_empty() {
                let group = Arc::new(Group::new(runs));
                group.set(&Phase::Running { done: 0, steps: 0, layer: None });
                state.running.push(Arc::clone(&group));
                return Some(group);
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Computes runs, and stores their results. Returns the size of a result in bytes.
    fn compute(&self, store: &Store, group: &Group) -> Result<u64, NoResult> {
        let failed = |error: std::io::Error| {
            tracing::error!(%error, "a run cannot be stored");
            NoResult::Failed("the server cannot store the run".into())
        };
        if group.runs.iter().any(|run| run.about.place > 0) {
            // The records name the group, which a restarted server computes again.
            group.runs.iter().try_for_each(|run| store.keep(run)).map_err(failed)?;
        }
        let held = interrupt::by(&group.interrupt, || self.take(group))?;
        let Held { network, keys, .. } = &held;
        let computed = run_network(store, group, network, keys);
        // The ring keeps the memory of polynomials for later ones, which no share covers.
        keys.parameters.ring().release_memory();
        let result = computed?;
        for run in &group.runs {
            store.keep_result(run.about.name, &result).map_err(failed)?;
        }
        Ok(result.len() as u64)
    }

    /// Takes the memory for runs. Only one worker at a time waits here, with nothing in its hands.
    fn take(&self, group: &Group) -> Result<Held, Refusal> {
        let _turn = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match self.try_take(group) {
                Err(refusal) if refusal.reason == Reason::Memory => {
                    if !self.objects.keys().wait() {
                        return Err(Refusal::new(Reason::Deadline, refusal.message));
                    }
                }
                taken => return taken,
            }
        }
    }

    fn try_take(&self, group: &Group) -> Result<Held, Refusal> {
        let Some(first) = group.runs.first().map(|run| &run.about) else {
            return Err(Refusal::new(Reason::Internal, "a group without runs"));
        };
        let network = self.networks.get(&first.network)?;
        let keys = self.objects.ckks_keys(&first.keys)?;
        let bytes = network.run_bytes() + network.input_bytes() * (group.runs.len() as u64 - 1);
        let share = self.objects.keys().take(bytes, Duration::ZERO, "the run")?;
        Ok(Held { network, keys, _share: share })
    }

    /// Records the end of runs.
    fn end(&self, store: &Store, group: &Arc<Group>, computed: &Result<u64, NoResult>) {
        let at = SystemTime::now();
        let mut state = self.state();
        state.running.retain(|running| !Arc::ptr_eq(running, group));
        for run in &group.runs {
            if run.is_cancelled() {
                self.remove_files(&state, run);
                continue;
            }
            match computed {
                Ok(bytes) => {
                    run.set(Phase::Done { bytes: *bytes, at });
                    self.counts.done();
                }
                Err(NoResult::Failed(error)) => {
                    tracing::warn!(run = run.about.name.digits(), error, "a run failed");
                    run.set(Phase::Failed { error: error.clone(), at });
                    self.counts.failed();
                }
                // The record still says that the run waits: the next server continues it.
                Err(NoResult::Interrupted) => {
                    run.set(Phase::Waiting);
                    continue;
                }
            }
            let recorded = store.keep(run).and_then(|()| store.remove_input(run.about.name));
            let recorded = recorded.and_then(|()| match state.needs(&run.about.keys) {
                true => Ok(()),
                false => store.remove_checkpoints(&run.about.keys),
            });
            if let Err(error) = recorded {
                tracing::error!(%error, "the end of a run cannot be recorded");
            }
        }
    }
}

impl State {
    /// Returns the waiting runs to compute next: the oldest run of the owner with the fewest
    /// running, and the runs that share its computation.
    fn first(&self) -> Vec<Arc<Run>> {
        let is_waiting = |run: &&Arc<Run>| *run.phase.borrow() == Phase::Waiting;
        let waiting = || self.runs.values().filter(is_waiting);
        let running = |run: &Run| {
            self.computed().filter(|other| other.about.owner == run.about.owner).count()
        };
        let first = waiting().min_by_key(|run| (running(run), run.about.number));
        let Some(first) = first else { return Vec::new() };
        if first.about.place == 0 {
            return vec![Arc::clone(first)];
        }
        let key = |run: &Run| {
            let About { owner, network, keys, .. } = run.about;
            (owner, network, keys, run.group())
        };
        let mut runs: Vec<&Arc<Run>> =
            waiting().filter(|run| run.about.place > 0 && key(run) == key(first)).collect();
        runs.sort_by_key(|run| run.about.number);
        let mut taken: Vec<Arc<Run>> = Vec::new();
        for run in runs {
            if taken.iter().all(|other| other.about.place != run.about.place) {
                taken.push(Arc::clone(run));
            }
        }
        taken
    }
}

/// Runs a network from its last checkpoint to the bytes of its result.
fn run_network(
    store: &Store,
    group: &Group,
    network: &Network,
    keys: &CkksKeys,
) -> Result<Vec<u8>, NoResult> {
    let failed = |error: &dyn std::fmt::Display| NoResult::Failed(error.to_string());
    let mut inputs = Vec::new();
    for run in &group.runs {
        let bytes = read_limited(&store.input(run.about.name), run.about.input_bytes);
        let bytes = bytes.map_err(|error| failed(&error))?;
        inputs.push(load(&bytes, &keys.parameters).map_err(|error| failed(&error))?);
    }
    let server = || NetworkServer::with_server(&network.model, Arc::clone(&keys.server));
    let input = match (inputs.len(), inputs.pop()) {
        (1, Some(input)) => input,
        (_, last) => {
            inputs.extend(last);
            let joined = server().and_then(|server| server.join(&inputs));
            inputs.clear();
            joined.map_err(|error| failed(&error))?
        }
    };
    let first = group.runs.first().map(|run| run.about.keys).unwrap_or_default();
    let folder = store.checkpoints(&first);
    let open = || server()?.keeping_checkpoints(&folder);
    let compute = || {
        open()?.run(&input, |progress| {
            let (done, steps) = (progress.done, progress.steps);
            let layer = progress.layer.map(str::to_owned);
            group.set(&Phase::Running { done, steps, layer });
            match group.interrupt.load(Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    };
    let result = match compute() {
        // A checkpoint that cannot be used costs the steps before it, and not the run.
        Err(NetworkError::Checkpoint { path, reason }) => {
            tracing::warn!(path = %path.display(), reason, "a run starts from its beginning");
            let removed = store.remove_checkpoints(&first);
            removed.map_err(|error| failed(&error))?;
            compute()
        }
        result => result,
    };
    if group.interrupt.load(Relaxed) {
        if group.is_cancelled() {
            let forgotten = open().and_then(|server| server.forget(&input));
            if let Err(error) = forgotten {
                tracing::warn!(%error, "the checkpoint of a cancelled run stays");
            }
        }
        if result.is_err() {
            return Err(NoResult::Interrupted);
        }
    }
    let result = result.map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    result.save(&mut bytes, &keys.parameters).map_err(|error| failed(&error))?;
    Ok(bytes)
}
