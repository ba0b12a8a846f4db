// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs on devices: each program is a request to the device, with its retries and
//! fallback.

pub(crate) mod selftest;

use std::sync::Arc;

use halimede_arith::job::{DeviceError, Execute};
use halimede_ckks::executor::{
    CardTraffic, ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use halimede_ckks::ring::{Polynomial, Program};
use halimede_ckks::Parameters;
use halimede_places::programs::{Executors, ProgramCall, ProgramValue, Programs, RunCkksProgram};

use crate::device::Device;

/// The engine's name in capabilities and errors.
const ENGINE: &str = "ckks";

/// A device with its fallbacks, as a place that runs CKKS programs.
pub struct DevicePrograms(Arc<Device>);

/// Programs for one set of parameters, on a device.
struct OnDevice {
    device: Arc<Device>,
    executors: Arc<Executors>,
    /// The executor of the first place that supports the parameters.
    first: Arc<dyn ProgramExecutor>,
}

impl Device {
    /// Returns the place that runs CKKS programs: the device, followed by its fallbacks.
    ///
    /// # Errors
    /// [`DeviceError`] if none of them runs programs.
    pub fn programs(self: &Arc<Self>) -> Result<DevicePrograms, DeviceError> {
        let mut last = None;
        for device in self.with_fallbacks() {
            match device.own_programs() {
                Ok(_) => return Ok(DevicePrograms(Arc::clone(self))),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| self.lacks::<RunCkksProgram>()))
    }

    /// The device and its fallbacks.
    fn with_fallbacks(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |device| device.fallback.as_deref())
    }

    /// The device's own place for programs.
    fn own_programs(&self) -> Result<&Programs, DeviceError> {
        let part = self.part(ENGINE)?;
        let lacks = || self.lacks_operation(ENGINE, "it runs no CKKS programs");
        part.executors().programs().ok_or_else(lacks)
    }
}

impl DevicePrograms {
    fn places(&self) -> impl Iterator<Item = &Programs> {
        self.0.with_fallbacks().filter_map(|device| device.own_programs().ok())
    }
}

impl ProgramPlace for DevicePrograms {
    /// # Errors
    /// The error of the first place, if no place supports the parameters.
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        let executors = Arc::new(Executors::new(parameters));
        let mut refusal = None;
        for programs in self.places() {
            match programs.executor(&executors) {
                Ok(first) => {
                    let device = Arc::clone(&self.0);
                    return Ok(Arc::new(OnDevice { device, executors, first }));
                }
                Err(error) => drop(refusal.get_or_insert(error)),
            }
        }
        let (executor, reason) = (self.0.name().to_owned(), "it runs no CKKS programs".into());
        Err(refusal.unwrap_or(ExecutorError::Unavailable { executor, reason }))
    }

    fn takes(&self, log_degree: u32) -> bool {
        self.places().any(|programs| programs.place().takes(log_degree))
    }

    /// The traffic of the first place.
    fn traffic(&self) -> Option<CardTraffic> {
        self.places().next()?.place().traffic()
    }
}

impl ProgramExecutor for OnDevice {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn is_host(&self) -> bool {
        self.first.is_host()
    }

    /// The residues are uploaded to a place when a program there uses them.
    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        Ok(Resident::new(ProgramValue::new(parts.map(Polynomial::clone))))
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        resident.kept::<ProgramValue>(self.name())?.parts()
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let inputs = inputs.iter().map(|input| input.kept::<ProgramValue>(self.name()).cloned());
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let (executors, program) = (Arc::clone(&self.executors), Arc::clone(program));
        let call = ProgramCall { executors, program, held: held.clone(), inputs };
        let answered = Execute::<RunCkksProgram>::execute(&*self.device, &[call]);
        let mut replies = answered.map_err(of_device)?.replies.into_iter();
        let values = replies.next().unwrap_or_else(|| Ok(Vec::new()))?;
        Ok(values.into_iter().map(Resident::new).collect())
    }
}

/// Converts a device's error to an error of its executor of programs.
fn of_device(error: DeviceError) -> ExecutorError {
    match error {
        DeviceError::Failed { device: executor, reason, .. } => {
            ExecutorError::Failed { executor, reason }
        }
        DeviceError::Unsupported { device: executor, reason, .. }
        | DeviceError::Unavailable { device: executor, reason } => {
            ExecutorError::Unavailable { executor, reason }
        }
        error => ExecutorError::Failed { executor: ENGINE.into(), reason: error.to_string() },
    }
}
