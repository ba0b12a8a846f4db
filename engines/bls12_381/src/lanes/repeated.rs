// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Repeats single operations of the fields many times, for benchmarks and for tests against blst.

use blst::{blst_fp, blst_fp12};
use halimede_arith::lanes::bls12_381::Fp;
use halimede_arith::lanes::{run, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::curve::{Coordinates, OverFp};
use super::cyclotomic::cyclotomic_square;
use super::fp12::{multiply, square, Workspace};
use super::transfer::{load_fp, load_fp12, store_fp, store_fp12};

/// The number of registers of lanes that are multiplied in parallel.
const SIDE_BY_SIDE: usize = 8;

/// The number of elements of Fp that are multiplied in parallel.
pub const FP_ELEMENTS: usize = SIDE_BY_SIDE * LANES;

/// Computes a·bⁿ for elements of Fp.
pub(super) struct FpPowers<'a> {
    pub a: &'a [blst_fp; FP_ELEMENTS],
    pub b: &'a blst_fp,
    pub times: u32,
}

impl Kernel for FpPowers<'_> {
    type Output = Vec<blst_fp>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut registers = [[Fp::<L, 3>::zero(); 2]; SIDE_BY_SIDE / 2];
        let mut rows = self.a.chunks_exact(LANES);
        for register in registers.as_flattened_mut() {
            if let Some([a, b, c, d, e, f, g, h]) = rows.next() {
                *register = load_fp([a, b, c, d, e, f, g, h]);
            }
        }
        let factor = [load_fp::<L>([self.b; LANES]); 2];
        for _ in 0..self.times {
            for register in &mut registers {
                *register = <OverFp as Coordinates<L>>::product(register, &factor);
            }
        }
        let mut results = Vec::with_capacity(FP_ELEMENTS);
        for register in registers.as_flattened() {
            results.extend(store_fp(register));
        }
        results
    }
}

/// An operation in Fp12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// a·b.
    Product,
    /// a².
    Square,
    /// a² in the cyclotomic subgroup.
    CyclotomicSquare,
}

/// Operations in Fp12, each on the result of the one before.
pub(super) struct Fp12Operations<'a> {
    pub operation: Operation,
    pub a: &'a [blst_fp12; LANES],
    pub b: &'a [blst_fp12; LANES],
    pub times: u32,
}

impl Kernel for Fp12Operations<'_> {
    type Output = [blst_fp12; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (mut a, b) = (load_fp12::<L>(self.a), load_fp12::<L>(self.b));
        let mut space = Workspace::new();
        for _ in 0..self.times {
            match self.operation {
                Operation::Product => multiply(&mut a, &b, &mut space),
                Operation::Square => square(&mut a, &mut space),
                Operation::CyclotomicSquare => cyclotomic_square(&mut a),
            }
        }
        store_fp12(&a)
    }
}

/// Returns a·bⁿ for elements of Fp; `None` without lanes.
pub fn fp_powers(a: &[blst_fp; FP_ELEMENTS], b: &blst_fp, times: u32) -> Option<Vec<blst_fp>> {
    run(Backend::active(), FpPowers { a, b, times })
}

/// Repeats an operation in Fp12 on eight numbers, each time on the previous result; `None` without
/// lanes.
pub fn fp12_operations(
    operation: Operation,
    [a, b]: [&[blst_fp12; LANES]; 2],
    times: u32,
) -> Option<[blst_fp12; LANES]> {
    run(Backend::active(), Fp12Operations { operation, a, b, times })
}
