// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many pairings: which of them lanes compute, and how they are laid out.

use blst::blst_fp12;
use halimede_arith::lanes::{run_integers, IntegerKernel, IntegerLanes, LANES};
use halimede_arith::Backend;

use super::final_exponentiation::{final_exponentiation, frobenius_constants, Frobenius};
use super::fp12::Workspace;
use super::library;
use super::miller::miller_loop;
use super::transfer::{load_fp12, load_pairs, store_fp12, Pair};

/// From how many lanes in use on eight side by side take less time than one after the other.
const WORTH_LANES: usize = 2;

/// From how many pairs on one product is cut over the lanes.
const WORTH_CUTTING: usize = 2;

/// A pair in each lane; a lane without one has a factor of 1.
pub(super) type Row<'a> = [Option<&'a Pair>; LANES];

/// The product of the Miller loops of each lane's pairs.
pub(super) struct MillerLoops<'a> {
    pub rows: &'a [Row<'a>],
    pub filler: &'a Pair,
}

impl IntegerKernel for MillerLoops<'_> {
    type Output = [blst_fp12; LANES];

    #[inline(always)]
    fn run<L: IntegerLanes>(self) -> Self::Output {
        let mut pairs = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            pairs.push(load_pairs::<L>(row, self.filler));
        }
        store_fp12(&miller_loop(&pairs, &mut Workspace::new()))
    }
}

/// Final exponentiations of eight numbers.
pub(super) struct FinalExponentiations<'a> {
    pub numbers: &'a [blst_fp12; LANES],
    pub constants: &'a Frobenius,
}

impl IntegerKernel for FinalExponentiations<'_> {
    type Output = [blst_fp12; LANES];

    #[inline(always)]
    fn run<L: IntegerLanes>(self) -> Self::Output {
        let number = load_fp12::<L>(self.numbers);
        store_fp12(&final_exponentiation(&number, self.constants, &mut Workspace::new()))
    }
}

/// What runs kernels: the lanes of this process, or their emulation in tests.
pub(super) trait Runner {
    /// Whether kernels run.
    fn is_there(&self) -> bool;
    /// The kernel's output, if it runs.
    fn run<K: IntegerKernel>(&self, kernel: K) -> Option<K::Output>;
}

/// The lanes of this process, where it has some.
pub(super) struct Active;

impl Runner for Active {
    fn is_there(&self) -> bool {
        has_lanes()
    }

    #[inline]
    fn run<K: IntegerKernel>(&self, kernel: K) -> Option<K::Output> {
        run_integers(Backend::active(), kernel)
    }
}

/// Whether this process computes in lanes.
pub(crate) fn has_lanes() -> bool {
    Backend::active() == Backend::Avx512Ifma
}

/// The products of the Miller loops of each lane's pairs, `None` without lanes.
fn miller_loops_in_lanes(rows: &[Row]) -> Option<[blst_fp12; LANES]> {
    let filler = library::filler();
    run_integers(Backend::active(), MillerLoops { rows, filler: &filler })
}

/// The pairs that have no infinity.
fn finite(pairs: &[Pair]) -> Vec<&Pair> {
    pairs.iter().filter(|pair| !library::has_infinity(pair)).collect()
}

/// Lists of pairs of up to eight lanes, in rows.
fn rows<'a>(lists: &[Vec<&'a Pair>]) -> Vec<Row<'a>> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let row = |number: usize| {
        let mut row: Row = [None; LANES];
        for (lane, list) in row.iter_mut().zip(lists) {
            *lane = list.get(number).copied();
        }
        row
    };
    (0..longest).map(row).collect()
}

/// Of each list the product of its Miller loops, before the final exponentiation; 1 of an empty
/// one.
///
/// Values differ from blst's by factors that the final exponentiation takes away.
pub fn miller_products(lists: &[&[Pair]]) -> Vec<blst_fp12> {
    if let [pairs] = lists {
        return vec![miller_product(pairs)];
    }
    let mut products = Vec::with_capacity(lists.len());
    for lists in lists.chunks(LANES) {
        let lists: Vec<Vec<&Pair>> = lists.iter().map(|pairs| finite(pairs)).collect();
        let together = match lists.len() >= WORTH_LANES && has_lanes() {
            true => miller_loops_in_lanes(&rows(&lists)),
            false => None,
        };
        match together {
            Some(together) => products.extend(&together[..lists.len()]),
            None => products.extend(lists.iter().map(|pairs| library::miller_product(pairs))),
        }
    }
    products
}

/// The product of the Miller loops of all pairs, before the final exponentiation; 1 of none.
///
/// The value differs from blst's by factors that the final exponentiation takes away.
pub fn miller_product(pairs: &[Pair]) -> blst_fp12 {
    let pairs = finite(pairs);
    if pairs.len() < WORTH_CUTTING || !has_lanes() {
        return library::miller_product(&pairs);
    }
    let lists: Vec<Vec<&Pair>> =
        (0..LANES).map(|lane| pairs.iter().skip(lane).step_by(LANES).copied().collect()).collect();
    match miller_loops_in_lanes(&rows(&lists)) {
        Some(products) => {
            products.iter().fold(library::one_12(), |a, b| library::product_12(&a, b))
        }
        None => library::miller_product(&pairs),
    }
}

/// The numbers to the power 3(p¹² − 1)/r, none of them 0: what blst's final exponentiation gives.
pub fn final_exponentiations(numbers: &[blst_fp12]) -> Vec<blst_fp12> {
    let mut results = Vec::with_capacity(numbers.len());
    for numbers in numbers.chunks(LANES) {
        let mut lanes = [library::one_12(); LANES];
        lanes[..numbers.len()].copy_from_slice(numbers);
        let together = match numbers.len() >= WORTH_LANES && has_lanes() {
            true => {
                let constants = frobenius_constants();
                let kernel = FinalExponentiations { numbers: &lanes, constants };
                run_integers(Backend::active(), kernel)
            }
            false => None,
        };
        match together {
            Some(together) => results.extend(&together[..numbers.len()]),
            None => results.extend(numbers.iter().map(library::final_exponentiation)),
        }
    }
    results
}

/// The pairing of each pair, as blst has it: the optimal ate pairing to the power of three.
pub fn pairings(pairs: &[Pair]) -> Vec<blst_fp12> {
    let lists: Vec<&[Pair]> = pairs.iter().map(std::slice::from_ref).collect();
    final_exponentiations(&miller_products(&lists))
}

/// Whether the product of all pairings is 1; it is of none.
pub fn multi_pairing_check(pairs: &[Pair]) -> bool {
    library::final_exponentiation(&miller_product(pairs)) == library::one_12()
}
