// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions of Python that are told how far long work is.

use std::ops::ControlFlow;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::work::Stop;

/// A function that is told how far work is, or nobody. What it raises ends the work, as Ctrl-C does.
pub struct Listener {
    function: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Listener {
    pub fn new(function: Option<Py<PyAny>>) -> Self {
        Self { function, raised: None }
    }

    /// Calls the function; whether the work goes on.
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

    /// What the function has raised, if anything.
    pub fn outcome(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
