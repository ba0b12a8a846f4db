// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples wide uniform numbers, which mask the messages of collective refreshes, in constant time.

use zeroize::Zeroizing;

use super::Random;

/// Random words of a number.
const WORDS: usize = 3;
/// Numbers that are drawn at a time.
const BLOCK: usize = 256;

/// Samples `count` numbers that are uniform in [−2^`bits`, 2^`bits`). Each is h·2^`shift` + l with
/// 0 ≤ l < 2^`shift`: returns all h, and all l.
///
/// # Panics
/// Panics unless `shift` is from 1 to 63, and `bits` from 1 to `shift` + 124.
pub(crate) fn wide_uniform(
    random: &mut Random,
    bits: u32,
    shift: u32,
    count: usize,
) -> (Zeroizing<Vec<i128>>, Zeroizing<Vec<i128>>) {
    assert!((1..=63).contains(&shift), "a shift of {shift} bits");
    assert!((1..=shift + 124).contains(&bits), "{bits} bits");
    let mut upper = Zeroizing::new(vec![0i128; count]);
    let mut lower = Zeroizing::new(vec![0i128; count]);
    let mut words = Zeroizing::new([0u64; WORDS * BLOCK]);
    let below = (1u64 << shift) - 1;
    for (upper, lower) in upper.chunks_mut(BLOCK).zip(lower.chunks_mut(BLOCK)) {
        let words = &mut words[..WORDS * upper.len()];
        random.words(words);
        for ((upper, lower), word) in
            upper.iter_mut().zip(lower.iter_mut()).zip(words.chunks_exact(WORDS))
        {
            if bits >= shift {
                let high = (u128::from(word[1]) << 64) | u128::from(word[2]);
                let high = high & ((1 << (bits + 1 - shift)) - 1);
                *upper = high as i128 - (1 << (bits - shift));
                *lower = i128::from(word[0] & below);
            } else {
                // At most 63 bits.
                let number = (word[0] & ((1 << (bits + 1)) - 1)) as i64 - (1 << bits);
                *upper = i128::from(number >> 63);
                *lower = i128::from(number as u64 & below);
            }
        }
    }
    (upper, lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_in_their_range() {
        for (bits, shift) in [(1, 1), (2, 63), (40, 63), (62, 63), (63, 63), (64, 63), (120, 52)] {
            let (upper, lower) = wide_uniform(&mut Random::of_test(bits.into()), bits, shift, 4096);
            let mut seen = [0usize; 4];
            for (upper, lower) in upper.iter().zip(lower.iter()) {
                assert!((0..1 << shift).contains(lower), "{bits} {shift}");
                let number = (upper << shift) + lower;
                assert!((-(1i128 << bits)..1 << bits).contains(&number), "{bits} {shift}");
                seen[((number >> (bits - 1)) & 3) as usize] += 1;
            }
            // 1024 each, with a standard deviation of 27.7.
            assert!(seen.iter().all(|seen| seen.abs_diff(1024) < 167), "{bits} {shift} {seen:?}");
        }
        let (upper, _) = wide_uniform(&mut Random::of_test(3), 187, 63, 4096);
        let largest = upper.iter().map(|upper| upper.unsigned_abs()).max().unwrap();
        assert!((1 << 123..=1 << 124).contains(&largest));
    }
}
