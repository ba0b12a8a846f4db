// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Squares in the cyclotomic subgroup, whose elements have an order that divides
//! p⁴ − p² + 1 (Granger, Scott: "Faster squaring in the cyclotomic subgroup of sixth degree
//! extensions", 2010).

use halimede_arith::lanes::bls12_381::{reduced_pair_of_sums, Sum, Term};
use halimede_arith::lanes::Lanes;
use halimede_arith::outlined;

use super::fp12::Fp12;
use super::fp2::{Fp2, Wide2, REDUCED};

/// The bound of sums without carry propagation: columns of three products.
const LOOSE: u64 = 32;

/// Both parts of an element of Fp2, without carry propagation.
type Loose<L> = [Sum<L, LOOSE>; 2];

outlined! {
    /// Returns (a + b·s)² for s² = ξ: a² + ξb² and 2ab, which is (a + b)² − a² − b².
    fn square_4<L: Lanes>(a: &Fp2<L, REDUCED>, b: &Fp2<L, REDUCED>) -> [Loose<L>; 2] {
        let (aa, bb) = (a.wide_square(), b.wide_square());
        let sum = a.plus::<_, 6>(b).wide_square();
        let Wide2([first, second]) = aa.plus::<_, 3>(&bb.times_xi::<2>());
        let Wide2([third, fourth]) = sum.minus::<_, 2>(&aa).minus::<_, 3>(&bb);
        [reduced_pair_of_sums(&first, &second), reduced_pair_of_sums(&third, &fourth)]
    }

    /// Squares f in place, in 18 products of Fp, for f in the cyclotomic subgroup.
    pub fn cyclotomic_square<L: Lanes>(f: &mut Fp12<L>) {
        let [[z0, z4, z3], [z2, z1, z5]] = &mut f.0;
        let [t0, t1] = square_4(z0, z1);
        let [t2, t3] = square_4(z2, z3);
        let [t4, t5] = square_4(z4, z5);
        let t5 = [t5[0].minus::<_, 64>(&t5[1]), t5[0].plus::<_, 64>(&t5[1])];
        *z0 = even(&t0, z0);
        *z4 = even(&t2, z4);
        *z3 = even(&t4, z3);
        *z2 = odd(&t5, z2);
        *z1 = odd(&t1, z1);
        *z5 = odd(&t3, z5);
    }
}

/// 3t − 2z.
#[inline(always)]
fn even<L: Lanes>(t: &Loose<L>, z: &Fp2<L, REDUCED>) -> Fp2<L, REDUCED> {
    let ([t0, t1], [z0, z1]) = (t, &z.0);
    Fp2([
        t0.times::<3, 96>().minus::<_, 102>(&z0.times::<2, 6>()).reduced().widened(),
        t1.times::<3, 96>().minus::<_, 102>(&z1.times::<2, 6>()).reduced().widened(),
    ])
}

/// 3t + 2z.
#[inline(always)]
fn odd<L: Lanes, const B: u64>(t: &[Sum<L, B>; 2], z: &Fp2<L, REDUCED>) -> Fp2<L, REDUCED> {
    let ([t0, t1], [z0, z1]) = (t, &z.0);
    Fp2([
        t0.times::<3, 192>().plus::<_, 198>(&z0.times::<2, 6>()).reduced().widened(),
        t1.times::<3, 192>().plus::<_, 198>(&z1.times::<2, 6>()).reduced().widened(),
    ])
}
