// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers of 256 bits, big-endian.

/// A number of 256 bits.
pub type Number = [u8; 32];

/// Returns a − b, for a ≥ b.
pub fn difference(a: &Number, b: &Number) -> Number {
    let mut difference = [0; 32];
    let mut borrow = false;
    for index in (0..32).rev() {
        let (digit, below) = a[index].overflowing_sub(b[index]);
        let (digit, below_borrow) = digit.overflowing_sub(u8::from(borrow));
        difference[index] = digit;
        borrow = below || below_borrow;
    }
    difference
}

/// Splits two numbers.
pub fn split(numbers: &[u8; 64]) -> [Number; 2] {
    let (mut first, mut second) = ([0; 32], [0; 32]);
    first.copy_from_slice(&numbers[..32]);
    second.copy_from_slice(&numbers[32..]);
    [first, second]
}

/// Joins two numbers.
pub fn join(first: &Number, second: &Number) -> [u8; 64] {
    let mut numbers = [0; 64];
    numbers[..32].copy_from_slice(first);
    numbers[32..].copy_from_slice(second);
    numbers
}
