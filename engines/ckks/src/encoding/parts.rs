// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inverse embedding with vector instructions, for real and imaginary parts in separate arrays.
//! It applies the operations of [`Embedding::to_coefficients`] to each value in the same order, so
//! the results have the same bits.
//!
//! The n values are blocks of √n values, or of √2n if that is not an integer. The first stages pair
//! values of different blocks. The other stages pair values within blocks, which would be in the
//! same vector register. Therefore the blocks are transposed, in bit-reversed order, and the stages
//! pair rows.

use super::embedding::Embedding;
use crate::complex::Complex;
use crate::ring::{LaneBackend, Work};

/// The smallest number of values for which this is worthwhile: rows have eight.
const LEAST: usize = 64;
/// Rows and columns that are transposed at a time.
const TILE: usize = 8;

/// The real and the imaginary parts.
pub(super) type Parts = [Vec<f64>; 2];

/// Returns the coefficients aₖ and aₖ₊ₙ of n real or complex values.
pub(super) fn coefficients(
    embedding: &Embedding,
    values: &[Complex],
    backend: LaneBackend,
) -> Parts {
    if values.len() < LEAST {
        let mut values = values.to_vec();
        embedding.to_coefficients(&mut values);
        return parts(&values);
    }
    Inverse { embedding, values }.run_on(backend)
}

/// Splits numbers into real and imaginary parts.
fn parts(values: &[Complex]) -> Parts {
    [values.iter().map(|value| value.re).collect(), values.iter().map(|value| value.im).collect()]
}

/// The largest absolute value of a part.
pub(super) struct Largest<'a>(pub &'a Parts);

impl Work for Largest<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        // Eight lanes, in any order.
        let mut most = [0.0f64; TILE];
        for part in self.0 {
            for values in part.chunks(TILE) {
                most.iter_mut().zip(values).for_each(|(most, value)| *most = most.max(value.abs()));
            }
        }
        most.into_iter().fold(0.0, f64::max)
    }
}

/// Rounds the parts times a factor to the nearest integers, the real parts first.
pub(super) struct Round<'a> {
    pub parts: &'a Parts,
    pub factor: f64,
}

impl Work for Round<'_> {
    type Output = Vec<i64>;

    #[inline(always)]
    fn run(self) -> Vec<i64> {
        let rounded = |value: &f64| (value * self.factor + 0.5).floor() as i64;
        let mut all = Vec::with_capacity(2 * self.parts[0].len());
        self.parts.iter().for_each(|part| all.extend(part.iter().map(rounded)));
        all
    }
}

struct Inverse<'a> {
    embedding: &'a Embedding,
    values: &'a [Complex],
}

impl Work for Inverse<'_> {
    type Output = Parts;

    #[inline(always)]
    fn run(self) -> Parts {
        let Self { embedding, values } = self;
        let count = values.len();
        let row = 1 << (count.trailing_zeros() / 2);
        let block = count / row;
        let mut parts = parts(values);
        let mut half = count / 2;
        while half >= block {
            stage_of_blocks(&mut parts, half, embedding.stage(half));
            half /= 2;
        }
        let mut rows = parts.map(|part| transposed(&part, block, row));
        while half > 0 {
            stage_of_rows(&mut rows, half, row, embedding.stage(half));
            half /= 2;
        }
        let factor = 1.0 / count as f64;
        rows.map(|part| {
            let mut ordered = vec![0.0; count];
            for (place, from) in part.chunks_exact(row).enumerate() {
                let to = reversed(place, block) * row;
                ordered[to..to + row].iter_mut().zip(from).for_each(|(to, x)| *to = *x * factor);
            }
            ordered
        })
    }
}

/// The stage that pairs values `half` apart.
#[inline(always)]
fn stage_of_blocks([re, im]: &mut Parts, half: usize, roots: &[Complex]) {
    for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
        let ((low_re, high_re), (low_im, high_im)) = (re.split_at_mut(half), im.split_at_mut(half));
        let low = low_re.iter_mut().zip(low_im);
        let high = high_re.iter_mut().zip(high_im);
        for ((low, high), root) in low.zip(high).zip(roots) {
            butterfly(low, high, root.conjugate());
        }
    }
}

/// The stage that pairs rows `half` apart.
#[inline(always)]
fn stage_of_rows([re, im]: &mut Parts, half: usize, row: usize, roots: &[Complex]) {
    let span = half * row;
    for (re, im) in re.chunks_exact_mut(2 * span).zip(im.chunks_exact_mut(2 * span)) {
        let ((low_re, high_re), (low_im, high_im)) = (re.split_at_mut(span), im.split_at_mut(span));
        let low = low_re.chunks_exact_mut(row).zip(low_im.chunks_exact_mut(row));
        let high = high_re.chunks_exact_mut(row).zip(high_im.chunks_exact_mut(row));
        for (((low_re, low_im), (high_re, high_im)), root) in low.zip(high).zip(roots) {
            let root = root.conjugate();
            let low = low_re.iter_mut().zip(low_im);
            low.zip(high_re.iter_mut().zip(high_im)).for_each(|(low, high)| {
                butterfly(low, high, root);
            });
        }
    }
}

/// a + b, and (a − b)·root.
#[inline(always)]
fn butterfly(low: (&mut f64, &mut f64), high: (&mut f64, &mut f64), root: Complex) {
    let (a, b) = (Complex::new(*low.0, *low.1), Complex::new(*high.0, *high.1));
    let (sum, product) = (a + b, (a - b) * root);
    (*low.0, *low.1) = (sum.re, sum.im);
    (*high.0, *high.1) = (product.re, product.im);
}

/// Returns a matrix whose row j has value j of each of the `row` blocks, in bit-reversed order of
/// the blocks.
#[inline(always)]
fn transposed(values: &[f64], block: usize, row: usize) -> Vec<f64> {
    let mut transposed = vec![0.0; values.len()];
    for column in (0..row).step_by(TILE) {
        let mut blocks = [&values[..0]; TILE];
        for (index, of) in blocks.iter_mut().enumerate() {
            *of = &values[reversed(column + index, row) * block..][..block];
        }
        for (place, to) in transposed.chunks_exact_mut(row).enumerate() {
            for (to, of) in to[column..column + TILE].iter_mut().zip(&blocks) {
                *to = of[place];
            }
        }
    }
    transposed
}

/// Reverses the bits of a number below `count`, a power of two.
fn reversed(number: usize, count: usize) -> usize {
    match count {
        1 => 0,
        _ => number.reverse_bits() >> (usize::BITS - count.trailing_zeros()),
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::EngineBackend;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn parts_have_the_bits_of_complex_numbers() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for log_slots in 0..=15 {
            let embedding = Embedding::new(log_slots);
            for is_real in [false, true] {
                let mut part = || random.gen_range(-1.0..1.0);
                let mut value = || Complex::new(part(), if is_real { 0.0 } else { part() });
                let values: Vec<Complex> = (0..1 << log_slots).map(|_| value()).collect();
                let mut expected = values.clone();
                embedding.to_coefficients(&mut expected);
                let bits =
                    |parts: Parts| parts.map(|of| of.into_iter().map(f64::to_bits).collect());
                let expected: [Vec<u64>; 2] = bits(parts(&expected));
                for backend in LaneBackend::ALL.iter().filter(|backend| backend.is_available()) {
                    let got: [Vec<u64>; 2] = bits(coefficients(&embedding, &values, *backend));
                    assert!(got == expected, "{backend}, 2^{log_slots} values");
                }
            }
        }
    }
}
