// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples wide Gaussians, which hide errors in shared decryptions: up to a standard deviation of
//! 2¹¹⁰, exact to the last bit, in constant time.
//!
//! A number is Σ mᵢ·xᵢ. The xᵢ come from the discrete Gaussian D of standard deviation s₀ = 8 by a
//! cumulative table. The mᵢ are 1, 4, 16, …, 4^(k−1) and a last one of at most 4^k, chosen for the
//! requested deviation (convolution: Pöppelmann, Ducas, Güneysu, CHES 2014; Micciancio, Walter,
//! CRYPTO 2017). The distance from the discrete Gaussian of standard deviation σ, σ² = s₀²·Σ mᵢ²:
//!
//! - The sum of the lower terms, of deviation σ₁, and of m·x, of deviation m·s₀, has the weight
//!   ρ_σ(z)·Σ_(y ∈ mℤ + c) ρ_σ'(y), σ'² = σ₁²·m²s₀²/(σ₁² + m²s₀²). As m ≤ 4^k, σ₁ ≥ m·s₀/4 and σ' ≥
//!   1.94·m. By Poisson's summation, the sum is the same for all z up to a relative difference of
//!   2·exp(−2π²·1.94²) < 2⁻¹⁰⁶. All convolutions together change a probability by a relative
//!   difference of less than 2⁻⁹⁹.
//! - The table has 103 thresholds of 127 bits. The Kullback–Leibler divergence of its output from D
//!   is below 2⁻¹²⁴. This includes the tail beyond 12.9·s₀, of probability 2⁻¹²³, that is cut off.
//!
//! Therefore the divergence of a number is below [`DRAWS`]·2⁻¹²⁴. Both signs have the same
//! probability.

use std::sync::OnceLock;

use halimede_arith::{EngineBackend, LaneBackend};
use zeroize::{Zeroize, Zeroizing};

use super::Random;
use crate::ring::Work;
use crate::wiping::with_stack_wiped;

/// log₂ of the largest standard deviation.
pub(crate) const WIDEST_BITS: f64 = 110.0;

/// A number exceeds this many standard deviations with a probability below 2⁻¹⁸⁰.
pub(crate) const WIDEST: f64 = 16.0;

/// The maximal number of draws from the table for a number.
pub(crate) const DRAWS: f64 = 56.0;

/// −log₂ of an upper bound of the Kullback–Leibler divergence of a draw from the discrete Gaussian.
pub(crate) const DIVERGENCE_BITS: f64 = 124.0;

/// s₀², the variance of a draw.
const VARIANCE: u32 = 64;

/// The largest magnitude of a draw.
const TAIL: usize = 103;

/// Numbers that are drawn at a time.
const BLOCK: usize = 512;

/// Numbers that are compared with the table at a time.
const LANES: usize = 32;

/// Samples `count` numbers of the discrete Gaussian with a standard deviation from 8 to 2¹¹⁰. The
/// actual deviation exceeds the requested one by at most 32. For less than 8, it is 8.
///
/// # Panics
/// Panics for a larger deviation.
pub(crate) fn wide_gaussian(
    random: &mut Random,
    deviation: f64,
    count: usize,
) -> Zeroizing<Vec<i128>> {
    let (bounds, multipliers) = (thresholds().map(halves), multipliers(deviation));
    let mut numbers = Zeroizing::new(vec![0i128; count]);
    let mut words = [0u64; 2 * BLOCK];
    for block in numbers.chunks_mut(BLOCK) {
        for &multiplier in &multipliers {
            let words = &mut words[..2 * block.len()];
            random.words(words);
            let draws = Draws { bounds: &bounds, words, numbers: block, multiplier };
            with_stack_wiped(|| draws.add_on(LaneBackend::active()));
        }
    }
    words.zeroize();
    numbers
}

/// Adds a multiple of a draw from the table to each number. A draw uses two words: 127 bits that
/// are compared with every entry, and a sign. No branch depends on them.
struct Draws<'a> {
    bounds: &'a [[i64; 2]; TAIL],
    words: &'a [u64],
    numbers: &'a mut [i128],
    multiplier: i128,
}

impl Draws<'_> {
    /// Adds the draws with the instructions of a backend. Without lanes, comparisons of 128 bits
    /// take less time than those of two words.
    fn add_on(self, backend: LaneBackend) {
        if backend != LaneBackend::Portable {
            return self.run_on(backend);
        }
        let Self { words, numbers, multiplier, .. } = self;
        let thresholds = thresholds();
        for (number, pair) in numbers.iter_mut().zip(words.chunks_exact(2)) {
            let bits = (u128::from(pair[0]) << 64) | u128::from(pair[1]);
            let is_below = |bound: &u128| i64::from(bits >> 1 < *bound);
            *number += multiplier * signed(thresholds.iter().map(is_below).sum(), pair[1]);
        }
    }
}

impl Work for Draws<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { bounds, words, numbers, multiplier } = self;
        for (numbers, pairs) in numbers.chunks_mut(LANES).zip(words.chunks(2 * LANES)) {
            let (mut high, mut low) = ([0i64; LANES], [0i64; LANES]);
            let mut magnitudes = [0i64; LANES];
            for ((high, low), pair) in high.iter_mut().zip(&mut low).zip(pairs.chunks_exact(2)) {
                let bits = (u128::from(pair[0]) << 64) | u128::from(pair[1]);
                [*high, *low] = halves(bits >> 1);
            }
            for [bound_high, bound_low] in bounds {
                for ((magnitude, high), low) in magnitudes.iter_mut().zip(&high).zip(&low) {
                    let is_below = (high < bound_high) | ((high == bound_high) & (low < bound_low));
                    *magnitude += i64::from(is_below);
                }
            }
            let draws = numbers.iter_mut().zip(&magnitudes).zip(pairs.chunks_exact(2));
            for ((number, magnitude), pair) in draws {
                *number += multiplier * signed(*magnitude, pair[1]);
            }
        }
    }
}

/// The upper 64 and the lower 64 bits of a number below 2¹²⁷, as signed words in the order of the
/// unsigned ones: vectors compare signed words.
#[inline(always)]
fn halves(number: u128) -> [i64; 2] {
    [(number >> 64) as i64, (number as u64 ^ 1 << 63) as i64]
}

/// A magnitude with the sign of the lowest bit of a word, without a branch.
#[inline(always)]
fn signed(magnitude: i64, word: u64) -> i128 {
    let sign = (word & 1) as i64;
    i128::from((magnitude ^ -sign) + sign)
}

/// Returns the mᵢ for a deviation.
fn multipliers(deviation: f64) -> Vec<i128> {
    assert!(deviation <= WIDEST_BITS.exp2(), "a standard deviation of {deviation} is too large");
    // Squares divided by s₀²: the remaining variance, and that of the next multiplier.
    let mut left = deviation.powi(2) / f64::from(VARIANCE);
    let mut square = 1.0f64;
    let mut multipliers = Vec::new();
    while left > square {
        multipliers.push(square.sqrt() as i128);
        left -= square;
        square *= 16.0;
    }
    multipliers.push((left.sqrt().ceil() as i128).max(1));
    multipliers
}

/// 2¹²⁷ times the probability that a draw's absolute value is at least k, for k from 1 on.
fn thresholds() -> &'static [u128; TAIL] {
    static THRESHOLDS: OnceLock<[u128; TAIL]> = OnceLock::new();
    THRESHOLDS.get_or_init(|| {
        // weights[k] = 2¹²²·exp(−k²/2s₀²), the product of exp(−(2j + 1)/2s₀²) for j < k.
        let first = exponential(2 * VARIANCE);
        let step = high_product(first, first);
        let mut weights = [1u128 << 122; TAIL + 1];
        let mut factor = first;
        for k in 1..=TAIL {
            weights[k] = high_product(weights[k - 1], factor);
            factor = high_product(factor, step);
        }
        // Smallest terms first, so that none is lost to rounding.
        let tail = |from: usize| 2 * weights[from..].iter().rev().sum::<u128>();
        let all = weights[0] + tail(1);
        std::array::from_fn(|k| fraction(tail(k + 1), all) >> 1)
    })
}

/// ⌊2¹²⁸·exp(−1/d)⌋, or slightly less, by its series.
fn exponential(d: u32) -> u128 {
    let mut term = (1u128 << 127) / u128::from(d) * 2;
    let (mut sum, mut order) = (0u128, 1);
    while term != 0 {
        // 1 is 2¹²⁸, which wraps to 0.
        sum = if order % 2 == 1 { sum.wrapping_sub(term) } else { sum.wrapping_add(term) };
        order += 1;
        term /= u128::from(d * order);
    }
    sum
}

/// ⌊a·b / 2¹²⁸⌋.
fn high_product(a: u128, b: u128) -> u128 {
    let mask = u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, a & mask, b >> 64, b & mask);
    let (middle, other) = (a1 * b0, a0 * b1);
    let carry = (((a0 * b0) >> 64) + (middle & mask) + (other & mask)) >> 64;
    a1 * b1 + (middle >> 64) + (other >> 64) + carry
}

/// ⌊2¹²⁸·a / b⌋ for a < b < 2¹²⁷.
fn fraction(mut a: u128, b: u128) -> u128 {
    let mut quotient = 0u128;
    for _ in 0..128 {
        a <<= 1;
        let fits = a >= b;
        a -= if fits { b } else { 0 };
        quotient = (quotient << 1) | u128::from(fits);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    /// 2⁹⁰⁰·exp(−k²/128).
    fn exact_weight(k: usize) -> BigInt {
        let mut term = BigInt::from(1) << 900usize;
        let (mut sum, mut order) = (BigInt::from(0), 0i64);
        while term != BigInt::from(0) {
            sum += &term;
            order += 1;
            term = -term * (k * k) / (128 * order);
        }
        sum
    }

    /// A draw with 128-bit comparisons.
    fn draw(high: u64, low: u64) -> i128 {
        let bits = (u128::from(high) << 64) | u128::from(low);
        let magnitude = thresholds().iter().filter(|bound| bits >> 1 < **bound).count() as i128;
        if bits & 1 == 1 {
            -magnitude
        } else {
            magnitude
        }
    }

    /// Random words and those next to a threshold give the same draws on all backends.
    #[test]
    fn all_backends_draw_the_same_numbers() {
        let mut words = vec![0u64; 2 * 37];
        Random::of_test(9).words(&mut words);
        words.extend([0, 0, 0, 1, u64::MAX, u64::MAX, u64::MAX, u64::MAX - 1]);
        for bound in thresholds() {
            for bits in [bound << 1, (bound - 1) << 1, (bound << 1) | 1, ((bound - 1) << 1) | 1] {
                words.extend([(bits >> 64) as u64, bits as u64]);
            }
            let other = (bound << 1) ^ (1 << 63);
            words.extend([(other >> 64) as u64, other as u64]);
        }
        let expected: Vec<i128> =
            words.chunks_exact(2).map(|pair| 5 - 7 * draw(pair[0], pair[1])).collect();
        assert!(!expected.len().is_multiple_of(LANES));
        let bounds = thresholds().map(halves);
        for backend in LaneBackend::available() {
            let mut numbers = vec![5i128; expected.len()];
            let draws =
                Draws { bounds: &bounds, words: &words, numbers: &mut numbers, multiplier: -7 };
            draws.add_on(backend);
            assert_eq!(numbers, expected, "{}", backend.name());
        }
    }

    fn to_f64(number: &BigInt, bits: i32) -> f64 {
        let shift = number.bits().saturating_sub(60) as usize;
        let (sign, words) = (number >> shift).to_u64_digits();
        let value = words.first().copied().unwrap_or(0) as f64;
        let value = if sign == num_bigint::Sign::Minus { -value } else { value };
        value * 2f64.powi(shift as i32 - bits)
    }

    #[test]
    fn the_table_diverges_from_the_gaussian_by_less_than_is_said() {
        let weights: Vec<BigInt> = (0..160).map(exact_weight).collect();
        let all = &weights[0] + weights[1..].iter().sum::<BigInt>() * 2;
        let thresholds = thresholds();
        let at = |k: usize| match k {
            0 => BigInt::from(1) << 127usize,
            _ => thresholds.get(k - 1).map_or(BigInt::from(0), |bound| BigInt::from(*bound)),
        };
        // Σ (p' − p)²/p bounds the divergence Σ p'·ln(p'/p).
        let mut divergence = 0.0;
        for (k, weight) in weights.iter().enumerate() {
            let times = if k == 0 { 1 } else { 2 };
            let exact = ((weight * times) << 300usize) / &all;
            let got = (at(k) - at(k + 1)) << 173usize;
            let difference = to_f64(&(got - &exact), 300);
            let probability = to_f64(&exact, 300);
            divergence += difference * (difference / probability.max(1e-300));
        }
        println!("2^{:.1}", divergence.log2());
        assert!(divergence < (-DIVERGENCE_BITS).exp2() && divergence > 0.0, "{divergence:e}");
        assert!(thresholds.windows(2).all(|pair| pair[0] > pair[1]) && thresholds[TAIL - 1] > 0);
    }

    #[test]
    fn deviations_are_what_is_asked_for() {
        for bits in 0..=10_000 {
            let deviation = (f64::from(bits) * WIDEST_BITS / 10_000.0).exp2();
            let multipliers = multipliers(deviation);
            assert!(multipliers.len() as f64 <= DRAWS);
            let squares: f64 = multipliers.iter().map(|by| (*by as f64).powi(2)).sum();
            let got = (squares * f64::from(VARIANCE)).sqrt();
            let most = (8.0 / deviation).max(1.0 + 32.0 / deviation);
            assert!((1.0 - 1e-14..=most + 1e-14).contains(&(got / deviation)), "{deviation} {got}");
            // Each multiplier is small enough relative to the sum of those before it.
            let last = multipliers.len() - 1;
            assert!((0..last).all(|i| multipliers[i] == 1 << (2 * i)));
            assert!((1..=1 << (2 * last)).contains(&multipliers[last]));
        }
    }

    /// Checks that numbers fall into classes as often as expected: at most 24 degrees of freedom.
    fn check_classes(seen: &[usize], expected: &[f64], what: &str) {
        let chi = |(seen, expected): (&usize, &f64)| (*seen as f64 - expected).powi(2) / expected;
        let chi: f64 = seen.iter().zip(expected).map(chi).sum();
        assert!(chi < 62.0, "{what}: {chi}, {seen:?}, {expected:?}");
    }

    #[test]
    fn small_deviations_have_each_value_as_often_as_its_weight() {
        const COUNT: usize = 300_000;
        for deviation in [8.0, 20.0, 50.0] {
            let numbers = wide_gaussian(&mut Random::of_test(3), deviation, COUNT);
            let squares: i128 = multipliers(deviation).iter().map(|by| by * by).sum();
            let variance = (squares * i128::from(VARIANCE)) as f64;
            let weight = |z: i32| (-0.5 * f64::from(z).powi(2) / variance).exp();
            let all: f64 = (-2000..=2000).map(weight).sum();
            let values: Vec<i32> = (-12..=12).collect();
            let count =
                |z: &i32| numbers.iter().filter(|number| **number == i128::from(*z)).count();
            let seen: Vec<usize> = values.iter().map(count).collect();
            let expected = |z: &i32| weight(*z) / all * COUNT as f64;
            let expected: Vec<f64> = values.iter().map(expected).collect();
            check_classes(&seen, &expected, &format!("deviation {deviation}"));
        }
    }

    #[test]
    fn each_tenth_has_its_share() {
        const COUNT: usize = 100_001;
        for bits in [12, 30, 58, 63, 64, 80, 110] {
            let deviation = 2f64.powi(bits) * if bits < 110 { 1.3 } else { 1.0 };
            let numbers = wide_gaussian(&mut Random::of_test(5), deviation, COUNT);
            assert_eq!(numbers.len(), COUNT);
            // The deciles of the standard normal distribution.
            let deciles = [-1.281_551_6, -0.841_621_2, -0.524_400_5, -0.253_347_1, 0.0];
            let mut bounds = deciles.to_vec();
            bounds.extend(deciles.iter().rev().skip(1).map(|bound| -bound));
            let mut seen = [0usize; 10];
            for number in numbers.iter() {
                let value = *number as f64 / deviation;
                assert!(value.abs() <= WIDEST, "{value}");
                seen[bounds.iter().filter(|bound| value > **bound).count()] += 1;
            }
            check_classes(&seen, &[COUNT as f64 / 10.0; 10], &format!("deciles at 2^{bits}"));
            let pairs = numbers.chunks_exact(2).map(|two| two[0] as f64 * two[1] as f64);
            let correlation = pairs.sum::<f64>() / deviation.powi(2) / (COUNT as f64 / 2.0);
            assert!(correlation.abs() < 5.0 / (COUNT as f64 / 2.0).sqrt(), "{correlation}");
        }
    }

    /// A double of 58 bits ends with zeros. Anything added to it would show its lowest bits.
    #[test]
    fn the_lowest_bits_are_uniform_whatever_the_deviation() {
        const COUNT: usize = 64_000;
        for deviation in [2f64.powi(11), 2f64.powi(58), 2f64.powi(64) * 1.1, 2f64.powi(110)] {
            let numbers = wide_gaussian(&mut Random::of_test(6), deviation, COUNT);
            let highest = deviation.log2() as u32 - 5;
            for shift in (0..highest).step_by(4) {
                let mut seen = [0usize; 16];
                numbers.iter().for_each(|number| seen[((number >> shift) & 15) as usize] += 1);
                let what = format!("bits from {shift} on of deviation {deviation:e}");
                check_classes(&seen, &[COUNT as f64 / 16.0; 16], &what);
            }
        }
    }

    #[test]
    #[should_panic(expected = "a standard deviation of")]
    fn a_deviation_that_is_too_large_is_a_bug() {
        let _ = wide_gaussian(&mut Random::of_test(7), 2f64.powi(111), 1);
    }
}
