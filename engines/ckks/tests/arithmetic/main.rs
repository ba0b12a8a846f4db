// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials, their kernels and encodings, in one program: each is linked for a second or two.

mod conversion;
mod encoding;
mod kernels;
mod numbers;
mod primes;
mod ring;
mod rows;
#[path = "../setting/mod.rs"]
mod setting;
