// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA on the wire: the frames of signatures and of their verdicts.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::{Numbers, VerifyCodec};
