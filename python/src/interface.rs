// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a network: the data with which clients encrypt inputs and decrypt results.

use std::path::PathBuf;

use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{NetworkError, NetworkSharing, Output, PostProcessing};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ckks::{long, to_bytes, to_file, CkksClient, CkksParameters, CkksServer, Input};
use crate::errors::value_error;
use crate::nn::{NnLabel, NnModel};
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
    /// Loads a file (path) or its content (bytes); insecure parameters only with `insecure`.
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

    /// The number of inputs that are encrypted together.
    #[getter]
    fn batch(&self) -> usize {
        self.interface.batch()
    }

    #[getter]
    fn has_guard(&self) -> bool {
        self.interface.has_guard()
    }

    /// The numbers of ciphertexts of an input and of a result.
    #[getter]
    fn ciphertexts(&self) -> (usize, usize) {
        (self.interface.input_ciphertexts(), self.interface.output_ciphertexts())
    }

    /// The number of keys, and their bytes in memory.
    #[getter]
    fn keys(&self) -> (usize, usize) {
        (self.interface.keys().len(), self.interface.key_bytes())
    }

    /// Makes the keys that a server needs, each up to the level at which it is used.
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
    ) -> PyResult<CkksServer> {
        let client = client.get();
        self.check_client(client)?;
        client.keys(py, self.interface.keys())
    }

    /// Encrypts inputs: `float64[count][values]`, at most a batch.
    fn encrypt(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
        inputs: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<NnSealed> {
        let client = client.get();
        self.check_client(client)?;
        let inputs: Vec<Vec<f64>> =
            inputs.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let sealed = long(py, |_| self.interface.encrypt_all(&mut client.lock(), &inputs))?;
        Ok(NnSealed::new(sealed.map_err(value_error)?, &self.parameters))
    }

    /// The names of the values; empty without names.
    #[getter]
    fn classes(&self) -> Vec<NnLabel> {
        let classes = self.interface.post_processing().map_or(&[][..], PostProcessing::classes);
        classes.iter().cloned().map(NnLabel::from).collect()
    }

    /// Returns, for each input of a batch, the values, the standard deviation of their errors, the
    /// guard, the decrypted scores and the labels; or an exception for an input without values.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, CkksClient>,
        result: &Bound<'py, NnSealed>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let client = client.get();
        self.check_client(client)?;
        let sealed = result.get().sealed(&self.parameters)?;
        let outputs = long(py, |_| self.interface.decrypt_all(&client.lock(), sealed))?;
        outputs.map_err(value_error)?.into_iter().map(|output| parts_of(py, output)).collect()
    }

    /// Returns the same for others, with noise. The bound of the error is the larger of the
    /// network's, if it has one, and `error_at_least`.
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn decrypt_for_sharing<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, CkksClient>,
        result: &Bound<'py, NnSealed>,
        security_bits: u32,
        queries: u32,
        error_at_least: Option<f64>,
        model: Option<&Bound<'py, NnModel>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let client = client.get();
        self.check_client(client)?;
        let sealed = result.get().sealed(&self.parameters)?;
        let model = model.map(|model| model.get().model(&self.parameters)).transpose()?;
        let shared = long(py, |_| {
            let stated = NetworkSharing::new(security_bits, queries);
            let known = match model.map(|model| model.sharing(security_bits, queries)) {
                // The network has no bound: use the one that the key's owner states.
                Some(Err(NetworkError::Unbounded { .. })) if error_at_least.is_some() => stated,
                Some(known) => known?,
                None => stated,
            };
            let sharing = match error_at_least {
                Some(own) => known.with_error(own),
                None => known,
            };
            self.interface.decrypt_all_for_sharing(&mut client.lock(), sealed, &sharing)
        })?;
        let outputs = shared.map_err(value_error)?.outputs;
        outputs.into_iter().map(|output| parts_of(py, output)).collect()
    }
}

/// Converts an output to its parts in Python.
fn parts_of(py: Python<'_>, output: Result<Output, NetworkError>) -> PyResult<Bound<'_, PyAny>> {
    match output {
        Ok(Output { values, labels, scores, error, guard }) => {
            let [values, scores] = [values, scores].map(|of| PyArray1::from_vec(py, of));
            let labels: Vec<NnLabel> = labels.into_iter().map(NnLabel::from).collect();
            Ok((values, error, guard, scores, labels).into_pyobject(py)?.into_any())
        }
        Err(error) => Ok(value_error(error).into_value(py).into_bound(py).into_any()),
    }
}

impl NnInterface {
    /// Creates an interface for these parameters.
    pub fn new(interface: Interface, parameters: &CkksParameters) -> Self {
        Self { interface, parameters: parameters.clone() }
    }

    fn check_client(&self, client: &CkksClient) -> PyResult<()> {
        client.check_for(&self.parameters, "the model was compiled for")
    }
}
