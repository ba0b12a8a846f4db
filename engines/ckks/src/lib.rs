// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: approximate arithmetic on encrypted vectors of complex numbers (Cheon, Kim, Kim, Song,
//! ASIACRYPT 2017), in residues of 32 bits.

pub mod bootstrap;
pub mod circuit;
pub mod encoding;
pub mod evaluator;
pub mod files;
pub mod functions;
pub mod keys;
pub mod linear;
pub mod params;
pub mod polynomial;
pub mod ring;
pub mod sampling;

mod client;
mod complex;
mod difference;
mod estimate;
mod pool;
mod sharing;
mod wiping;

pub use circuit::{Expression, Plan};
pub use client::{Client, Operations};
pub use complex::Complex;
pub use difference::Difference;
pub use encoding::Values;
pub use estimate::{Bound, Estimate};
pub use evaluator::{Ciphertext, EvaluationError, EvaluationKeys, Server};
pub use files::FileError;
pub use functions::Sign;
pub use linear::{Diagonals, LinearTransform};
pub use params::Parameters;
pub use polynomial::{Accuracy, Polynomial};
pub use sharing::{Alternatives, Shared, Sharing, SharingError};
