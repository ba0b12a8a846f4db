// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on ciphertexts: their results, their public properties, and their errors.

mod block_polynomials;
mod bounds;
mod builder;
mod estimates;
mod explicit;
mod functions;
mod lengths;
mod linear;
mod marks;
mod mixed_up;
mod operations;
mod owners;
mod panics;
mod polynomial;
mod room;
#[path = "../setting/mod.rs"]
mod setting;
