// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Halo 2 proofs of the Orchard circuit: Bowe, Grigg, Hopwood: "Recursive Proof Composition without
//! a Trusted Setup", 2019; The Halo 2 Book, <https://zcash.github.io/halo2>.
//!
//! All inputs are public, and the time depends on them.
//!
//! - `description`: the circuit, from `orchard.txt`. `expressions`: its polynomials.
//! - `elements`, `transcript`, `proof`: the elements of a proof and the challenges.
//! - `constraints`: the constraints at the challenge. `plan`, `openings`: the multipoint opening
//!   argument.
//! - `claim`: the sum of points that a proof claims to be the neutral element.
//! - `batch`: the sum of many claims. `setup`: the fixed points.

mod batch;
mod claim;
mod constraints;
mod description;
mod elements;
mod expressions;
mod openings;
mod plan;
mod proof;
mod setup;
mod transcript;

pub use batch::{hold, Statement};
pub use setup::Instance;
