// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Windows of signed digits, and the points of each bucket.

use halimede_arith::serial::limbs::Limbs;

use crate::curve::halves::{short_halves, ShortHalf};

/// The bits of the widest windows. Wider ones would be faster only for sums of more points than an
/// aggregate has.
pub const MOST_BITS: u32 = 13;

/// The bits that all windows together have at least: the absolute value of a half and its carry.
const HALF_BITS: u32 = 129;

/// The windows of the halves of scalars, all of the same width.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// The bits of a window, 2 to [`MOST_BITS`].
    pub bits: u32,
    /// The number of windows.
    pub count: usize,
}

impl Windows {
    /// Returns windows of this many bits.
    pub fn new(bits: u32) -> Self {
        Self { bits, count: HALF_BITS.div_ceil(bits) as usize }
    }

    /// Returns the windows with the fewest products, for this number of points and of lanes: eleven
    /// for a point in a window, 32 for a bucket.
    pub fn best(points: usize, lanes: usize) -> Self {
        let products = |windows: &Self| {
            let additions = 11 * (points * windows.count).div_ceil(lanes);
            additions + 32 * windows.buckets() * windows.count.div_ceil(lanes)
        };
        let all = (3..=MOST_BITS).map(Self::new);
        all.min_by_key(products).unwrap_or(Self::new(MOST_BITS))
    }

    /// Returns the number of buckets of a window. Their digits are 1 to this number.
    pub fn buckets(self) -> usize {
        1 << (self.bits - 1)
    }

    /// Returns the lowest bit of a window.
    pub fn shift(self, window: usize) -> u32 {
        window as u32 * self.bits
    }

    /// Returns the digits of a half, from the lowest window on: Σ digit·2ˢʰⁱᶠᵗ is the half, and
    /// each digit is at most [`Self::buckets`] in absolute value.
    fn digits(self, half: &ShortHalf) -> impl Iterator<Item = i32> {
        let Self { bits, count } = self;
        let (most, mask) = (self.buckets() as i32, (1 << bits) - 1);
        let ShortHalf { mut magnitude, is_negative } = *half;
        let mut carry = 0;
        (0..count).map(move |_| {
            let digit = (magnitude & mask) as i32 + carry;
            magnitude >>= bits;
            carry = i32::from(digit > most);
            let digit = digit - (carry << bits);
            if is_negative {
                -digit
            } else {
                digit
            }
        })
    }
}

/// A point of a bucket: the number of its row, times 2, plus 1 if it is subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u32);

impl Entry {
    /// Returns the number of the row.
    #[inline(always)]
    pub fn row(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns a number that is negative if the point is subtracted.
    #[inline(always)]
    pub fn sign(self) -> u64 {
        u64::from(self.0) << 63
    }
}

/// The points of each bucket of each window.
pub struct Lists {
    /// The windows.
    pub windows: Windows,
    /// The entries of all buckets.
    entries: Vec<Entry>,
    /// The first entry of each bucket and, at the end, the number of entries.
    first: Vec<usize>,
}

impl Lists {
    /// Creates the lists for scalars in [0, n); the rows of scalar i are 2i and 2i + 1, for P and
    /// λP. There are fewer than 2³⁰ scalars.
    pub fn new<'a>(windows: Windows, scalars: impl Iterator<Item = &'a Limbs>) -> Self {
        let mut digits: Vec<i16> = Vec::with_capacity(scalars.size_hint().0 * 2 * windows.count);
        for half in scalars.flat_map(short_halves) {
            digits.extend(windows.digits(&half).map(|digit| digit as i16));
        }
        let buckets = windows.buckets();
        let bucket = |window: usize, digit: i16| {
            let number = usize::from(digit.unsigned_abs()).checked_sub(1)?;
            Some(window * buckets + number)
        };
        // Counts, shifted by one place, become the ends of the preceding buckets.
        let mut first = vec![0; windows.count * buckets + 1];
        for row in digits.chunks_exact(windows.count) {
            for (window, digit) in row.iter().enumerate() {
                if let Some(bucket) = bucket(window, *digit) {
                    first[bucket + 1] += 1;
                }
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut entries = vec![Entry::default(); sum];
        let mut next = first.clone();
        for (number, row) in digits.chunks_exact(windows.count).enumerate() {
            for (window, digit) in row.iter().enumerate() {
                if let Some(bucket) = bucket(window, *digit) {
                    entries[next[bucket]] = Entry((number as u32) << 1 | u32::from(*digit < 0));
                    next[bucket] += 1;
                }
            }
        }
        Self { windows, entries, first }
    }

    /// Returns the number of buckets of all windows.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the points of a bucket; buckets of a window are consecutive, from digit 1 on.
    #[inline(always)]
    pub fn list(&self, bucket: usize) -> &[Entry] {
        &self.entries[self.first[bucket]..self.first[bucket + 1]]
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn digits_make_their_half() {
        let mut random = ChaCha8Rng::seed_from_u64(0xd1);
        let mut halves: Vec<u128> = vec![0, 1, u128::MAX, u128::MAX - 1, 1 << 127, (1 << 127) - 1];
        halves.extend((0..128).map(|bit| 1u128 << bit));
        halves.extend((0..200).map(|_| random.gen::<u128>() >> random.gen_range(0..128)));
        for bits in 2..=MOST_BITS {
            let windows = Windows::new(bits);
            for magnitude in &halves {
                for is_negative in [false, true] {
                    let half = ShortHalf { magnitude: *magnitude, is_negative };
                    let mut sum = BigInt::default();
                    for (window, digit) in windows.digits(&half).enumerate() {
                        assert!(digit.unsigned_abs() as usize <= windows.buckets());
                        sum += BigInt::from(digit) << windows.shift(window);
                    }
                    let magnitude = BigInt::from(*magnitude);
                    assert_eq!(sum, if is_negative { -magnitude } else { magnitude }, "{bits}");
                }
            }
        }
    }

    #[test]
    fn more_points_have_wider_windows() {
        let widths = [1, 8, 64, 1 << 10, 1 << 14, 1 << 18]
            .map(|points| [1, 8].map(|lanes| Windows::best(points, lanes).bits));
        assert!(widths.is_sorted_by(|a, b| a[0] <= b[0] && a[1] <= b[1]), "{widths:?}");
        assert!(widths[0][0] <= 4 && widths[5][1] >= 12, "{widths:?}");
    }
}
