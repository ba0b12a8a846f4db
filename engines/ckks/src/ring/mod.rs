// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ring ℤ_Q[X]/(X^N + 1) in residues: what every operation on ciphertexts is made of.

mod conversion;
pub mod kernels;
mod level;
mod modulus;
mod permutation;
mod prime;
mod twiddles;

pub use conversion::{Conversion, MAX_SOURCES};
pub use level::Level;
pub use modulus::{Modulus, ModulusError, Shoup};
pub use permutation::Permutation;
pub use prime::{is_prime, primes_above, primes_below};
pub use twiddles::Twiddles;
