// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ring `ℤ_Q[X]/(X^N + 1)` in RNS form: the basis of every operation on ciphertexts.
//!
//! From the bottom up: moduli, primes and bases; memory and polynomials; [`kernels`] on the
//! residues of one prime; the vocabulary of [programs](Program); the [`Ring`], its operations, and
//! the replay of programs.

mod arithmetic;
mod backend;
mod bases;
mod basis;
mod buffer;
mod conversion;
mod digits;
mod division;
mod factor;
mod finish;
mod form;
mod integers;
pub mod kernels;
mod limits;
mod memory;
mod modulus;
mod numbers;
mod permutation;
mod polynomial;
mod prime;
mod program;
mod record;
mod repeated;
mod replay;
#[allow(clippy::module_inception, reason = "the folder contains the ring")]
mod ring;
mod twiddles;

pub(crate) use backend::Work;
pub use basis::{Basis, BasisError};
pub use conversion::{Conversion, MAX_SOURCES};
pub use finish::Finish;
pub use form::Form;
pub use halimede_arith::LaneBackend;
pub use limits::LOG_DEGREES;
pub(crate) use limits::MIN_VALUES;
pub use modulus::{Gaussian, Modulus, ModulusError, Shoup};
pub use permutation::Permutation;
pub use polynomial::{Polynomial, RingId, UniformSeed};
pub use prime::{is_prime, primes_above, primes_below};
pub use program::{
    Counts, External, Flaw, Named, Note, Operation, Output, Prime, Program, ProgramError, Role,
    Step,
};
pub use record::Recording;
pub use repeated::{repeated_bytes, Repeated};
pub use replay::lent;
pub use ring::{Ring, RingError};
pub use twiddles::Twiddles;
