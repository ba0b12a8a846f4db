// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Splits numbers of 128 bits into windows of signed digits, and scalars into two such numbers.

use std::ops::Range;

use super::additions::PointUnit;
use super::lists::Lists;
use crate::lanes::miller::X;

/// x² for the curve parameter x: the endomorphism of
/// [`LaneCurve::beta`](super::curves::LaneCurve::beta) multiplies by it.
const X_SQUARE: u128 = X as u128 * X as u128;

/// r = x⁴ − x² + 1 in halves, the low one first.
const ORDER: [u128; 2] = {
    let (high, low) = wide_product(X_SQUARE, X_SQUARE);
    let (low, borrows) = low.overflowing_sub(X_SQUARE - 1);
    [low, high - borrows as u128]
};

/// ⌊2²⁵⁵/x²⌋.
const RECIPROCAL: u128 = {
    let (mut quotient, mut rest, mut bit) = (0, 0u128, 256);
    while bit > 0 {
        bit -= 1;
        let carry = rest >> 127;
        rest = rest << 1 | (bit == 255) as u128;
        quotient <<= 1;
        if carry == 1 || rest >= X_SQUARE {
            rest = rest.wrapping_sub(X_SQUARE);
            quotient |= 1;
        }
    }
    quotient
};

/// Returns a·b, the high half first.
const fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, high) = (a0 * b0, a1 * b1);
    let (one, other) = (a1 * b0, a0 * b1);
    let middle = (low >> 64) + (one & LOW) + (other & LOW);
    (high + (one >> 64) + (other >> 64) + (middle >> 64), middle << 64 | low & LOW)
}

/// Returns a − b in halves, the low one first, and `true` if the difference is negative.
fn minus(a: [u128; 2], b: [u128; 2]) -> ([u128; 2], bool) {
    let (low, borrows) = a[0].overflowing_sub(b[0]);
    let (high, first) = a[1].overflowing_sub(b[1]);
    let (high, second) = high.overflowing_sub(u128::from(borrows));
    ([low, high], first || second)
}

/// Returns k₀ and k₁ below x² such that k₀ + k₁·x² is a scalar of 256 bits modulo r.
pub fn split(scalar: &[u8; 32]) -> [u128; 2] {
    let half = |number: usize| {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&scalar[16 * number..][..16]);
        u128::from_le_bytes(bytes)
    };
    let mut rest = [half(0), half(1)];
    // 2²⁵⁶ is below 3r.
    for _ in 0..2 {
        if let (less, false) = minus(rest, ORDER) {
            rest = less;
        }
    }
    // The quotient is too small by less than four: the truncations of the scalar, of the reciprocal
    // and of the product count less than 1.5, 1 and 1.
    let (high, low) = wide_product(rest[1], RECIPROCAL);
    let mut quotient = high << 1 | low >> 127;
    let (high, low) = wide_product(quotient, X_SQUARE);
    (rest, _) = minus(rest, [low, high]);
    while let (less, false) = minus(rest, [X_SQUARE, 0]) {
        (rest, quotient) = (less, quotient + 1);
    }
    [rest[0], quotient]
}

/// The point of a pool that a number multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplied {
    /// Number i multiplies point i.
    Points,
    /// Numbers 2i and 2i + 1 are the parts of point i's scalar.
    Halves,
}

impl Multiplied {
    const fn numbers_a_point(self) -> usize {
        match self {
            Self::Points => 1,
            Self::Halves => 2,
        }
    }

    #[inline(always)]
    fn place(self, number: usize, negative: bool) -> PointUnit {
        // Points have four units: x, y, βx, −y. x² times a point is (βx, −y).
        match self {
            Self::Points => PointUnit::new(4 * number as u32, negative),
            Self::Halves => PointUnit::new(2 * number as u32, negative),
        }
    }
}

/// The number of bits that windows must cover: with 130, digits of three bits or more cover −2¹²⁸
/// to 2¹²⁸.
const BITS: u32 = 130;
/// The possible widths of a digit in bits.
const WIDTHS: Range<u32> = 3..16;

/// Numbers in windows.
pub struct Digits {
    /// The numbers with 2^(width − 1) added in each window, so that a digit does not depend on
    /// lower bits.
    raised: Vec<[u64; 4]>,
    width: u32,
    multiplied: Multiplied,
}

impl Digits {
    /// Splits numbers into digits of the width with the fewest additions: one for each number in
    /// each window, and one for each bucket.
    pub fn new(numbers: &[u128], multiplied: Multiplied) -> Self {
        let cost =
            |width: &u32| BITS.div_ceil(*width) as usize * (numbers.len() + (1 << (width - 1)));
        let width = WIDTHS.min_by_key(cost).unwrap_or(WIDTHS.start);
        Self::of_width(numbers, multiplied, width)
    }

    pub fn of_width(numbers: &[u128], multiplied: Multiplied, width: u32) -> Self {
        let mut offset = [0u64; 4];
        for window in 0..BITS.div_ceil(width) {
            let bit = window * width + width - 1;
            offset[bit as usize / 64] |= 1 << (bit % 64);
        }
        let raise = |number: &u128| {
            let words = [*number as u64, (number >> 64) as u64, 0, 0];
            let (mut raised, mut carry) = ([0; 4], 0u128);
            for (word, raised) in raised.iter_mut().enumerate() {
                carry += u128::from(words[word]) + u128::from(offset[word]);
                *raised = carry as u64;
                carry >>= 64;
            }
            raised
        };
        Self { raised: numbers.iter().map(raise).collect(), width, multiplied }
    }

    /// Returns the number of numbers.
    pub fn count(&self) -> usize {
        self.raised.len()
    }

    pub const fn multiplied(&self) -> Multiplied {
        self.multiplied
    }

    pub fn windows(&self) -> u32 {
        Self::windows_of(self.width)
    }

    /// Returns the number of windows of a width.
    pub const fn windows_of(width: u32) -> u32 {
        BITS.div_ceil(width)
    }

    /// Returns the width of a digit in bits; a digit lies in [−2^(width − 1), 2^(width − 1)).
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of buckets of a window: those of 1, 2, … 2^(width − 1).
    pub const fn buckets(&self) -> usize {
        1 << (self.width - 1)
    }

    /// Returns the digits of a window.
    fn of_window(&self, window: u32) -> impl Iterator<Item = i32> + '_ {
        let (word, shift) = ((window * self.width / 64) as usize, window * self.width % 64);
        let (mask, half) = ((1 << self.width) - 1, 1 << (self.width - 1));
        self.raised.iter().map(move |raised| {
            let bits = raised[word] >> shift | raised[word + 1] << 1 << (63 - shift);
            (bits & mask) as i32 - half
        })
    }

    /// Returns the points of each bucket of some windows.
    pub fn buckets_of(&self, windows: Range<u32>) -> Lists {
        let (buckets, count) = (self.buckets(), self.raised.len());
        let mut ends = vec![0u32; windows.len() * buckets];
        let mut digits = vec![0i16; windows.len() * count];
        let rows = digits.chunks_mut(count.max(1)).zip(ends.chunks_mut(buckets));
        for ((digits, ends), window) in rows.zip(windows) {
            for (place, digit) in digits.iter_mut().zip(self.of_window(window)) {
                *place = digit as i16;
                if digit != 0 {
                    ends[digit.unsigned_abs() as usize - 1] += 1;
                }
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            // The beginning of the list, which moves to the end as the list is filled.
            (*end, sum) = (sum, sum + *end);
        }
        let mut entries = vec![PointUnit::new(0, false); sum as usize];
        for (ends, digits) in ends.chunks_mut(buckets).zip(digits.chunks(count.max(1))) {
            for (number, digit) in digits.iter().enumerate() {
                if *digit != 0 {
                    let end = &mut ends[usize::from(digit.unsigned_abs()) - 1];
                    entries[*end as usize] = self.multiplied.place(number, *digit < 0);
                    *end += 1;
                }
            }
        }
        Lists { ends, entries }
    }

    /// Appends the points of each bucket, which all windows share, for a table that holds each
    /// point times 2^(width · window) for all windows. Point i of the numbers is that of index
    /// `first` + i; `is_infinite` tells for each index of the table whether nothing is added.
    pub fn shared_buckets(&self, first: usize, is_infinite: &[bool], lists: &mut Lists) {
        let (buckets, count, windows) = (self.buckets(), self.raised.len(), self.windows());
        let is_added = |number: usize, digit: i32| {
            digit != 0 && !is_infinite[first + number / self.multiplied.numbers_a_point()]
        };
        let mut ends = vec![0u32; buckets];
        let mut digits = vec![0i16; windows as usize * count];
        for (digits, window) in digits.chunks_mut(count.max(1)).zip(0..windows) {
            for (number, (place, digit)) in
                digits.iter_mut().zip(self.of_window(window)).enumerate()
            {
                if is_added(number, digit) {
                    *place = digit as i16;
                    ends[digit.unsigned_abs() as usize - 1] += 1;
                }
            }
        }
        let mut sum = lists.entries.len() as u32;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        lists.entries.resize(sum as usize, PointUnit::new(0, false));
        for (window, digits) in digits.chunks(count.max(1)).enumerate() {
            for (number, digit) in digits.iter().enumerate() {
                if *digit != 0 {
                    let end = &mut ends[usize::from(digit.unsigned_abs()) - 1];
                    let point = first + number / self.multiplied.numbers_a_point();
                    let table = point * windows as usize + window;
                    let part = number % self.multiplied.numbers_a_point();
                    let unit = (4 * table + 2 * part) as u32;
                    lists.entries[*end as usize] = PointUnit::new(unit, *digit < 0);
                    *end += 1;
                }
            }
        }
        lists.ends.extend(ends);
    }
}
