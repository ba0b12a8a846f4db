// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Halimede for C and everything that calls C: `include/halimede.h` is generated from this crate,
//! whose comments on public items are written for readers of that header.
//!
//! - [`status`]: what a call returns and the message that goes with it; no panic gets out.
//! - [`memory`]: pointers and counts of a caller, checked before they are arrays.
//! - [`device`], [`engines`], [`instance`], [`filecoin`], [`starknet`], [`starknet_hasher`], [`blake3`],
//!   [`blake3_hasher`], [`ecdsa`], [`zcash`]: functions that are written by hand.
//! - [`operations`]: those that are generated from the table of operations, by [`call`], with [`object`]s.
//!   [`verdict`]: columns of bytes, and the names of verdicts.
//!
//! The work is done by [`halimede_device::flat`] and [`halimede_device::call`]. Every function that takes a pointer is unsafe
//! for the same reason: what is not NULL must point to as many values as the header says, which
//! nobody else changes during the call, and a handle must be one that was made and not yet freed.

#![allow(clippy::missing_safety_doc, reason = "the header's contract is stated above, once")]

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
