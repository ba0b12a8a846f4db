// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of products in Filecoin's partial rounds, with the limbs of one number side by side.
//!
//! [`super::one_state`] has one lane for each of the next rounds' sums, leaves most lanes empty for
//! a narrow state, and reduces each sum. Here all lanes work on one sum Σ xⱼ·cⱼ, and little is left
//! to reduce: the coefficients are constants, and so are cⱼ·2⁵²ⁱ mod r for each limb i of xⱼ. A
//! limb of xⱼ broadcast to the lanes, times the limbs of that constant, adds directly to the
//! columns of the sum: five register products per term. The sum of eight terms is below 2⁵⁷·r, and
//! one quotient reduces it ([`fr::fold_long`]) while the S-box is computed.
//!
//! The next S-box waits only for the output of the last one and [`Known::plus`]: two comparisons
//! and an addition.

use std::hint::select_unpredictable;

use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::lanes::element::{limbs_52, LIMBS};
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::serial::{fr, limbs::Limbs as WholeLimbs, Arithmetic};
use halimede_arith::Fr;

use super::Limbs;
use crate::optimized::recurrence::Row;

/// A coefficient times 2⁵²ⁱ modulo r for each i, its limbs in lanes.
type Coefficient = [[u64; LANES]; LIMBS];

/// The sum of a partial round without the newest output, whose coefficient is 1.
#[derive(Clone, Debug)]
pub(super) struct LimbSum {
    /// The coefficients of the latest inputs, the newest last.
    inputs: Vec<Coefficient>,
    /// The coefficients of the latest outputs, the newest last.
    outputs: Vec<Coefficient>,
    constant: [u64; LANES],
}

impl LimbSum {
    /// Prepares a row of at most 16 terms: each term is below 2⁵²·(4 + 2⁻⁴)·r, and
    /// [`fr::fold_long`] accepts sums below 2³¹³.
    pub fn new(row: &Row) -> Self {
        debug_assert!(row.inputs.len() + row.outputs.len() <= 16, "too wide");
        Self {
            inputs: row.inputs.iter().map(coefficient).collect(),
            outputs: row.outputs.iter().map(coefficient).collect(),
            constant: in_lanes(limbs_52(row.constant.montgomery_limbs())),
        }
    }

    /// Computes the sum over the last of these inputs and outputs.
    #[inline(always)]
    pub fn of<L: Lanes>(&self, inputs: &[Limbs], outputs: &[Limbs]) -> ColumnSums<L> {
        let halves = (LIMBS * (self.inputs.len() + self.outputs.len())) as u64;
        let constant = L::load(&self.constant).add(L::without_bias(halves, 0));
        let high = L::without_bias(0, halves);
        let mut sums = ColumnSums { low: [constant, L::splat(0)], high: [high, L::splat(0)] };
        let outputs = &outputs[outputs.len() - self.outputs.len()..];
        for (coefficient, value) in self.outputs.iter().zip(outputs) {
            sums.add_term(coefficient, value);
        }
        // The newest input is available last and is added last.
        let inputs = &inputs[inputs.len() - self.inputs.len()..];
        for (coefficient, value) in self.inputs.iter().zip(inputs) {
            sums.add_term(coefficient, value);
        }
        sums
    }
}

/// The columns of a sum: low halves indexed by their column, high halves by the one below. There
/// are two sets of each, which doubles the number of independent chains of additions.
pub(super) struct ColumnSums<L> {
    low: [L; 2],
    high: [L; 2],
}

impl<L: Lanes> ColumnSums<L> {
    #[inline(always)]
    fn add_term(&mut self, coefficient: &Coefficient, value: &Limbs) {
        for limb in 0..LIMBS {
            let chain = limb % 2;
            let (a, b) = (L::load(&coefficient[limb]).factor(), L::splat_factor(value[limb]));
            L::multiply_add(&mut self.low[chain], &mut self.high[chain], a, b);
        }
    }

    /// Returns the sum, prepared for the addition of an output.
    #[inline(always)]
    pub fn known(self) -> Known {
        Known::new::<L::Serial>(self.finish())
    }

    /// Carries the columns into limbs of 64 bits.
    #[inline(always)]
    fn finish(self) -> fr::Sum {
        let low = self.low[0].add(self.low[1]).store();
        let high = self.high[0].add(self.high[1]).store();
        let c1 = low[1].wrapping_add(high[0]);
        let c2 = low[2].wrapping_add(high[1]);
        let c3 = low[3].wrapping_add(high[2]);
        let c4 = low[4].wrapping_add(high[3]);
        let (s0, carry) = L::Serial::add(low[0], c1 << 52, 0);
        let (s1, carry) = L::Serial::add(c1 >> 12, c2 << 40, carry);
        let (s2, carry) = L::Serial::add(c2 >> 24, c3 << 28, carry);
        let (s3, carry) = L::Serial::add(c3 >> 36, c4 << 16, carry);
        let (s4, _) = L::Serial::add(c4 >> 48, high[4] << 4, carry);
        [s0, s1, s2, s3, s4]
    }
}

/// A sum, reduced below 1.02·r, to which an S-box's output is added, and the precomputed values
/// that reduce the total again, for an output below 1.93·r.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// The sum minus 0, r and 2·r, modulo 2²⁵⁶.
    less: [WholeLimbs; 3],
    /// The last limb of an output from which on the total exceeds r, and 2·r.
    from: [u64; 2],
}

impl Known {
    #[inline(always)]
    fn new<A: Arithmetic>(sum: fr::Sum) -> Self {
        let known = fr::fold_long::<A>(sum);
        let less = |multiple| fr::sub_wrapping::<A>(known, multiple);
        // If the last limb of the total exceeds that of a multiple, so does the total, whatever
        // the other limbs are.
        let from = |multiple: WholeLimbs| (multiple[3] + 1).saturating_sub(known[3]);
        Self { less: [known, less(R), less(TWICE_R)], from: [from(R), from(TWICE_R)] }
    }

    /// Adds an output; the result is below 1.02·r.
    #[inline(always)]
    pub fn plus<A: Arithmetic>(self, output: WholeLimbs) -> WholeLimbs {
        let [none, once, twice] = self.less;
        let [above_once, above_twice] = self.from.map(|from| output[3] >= from);
        let mut rest = none;
        for limb in 0..4 {
            rest[limb] = select_unpredictable(above_once, once[limb], none[limb]);
            rest[limb] = select_unpredictable(above_twice, twice[limb], rest[limb]);
        }
        fr::add_wrapping::<A>(rest, output)
    }
}

const R: WholeLimbs = Bls12381Scalar::VALUE;
const TWICE_R: WholeLimbs =
    [R[0] << 1, R[1] << 1 | R[0] >> 63, R[2] << 1 | R[1] >> 63, R[3] << 1 | R[2] >> 63];

fn coefficient(c: &Fr) -> Coefficient {
    let step = Fr::from(1 << 52);
    let mut shifted = *c;
    std::array::from_fn(|_| {
        let limbs = limbs_52(shifted.canonical_limbs());
        shifted *= step;
        in_lanes(limbs)
    })
}

/// Limbs in the first lanes, zeros in the others.
fn in_lanes(limbs: Limbs) -> [u64; LANES] {
    let mut lanes = [0; LANES];
    lanes[..LIMBS].copy_from_slice(&limbs);
    lanes
}
