// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 on the wire: the frames of messages and of their digests.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::{HashCodec, Hashing};
