// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression on encrypted samples.

use std::sync::Arc;

use halimede_ckks::Ciphertext;
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};
use halimede_ckks_nn::{NetworkError, NetworkSharing};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::ckks::{
    long, network_error, CkksCiphertext, CkksClient, CkksParameters, CkksPrograms, CkksServer,
};
use crate::errors::value_error;
use crate::listener::Listener;

/// The settings on which the client and the server of a training agree.
#[pyclass(module = "halimede._native", frozen)]
pub struct NnLogistic {
    training: Logistic,
    parameters: CkksParameters,
    samples: usize,
    batches: usize,
}

#[pymethods]
impl NnLogistic {
    /// Sets up a training on `samples` samples, which are divided into `batches` batches.
    #[new]
    #[pyo3(signature = (parameters, samples, features, batches, iterations, rate, interval, weights))]
    #[expect(clippy::too_many_arguments, reason = "the options of one call of Python")]
    fn new(
        parameters: &Bound<'_, CkksParameters>,
        samples: usize,
        features: usize,
        batches: usize,
        iterations: usize,
        rate: f64,
        interval: f64,
        weights: f64,
    ) -> PyResult<Self> {
        if !(1..=samples.max(1)).contains(&batches) {
            return Err(value_error(format!(
                "batches: got {batches}, wanted 1 to {samples} samples"
            )));
        }
        let parameters = parameters.get().clone();
        let options = LogisticOptions { iterations, rate, interval, weights };
        let each = samples.div_ceil(batches);
        let training = Logistic::new(parameters.parameters(), each, features, options);
        Ok(Self { training: training.map_err(value_error)?, parameters, samples, batches })
    }

    #[getter]
    fn parameters(&self) -> CkksParameters {
        self.parameters.clone()
    }

    /// The number of ciphertexts of all samples.
    #[getter]
    fn ciphertexts(&self) -> usize {
        self.batches * (self.training.ciphertexts() + 1)
    }

    /// Makes the keys that a server needs.
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
    ) -> PyResult<CkksServer> {
        let client = client.get();
        self.check_client(client)?;
        client.keys(py, &self.training.keys())
    }

    /// Encrypts samples, `float64[count][features]`, and their classes, batch by batch.
    fn encrypt(
        &self,
        py: Python<'_>,
        client: &Bound<'_, CkksClient>,
        samples: PyReadonlyArray2<'_, f64>,
        classes: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Vec<CkksCiphertext>> {
        let client = client.get();
        self.check_client(client)?;
        let batches = self.tables(&samples, &classes)?;
        let sealed = long(py, |_| {
            let mut sealed = Vec::new();
            for batch in &batches {
                let batch = self.training.encrypt(&mut client.lock(), batch)?;
                sealed.extend(batch.into_ciphertexts());
            }
            Ok::<_, NetworkError>(sealed)
        })?;
        let sealed: Vec<Ciphertext> = sealed.map_err(value_error)?;
        Ok(sealed.into_iter().map(|of| CkksCiphertext::new(of, &self.parameters)).collect())
    }

    /// Returns the encrypted weights. Calls `progress` with the numbers of finished and of all
    /// iterations after each iteration; an exception in it ends the training, as Ctrl-C does. With
    /// `programs`, their device computes.
    #[pyo3(signature = (server, samples, progress, programs))]
    fn train(
        &self,
        py: Python<'_>,
        server: &Bound<'_, CkksServer>,
        samples: Vec<Bound<'_, CkksCiphertext>>,
        progress: Option<Py<PyAny>>,
        programs: Option<&Bound<'_, CkksPrograms>>,
    ) -> PyResult<CkksCiphertext> {
        if samples.len() != self.ciphertexts() {
            let (got, wanted) = (samples.len(), self.ciphertexts());
            return Err(value_error(format!("samples: got {got} ciphertexts, wanted {wanted}")));
        }
        let mut batches = Vec::new();
        for batch in samples.chunks(self.training.ciphertexts() + 1) {
            let batch = batch.iter().map(|of| of.get().of(&self.parameters).cloned());
            let batch = batch.collect::<PyResult<Vec<Ciphertext>>>()?;
            batches.push(self.training.table_of(batch).map_err(value_error)?);
        }
        let server = Arc::clone(server.get().shared());
        let programs = programs.map(|programs| programs.get().shared()).transpose()?;
        let all = self.training.options().iterations;
        let mut listener = Listener::new(progress);
        let result = long(py, |stop| {
            let told = |done| listener.tell(stop, (done, all));
            match &programs {
                None => self.training.train_in_turn(&server, &batches, told),
                Some(programs) => self.training.train_on(programs, &batches, told),
            }
        })?;
        listener.outcome()?;
        Ok(CkksCiphertext::new(result.map_err(network_error)?, &self.parameters))
    }

    /// Returns the weights of the features, followed by the constant term.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, CkksClient>,
        weights: &Bound<'py, CkksCiphertext>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let client = client.get();
        self.check_client(client)?;
        let sealed = weights.get().of(&self.parameters)?;
        let found = long(py, |_| self.training.decrypt(&client.lock(), sealed))?;
        Ok(PyArray1::from_vec(py, found.map_err(value_error)?))
    }

    /// Returns the same for others, with noise. With samples, measures the error first.
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn decrypt_for_sharing<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, CkksClient>,
        weights: &Bound<'py, CkksCiphertext>,
        security_bits: u32,
        queries: u32,
        error_at_least: f64,
        table: Option<(PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, bool>)>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let client = client.get();
        self.check_client(client)?;
        let sealed = weights.get().of(&self.parameters)?;
        let batches =
            table.map(|(samples, classes)| self.tables(&samples, &classes)).transpose()?;
        let sharing = NetworkSharing::new(security_bits, queries).with_error(error_at_least);
        let shared = long(py, |_| {
            if let Some(batches) = &batches {
                self.training.check_error(&client.lock(), sealed, batches, error_at_least)?;
            }
            self.training.decrypt_for_sharing(&mut client.lock(), sealed, &sharing)
        })?;
        Ok(PyArray1::from_vec(py, shared.map_err(value_error)?.weights))
    }

    /// Returns the weights that the same iterations find in plaintext.
    fn in_plaintext<'py>(
        &self,
        py: Python<'py>,
        samples: PyReadonlyArray2<'_, f64>,
        classes: PyReadonlyArray1<'_, bool>,
        is_exact: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let batches = self.tables(&samples, &classes)?;
        let found = long(py, |_| self.training.in_turn_in_plaintext(&batches, is_exact))?;
        Ok(PyArray1::from_vec(py, found.map_err(value_error)?))
    }
}

impl NnLogistic {
    /// The samples of each batch.
    fn tables(
        &self,
        samples: &PyReadonlyArray2<'_, f64>,
        classes: &PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Vec<Table>> {
        let rows = samples.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let table = Table::new(rows, classes.as_array().to_vec()).map_err(value_error)?;
        match table.samples() == self.samples {
            true => Ok(table.batches(self.batches)),
            false => Err(value_error(format!(
                "samples: got {}, and the training was set up for {}",
                table.samples(),
                self.samples
            ))),
        }
    }

    fn check_client(&self, client: &CkksClient) -> PyResult<()> {
        client.check_for(&self.parameters, "the training was set up for")
    }
}
