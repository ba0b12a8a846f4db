// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in slots, in one or several ciphertexts: sums of matrices times ciphertexts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use halimede_ckks::linear::{Block, BlockMatrix};
use halimede_ckks::{Complex, Diagonals, Expression};

use super::layer_values::{
    halves_of, joined, with_constants, with_constants_each, Halves, LayerValues, ROUNDING,
};
use crate::error::NetworkError;
use crate::layout::{Base, Batch, PlacedLayer};

/// A value in slots.
#[derive(Default)]
pub(super) struct Slots {
    pub parts: Vec<Part>,
    /// Key switches: baby and giant steps of the matrices, and those of sums over periods.
    pub rotations: usize,
}

/// The part of a value in blocks of one size.
pub(super) struct Part {
    pub range: Range<usize>,
    pub placed: PlacedLayer,
    /// The largest absolute value in a slot without a value.
    pub beside: f64,
    /// Its ciphertexts.
    pub sums: Vec<Sum>,
}

/// The value of one ciphertext, as a sum.
pub(super) struct Sum {
    /// Matrices times ciphertexts, in the scale of their placement.
    product: Option<Expression>,
    /// The number and the distance of the slots that a cyclic sum adds to the product.
    cyclic: Option<(usize, usize)>,
    /// The ciphertexts that are already in place: real and imaginary part, or empty if there is a
    /// product.
    own: Vec<Expression>,
    /// The constants, in the scale of the product, if there is a product.
    constants: Vec<Complex>,
    /// `true` if inputs are paired in it, and their number.
    is_paired: bool,
    count: usize,
}

/// A part, its matrices, and the ciphertexts already in place.
pub(super) struct Terms {
    pub range: Range<usize>,
    pub placed: PlacedLayer,
    pub own: Option<Halves>,
    /// The bound of slots next to those ciphertexts: matrices leave zeros.
    pub beside: f64,
}

impl Sum {
    /// Returns the whole value, which was placed in its own scale.
    pub fn whole(&self) -> Expression {
        let product = self.product.clone();
        let product = match (product, self.cyclic) {
            (Some(value), Some((count, step))) => Some(value.inner_sum(count, step)),
            (product, _) => product,
        };
        let sum = match product {
            Some(product) if self.own.is_empty() => product,
            Some(product) => product + joined(&self.own),
            None => joined(&self.own),
        };
        with_constants(sum, &self.constants)
    }

    /// Returns real values up to a bound: those of one input in each slot, or of pairs as real and
    /// imaginary part, placed in half of their scale. The result of a matrix has a label.
    pub fn halves(&self, bound: f64, label: String) -> Vec<Expression> {
        let within = |value: &Expression| value.between(-bound, bound);
        if let (Some(value), Some((count, step))) = (&self.product, self.cyclic) {
            // All summands are squares: no partial sum is larger than the sum.
            let most = bound + self.constants.iter().map(|of| of.abs()).fold(0.0, f64::max);
            let doublings = (0..count.ilog2()).map(|doubling| (step << doubling) as i64);
            let add = |sum: Expression, by: i64| (&sum + sum.rotate(by)).between(-most, most);
            let sum = doublings.fold(value.clone(), add);
            return vec![within(&with_constants(sum, &self.constants)).labeled(label)];
        }
        if !self.is_paired {
            return vec![within(&self.whole()).labeled(label)];
        }
        let Some(product) = self.product.clone() else {
            let halves = with_constants_each(self.own.clone(), &self.constants);
            return halves.iter().map(|half| within(half).labeled(label.clone())).collect();
        };
        let half = with_constants(product, &self.constants);
        let half = match self.own.is_empty() {
            true => half.bounded((bound / 2.0).hypot(bound / 2.0)),
            false => half,
        };
        let halves = halves_of(&half.labeled(label)).into_iter().take(self.count).enumerate();
        let with_own = |(place, value): (usize, Expression)| match self.own.get(place) {
            Some(own) => within(&(value + own)),
            None => within(&value),
        };
        halves.map(with_own).collect()
    }
}

impl Slots {
    /// Returns sums, for each part, of matrices times ciphertexts, ciphertexts already in place,
    /// and constants.
    ///
    /// # Errors
    /// [`NetworkError::Linear`] for blocks that do not fit together.
    pub fn of(parts: Vec<Terms>, held: &[LayerValues], batch: Batch) -> Result<Self, NetworkError> {
        let mut all = Self::of_several(vec![parts], held, batch)?;
        Ok(all.pop().unwrap_or_default())
    }

    /// As [`Self::of`] for several values whose matrices share rotations. The first value counts
    /// all of them.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_several(
        values: Vec<Vec<Terms>>,
        held: &[LayerValues],
        batch: Batch,
    ) -> Result<Vec<Self>, NetworkError> {
        let counts: Vec<usize> = values.iter().map(Vec::len).collect();
        let mut parts: Vec<Terms> = values.into_iter().flatten().collect();
        let placed: Vec<&PlacedLayer> = parts.iter().map(|part| &part.placed).collect();
        let cyclic = match &parts[..] {
            [only] if batch.is_alone() && only.own.is_none() => cyclic_sum(&only.placed, held),
            _ => None,
        };
        let (products, rotations) = match &cyclic {
            None => products(&placed, held)?,
            Some((source, count, _)) => (
                vec![Some(held[source.0].ciphertexts[source.1].whole.clone())],
                count.ilog2() as usize,
            ),
        };
        if cyclic.is_some() {
            parts.iter_mut().flat_map(|part| &mut part.placed.matrices).for_each(BTreeMap::clear);
        }
        let cyclic = cyclic.map(|(_, count, step)| (count, step));
        let mut products = products.into_iter();
        let part = |Terms { range, placed, own, beside }: Terms| {
            let (block, period) = (placed.place.block, placed.place.period);
            let of_products = products.by_ref().take(placed.matrices.len()).enumerate();
            let sum = |(of, product): (usize, Option<Expression>)| {
                let product = product.map(|sum| match placed.folds > 0 {
                    true => sum.inner_sum(block / period, period),
                    false => sum,
                });
                let (count, is_paired) = (batch.halves(block, of), batch.is_paired());
                // Pure constants are added to an encryption of zeros.
                let zero = || &held[0].ciphertexts[0].whole * 0.0;
                let own = match (&own, &product) {
                    (Some(own), _) => own[of].clone(),
                    (None, Some(_)) => Vec::new(),
                    (None, None) => vec![zero(); count],
                };
                let constants = placed.constants[of].clone();
                Sum { product, cyclic, own, constants, is_paired, count }
            };
            let sums = of_products.map(sum).collect();
            Part { range, placed, beside, sums }
        };
        let parts: Vec<Part> = parts.into_iter().map(part).collect();
        let mut parts = parts.into_iter();
        let value = |(place, count): (usize, usize)| {
            let parts = parts.by_ref().take(count).collect();
            Self { parts, rotations: if place == 0 { rotations } else { 0 } }
        };
        Ok(counts.into_iter().enumerate().map(value).collect())
    }

    /// Returns the ciphertexts of all parts.
    pub fn ciphertexts(&self) -> usize {
        self.parts.iter().map(|part| part.sums.len()).sum()
    }
}

/// Returns the sum of matrices times ciphertexts for each ciphertext of all parts, and the total
/// number of key switches: with rotations that blocks share, unless separate rotations need fewer.
fn products(
    parts: &[&PlacedLayer],
    held: &[LayerValues],
) -> Result<(Vec<Option<Expression>>, usize), NetworkError> {
    let folds: usize = parts.iter().map(|part| part.folds * part.matrices.len()).sum();
    let rows = || parts.iter().flat_map(|part| &part.matrices);
    let matrices = || rows().flatten();
    let source = |(base, of): &(Base, usize)| &held[*base].ciphertexts[*of].whole;
    let separate: usize = matrices().map(|(_, matrix)| matrix.rotations().len()).sum();
    if matrices().count() > 1 {
        let sources: BTreeSet<(Base, usize)> = matrices().map(|(source, _)| *source).collect();
        let row = |row: &BTreeMap<(Base, usize), Arc<Diagonals>>| -> Vec<Block> {
            sources.iter().map(|source| row.get(source).cloned()).collect()
        };
        let blocks = BlockMatrix::new(rows().filter(|row| !row.is_empty()).map(row).collect())?;
        let shared = blocks.key_switches();
        if shared < separate {
            let vectors: Vec<Expression> = sources.iter().map(|of| source(of).clone()).collect();
            let mut products = Expression::block_transform(&vectors, blocks).into_iter();
            let product = |row: &BTreeMap<_, _>| match row.is_empty() {
                true => None,
                false => products.next(),
            };
            return Ok((rows().map(product).collect(), shared + folds));
        }
    }
    let sum = |row: &BTreeMap<(Base, usize), Arc<Diagonals>>| {
        let product = |(of, matrix): (&(Base, usize), &Arc<Diagonals>)| {
            source(of).linear_transform(Arc::clone(matrix))
        };
        row.iter().map(product).reduce(|sum, product| sum + product)
    };
    Ok((rows().map(sum).collect(), separate + folds))
}

/// Returns the source of a value that is a cyclic sum of slots of one ciphertext of squares, with
/// the number and the distance of these slots: a matrix of ones whose diagonals are all multiples
/// of the distance, up to the number of slots after which the source repeats. Rotations then
/// compute it without a level.
fn cyclic_sum(placed: &PlacedLayer, held: &[LayerValues]) -> Option<((Base, usize), usize, usize)> {
    let [row] = &placed.matrices[..] else { return None };
    let (source, matrix) = row.first_key_value().filter(|_| row.len() == 1 && placed.folds == 0)?;
    let values = &held[source.0];
    let (period, count) = (values.place.period, matrix.steps().count());
    if count < 2 || !count.is_power_of_two() || !values.is_square || !period.is_multiple_of(count) {
        return None;
    }
    let step = period / count;
    let is_one = |x: &Complex| (x.re - 1.0).abs() < ROUNDING && x.im == 0.0;
    let is_full = |at: usize| matrix.diagonal(at).is_some_and(|of| of.iter().all(is_one));
    let follow = matrix.steps().zip(0..).all(|(at, place)| at == place * step && is_full(at));
    follow.then_some((*source, count, step))
}

/// Returns the name of one of the ciphertexts of a layer.
pub(super) fn part_name(layer: &str, part: usize, parts: usize) -> String {
    match parts {
        1 => layer.to_owned(),
        _ => format!("{layer}, {} of {parts}", part + 1),
    }
}
