// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The random numbers r and s, which hide the witness.

use std::fmt;

use halimede_arith::Fr;
use rand::rngs::OsRng;
use rand::RngCore;
use zeroize::Zeroizing;

use super::ProveError;

/// The random numbers of one proof. Whoever knows them learns about the witness; they are used once
/// and overwritten when dropped.
pub struct Blinding {
    pub(super) r: Zeroizing<Fr>,
    pub(super) s: Zeroizing<Fr>,
}

impl Blinding {
    /// Draws numbers from the operating system.
    ///
    /// # Errors
    /// [`ProveError::NoRandomNumbers`].
    pub fn random() -> Result<Self, ProveError> {
        Ok(Self { r: random_scalar()?, s: random_scalar()? })
    }

    /// Takes numbers from the caller. They must be random, secret and used once.
    pub fn of(r: Fr, s: Fr) -> Self {
        Self { r: Zeroizing::new(r), s: Zeroizing::new(s) }
    }

    /// Adds two scalars: the sum is random if either part is.
    #[must_use]
    pub fn plus(mut self, r: Fr, s: Fr) -> Self {
        *self.r += r;
        *self.s += s;
        self
    }
}

impl fmt::Debug for Blinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blinding")
    }
}

/// Draws a scalar below r, each with the same probability.
fn random_scalar() -> Result<Zeroizing<Fr>, ProveError> {
    let mut bytes = Zeroizing::new([0; 32]);
    loop {
        OsRng.try_fill_bytes(&mut bytes[..]).map_err(|_| ProveError::NoRandomNumbers)?;
        // r has 255 bits: nine of ten numbers are below it.
        bytes[31] &= 0x7f;
        if let Ok(scalar) = Fr::from_le_bytes(&bytes) {
            return Ok(Zeroizing::new(scalar));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_and_are_not_printed() {
        let [first, second] = [(); 2].map(|()| Blinding::random().unwrap());
        assert!(first.r != first.s && first.r != second.r && first.s != second.s);
        assert_eq!(format!("{first:?}"), "Blinding");
        let (r, s) = (*first.r, *first.s);
        let sum = first.plus(Fr::from(2), Fr::from(3));
        assert_eq!((*sum.r, *sum.s), (r + Fr::from(2), s + Fr::from(3)));
    }
}
