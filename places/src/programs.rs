// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs as an operation: a place that runs programs is an executor like any other, with
//! the same sessions, retries and fallback.

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

/// A program with its keys, plaintexts and inputs.
#[derive(Clone)]
pub struct ProgramCall {
    /// The executors of the places for the caller's parameters.
    pub executors: Arc<Executors>,
    /// The program.
    pub program: Arc<Program>,
    /// The program's keys and plaintexts.
    pub held: ProgramConstants,
    /// The program's input ciphertexts.
    pub inputs: Vec<ProgramValue>,
}

/// The executors for one set of parameters, one per place. A place keeps its compiled programs
/// there.
pub struct Executors {
    parameters: Parameters,
    of_places: Mutex<Vec<(u64, Arc<dyn ProgramExecutor>)>>,
}

/// A ciphertext's residues, on each place to which they were uploaded. Copies share them.
#[derive(Clone)]
pub struct ProgramValue(Arc<Mutex<Residues>>);

#[derive(Default)]
struct Residues {
    /// The residues on this machine.
    parts: Option<[Polynomial; 2]>,
    of_places: Vec<(u64, Arc<dyn ProgramExecutor>, Resident)>,
}

/// A place as an executor of [`RunCkksProgram`]. Copies refer to the same place.
#[derive(Clone)]
pub struct Programs {
    number: u64,
    place: Arc<dyn ProgramPlace>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executors {
    /// Creates an empty set of executors for these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone(), of_places: Mutex::default() }
    }
}

impl ProgramValue {
    /// Creates a value from residues on this machine.
    pub fn new(parts: [Polynomial; 2]) -> Self {
        Self(Arc::new(Mutex::new(Residues { parts: Some(parts), of_places: Vec::new() })))
    }

    /// Returns both parts, from this machine or a place that has them.
    ///
    /// # Errors
    /// The errors of the place.
    pub fn parts(&self) -> Result<[Polynomial; 2], ExecutorError> {
        locked(&self.0).parts()
    }

    fn of_result(place: u64, executor: &Arc<dyn ProgramExecutor>, resident: Resident) -> Self {
        let of_places = vec![(place, Arc::clone(executor), resident)];
        Self(Arc::new(Mutex::new(Residues { parts: None, of_places })))
    }

    /// Returns the residues on a place, and uploads them first if needed.
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
    /// Returns `true` for copies of the same value.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Programs {
    /// Wraps a place as an executor.
    pub(crate) fn new(place: impl ProgramPlace + 'static) -> Self {
        static PLACES: AtomicU64 = AtomicU64::new(0);
        Self { number: PLACES.fetch_add(1, Ordering::Relaxed), place: Arc::new(place) }
    }

    /// The place.
    pub fn place(&self) -> &dyn ProgramPlace {
        &*self.place
    }

    /// Returns the place's executor for these parameters, and makes it at the first call.
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

    /// The names of the parameter sets, except those for tests.
    fn offer(&self) -> Option<Offer> {
        let is_taken = |name: &&str| {
            !name.ends_with("insecure")
                && Parameters::preset_log_degree(name)
                    .is_some_and(|degree| self.place.takes(degree))
        };
        let instances = Parameters::presets().filter(is_taken).map(str::to_owned).collect();
        Some(Offer { instances, ..Offer::default() })
    }

    /// A program that no place can run is supported: its reply is the error.
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
