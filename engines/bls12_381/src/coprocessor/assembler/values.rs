// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of elements in programs.

use super::Problem;
use crate::coprocessor::isa::{Kind, SLOTS};
use crate::coprocessor::{Number, Slot};
use crate::library::is_canonical_fp;
use crate::{Curve, CurvePoint, Point, G1, G2};

/// Returns the slots of an element from a place on.
///
/// # Errors
/// [`Problem`]: the number of values is not that of the kind, a value is not below p, or a slot is
/// beyond the memory.
pub fn element(place: usize, kind: Kind, values: &[Number]) -> Result<Vec<(usize, Slot)>, Problem> {
    if values.len() != kind.slots() {
        let (expected, got) = (kind.slots(), values.len());
        return Err(Problem::Values { kind: kind.name(), expected, got });
    }
    if place + values.len() > SLOTS {
        return Err(Problem::Slot(place + values.len() - 1));
    }
    let is_wrong =
        |number: &Number| kind != Kind::Scalar && !is_canonical_fp(&number.to_be_bytes());
    if let Some(wrong) = values.iter().position(is_wrong) {
        return Err(Problem::Range(wrong + 1));
    }
    let slots = values.iter().map(|&number| Slot { kind, number });
    Ok(slots.enumerate().map(|(offset, slot)| (place + offset, slot)).collect())
}

const KEYWORDS: [&str; 4] = ["zero", "one", "generator", "infinity"];

/// Returns `true` if a word names a value.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns the values that a word represents for a kind.
pub(super) fn keyword(word: &str, kind: Kind) -> Result<Vec<Number>, Problem> {
    let is_point = matches!(kind, Kind::FpAf | Kind::FpJb | Kind::Fp2Af | Kind::Fp2Jb);
    let mut values = match (word, kind) {
        ("generator", Kind::FpAf | Kind::FpJb) => affine_values(&*Point::<G1>::generator()),
        ("generator", Kind::Fp2Af | Kind::Fp2Jb) => affine_values(&*Point::<G2>::generator()),
        ("zero", _) if !is_point => Vec::new(),
        ("one", _) if !is_point => vec![Number::from(1)],
        ("infinity", _) if is_point => Vec::new(),
        _ => return Err(Problem::Keyword { word: word.into(), kind: kind.name() }),
    };
    if values.len() > 1 && values.len() < kind.slots() {
        values.push(Number::from(1)); // Z
    }
    values.resize(kind.slots(), Number::default());
    Ok(values)
}

/// Returns the values of an affine point, in the order of its slots; infinity is all zeros.
pub fn affine_values<C: Curve>(point: &CurvePoint<C>) -> Vec<Number> {
    if point.is_infinity() {
        return vec![Number::default(); 2 * C::DEGREE];
    }
    let bytes = point.to_uncompressed();
    let (elements, _) = bytes.as_chunks::<48>();
    // In the encoding, the coefficient of u comes before the constant term.
    let in_order = elements.chunks_exact(C::DEGREE).flat_map(|coordinate| coordinate.iter().rev());
    in_order.map(|element| Number::from_be_bytes(*element).unwrap_or_default()).collect()
}
