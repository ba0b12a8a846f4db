// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loopback on the wire: the frames of data and of their echoes.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::EchoCodec;
