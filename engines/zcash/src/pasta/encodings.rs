// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points from their encodings: 255 bits of x, then the lowest bit of y; zeros are the neutral
//! element (Zcash protocol specification, section 5.4.9.6). An x that is not below p is refused.
//! No point has x = 0, since 5 is not a square, or y = 0, since the order is odd.

use halimede_arith::Field;

use super::lanes::powers;
use super::points::Affine;
use super::{Base, Machine};

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded<M: Base> {
    /// Not the encoding of a point.
    Invalid,
    /// The encoding of the neutral element.
    Identity,
    /// The encoding of another point.
    Point(Affine<M>),
}

impl<M: Base> Decoded<M> {
    /// Returns a point other than the neutral element.
    pub fn point(self) -> Option<Affine<M>> {
        match self {
            Self::Point(point) => Some(point),
            Self::Invalid | Self::Identity => None,
        }
    }
}

fn sign(encoding: &[u8; 32]) -> bool {
    encoding[31] >> 7 == 1
}

/// Decodes points; `None` without lanes.
pub fn decode<M: Base>(machine: Machine, encodings: &[[u8; 32]]) -> Option<Vec<Decoded<M>>> {
    let numbers = encodings.iter().map(|encoding| {
        let mut bytes = *encoding;
        bytes[31] &= 0x7f;
        Field::<M>::from_le_bytes(&bytes).ok()
    });
    let numbers: Vec<Option<Field<M>>> = numbers.collect();
    let x: Vec<Field<M>> = numbers.iter().map(|number| number.unwrap_or_default()).collect();
    let powers = powers(machine, &x)?;
    let tables = M::roots();
    let all = encodings.iter().zip(numbers).zip(&powers);
    Some(
        all.map(|((encoding, x), powers)| {
            if *encoding == [0; 32] {
                return Decoded::Identity;
            }
            let (Some(x), Some(root)) = (x, tables.root(powers)) else { return Decoded::Invalid };
            debug_assert!(root.square() == x.square() * x + Field::from(5));
            let is_odd = root.canonical_limbs()[0] & 1 == 1;
            let y = if is_odd == sign(encoding) { root } else { -root };
            Decoded::Point(Affine { x, y })
        })
        .collect(),
    )
}

/// Returns the encoding of a point; `None` is the neutral element.
pub fn encode<M: Base>(point: Option<&Affine<M>>) -> [u8; 32] {
    let Some(Affine { x, y }) = point else { return [0; 32] };
    let mut bytes = x.to_le_bytes();
    bytes[31] |= (y.canonical_limbs()[0] as u8 & 1) << 7;
    bytes
}
