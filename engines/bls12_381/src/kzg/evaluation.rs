// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A blob's value at a point in eight lanes, from its bytes.
//!
//! The values at f's roots are folded as in `blob::evaluate`: e(w²) + z·o(w²)
//! from f(w) and f(−w), without the halves. Lane l has an eighth of the values, one behind the
//! other. Bit-reversed, the root of pair e of lane l is that of pair e of the first lane times one of
//! the lane's own: so lane l folds with z divided by that, and the same roots as all others. Three
//! folds leave an eighth of the values; nine of them one in each lane.
//!
//! Values are plain integers, and what they are multiplied by has the Montgomery factor. They need
//! no conversion, only the test that they are below r.

use std::sync::LazyLock;

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::lanes::element::{
    add_columns, carry, factors, multiply, splat_factors, Columns, Factors, LaneModulus,
    ProductSum, LIMBS,
};
use halimede_arith::lanes::{element, transfer, Kernel, Lanes, LANES};
use halimede_arith::Fr;

use super::roots::{BLOB_ELEMENTS, INVERSE_ROOTS};

/// Values of a lane.
const LANE_VALUES: usize = BLOB_ELEMENTS / LANES;
/// Folds from one time that values are in memory to the next, each in half.
const FOLDS: usize = 3;
/// Values that become one.
const FOLDED: usize = 1 << FOLDS;
/// Times that all values are folded so.
const PASSES: usize = LANE_VALUES.ilog2() as usize / FOLDS;

type Limbs = [u64; LIMBS];

/// x·2²⁶⁰ mod r in limbs.
fn limbs(x: Fr) -> Limbs {
    element::limbs_52((x * Fr::from(16)).montgomery_limbs())
}

/// 1 divided by the roots of the first lane's pairs, times 2²⁶⁰.
static ROOTS: LazyLock<Vec<Limbs>> =
    LazyLock::new(|| INVERSE_ROOTS[..LANE_VALUES / 2].iter().copied().map(limbs).collect());

/// 2²⁶⁰ mod r: 1 as a factor.
static ONE: LazyLock<Limbs> = LazyLock::new(|| limbs(Fr::from(1)));

/// 2⁵¹⁶ mod r: what leads from an integer to 2²⁵⁶ times it.
static INTO_FIELD: LazyLock<Limbs> = LazyLock::new(|| limbs(Fr::from(2).pow(&[256])));

/// A multiple of r in limbs that are not carried.
const fn multiple_of_modulus(multiple: u64) -> Limbs {
    let mut limbs = <Bls12381Scalar as LaneModulus>::LIMBS_52;
    let mut limb = 0;
    while limb < LIMBS {
        limbs[limb] *= multiple;
        limb += 1;
    }
    limbs
}

/// What is added to a difference of values, so that it is not negative.
///
/// Values are below 3.1r before the first fold: integers below r, or what one or two passes gave. A
/// fold of values below B·r with an offset of C·r gives values below 2B·r + (B + C)·r·1.5r/2²⁶⁰ + r,
/// where 2²⁶⁰ is 35r: they are below 7.5r and 16.7r after the first two. Sums and differences before
/// the third are then below 34r, and so below 2²⁶⁰. The third fold is one sum of two products, below
/// (33.4·1 + 33.7·1.5)·r²/2²⁶⁰ + r, or 3.4r; after the first pass 2.5r, and 3.1r after the second.
const OFFSETS: [Limbs; FOLDS] =
    [multiple_of_modulus(4), multiple_of_modulus(8), multiple_of_modulus(17)];

/// A blob's values folded to one in each lane.
pub(super) struct Evaluation<'a> {
    blob: &'a [[u8; 32]; BLOB_ELEMENTS],
    /// Where each lane's values are folded.
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

/// Values of the lanes in words, least significant first: the values of a block, each of all lanes.
type Words = [[[u64; LANES]; 4]; FOLDED];

/// Reads a block of values. Not inlined, so that it is compiled without the lanes' instructions: the
/// compiler would gather words, which takes longer than to load them one by one.
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

/// A value of each lane; the signs stay set where it is below r.
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

/// a·b as a factor.
#[inline(always)]
fn product<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> Factors<L> {
    factors(multiply::<L, Bls12381Scalar>(a, b))
}

/// Eight values folded to one with the point, its square and the fourth power; the roots are those
/// of the first fold's first pair and of those after it.
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
    /// `None` where a value is r or more.
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
