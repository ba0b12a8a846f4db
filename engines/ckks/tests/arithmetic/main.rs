// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials, their kernels, and encodings.

mod conversion;
mod encoding;
mod kernels;
mod numbers;
mod primes;
mod ring;
mod rows;
#[path = "../setting/mod.rs"]
mod setting;
