// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs programs on a card: compiles them for its size, and caches reused data in its memory.
//!
//! Keys, plaintexts, tables of factors, compiled programs and ciphertexts are sent to the card when
//! a program first uses them. They stay there until the memory is full, and the least recently used
//! ones are evicted. The host keeps a copy of everything on the card: results are read back after
//! each program. Therefore a card after a reset, or a replacement card, receives its data again,
//! and a fallback for a failing card has all inputs.
//!
//! Only data of servers is sent to a card: evaluation keys, ciphertexts and plaintexts. A
//! polynomial that is [marked secret](crate::ring::Polynomial::is_secret) is rejected.

mod compiled;
mod contents;
mod executor;
mod link;
mod size;
mod space;

pub use executor::CardPlace;
pub use link::{CardLink, CardTraffic};
pub use size::{CardSize, CardSizeError};
