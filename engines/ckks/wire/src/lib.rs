// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs of CKKS on the wire: the frames that write and read a card's memory and run what is there.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::{ReadCodec, RunCodec, WriteCodec};
