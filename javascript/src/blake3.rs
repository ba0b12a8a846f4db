// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3.

use halimede_blake3::blake3::Hasher;
use halimede_blake3::{Mode, KEY_BYTES};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::arguments::{secret_bytes, ArgumentError};

/// The bytes that are copied into the module at a time.
const PIECE_BYTES: u32 = 1 << 16;
/// The largest output in bytes.
const MOST_OUTPUT_BYTES: u32 = 1 << 24;
/// The length of a digest unless another is requested.
const DIGEST_BYTES: u32 = 32;

/// A BLAKE3 hash of data that arrives in pieces.
#[wasm_bindgen]
pub struct Blake3 {
    inner: Hasher,
}

#[wasm_bindgen]
impl Blake3 {
    /// Starts a hash.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "the constructor of JavaScript's class")]
    pub fn new() -> Self {
        Self { inner: Mode::Hash.hasher() }
    }

    /// Starts a keyed hash, a message authentication code. The key has 32 bytes.
    pub fn keyed(key: &Uint8Array) -> Result<Blake3, JsError> {
        let key = secret_bytes(key);
        let (name, expected, got) = ("key", KEY_BYTES, key.len());
        let key: &[u8; KEY_BYTES] =
            key[..].try_into().map_err(|_| ArgumentError::Length { name, expected, got })?;
        let key = Zeroizing::new(*key);
        Ok(Self { inner: Hasher::new_keyed(&key) })
    }

    /// Starts the derivation of a key for a context, which should be a constant of the application.
    #[wasm_bindgen(js_name = deriveKey)]
    pub fn derive_key(context: &str) -> Self {
        Self { inner: Mode::derive_key(context).hasher() }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &Uint8Array) {
        let mut piece = Zeroizing::new(vec![0; PIECE_BYTES.min(bytes.length()) as usize]);
        for at in (0..bytes.length()).step_by(PIECE_BYTES as usize) {
            let part = bytes.subarray(at, (at + PIECE_BYTES).min(bytes.length()));
            let piece = &mut piece[..part.length() as usize];
            part.copy_to(piece);
            self.inner.update(piece);
        }
    }

    /// Returns the digest of all bytes so far, of 32 bytes or another length.
    pub fn digest(&self, length: Option<u32>) -> Result<Uint8Array, JsError> {
        let length = length.unwrap_or(DIGEST_BYTES);
        if length > MOST_OUTPUT_BYTES {
            let expected = format!("at most {MOST_OUTPUT_BYTES} bytes");
            return Err(crate::arguments::wrong("length", expected));
        }
        let mut digest = Zeroizing::new(vec![0; length as usize]);
        self.inner.finalize_xof().fill(&mut digest);
        Ok(Uint8Array::from(&digest[..]))
    }
}

impl Drop for Blake3 {
    fn drop(&mut self) {
        self.inner.zeroize();
    }
}

/// Returns the BLAKE3 hash of bytes.
#[wasm_bindgen]
pub fn blake3(bytes: &Uint8Array) -> Result<Uint8Array, JsError> {
    let mut hasher = Blake3::new();
    hasher.update(bytes);
    hasher.digest(None)
}
