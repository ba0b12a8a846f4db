// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The choice of places for a layer's values.
//!
//! A layer that does not fit into one ciphertext is divided ([`partitions`]). Each part has its own
//! matrices, one for each source ciphertext: the blocks of the layer's matrix, without zero blocks.
//!
//! A matrix of few rows is *folded*: with a period P of at least its number of rows, the entry of
//! row i and column j is on diagonal (j − i) mod P, in a row that is i modulo P, and the sum of all
//! rotations by multiples of P adds its terms. It has at most P diagonals instead of one per
//! column, and log₂(slots/P) more rotations. Its values are repeated in every period.
//!
//! If the values of a single input repeat in its slots, a diagonal of a step serves all steps
//! modulo the source's period, and the target's values repeat without a sum if each of its periods
//! has all entries (*tiled*). Ties go to the shortest period, so that values repeat where that is
//! free.
//!
//! In a batch, the matrix of one input serves all: a distance in a block is a step of all slots.
//! Steps go in both directions, while in a block of all slots a backward step wraps around the end,
//! so that a batch has up to twice the number of diagonals. Sums over periods would mix blocks:
//! only the last matrix is folded, and the first period of each block is read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use halimede_ckks::{Complex, Diagonals};

use super::affine::{Affine, Base};
use super::batch::Batch;
use super::packing::Packing;
use super::parts::{partitions, TensorPart};
use super::way::{ways, Offsets, SlotPlace, Way};
use crate::error::NetworkError;
use crate::graph::Shape;

/// The cost of a key switch, in products with plaintexts.
pub const KEY_SWITCH: usize = 16;

/// A layer's values in slots, and their computation.
#[derive(Clone, Debug)]
pub struct PlacedLayer {
    pub place: SlotPlace,
    /// For each ciphertext, the matrices of its sources, by base and ciphertext.
    pub matrices: Vec<BTreeMap<(Base, usize), Arc<Diagonals>>>,
    /// The constants of each ciphertext, by slot.
    pub constants: Vec<Vec<Complex>>,
    /// The key switches of the sum over the periods, for each ciphertext.
    pub folds: usize,
}

/// A choice of slots and its cost.
struct Choice {
    place: SlotPlace,
    /// The steps of the diagonals of each ciphertext.
    steps: Vec<Steps>,
    rotations: usize,
    diagonals: usize,
    folds: usize,
    /// The cost after the matrix.
    after: usize,
    /// `true` if each period has all entries.
    is_tiled: bool,
}

/// The steps of diagonals by their source ciphertexts.
type Steps = BTreeMap<(Base, usize), BTreeSet<usize>>;

/// The limits and costs of a layer.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub batch: Batch,
    /// The number of slots after the values of a part that stay free.
    pub spare: usize,
    /// The largest number of ciphertexts.
    pub most: usize,
    /// The key switches that each ciphertext needs after the matrix; `None` if no operation
    /// follows, so that the slots next to the values may hold anything.
    pub after: Option<usize>,
    /// The key switches that each additional ciphertext needs in later layers.
    pub later: usize,
    /// The factor of values that a matrix computes.
    pub scale: f64,
}

/// The ranges of a layer's values, and the place of each.
type Division = Vec<(Range<usize>, SlotPlace)>;

/// Returns the division of a layer into ciphertexts, and the packing of each, with the fewest key
/// switches. Compares the packings in the grids of the source ciphertexts with the dense packing.
///
/// # Errors
/// [`NetworkError::Slots`] if it does not fit.
pub fn place(
    layer: &str,
    affine: &Affine,
    shape: &Shape,
    bases: &[SlotPlace],
    room: Room,
) -> Result<Vec<(Range<usize>, PlacedLayer)>, NetworkError> {
    let Room { batch, spare, most, scale, .. } = room;
    let mut best: Option<(usize, Division)> = None;
    for parts in partitions(shape, batch.largest(), spare, most)? {
        let (mut separate, mut blocks, mut others) = (0, Vec::new(), 0);
        let choice = |TensorPart { range, shape }: TensorPart| {
            let part = affine.rows(range.clone());
            let candidates = candidates(&part, &shape, bases);
            let choice = cheapest(&candidates, &part, bases, room)?;
            separate += choice.rotations;
            others += choice.diagonals + KEY_SWITCH * (choice.folds + choice.after);
            blocks.extend(choice.steps);
            Some((range, choice.place))
        };
        let places: Option<Division> = parts.into_iter().map(choice).collect();
        let shared = shared_key_switches(&blocks, batch.slots());
        let cost = others + KEY_SWITCH * separate.min(shared);
        if let Some(places) =
            places.filter(|_| best.as_ref().is_none_or(|(least, _)| cost < *least))
        {
            best = Some((cost, places));
        }
    }
    let Some((_, places)) = best else {
        let (layer, needed, slots) = (layer.to_owned(), shape.size() + spare, batch.largest());
        return Err(NetworkError::Slots { layer, needed, slots, most });
    };
    let placed = |(range, place): (Range<usize>, SlotPlace)| {
        let part = affine.rows(range.clone());
        Ok((range, place_at(place, &part, bases, batch, scale)?))
    };
    places.into_iter().map(placed).collect()
}

/// Returns the matrices that bring values of ciphertexts to a place, times a scale. Pure constants
/// have no matrix.
///
/// # Errors
/// [`NetworkError::Linear`] for entries that are not finite, [`NetworkError::Limit`] for a matrix
/// of too many diagonals.
pub fn place_at(
    place: SlotPlace,
    affine: &Affine,
    bases: &[SlotPlace],
    batch: Batch,
    scale: f64,
) -> Result<PlacedLayer, NetworkError> {
    let affine = match scale != 1.0 && !affine.terms.is_empty() {
        true => Cow::Owned(affine.times(scale)),
        false => Cow::Borrowed(affine),
    };
    let is_tiled = choice(place, &affine, bases, batch).is_tiled;
    let mut matrices = vec![BTreeMap::new(); batch.ciphertexts(place.block)];
    for (base, matrix) in &affine.terms {
        // Ciphertexts whose blocks move in the same way share one matrix.
        let mut made: BTreeMap<Offsets, Arc<Diagonals>> = BTreeMap::new();
        for ([from, to], offsets) in ways(bases[*base].block, place.block, batch) {
            let matrix = match made.get(&offsets) {
                Some(matrix) => Arc::clone(matrix),
                None => {
                    let way = Way { matrix, from: bases[*base], to: place, batch, is_tiled };
                    let diagonals = Arc::new(way.diagonals(&offsets)?);
                    made.insert(offsets, Arc::clone(&diagonals));
                    diagonals
                }
            };
            matrices[to].insert((*base, from), matrix);
        }
    }
    let folds = match affine.terms.is_empty() || is_tiled {
        true => 0,
        false => place.folds(),
    };
    let spread = |ciphertext| place.spread(&affine.constants, ciphertext, batch);
    let constants = (0..matrices.len()).map(spread).collect();
    Ok(PlacedLayer { place, matrices, constants, folds })
}

impl Choice {
    fn cost(&self) -> usize {
        KEY_SWITCH * (self.rotations + self.folds + self.after) + self.diagonals
    }
}

/// Returns the cheapest choice of a packing, a block and a period.
fn cheapest(
    candidates: &[Packing],
    affine: &Affine,
    bases: &[SlotPlace],
    room: Room,
) -> Option<Choice> {
    let Room { batch, spare, after, later, .. } = room;
    let doubled = |least: usize, most: usize| {
        std::iter::successors(Some(least), |size| Some(size * 2)).take_while(move |of| *of <= most)
    };
    let fitting = candidates.iter().filter(|packing| packing.extent() + spare <= batch.largest());
    let places = fitting.flat_map(|packing| {
        let least = (packing.extent() + spare).next_power_of_two();
        let blocks = match batch.is_alone() {
            true => doubled(batch.slots(), batch.slots()),
            false => doubled(least, batch.largest()),
        };
        blocks.flat_map(move |block| {
            let may_fold = block == batch.slots()
                || after.is_none() && affine.terms.keys().all(|base| bases[*base].block <= block);
            let periods = doubled(if may_fold { least } else { block }, block);
            periods.map(move |period| SlotPlace { packing: *packing, block, period })
        })
    });
    let with_after = |place: SlotPlace| {
        let ciphertexts = batch.ciphertexts(place.block);
        let of_halves = |after: usize| after * batch.all_halves(place.block);
        let after = after.map_or(0, |after| of_halves(after) + later * ciphertexts);
        Choice { after, ..choice(place, affine, bases, batch) }
    };
    places.map(with_after).min_by_key(Choice::cost)
}

/// Returns the promising packings.
fn candidates(affine: &Affine, shape: &Shape, bases: &[SlotPlace]) -> Vec<Packing> {
    let mut candidates = vec![Packing::dense(shape)];
    for base in affine.terms.keys().map(|base| &bases[*base].packing) {
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

/// Returns the cheaper of both ways to fill the periods of a place, without the cost after it.
fn choice(place: SlotPlace, affine: &Affine, bases: &[SlotPlace], batch: Batch) -> Choice {
    let may_tile = batch.is_alone() && place.period < place.block;
    let ways = [true, false].into_iter().filter(|is_tiled| may_tile || !is_tiled);
    let choices = ways.map(|is_tiled| choice_of(place, affine, bases, batch, is_tiled));
    let empty = || Choice {
        place,
        steps: Vec::new(),
        rotations: 0,
        diagonals: 0,
        folds: 0,
        after: 0,
        is_tiled: false,
    };
    choices.min_by_key(Choice::cost).unwrap_or_else(empty)
}

fn choice_of(
    place: SlotPlace,
    affine: &Affine,
    bases: &[SlotPlace],
    batch: Batch,
    is_tiled: bool,
) -> Choice {
    let ciphertexts = batch.ciphertexts(place.block);
    let mut steps: Vec<Steps> = vec![BTreeMap::new(); ciphertexts];
    for (base, matrix) in &affine.terms {
        let way = Way { matrix, from: bases[*base], to: place, batch, is_tiled };
        let mut found: BTreeMap<Offsets, BTreeSet<usize>> = BTreeMap::new();
        for ([from, to], offsets) in ways(bases[*base].block, place.block, batch) {
            let of = found.entry(offsets).or_insert_with_key(|offsets| way.steps(offsets));
            steps[to].insert((*base, from), of.clone());
        }
    }
    let all = || steps.iter().flat_map(BTreeMap::values);
    let (diagonals, rotations) = (all().map(BTreeSet::len).sum(), all().map(key_switches).sum());
    let folds = if is_tiled { 0 } else { place.folds() * ciphertexts };
    Choice { place, steps, rotations, diagonals, folds, after: 0, is_tiled }
}

/// Returns the smallest number of baby and giant steps other than 0 into which diagonals can be
/// split.
fn key_switches(steps: &BTreeSet<usize>) -> usize {
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

/// Returns the smallest number of key switches of blocks that share steps: baby steps of the
/// columns, and giant steps of the rows.
fn shared_key_switches(rows: &[Steps], slots: usize) -> usize {
    let sizes = std::iter::successors(Some(1), |size| Some(size * 2));
    let of_size = |size: usize| {
        let mut babies: BTreeMap<(Base, usize), BTreeSet<usize>> = BTreeMap::new();
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

    /// Returns the diagonals and key switches of a convolution of 3 × 3 with padding, on images in
    /// a packing.
    fn counts(channels: usize, size: usize, base: Packing, slots: usize) -> (usize, usize) {
        let shape = Shape::new(&[channels, size, size]).unwrap();
        let window = Window { pads: [1; 4], ..Window::new([3, 3]) };
        let (weights, bias) = (vec![1.0; channels * channels * 9], Vec::new());
        let of = Convolution { channels, groups: 1, window, weights, bias };
        let (matrix, constants) = matrix_of(&Operator::Convolution(of), &shape);
        let affine = Affine { terms: BTreeMap::from([(0, matrix)]), constants };
        let room = Room {
            batch: Batch::alone(slots),
            spare: 0,
            most: 1,
            after: Some(0),
            later: 0,
            scale: 1.0,
        };
        let base = SlotPlace { packing: base, block: slots, period: slots };
        let placed = place("layer", &affine, &shape, &[base], room).unwrap();
        let [(_, placed)] = &placed[..] else { panic!("{placed:?}") };
        let matrix = &placed.matrices[0][&(0, 0)];
        (matrix.steps().count(), matrix.rotations().len() + placed.folds)
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
