// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is signed: digests of 32 bytes, or messages and the hash that makes digests of them.

use std::borrow::Cow;

use pyo3::prelude::*;
use sha2::{Digest, Sha256, Sha512};
use sha3::{Keccak256, Sha3_256};

use crate::errors::value_error;

/// The bytes of a digest. A message in its place would be cut to as many, and its signature called wrong.
const DIGEST_BYTES: usize = 32;

/// How digests are made.
#[derive(Clone, Copy)]
pub enum Hash {
    /// They are given.
    Given,
    Sha256,
    Sha512,
    Sha3,
    Keccak,
}

impl Hash {
    /// By its name in Python, or `None`.
    ///
    /// # Errors
    /// `ValueError` for another name.
    pub fn named(name: Option<&str>) -> PyResult<Self> {
        Ok(match name {
            None => Self::Given,
            Some("sha256") => Self::Sha256,
            Some("sha512") => Self::Sha512,
            Some("sha3-256") => Self::Sha3,
            Some("keccak256") => Self::Keccak,
            Some(other) => {
                let wanted = "wanted None, \"sha256\", \"sha512\", \"sha3-256\" or \"keccak256\"";
                return Err(value_error(format!("hash: got {other:?}, {wanted}")));
            }
        })
    }

    /// The digest of what is signed, called `name` in errors.
    ///
    /// # Errors
    /// `ValueError` for a given digest of another length.
    pub fn digest<'s>(
        self,
        name: impl Fn() -> String,
        signed: &'s [u8],
    ) -> PyResult<Cow<'s, [u8]>> {
        Ok(match self {
            Self::Given if signed.len() == DIGEST_BYTES => Cow::Borrowed(signed),
            Self::Given => {
                let (name, got) = (name(), signed.len());
                return Err(value_error(format!(
                    "{name}: got {got} bytes, wanted a digest of {DIGEST_BYTES}; of a message say its \
                     hash, as in hash=\"sha256\""
                )));
            }
            Self::Sha256 => Sha256::digest(signed).to_vec().into(),
            Self::Sha512 => Sha512::digest(signed).to_vec().into(),
            Self::Sha3 => Sha3_256::digest(signed).to_vec().into(),
            Self::Keccak => Keccak256::digest(signed).to_vec().into(),
        })
    }

    /// The digests of many.
    ///
    /// # Errors
    /// As [`Self::digest`], with the number of the digest.
    pub fn digests<'s>(self, signed: &[&'s [u8]]) -> PyResult<Vec<Cow<'s, [u8]>>> {
        let rows = signed.iter().enumerate();
        rows.map(|(row, signed)| self.digest(|| format!("digests[{row}]"), signed)).collect()
    }
}
