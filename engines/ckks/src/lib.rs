// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: approximate arithmetic on encrypted vectors of complex numbers (Cheon, Kim, Kim, Song,
//! ASIACRYPT 2017), in RNS form with residues of 32 bits.
//!
//! # Module map
//!
//! The modules are a ladder: each imports only those below it, and no two files import each other
//! (`tests/ladder` checks both). From the top down:
//!
//! | module | contents | error |
//! |---|---|---|
//! | [`parties`] | several holders of one secret key | [`parties::PartyError`] |
//! | [`Client`] | the holder of the secret key: encrypts, decrypts, makes keys | [`SharingError`] |
//! | [`executor`] | dry recording of programs, executors | [`executor::ExecutorError`] |
//! | [`server`] | [`Server`]: every operation that needs no secret key | |
//! | [`circuit`] | expressions, plans, and their evaluation | [`CircuitError`] |
//! | [`Operations`] | the operations of a server, and the keys for them | |
//! | [`bootstrap`] | [`Bootstrapper`], which wraps an evaluator | [`bootstrap::BootstrapError`] |
//! | [`functions`] | reciprocals, roots, signs | |
//! | [`polynomial`] | evaluation of polynomials in both bases | [`polynomial::PolynomialError`] |
//! | [`linear`] | linear transforms | [`linear::LinearError`] |
//! | [`files`] | parameters, keys and ciphertexts as bytes | [`FileError`] |
//! | [`evaluator`] | [`Ciphertext`]; sums, products, rotations | [`EvaluationError`] |
//! | [`encoding`] | encodes vectors as plaintexts | [`encoding::EncodingError`] |
//! | [`keys`] | secret, public and switching keys | |
//! | [`params`] | chains of moduli, scales, security | [`params::ParametersError`] |
//! | [`fhetch`] | programs as traces of others | [`fhetch::FhetchError`] |
//! | [`card`] | programs as tasks of the card's units | [`card::CardError`] |
//! | [`sampling`] | secrets, errors, uniform polynomials | [`sampling::RandomError`] |
//! | [`ring`], [`Bound`], [`Complex`] | polynomials in RNS form; bounds of values; numbers | |
//!
//! Each error wraps the errors of the modules below, so that `?` converts any of them to
//! [`CircuitError`].

pub mod bootstrap;
pub mod card;
pub mod circuit;
pub mod encoding;
pub mod evaluator;
pub mod executor;
pub mod fhetch;
pub mod files;
pub mod functions;
pub mod keys;
pub mod linear;
pub mod params;
pub mod parties;
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
pub use client::{Alternatives, Client, Expected, Shared, Sharing, SharingError};
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
pub use polynomial::{Accuracy, Allowance, BlockPolynomials, Polynomial};
pub use server::Server;
