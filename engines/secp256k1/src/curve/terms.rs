// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Computes u₁G + u₂Q, one sum per lane.
//!
//! u₂ is split into two halves: 26 windows of five bits of both, with odd digits, which select from
//! each lane's tables of the odd multiples of Q and λQ up to 31. Then multiples of 2⁸ʷ·G from
//! [`Table`] are added: 125 doublings and 83 additions, and 16 of both for the tables.
//!
//! The points of the tables are not divided by their Z (as in libsecp256k1, "effective affine"):
//! the curve y² = x³ + 7·Z⁶ has the same formulas, which do not use the constant 7, and on it (X,
//! Y) is the point itself. All multiples are scaled to the Z of the last one, everything is
//! computed on that curve, and at the end Z is multiplied by that common Z.
//!
//! **No sum is wrong.** The addition formulas fail only for two equal or opposite points, and then
//! give Z = 0; the doubling formulas never fail, since no point is its own opposite. Z = 0 remains
//! so through every doubling and addition, since each multiplies Z by a factor. So Z ≠ 0 at the end
//! means that every addition was right, and that X/Z² is x of the sum. If Z is 0, the sum is
//! unknown, or infinity. In the tables no addition fails: the order n of Q is a prime above 62. An
//! attacker can choose signatures that bring a lane to Z = 0; each costs the verifier
//! one check by libsecp256k1.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::element::{limbs_52, splat_factors};
use halimede_arith::lanes::secp256k1::{canonical, factors, multiply, square};
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{Columns, Lanes, LANES};
use halimede_arith::outlined;
use halimede_arith::serial::limbs::Limbs;

use super::halves::{
    half_multiple, half_sign, halves, HalfDigits, BETA, HALF_BITS, HALF_MULTIPLES, HALF_WINDOWS,
};
use super::lanes::{sign, Affine, Jacobian};
use super::serial::Row;
use super::table::{Table, WINDOWS};
use super::Digits;

/// The inputs of the sum u₁G + u₂Q.
#[derive(Clone, Debug)]
pub struct Terms {
    /// u₁.
    generator: Digits,
    /// u₂.
    halves: [HalfDigits; 2],
    /// The point Q: x before y, in [0, p).
    key: Row,
}

impl Terms {
    /// Creates terms from u₁ and u₂ in [0, n) and a point of the curve, x before y, in [0, p).
    pub fn new(u1: &Limbs, u2: &Limbs, key: [Limbs; 2]) -> Self {
        let mut row = Row([0; 8]);
        row.0[..4].copy_from_slice(&key[0]);
        row.0[4..].copy_from_slice(&key[1]);
        Self { generator: Digits::of(u1), halves: halves(u2), key: row }
    }
}

/// Adds terms.
pub struct Addition<'a> {
    pub table: &'a Table,
    pub terms: [&'a Terms; LANES],
}

/// For each lane, the odd multiples of Q, then those of λQ.
type Multiples = [[[Row; HALF_MULTIPLES]; 2]; LANES];

impl Addition<'_> {
    /// Returns the keys.
    #[inline(always)]
    fn keys<L: Lanes>(&self) -> Affine<L> {
        let mut rows = [&self.terms[0].key.0; LANES];
        for lane in 0..LANES {
            rows[lane] = &self.terms[lane].key.0;
        }
        Affine::of_rows(rows, &[0; LANES])
    }

    /// Returns the multiples of G for a window.
    #[inline(always)]
    fn of_generator<L: Lanes>(&self, window: usize) -> Affine<L> {
        let mut rows = [&self.table.row(window, 0).0; LANES];
        let mut signs = [0; LANES];
        for lane in 0..LANES {
            let Digits { windows, is_opposite } = &self.terms[lane].generator;
            rows[lane] = &self.table.row(window, windows[window]).0;
            signs[lane] = sign(windows[window]) ^ u64::from(*is_opposite) << 63;
        }
        Affine::of_rows(rows, &signs)
    }

    /// Returns the multiples of the keys, or of λ times the keys, for a window.
    #[inline(always)]
    fn of_keys<L: Lanes>(&self, multiples: &Multiples, half: usize, window: usize) -> Affine<L> {
        let mut rows = [&multiples[0][half][0].0; LANES];
        let mut signs = [0; LANES];
        for lane in 0..LANES {
            let digit = self.terms[lane].halves[half][window];
            rows[lane] = &multiples[lane][half][half_multiple(digit)].0;
            signs[lane] = half_sign(digit);
        }
        Affine::of_rows(rows, &signs)
    }

    /// Returns u₁G + u₂Q; Z is 0 where the formulas failed.
    #[inline(always)]
    pub fn sum<L: Lanes>(&self) -> Jacobian<L> {
        add_generators(self, &multiply_keys::<L>(self))
    }
}

// Inlined into each other and into each kernel, these would take a minute to compile.
outlined! {
    /// Returns u₂·Q; Z is 0 where the formulas failed.
    fn multiply_keys<L: Lanes>(addition: &Addition<'_>) -> Jacobian<L> {
        let mut multiples = [[[Row([0; 8]); HALF_MULTIPLES]; 2]; LANES];
        let z = tabulate::<L>(&addition.keys(), &mut multiples);
        let mut sum = Jacobian::of(&addition.of_keys::<L>(&multiples, 0, HALF_WINDOWS - 1));
        sum = sum.add(&addition.of_keys(&multiples, 1, HALF_WINDOWS - 1));
        for window in (0..HALF_WINDOWS - 1).rev() {
            for _ in 0..HALF_BITS {
                sum = sum.double();
            }
            for half in 0..2 {
                sum = sum.add(&addition.of_keys(&multiples, half, window));
            }
        }
        sum.z = multiply::<L>(&factors(&sum.z), &factors(&z));
        sum
    }

    /// Returns u₁G plus a sum; Z is 0 where the formulas failed.
    fn add_generators<L: Lanes>(addition: &Addition<'_>, sum: &Jacobian<L>) -> Jacobian<L> {
        let mut sum = *sum;
        for window in 0..WINDOWS {
            sum = sum.add(&addition.of_generator(window));
        }
        sum
    }

    /// Fills the tables of the odd multiples of points, and of λ times those, on a curve where all
    /// have the same Z. Returns that Z.
    fn tabulate<L: Lanes>(points: &Affine<L>, multiples: &mut Multiples) -> Columns<L> {
        let twice = Jacobian::of(points).double();
        let z = factors(&twice.z);
        let zz = factors(&square::<L>(&z));
        let zzz = factors(&multiply::<L>(&zz, &z));
        // On this curve 2Q has Z = 1.
        let step = Affine { x: twice.x, y: twice.y };
        let mut multiple = Jacobian::of(&Affine {
            x: multiply::<L>(&factors(&points.x), &zz),
            y: multiply::<L>(&factors(&points.y), &zzz),
        });
        let mut odd = [multiple; HALF_MULTIPLES];
        // Z of each multiple divided by Z of the one before it.
        let mut ratios = [multiple.z; HALF_MULTIPLES];
        for number in 1..HALF_MULTIPLES {
            (multiple, ratios[number]) = multiple.add_with_ratio(&step);
            odd[number] = multiple;
        }
        let beta = splat_factors::<L>(&limbs_52(BETA));
        // The last multiple's Z divided by that of each multiple.
        let mut scale = factors(&Jacobian::of(points).z);
        for number in (0..HALF_MULTIPLES).rev() {
            let Jacobian { x, y, .. } = odd[number];
            let square = factors(&square::<L>(&scale));
            let cube = factors(&multiply::<L>(&square, &scale));
            let x = multiply::<L>(&factors(&x), &square);
            let y = words_of_limbs(canonical(&multiply::<L>(&factors(&y), &cube)));
            let by_lambda = words_of_limbs(canonical(&multiply::<L>(&factors(&x), &beta)));
            put(words_of_limbs(canonical(&x)), y, multiples, 0, number);
            put(by_lambda, y, multiples, 1, number);
            scale = factors(&multiply::<L>(&scale, &factors(&ratios[number])));
        }
        multiply::<L>(&factors(&multiple.z), &z)
    }
}

/// Stores one point per lane in the tables.
#[inline(always)]
fn put<L: Lanes>(x: [L; 4], y: [L; 4], multiples: &mut Multiples, half: usize, number: usize) {
    let [x0, x1, x2, x3] = x;
    let [y0, y1, y2, y3] = y;
    let words = [
        &x0.store(),
        &x1.store(),
        &x2.store(),
        &x3.store(),
        &y0.store(),
        &y1.store(),
        &y2.store(),
        &y3.store(),
    ];
    let rows = L::load_rows(words);
    for lane in 0..LANES {
        multiples[lane][half][number] = Row(rows[lane].store());
    }
}
