// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1 (SEC 1, section 4.1.4; SEC 2, section 2.4.1): verifies signatures in bulk.
//! Single signatures are verified by libsecp256k1.
//!
//! [`Verifier`] takes keys, digests and signatures as bytes and returns a verdict for each;
//! [`operations::Verify`] is the same for a device; [`check()`] checks the bare numbers.
//! [`schnorr`] verifies the signatures of BIP 340; [`half_aggregate`] joins many of them and
//! verifies the result by one sum; [`recovery`] recovers public keys from ECDSA
//! signatures.

#![forbid(unsafe_code)]

mod batch;
mod cache;
mod candidate;
mod check;
pub mod constants;
mod curve;
pub mod digest;
pub mod half_aggregate;
pub mod interface;
mod key;
mod keys;
#[cfg(feature = "known-answers")]
pub mod known_answers;
pub mod operations;
mod outcome;
mod quotient;
mod reason;
pub mod recovery;
mod rejection;
mod request;
pub mod schnorr;
mod signature;
#[cfg(test)]
mod testing;
mod verdict;
mod verifier;

pub use secp256k1;

pub use cache::{CacheCounts, KeyCache};
pub use check::check;
pub use digest::leftmost_bits;
pub use key::{parse_key, KeyError, COMPRESSED_BYTES, UNCOMPRESSED_BYTES};
pub use rejection::{verdict, Rejection};
pub use signature::{DerError, Format, Number, Numbers, SignatureError};
pub use verdict::{Check, Mask, Outcome};
pub use verifier::{Rules, Verifier};
