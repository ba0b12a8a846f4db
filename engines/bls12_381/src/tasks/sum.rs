// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of points and of their multiples.

use halimede_arith::Fr;

use super::{
    affine_kind, affine_slots, jacobian_kind, only_result, placed, point_of, slots_of, word,
    Finish, Task, LIMIT,
};
use crate::coprocessor::isa::{Kind, Opcode};
use crate::coprocessor::{Number, Program, Slot};
use crate::operations::{Outcome, ProgramRequest};
use crate::{Curve, CurvePoint, Point};

/// The maximum number of terms of a program: more would fit, but take long.
const MOST_TERMS: usize = 16;
/// The slots of the sum, of a multiple and of the first term.
const SUM: usize = 0;
const MULTIPLE: usize = 6;
const TERMS: usize = 12;

/// A sum of points, each multiplied by its scalar if it has one: up to [`MOST_TERMS`] per program.
pub(crate) struct Sum<C: Curve, Reply> {
    /// The scalar, if any, and the point.
    terms: Vec<(Option<Slot>, Vec<Slot>)>,
    /// The sum of the terms computed so far, in Jacobian coordinates.
    sum: Vec<Slot>,
    finish: Finish<CurvePoint<C>, Reply>,
}

impl<C: Curve, Reply> Sum<C, Reply> {
    /// Creates a task for a sum of points.
    pub(crate) fn of_points<'p>(
        points: impl IntoIterator<Item = &'p CurvePoint<C>>,
        finish: impl Fn(CurvePoint<C>) -> Reply + Send + 'static,
    ) -> Self {
        let terms = points.into_iter().map(|point| (None, affine_slots(point)));
        Self::of(terms.collect(), Box::new(finish))
    }

    /// Creates a task for a sum of multiples.
    pub(crate) fn of_multiples(
        terms: impl IntoIterator<Item = (Point<C>, Fr)>,
        finish: impl Fn(CurvePoint<C>) -> Reply + Send + 'static,
    ) -> Self {
        let scalar = |scalar: Fr| {
            let mut bytes = [0; 48];
            bytes[..32].copy_from_slice(&scalar.to_le_bytes());
            Slot { kind: Kind::Scalar, number: Number::from_le_bytes(bytes).unwrap_or_default() }
        };
        let terms = terms.into_iter().map(|(point, of)| (Some(scalar(of)), affine_slots(&point)));
        Self::of(terms.collect(), Box::new(finish))
    }

    /// The initial sum is infinity, (1, 1, 0).
    fn of(terms: Vec<(Option<Slot>, Vec<Slot>)>, finish: Finish<CurvePoint<C>, Reply>) -> Self {
        let coordinate = |value: u64| (0..C::DEGREE).map(move |k| if k == 0 { value } else { 0 });
        let numbers = [1, 1, 0].into_iter().flat_map(coordinate).map(Number::from);
        Self { terms, sum: slots_of(jacobian_kind::<C>(), numbers), finish }
    }

    fn is_last(&self) -> bool {
        self.terms.len() <= MOST_TERMS
    }
}

impl<C: Curve, Reply> Task<Reply> for Sum<C, Reply> {
    fn next(&self) -> ProgramRequest {
        let mut slots: Vec<(usize, Slot)> = placed(SUM, &self.sum).collect();
        let (mut instructions, mut place) = (Vec::new(), TERMS);
        for (scalar, point) in self.terms.iter().take(MOST_TERMS) {
            let mut summand = place;
            slots.extend(placed(place, point));
            place += point.len();
            if let Some(scalar) = scalar {
                slots.push((place, *scalar));
                instructions.push(word(Opcode::PointMult, [place, summand, MULTIPLE]));
                summand = MULTIPLE;
                place += 1;
            }
            instructions.push(word(Opcode::PointAdd, [SUM, summand, SUM]));
        }
        if self.is_last() {
            instructions.push(word(Opcode::PointAffine, [SUM, SUM, 0]));
        }
        instructions.push(word(Opcode::SendInterrupt, [SUM, 0, 0]));
        ProgramRequest { program: Program { instructions, slots, start: 0 }, limit: LIMIT }
    }

    fn accept(&mut self, outcome: Outcome) -> Result<Option<Reply>, String> {
        if !self.is_last() {
            self.sum = only_result(outcome, jacobian_kind::<C>())?;
            self.terms.drain(..MOST_TERMS);
            return Ok(None);
        }
        let sum = only_result(outcome, affine_kind::<C>())?;
        Ok(Some((self.finish)(point_of(&sum)?)))
    }
}
