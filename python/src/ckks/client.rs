// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: the holder of the secret key.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_ckks::files::{open_secret_file, FileReader};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{Client, Complex, EvaluationKeys, Operations, Parameters, Sharing};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arrays::{array, real_array};
use super::ciphertext::CkksCiphertext;
use super::declared::data;
use super::errors::{encryption_error, evaluation_error};
use super::files::{of_file, to_bytes, Input};
use super::load_key::load_key;
use super::parameters::CkksParameters;
use super::plan::CkksExpected;
use super::public::CkksPublicKey;
use super::server::CkksServer;
use super::{brief, long};
use crate::errors::value_error;
use crate::work::Stop;

/// The holder of a secret key.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksClient {
    client: Mutex<Client>,
    parameters: CkksParameters,
    /// The process that made the client. A forked child would draw the same randomness, and two
    /// ciphertexts would have the same mask.
    owner: u32,
}

impl From<Client> for CkksClient {
    fn from(client: Client) -> Self {
        let parameters = client.parameters().clone().into();
        Self { client: Mutex::new(client), parameters, owner: process::id() }
    }
}

#[pymethods]
impl CkksClient {
    #[new]
    fn new(py: Python<'_>, parameters: &Bound<'_, CkksParameters>) -> PyResult<Self> {
        let parameters = parameters.get().parameters();
        brief(py, || Client::new(parameters)).map(Self::from).map_err(value_error)
    }

    /// Loads the client of an existing secret key; only its owner may be able to read the file.
    #[staticmethod]
    fn load(
        source: &Bound<'_, PyAny>,
        parameters: Option<&Bound<'_, CkksParameters>>,
        insecure: bool,
    ) -> PyResult<Self> {
        let read = |reader: FileReader<Input<'_>>, of: &Parameters| reader.secret_key(of);
        let secret = load_key(source, parameters, insecure, open_secret_file, read)?;
        Client::with_secret(secret).map(Self::from).map_err(value_error)
    }

    /// Returns the content of a file of the secret key.
    fn secret_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        to_bytes(py, |output| self.lock().secret().save(output))
    }

    /// Writes the secret key to a new file with mode 0600.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.check_process()?;
        let written = brief(py, || self.lock().secret().create_file(&path));
        written.map_err(|error| of_file(py, &path, error))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
        level: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        self.check_process()?;
        let level = self.parameters.level(level)?;
        let values = data("values", values, bound)?;
        let sealed =
            brief(py, || self.lock().encrypt_at(values, level)).map_err(encryption_error)?;
        Ok(CkksCiphertext::new(sealed, &self.parameters))
    }

    /// The identifier of the secret key.
    #[getter]
    fn key_id(&self) -> String {
        self.lock().secret().id().to_string()
    }

    /// Decrypts to `float64[length]` for real vectors, `complex128[length]` for others.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, CkksCiphertext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_process()?;
        let sealed = ciphertext.get().of(&self.parameters)?;
        let values = brief(py, || self.lock().decrypt(sealed)).map_err(evaluation_error)?;
        Ok(values_of(py, sealed, &values))
    }

    /// Decrypts with noise that hides the error; also returns the bits of precision that are left.
    fn decrypt_for_sharing<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, CkksCiphertext>,
        security_bits: u32,
        queries: u32,
        error_at_least: Option<f64>,
        expected: Option<&Bound<'_, CkksExpected>>,
    ) -> PyResult<(Bound<'py, PyAny>, f64)> {
        self.check_process()?;
        let sealed = ciphertext.get().of(&self.parameters)?;
        let expected = expected.map(|expected| expected.get().expected);
        let sharing = Sharing { security_bits, queries, error_at_least, expected };
        let shared = brief(py, || self.lock().decrypt_for_sharing(sealed, &sharing));
        let shared = shared.map_err(value_error)?;
        Ok((values_of(py, sealed, &shared.values), shared.precision_bits))
    }

    /// Returns the bits of precision that would be left.
    fn precision_for_sharing(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, CkksCiphertext>,
        security_bits: u32,
        queries: u32,
        error_at_least: Option<f64>,
        expected: Option<&Bound<'_, CkksExpected>>,
    ) -> PyResult<f64> {
        self.check_process()?;
        let sealed = ciphertext.get().of(&self.parameters)?;
        let expected = expected.map(|expected| expected.get().expected);
        let sharing = Sharing { security_bits, queries, error_at_least, expected };
        let bits = brief(py, || self.lock().precision_for_sharing(sealed, &sharing));
        bits.map_err(value_error)
    }

    fn public_key(&self, py: Python<'_>) -> PyResult<CkksPublicKey> {
        self.check_process()?;
        Ok(brief(py, || self.lock().public_key()).into())
    }

    /// Makes keys for ciphertexts up to a level, and for bootstraps of vectors with these numbers
    /// of slots. Ctrl-C ends the work between two keys.
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        multiply: bool,
        conjugate: bool,
        rotations: Vec<i64>,
        bootstrap_slots: Vec<usize>,
        few_keys: bool,
        level: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksServer> {
        self.check_process()?;
        let level = self.parameters.level(level)?;
        let parameters = self.parameters.parameters();
        if !bootstrap_slots.is_empty() && parameters.bootstrap().is_none() {
            return Err(evaluation_error(halimede_ckks::bootstrap::BootstrapError::Parameters));
        }
        let operations = Operations {
            multiply,
            conjugate,
            rotations,
            bootstrap_slots,
            few_keys,
            ..Operations::default()
        };
        self.keys(py, &operations.keys_to_level(parameters, level))
    }
}

impl CkksClient {
    /// Makes keys, each up to a level. Ctrl-C ends the work between two keys.
    pub fn keys(&self, py: Python<'_>, wanted: &BTreeMap<KeyUse, usize>) -> PyResult<CkksServer> {
        let make = |stop: &Stop| {
            let mut keys = EvaluationKeys::new(self.parameters());
            for (of, level) in wanted {
                if stop.is_requested() {
                    break;
                }
                let key = self.lock().evaluation_key(*of, *level);
                keys.insert(*of, key);
            }
            keys
        };
        Ok(CkksServer::new(long(py, make)?))
    }

    /// The parameters of the client.
    pub fn parameters(&self) -> &Parameters {
        self.parameters.parameters()
    }

    /// Locks the client. Never call this while holding the interpreter's lock: another thread may
    /// hold the client for long.
    pub fn lock(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that this process is not a forked child, and that the client has the given
    /// parameters. `what` names their origin in the error, as in "the model was compiled for".
    pub fn check_for(&self, parameters: &CkksParameters, what: &str) -> PyResult<()> {
        self.check_process()?;
        let (ours, others) = (self.parameters.parameters(), parameters.parameters());
        match others.is_compatible(ours) {
            true => Ok(()),
            false => Err(value_error(format!(
                "client: its parameters are {}, and {what} {}",
                ours.name(),
                others.name()
            ))),
        }
    }

    /// Checks that this process is not a forked child.
    fn check_process(&self) -> PyResult<()> {
        if self.owner == process::id() {
            return Ok(());
        }
        Err(value_error(
            "this client was made by the process that this one was forked from, and would draw the \
            same random numbers: save its key there and load it here, or encrypt by its public key",
        ))
    }
}

/// Converts decrypted values: to real numbers if they are declared real.
pub fn values_of<'py>(
    py: Python<'py>,
    sealed: &halimede_ckks::Ciphertext,
    values: &[Complex],
) -> Bound<'py, PyAny> {
    match sealed.bound().is_real() {
        true => real_array(py, values).into_any(),
        false => array(py, values).into_any(),
    }
}
