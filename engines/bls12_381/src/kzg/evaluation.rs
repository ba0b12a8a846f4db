// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluates a blob's polynomial in eight lanes, directly from its bytes.
//!
//! The values are folded as in `blob::evaluate`: e(w²) + z·o(w²) from f(w) and f(−w), without the
//! divisions by 2. Each lane holds a contiguous eighth of the values. In bit-reversed order, the
//! root of pair e of lane l is that of pair e of the first lane times a factor of the lane: so lane
//! l folds with z divided by that factor, and all lanes use the same roots. Three folds leave an
//! eighth of the values; nine leave one per lane.
//!
//! Values are plain integers, and their multipliers have the Montgomery factor. So values need no
//! conversion, only the test that they are below r.

use std::sync::LazyLock;

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::lanes::element::{
    add_columns, carry, factors, multiply, splat_factors, Columns, Factors, LaneModulus,
    ProductSum, LIMBS,
};
use halimede_arith::lanes::{element, transfer, Kernel, Lanes, LANES};
use halimede_arith::Fr;

use super::roots::{BLOB_ELEMENTS, INVERSE_ROOTS};

/// The number of values per lane.
const LANE_VALUES: usize = BLOB_ELEMENTS / LANES;
/// The number of folds between a load of the values and the next store; each halves their number.
const FOLDS: usize = 3;
/// The number of values that become one.
const FOLDED: usize = 1 << FOLDS;
/// The number of passes over all values.
const PASSES: usize = LANE_VALUES.ilog2() as usize / FOLDS;

type Limbs = [u64; LIMBS];

/// x·2²⁶⁰ mod r in limbs.
fn limbs(x: Fr) -> Limbs {
    element::limbs_52((x * Fr::from(16)).montgomery_limbs())
}

/// The inverses of the roots of the first lane's pairs, times 2²⁶⁰.
static ROOTS: LazyLock<Vec<Limbs>> =
    LazyLock::new(|| INVERSE_ROOTS[..LANE_VALUES / 2].iter().copied().map(limbs).collect());

/// 2²⁶⁰ mod r: the multiplier 1.
static ONE: LazyLock<Limbs> = LazyLock::new(|| limbs(Fr::from(1)));

/// 2⁵¹⁶ mod r: the multiplier that maps an integer to 2²⁵⁶ times it.
static INTO_FIELD: LazyLock<Limbs> = LazyLock::new(|| limbs(Fr::from(2).pow(&[256])));

/// Returns a multiple of r in limbs without carry propagation.
const fn multiple_of_modulus(multiple: u64) -> Limbs {
    let mut limbs = <Bls12381Scalar as LaneModulus>::LIMBS_52;
    let mut limb = 0;
    while limb < LIMBS {
        limbs[limb] *= multiple;
        limb += 1;
    }
    limbs
}

/// Offsets that keep a difference of values from being negative.
///
/// Values are below 3.1r before the first fold: integers below r, or the result of one or two
/// passes. A fold of values below B·r with an offset of C·r gives values below 2B·r + (B +
/// C)·r·1.5r/2²⁶⁰ + r, where 2²⁶⁰ is 35r: they are below 7.5r and 16.7r after the first two. Sums
/// and differences before the third are then below 34r, and so below 2²⁶⁰. The third fold is one
/// sum of two products, below (33.4·1 + 33.7·1.5)·r²/2²⁶⁰ + r, or 3.4r; after the first pass 2.5r,
/// and 3.1r after the second.
const OFFSETS: [Limbs; FOLDS] =
    [multiple_of_modulus(4), multiple_of_modulus(8), multiple_of_modulus(17)];

/// Folds a blob's values to one per lane.
pub(super) struct Evaluation<'a> {
    blob: &'a [[u8; 32]; BLOB_ELEMENTS],
    /// The evaluation point of each lane.
    points: [Fr; LANES],
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(blob: &'a [[u8; 32]; BLOB_ELEMENTS], z: Fr) -> Self {
        let mut points = [z; LANES];
        for (point, root) in points.iter_mut().zip(INVERSE_ROOTS.iter().step_by(LANE_VALUES / 2)) {
            *point *= *root;
        }
        Self { blob, points }
    }
}

/// The values of a block, one per lane each, in words with the least significant first.
type Words = [[[u64; LANES]; 4]; FOLDED];

/// Reads a block of values. Not inlined, so that it is compiled without vector instructions: the
/// compiler would use gathers, which are slower than loading words one by one.
#[inline(never)]
fn read(blob: &[[u8; 32]; BLOB_ELEMENTS], block: usize) -> Words {
    let mut words = [[[0; LANES]; 4]; FOLDED];
    for (lane, values) in blob.chunks_exact(LANE_VALUES).enumerate() {
        for (words, bytes) in words.iter_mut().zip(&values[FOLDED * block..]) {
            let (bytes, _) = bytes.as_chunks::<8>();
            for word in 0..4 {
                words[word][lane] = u64::from_be_bytes(bytes[3 - word]);
            }
        }
    }
    words
}

/// Loads one value per lane; the sign bits of `are_below` stay set where the value is below r.
#[inline(always)]
fn load<L: Lanes>([a, b, c, d]: &[[u64; LANES]; 4], are_below: &mut L) -> Columns<L> {
    let value = transfer::limbs_of_words([L::load(a), L::load(b), L::load(c), L::load(d)]);
    let mut less = value;
    for (limb, modulus) in less.iter_mut().zip(<Bls12381Scalar as LaneModulus>::LIMBS_52) {
        *limb = limb.sub(L::splat(modulus));
    }
    *are_below = are_below.and(carry(less)[LIMBS - 1]);
    value
}

#[inline(always)]
fn plus<L: Lanes>(mut a: Columns<L>, b: &Columns<L>) -> Columns<L> {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.add(*b);
    }
    a
}

#[inline(always)]
fn minus<L: Lanes>(mut a: Columns<L>, b: &Columns<L>) -> Columns<L> {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.sub(*b);
    }
    a
}

/// Returns a·b as a multiplier.
#[inline(always)]
fn product<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> Factors<L> {
    factors(multiply::<L, Bls12381Scalar>(a, b))
}

/// Folds eight values to one with the point, its square and its fourth power. `roots` are those of
/// the first fold's first pair, and those after it.
#[inline(always)]
fn fold<L: Lanes>(
    values: &mut [Columns<L>; FOLDED],
    powers: &[Factors<L>; FOLDS],
    block: usize,
    roots: &[Limbs],
    one: &Limbs,
) -> Columns<L> {
    for level in 0..FOLDS {
        let pairs = FOLDED >> (level + 1);
        for pair in 0..pairs {
            let (first, second) = (values[2 * pair], values[2 * pair + 1]);
            let root = splat_factors::<L>(&roots[block * pairs + pair]);
            let factor = product::<L>(&powers[level], &root);
            let mut difference = minus(first, &second);
            add_columns(&mut difference, &OFFSETS[level]);
            let (sum, difference) = (plus(first, &second), factors(difference));
            values[pair] = if level + 1 < FOLDS {
                plus(multiply::<L, Bls12381Scalar>(&difference, &factor), &sum)
            } else {
                let mut products = ProductSum::<L>::new();
                products.add_product(&factors(sum), &splat_factors::<L>(one));
                products.add_product(&difference, &factor);
                element::reduce::<L, Bls12381Scalar>(products.finish::<Bls12381Scalar>(2))
            };
        }
    }
    values[0]
}

impl Kernel for Evaluation<'_> {
    /// `None` if a value is r or more.
    type Output = Option<[Fr; LANES]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (roots, one) = (&ROOTS[..], &*ONE);
        let [a, b, c, d, e, f, g, h] = &self.points;
        let mut point = factors(transfer::load::<L, Bls12381Scalar>([a, b, c, d, e, f, g, h]));
        let mut are_below = L::splat(u64::MAX);
        let mut folded = vec![[[0; LANES]; LIMBS]; LANE_VALUES / FOLDED];
        for pass in 0..PASSES {
            let mut powers = [point; FOLDS];
            for level in 1..FOLDS {
                powers[level] = product::<L>(&powers[level - 1], &powers[level - 1]);
            }
            point = product::<L>(&powers[FOLDS - 1], &powers[FOLDS - 1]);
            for block in 0..LANE_VALUES >> (FOLDS * (pass + 1)) {
                let mut values = [[L::splat(0); LIMBS]; FOLDED];
                if pass == 0 {
                    for (value, words) in values.iter_mut().zip(&read(self.blob, block)) {
                        *value = load(words, &mut are_below);
                    }
                } else {
                    for (value, columns) in values.iter_mut().zip(&folded[FOLDED * block..]) {
                        for (limb, column) in value.iter_mut().zip(columns) {
                            *limb = L::load(column);
                        }
                    }
                }
                let result = fold(&mut values, &powers, block, roots, one);
                for (column, limb) in folded[block].iter_mut().zip(result) {
                    *column = limb.store();
                }
            }
        }
        let mut value = [L::splat(0); LIMBS];
        for (limb, column) in value.iter_mut().zip(&folded[0]) {
            *limb = L::load(column);
        }
        let value =
            multiply::<L, Bls12381Scalar>(&factors(value), &splat_factors::<L>(&INTO_FIELD));
        for sign in are_below.store() {
            if sign >> 63 == 0 {
                return None;
            }
        }
        Some(transfer::store::<L, Bls12381Scalar>(value))
    }
}
