// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs on a card: compiled for its size, run in its memory, which keeps what comes again.
//!
//! Keys, plaintexts, tables of factors, compiled programs and ciphertexts go to the card when a
//! program first takes them, and stay there while there is room; what was used longest ago makes
//! room. Everything that a card holds is here as well: results are read back behind each program.
//! So a card that was reset, or is another one, gets again what it needs, and whoever takes over
//! from a card that fails has all inputs.
//!
//! Only what servers have goes to a card: evaluation keys, ciphertexts, plaintexts. A polynomial
//! that is [marked secret](crate::ring::Polynomial::is_secret) is refused.

mod compiled;
mod contents;
mod executor;
mod link;
mod size;
mod space;

pub use executor::CardPlace;
pub use link::{CardLink, CardTraffic};
pub use size::{CardSize, CardSizeError};
