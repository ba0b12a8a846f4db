// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381 on the wire: the frames of programs and of their results.

#![forbid(unsafe_code)]

mod codec;
mod frames;
pub mod spec;

pub use codec::ProgramCodec;
