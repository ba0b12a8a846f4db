// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs of networks: a queue on the disk, workers that compute it, and progress for clients.
//!
//! Runs have their own threads, since a run takes minutes and would hold the [queue](crate::queue)
//! of batches. The memory is that of keys and programs. A worker takes the memory for the network,
//! the keys and the run before it computes, and only one worker at a time waits for memory: so two
//! workers never wait for each other.

mod counts;
mod run;
mod store;
mod worker;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use halimede_ckks::files::{expect_end, FileKind};
use halimede_ckks::sampling::Random;
use halimede_ckks_nn::{Ciphertexts, NetworkServer};

use crate::networks::Networks;
use crate::objects::{Hash, Objects, Owner};
use crate::options::RunLimits;
use crate::refusal::{Reason, Refusal};
use counts::Counts;
use run::About;
use run::Group;
pub use run::{Name, Phase, Run};
use store::Store;

/// The time after which to try again if there are too many runs.
const RETRY: Duration = Duration::from_secs(10);

/// The runs of a server.
pub struct Runs {
    store: Option<Store>,
    objects: Arc<Objects>,
    networks: Networks,
    limits: RunLimits,
    state: Mutex<State>,
    /// Signals a new run, and the end of the workers.
    wake: Condvar,
    /// Held by the worker that waits for memory.
    taking: Mutex<()>,
    is_stopping: AtomicBool,
    counts: Counts,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<Name, Arc<Run>>,
    /// The runs that are being computed; cancelled ones are only here.
    running: Vec<Arc<Group>>,
    /// The largest number of a run.
    latest: u64,
}

/// A run that a client asks for.
pub struct Asked<'b> {
    /// The owner.
    pub owner: Owner,
    /// The network.
    pub network: Hash,
    /// The evaluation keys.
    pub keys: Hash,
    /// The place of the input in the network's batch, from 1; 0 if it fills the batch.
    pub place: u64,
    /// `true` if the run ends when its client disconnects.
    pub is_attached: bool,
    /// The encrypted input.
    pub input: &'b [u8],
}

impl Runs {
    /// Opens the folder of runs. Runs that an earlier server left wait again; attached ones are
    /// removed, since their clients are gone.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(
        folder: Option<&Path>,
        networks: Networks,
        objects: &Arc<Objects>,
        limits: RunLimits,
    ) -> std::io::Result<Arc<Self>> {
        let store = folder.map(Store::open).transpose()?;
        let counts = Counts::default();
        let mut state = State::default();
        if let Some(store) = &store {
            for run in store.read()? {
                state.latest = state.latest.max(run.about.number);
                let is_over = run.phase.borrow().is_final();
                if run.about.is_attached && !is_over {
                    store.remove(run.about.name)?;
                    continue;
                }
                if !is_over {
                    counts.resumed();
                }
                state.runs.insert(run.about.name, Arc::new(run));
            }
            for keys in store.checkpointed()? {
                if !state.needs(&keys) {
                    store.remove_checkpoints(&keys)?;
                }
            }
        }
        Ok(Arc::new(Self {
            store,
            objects: Arc::clone(objects),
            networks,
            limits,
            state: Mutex::new(state),
            wake: Condvar::new(),
            taking: Mutex::new(()),
            is_stopping: AtomicBool::new(false),
            counts,
            workers: Mutex::default(),
        }))
    }

    /// The networks.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// The counters.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the numbers of runs that wait and that are being computed.
    pub fn fill(&self) -> (usize, usize) {
        let state = self.state();
        let waiting = state.runs.values().filter(|run| *run.phase.borrow() == Phase::Waiting);
        (waiting.count(), state.computed().count())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> Result<&Store, Refusal> {
        let absent = || Refusal::new(Reason::Object, "this server keeps no runs (--store)");
        self.store.as_ref().ok_or_else(absent)
    }

    /// Checks the input and the keys of a run, stores the run, and puts it into the queue. This may
    /// take long: networks are compiled, and keys read, if they are not in memory.
    ///
    /// # Errors
    /// [`Reason::Object`] for an unknown network or unknown keys; [`Reason::Keys`] and
    /// [`Reason::Input`] if they do not fit; [`Reason::Queue`] and [`Reason::Quota`] for too many
    /// runs; the errors of memory.
    pub fn start(&self, asked: &Asked<'_>) -> Result<Arc<Run>, Refusal> {
        let store = self.store()?;
        self.expire();
        let result_bytes = self.check(asked)?;
        let mut name = [0; 16];
        let mut random = Random::new().map_err(|error| internal(&error))?;
        name.copy_from_slice(&random.seed()[..16]);
        let bytes = asked.input.len() as u64;
        let number = {
            let mut state = self.state();
            self.check_room(&state, asked.owner, bytes + result_bytes)?;
            state.latest += 1;
            state.latest
        };
        let about = About {
            name: Name(name),
            network: asked.network,
            keys: asked.keys,
            owner: asked.owner,
            place: asked.place,
            is_attached: asked.is_attached,
            number,
            input_bytes: bytes,
        };
        let run = Arc::new(Run::new(about, Phase::Waiting));
        // Without the lock: the disk may be slow.
        store.add(&run, asked.input).map_err(|error| match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Refusal::new(Reason::Quota, "the server's disk is full")
            }
            _ => internal(&error),
        })?;
        let mut state = self.state();
        if let Err(refusal) = self.check_room(&state, asked.owner, bytes + result_bytes) {
            self.remove_files(&state, &run);
            return Err(refusal);
        }
        state.runs.insert(run.about.name, Arc::clone(&run));
        drop(state);
        self.wake.notify_one();
        Ok(run)
    }

    /// Checks that the keys and the input fit the network, and that the run can have its memory.
    /// Returns an upper bound for the bytes of the result.
    fn check(&self, asked: &Asked<'_>) -> Result<u64, Refusal> {
        let network = self.networks.get(&asked.network)?;
        network.check_fits(self.objects.keys().most_bytes())?;
        let keys = self.objects.ckks_keys(&asked.keys)?;
        let server = NetworkServer::with_server(&network.model, Arc::clone(&keys.server));
        let server = server.map_err(|error| {
            let message = format!(
                "the evaluation keys do not fit the network: {error}; make them from the network's \
                 interface"
            );
            Refusal::new(Reason::Keys, message)
        })?;
        let refuse = |error: &dyn std::fmt::Display| {
            Refusal::new(Reason::Input, format!("the input does not fit: {error}"))
        };
        if FileKind::of_beginning(asked.input) == Some(FileKind::SecretKey) {
            let message = "the input is a secret key: keep it to yourself, and make new keys if \
                           others may have seen it";
            return Err(Refusal::new(Reason::SecretKey, message));
        }
        let input = load(asked.input, &keys.parameters).map_err(|error| refuse(&error))?;
        let checked = server.check_input(&input).map_err(|error| refuse(&error));
        drop(input);
        keys.parameters.ring().release_memory();
        checked?;
        let interface = network.model.interface();
        if let Some(place) = asked.place.checked_sub(1) {
            interface.check_place(place as usize).map_err(|error| refuse(&error))?;
        }
        Ok(network.result_bytes())
    }

    fn check_room(&self, state: &State, owner: Owner, bytes: u64) -> Result<(), Refusal> {
        let RunLimits { most, most_of_owner, bytes: most_bytes, .. } = self.limits;
        let own = state.runs.values().filter(|run| run.about.owner == owner).count();
        if own >= most_of_owner {
            let message = format!(
                "this token has {own} runs, and the limit is {most_of_owner}: remove complete runs \
                 with DELETE"
            );
            return Err(Refusal::for_now(Reason::Queue, message, RETRY));
        }
        if state.runs.len() >= most {
            let message = format!("the maximum of {most} runs is reached: try again later");
            return Err(Refusal::for_now(Reason::Queue, message, RETRY));
        }
        let used = state.bytes();
        if used.saturating_add(bytes) > most_bytes {
            let message = format!(
                "{bytes} bytes of an input and its result do not fit: {used} of {most_bytes} bytes \
                 are in use; remove complete runs with DELETE"
            );
            return Err(Refusal::new(Reason::Quota, message));
        }
        Ok(())
    }

    /// Returns the runs of an owner, the oldest first.
    pub fn list(&self, owner: Owner) -> Vec<Arc<Run>> {
        self.expire();
        let state = self.state();
        let own = state.runs.values().filter(|run| run.about.owner == owner);
        let mut own: Vec<Arc<Run>> = own.cloned().collect();
        own.sort_by_key(|run| run.about.number);
        own
    }

    /// Returns a run of an owner.
    ///
    /// # Errors
    /// [`Reason::Run`] if it does not exist or belongs to another owner.
    pub fn get(&self, owner: Owner, name: Name) -> Result<Arc<Run>, Refusal> {
        self.expire();
        let state = self.state();
        let found = state.runs.get(&name).filter(|run| run.about.owner == owner);
        let unknown = || Refusal::new(Reason::Run, format!("unknown run {}", name.digits()));
        found.cloned().ok_or_else(unknown)
    }

    /// Returns the encrypted result of a run.
    ///
    /// # Errors
    /// [`Reason::RunState`] if the run has no result, [`Reason::Internal`] if it cannot be read.
    pub fn result(&self, run: &Run, bytes: u64) -> Result<Vec<u8>, Refusal> {
        let path = self.store()?.result(run.about.name);
        halimede_files::read_limited(&path, bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Refusal::new(Reason::Run, "the run has been removed"),
            _ => internal(&error),
        })
    }

    /// Cancels a run if it is not complete, and removes it.
    pub fn remove(&self, name: Name) {
        let mut state = self.state();
        let Some(run) = state.runs.remove(&name) else { return };
        let is_over = run.phase.borrow().is_final();
        run.cancel();
        if !is_over {
            self.counts.cancelled();
        }
        // A worker that still computes the run removes its files.
        match state.running.iter().find(|group| group.has(name)) {
            Some(group) if group.is_cancelled() => group.interrupt.store(true, Relaxed),
            Some(_) => {}
            None => self.remove_files(&state, &run),
        }
    }

    fn remove_files(&self, state: &State, run: &Run) {
        let Some(store) = &self.store else { return };
        let removed =
            store.remove(run.about.name).and_then(|()| match state.needs(&run.about.keys) {
                true => Ok(()),
                false => store.remove_checkpoints(&run.about.keys),
            });
        if let Err(error) = removed {
            tracing::error!(%error, "the files of a run cannot be removed");
        }
    }

    /// Removes complete runs that have expired.
    fn expire(&self) {
        let now = SystemTime::now();
        let mut state = self.state();
        let is_old = |run: &Run| run.phase.borrow().is_older(self.limits.expiry, now);
        let old: Vec<Name> =
            state.runs.iter().filter(|(_, run)| is_old(run)).map(|(name, _)| *name).collect();
        for name in old {
            if let Some(run) = state.runs.remove(&name) {
                self.remove_files(&state, &run);
            }
        }
    }
}

impl State {
    /// Returns `true` if a run that is not complete has these keys.
    fn needs(&self, keys: &Hash) -> bool {
        let is_open = |run: &Run| !run.phase.borrow().is_final();
        let mut runs = self.runs.values().chain(self.computed());
        runs.any(|run| run.about.keys == *keys && is_open(run))
    }

    /// Returns the runs that are being computed.
    fn computed(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.running.iter().flat_map(|group| &group.runs)
    }

    /// Returns the bytes of all encrypted inputs and results.
    fn bytes(&self) -> u64 {
        let of = |run: &Run| match &*run.phase.borrow() {
            Phase::Done { bytes, .. } => *bytes,
            Phase::Failed { .. } | Phase::Cancelled => 0,
            _ => run.about.input_bytes,
        };
        self.runs.values().map(|run| of(run)).sum()
    }
}

/// Reads an encrypted input to its end.
fn load(
    mut bytes: &[u8],
    parameters: &halimede_ckks::Parameters,
) -> Result<Ciphertexts, halimede_ckks::FileError> {
    let input = Ciphertexts::load(&mut bytes, parameters)?;
    expect_end(bytes)?;
    Ok(input)
}

/// Returns the refusal of a fault of the server, which is not the fault of the client.
fn internal(error: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(%error, "the folder of runs failed");
    Refusal::new(Reason::Internal, "the folder of runs failed")
}
