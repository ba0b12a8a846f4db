// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The C API of Halimede. `include/halimede.h` is generated from this crate: the comments on public
//! items are written for readers of that header.
//!
//! - [`status`]: the status and the error message of a call; panics do not cross the interface.
//! - [`memory`]: checks the pointers and counts of the caller before they become arrays.
//! - [`device`], [`engines`], [`instance`], [`filecoin`], [`starknet`], [`starknet_hasher`],
//!   [`blake3`], [`blake3_hasher`], [`ecdsa`], [`zcash`]: hand-written functions.
//! - [`operations`]: functions generated from the table of operations. They use [`call`] and
//!   [`object`]. [`verdict`]: columns of bytes, and the names of verdicts.
//!
//! [`halimede_device::flat`] and [`halimede_device::call`] do the work. Every function with a
//! pointer is unsafe for the same reason: a pointer that is not NULL must point to the number of
//! values that the header states, which no other thread may change during the call, and a handle
//! must have been created and not yet freed.

#![allow(clippy::missing_safety_doc, reason = "the contract of the header is stated once, above")]

mod blake3;
mod blake3_hasher;
mod call;
mod device;
mod ecdsa;
mod engines;
mod filecoin;
mod instance;
mod memory;
mod object;
mod operations;
mod starknet;
mod starknet_hasher;
mod status;
mod verdict;
mod zcash;
