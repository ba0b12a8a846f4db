// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the values of a layer come to stand, and the diagonals of its matrices.
//!
//! A layer that one ciphertext does not hold is divided ([`partitions`]). Each part has matrices of its
//! own, one for each ciphertext that it takes values from: the blocks of the layer's matrix, without
//! those that are 0.
//!
//! A matrix of few rows is *folded*: with a period P of at least its rows, the entry of row i and
//! column j stands on diagonal (j − i) mod P, in a row that is i modulo P, and the sum of all
//! rotations by multiples of P brings its terms together. It has at most P diagonals instead of as
//! many as columns, and log₂(slots/P) rotations more. Its values stand in every period.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use halimede_ckks::{Complex, Diagonals};

use super::affine::{Affine, Base};
use super::matrix::Matrix;
use super::packing::Packing;
use super::parts::{partitions, TensorPart};
use crate::error::NetworkError;
use crate::graph::Shape;

/// The most entries of a matrix's diagonals, those that are 0 in them too: 4 GiB until they are packed.
const MOST_ENTRIES: usize = 1 << 28;
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
    pub matrices: BTreeMap<Base, Arc<Diagonals>>,
    /// The constants, by slot.
    pub constants: Vec<f64>,
    /// The key switches of the sum over the periods.
    pub folds: usize,
}

impl Placed {
    /// Where they stand.
    pub fn place(&self) -> Place {
        (self.packing, self.period)
    }
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

/// What a layer may take.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The slots of a ciphertext.
    pub slots: usize,
    /// The slots behind the values of a part that are left free.
    pub spare: usize,
    /// The most ciphertexts.
    pub most: usize,
    /// The key switches that each ciphertext takes after the matrix.
    pub after: usize,
}

/// Ranges of a layer's values, and where each is packed.
type Division = Vec<(Range<usize>, Place)>;

/// The division of a layer into ciphertexts, and the packing of each, with the fewest key switches:
/// packings in the grids of the ciphertexts that it is made of, and the dense one, are compared.
///
/// # Errors
/// [`NetworkError::Slots`] where it does not fit.
pub fn place(
    layer: &str,
    affine: &Affine,
    shape: &Shape,
    bases: &[Packing],
    room: Room,
) -> Result<Vec<(Range<usize>, Placed)>, NetworkError> {
    let Room { slots, spare, most, after } = room;
    let mut best: Option<(usize, Division)> = None;
    for parts in partitions(shape, slots, spare, most)? {
        let (mut separate, mut blocks, mut others) = (0, Vec::new(), 0);
        let choice = |TensorPart { range, shape }: TensorPart| {
            let part = affine.rows(range.clone());
            let candidates = candidates(&part, &shape, bases);
            let choice = cheapest(&candidates, &part, bases, slots, spare)?;
            let (packing, period) = (choice.packing, choice.period);
            let folds = (slots / period).ilog2() as usize;
            separate += choice.rotations - folds;
            others += choice.diagonals + KEY_SWITCH * (folds + after);
            let folded = |steps: Vec<usize>| steps.into_iter().map(|step| step % period).collect();
            let steps = steps(&part, &packing, bases, slots).into_iter().map(folded);
            blocks.push(part.terms.keys().copied().zip(steps).collect());
            Some((range, (packing, period)))
        };
        let places: Option<Division> = parts.into_iter().map(choice).collect();
        let cost = others + KEY_SWITCH * separate.min(shared_key_switches(&blocks, slots));
        if let Some(places) =
            places.filter(|_| best.as_ref().is_none_or(|(least, _)| cost < *least))
        {
            best = Some((cost, places));
        }
    }
    let Some((_, places)) = best else {
        let (layer, needed) = (layer.to_owned(), shape.size() + spare);
        return Err(NetworkError::Slots { layer, needed, slots, most });
    };
    let placed = |(range, place): (Range<usize>, Place)| {
        let part = affine.rows(range.clone());
        Ok((range, place_at(place, &part, bases, slots)?))
    };
    places.into_iter().map(placed).collect()
}

/// The matrices that bring values of ciphertexts to a place.
///
/// # Errors
/// [`NetworkError::Linear`] for entries that are not finite, [`NetworkError::Limit`] for a matrix of too
/// many diagonals.
pub fn place_at(
    (packing, period): Place,
    affine: &Affine,
    bases: &[Packing],
    slots: usize,
) -> Result<Placed, NetworkError> {
    let of_term = |(base, matrix): (&Base, &Matrix)| {
        let diagonals =
            diagonals_of(matrix, &bases[*base], (packing, period), slots, MOST_ENTRIES)?;
        Ok((*base, Arc::new(diagonals)))
    };
    let matrices =
        affine.terms.iter().map(of_term).collect::<Result<BTreeMap<_, _>, NetworkError>>()?;
    let folds = if matrices.is_empty() { 0 } else { (slots / period).ilog2() as usize };
    let constants = packing.spread(&affine.constants, period, slots);
    Ok(Placed { packing, period, matrices, constants, folds })
}

/// A matrix's diagonals, from values in one packing to values in a place.
///
/// # Errors
/// [`NetworkError::Limit`] for more than `most` entries, which are counted before there is memory for
/// any; [`NetworkError::Linear`] for some that are not finite.
fn diagonals_of(
    matrix: &Matrix,
    base: &Packing,
    (packing, period): Place,
    slots: usize,
    most: usize,
) -> Result<Diagonals, NetworkError> {
    let steps = steps_of(matrix, base, &packing, period, slots);
    let got = steps.len().saturating_mul(slots);
    if got > most {
        let what = "entries of the diagonals of a layer's matrix".to_owned();
        return Err(NetworkError::Limit { what, got, limit: most });
    }
    let zeros = |step: usize| (step as i64, vec![Complex::default(); slots]);
    let mut diagonals: BTreeMap<i64, Vec<Complex>> = steps.into_iter().map(zeros).collect();
    for (row, column, x) in matrix.entries() {
        let step = (base.slot(column) + slots - packing.slot(row)) % period;
        if let Some(diagonal) = diagonals.get_mut(&(step as i64)) {
            let place = (base.slot(column) + slots - step) % slots;
            diagonal[place] = diagonal[place] + Complex::from(x);
        }
    }
    Ok(Diagonals::new(slots, diagonals)?.public())
}

impl Choice {
    fn cost(&self) -> usize {
        KEY_SWITCH * self.rotations + self.diagonals
    }
}

/// The cheapest choice of a packing and a period.
fn cheapest(
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
    choices.min_by_key(Choice::cost)
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
    let of_term =
        |(base, matrix): (&Base, &Matrix)| steps_of(matrix, &bases[*base], packing, slots, slots);
    affine.terms.iter().map(of_term).collect()
}

/// The steps of a matrix's diagonals, folded to a period, that are not zero.
fn steps_of(
    matrix: &Matrix,
    base: &Packing,
    packing: &Packing,
    period: usize,
    slots: usize,
) -> Vec<usize> {
    let (rows, columns): (Vec<usize>, Vec<usize>) =
        (packing.slots().collect(), base.slots().collect());
    let mut is_step = vec![false; period];
    for (row, column, _) in matrix.entries() {
        is_step[(columns[column] + slots - rows[row]) % period] = true;
    }
    (0..period).filter(|step| is_step[*step]).collect()
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

/// The fewest key switches of blocks that share steps, those of each row by column: baby steps of the
/// columns, and giant steps of the rows.
fn shared_key_switches(rows: &[BTreeMap<Base, BTreeSet<usize>>], slots: usize) -> usize {
    let sizes = std::iter::successors(Some(1), |size| Some(size * 2));
    let of_size = |size: usize| {
        let mut babies: BTreeMap<Base, BTreeSet<usize>> = BTreeMap::new();
        let mut giants = 0;
        for row in rows {
            let mut of_row = BTreeSet::new();
            for (column, steps) in row {
                babies.entry(*column).or_default().extend(steps.iter().map(|step| step % size));
                of_row.extend(steps.iter().map(|step| step / size));
            }
            giants += of_row.len() - usize::from(of_row.contains(&0));
        }
        let count = |steps: &BTreeSet<usize>| steps.len() - usize::from(steps.contains(&0));
        giants + babies.values().map(count).sum::<usize>()
    };
    sizes.take_while(|size| *size <= slots).map(of_size).min().unwrap_or(0)
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
        let room = Room { slots, spare: 0, most: 1, after: 0 };
        let placed = place("layer", &affine, &shape, &[base], room).unwrap();
        let [(_, placed)] = &placed[..] else { panic!("{placed:?}") };
        let matrix = &placed.matrices[&0];
        (matrix.steps().count(), matrix.rotations().len() + placed.folds)
    }

    /// Values in another order: diagonals are counted before one is made, with all of its entries, and
    /// those that are zero are not.
    #[test]
    fn a_matrix_of_too_many_diagonals_is_refused() {
        let slots = 64;
        let packing = |size: usize| Packing::dense(&Shape::new(&[size]).unwrap());
        for period in [64, 32] {
            // Row i takes column 5·i: distances of 4·i modulo the period.
            let size = 32;
            let rows = (0..size).map(|row| vec![(row * 5 % 64, 1.0 + f64::from(row))]).collect();
            let (matrix, place) = (Matrix::new(rows), (packing(size as usize), period));
            let of = |most| diagonals_of(&matrix, &packing(64), place, slots, most);
            let count = period / 4;
            let made = of(count * slots).unwrap();
            assert!(made.steps().eq((0..period).step_by(4)), "{period}");
            let entries: usize = (0..period)
                .filter_map(|step| made.diagonal(step))
                .map(|of| of.iter().filter(|entry| **entry != Complex::default()).count())
                .sum();
            assert_eq!(entries, size as usize);
            let what = "entries of the diagonals of a layer's matrix".to_owned();
            let (got, limit) = (count * slots, count * slots - 1);
            assert_eq!(of(limit).unwrap_err(), NetworkError::Limit { what, got, limit });
        }
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
