// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS on devices: the places that run its programs.

mod card;
mod fallback;

use std::sync::Arc;

use halimede_arith::job::DeviceError;
use halimede_ckks::executor::Processor as ProcessorExecutor;
use halimede_ckks::executor::{CardTraffic, ExecutorError, ProgramExecutor, ProgramPlace, Routine};
use halimede_ckks::Parameters;

pub(crate) use self::card::OnCard;
use self::fallback::WithFallback;
use crate::capabilities::{Capabilities, Engine};
use crate::device::Device;
use crate::notices::Cause;
use crate::places::Processor;

/// The engine's name in capabilities and errors.
const ENGINE: &str = "ckks";

/// The places that run CKKS programs of a device: its own, and behind it those of its fallbacks.
pub struct DevicePrograms<'d> {
    device: &'d Device,
    /// One or more.
    places: Vec<&'d dyn ProgramPlace>,
}

impl Device {
    /// The places that run CKKS programs: the device's, and those of its fallbacks.
    ///
    /// # Errors
    /// [`DeviceError`] where none of them runs programs.
    pub fn programs(&self) -> Result<DevicePrograms<'_>, DeviceError> {
        let devices = std::iter::successors(Some(self), |device| device.fallback.as_deref());
        let devices: Vec<&Self> = devices.collect();
        let places = devices.iter().filter_map(|device| device.executors().programs());
        let places: Vec<_> = places.collect();
        match (places.is_empty(), devices.last()) {
            (true, Some(last)) => Err(last.lacks_operation(ENGINE, "it runs no CKKS programs")),
            _ => Ok(DevicePrograms { device: self, places }),
        }
    }
}

impl ProgramPlace for DevicePrograms<'_> {
    /// An executor of the first place that takes the parameters. The next one takes over what it
    /// cannot do, and everything once it has failed.
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        let mut refusal = None;
        let mut executors = Vec::new();
        for place in &self.places {
            match place.executor(parameters) {
                Ok(executor) => executors.push(executor),
                Err(error) => {
                    let is_new = || self.device.notices.begins(ENGINE, Cause::of(&error));
                    if self.places.len() > 1 && is_new() {
                        tracing::warn!(%error, "the next device runs CKKS programs");
                    }
                    refusal.get_or_insert(error);
                }
            }
        }
        let mut chain = executors.into_iter().rev();
        match (chain.next(), refusal) {
            (Some(last), _) => Ok(chain.fold(last, |behind, first| {
                let notices = Arc::clone(&self.device.notices);
                Arc::new(WithFallback::new(first, behind, notices))
            })),
            (None, Some(error)) => Err(error),
            (None, None) => unreachable!("a device with programs has a place for them"),
        }
    }

    fn takes(&self, log_degree: u32) -> bool {
        self.places.iter().any(|place| place.takes(log_degree))
    }

    /// That of the first place.
    fn traffic(&self) -> Option<CardTraffic> {
        self.places.first()?.traffic()
    }
}

impl Cause {
    /// The cause of an error for which another place runs programs.
    fn of(error: &ExecutorError) -> Self {
        match error {
            ExecutorError::Failed { .. } => Self::Failed,
            _ => Self::Lacks,
        }
    }
}

impl ProgramPlace for Processor {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        Ok(Arc::new(ProcessorExecutor::new(parameters)))
    }
}

impl Capabilities {
    /// The same with the CKKS engine of a place, whose instances are the parameter sets by name.
    /// Those for tests are left out.
    pub(crate) fn with_programs(mut self, place: &dyn ProgramPlace) -> Self {
        let is_taken = |name: &&str| {
            !name.ends_with("insecure")
                && Parameters::preset_log_degree(name).is_some_and(|degree| place.takes(degree))
        };
        let instances = Parameters::presets().filter(is_taken).map(str::to_owned).collect();
        let operations = Routine::NAMES.map(str::to_owned).to_vec();
        self.engines.retain(|engine| engine.name != ENGINE);
        self.engines.push(Engine { name: ENGINE.into(), operations, instances });
        self
    }
}
