// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381: points, pairings, hashing to its groups, and bulk verification of signatures,
//! openings and proofs.
//!
//! - [`Point`], [`CurvePoint`]: points of the groups G1 and G2, and of their curves; encodings.
//! - [`pairing`], [`sum_of_products()`], [`hash`]: pairings, multi-scalar multiplication, hashing.
//! - [`signature`]: BLS signatures. [`kzg`]: openings of EIP-4844. [`groth16`]: proofs.
//! - [`eip2537`]: Ethereum's seven precompiles.
//! - [`operations`]: the same for a device, in batches.
//! - [`coprocessor`]: programs of pairings and field arithmetic, and their simulator; [`tasks`]:
//!   requests of the operations as such programs.
//!
//! A batch is checked by one product of pairings with random multipliers; if that fails, the
//! invalid items are found and named. Single operations use the library `blst`; pairings, checks
//! and multiples of many points are computed in [`lanes`].

#![deny(unsafe_code)]

pub mod coprocessor;
pub mod eip2537;
mod equations;
mod error;
mod fixed;
pub mod groth16;
pub mod hash;
pub mod interface;
pub mod kzg;
#[allow(unsafe_code)]
pub mod lanes;
#[allow(unsafe_code)]
mod library;
mod multiples;
mod multipliers;
pub mod operations;
pub mod pairing;
mod point;
mod scalar;
pub mod signature;
pub mod tasks;

pub use error::PointError;
pub use halimede_arith::Fr;
pub use library::{Curve, G1, G2};
pub use multiples::sum_of_products;
pub use multipliers::{multipliers, Multiplier, MULTIPLIER_BITS};
pub use point::{CurvePoint, Point};
pub use scalar::reduced;
