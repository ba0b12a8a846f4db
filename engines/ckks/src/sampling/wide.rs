// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wide Gaussians, which hide errors in decryptions that leave their owner.

use zeroize::Zeroize;

use super::Random;

/// No number is larger than this many standard deviations: √(2·53·ln 2), rounded up.
pub(crate) const WIDEST: f64 = 8.58;

/// `count` numbers of a Gaussian with a standard deviation of up to 2⁵⁸, rounded to integers (Box,
/// Muller, "A note on the generation of random normal deviates", 1958).
///
/// Other than that of the samplers of secrets and errors, the time of logarithm and cosine may depend
/// a little on the numbers.
pub(crate) fn wide_gaussian(random: &mut Random, deviation: f64, count: usize) -> Vec<i64> {
    let mut words = vec![0u64; count.next_multiple_of(2)];
    random.words(&mut words);
    let unit = 2f64.powi(-53);
    let pair = |pair: &[u64]| {
        let radius = (-2.0 * (((pair[0] >> 11) + 1) as f64 * unit).ln()).sqrt() * deviation;
        let (sin, cos) = ((pair[1] >> 11) as f64 * unit * std::f64::consts::TAU).sin_cos();
        [(radius * cos).round() as i64, (radius * sin).round() as i64]
    };
    let mut numbers = Vec::with_capacity(words.len());
    words.chunks_exact(2).for_each(|two| numbers.extend(pair(two)));
    words.zeroize();
    numbers.truncate(count);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tenth_has_its_share() {
        const COUNT: usize = 200_001;
        for deviation in [3000.0, 2f64.powi(30), 2f64.powi(58)] {
            let numbers = wide_gaussian(&mut Random::of_test(5), deviation, COUNT);
            assert_eq!(numbers.len(), COUNT);
            // The deciles of the standard normal distribution.
            let deciles = [-1.281_551_6, -0.841_621_2, -0.524_400_5, -0.253_347_1, 0.0];
            let mut bounds = deciles.to_vec();
            bounds.extend(deciles.iter().rev().skip(1).map(|bound| -bound));
            let mut seen = [0usize; 10];
            for number in &numbers {
                let value = *number as f64 / deviation;
                assert!(value.abs() <= WIDEST, "{value}");
                seen[bounds.iter().filter(|bound| value > **bound).count()] += 1;
            }
            // Nine degrees of freedom: 35 is exceeded once in 20,000 seeds.
            let expected = COUNT as f64 / 10.0;
            let chi: f64 =
                seen.iter().map(|seen| (*seen as f64 - expected).powi(2) / expected).sum();
            assert!(chi < 35.0, "{deviation}: {seen:?}");
            let pairs = numbers.chunks_exact(2).map(|two| two[0] as f64 * two[1] as f64);
            let correlation = pairs.sum::<f64>() / deviation.powi(2) / (COUNT as f64 / 2.0);
            assert!(correlation.abs() < 5.0 / (COUNT as f64 / 2.0).sqrt(), "{correlation}");
        }
    }
}
