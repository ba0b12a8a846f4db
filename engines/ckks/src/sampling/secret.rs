// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples secrets of −1, 0 and 1, in constant time.

use zeroize::Zeroizing;

use super::Random;

/// Samples `count` numbers, each −1, 0 or 1 with a probability within 2⁻⁶⁴ of 1/3.
pub(crate) fn ternary(random: &mut Random, count: usize) -> Zeroizing<Vec<i8>> {
    let mut words = Zeroizing::new(vec![0u64; count]);
    random.words(&mut words);
    let draw = |word: &u64| ((u128::from(*word) * 3) >> 64) as i8 - 1;
    Zeroizing::new(words.iter().map(draw).collect())
}

/// Samples `count` numbers of which `weight` are ±1, at random positions (selection sampling:
/// Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S). Every position
/// takes the same steps.
pub(crate) fn sparse(random: &mut Random, count: usize, weight: usize) -> Zeroizing<Vec<i8>> {
    assert!(weight <= count, "weight {weight} with only {count} coefficients");
    let mut words = Zeroizing::new(vec![0u64; count]);
    random.words(&mut words);
    let mut left = weight as u64;
    let mut secret = Zeroizing::new(Vec::with_capacity(count));
    for (place, word) in words.iter().enumerate() {
        let (sign, uniform) = ((word & 1) as i8, word >> 1);
        // Chosen with probability left / (remaining positions).
        let drawn = ((u128::from(uniform) * (count - place) as u128) >> 63) as u64;
        let is_taken = u64::from(drawn < left);
        left -= is_taken;
        secret.push(is_taken as i8 * (1 - 2 * sign));
    }
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ternary_secrets_have_a_third_of_each() {
        let secret = ternary(&mut Random::of_test(2), 90_000);
        for value in -1..=1 {
            let seen = secret.iter().filter(|number| **number == value).count();
            // Five standard deviations of √(90,000·2/9) = 141.
            assert!(seen.abs_diff(30_000) < 710, "{value}: {seen}");
        }
        assert_eq!(secret.iter().filter(|number| number.abs() > 1).count(), 0);
    }

    #[test]
    fn sparse_secrets_have_their_weight_anywhere() {
        let mut random = Random::of_test(3);
        let mut seen = [0usize; 64];
        for _ in 0..2_000 {
            let secret = sparse(&mut random, 64, 12);
            assert_eq!(secret.iter().filter(|number| **number != 0).count(), 12);
            assert!(secret.iter().all(|number| number.abs() <= 1));
            for (seen, number) in seen.iter_mut().zip(secret.iter()) {
                *seen += usize::from(*number != 0);
            }
        }
        // 375 each, with a standard deviation of 17.5.
        assert!(seen.iter().all(|seen| seen.abs_diff(375) < 88), "{seen:?}");
        assert_eq!(sparse(&mut random, 5, 5).iter().filter(|n| **n == 0).count(), 0);
        assert_eq!(**sparse(&mut random, 5, 0), [0; 5]);
    }
}
