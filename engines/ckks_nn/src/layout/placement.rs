// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the values of a layer come to stand, and the diagonals of its matrices.
//!
//! A matrix of few rows is *folded*: with a period P of at least its rows, the entry of row i and
//! column j stands on diagonal (j − i) mod P, in a row that is i modulo P, and the sum of all
//! rotations by multiples of P brings its terms together. It has at most P diagonals instead of as
//! many as columns, and log₂(slots/P) rotations more. Its values stand in every period.

use std::collections::{BTreeMap, BTreeSet};

use halimede_ckks::{Complex, Diagonals};

use super::affine::{Affine, Base};
use super::matrix::Matrix;
use super::packing::Packing;
use crate::error::NetworkError;
use crate::graph::Shape;

/// A key switch takes about as long as so many products with plaintexts.
const KEY_SWITCH: usize = 16;

/// A layer's values in slots, and how they are computed.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where they stand.
    pub packing: Packing,
    /// After how many slots they repeat themselves.
    pub period: usize,
    /// The matrix for each ciphertext.
    pub matrices: BTreeMap<Base, Diagonals>,
    /// The constants, by slot.
    pub constants: Vec<f64>,
    /// Key switches: baby and giant steps of the matrices, and those of the sum.
    pub rotations: usize,
}

/// A choice of slots and the cost of it.
struct Choice {
    packing: Packing,
    period: usize,
    rotations: usize,
    diagonals: usize,
}

/// Where values stand: packing and period.
pub type Place = (Packing, usize);

/// The packing of a layer with the fewest key switches among those in the grids of the ciphertexts
/// that it is made of, and the dense one. `spare` slots behind the values are left free.
///
/// # Errors
/// [`NetworkError::Slots`] where none fits into the slots.
pub fn place(
    layer: &str,
    affine: &Affine,
    shape: &Shape,
    bases: &[Packing],
    slots: usize,
    spare: usize,
) -> Result<Placed, NetworkError> {
    let candidates = candidates(affine, shape, bases);
    let best = best(&candidates, affine, bases, slots, spare);
    let Some(Choice { packing, period, .. }) = best else {
        let needed = candidates.iter().map(Packing::extent).min().unwrap_or(0) + spare;
        return Err(NetworkError::Slots { layer: layer.to_owned(), needed, slots });
    };
    place_at((packing, period), affine, bases, slots)
}

/// The matrices that bring values of ciphertexts to a place.
///
/// # Errors
/// [`NetworkError::Linear`] for entries that are not finite.
pub fn place_at(
    (packing, period): Place,
    affine: &Affine,
    bases: &[Packing],
    slots: usize,
) -> Result<Placed, NetworkError> {
    let mut matrices = BTreeMap::new();
    for (base, matrix) in &affine.terms {
        let mut diagonals: BTreeMap<i64, Vec<Complex>> = BTreeMap::new();
        for (row, column, x) in matrix.entries() {
            let slot = bases[*base].slot(column);
            let step = (slot + slots - packing.slot(row)) % period;
            let zeros = || vec![Complex::default(); slots];
            let diagonal = diagonals.entry(step as i64).or_insert_with(zeros);
            let place = (slot + slots - step) % slots;
            diagonal[place] = diagonal[place] + Complex::from(x);
        }
        matrices.insert(*base, Diagonals::new(slots, diagonals)?.public());
    }
    let steps: usize = matrices.values().map(|matrix| matrix.rotations().len()).sum();
    let folds = if matrices.is_empty() { 0 } else { (slots / period).ilog2() as usize };
    let rotations = steps + folds;
    let constants = packing.spread(&affine.constants, period, slots);
    Ok(Placed { packing, period, matrices, constants, rotations })
}

/// The cheapest choice of a packing and a period.
fn best(
    candidates: &[Packing],
    affine: &Affine,
    bases: &[Packing],
    slots: usize,
    spare: usize,
) -> Option<Choice> {
    let fitting = candidates.iter().filter(|packing| packing.extent() + spare <= slots);
    let choices = fitting.flat_map(|packing| {
        let least = (packing.extent() + spare).next_power_of_two();
        let periods = std::iter::successors(Some(least), |period| Some(period * 2));
        let periods = periods.take_while(|period| *period <= slots);
        let steps = steps(affine, packing, bases, slots);
        periods.map(move |period| cost(*packing, period, &steps, slots))
    });
    choices.min_by_key(|choice| KEY_SWITCH * choice.rotations + choice.diagonals)
}

/// Packings that may be good.
fn candidates(affine: &Affine, shape: &Shape, bases: &[Packing]) -> Vec<Packing> {
    let mut candidates = vec![Packing::dense(shape)];
    for base in affine.terms.keys().map(|base| &bases[*base]) {
        let gaps = std::iter::successors(Some(1), |gap| Some(gap * 2));
        let of_gap = |gap| Packing::interleaved(shape, base, gap);
        let multiplexed = gaps.map_while(of_gap);
        candidates.extend(multiplexed);
    }
    let mut distinct: Vec<Packing> = Vec::new();
    for candidate in candidates {
        if !distinct.contains(&candidate) {
            distinct.push(candidate);
        }
    }
    distinct
}

/// The diagonals of the matrix for each ciphertext where nothing is folded.
fn steps(affine: &Affine, packing: &Packing, bases: &[Packing], slots: usize) -> Vec<Vec<usize>> {
    let rows: Vec<usize> = packing.slots().collect();
    let of_term = |(base, matrix): (&Base, &Matrix)| {
        let columns: Vec<usize> = bases[*base].slots().collect();
        let mut is_step = vec![false; slots];
        for (row, column, _) in matrix.entries() {
            is_step[(columns[column] + slots - rows[row]) % slots] = true;
        }
        (0..slots).filter(|step| is_step[*step]).collect()
    };
    affine.terms.iter().map(of_term).collect()
}

/// What a period takes, which divides the slots.
fn cost(packing: Packing, period: usize, steps: &[Vec<usize>], slots: usize) -> Choice {
    let mut choice = Choice { packing, period, rotations: 0, diagonals: 0 };
    for steps in steps {
        let folded: BTreeSet<usize> = steps.iter().map(|step| step % period).collect();
        let folded: Vec<usize> = folded.into_iter().collect();
        choice.diagonals += folded.len();
        choice.rotations += key_switches(&folded);
    }
    choice.rotations += (slots / period).ilog2() as usize;
    choice
}

/// The fewest baby and giant steps other than 0 that diagonals are split into.
fn key_switches(steps: &[usize]) -> usize {
    let last = steps.last().copied().unwrap_or(0);
    let sizes = std::iter::successors(Some(1usize), |size| Some(size * 2));
    let of_size = |size: usize| {
        let distinct = |of: &dyn Fn(usize) -> usize| {
            steps.iter().map(|step| of(*step)).filter(|step| *step != 0).collect::<BTreeSet<_>>()
        };
        distinct(&|step| step % size).len() + distinct(&|step| step / size).len()
    };
    sizes.take_while(|size| *size <= last.max(1) * 2).map(of_size).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Convolution, Operator, Window};
    use crate::layout::operators::matrix_of;

    /// A convolution of 3 × 3 with zeros around the image, on images in a packing: diagonals and
    /// key switches.
    fn counts(channels: usize, size: usize, base: Packing, slots: usize) -> (usize, usize) {
        let shape = Shape::new(&[channels, size, size]).unwrap();
        let window = Window { pads: [1; 4], ..Window::new([3, 3]) };
        let (weights, bias) = (vec![1.0; channels * channels * 9], Vec::new());
        let of = Convolution { channels, groups: 1, window, weights, bias };
        let (matrix, constants) = matrix_of(&Operator::Convolution(of), &shape);
        let affine = Affine { terms: BTreeMap::from([(0, matrix)]), constants };
        let placed = place("layer", &affine, &shape, &[base], slots, 0).unwrap();
        (placed.matrices[&0].steps().count(), placed.rotations)
    }

    /// The three stages of a residual network of 20 layers for images of 32 × 32, in 2¹⁴, 2¹³ and
    /// 2¹² slots.
    #[test]
    fn convolutions_take_few_key_switches() {
        let image = Packing::dense(&Shape::new(&[16, 32, 32]).unwrap());
        let half = Shape::new(&[32, 16, 16]).unwrap();
        let half = Packing::interleaved(&half, &image, 2).unwrap();
        let quarter = Shape::new(&[64, 8, 8]).unwrap();
        let quarter = Packing::interleaved(&quarter, &image, 4).unwrap();
        let stages = [
            counts(16, 32, image, 1 << 14),
            counts(32, 16, half, 1 << 13),
            counts(64, 8, quarter, 1 << 12),
        ];
        assert_eq!(stages, [(144, 24), (392, 55), (900, 74)]);
    }
}
