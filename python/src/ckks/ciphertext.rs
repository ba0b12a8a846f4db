// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted vectors.

use std::path::PathBuf;

use halimede_ckks::Ciphertext;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::files::{to_bytes, to_file, Input, Source};
use super::parameters::CkksParameters;

/// An encrypted vector and its parameters.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksCiphertext {
    sealed: Ciphertext,
    parameters: CkksParameters,
}

#[pymethods]
impl CkksCiphertext {
    /// A ciphertext from a file (a path) or its content (bytes).
    #[staticmethod]
    fn load(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        parameters: &Bound<'_, CkksParameters>,
    ) -> PyResult<Self> {
        let of = parameters.get();
        let load = |input: Input<'_>| Ciphertext::load(input, of.parameters());
        let sealed = Source::new(source)?.load(py, load)?;
        Ok(Self::new(sealed, of))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.sealed.save(output, self.parameters.parameters()))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.sealed.save(output, self.parameters.parameters()))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    #[getter]
    fn level(&self) -> usize {
        self.sealed.level()
    }

    #[getter]
    fn scale(&self) -> f64 {
        self.sealed.scale().value()
    }

    #[getter]
    fn slots(&self) -> usize {
        self.sealed.slots()
    }

    #[getter]
    fn precision(&self) -> f64 {
        self.sealed.precision_bits()
    }

    #[getter]
    fn error(&self) -> f64 {
        self.sealed.estimate().error
    }

    #[getter]
    fn magnitude(&self) -> f64 {
        self.sealed.estimate().magnitude
    }
}

impl CkksCiphertext {
    /// One of these parameters.
    pub fn new(sealed: Ciphertext, parameters: &CkksParameters) -> Self {
        Self { sealed, parameters: parameters.clone() }
    }

    /// The ciphertext, where it is of these parameters.
    ///
    /// # Errors
    /// As [`CkksParameters::check`].
    pub fn of(&self, parameters: &CkksParameters) -> PyResult<&Ciphertext> {
        parameters.check("the ciphertext", &self.parameters)?;
        Ok(&self.sealed)
    }
}
