// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: approximate arithmetic on encrypted vectors of complex numbers (Cheon, Kim, Kim, Song,
//! ASIACRYPT 2017), in residues of 32 bits.
//!
//! # Module map
//!
//! The modules are a ladder: each knows those below it alone, and no two files know each other
//! (`tests/ladder` holds both). From the top down:
//!
//! | module | what it holds | its error |
//! |---|---|---|
//! | [`Client`] | who holds the secret: encrypts, decrypts, makes keys | [`SharingError`] |
//! | [`executor`] | programs recorded without arithmetic, and the places that run them | [`executor::ExecutorError`] |
//! | [`server`] | [`Server`]: all that can be done without the secret, in one place | |
//! | [`circuit`] | expressions, plans, and who runs them | [`CircuitError`] |
//! | [`Operations`] | what a server is to be able to do, and the keys for that | |
//! | [`bootstrap`] | [`Bootstrapper`], which wraps an evaluator | [`bootstrap::BootstrapError`] |
//! | [`functions`] | quotients, roots, signs | |
//! | [`polynomial`] | polynomials in both bases | [`polynomial::PolynomialError`] |
//! | [`linear`] | matrices times vectors | [`linear::LinearError`] |
//! | [`files`] | parameters, keys and ciphertexts as bytes | [`FileError`] |
//! | [`evaluator`] | [`Ciphertext`]; sums, products, rotations | [`EvaluationError`] |
//! | [`encoding`] | vectors as plaintexts | [`encoding::EncodingError`] |
//! | [`keys`] | secret, public and switching keys | |
//! | [`params`] | chains of moduli, scales, security | [`params::ParametersError`] |
//! | [`sampling`] | secrets, errors, uniform polynomials | [`sampling::RandomError`] |
//! | [`ring`], [`Bound`], [`Complex`] | polynomials in residues; where values lie; numbers | |
//!
//! An error wraps those of the rungs below, so that `?` leads from any of them up to
//! [`CircuitError`].

pub mod bootstrap;
pub mod circuit;
pub mod encoding;
pub mod evaluator;
pub mod executor;
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
pub use executor::DryServer;
pub use files::FileError;
pub use functions::Sign;
pub use linear::{Diagonals, LinearTransform};
pub use operations::Operations;
pub use params::Parameters;
pub use polynomial::{Accuracy, Polynomial};
pub use server::Server;
