// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A GPU of a place that runs programs: its state, and its copies of ciphertexts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use halimede_ckks::executor::ExecutorError;
use halimede_ckks::ring::{Basis, External, Form, Polynomial, ProgramError};

use super::resident::Limbs;
use super::state::State;
use crate::error::CudaError;
use crate::gpu::{Gpu, Holder};
use crate::place::GpuPlace;

/// The copies of both parts of a ciphertext. A ciphertext that was uploaded or downloaded has one
/// on this machine, and survives the loss of GPUs.
#[derive(Clone, Default)]
pub(super) struct Copies {
    pub here: Option<[Polynomial; 2]>,
    /// The copies on GPUs, by the positions of these.
    there: Vec<(usize, [Arc<Limbs>; 2])>,
}

/// The copies of all ciphertexts of a place, some of which may no longer exist.
#[derive(Default)]
pub(super) struct Ciphertexts(Mutex<Vec<Weak<Mutex<Copies>>>>);

/// A GPU with programs. They run sequentially.
pub(super) struct Member {
    place: Arc<GpuPlace>,
    position: usize,
    state: Mutex<Option<State>>,
    ciphertexts: Arc<Ciphertexts>,
    /// The number of programs that wait or run.
    queued: AtomicUsize,
    /// The time of the last failure, until a program works.
    failed: Mutex<Option<Instant>>,
}

/// The time after a failure in which programs prefer other GPUs.
const PAUSE: Duration = Duration::from_secs(10);

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Copies {
    /// Returns a copy on this machine.
    pub fn here(parts: [Polynomial; 2]) -> Self {
        Self { here: Some(parts), there: Vec::new() }
    }

    /// Returns a copy on a GPU.
    pub fn there(position: usize, parts: [Arc<Limbs>; 2]) -> Self {
        Self { here: None, there: vec![(position, parts)] }
    }

    /// Returns the GPUs that have a copy.
    pub fn gpus(&self) -> impl Iterator<Item = usize> + '_ {
        self.there.iter().map(|(position, _)| *position)
    }

    /// Returns `true` if the GPU has a copy.
    pub fn is_on(&self, position: usize) -> bool {
        self.gpus().any(|other| other == position)
    }

    /// Checks that a part has the primes and the form of an external value.
    pub fn check(
        &self,
        part: usize,
        external: &External,
        degree: usize,
    ) -> Result<(), ExecutorError> {
        let is_it = |basis: &Basis, form: Form, own: usize| {
            own * external.run == degree && basis.contains(&external.basis) && form == external.form
        };
        let is_it = match (&self.here, self.there.first()) {
            (Some(here), _) => is_it(here[part].basis(), here[part].form(), here[part].degree()),
            (None, Some((_, there))) => {
                is_it(&there[part].basis, there[part].form, there[part].degree)
            }
            // `bring` says that it was lost.
            (None, None) => true,
        };
        match is_it {
            true => Ok(()),
            false => Err(ProgramError::Shape { name: external.name.clone() }.into()),
        }
    }

    /// Returns both parts on the GPU, to which they are sent if they are not in this context.
    pub fn on(&mut self, state: &mut State) -> Result<[Arc<Limbs>; 2], CudaError> {
        let position = state.position();
        let of_context = |of: &[Arc<Limbs>; 2]| of.iter().all(|of| of.is_of(&state.context));
        let own = self.there.iter().find(|(other, _)| *other == position).map(|(_, of)| of);
        if let Some(there) = own.filter(|of| of_context(of)) {
            return Ok(there.clone());
        }
        let [a, b] = self.here.as_ref().ok_or(CudaError::LostCiphertext)?;
        let there = [state.upload(a)?, state.upload(b)?];
        self.forget(position);
        self.there.push((position, there.clone()));
        Ok(there)
    }

    fn forget(&mut self, position: usize) {
        self.there.retain(|(other, _)| *other != position);
    }
}

impl Ciphertexts {
    /// Adds the copies of a ciphertext.
    pub fn remember(&self, copies: &Arc<Mutex<Copies>>) {
        let mut all = locked(&self.0);
        if all.len() == all.capacity() {
            all.retain(|copies| copies.strong_count() > 0);
        }
        all.push(Arc::downgrade(copies));
    }

    /// Forgets the copies on a GPU.
    fn forget(&self, position: usize) {
        let all: Vec<_> = locked(&self.0).iter().filter_map(Weak::upgrade).collect();
        all.iter().for_each(|copies| locked(copies).forget(position));
    }
}

impl Member {
    /// Creates the GPU of a place with this position. The kernels are loaded at the first program.
    pub fn new(
        place: &Arc<GpuPlace>,
        position: usize,
        ciphertexts: &Arc<Ciphertexts>,
    ) -> Arc<Self> {
        let (place, ciphertexts) = (Arc::clone(place), Arc::clone(ciphertexts));
        let (state, queued, failed) = Default::default();
        let member = Arc::new(Self { place, position, state, ciphertexts, queued, failed });
        let holder: Arc<dyn Holder> = Arc::<Self>::clone(&member);
        member.gpu().add_holder(Arc::downgrade(&holder));
        member
    }

    /// Returns the GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.place.member(self.position).gpu
    }

    /// Returns `true` for a while after a failure.
    pub fn has_just_failed(&self) -> bool {
        locked(&self.failed).is_some_and(|at| at.elapsed() < PAUSE)
    }

    /// Returns the number of programs that wait or run.
    pub fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// Counts a program as waiting or running, until the result is dropped.
    pub fn enqueue(&self) -> Queued<'_> {
        self.queued.fetch_add(1, Ordering::Relaxed);
        Queued(self)
    }

    /// Works with the state of the current context. After an error other than a lack of memory, the
    /// state counts as lost: the next call sends everything again.
    pub fn with_state<T>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let mut held = locked(&self.state);
        if held.as_ref().is_some_and(|state| state.context.loss().is_some()) {
            self.give_up_with_workspaces(&mut held);
        }
        let result = self.gpu().context().and_then(|context| {
            if held.as_ref().is_some_and(|state| !Arc::ptr_eq(&state.context, &context)) {
                *held = None;
            }
            let state = match held.take() {
                Some(state) => state,
                None => State::new(&self.place, self.position, &context)?,
            };
            work(held.insert(state))
        });
        let is_failure = |error: &CudaError| !matches!(error, CudaError::Memory { .. });
        *locked(&self.failed) =
            result.as_ref().err().filter(|of| is_failure(of)).map(|_| Instant::now());
        result.inspect_err(|error| {
            if held.as_ref().is_some_and(|state| state.context.loss().is_some()) {
                self.give_up_with_workspaces(&mut held);
            } else if is_failure(error) {
                *held = None;
            }
        })
    }

    /// Gives up everything on the GPU. Ciphertexts that are only there are lost.
    fn give_up_all(&self, held: &mut Option<State>) {
        *held = None;
        self.ciphertexts.forget(self.position);
    }

    /// The same, with the workspaces of batches.
    fn give_up_with_workspaces(&self, held: &mut Option<State>) {
        self.give_up_all(held);
        self.place.member(self.position).release_memory();
    }
}

impl Holder for Member {
    /// A batch whose workspaces call this has given them up.
    fn give_up(&self) {
        // A call that holds the state gives it up when it ends.
        if let Ok(mut held) = self.state.try_lock() {
            if held.is_some() {
                self.give_up_all(&mut held);
            }
        }
    }
}

/// A GPU with a program that waits or runs.
pub(super) struct Queued<'m>(pub &'m Member);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Ordering::Relaxed);
    }
}
