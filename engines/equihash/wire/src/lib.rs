// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on the wire: the frames of solutions and their verdicts.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::{equihash_sets, VerifyCodec};
