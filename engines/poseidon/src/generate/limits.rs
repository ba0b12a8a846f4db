// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ranges of specifications.

/// Shortest prime: below it, elements are too small for the bounds to mean anything.
pub const MIN_PRIME_BITS: u64 = 31;
/// Longest prime; the LFSR could name one of 4095 bits.
pub const MAX_PRIME_BITS: u64 = 768;
/// Widest state; the checks of its matrix take seconds.
pub const MAX_WIDTH: usize = 64;
/// Largest exponent.
pub const MAX_ALPHA: u32 = 257;
/// Least bits of security.
pub const MIN_SECURITY_BITS: usize = 64;
/// Most bits of security.
pub const MAX_SECURITY_BITS: usize = 512;
/// The LFSR has 10 bits for either number of rounds.
pub const MAX_ROUNDS: usize = 1023;
