// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a client must know of a network: inputs are encrypted and results decrypted by it.

use std::path::PathBuf;

use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::Output;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ckks::{long, to_bytes, to_file, CkksClient, CkksParameters, CkksServer, Input};
use crate::errors::value_error;
use crate::sealed::NnSealed;
use crate::sources::Source;

/// The interface of a network, and its parameters.
#[pyclass(module = "halimede._native", frozen)]
pub struct NnInterface {
    interface: Interface,
    parameters: CkksParameters,
}

#[pymethods]
impl NnInterface {
    /// From a file (a path) or its content (bytes); of insecure parameters only where they are asked for.
    #[staticmethod]
    fn load(py: Python<'_>, source: &Bound<'_, PyAny>, insecure: bool) -> PyResult<Self> {
        let load = |input: Input<'_>| match insecure {
            true => Interface::load_insecure(input),
            false => Interface::load(input),
        };
        let interface = Source::new(source)?.load(py, load)?;
        let parameters = CkksParameters::from(interface.parameters().clone());
        Ok(Self { interface, parameters })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.interface.save(output))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.interface.save(output))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    #[getter]
    fn input_shape(&self) -> Vec<usize> {
        self.interface.input_shape().axes().to_vec()
    }

    #[getter]
    fn output_shape(&self) -> Vec<usize> {
        self.interface.output_shape().axes().to_vec()
    }

    #[getter]
    fn input_range(&self) -> (f64, f64) {
        let range = self.interface.input_range();
        (range.low, range.high)
    }

    #[getter]
    fn has_guard(&self) -> bool {
        self.interface.has_guard()
    }

    /// The ciphertexts of an input and of a result.
    #[getter]
    fn ciphertexts(&self) -> (usize, usize) {
        (self.interface.input_ciphertexts(), self.interface.output_ciphertexts())
    }

    /// The number of keys, and their bytes in memory.
    #[getter]
    fn keys(&self) -> (usize, usize) {
        (self.interface.keys().len(), self.interface.key_bytes())
    }

    /// The keys that a server needs, each up to the level that it is used at.
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
    ) -> PyResult<CkksServer> {
        let client = client.get();
        self.check_client(client)?;
        client.keys(py, self.interface.keys())
    }

    fn encrypt(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
        input: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<NnSealed> {
        let client = client.get();
        self.check_client(client)?;
        let input = input.as_array().to_vec();
        let sealed = long(py, |_| self.interface.encrypt(&mut client.lock(), &input))?;
        Ok(NnSealed::new(sealed.map_err(value_error)?, &self.parameters))
    }

    /// The values, the standard deviation of their errors, and the guard.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, CkksClient>,
        result: &Bound<'py, NnSealed>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, f64, Option<f64>)> {
        let client = client.get();
        self.check_client(client)?;
        let sealed = result.get().sealed(&self.parameters)?;
        let output = long(py, |_| self.interface.decrypt(&client.lock(), sealed))?;
        let Output { values, error, guard } = output.map_err(value_error)?;
        Ok((PyArray1::from_vec(py, values), error, guard))
    }
}

impl NnInterface {
    /// An interface for these parameters.
    pub fn new(interface: Interface, parameters: &CkksParameters) -> Self {
        Self { interface, parameters: parameters.clone() }
    }

    fn check_client(&self, client: &CkksClient) -> PyResult<()> {
        client.check_for(&self.parameters, "the model was compiled for")
    }
}
