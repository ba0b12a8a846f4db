// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts of a circuit, and values that are one without a matrix.

use halimede_ckks::{Expression, Values};

use crate::layout::{Affine, Base, Packing, Place};

/// By how much factors may differ that are the same but for rounding.
const ROUNDING: f64 = 1e-9;

/// A ciphertext that matrices and products take values from.
#[derive(Clone)]
pub(super) struct Held {
    pub expression: Expression,
    pub packing: Packing,
    /// After how many slots values repeat themselves.
    pub period: usize,
    /// The number of values.
    pub size: usize,
    /// No absolute value in any slot is larger.
    pub bound: f64,
    /// Whether all slots without a value are 0.
    pub is_clear: bool,
}

impl Held {
    pub fn place(&self) -> Place {
        (self.packing, self.period)
    }
}

/// The parts of a layer's values that are the numbers of ciphertexts in the same slots, up to their
/// sign: they take neither a matrix nor a level. The signs by ciphertext, and what is left.
///
/// Slots without a value must be 0: the values of an activation's argument are promised for all slots.
pub(super) fn split_in_place(
    affine: &Affine,
    held: &[Held],
    place: Place,
) -> (Vec<(Base, f64)>, Affine) {
    let mut rest = affine.clone();
    let mut own = Vec::new();
    for (base, matrix) in &affine.terms {
        let of = &held[*base];
        let is_there = of.place() == place && of.is_clear && of.size == affine.constants.len();
        let number = matrix.scalar().filter(|x| is_there && (x.abs() - 1.0).abs() < ROUNDING);
        if let Some(number) = number {
            own.push((*base, number));
            rest.terms.remove(base);
        }
    }
    (own, rest)
}

/// Values over a factor that are sums and differences of ciphertexts in the same slots, and the factor.
pub(super) fn in_place(
    affine: &Affine,
    held: &[Held],
    place: Place,
    slots: usize,
) -> Option<(Held, f64)> {
    let scalars = affine.scalars(|base| held[base].size)?;
    let factor = scalars.first()?.1.abs();
    let is_alike = |(base, number): &(Base, f64)| {
        held[*base].place() == place && (number.abs() / factor - 1.0).abs() < ROUNDING
    };
    if !scalars.iter().all(is_alike) {
        return None;
    }
    let expression = signed_sum(&scalars, held)?;
    let (packing, period) = place;
    let constants = affine.times(1.0 / factor).constants;
    let constants = packing.spread(&constants, period, slots);
    let (expression, most) = with_constants(expression, &constants);
    let bound = most + scalars.iter().map(|(base, _)| held[*base].bound).sum::<f64>();
    let is_clear = scalars.iter().all(|(base, _)| held[*base].is_clear);
    let size = affine.constants.len();
    Some((Held { expression, packing, period, size, bound, is_clear }, factor))
}

/// The sum of ciphertexts, with the signs of their numbers; none of none.
pub(super) fn signed_sum(terms: &[(Base, f64)], held: &[Held]) -> Option<Expression> {
    let signed = terms.iter().map(|(base, number)| {
        let value = &held[*base].expression;
        if *number < 0.0 {
            -value
        } else {
            value.clone()
        }
    });
    signed.reduce(|sum, term| sum + term)
}

/// A sum with constants by slot, and the largest of these.
pub(super) fn with_constants(value: Expression, constants: &[f64]) -> (Expression, f64) {
    let largest = constants.iter().map(|constant| constant.abs()).fold(0.0, f64::max);
    let value = match largest > 0.0 {
        true => value + Expression::plain(Values::from(constants).within(largest)),
        false => value,
    };
    (value, largest)
}
