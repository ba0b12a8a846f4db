// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted inputs and results of networks.

use std::path::PathBuf;

use halimede_ckks_nn::Ciphertexts;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ckks::{to_bytes, to_file, CkksCiphertext, CkksParameters, Input};
use crate::sources::Source;

/// The ciphertexts of an input or a result, and their parameters.
#[pyclass(module = "halimede._native", frozen)]
pub struct NnSealed {
    sealed: Ciphertexts,
    parameters: CkksParameters,
}

#[pymethods]
impl NnSealed {
    /// Loads a file (path) or its content (bytes).
    #[staticmethod]
    fn load(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        parameters: &Bound<'_, CkksParameters>,
    ) -> PyResult<Self> {
        let of = parameters.get();
        let load = |input: Input<'_>| Ciphertexts::load(input, of.parameters());
        Ok(Self::new(Source::new(source)?.load(py, load)?, of))
    }

    /// Returns an input or a result of one ciphertext.
    #[staticmethod]
    fn of(ciphertext: &Bound<'_, CkksCiphertext>) -> Self {
        let (sealed, parameters) = ciphertext.get().parts();
        Self::new(Ciphertexts::from(sealed.clone()), parameters)
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
    fn ciphertexts(&self) -> Vec<CkksCiphertext> {
        let parts = self.sealed.parts().iter();
        parts.map(|part| CkksCiphertext::new(part.clone(), &self.parameters)).collect()
    }
}

impl NnSealed {
    /// Ciphertexts of these parameters.
    pub fn new(sealed: Ciphertexts, parameters: &CkksParameters) -> Self {
        Self { sealed, parameters: parameters.clone() }
    }

    /// Returns the ciphertexts if they have these parameters.
    ///
    /// # Errors
    /// As [`CkksParameters::check`].
    pub fn sealed(&self, parameters: &CkksParameters) -> PyResult<&Ciphertexts> {
        parameters.check("the ciphertext", &self.parameters)?;
        Ok(&self.sealed)
    }
}
