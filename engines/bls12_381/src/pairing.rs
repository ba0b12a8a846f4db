// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pairings e: G1 × G2 → GT. All Miller loops, final exponentiations and subgroup checks of batches
//! go through this module.

use std::sync::Arc;

use halimede_arith::lanes::LANES;
use rayon::prelude::*;

pub(crate) use crate::lanes::Pair;
use crate::lanes::{self, worth, POINTS_OF_G1};
pub use crate::library::FP12_BYTES as GT_BYTES;
use crate::library::{miller_product_at_lines, Curve, Lines, Miller, G1, G2};
use crate::Point;

/// The number of pairs whose Miller loops share their squarings in Fp12: four per lane.
const SHARED_PAIRS: usize = 4 * LANES;

/// A finite point of G2 that many equations share, with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) point: Point<G2>,
    lines: Arc<Lines>,
}

impl Prepared {
    pub(crate) fn new(point: Point<G2>) -> Self {
        assert!(!point.is_infinity());
        Self { point, lines: Arc::new(Lines::of(point.affine())) }
    }
}

/// Returns a pair of points of the groups.
pub(crate) fn pair(p: &Point<G1>, q: &Point<G2>) -> Pair {
    (*p.affine(), *q.affine())
}

/// Returns the product of the Miller loops of pairs, computed on the threads of the current pool.
pub(crate) fn miller_product(pairs: &[Pair]) -> Miller {
    let share = pairs.len().div_ceil(rayon::current_num_threads()).max(SHARED_PAIRS);
    let product = |pairs: &[Pair]| Miller(lanes::miller_product(pairs));
    match pairs.len() <= share {
        true => product(pairs),
        false => pairs.par_chunks(share).map(product).reduce(Miller::one, |a, b| a.times(&b)),
    }
}

/// Returns the product of the Miller loops of a few pairs, computed on this thread: of pairs with
/// prepared points of G2, and of others.
pub(crate) fn miller_product_of_few(
    prepared: &[(Point<G1>, &Prepared)],
    others: &[(Point<G1>, Point<G2>)],
) -> Miller {
    let pairs = prepared.len() + others.len();
    if pairs >= worth().prepared_pairs || others.len() > worth().computed_lines {
        let prepared = prepared.iter().map(|(p, q)| pair(p, &q.point));
        let pairs: Vec<Pair> = prepared.chain(others.iter().map(|(p, q)| pair(p, q))).collect();
        return Miller(lanes::miller_product(&pairs));
    }
    let others = others.iter().filter(|(_, q)| !q.is_infinity());
    let others: Vec<_> = others.map(|(p, q)| (p, Lines::of(q.affine()))).collect();
    let prepared = prepared.iter().map(|(p, q)| (p, &*q.lines));
    let pairs = prepared.chain(others.iter().map(|(p, lines)| (*p, lines)));
    let finite = pairs.filter(|(p, _)| !p.is_infinity());
    miller_product_at_lines(&finite.map(|(p, lines)| (p.affine(), lines)).collect::<Vec<_>>())
}

/// Returns `true` if the product of the pairings is 1.
pub(crate) fn is_product_one(pairs: &[Pair]) -> bool {
    miller_product(pairs).is_one()
}

/// Returns the product of the Miller loops of each list of pairs, computed on the threads of the
/// current pool.
pub(crate) fn miller_products(lists: &[Vec<Pair>]) -> Vec<Miller> {
    let lists: Vec<&[Pair]> = lists.iter().map(Vec::as_slice).collect();
    lists.par_chunks(LANES).flat_map_iter(lanes::miller_products).map(Miller).collect()
}

/// Returns which of the products are 1 in GT, computed on the threads of the current pool.
pub(crate) fn are_one(products: &[Miller]) -> Vec<bool> {
    let are_one = |products: &[Miller]| match products {
        [product] => vec![product.is_one()],
        _ => {
            let numbers: Vec<_> = products.iter().map(|product| product.0).collect();
            let one = Miller::one().0;
            lanes::final_exponentiations(&numbers).iter().map(|number| *number == one).collect()
        }
    };
    products.par_chunks(LANES).flat_map_iter(are_one).collect()
}

/// Returns which points of a curve are in its group, computed on the threads of the current pool.
pub(crate) fn in_group<C: Curve>(points: &[C::Affine]) -> Vec<bool> {
    match points.len() <= POINTS_OF_G1 {
        true => C::in_group(points),
        false => points.par_chunks(POINTS_OF_G1).flat_map_iter(C::in_group).collect(),
    }
}

/// Returns the product of pairings as bytes: twelve elements of Fp, big-endian. An element of Fp12
/// = Fp6\[w\]/(w² − v) has six elements of Fp2: those of 1, v, v², w, vw, v²w; each is constant
/// term first. The pairing is the cube of the optimal ate pairing, as in the libraries `blst` and
/// `bls12_381`.
pub fn pairing_product(pairs: &[(Point<G1>, Point<G2>)]) -> [u8; GT_BYTES] {
    miller_product(&affine(pairs)).to_bytes()
}

/// Returns `true` if the product of pairings is 1.
pub fn is_pairing_product_one(pairs: &[(Point<G1>, Point<G2>)]) -> bool {
    is_product_one(&affine(pairs))
}

fn affine(pairs: &[(Point<G1>, Point<G2>)]) -> Vec<Pair> {
    pairs.iter().map(|(p, q)| pair(p, q)).collect()
}
