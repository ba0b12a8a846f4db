// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The embedding and its inverse as products of sparse matrices. Both leave the coefficients in
//! bit-reversed order, which does not affect pointwise functions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::complex::Complex;
use crate::encoding::Embedding;
use crate::linear::{Diagonals, LinearError};

/// A matrix by its diagonals: each holds the entries (i, i + step) for i from 0 up to a period,
/// after which the entries repeat.
type Sparse = BTreeMap<usize, Vec<Complex>>;

/// The matrix of a stage, for a length of vectors and half the length of a block.
type Stage = fn(&Embedding, usize, usize) -> Sparse;

/// The embedding of n slots and its inverse, each as a product of sparse matrices.
///
/// Vectors of 2n slots can hold the real and imaginary parts of coefficients next to each other in
/// between. The last matrix inwards then maps a vector that fills the slots twice to w and −i·w,
/// whose real parts are Re w and Im w. The first matrix outwards, of factor B, maps x and y to B·x
/// and i·B·y, whose sum is B·(x + i·y).
///
/// A stage has diagonals on both sides of 0. Rotations by multiples of one step reach all of them
/// if they are on one side. To move them there, the vectors between two matrices are rotated:
/// outwards by the sum of the halves of all stages before, inwards by that of all stages after. The
/// first input and the last result are not rotated: a rotation by n slots changes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fourier {
    /// The number of slots n.
    pub slots: usize,
    /// `true` if the real and imaginary parts are next to each other.
    pub is_paired: bool,
    /// `true` if all diagonals are on one side.
    pub is_one_sided: bool,
}

/// The properties of a matrix that are known before its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The length of vectors.
    pub slots: usize,
    /// The steps of its diagonals.
    pub steps: Vec<usize>,
    /// The number of entries after which each diagonal repeats, at the latest.
    pub period: usize,
}

/// The stages that make a matrix, in the order of their application.
struct Group {
    slots: usize,
    /// Half the block length of each stage.
    halves: Vec<usize>,
    /// The factor of the rows of the second half of the vector, if vectors have 2n slots.
    second: Option<Complex>,
    /// The number of slots by which vectors are rotated to the left before and after the matrix.
    rotated: [usize; 2],
}

impl Fourier {
    /// Returns the inverse embedding, with one matrix per factor, each multiplied by its factor.
    /// The matrix that is applied first comes first.
    pub fn to_coefficients(self, factors: &[f64]) -> Result<Vec<Diagonals>, LinearError> {
        self.matrices(&self.inwards(factors.len()), inverse_stage, factors)
    }

    /// Returns the embedding, likewise.
    pub fn to_slots(self, factors: &[f64]) -> Result<Vec<Diagonals>, LinearError> {
        self.matrices(&self.outwards(factors.len()), stage, factors)
    }

    /// Returns the patterns of the matrices of [`Self::to_coefficients`].
    pub fn patterns_to_coefficients(self, count: usize) -> Vec<Pattern> {
        self.inwards(count).iter().map(Group::pattern).collect()
    }

    /// Returns the patterns of the matrices of [`Self::to_slots`].
    pub fn patterns_to_slots(self, count: usize) -> Vec<Pattern> {
        self.outwards(count).iter().map(Group::pattern).collect()
    }

    fn inwards(self, count: usize) -> Vec<Group> {
        let pair = (count - 1, Complex::new(0.0, -1.0));
        self.groups(halves(self.slots).rev().collect(), count, pair, |_, [low, high]| [high, low])
    }

    fn outwards(self, count: usize) -> Vec<Group> {
        let pair = (0, Complex::new(0.0, 1.0));
        let to_the_right = |slots: usize, halves: [usize; 2]| halves.map(|half| slots - half);
        self.groups(halves(self.slots).collect(), count, pair, to_the_right)
    }

    /// Returns all stages in `count` groups. With pairs, the group of index `pair.0` joins both
    /// parts. With diagonals on one side, `rotated` returns the rotations to the left before and
    /// after a group from its slots, its smallest half (0 instead of 1, where vectors are already
    /// in place) and the half above its largest.
    fn groups(
        self,
        halves: Vec<usize>,
        count: usize,
        pair: (usize, Complex),
        rotated: fn(usize, [usize; 2]) -> [usize; 2],
    ) -> Vec<Group> {
        let group = |(index, part): (usize, Range<usize>)| {
            let second = (self.is_paired && index == pair.0).then_some(pair.1);
            let slots = if second.is_some() { 2 * self.slots } else { self.slots };
            let halves = halves[part].to_vec();
            let low = halves.iter().copied().min().filter(|half| *half > 1);
            let ends = halves.iter().max().map(|high| [low.unwrap_or(0), 2 * high]);
            let ends = ends.filter(|_| self.is_one_sided);
            Group {
                slots,
                second,
                rotated: ends.map_or([0; 2], |ends| rotated(slots, ends)),
                halves,
            }
        };
        parts(halves.len(), count).enumerate().map(group).collect()
    }

    fn matrices(
        self,
        groups: &[Group],
        stage: Stage,
        factors: &[f64],
    ) -> Result<Vec<Diagonals>, LinearError> {
        let embedding = Embedding::new(self.slots.trailing_zeros());
        let matrix = |(group, factor): (&Group, &f64)| group.matrix(&embedding, stage, *factor);
        groups.iter().zip(factors).map(matrix).collect()
    }
}

impl Group {
    /// Returns the pattern of the matrix. A stage has diagonals at −half, 0 and half, and a product
    /// of stages has them at all sums of those. The entries of a stage repeat after 2·half.
    fn pattern(&self) -> Pattern {
        let slots = self.slots;
        let all = |steps: BTreeSet<usize>, half: &usize| {
            let of =
                |step: &usize| [*step, step + half, step + slots - half].map(|step| step % slots);
            steps.iter().flat_map(of).collect()
        };
        let [before, after] = self.rotated;
        let first = (before + slots - after % slots) % slots;
        let steps = self.halves.iter().fold(BTreeSet::from([first]), all);
        let period = self.halves.iter().fold(1, |period, half| period.max(2 * half));
        let period = if self.second.is_some() { slots } else { period };
        Pattern { slots, steps: steps.into_iter().collect(), period }
    }

    /// Returns the product of the stages and a factor.
    fn matrix(
        &self,
        embedding: &Embedding,
        stage: Stage,
        factor: f64,
    ) -> Result<Diagonals, LinearError> {
        let slots = self.slots;
        let identity = Sparse::from([(0, vec![Complex::from(factor)])]);
        let stages = self.halves.iter().map(|half| stage(embedding, slots, *half));
        let matrix = stages.fold(identity, |so_far, stage| product(slots, &stage, &so_far));
        let mut matrix = Diagonals::of_periods(slots, matrix)?;
        if let Some(second) = self.second {
            let factor = |row: usize| if row < slots / 2 { Complex::from(1.0) } else { second };
            matrix.scale_rows(&(0..slots).map(factor).collect::<Vec<_>>());
        }
        let [before, after] = self.rotated;
        Ok(matrix.rotated(before, after).public())
    }
}

/// Divides the stages into `count` groups of nearly equal size.
pub(super) fn parts(stages: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).map(move |group| stages * group / count..stages * (group + 1) / count)
}

/// Returns 1, 2, 4 … n/2.
fn halves(slots: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..slots.trailing_zeros()).map(|log| 1 << log)
}

/// Maps (low, high) to (low + root·high, low − root·high).
fn stage(embedding: &Embedding, slots: usize, half: usize) -> Sparse {
    let roots = embedding.stage(half);
    let one = Complex::from(1.0);
    sparse(slots, half, |j| [[one, roots[j]], [one, -roots[j]]])
}

/// Maps (low, high) to half of (low + high, (low − high)/root).
fn inverse_stage(embedding: &Embedding, slots: usize, half: usize) -> Sparse {
    let roots = embedding.stage(half);
    let one = Complex::from(0.5);
    sparse(slots, half, |j| {
        let root = roots[j].conjugate() * 0.5;
        [[one, one], [root, -root]]
    })
}

/// Returns the matrix that applies a 2 × 2 matrix to places j and j + half of each block of 2·half.
fn sparse(slots: usize, half: usize, of: impl Fn(usize) -> [[Complex; 2]; 2]) -> Sparse {
    let mut matrix = Sparse::new();
    let mut set = |row: usize, column: usize, value: Complex| {
        let zeros = || vec![Complex::default(); 2 * half];
        let diagonal = matrix.entry((column + slots - row) % slots).or_insert_with(zeros);
        // If a block is the whole vector, both neighbors are on one diagonal.
        diagonal[row] = diagonal[row] + value;
    };
    for row in 0..2 * half {
        let (low, is_high) = (row % half, row >= half);
        let [to_low, to_high] = of(low)[usize::from(is_high)];
        set(row, low, to_low);
        set(row, low + half, to_high);
    }
    matrix
}

/// Returns a · b: b is applied first.
fn product(slots: usize, a: &Sparse, b: &Sparse) -> Sparse {
    let mut product = Sparse::new();
    for (first, left) in a {
        for (second, right) in b {
            // Periods are powers of two, so that the longer one is the period of the product.
            let zeros = || vec![Complex::default(); left.len().max(right.len())];
            let diagonal = product.entry((first + second) % slots).or_insert_with(zeros);
            let left = left.iter().cycle();
            let right = right.iter().cycle().skip(first % right.len());
            for (sum, (left, right)) in diagonal.iter_mut().zip(left.zip(right)) {
                *sum = *sum + *left * *right;
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn assert_patterns(patterns: &[Pattern], matrices: &[Diagonals]) {
        assert_eq!(patterns.len(), matrices.len());
        for (pattern, matrix) in patterns.iter().zip(matrices) {
            assert_eq!(pattern.slots, matrix.slots());
            assert_eq!(pattern.steps, matrix.steps().collect::<Vec<_>>());
            // Every diagonal repeats after the period, and at least one of them not earlier.
            let repeats = |period: usize| {
                let mut all = pattern.steps.iter().map(|step| matrix.diagonal(*step).unwrap());
                all.all(|diagonal| diagonal.chunks(period).all(|run| run == &diagonal[..period]))
            };
            let earlier = pattern.period / 2;
            assert!(repeats(pattern.period), "{pattern:?}");
            assert!(earlier == 0 || !repeats(earlier), "{pattern:?}");
        }
    }

    #[test]
    fn the_factors_are_the_embedding_but_for_the_order_and_a_factor() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let ways = [(false, false), (false, true), (true, false), (true, true)];
        for (log_slots, (is_paired, is_one_sided)) in
            [0, 1, 2, 5, 7].into_iter().flat_map(|log| ways.map(|way| (log, way)))
        {
            let slots = 1usize << log_slots;
            let embedding = Embedding::new(log_slots);
            let fourier = Fourier { slots, is_paired, is_one_sided };
            let mut part = || rng.gen_range(-1.0..1.0);
            let vector: Vec<Complex> = (0..slots).map(|_| Complex::new(part(), part())).collect();
            let reverse = |i: usize| match log_slots {
                0 => i,
                _ => i.reverse_bits() >> (usize::BITS - log_slots),
            };
            let factors = [3.0, 0.25, 0.5, 2.0];
            for count in 1..=4 {
                let mut expected = vector.clone();
                embedding.to_coefficients(&mut expected);
                let matrices = fourier.to_coefficients(&factors[..count]).unwrap();
                let factor: f64 = factors[..count].iter().product();
                assert_patterns(&fourier.patterns_to_coefficients(count), &matrices);
                let ours = inwards(&matrices, vector.clone());
                for (i, ours) in ours.iter().enumerate() {
                    let expected = expected[reverse(i % slots)] * factor;
                    match is_paired {
                        // The real parts equal those of both halves.
                        true if i < slots => assert!((ours.re - expected.re).abs() < 1e-13),
                        true => assert!((ours.re - expected.im).abs() < 1e-13),
                        false => assert!((*ours - expected).abs() < 1e-13),
                    }
                }
                let mut given: Vec<Complex> = (0..slots).map(|i| vector[reverse(i)]).collect();
                if is_paired {
                    let part = |of: fn(&Complex) -> f64| given.iter().map(of).map(Complex::from);
                    given = part(|value| value.re).chain(part(|value| value.im)).collect();
                }
                let mut expected = vector.clone();
                embedding.to_slots(&mut expected);
                let matrices = fourier.to_slots(&factors[..count]).unwrap();
                assert_patterns(&fourier.patterns_to_slots(count), &matrices);
                let ours = outwards(&matrices, given, slots);
                for (ours, expected) in ours.iter().zip(&expected) {
                    assert!((*ours - *expected * factor).abs() < 1e-12);
                }
            }
        }
    }

    /// Repeats the vector to the size of the matrices and multiplies it by them.
    fn inwards(matrices: &[Diagonals], vector: Vec<Complex>) -> Vec<Complex> {
        let apply =
            |v: Vec<Complex>, matrix: &Diagonals| matrix.apply(&v.repeat(matrix.slots() / v.len()));
        matrices.iter().fold(vector, apply)
    }

    /// Multiplies the vector by the matrices, and sums the halves of results that are too long.
    fn outwards(matrices: &[Diagonals], vector: Vec<Complex>, slots: usize) -> Vec<Complex> {
        let apply = |v: Vec<Complex>, matrix: &Diagonals| {
            let product = matrix.apply(&v);
            let (first, others) = product.split_at(slots);
            let mut others = others.iter().copied().chain(std::iter::repeat(Complex::default()));
            first.iter().zip(&mut others).map(|(a, b)| *a + b).collect()
        };
        matrices.iter().fold(vector, apply)
    }

    #[test]
    fn a_group_of_stages_has_few_diagonals() {
        for is_one_sided in [false, true] {
            let fourier = Fourier { slots: 256, is_paired: false, is_one_sided };
            for matrix in fourier.to_slots(&[1.0; 2]).unwrap() {
                assert!(matrix.steps().count() <= 31, "{}", matrix.steps().count());
            }
        }
    }

    #[test]
    fn diagonals_on_one_side_are_no_further_away_than_there_are_sums_of_halves() {
        for (log, is_paired) in (1..9).flat_map(|log| [(log, false), (log, true)]) {
            let fourier = Fourier { slots: 1 << log, is_paired, is_one_sided: true };
            for count in 1..=4 {
                for group in fourier.inwards(count).iter().chain(&fourier.outwards(count)) {
                    let (sum, steps) = (group.halves.iter().sum::<usize>(), group.pattern().steps);
                    let low = group.halves.iter().min().copied().unwrap_or(group.slots);
                    assert!(steps.iter().all(|step| step % low == 0), "{steps:?}");
                    let most = 2 * sum + usize::from(low == 1);
                    assert!(steps.last().is_some_and(|last| *last <= most), "{steps:?}, {most}");
                }
            }
        }
    }
}
