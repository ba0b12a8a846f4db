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
pub mod server;

mod client;
mod complex;
mod difference;
mod estimate;
mod operations;
mod pool;
mod wiping;

pub use bootstrap::Bootstrapper;
pub use circuit::{CircuitError, Expression, Plan};
pub use client::{Alternatives, Client, Shared, Sharing, SharingError};
pub use complex::Complex;
pub use difference::Difference;
pub use encoding::Values;
pub use estimate::{Bound, Estimate};
pub use evaluator::{Ciphertext, EvaluationError, EvaluationKeys, Evaluator};
pub use files::FileError;
pub use functions::Sign;
pub use linear::{Diagonals, LinearTransform};
pub use operations::Operations;
pub use params::Parameters;
pub use polynomial::{Accuracy, Polynomial};
pub use server::Server;
