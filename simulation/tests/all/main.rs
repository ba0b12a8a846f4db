// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faulty links, and recorded frames.

#![allow(clippy::unwrap_used, clippy::panic)]

mod faults;
mod links;
mod records;
