// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutations of eight states side by side, or of one state with its elements side by side.

use halimede_arith::field::Modulus;
use halimede_arith::lanes::element::{limbs_52, LIMBS};
use halimede_arith::lanes::LANES;
use halimede_arith::Field;

mod limb_sums;
pub(super) mod one_state;
pub(super) mod quintic;
pub(super) mod stark;
pub(super) mod stark_state;

#[cfg(test)]
mod tests;

/// The limbs of c·2²⁶⁰ mod p.
pub(crate) type Limbs = [u64; 5];

/// c·2²⁶⁰ mod p: sixteen times the representation in [`Field`].
pub(crate) fn limbs<M: Modulus>(constant: &Field<M>) -> Limbs {
    limbs_52((*constant * Field::from(16)).montgomery_limbs())
}

/// Five limbs of eight elements.
type Packed = [[u64; LANES]; LIMBS];

/// Packs elements into groups of eight; the last group is padded with zeros.
fn pack<M: Modulus>(elements: &[Field<M>], form: impl Fn(&Field<M>) -> Limbs) -> Vec<Packed> {
    let group = |elements: &[Field<M>]| {
        let mut packed = [[0; LANES]; LIMBS];
        for (lane, element) in elements.iter().enumerate() {
            for (row, limb) in packed.iter_mut().zip(form(element)) {
                row[lane] = limb;
            }
        }
        packed
    };
    elements.chunks(LANES).map(group).collect()
}
