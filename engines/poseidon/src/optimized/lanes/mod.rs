// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutations of eight states side by side, or of one state with its elements side by side.

use halimede_arith::field::Modulus;
use halimede_arith::lanes::element::limbs_52;
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
