// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ranges of specifications.

/// The shortest prime in bits; with shorter ones, the bounds are meaningless.
pub const MIN_PRIME_BITS: u64 = 31;
/// The longest prime in bits; the LFSR could encode up to 4095.
pub const MAX_PRIME_BITS: u64 = 768;
/// The widest state in elements; checking its matrix takes seconds.
pub const MAX_WIDTH: usize = 64;
/// The largest exponent of the S-box.
pub const MAX_ALPHA: u32 = 257;
/// The lowest security level, in bits.
pub const MIN_SECURITY_BITS: usize = 64;
/// The highest security level, in bits.
pub const MAX_SECURITY_BITS: usize = 512;
/// The largest number of rounds; the LFSR has 10 bits for each number.
pub const MAX_ROUNDS: usize = 1023;
