// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encryption with a CKKS public key.

use halimede_ckks::encoding::Encoder;
use halimede_ckks::files::{expect_end, FileReader};
use halimede_ckks::keys::PublicKey as CkksPublicKey;
use halimede_ckks::sampling::Random;
use halimede_ckks::Values;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::arguments::{secret_numbers, Options};
use crate::client::{EncryptOptions, Numbers};
use crate::parameters::{parameters_of, Parameters, ReadOptions};

/// A public key, with which anyone can encrypt.
#[wasm_bindgen]
pub struct PublicKey {
    inner: CkksPublicKey,
    encoder: Encoder,
    random: Random,
}

#[wasm_bindgen]
impl PublicKey {
    /// Reads the key of a file.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: &Uint8Array,
        options: Option<ReadOptions>,
    ) -> Result<PublicKey, JsError> {
        let bytes = bytes.to_vec();
        let mut input = &bytes[..];
        let reader = FileReader::new(&mut input)?;
        let parameters = parameters_of(reader.header(), options)?;
        let inner = reader.public_key(&parameters)?;
        expect_end(input)?;
        Ok(Self { inner, encoder: Encoder::new(&parameters), random: Random::new()? })
    }

    /// Encrypts real numbers. Returns the content of a file of the ciphertext.
    pub fn encrypt(
        &mut self,
        values: &Numbers,
        options: Option<EncryptOptions>,
    ) -> Result<Uint8Array, JsError> {
        let options: JsValue = options.into();
        let options = Options::new(&options, &["bound", "level"])?;
        let values = secret_numbers(values)?;
        let parameters = self.inner.parameters();
        let (bound, level) = (options.bound(true, parameters)?, options.level(parameters)?);
        let values = Values::from(&values[..]).bounded(bound);
        let ciphertext = self.inner.encrypt_at(&self.encoder, values, level, &mut self.random)?;
        let mut bytes = Vec::new();
        ciphertext.save(&mut bytes, parameters)?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    /// The public identifier of the secret key, in hexadecimal.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> String {
        self.inner.owner().to_string()
    }

    /// The parameters.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> Parameters {
        Parameters { inner: self.inner.parameters().clone() }
    }
}
