// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers in windows of signed digits.

/// Windows of digits from −2^(width − 1) to 2^(width − 1).
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// The bits of a digit, from 2 to 15.
    pub width: u32,
    /// The number of windows.
    pub count: u32,
}

impl Windows {
    /// Returns the windows of numbers of at most this many bits, up to 255.
    pub fn new(width: u32, bits: u32) -> Self {
        Self { width, count: (bits + 1).div_ceil(width) }
    }

    /// Returns the largest digit.
    pub fn most(self) -> usize {
        1 << (self.width - 1)
    }

    /// Returns a number plus 2^(width − 1) in each window, so that a digit does not depend on lower
    /// bits.
    pub fn raise(self, number: &[u64; 4]) -> Raised {
        let mut offset = [0u64; 5];
        for window in 0..self.count {
            let bit = window * self.width + self.width - 1;
            offset[bit as usize / 64] |= 1 << (bit % 64);
        }
        let (mut raised, mut carry) = ([0; 6], 0u128);
        for word in 0..5 {
            let limb = number.get(word).copied().unwrap_or(0);
            carry += u128::from(limb) + u128::from(offset[word]);
            raised[word] = carry as u64;
            carry >>= 64;
        }
        Raised(raised)
    }
}

/// A raised number of at most 269 bits, and a word of zeros.
#[derive(Clone, Copy, Debug)]
pub struct Raised([u64; 6]);

impl Raised {
    /// Returns the digit of a window; zero for windows beyond the last one.
    #[inline(always)]
    pub fn digit(&self, windows: Windows, window: u32) -> i32 {
        if window >= windows.count {
            return 0;
        }
        let bit = window * windows.width;
        let (word, shift) = (bit as usize / 64, bit % 64);
        let bits = self.0[word] >> shift | self.0[word + 1] << 1 << (63 - shift);
        // The last window has no window above it, and keeps its carry.
        let carry = u32::from(window + 1 == windows.count);
        let mask = (1 << (windows.width + carry)) - 1;
        (bits & mask) as i32 - windows.most() as i32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(number: [u64; 4], bits: u32, width: u32) {
        use num_bigint::BigInt;
        let windows = Windows::new(width, bits);
        let raised = windows.raise(&number);
        let digit = |window| raised.digit(windows, window);
        let most = windows.most() as i32;
        assert!((0..windows.count).all(|window| digit(window).abs() <= most));
        let sum: BigInt =
            (0..windows.count).map(|window| BigInt::from(digit(window)) << (window * width)).sum();
        let value: BigInt =
            (0..4).map(|word| BigInt::from(number[word as usize]) << (64 * word)).sum();
        assert_eq!(sum, value, "{number:x?}, {bits} bits, width {width}");
        assert_eq!(digit(windows.count), 0);
    }

    #[test]
    fn the_digits_of_extreme_numbers_sum_to_them() {
        for width in 2..16 {
            for (bits, most) in [(127, [u64::MAX, u64::MAX >> 1, 0, 0]), (252, [u64::MAX; 4])] {
                let mut most = most;
                most[3] = most[3].min((1 << 60) - 1);
                check([0; 4], bits, width);
                check([1, 0, 0, 0], bits, width);
                check(most, bits, width);
            }
        }
    }

    proptest! {
        #[test]
        fn the_digits_sum_to_the_number(mut number: [u64; 4], width in 2u32..16) {
            number[3] >>= 4;
            check(number, 252, width);
            check([number[0], number[1] >> 1, 0, 0], 127, width);
            number[3] = number[3] << 3 | 7;
            check(number, 255, width);
        }
    }
}
