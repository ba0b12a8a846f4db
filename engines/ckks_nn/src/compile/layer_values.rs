// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts of a circuit, and values that ciphertexts hold without a matrix.

use halimede_ckks::{Complex, Expression, Values};

use crate::layout::{Affine, Base, Batch, SlotPlace};

/// The relative difference of factors that are equal up to rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// A ciphertext of a layer or of a part of it. A batch has several.
#[derive(Clone)]
pub(super) struct Joined {
    /// The operand of matrices: real and imaginary part if inputs are paired.
    pub whole: Expression,
    /// The halves by themselves; empty if they are not known without a conjugation.
    pub halves: Vec<Expression>,
}

/// A layer's values, or a part of them, as operands of matrices and products. A single input has
/// one ciphertext.
#[derive(Clone)]
pub(super) struct LayerValues {
    pub ciphertexts: Vec<Joined>,
    pub place: SlotPlace,
    /// The number of values of an input.
    pub size: usize,
    /// The largest absolute value in any slot, of the real and the imaginary part.
    pub bound: f64,
    /// The largest absolute value in slots without a value: 0 if all of them are 0.
    pub beside: f64,
    /// `true` for squares, which are not below 0.
    pub is_square: bool,
}

/// The halves of each ciphertext.
pub(super) type Halves = Vec<Vec<Expression>>;

impl Joined {
    /// Returns real values, or two vectors as real and imaginary part, with a bound.
    pub fn of(halves: Vec<Expression>, bound: f64) -> Self {
        let whole = match halves.len() {
            1 => halves[0].clone(),
            _ => joined(&halves).bounded(bound.hypot(bound)),
        };
        Self { whole, halves }
    }
}

impl LayerValues {
    /// Returns the halves of all ciphertexts.
    pub fn halves(&self) -> Halves {
        self.ciphertexts.iter().map(|of| of.halves.clone()).collect()
    }

    /// Returns `true` if halves are known.
    fn has_halves(&self) -> bool {
        self.ciphertexts.iter().all(|of| !of.halves.is_empty())
    }

    /// Returns other values with the same size.
    pub fn with(self, halves: Halves, bound: f64) -> Self {
        let ciphertexts = halves.into_iter().map(|halves| Joined::of(halves, bound)).collect();
        Self { ciphertexts, bound, ..self }
    }
}

/// Returns x, or x + i·y.
pub(super) fn joined(halves: &[Expression]) -> Expression {
    match halves {
        [x, y] => x + y * &i(),
        _ => halves[0].clone(),
    }
}

/// Returns x and y from z = (x + i·y)/2, or twice both from x + i·y.
pub(super) fn halves_of(z: &Expression) -> [Expression; 2] {
    let conjugate = z.conjugate();
    [z + &conjugate, (conjugate - z) * &i()]
}

/// Returns i.
fn i() -> Expression {
    Expression::from(Complex::new(0.0, 1.0))
}

/// Splits a layer's values into the parts that ciphertexts hold in the same slots, up to their
/// sign, which need neither a matrix nor a level, and the rest. Returns the signs by ciphertext,
/// and the rest.
///
/// The sum's absolute values in slots without a value are at most `beside`.
pub(super) fn split_in_place(
    affine: &Affine,
    held: &[LayerValues],
    place: SlotPlace,
    beside: f64,
) -> (Vec<(Base, f64)>, Affine) {
    let mut rest = affine.clone();
    let (mut own, mut room) = (Vec::new(), beside);
    for (base, matrix) in &affine.terms {
        let of = &held[*base];
        let is_there = of.place == place
            && of.beside <= room
            && of.has_halves()
            && of.size == affine.constants.len();
        let number = matrix.scalar().filter(|x| is_there && (x.abs() - 1.0).abs() < ROUNDING);
        if let Some(number) = number {
            own.push((*base, number));
            room -= of.beside;
            rest.terms.remove(base);
        }
    }
    (own, rest)
}

/// Returns values divided by a factor as sums and differences of ciphertexts in the same slots,
/// with the factor.
pub(super) fn in_place(
    affine: &Affine,
    held: &[LayerValues],
    place: SlotPlace,
    batch: Batch,
) -> Option<(LayerValues, f64)> {
    let scalars = affine.scalars(|base| held[base].size)?;
    let factor = scalars.first()?.1.abs();
    let is_alike = |(base, number): &(Base, f64)| {
        let of = &held[*base];
        of.place == place && of.has_halves() && (number.abs() / factor - 1.0).abs() < ROUNDING
    };
    if !scalars.iter().all(is_alike) {
        return None;
    }
    let sums = signed_sum(&scalars, held)?;
    let constants = affine.times(1.0 / factor).constants;
    let most = largest(&constants);
    let bound = most + scalars.iter().map(|(base, _)| held[*base].bound).sum::<f64>();
    let with_own = |(of, halves): (usize, Vec<Expression>)| {
        with_constants_each(halves, &place.spread(&constants, of, batch))
    };
    let halves: Halves = sums.into_iter().enumerate().map(with_own).collect();
    let beside = beside_of(&scalars, held);
    let size = affine.constants.len();
    let held =
        LayerValues { ciphertexts: Vec::new(), place, size, bound, beside, is_square: false };
    Some((held.with(halves, bound), factor))
}

/// Returns the bound of slots without a value in a sum of these terms.
pub(super) fn beside_of(terms: &[(Base, f64)], held: &[LayerValues]) -> f64 {
    terms.iter().map(|(base, _)| held[*base].beside).sum()
}

/// Returns the sum of values, with the signs of their numbers; `None` for an empty sum.
pub(super) fn signed_sum(terms: &[(Base, f64)], held: &[LayerValues]) -> Option<Halves> {
    let signed = terms.iter().map(|(base, number)| {
        let mut halves = held[*base].halves();
        if *number < 0.0 {
            halves.iter_mut().flatten().for_each(|value| *value = -&*value);
        }
        halves
    });
    signed.reduce(|mut sum, term| {
        let pairs = sum.iter_mut().flatten().zip(term.into_iter().flatten());
        pairs.for_each(|(sum, term)| *sum = &*sum + term);
        sum
    })
}

/// Returns a sum with constants by slot.
pub(super) fn with_constants(value: Expression, constants: &[Complex]) -> Expression {
    let largest = constants.iter().map(|constant| constant.abs()).fold(0.0, f64::max);
    let is_real = constants.iter().all(|constant| constant.im == 0.0);
    match (largest > 0.0, is_real) {
        (false, _) => value,
        (true, true) => {
            let constants: Vec<f64> = constants.iter().map(|constant| constant.re).collect();
            value + Expression::plain(Values::from(&constants).within(largest))
        }
        (true, false) => value + Expression::plain(Values::from(constants).within(largest)),
    }
}

/// Returns halves with the parts of constants by slot.
pub(super) fn with_constants_each(
    halves: Vec<Expression>,
    constants: &[Complex],
) -> Vec<Expression> {
    let part = |half: usize| part_of(constants, half).into_iter().map(Complex::from);
    let halves = halves.into_iter().enumerate();
    halves.map(|(half, value)| with_constants(value, &part(half).collect::<Vec<_>>())).collect()
}

/// Returns the real or the imaginary parts.
pub(super) fn part_of(values: &[Complex], half: usize) -> Vec<f64> {
    values.iter().map(|of| if half == 0 { of.re } else { of.im }).collect()
}

/// Returns the largest absolute value.
fn largest(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).fold(0.0, f64::max)
}
