// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in slots, in one ciphertext or in several: sums of matrices times ciphertexts.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use halimede_ckks::linear::{Block, BlockMatrix};
use halimede_ckks::{Diagonals, Expression};

use super::held::{with_constants, Held};
use crate::error::NetworkError;
use crate::layout::{Base, Placed};

/// A value in slots.
#[derive(Default)]
pub(super) struct Slots {
    pub parts: Vec<Part>,
    /// Key switches: baby and giant steps of the matrices, and those of sums over periods.
    pub rotations: usize,
}

/// The part of a value in one ciphertext.
pub(super) struct Part {
    pub range: Range<usize>,
    pub expression: Expression,
    pub placed: Placed,
}

/// A part, its matrices, and what stands in its place already.
pub(super) type Terms = (Range<usize>, Placed, Option<Expression>);

impl Slots {
    /// Sums, for each part, of matrices times ciphertexts, of what stands there already, and of
    /// constants, in vectors of `slots` slots.
    ///
    /// # Errors
    /// [`NetworkError::Linear`] for blocks that do not fit together.
    pub fn of(parts: Vec<Terms>, held: &[Held], slots: usize) -> Result<Self, NetworkError> {
        let mut all = Self::of_several(vec![parts], held, slots)?;
        Ok(all.pop().unwrap_or_default())
    }

    /// The same for several values, whose matrices share rotations: all are counted for the first value.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_several(
        values: Vec<Vec<Terms>>,
        held: &[Held],
        slots: usize,
    ) -> Result<Vec<Self>, NetworkError> {
        let counts: Vec<usize> = values.iter().map(Vec::len).collect();
        let parts: Vec<Terms> = values.into_iter().flatten().collect();
        let placed: Vec<&Placed> = parts.iter().map(|(_, placed, _)| placed).collect();
        let (products, rotations) = products(&placed, held)?;
        let part = |((range, placed, own), product): (Terms, Option<Expression>)| {
            let is_folded = placed.period < slots;
            let folded = product.map(|sum| match is_folded {
                true => sum.inner_sum(slots / placed.period, placed.period),
                false => sum,
            });
            let sum = match (folded, own) {
                (Some(folded), Some(own)) => folded + own,
                (Some(sum), None) | (None, Some(sum)) => sum,
                // Constants alone are added to an encryption of zeros.
                (None, None) => &held[0].expression * 0.0,
            };
            let expression = with_constants(sum, &placed.constants).0;
            Part { range, expression, placed }
        };
        let mut parts = parts.into_iter().zip(products).map(part);
        let value = |(place, count): (usize, usize)| {
            let parts = parts.by_ref().take(count).collect();
            Self { parts, rotations: if place == 0 { rotations } else { 0 } }
        };
        Ok(counts.into_iter().enumerate().map(value).collect())
    }
}

/// The sum of matrices times ciphertexts for each part, and the key switches of all: with
/// rotations that blocks share, unless those of each matrix by itself are fewer.
fn products(
    parts: &[&Placed],
    held: &[Held],
) -> Result<(Vec<Option<Expression>>, usize), NetworkError> {
    let folds: usize = parts.iter().map(|part| part.folds).sum();
    let matrices = || parts.iter().flat_map(|part| &part.matrices);
    let separate: usize = matrices().map(|(_, matrix)| matrix.rotations().len()).sum();
    if matrices().count() > 1 {
        let bases: BTreeSet<Base> = matrices().map(|(base, _)| *base).collect();
        let row = |part: &&&Placed| -> Vec<Block> {
            bases.iter().map(|base| part.matrices.get(base).cloned()).collect()
        };
        let rows = parts.iter().filter(|part| !part.matrices.is_empty());
        let blocks = BlockMatrix::new(rows.map(|part| row(&part)).collect())?;
        let shared = blocks.key_switches();
        if shared < separate {
            let vectors: Vec<Expression> =
                bases.iter().map(|base| held[*base].expression.clone()).collect();
            let mut products = Expression::block_transform(&vectors, blocks).into_iter();
            let product = |part: &&Placed| match part.matrices.is_empty() {
                true => None,
                false => products.next(),
            };
            return Ok((parts.iter().map(product).collect(), shared + folds));
        }
    }
    let product = |(base, matrix): (&Base, &Arc<Diagonals>)| {
        held[*base].expression.linear_transform(Arc::clone(matrix))
    };
    let sum =
        |part: &&Placed| part.matrices.iter().map(product).reduce(|sum, product| sum + product);
    Ok((parts.iter().map(sum).collect(), separate + folds))
}

/// What one of the ciphertexts of a layer is called.
pub(super) fn part_name(layer: &str, part: usize, parts: usize) -> String {
    match parts {
        1 => layer.to_owned(),
        _ => format!("{layer}, {} of {parts}", part + 1),
    }
}
