// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs as an operation: a place that runs them is an executor like any other, behind the
//! same sessions, retries and fallback.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halimede_arith::job::{
    Amount, Answered, AtOnce, Attempts, DeviceError, Executor, Limits, Offer, Operation, Timing,
    Unsupported,
};
use halimede_arith::operation_over;
use halimede_ckks::executor::{
    ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use halimede_ckks::ring::{Polynomial, Program};
use halimede_ckks::Parameters;

/// Runs a program on ciphertexts.
pub struct RunCkksProgram;

operation_over!(
    RunCkksProgram,
    ProgramCall,
    Result<Vec<ProgramValue>, ExecutorError>,
    "ckks.run_program",
    |call| call.program.steps.len()
);

/// A program with all that it takes.
#[derive(Clone)]
pub struct ProgramCall {
    /// The executors that the places have made for the caller's parameters.
    pub executors: Arc<Executors>,
    /// The program.
    pub program: Arc<Program>,
    /// Its keys and plaintexts.
    pub held: ProgramConstants,
    /// Its ciphertexts.
    pub inputs: Vec<ProgramValue>,
}

/// Executors of some parameters, one a place. A place has compiled programs there.
pub struct Executors {
    parameters: Parameters,
    of_places: Mutex<Vec<(u64, Arc<dyn ProgramExecutor>)>>,
}

/// A ciphertext's residues, on each place that has taken them. Copies share them.
#[derive(Clone)]
pub struct ProgramValue(Arc<Mutex<Residues>>);

#[derive(Default)]
struct Residues {
    /// On this machine.
    parts: Option<[Polynomial; 2]>,
    of_places: Vec<(u64, Arc<dyn ProgramExecutor>, Resident)>,
}

/// A place as an executor of [`RunCkksProgram`]. Copies are of the same place.
#[derive(Clone)]
pub struct Programs {
    number: u64,
    place: Arc<dyn ProgramPlace>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executors {
    /// None yet, for these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone(), of_places: Mutex::default() }
    }
}

impl ProgramValue {
    /// Residues that are on this machine.
    pub fn new(parts: [Polynomial; 2]) -> Self {
        Self(Arc::new(Mutex::new(Residues { parts: Some(parts), of_places: Vec::new() })))
    }

    /// Both parts, from a place where they are.
    ///
    /// # Errors
    /// Those of the place.
    pub fn parts(&self) -> Result<[Polynomial; 2], ExecutorError> {
        locked(&self.0).parts()
    }

    fn of_result(place: u64, executor: &Arc<dyn ProgramExecutor>, resident: Resident) -> Self {
        let of_places = vec![(place, Arc::clone(executor), resident)];
        Self(Arc::new(Mutex::new(Residues { parts: None, of_places })))
    }

    /// The residues on a place, brought there where they are not yet.
    fn at(
        &self,
        place: u64,
        executor: &Arc<dyn ProgramExecutor>,
    ) -> Result<Resident, ExecutorError> {
        let mut residues = locked(&self.0);
        if let Some((.., resident)) = residues.of_places.iter().find(|(of, ..)| *of == place) {
            return Ok(resident.clone());
        }
        let parts = residues.parts()?;
        let resident = executor.upload([&parts[0], &parts[1]])?;
        residues.of_places.push((place, Arc::clone(executor), resident.clone()));
        Ok(resident)
    }
}

impl Residues {
    fn parts(&mut self) -> Result<[Polynomial; 2], ExecutorError> {
        if let Some(parts) = &self.parts {
            return Ok(parts.clone());
        }
        let (_, executor, resident) = match self.of_places.last() {
            Some(last) => last,
            None => return Err(ExecutorError::Foreign { executor: "this machine".into() }),
        };
        let parts = executor.download(resident)?;
        Ok(self.parts.insert(parts).clone())
    }
}

impl fmt::Debug for ProgramValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgramValue")
    }
}

impl PartialEq for ProgramValue {
    /// Whether both are copies of one.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Programs {
    /// A place as an executor.
    pub(crate) fn new(place: impl ProgramPlace + 'static) -> Self {
        static PLACES: AtomicU64 = AtomicU64::new(0);
        Self { number: PLACES.fetch_add(1, Ordering::Relaxed), place: Arc::new(place) }
    }

    /// The place.
    pub fn place(&self) -> &dyn ProgramPlace {
        &*self.place
    }

    /// The place's executor of some parameters, made where it has not been.
    ///
    /// # Errors
    /// As [`ProgramPlace::executor`].
    pub fn executor(&self, of: &Executors) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        let mut executors = locked(&of.of_places);
        if let Some((_, executor)) = executors.iter().find(|(place, _)| *place == self.number) {
            return Ok(Arc::clone(executor));
        }
        let executor = self.place.executor(&of.parameters)?;
        executors.push((self.number, Arc::clone(&executor)));
        Ok(executor)
    }

    fn supports(&self, call: &ProgramCall) -> Result<(), ExecutorError> {
        self.executor(&call.executors)?.supports(&call.program, &call.held)
    }

    fn run(&self, call: &ProgramCall) -> Result<Vec<ProgramValue>, ExecutorError> {
        let executor = self.executor(&call.executors)?;
        let inputs = call.inputs.iter().map(|value| value.at(self.number, &executor));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<&Resident> = inputs.iter().collect();
        let outputs = executor.run(&call.program, &call.held, &inputs)?.into_iter();
        let value = |output| ProgramValue::of_result(self.number, &executor, output);
        Ok(outputs.map(value).collect())
    }
}

impl Executor<RunCkksProgram> for Programs {
    fn limits(&self) -> Limits {
        let may_fail = self.place.may_fail();
        Limits { may_fail, piece: Amount::of_requests(1), ..Limits::default() }
    }

    /// The parameter sets by name, but those for tests.
    fn offer(&self) -> Option<Offer> {
        let is_taken = |name: &&str| {
            !name.ends_with("insecure")
                && Parameters::preset_log_degree(name)
                    .is_some_and(|degree| self.place.takes(degree))
        };
        let instances = Parameters::presets().filter(is_taken).map(str::to_owned).collect();
        Some(Offer { instances, ..Offer::default() })
    }

    /// A program that is wrong on every place is supported: its reply says so.
    fn supports(&self, batch: &[ProgramCall]) -> Result<(), Vec<Unsupported>> {
        let refusals = batch.iter().enumerate().filter_map(|(request, call)| {
            let reason = match Self::supports(self, call) {
                Err(ExecutorError::Unavailable { reason, .. }) => reason,
                Err(error @ ExecutorError::Failed { .. }) => error.to_string(),
                _ => return None,
            };
            Some(Unsupported { request, reason })
        });
        match refusals.collect::<Vec<_>>() {
            none if none.is_empty() => Ok(()),
            refusals => Err(refusals),
        }
    }

    fn execute(
        &self,
        batch: &[ProgramCall],
    ) -> Result<Answered<<RunCkksProgram as Operation>::Replies>, DeviceError> {
        let mut replies = Vec::with_capacity(batch.len());
        for (request_index, call) in batch.iter().enumerate() {
            replies.push(match self.run(call) {
                Err(ExecutorError::Failed { executor: device, reason }) => {
                    let requests = batch.len();
                    return Err(DeviceError::Failed { device, request_index, requests, reason });
                }
                Err(ExecutorError::Unavailable { executor: device, reason }) => {
                    return Err(DeviceError::Unavailable { device, reason });
                }
                reply => reply,
            });
        }
        Ok(Answered { replies, timing: Timing::default() })
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<RunCkksProgram> + '_> {
        Box::new(AtOnce::new(self))
    }
}
