// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where randomness comes from.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use zeroize::Zeroize;

use super::uniform::{Seed, SEED_BYTES};

/// A stream of random bytes: ChaCha20, its key from the operating system.
pub struct Random(ChaCha20Rng);

/// The operating system gave no randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes: {0}")]
pub struct RandomError(getrandom::Error);

impl Random {
    /// A stream of its own.
    ///
    /// # Errors
    /// Where the operating system gives no random bytes.
    pub fn new() -> Result<Self, RandomError> {
        let mut key = [0; 32];
        getrandom::getrandom(&mut key).map_err(RandomError)?;
        let random = Self(ChaCha20Rng::from_seed(key));
        key.zeroize();
        Ok(random)
    }

    /// The stream of a number: the same each time, for tests.
    #[cfg(any(test, feature = "test"))]
    pub fn of_test(number: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(number))
    }

    /// A seed for what is public.
    pub fn seed(&mut self) -> Seed {
        let mut seed = [0; SEED_BYTES];
        self.0.fill_bytes(&mut seed);
        seed
    }

    /// Fills words.
    pub(super) fn words(&mut self, words: &mut [u64]) {
        for word in words {
            *word = self.0.next_u64();
        }
    }
}
