// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ring ℤ_Q[X]/(X^N + 1) in residues: what every operation on ciphertexts is made of.

mod bases;
mod basis;
mod buffer;
mod conversion;
pub mod kernels;
mod level;
mod memory;
mod modulus;
mod numbers;
mod permutation;
mod polynomial;
mod prime;
#[allow(clippy::module_inception, reason = "the ring is what the folder is about")]
mod ring;
mod trace;
mod twiddles;

pub use basis::Basis;
pub use conversion::{Conversion, MAX_SOURCES};
pub use level::Level;
pub use modulus::{Modulus, ModulusError, Shoup};
pub use numbers::Gaussian;
pub use permutation::Permutation;
pub use polynomial::{Form, Polynomial};
pub use prime::{is_prime, primes_above, primes_below};
pub use ring::{Ring, RingError, LOG_DEGREES};
pub use trace::{Counts, Operation, Step, Trace};
pub use twiddles::Twiddles;
