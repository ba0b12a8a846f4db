// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wire format of CKKS jobs: frames that write and read a card's memory and run jobs in it.

#![forbid(unsafe_code)]

mod codec;
pub mod spec;

pub use codec::{ReadCodec, RunCodec, WriteCodec};
