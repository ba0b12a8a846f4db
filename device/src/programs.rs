// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS on devices: the places that run its programs.

use std::sync::Arc;

use halimede_arith::job::DeviceError;
use halimede_ckks::executor::Processor as ProcessorExecutor;
use halimede_ckks::executor::{ExecutorError, ProgramExecutor, ProgramPlace, Routine};
use halimede_ckks::Parameters;

use crate::capabilities::{Capabilities, Engine};
use crate::device::Device;
use crate::places::Processor;

/// The engine's name in capabilities and errors.
const ENGINE: &str = "ckks";

impl Device {
    /// The place that runs CKKS programs: the device, or the first of its fallbacks that does.
    ///
    /// # Errors
    /// [`DeviceError`] where none of them runs programs.
    pub fn programs(&self) -> Result<&dyn ProgramPlace, DeviceError> {
        match (self.executors().programs(), &self.fallback) {
            (Some(place), _) => Ok(place),
            (None, Some(fallback)) => fallback.programs(),
            (None, None) => Err(self.lacks_operation(ENGINE, "it runs no CKKS programs yet")),
        }
    }
}

impl ProgramPlace for Processor {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        Ok(Arc::new(ProcessorExecutor::new(parameters)))
    }
}

impl Capabilities {
    /// The same with the CKKS engine, whose instances are the parameter sets by name. Those for
    /// tests are left out.
    pub(crate) fn with_programs(mut self) -> Self {
        let instances = Parameters::presets().filter(|name| !name.ends_with("insecure"));
        let instances = instances.map(str::to_owned).collect();
        let operations = Routine::NAMES.map(str::to_owned).to_vec();
        self.engines.retain(|engine| engine.name != ENGINE);
        self.engines.push(Engine { name: ENGINE.into(), operations, instances });
        self
    }
}
