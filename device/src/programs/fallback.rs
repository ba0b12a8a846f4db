// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An executor of CKKS programs behind another one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use halimede_arith::job::interrupt;
use halimede_ckks::executor::{ExecutorError, ProgramConstants, ProgramExecutor, Resident};
use halimede_ckks::ring::{Polynomial, Program};

use super::ENGINE;
use crate::notices::{Cause, Notices};

/// The first executor does what it can. What it refuses goes to the second one, and everything once
/// it has failed.
pub(super) struct WithFallback {
    executors: [Arc<dyn ProgramExecutor>; 2],
    has_failed: AtomicBool,
    notices: Arc<Notices>,
    name: String,
}

/// A ciphertext on either executor or both.
struct Kept([Mutex<Option<Resident>>; 2]);

const FIRST: usize = 0;
const SECOND: usize = 1;

impl WithFallback {
    /// Both executors, of the same parameters.
    pub fn new(
        first: Arc<dyn ProgramExecutor>,
        second: Arc<dyn ProgramExecutor>,
        notices: Arc<Notices>,
    ) -> Self {
        let name = first.name().to_owned();
        Self { executors: [first, second], has_failed: AtomicBool::new(false), notices, name }
    }

    /// The ciphertext on an executor, brought there from the other one where it is not yet.
    fn on(&self, place: usize, kept: &Kept) -> Result<Resident, ExecutorError> {
        if let Some(resident) = kept.get(place) {
            return Ok(resident);
        }
        let other = 1 - place;
        let foreign = || ExecutorError::Foreign { executor: self.name.clone() };
        let parts = self.executors[other].download(&kept.get(other).ok_or_else(foreign)?)?;
        let [a, b] = &parts;
        let resident = self.executors[place].upload([a, b])?;
        kept.set(place, resident.clone());
        Ok(resident)
    }

    /// Does something on the first executor that takes it.
    fn attempt<T>(
        &self,
        act: impl Fn(usize, &dyn ProgramExecutor) -> Result<T, ExecutorError>,
    ) -> Result<(usize, T), ExecutorError> {
        let [first, second] = &self.executors;
        if !self.has_failed.load(Ordering::Relaxed) {
            match act(FIRST, &**first) {
                Ok(done) => return Ok((FIRST, done)),
                Err(error) if !self.is_for_the_next(&error) => return Err(error),
                Err(_) => {}
            }
        }
        act(SECOND, &**second).map(|done| (SECOND, done))
    }

    /// Whether the second executor takes over behind an error of the first one.
    fn is_for_the_next(&self, error: &ExecutorError) -> bool {
        if interrupt::is_requested() == Some(true) {
            return false;
        }
        let has_failed = matches!(error, ExecutorError::Failed { .. });
        if has_failed {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        let is_for_it = has_failed || matches!(error, ExecutorError::Unavailable { .. });
        if is_for_it && self.notices.begins(ENGINE, Cause::of(error)) {
            let fallback = self.executors[SECOND].name();
            tracing::warn!(%error, fallback, "a CKKS program goes to the fallback");
        }
        is_for_it
    }
}

impl Kept {
    fn of(place: usize, resident: Resident) -> Self {
        let kept = Self([Mutex::new(None), Mutex::new(None)]);
        kept.set(place, resident);
        kept
    }

    fn get(&self, place: usize) -> Option<Resident> {
        self.0[place].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, place: usize, resident: Resident) {
        *self.0[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(resident);
    }
}

impl ProgramExecutor for WithFallback {
    fn name(&self) -> &str {
        &self.name
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        let (place, resident) = self.attempt(|_, executor| executor.upload(parts))?;
        Ok(Resident::new(Kept::of(place, resident)))
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let kept = resident.kept::<Kept>(&self.name)?;
        let place = if kept.get(SECOND).is_some() { SECOND } else { FIRST };
        self.executors[place].download(&self.on(place, kept)?)
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let kept = inputs.iter().map(|input| input.kept::<Kept>(&self.name));
        let kept = kept.collect::<Result<Vec<_>, _>>()?;
        let (place, outputs) = self.attempt(|place, executor| {
            let inputs = kept.iter().map(|kept| self.on(place, kept));
            let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
            executor.run(program, held, &inputs.iter().collect::<Vec<_>>())
        })?;
        let wrapped = outputs.into_iter().map(|output| Resident::new(Kept::of(place, output)));
        Ok(wrapped.collect())
    }
}
