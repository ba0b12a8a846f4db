// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1 (SEC 1, section 4.1.4; SEC 2, section 2.4.1): signatures checked in bulk.
//! A single check is the work of libsecp256k1.

pub mod operations;
mod verdict;

pub use verdict::{Check, Mask};
