// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ring `ℤ_Q[X]/(X^N + 1)` in residues: what every operation on ciphertexts is made of.

mod bases;
mod basis;
mod buffer;
mod conversion;
mod digits;
mod finish;
mod integers;
pub mod kernels;
mod level;
mod memory;
mod modulus;
mod numbers;
mod permutation;
mod polynomial;
mod prime;
mod repeated;
#[allow(clippy::module_inception, reason = "the ring is what the folder is about")]
mod ring;
mod trace;
mod twiddles;

pub use basis::{Basis, BasisError};
pub use conversion::{Conversion, MAX_SOURCES};
pub use finish::Finish;
pub use level::Level;
pub use modulus::{Modulus, ModulusError, Shoup};
pub use numbers::Gaussian;
pub use permutation::Permutation;
pub use polynomial::{Form, Polynomial, RingId};
pub use prime::{is_prime, primes_above, primes_below};
pub use repeated::Repeated;
pub(crate) use repeated::MIN_VALUES;
pub use ring::{Ring, RingError, LOG_DEGREES};
pub use trace::{
    Counts, External, Flaw, Named, Note, Operation, Output, Prime, Role, Step, Trace, TraceError,
};
pub use twiddles::Twiddles;
