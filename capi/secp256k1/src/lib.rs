// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of ECDSA and Schnorr signatures over secp256k1 with the C interface of
//! libsecp256k1, which `include/halimede_secp256k1.h` describes.
//!
//! - [`context`]: contexts and callbacks. [`keys`]: public keys. [`signatures`]: ECDSA signatures,
//!   which [`der`] reads and writes. [`recovery`]: signatures with a recovery id. [`schnorr`]:
//!   BIP 340. [`many`]: whole arrays. [`answer`]: results; panics do not cross the interface.
//!
//! Every function is unsafe for the same reason: a pointer that is not NULL must point to the
//! number of values that the header states, which no other thread may change during the call, and a
//! context must have been created and not yet destroyed.

#![allow(clippy::missing_safety_doc, reason = "the contract of the header is stated once, above")]

mod answer;
mod context;
mod contexts;
mod der;
mod keys;
mod many;
mod numbers;
mod recovery;
mod schnorr;
mod signatures;

pub use context::{Context, Function};
pub use contexts::*;
pub use keys::*;
pub use many::*;
pub use recovery::*;
pub use schnorr::*;
pub use signatures::*;
