// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The holder of a CKKS secret key.

use halimede_ckks::files::{expect_end, FileReader};
use halimede_ckks::{Ciphertext, Client as CkksClient, Operations, Sharing, Values};
use js_sys::{Float64Array, Object, Uint8Array};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::arguments::{
    all_parts, object, real_parts, secret_bytes, secret_complex_numbers, secret_numbers, wrong,
    Options,
};
use crate::parameters::{parameters_of, Parameters, ReadOptions};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** Numbers of a vector. */
export type Numbers = Float64Array | number[];

/** Options of an encryption. Both are public: they must not depend on the values. */
export interface EncryptOptions {
    /** The largest absolute value, or for real values an interval. The default is 1. */
    bound?: number | [number, number];
    /** The level; the default is that of fresh ciphertexts. */
    level?: number;
}

/** The operations of a server that need keys. */
export interface KeyOptions {
    /** Products of ciphertexts. */
    multiply?: boolean;
    /** Complex conjugates. */
    conjugate?: boolean;
    /** Rotations to the left, in slots; negative numbers rotate to the right. */
    rotations?: number[];
    /** Bootstraps. */
    bootstrap?: boolean;
    /** The highest level of the ciphertexts; the default is that of fresh ones. */
    level?: number;
}

/** The security statement of a decryption that others see. */
export interface Statement {
    /** Bits of security. */
    securityBits: number;
    /** The number of all decryptions under the secret key that others ever see. */
    queries: number;
    /** A bound of the error that the owner of the key knows; needed unless the ciphertext is fresh. */
    errorAtLeast?: number;
}

/** A decryption that others may see. */
export interface Shared {
    /** The values with noise. */
    values: Float64Array;
    /** The correct bits after the binary point that are left. */
    precisionBits: number;
    /** The bits by which the noise exceeds the bound of the error. */
    floodingBits: number;
}
";

#[wasm_bindgen]
extern "C" {
    /// `Numbers`.
    #[wasm_bindgen(typescript_type = "Numbers")]
    pub type Numbers;
    /// `EncryptOptions`.
    #[wasm_bindgen(typescript_type = "EncryptOptions")]
    pub type EncryptOptions;
    /// `KeyOptions`.
    #[wasm_bindgen(typescript_type = "KeyOptions")]
    pub type KeyOptions;
    /// `Statement`.
    #[wasm_bindgen(typescript_type = "Statement")]
    pub type Statement;
    /// `Shared`.
    #[wasm_bindgen(typescript_type = "Shared")]
    pub type Shared;
}

/// The holder of a secret key. `free()` wipes the key; so does `using` where the language has it.
#[wasm_bindgen]
pub struct Client {
    inner: CkksClient,
}

#[wasm_bindgen]
impl Client {
    /// Creates a client with a new secret key, from the platform's randomness.
    pub fn create(parameters: &Parameters) -> Result<Client, JsError> {
        Ok(Self { inner: CkksClient::new(&parameters.inner)? })
    }

    /// Creates a client with the secret key of a file. The array belongs to the caller: overwrite
    /// it with `fill(0)` when it is no longer needed.
    #[wasm_bindgen(js_name = fromSecretKey)]
    pub fn from_secret_key(
        bytes: &Uint8Array,
        options: Option<ReadOptions>,
    ) -> Result<Client, JsError> {
        Ok(Self { inner: client_of(bytes, options)? })
    }

    /// Returns the content of a file of the secret key, which decrypts everything. Keep it where
    /// nobody else reads, and overwrite the array with `fill(0)` afterwards.
    #[wasm_bindgen(js_name = secretKey)]
    pub fn secret_key(&self) -> Result<Uint8Array, JsError> {
        secret_key_of(&self.inner)
    }

    /// Returns the content of a file of a public key, with which anyone can encrypt.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&mut self) -> Result<Uint8Array, JsError> {
        let mut bytes = Vec::new();
        self.inner.public_key().save(&mut bytes)?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    /// Returns the content of a file of evaluation keys, with which a server computes.
    #[wasm_bindgen(js_name = evaluationKeys)]
    pub fn evaluation_keys(&mut self, options: KeyOptions) -> Result<Uint8Array, JsError> {
        let known = ["multiply", "conjugate", "rotations", "bootstrap", "level"];
        let options = Options::new(&options, &known)?;
        let level = options.level(self.inner.parameters())?;
        let rotations = match options.get("rotations") {
            None => Vec::new(),
            Some(list) => rotations(&list)?,
        };
        let bootstrap = options.is_set("bootstrap")?;
        if bootstrap && self.inner.parameters().bootstrap().is_none() {
            return Err(wrong("bootstrap", "parameters with levels for a bootstrap"));
        }
        let operations = Operations {
            multiply: options.is_set("multiply")?,
            conjugate: options.is_set("conjugate")?,
            rotations,
            bootstrap,
            ..Operations::default()
        };
        let mut bytes = Vec::new();
        self.inner.save_evaluation_keys(&operations, level, &mut bytes, |_, _| {})?;
        Ok(Uint8Array::from(&bytes[..]))
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
        let bound = options.bound(true, self.inner.parameters())?;
        self.encrypted(Values::from(&values[..]).bounded(bound), &options)
    }

    /// Encrypts complex numbers, each given as real part and imaginary part.
    #[wasm_bindgen(js_name = encryptComplex)]
    pub fn encrypt_complex(
        &mut self,
        values: &Numbers,
        options: Option<EncryptOptions>,
    ) -> Result<Uint8Array, JsError> {
        let options: JsValue = options.into();
        let options = Options::new(&options, &["bound", "level"])?;
        let values = secret_complex_numbers(values)?;
        let bound = options.bound(false, self.inner.parameters())?;
        self.encrypted(Values::from(&values).bounded(bound), &options)
    }

    /// Decrypts a ciphertext of real numbers, for the owner of the key only: the values and the
    /// ciphertext together reveal the key. `decryptForSharing` is for values that others see.
    pub fn decrypt(&self, ciphertext: &Uint8Array) -> Result<Float64Array, JsError> {
        let ciphertext = self.read(ciphertext)?;
        if !ciphertext.bound().is_real() {
            return Err(wrong("ciphertext", "declared real values; use decryptComplex"));
        }
        Ok(real_parts(&Zeroizing::new(self.inner.decrypt(&ciphertext)?)))
    }

    /// Decrypts a ciphertext of any numbers to a real and an imaginary part for each, for the owner
    /// of the key only.
    #[wasm_bindgen(js_name = decryptComplex)]
    pub fn decrypt_complex(&self, ciphertext: &Uint8Array) -> Result<Float64Array, JsError> {
        let ciphertext = self.read(ciphertext)?;
        Ok(all_parts(&Zeroizing::new(self.inner.decrypt(&ciphertext)?)))
    }

    /// Decrypts a ciphertext of real numbers with noise that hides its error from everybody who
    /// sees the values. The client counts its own decryptions, not those of other pages or
    /// programs.
    #[wasm_bindgen(js_name = decryptForSharing)]
    pub fn decrypt_for_sharing(
        &mut self,
        ciphertext: &Uint8Array,
        statement: Statement,
    ) -> Result<Shared, JsError> {
        let options = Options::new(&statement, &["securityBits", "queries", "errorAtLeast"])?;
        let needed = |name| options.count(name)?.ok_or_else(|| wrong(name, "a number"));
        let mut sharing = Sharing::new(needed("securityBits")?, needed("queries")?);
        if let Some(error) = options.get("errorAtLeast") {
            sharing = sharing.with_error(error.as_f64().unwrap_or(f64::NAN));
        }
        let ciphertext = self.read(ciphertext)?;
        if !ciphertext.bound().is_real() {
            return Err(wrong("ciphertext", "declared real values"));
        }
        let shared = self.inner.decrypt_for_sharing(&ciphertext, &sharing)?;
        let values = Zeroizing::new(shared.values);
        let shared: Object = object([
            ("values", real_parts(&values).into()),
            ("precisionBits", shared.precision_bits.into()),
            ("floodingBits", shared.flooding_bits.into()),
        ]);
        Ok(shared.unchecked_into())
    }

    /// The public identifier of the secret key, in hexadecimal.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> String {
        self.inner.secret().id().to_string()
    }

    /// The parameters.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> Parameters {
        Parameters { inner: self.inner.parameters().clone() }
    }
}

impl Client {
    fn encrypted(
        &mut self,
        values: Values<'_>,
        options: &Options<'_>,
    ) -> Result<Uint8Array, JsError> {
        let level = options.level(self.inner.parameters())?;
        let ciphertext = self.inner.encrypt_at(values, level)?;
        let mut bytes = Vec::new();
        ciphertext.save(&mut bytes, self.inner.parameters())?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    fn read(&self, bytes: &Uint8Array) -> Result<Ciphertext, JsError> {
        let bytes = bytes.to_vec();
        let mut input = &bytes[..];
        let ciphertext = Ciphertext::load(&mut input, self.inner.parameters())?;
        expect_end(input)?;
        Ok(ciphertext)
    }
}

/// Returns the client of a file of a secret key.
pub fn client_of(bytes: &Uint8Array, options: Option<ReadOptions>) -> Result<CkksClient, JsError> {
    let bytes = secret_bytes(bytes);
    let mut input = &bytes[..];
    let reader = FileReader::new(&mut input)?;
    let parameters = parameters_of(reader.header(), options)?;
    let secret = reader.secret_key(&parameters)?;
    expect_end(input)?;
    Ok(CkksClient::with_secret(secret)?)
}

/// Returns the content of a file of a client's secret key.
pub fn secret_key_of(client: &CkksClient) -> Result<Uint8Array, JsError> {
    let parameters = client.parameters();
    // A list that grows by itself would leave copies behind. Two bits a coefficient, and a header
    // whose parameters have at most 720 bytes.
    let mut bytes = Zeroizing::new(Vec::with_capacity(parameters.degree() / 4 + 1024));
    client.secret().save(&mut *bytes)?;
    Ok(Uint8Array::from(&bytes[..]))
}

/// Returns the rotations of an option.
fn rotations(list: &JsValue) -> Result<Vec<i64>, JsError> {
    let numbers = secret_numbers(list).map_err(|_| wrong("rotations", "an array of numbers"))?;
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX);
    match numbers.iter().all(is_whole) {
        true => Ok(numbers.iter().map(|number| *number as i64).collect()),
        false => Err(wrong("rotations", "whole numbers")),
    }
}
