// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions on elements of the fields.

use blst::blst_fp12;

use super::access::Access;
use super::memory::Memory;
use crate::coprocessor::isa::{Fault, Kind, Opcode};
use crate::coprocessor::Number;
use crate::lanes::library::{final_exponentiation, one_12};
use crate::library::tower::{
    coefficients, difference_12, frobenius, from_coefficients, inverse_12, product_12, square_12,
    sum_12, zero_12,
};

/// Reads the element of an operand, as an element of Fp12.
pub(super) fn read(memory: &Memory, place: usize, kind: Kind) -> Result<blst_fp12, Fault> {
    Ok(from_coefficients(&memory.elements(place, kind.slots())?))
}

pub(super) fn write(memory: &mut Memory, place: usize, kind: Kind, value: &blst_fp12) {
    memory.write_elements(place, kind, &coefficients(value)[..kind.slots()]);
}

/// Executes an instruction on elements of the fields and scalars.
pub(super) fn execute(memory: &mut Memory, access: &Access) -> Result<(), Fault> {
    let [a, b, c] = access.operands;
    let kind = access.kind(0);
    let value = |place| read(memory, place, kind);
    let (target, result) = match access.opcode {
        Opcode::AddElement => (c, sum_12(&value(a)?, &value(b)?)),
        Opcode::SubElement => (c, difference_12(&value(a)?, &value(b)?)),
        Opcode::MulElement => (c, product_12(&value(a)?, &value(b)?)),
        Opcode::NegElement => (b, difference_12(&zero_12(), &value(a)?)),
        Opcode::SqrElement => (b, square_12(&value(a)?)),
        Opcode::InvElement => (b, inverse_12(&invertible(value(a)?)?)),
        Opcode::FinalExp => (b, final_exponentiation(&invertible(value(a)?)?)),
        Opcode::ExpElement => (c, power(&value(a)?, memory.number(b))),
        Opcode::Frobenius => (c, (0..b).fold(value(a)?, |value, _| frobenius(&value, 1))),
        Opcode::InvBatch => return invert_all(memory, access),
        _ => return Err(Fault::Opcode),
    };
    write(memory, target, kind, &result);
    Ok(())
}

/// Returns `true` if two elements of a kind are equal.
pub(super) fn are_equal(memory: &Memory, access: &Access) -> Result<bool, Fault> {
    let [a, b, _] = access.operands;
    if access.kind(0) == Kind::Scalar {
        return Ok(memory.number(a) == memory.number(b));
    }
    Ok(read(memory, a, access.kind(0))? == read(memory, b, access.kind(0))?)
}

pub(super) fn invertible(value: blst_fp12) -> Result<blst_fp12, Fault> {
    match value == zero_12() {
        true => Err(Fault::Inverse),
        false => Ok(value),
    }
}

fn power(base: &blst_fp12, exponent: Number) -> blst_fp12 {
    let mut bits = exponent.bits().skip_while(|bit| !bit);
    if bits.next().is_none() {
        return one_12();
    }
    bits.fold(*base, |power, bit| match bit {
        true => product_12(&square_12(&power), base),
        false => square_12(&power),
    })
}

/// Inverts a list. All elements are read and checked for inverses before any is written.
fn invert_all(memory: &mut Memory, access: &Access) -> Result<(), Fault> {
    let ([a, _, c], kind) = (access.operands, access.kind(0));
    let places = (0..access.count).map(|number| number * kind.slots());
    let values: Result<Vec<_>, _> =
        places.clone().map(|offset| read(memory, a + offset, kind)).collect();
    let values: Result<Vec<_>, _> = values?.into_iter().map(invertible).collect();
    for (offset, value) in places.zip(values?) {
        write(memory, c + offset, kind, &inverse_12(&value));
    }
    Ok(())
}
