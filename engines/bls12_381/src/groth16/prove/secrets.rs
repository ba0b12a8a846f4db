// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Secret scalars, which are overwritten when they are dropped.

use std::fmt;
use std::ops::{Deref, DerefMut};

use halimede_arith::Fr;
use rayon::prelude::*;
use zeroize::Zeroizing;

/// Bytes of a scalar.
pub const SCALAR_BYTES: usize = 32;

/// The number of scalars that a thread converts at a time.
const PART: usize = 1 << 12;

/// A growing list of secret scalars. No copy is left behind when it grows.
#[derive(Clone, Default)]
pub struct Secrets(Zeroizing<Vec<Fr>>);

impl Secrets {
    /// Creates an empty list with room for this number of scalars.
    pub fn with_capacity(count: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(count)))
    }

    /// Appends a scalar.
    pub fn push(&mut self, scalar: Fr) {
        if self.0.len() == self.0.capacity() {
            self.grow((2 * self.0.len()).max(64));
        }
        self.0.push(scalar);
    }

    /// Appends zeros, or drops the last ones, until there are this number of scalars.
    pub fn resize(&mut self, count: usize) {
        if count > self.0.capacity() {
            self.grow(count);
        }
        self.0.resize(count, Fr::ZERO);
    }

    /// Moves the scalars to a larger allocation. The old one is overwritten.
    fn grow(&mut self, capacity: usize) {
        let mut larger = Self::with_capacity(capacity);
        larger.0.extend_from_slice(&self.0);
        *self = larger;
    }

    /// Returns the canonical little-endian bytes of each scalar.
    pub fn to_bytes(&self) -> Zeroizing<Vec<[u8; SCALAR_BYTES]>> {
        let mut bytes = Zeroizing::new(vec![[0; SCALAR_BYTES]; self.0.len()]);
        bytes.par_chunks_mut(PART).zip(self.0.par_chunks(PART)).for_each(|(bytes, scalars)| {
            for (bytes, scalar) in bytes.iter_mut().zip(scalars) {
                *bytes = scalar.to_le_bytes();
            }
        });
        bytes
    }
}

impl From<Vec<Fr>> for Secrets {
    fn from(scalars: Vec<Fr>) -> Self {
        Self(Zeroizing::new(scalars))
    }
}

impl Deref for Secrets {
    type Target = [Fr];

    fn deref(&self) -> &[Fr] {
        &self.0
    }
}

impl DerefMut for Secrets {
    fn deref_mut(&mut self) -> &mut [Fr] {
        &mut self.0
    }
}

impl fmt::Debug for Secrets {
    /// Writes only the number of scalars.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} secret scalars", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_and_keep_their_order() {
        let mut secrets = Secrets::default();
        for number in 0..1000 {
            secrets.push(Fr::from(number * number));
        }
        secrets.resize(1500);
        assert_eq!(secrets.len(), 1500);
        let bytes = secrets.to_bytes();
        for (number, scalar) in secrets.iter().enumerate() {
            let expected = if number < 1000 { (number * number) as u64 } else { 0 };
            assert_eq!(*scalar, Fr::from(expected));
            assert_eq!(bytes[number], Fr::from(expected).to_le_bytes());
        }
        secrets.resize(3);
        assert_eq!(secrets[..], [Fr::from(0), Fr::from(1), Fr::from(4)]);
    }

    #[test]
    fn values_are_not_printed() {
        let secrets = Secrets::from(vec![Fr::from(0x5eed); 7]);
        assert_eq!(format!("{secrets:?}"), "7 secret scalars");
    }
}
