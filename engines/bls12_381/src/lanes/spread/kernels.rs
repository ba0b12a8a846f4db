// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels for one number of Fp12.

use blst::{blst_fp, blst_fp12, blst_fp6};
use halimede_arith::lanes::bls12_381::Fp;
use halimede_arith::lanes::{run_with_ifma, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::super::final_exponentiation::{exponentiated, frobenius_constants, Chain, Frobenius};
use super::super::fp12::Line;
use super::super::fp2::{Fp2, REDUCED};
use super::super::library;
use super::super::miller::{miller_loop, product_of_lines, Lines, Steps};
use super::super::transfer::{load_fp, load_fp2, load_pairs, Pair};
use super::{multiply_by_line, square, Spread};

/// A product of the lines of one list of pairs, one pair per lane.
struct OfOneList<L> {
    product: Spread<L>,
    pairs: usize,
}

impl<L: Lanes> Lines<L> for OfOneList<L> {
    #[inline(always)]
    fn square(&mut self) {
        square(&mut self.product);
    }

    #[inline(always)]
    fn multiply(&mut self, line: &Line<L>) {
        for number in 0..self.pairs {
            multiply_by_line(&mut self.product, line, number);
        }
    }
}

/// The product of the Miller loops of at most eight pairs without infinity.
pub(in super::super) struct MillerProduct<'a> {
    pub pairs: &'a [&'a Pair],
    pub filler: &'a Pair,
}

impl Kernel for MillerProduct<'_> {
    type Output = blst_fp12;

    #[inline(always)]
    fn run<L: Lanes>(self) -> blst_fp12 {
        let mut row = [None; LANES];
        for (place, pair) in row.iter_mut().zip(self.pairs) {
            *place = Some(*pair);
        }
        let pair = load_pairs::<L>(&row, self.filler);
        let one = OfOneList { product: Spread::one(), pairs: self.pairs.len() };
        product_of_lines(std::slice::from_ref(&pair), one).product.conjugate().store()
    }
}

/// Lines of a point of G2 in the order of the steps, and the factors of their second and third
/// coefficients: those of a point of G1.
pub type LinesAt<'a> = (&'a [blst_fp6], [blst_fp; 2]);

/// The product of the Miller loops of pairs whose lines are known.
pub(in super::super) struct MillerProductAtLines<'a> {
    pub pairs: &'a [LinesAt<'a>],
}

/// The lines of pairs, at their points: those of eight steps each, one step per lane.
struct AtLines<L> {
    product: Spread<L>,
    pairs: Vec<Vec<Line<L>>>,
    step: usize,
}

impl<L: Lanes> AtLines<L> {
    #[inline(always)]
    fn multiply_by_lines(&mut self) {
        for lines in &self.pairs {
            multiply_by_line(&mut self.product, &lines[self.step / LANES], self.step % LANES);
        }
        self.step += 1;
    }
}

impl<L: Lanes> Steps for AtLines<L> {
    #[inline(always)]
    fn square(&mut self) {
        square(&mut self.product);
    }

    #[inline(always)]
    fn double(&mut self) {
        self.multiply_by_lines();
    }

    #[inline(always)]
    fn add(&mut self) {
        self.multiply_by_lines();
    }
}

/// Evaluates the lines of up to eight steps.
#[inline(always)]
fn evaluated<L: Lanes>(lines: &[blst_fp6], factors: &[Fp<L, REDUCED>; 2]) -> Line<L> {
    let mut of_lanes = [&lines[0]; LANES];
    for (place, line) in of_lanes.iter_mut().zip(lines) {
        *place = line;
    }
    let mut coefficients = [Fp2::<L, REDUCED>::zero(); 3];
    for (number, coefficient) in coefficients.iter_mut().enumerate() {
        let mut values = [&lines[0].fp2[number]; LANES];
        for (value, line) in values.iter_mut().zip(of_lanes) {
            *value = &line.fp2[number];
        }
        *coefficient = load_fp2(values);
    }
    let [c0, c1, c2] = coefficients;
    Line { c0: c0.widened(), c1: c1.scaled(&factors[0]), c2: c2.scaled(&factors[1]) }
}

impl Kernel for MillerProductAtLines<'_> {
    type Output = blst_fp12;

    #[inline(always)]
    fn run<L: Lanes>(self) -> blst_fp12 {
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (lines, [x, y]) in self.pairs {
            let factors = [load_fp::<L>([x; LANES]), load_fp([y; LANES])];
            let mut evaluated_lines = Vec::with_capacity(lines.len().div_ceil(LANES));
            for lines in lines.chunks(LANES) {
                evaluated_lines.push(evaluated(lines, &factors));
            }
            pairs.push(evaluated_lines);
        }
        let mut steps = AtLines { product: Spread::one(), pairs, step: 0 };
        miller_loop(&mut steps);
        steps.product.conjugate().store()
    }
}

/// The final exponentiation of one number.
pub(in super::super) struct FinalExponentiation<'a> {
    pub number: &'a blst_fp12,
    pub inverse: &'a blst_fp12,
    pub constants: &'a Frobenius,
}

impl Kernel for FinalExponentiation<'_> {
    type Output = blst_fp12;

    #[inline(always)]
    fn run<L: Lanes>(self) -> blst_fp12 {
        let (number, inverse) = (Spread::<L>::load(self.number), Spread::load(self.inverse));
        exponentiated(&number, &inverse, self.constants, &mut ()).store()
    }
}

/// Returns the product of the Miller loops of at most eight pairs without infinity; `None` if the
/// library is faster. The lines of a single pair are computed by the library: with one pair per
/// lane, seven lanes would be empty.
pub fn miller_product(pairs: &[&Pair]) -> Option<blst_fp12> {
    if let [(p, q)] = pairs {
        let lines = library::lines_of(q);
        return miller_product_at_lines(&[(&lines, library::doubled_coordinates(p))]);
    }
    let filler = library::filler();
    run_with_ifma(Backend::active(), MillerProduct { pairs, filler: &filler })
}

/// Returns the product of the Miller loops of pairs whose lines are known; `None` if the library
/// is faster.
pub fn miller_product_at_lines(pairs: &[LinesAt<'_>]) -> Option<blst_fp12> {
    run_with_ifma(Backend::active(), MillerProductAtLines { pairs })
}

/// Returns f^(3(p¹² − 1)/r), for f other than 0; `None` if the library is faster.
pub fn final_exponentiation(number: &blst_fp12) -> Option<blst_fp12> {
    let inverse = library::inverse_12(number);
    let constants = frobenius_constants();
    run_with_ifma(Backend::active(), FinalExponentiation { number, inverse: &inverse, constants })
}
