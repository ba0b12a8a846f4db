// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Public keys, with which anybody encrypts.

use std::path::PathBuf;

use halimede_ckks::encoding::Encoder;
use halimede_ckks::files::FileReader;
use halimede_ckks::keys::PublicKey;
use halimede_ckks::sampling::Random;
use halimede_ckks::Parameters;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::brief;
use super::ciphertext::CkksCiphertext;
use super::declared::data;
use super::errors::encryption_error;
use super::files::{open_file, to_bytes, to_file, Input};
use super::load_key::load_key;
use super::parameters::CkksParameters;
use crate::errors::value_error;

/// A public key, with which anybody can encrypt.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksPublicKey {
    key: PublicKey,
    encoder: Encoder,
    parameters: CkksParameters,
}

impl From<PublicKey> for CkksPublicKey {
    fn from(key: PublicKey) -> Self {
        let parameters = CkksParameters::from(key.parameters().clone());
        Self { encoder: Encoder::new(key.parameters()), parameters, key }
    }
}

impl CkksPublicKey {
    /// The key itself.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }
}

#[pymethods]
impl CkksPublicKey {
    #[staticmethod]
    fn load(
        source: &Bound<'_, PyAny>,
        parameters: Option<&Bound<'_, CkksParameters>>,
        insecure: bool,
    ) -> PyResult<Self> {
        let read = |reader: FileReader<Input<'_>>, of: &Parameters| reader.public_key(of);
        let key = load_key(source, parameters, insecure, open_file, read)?;
        Ok(key.into())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.key.save(output))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.key.save(output))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    /// The identifier of the secret key that this key belongs to.
    #[getter]
    fn key_id(&self) -> String {
        self.key.owner().to_string()
    }

    /// Encrypts a vector, by default at the level of fresh ciphertexts. Each call draws fresh
    /// randomness from the operating system, so a forked child repeats none of it.
    fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
        level: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        let level = self.parameters.level(level)?;
        let values = data("values", values, bound)?;
        let mut random = Random::new().map_err(value_error)?;
        let encrypt = || self.key.encrypt_at(&self.encoder, values, level, &mut random);
        let sealed = brief(py, encrypt).map_err(encryption_error)?;
        Ok(CkksCiphertext::new(sealed, &self.parameters))
    }
}
