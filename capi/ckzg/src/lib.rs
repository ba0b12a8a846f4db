// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG commitments, proofs and cells with the C interface of c-kzg-4844 2.1, which
//! `include/ckzg.h` describes.
//!
//! - [`settings`]: loads and frees setups. [`blobs`]: commitments and proofs of blobs (EIP-4844).
//!   [`cells`]: cells (EIP-7594). [`result`]: results; panics do not cross the interface.
//!
//! Every function is unsafe for the same reason: a pointer that is not NULL must point to the
//! number of values that the header states, which no other thread may change during the call, and a
//! setup must have been loaded and not yet freed.

#![allow(clippy::missing_safety_doc, reason = "the contract of the header is stated once, above")]

mod blobs;
mod cells;
mod result;
mod settings;

pub use blobs::*;
pub use cells::*;
pub use result::Code;
pub use settings::*;
