// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions on points.

use super::access::{Access, PAIR_SLOTS};
use super::fields;
use super::memory::Memory;
use super::miller::miller_product;
use crate::coprocessor::isa::{Fault, Kind, Opcode};
use crate::coprocessor::Number;
use crate::lanes::library::{final_exponentiation, one, product_12};
use crate::lanes::Pair;
use crate::library::tower::negative;
use crate::library::{Coordinates, Curve, G1, G2};

/// Returns `true` for kinds of points on E1, `false` for those on E2, and `None` for other kinds.
pub(super) fn is_of_first_curve(kind: Kind) -> Option<bool> {
    match kind {
        Kind::FpAf | Kind::FpJb => Some(true),
        Kind::Fp2Af | Kind::Fp2Jb => Some(false),
        _ => None,
    }
}

fn is_affine(kind: Kind) -> bool {
    matches!(kind, Kind::FpAf | Kind::Fp2Af)
}

/// Reads a point with any coordinates below p; it need not be on the curve.
fn read<C: Coordinates>(memory: &Memory, place: usize, kind: Kind) -> Result<C::Jacobian, Fault> {
    let elements = memory.elements(place, kind.slots())?;
    Ok(match is_affine(kind) {
        true => C::to_jacobian(&C::affine_of(&elements)),
        false => C::jacobian_of(&elements),
    })
}

fn on_curve<C: Coordinates>(point: &C::Jacobian) -> Result<(), Fault> {
    match C::is_on_curve(point) {
        true => Ok(()),
        false => Err(Fault::Curve),
    }
}

/// Writes a Jacobian point; infinity is (1, 1, 0).
fn write_jacobian<C: Coordinates>(
    memory: &mut Memory,
    place: usize,
    kind: Kind,
    point: &C::Jacobian,
) {
    let mut elements = C::jacobian_elements(point);
    if C::is_infinite(point) {
        elements.fill(Default::default());
        (elements[0], elements[C::DEGREE]) = (one(), one());
    }
    memory.write_elements(place, kind, &elements);
}

/// Executes an instruction whose operands are points of one curve.
pub(super) fn execute<C: Coordinates>(memory: &mut Memory, access: &Access) -> Result<(), Fault> {
    let [a, b, c] = access.operands;
    let [kind_a, kind_b, kind_c] = [0, 1, 2].map(|operand| access.kind(operand));
    let one_point = |place, kind| {
        let point = read::<C>(memory, place, kind)?;
        on_curve::<C>(&point).map(|()| point)
    };
    match access.opcode {
        Opcode::PointMult => {
            let multiple = multiple::<C>(&one_point(b, kind_b)?, memory.number(a));
            write_jacobian::<C>(memory, c, kind_c, &multiple);
        }
        Opcode::PointAdd => {
            let [p, q] = two_points::<C>(memory, access)?;
            write_jacobian::<C>(memory, c, kind_c, &C::add(&p, &q));
        }
        Opcode::PointDouble => {
            let point = one_point(a, kind_a)?;
            write_jacobian::<C>(memory, b, kind_b, &C::add(&point, &point));
        }
        Opcode::PointAffine => {
            let point = one_point(a, kind_a)?;
            let elements = C::affine_elements(&C::to_affine(&[point])[0]);
            memory.write_elements(b, kind_b, &elements);
        }
        Opcode::NegElement => {
            one_point(a, kind_a)?;
            let mut elements = memory.elements(a, kind_a.slots())?;
            for element in &mut elements[C::DEGREE..2 * C::DEGREE] {
                *element = negative(element);
            }
            memory.write_elements(b, kind_b, &elements);
        }
        Opcode::IsEqual => {
            let [p, q] = two_points::<C>(memory, access)?;
            memory.write_scalar(c, Number::from(u64::from(C::is_same(&p, &q))));
        }
        Opcode::CheckCurve => {
            let is_on_curve = C::is_on_curve(&read::<C>(memory, a, kind_a)?);
            memory.write_scalar(b, Number::from(u64::from(is_on_curve)));
        }
        Opcode::CheckSubgroup => {
            let point = read::<C>(memory, a, kind_a)?;
            let is_in = C::is_on_curve(&point) && C::in_group(&C::to_affine(&[point]))[0];
            memory.write_scalar(b, Number::from(u64::from(is_in)));
        }
        _ => return Err(Fault::Opcode),
    }
    Ok(())
}

/// Reads the points in operands a and b. Both are read before either is checked to be on the curve.
fn two_points<C: Coordinates>(memory: &Memory, access: &Access) -> Result<[C::Jacobian; 2], Fault> {
    let [a, b, _] = access.operands;
    let points = [read::<C>(memory, a, access.kind(0))?, read::<C>(memory, b, access.kind(1))?];
    points.iter().try_for_each(on_curve::<C>)?;
    Ok(points)
}

/// Returns the multiple, with Z = 1. The point need not be in the group of order r.
fn multiple<C: Coordinates>(point: &C::Jacobian, number: Number) -> C::Jacobian {
    let sum = number.bits().skip_while(|bit| !bit).fold(C::Jacobian::default(), |sum, bit| {
        let doubled = C::add(&sum, &sum);
        match bit {
            true => C::add(&doubled, point),
            false => doubled,
        }
    });
    C::to_jacobian(&C::to_affine(&[sum])[0])
}

/// Executes an instruction whose operands are pairs.
pub(super) fn execute_pairs(memory: &mut Memory, access: &Access) -> Result<(), Fault> {
    let [a, b, c] = access.operands;
    let places: Vec<[usize; 2]> = match access.opcode {
        Opcode::MultiMiller => (0..access.count)
            .map(|pair| a + pair * PAIR_SLOTS)
            .map(|place| [place, place + Kind::FpAf.slots()])
            .collect(),
        _ => vec![[a, b]],
    };
    let pairs = places.iter().map(|&[p, q]| {
        let p = G1::affine_of(&memory.elements(p, Kind::FpAf.slots())?);
        Ok((p, G2::affine_of(&memory.elements(q, Kind::Fp2Af.slots())?)))
    });
    let pairs: Vec<Pair> = pairs.collect::<Result<_, Fault>>()?;
    let factor = match access.opcode {
        Opcode::MultiMiller => Some(fields::read(memory, c, Kind::Fe12)?),
        _ => None,
    };
    for (p, q) in &pairs {
        on_curve::<G1>(&G1::to_jacobian(p))?;
        on_curve::<G2>(&G2::to_jacobian(q))?;
    }
    let value = miller_product(&pairs);
    let result = match (access.opcode, factor) {
        (_, Some(factor)) => product_12(&factor, &value),
        (Opcode::AtePairing, _) => final_exponentiation(&fields::invertible(value)?),
        _ => value,
    };
    fields::write(memory, c, Kind::Fe12, &result);
    Ok(())
}
