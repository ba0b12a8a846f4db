// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples errors: discrete Gaussians of standard deviation 3.2, in constant time.

use std::sync::OnceLock;

use zeroize::Zeroizing;

use super::Random;

/// The standard deviation (Homomorphic Encryption Standard, 2018, section 2).
pub(crate) const STANDARD_DEVIATION: f64 = 3.2;

/// The smallest value from which on the probability is below 2⁻⁶³.
const TAIL: usize = 30;

/// 2⁶³ times the probability that the absolute value is at least k, for k from 1 on.
fn thresholds() -> &'static [u64; TAIL] {
    static THRESHOLDS: OnceLock<[u64; TAIL]> = OnceLock::new();
    THRESHOLDS.get_or_init(|| {
        let weight = |k: usize| (-0.5 * (k as f64 / STANDARD_DEVIATION).powi(2)).exp();
        // Smallest terms first, so that none is lost to rounding.
        let both_tails = |from: usize| (from..3 * TAIL).rev().map(weight).sum::<f64>() * 2.0;
        let all = both_tails(1) + weight(0);
        std::array::from_fn(|k| (both_tails(k + 1) / all * 2f64.powi(63)) as u64)
    })
}

/// Samples `count` numbers of the discrete Gaussian, with a cumulative table. Each sample is
/// compared with all entries.
pub(crate) fn gaussian(random: &mut Random, count: usize) -> Zeroizing<Vec<i8>> {
    let thresholds = thresholds();
    let mut words = Zeroizing::new(vec![0u64; count]);
    random.words(&mut words);
    let draw = |word: &u64| {
        let uniform = word >> 1;
        let magnitude: i8 = thresholds.iter().map(|bound| i8::from(uniform < *bound)).sum();
        let sign = (word & 1) as i8;
        (magnitude ^ -sign) + sign
    };
    Zeroizing::new(words.iter().map(draw).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_comes_as_often_as_its_weight() {
        const COUNT: usize = 1 << 20;
        let numbers = gaussian(&mut Random::of_test(1), COUNT);
        let weight = |k: f64| (-0.5 * (k / STANDARD_DEVIATION).powi(2)).exp();
        let all: f64 = (-60..=60).map(|k| weight(f64::from(k))).sum();
        let mut chi_square = 0.0;
        for value in -12i8..=12 {
            let expected = weight(f64::from(value)) / all * COUNT as f64;
            let seen = numbers.iter().filter(|number| **number == value).count() as f64;
            chi_square += (seen - expected).powi(2) / expected;
        }
        // 25 degrees of freedom: 60 is exceeded once in ten thousand seeds.
        assert!(chi_square < 60.0, "{chi_square}");
        let square: f64 = numbers.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>() / COUNT as f64;
        assert!((square.sqrt() - STANDARD_DEVIATION).abs() < 0.02, "{}", square.sqrt());
        assert!(numbers.iter().all(|number| number.abs() < TAIL as i8));
    }

    #[test]
    fn the_table_ends_where_its_precision_does() {
        let thresholds = thresholds();
        assert!(thresholds.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(thresholds[TAIL - 1] < 1 << 8, "{}", thresholds[TAIL - 1]);
        assert!(thresholds[0] < 1 << 63);
    }
}
