// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted vectors.

use std::path::PathBuf;

use halimede_ckks::{Bound as Range, Ciphertext};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::declared::{bound_of, Declared};
use super::files::{to_bytes, to_file, Input, Source};
use super::parameters::CkksParameters;
use crate::errors::type_error;

/// An encrypted vector and its parameters.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksCiphertext {
    sealed: Ciphertext,
    parameters: CkksParameters,
}

#[pymethods]
impl CkksCiphertext {
    /// Loads a ciphertext from a file (path) or its content (bytes).
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
    fn length(&self) -> usize {
        self.sealed.length()
    }

    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.sealed.owner().to_string()
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
    fn error_anywhere(&self) -> f64 {
        self.sealed.error_anywhere()
    }

    #[getter]
    fn has_claimed_error(&self) -> bool {
        self.sealed.has_claimed_error()
    }

    #[getter]
    fn magnitude(&self) -> f64 {
        self.sealed.bound().magnitude()
    }

    /// The ends of an interval of real values, or the largest absolute value of complex values.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bound_of(py, self.sealed.bound())
    }

    #[getter]
    fn is_real(&self) -> bool {
        self.sealed.bound().is_real()
    }

    /// Returns the same ciphertext with a promised bound: a magnitude, or the ends of an interval.
    fn bounded(&self, bound: &Bound<'_, PyAny>) -> PyResult<Self> {
        let range = known(bound)?;
        Ok(Self::new(self.sealed.bounded(range), &self.parameters))
    }

    /// Returns the same ciphertext, marked as real.
    fn known_real(&self) -> Self {
        Self::new(self.sealed.bounded(Range::real(f64::MAX)), &self.parameters)
    }
}

impl CkksCiphertext {
    /// Creates a ciphertext with these parameters.
    pub fn new(sealed: Ciphertext, parameters: &CkksParameters) -> Self {
        Self { sealed, parameters: parameters.clone() }
    }

    /// The ciphertext, and its parameters.
    pub fn parts(&self) -> (&Ciphertext, &CkksParameters) {
        (&self.sealed, &self.parameters)
    }

    /// Returns the ciphertext if it has these parameters.
    ///
    /// # Errors
    /// As [`CkksParameters::check`].
    pub fn of(&self, parameters: &CkksParameters) -> PyResult<&Ciphertext> {
        parameters.check("the ciphertext", &self.parameters)?;
        Ok(&self.sealed)
    }
}

/// Converts a promised bound. A number does not state whether the values are real.
///
/// # Errors
/// As [`Declared::new`].
pub fn known(bound: &Bound<'_, PyAny>) -> PyResult<Range> {
    match Declared::new(Some(bound))? {
        Some(declared) => declared.range(matches!(declared, Declared::Between(..))),
        None => Err(type_error("bound: got None, wanted a number, or a pair of them (low, high)")),
    }
}
