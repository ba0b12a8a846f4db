// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress callbacks: Python functions that long work calls.

use std::ops::ControlFlow;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::work::Stop;

/// An optional progress callback. An exception in it ends the work, as Ctrl-C does.
pub struct Listener {
    function: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Listener {
    pub fn new(function: Option<Py<PyAny>>) -> Self {
        Self { function, raised: None }
    }

    /// Calls the function. Returns `Break` if it raised or a stop is requested.
    pub fn tell(
        &mut self,
        stop: &Stop,
        arguments: impl for<'py> PyCallArgs<'py>,
    ) -> ControlFlow<()> {
        if stop.is_requested() {
            return ControlFlow::Break(());
        }
        let Some(function) = &self.function else { return ControlFlow::Continue(()) };
        match Python::attach(|py| function.call1(py, arguments).map(drop)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the exception of the function, if it raised.
    pub fn outcome(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
