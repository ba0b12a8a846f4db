// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface for arrays of other languages: Poseidon over flat arrays of numbers, [`blake3`]
//! over bytes, and [`ecdsa`] over rows of bytes. [`crate::call`] has the other operations.
//!
//! Poseidon's arrays hold canonical integers below the field's modulus, row by row, as 64-bit limbs
//! or as bytes ([`Digit`]); a state of width 3 is a row of 12 limbs or 96 bytes. An array may have
//! any number of rows, also 0. Everything runs on a [`Device`](crate::Device); on the processor, on
//! all cores of the current thread pool.
//!
//! A call that fails changes nothing: the whole input is checked before any computation, and on a
//! device that may fail in the middle, nothing is written before the last reply arrives. A call
//! that can be interrupted ([`crate::interrupt`]) goes to the device in pieces; if it is
//! interrupted or a later piece fails, the output of earlier pieces has been written.

mod batch;
pub mod blake3;
mod digit;
pub mod ecdsa;
mod error;
mod poseidon;
mod rows;

pub use digit::Digit;
pub use error::FlatError;
pub use poseidon::{
    filecoin_hash, instance_info, permute, starknet_hash, starknet_hash_many, starknet_hash_single,
    starknet_update, tree_root, InstanceInfo,
};
pub use rows::Messages;
