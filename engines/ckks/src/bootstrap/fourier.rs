// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The embedding and its inverse as products of sparse matrices. Both leave the coefficients in
//! bit-reversed order, which pointwise functions do not mind.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::encoding::{Complex, Embedding};
use crate::linear::{Diagonals, LinearError};

/// A matrix by its diagonals: entry (i, i + step) of each.
type Sparse = BTreeMap<usize, Vec<Complex>>;

/// The inverse embedding times `factor`, as `count` matrices, the one that is applied first in front.
/// Each has the same part of the factor, which is small: values become small soon enough for the
/// rounding of later matrices, and errors do later.
pub(super) fn to_coefficients(
    embedding: &Embedding,
    count: usize,
    factor: f64,
) -> Result<Vec<Diagonals>, LinearError> {
    let halves = halves(embedding.slots()).rev().map(|half| inverse_stage(embedding, half));
    let each = factor.powf(1.0 / count as f64);
    grouped(embedding.slots(), halves.collect(), &vec![each; count])
}

/// The embedding times `factor`, as `count` matrices, the one that is applied first in front. The first
/// has the factor: it is large, and would magnify the errors of all before.
pub(super) fn to_slots(
    embedding: &Embedding,
    count: usize,
    factor: f64,
) -> Result<Vec<Diagonals>, LinearError> {
    let stages = halves(embedding.slots()).map(|half| stage(embedding, half)).collect();
    let mut factors = vec![1.0; count];
    factors[0] = factor;
    grouped(embedding.slots(), stages, &factors)
}

/// What is known of a matrix before it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The steps of its diagonals.
    pub steps: Vec<usize>,
    /// After how many entries each of them repeats itself, at the latest.
    pub period: usize,
}

/// The patterns of the matrices of [`to_coefficients`].
pub(super) fn patterns_to_coefficients(slots: usize, count: usize) -> Vec<Pattern> {
    patterns(slots, halves(slots).rev().collect(), count)
}

/// The patterns of the matrices of [`to_slots`].
pub(super) fn patterns_to_slots(slots: usize, count: usize) -> Vec<Pattern> {
    patterns(slots, halves(slots).collect(), count)
}

/// A stage has diagonals at −half, 0 and half, a product of stages at all sums of theirs; the entries
/// of a stage repeat themselves after 2·half.
fn patterns(slots: usize, halves: Vec<usize>, count: usize) -> Vec<Pattern> {
    let all = |steps: BTreeSet<usize>, half: &usize| {
        let of = |step: &usize| [*step, step + half, step + slots - half].map(|step| step % slots);
        steps.iter().flat_map(of).collect()
    };
    let pattern = |part: Range<usize>| {
        let steps = halves[part.clone()].iter().fold(BTreeSet::from([0]), all);
        let period = halves[part].iter().fold(1, |period, half| period.max(2 * half));
        Pattern { steps: steps.into_iter().collect(), period }
    };
    parts(halves.len(), count).map(pattern).collect()
}

/// So many stages in so many groups of about as many.
pub(super) fn parts(stages: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).map(move |group| stages * group / count..stages * (group + 1) / count)
}

/// 1, 2, 4 … n/2.
fn halves(slots: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..slots.trailing_zeros()).map(|log| 1 << log)
}

/// (low, high) to (low + root·high, low − root·high).
fn stage(embedding: &Embedding, half: usize) -> Sparse {
    let roots = embedding.stage(half);
    let one = Complex::from(1.0);
    sparse(embedding.slots(), half, |j| [[one, roots[j]], [one, -roots[j]]])
}

/// (low, high) to half of (low + high, (low − high)/root).
fn inverse_stage(embedding: &Embedding, half: usize) -> Sparse {
    let roots = embedding.stage(half);
    let one = Complex::from(0.5);
    sparse(embedding.slots(), half, |j| {
        let root = roots[j].conjugate() * 0.5;
        [[one, one], [root, -root]]
    })
}

/// The matrix that applies a matrix of 2 × 2 to places j and j + half of each block of 2·half.
fn sparse(slots: usize, half: usize, of: impl Fn(usize) -> [[Complex; 2]; 2]) -> Sparse {
    let mut matrix = Sparse::new();
    let mut set = |row: usize, column: usize, value: Complex| {
        let zeros = || vec![Complex::default(); slots];
        let diagonal = matrix.entry((column + slots - row) % slots).or_insert_with(zeros);
        // With blocks of the whole vector both neighbours are one diagonal.
        diagonal[row] = diagonal[row] + value;
    };
    for row in 0..slots {
        let place = row % (2 * half);
        let (j, is_high) = (place % half, place >= half);
        let low = row - place + j;
        let [to_low, to_high] = of(j)[usize::from(is_high)];
        set(row, low, to_low);
        set(row, low + half, to_high);
    }
    matrix
}

/// a · b: b is applied first.
fn product(slots: usize, a: &Sparse, b: &Sparse) -> Sparse {
    let mut product = Sparse::new();
    for (first, left) in a {
        for (second, right) in b {
            let zeros = || vec![Complex::default(); slots];
            let diagonal = product.entry((first + second) % slots).or_insert_with(zeros);
            for (row, (sum, left)) in diagonal.iter_mut().zip(left).enumerate() {
                *sum = *sum + *left * right[(row + first) % slots];
            }
        }
    }
    product
}

/// Stages in the order of their application, multiplied to as many matrices as there are factors, about
/// as many each.
fn grouped(
    slots: usize,
    stages: Vec<Sparse>,
    factors: &[f64],
) -> Result<Vec<Diagonals>, LinearError> {
    let group = |(part, factor): (Range<usize>, &f64)| {
        let identity = Sparse::from([(0, vec![Complex::from(*factor); slots])]);
        let stages = &stages[part];
        let matrix = stages.iter().fold(identity, |so_far, stage| product(slots, stage, &so_far));
        Diagonals::new(slots, matrix.into_iter().map(|(step, diagonal)| (step as i64, diagonal)))
    };
    parts(stages.len(), factors.len()).zip(factors).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn assert_patterns(patterns: &[Pattern], matrices: &[Diagonals]) {
        assert_eq!(patterns.len(), matrices.len());
        for (pattern, matrix) in patterns.iter().zip(matrices) {
            assert_eq!(pattern.steps, matrix.steps().collect::<Vec<_>>());
            // None repeats itself later, and one not earlier.
            let repeats = |period: usize| {
                let mut all = pattern.steps.iter().map(|step| matrix.diagonal(*step).unwrap());
                all.all(|diagonal| diagonal.chunks(period).all(|run| run == &diagonal[..period]))
            };
            assert!(repeats(pattern.period) && !repeats(pattern.period / 2), "{pattern:?}");
        }
    }

    #[test]
    fn the_factors_are_the_embedding_but_for_the_order_and_a_factor() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for log_slots in [2, 5, 7] {
            let embedding = Embedding::new(log_slots);
            let slots = embedding.slots();
            let mut part = || rng.gen_range(-1.0..1.0);
            let vector: Vec<Complex> = (0..slots).map(|_| Complex::new(part(), part())).collect();
            let reverse = |i: usize| i.reverse_bits() >> (usize::BITS - log_slots);
            for count in 1..=3.min(log_slots as usize) {
                let mut expected = vector.clone();
                embedding.to_coefficients(&mut expected);
                let matrices = to_coefficients(&embedding, count, 0.25).unwrap();
                assert_patterns(&patterns_to_coefficients(slots, count), &matrices);
                let ours = matrices.iter().fold(vector.clone(), |v, matrix| matrix.apply(&v));
                for (i, ours) in ours.iter().enumerate() {
                    assert!((*ours - expected[reverse(i)] * 0.25).abs() < 1e-13);
                }
                let reversed: Vec<Complex> = (0..slots).map(|i| vector[reverse(i)]).collect();
                let mut expected = vector.clone();
                embedding.to_slots(&mut expected);
                let matrices = to_slots(&embedding, count, 3.0).unwrap();
                assert_patterns(&patterns_to_slots(slots, count), &matrices);
                let ours = matrices.iter().fold(reversed, |v, matrix| matrix.apply(&v));
                for (ours, expected) in ours.iter().zip(&expected) {
                    assert!((*ours - *expected * 3.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_group_of_stages_has_few_diagonals() {
        let embedding = Embedding::new(8);
        for matrix in to_slots(&embedding, 2, 1.0).unwrap() {
            assert!(matrix.steps().count() <= 31, "{}", matrix.steps().count());
        }
    }
}
