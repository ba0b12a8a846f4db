// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plans on a device: its place that runs programs, with the keys of a server.

use std::ops::ControlFlow;
use std::sync::Arc;

use halimede_arith::job::DeviceError as Failure;
use halimede_ckks::executor::{ExecutorError, ProgramPlace, ProgramServer};
use halimede_ckks::{Ciphertext, Plan};
use halimede_ckks_nn::NetworkError;
use pyo3::prelude::*;

use super::errors::evaluation_error;
use super::server::CkksServer;
use crate::device::PyDevice;
use crate::errors::{device_error, value_error};
use crate::work;

/// Runs plans on a device. Keeps programs and, on a card, keys from one plan to the next.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksPrograms {
    programs: Arc<ProgramServer>,
    /// The device, to check that it is open and not used in a forked child.
    device: Py<PyDevice>,
}

#[pymethods]
impl CkksPrograms {
    #[new]
    fn new(
        py: Python<'_>,
        server: &Bound<'_, CkksServer>,
        device: &Bound<'_, PyDevice>,
    ) -> PyResult<Self> {
        let (server, opened) = (server.get(), device.get().get()?);
        let parameters = server.parameters.parameters();
        let executor = work::run(py, |_| {
            let place = opened.programs().map_err(|error| device_error(&error))?;
            place.executor(parameters).map_err(executor_error)
        })??;
        let programs = Arc::new(ProgramServer::new(Arc::clone(&server.server), executor));
        Ok(Self { programs, device: device.clone().unbind() })
    }
}

impl CkksPrograms {
    /// Runs a plan; calls `go_on` between steps.
    ///
    /// # Errors
    /// Errors of the device, and operations that cannot be done.
    pub fn run(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        go_on: impl FnMut(usize) -> ControlFlow<()>,
    ) -> PyResult<Ciphertext> {
        self.programs.compute_plan(plan, inputs, go_on).map_err(executor_error)
    }

    /// Returns the programs, for networks and trainings.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn shared(&self) -> PyResult<Arc<ProgramServer>> {
        self.check()?;
        Ok(Arc::clone(&self.programs))
    }

    /// Checks that the device is open and was opened by this process.
    ///
    /// # Errors
    /// As [`PyDevice::get`].
    pub fn check(&self) -> PyResult<()> {
        self.device.get().get().map(drop)
    }
}

/// Converts the error of a network or a training.
pub fn network_error(error: NetworkError) -> PyErr {
    match error {
        NetworkError::Executor(error) => executor_error(error),
        error => value_error(error),
    }
}

fn executor_error(error: ExecutorError) -> PyErr {
    match error {
        ExecutorError::Unavailable { executor: device, reason } => {
            device_error(&Failure::Unavailable { device, reason })
        }
        ExecutorError::Failed { executor: device, reason } => {
            device_error(&Failure::Failed { device, request_index: 0, requests: 1, reason })
        }
        ExecutorError::Circuit(error) => evaluation_error(error),
        error => value_error(error),
    }
}
