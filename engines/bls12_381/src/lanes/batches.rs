// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches of pairings: decides which are computed in lanes, and how they are laid out.

use blst::blst_fp12;
use halimede_arith::lanes::{available, run, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::final_exponentiation::{
    final_exponentiation as exponentiations, frobenius_constants, Frobenius,
};
use super::fp12::Workspace;
use super::library;
use super::miller::miller_products as products_of_lanes;
use super::spread;
use super::transfer::{load_fp12, load_pairs, store_fp12, Pair};
use super::worth::{worth, Worth};

/// One pair per lane; a lane without a pair has the factor 1.
pub(super) type Row<'a> = [Option<&'a Pair>; LANES];

/// The product of the Miller loops of each lane's pairs.
pub(super) struct MillerLoops<'a> {
    pub rows: &'a [Row<'a>],
    pub filler: &'a Pair,
}

impl Kernel for MillerLoops<'_> {
    type Output = [blst_fp12; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut pairs = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            pairs.push(load_pairs::<L>(row, self.filler));
        }
        store_fp12(&products_of_lanes(&pairs, &mut Workspace::new()))
    }
}

/// Final exponentiations of eight numbers.
pub(super) struct FinalExponentiations<'a> {
    pub numbers: &'a [blst_fp12; LANES],
    pub constants: &'a Frobenius,
}

impl Kernel for FinalExponentiations<'_> {
    type Output = [blst_fp12; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let number = load_fp12::<L>(self.numbers);
        store_fp12(&exponentiations(&number, self.constants, &mut Workspace::new()))
    }
}

/// Runs kernels: in the lanes of this process, or in their emulation in tests.
pub(super) trait Runner {
    /// Returns the numbers of items from which kernels are worth it.
    fn worth(&self) -> &'static Worth;
    /// Returns the kernel's output if it runs.
    fn run<K: Kernel>(&self, kernel: K) -> Option<K::Output>;
}

/// The lanes of this process, if it has any.
pub(super) struct Active;

impl Runner for Active {
    fn worth(&self) -> &'static Worth {
        worth()
    }

    #[inline]
    fn run<K: Kernel>(&self, kernel: K) -> Option<K::Output> {
        run(Backend::active(), kernel)
    }
}

/// Returns `true` if this process computes in lanes.
pub(crate) fn has_lanes() -> bool {
    available(Backend::active())
}

/// Returns the products of the Miller loops of each lane's pairs; `None` without lanes.
fn miller_loops_in_lanes(rows: &[Row]) -> Option<[blst_fp12; LANES]> {
    let filler = library::filler();
    run(Backend::active(), MillerLoops { rows, filler: &filler })
}

/// Returns the pairs without infinity.
fn finite(pairs: &[Pair]) -> Vec<&Pair> {
    pairs.iter().filter(|pair| !library::has_infinity(pair)).collect()
}

/// Arranges lists of pairs, one per lane for up to eight lanes, in rows.
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

/// Returns the product of the Miller loops of each list, before the final exponentiation; 1 for an
/// empty list.
///
/// Values differ from blst's by factors that the final exponentiation removes.
pub fn miller_products(lists: &[&[Pair]]) -> Vec<blst_fp12> {
    if let [pairs] = lists {
        return vec![miller_product(pairs)];
    }
    let mut products = Vec::with_capacity(lists.len());
    for lists in lists.chunks(LANES) {
        let lists: Vec<Vec<&Pair>> = lists.iter().map(|pairs| finite(pairs)).collect();
        let together = match lists.len() >= worth().miller_loops {
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

/// Returns the product of the Miller loops of all pairs, before the final exponentiation; 1 for no
/// pairs.
///
/// The value differs from blst's by factors that the final exponentiation removes.
pub fn miller_product(pairs: &[Pair]) -> blst_fp12 {
    let pairs = finite(pairs);
    if (1..=worth().few_pairs).contains(&pairs.len()) {
        if let Some(product) = spread::miller_product(&pairs) {
            return product;
        }
    }
    if pairs.len() < worth().pairs {
        return library::miller_product(&pairs);
    }
    // The last pairs fill only some of the lanes.
    let last = pairs.len() % LANES;
    let count = if last < worth().last_pairs { pairs.len() - last } else { pairs.len() };
    let (pairs, last) = pairs.split_at(count);
    let lists: Vec<Vec<&Pair>> =
        (0..LANES).map(|lane| pairs.iter().skip(lane).step_by(LANES).copied().collect()).collect();
    let product = match miller_loops_in_lanes(&rows(&lists)) {
        Some(products) => {
            products.iter().fold(library::one_12(), |a, b| library::product_12(&a, b))
        }
        None => library::miller_product(pairs),
    };
    match last {
        [] => product,
        _ => library::product_12(&product, &library::miller_product(last)),
    }
}

/// Returns a number, which must not be 0, to the power 3(p¹² − 1)/r, as blst's final
/// exponentiation does.
pub fn final_exponentiation(number: &blst_fp12) -> blst_fp12 {
    let fast = if worth().few_pairs > 0 { spread::final_exponentiation(number) } else { None };
    fast.unwrap_or_else(|| library::final_exponentiation(number))
}

/// Returns the numbers, which must not be 0, to the power 3(p¹² − 1)/r, as blst's final
/// exponentiation does.
pub fn final_exponentiations(numbers: &[blst_fp12]) -> Vec<blst_fp12> {
    let mut results = Vec::with_capacity(numbers.len());
    for numbers in numbers.chunks(LANES) {
        let mut lanes = [library::one_12(); LANES];
        lanes[..numbers.len()].copy_from_slice(numbers);
        let together = match numbers.len() >= worth().final_exponentiations {
            true => {
                let constants = frobenius_constants();
                let kernel = FinalExponentiations { numbers: &lanes, constants };
                run(Backend::active(), kernel)
            }
            false => None,
        };
        match together {
            Some(together) => results.extend(&together[..numbers.len()]),
            None => results.extend(numbers.iter().map(final_exponentiation)),
        }
    }
    results
}

/// Returns the pairing of each pair in blst's normalization: the cube of the optimal ate pairing.
pub fn pairings(pairs: &[Pair]) -> Vec<blst_fp12> {
    let lists: Vec<&[Pair]> = pairs.iter().map(std::slice::from_ref).collect();
    final_exponentiations(&miller_products(&lists))
}

/// Returns `true` if the product of all pairings is 1, as that of no pairings is.
pub fn multi_pairing_check(pairs: &[Pair]) -> bool {
    final_exponentiation(&miller_product(pairs)) == library::one_12()
}
