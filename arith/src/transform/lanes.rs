// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Butterflies in eight lanes.
//!
//! A block is held in vectors of eight consecutive values, five limbs each; the last three levels,
//! within a vector, are computed on tiles of eight vectors, transposed. Values are plain integers,
//! the Montgomery forms of elements (R = 2²⁵⁶); roots have the factor 2²⁶⁰. So values need no
//! conversion. 2²⁶⁰ is above 35.3·r.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use zeroize::Zeroizing;

use super::roots_of_inverse;
use crate::field::Bls12381Scalar;
use crate::lanes::element::{
    add_columns, carry, factors, limbs_52, multiply, splat_factors, Columns, Factors, LaneModulus,
    LIMBS,
};
use crate::lanes::transfer::{limbs_of_words, store};
use crate::lanes::{Kernel, Lanes, LANES};
use crate::Fr;

/// The number of values of a tile.
const TILE: usize = LANES * LANES;

/// The minimum size of a block in lanes.
pub const LEAST_BLOCK: usize = TILE;

/// The maximum number of levels of [`EvaluateInLanes`]: each adds 2r to the bound of its values,
/// which must stay below 2²⁶⁰.
pub const MOST_LEVELS: u32 = 16;

type Limbs = [u64; LIMBS];

/// Eight values, one limb of each after another.
type Vector = [[u64; LANES]; LIMBS];

const R: Limbs = <Bls12381Scalar as LaneModulus>::LIMBS_52;

/// 2r, its limbs twice those of r.
const TWICE: Limbs = [2 * R[0], 2 * R[1], 2 * R[2], 2 * R[3], 2 * R[4]];

/// A root with the factor 2²⁶⁰ in limbs.
pub fn lane_root(root: Fr) -> Limbs {
    limbs_52((root * Fr::from(16)).montgomery_limbs())
}

/// The roots of a domain, for lanes.
#[derive(Clone, Copy)]
pub struct LaneRoots<'a> {
    pub roots: &'a [Limbs],
    /// The root −1.
    pub minus_one: &'a Limbs,
}

impl<'a> LaneRoots<'a> {
    /// Returns −1/ζ of a block.
    #[inline(always)]
    fn inverse(&self, block: usize) -> &'a Limbs {
        match block {
            0 => self.minus_one,
            _ => &self.roots[roots_of_inverse(block)],
        }
    }

    #[inline(always)]
    fn select<const INVERSE: bool>(&self, block: usize) -> &'a Limbs {
        match INVERSE {
            true => self.inverse(block),
            false => &self.roots[block],
        }
    }

    /// Returns the root of another block in each lane: from `first` on, `step` apart.
    #[inline(always)]
    fn load<L: Lanes, const INVERSE: bool>(&self, first: usize, step: usize) -> Factors<L> {
        let mut limbs = [[0; LANES]; LIMBS];
        for lane in 0..LANES {
            let root = self.select::<INVERSE>(first + lane * step);
            for limb in 0..LIMBS {
                limbs[limb][lane] = root[limb];
            }
        }
        [
            L::load(&limbs[0]).factor(),
            L::load(&limbs[1]).factor(),
            L::load(&limbs[2]).factor(),
            L::load(&limbs[3]).factor(),
            L::load(&limbs[4]).factor(),
        ]
    }
}

/// Loads every `step`-th value, eight of them.
#[inline(always)]
fn load<L: Lanes>(values: &[Fr], step: usize) -> Columns<L> {
    let mut words = [[0; LANES]; 4];
    for lane in 0..LANES {
        let limbs = values[lane * step].montgomery_limbs();
        for word in 0..4 {
            words[word][lane] = limbs[word];
        }
    }
    let [a, b, c, d] = &words;
    limbs_of_words([L::load(a), L::load(b), L::load(c), L::load(d)])
}

#[inline(always)]
fn load_vector<L: Lanes>(vector: &Vector) -> Columns<L> {
    let [a, b, c, d, e] = vector;
    [L::load(a), L::load(b), L::load(c), L::load(d), L::load(e)]
}

#[inline(always)]
fn store_vector<L: Lanes>(vector: &mut Vector, value: Columns<L>) {
    for limb in 0..LIMBS {
        vector[limb] = value[limb].store();
    }
}

#[inline(always)]
fn plus<L: Lanes>(mut a: Columns<L>, b: &Columns<L>) -> Columns<L> {
    for limb in 0..LIMBS {
        a[limb] = a[limb].add(b[limb]);
    }
    a
}

/// a − b + 2r.
#[inline(always)]
fn minus<L: Lanes>(mut a: Columns<L>, b: &Columns<L>) -> Columns<L> {
    for limb in 0..LIMBS {
        a[limb] = a[limb].sub(b[limb]);
    }
    add_columns(&mut a, &TWICE);
    a
}

/// (a, b) becomes (a + ζb, a − ζb + 2r). For b below 33r, ζb is in (0, 1.94r].
#[inline(always)]
fn evaluate<L: Lanes>(a: &mut Columns<L>, b: &mut Columns<L>, root: &Factors<L>) {
    let product = multiply::<L, Bls12381Scalar>(&factors(*b), root);
    (*a, *b) = (plus(*a, &product), minus(*a, &product));
}

/// (a, b) becomes (a + b, (b − a)·root), both below 2r, as a and b are: the first is folded from
/// below 4r, the second is below 4r·r/2²⁶⁰ + r.
#[inline(always)]
fn interpolate<L: Lanes>(a: &mut Columns<L>, b: &mut Columns<L>, root: &Factors<L>) {
    let difference = factors(minus(*b, a));
    (*a, *b) = (folded(plus(*a, b)), multiply::<L, Bls12381Scalar>(&difference, root));
}

/// Returns x − ⌊x/2²⁵⁵⌋·r, for x below 4r: below 2²⁵⁵ + 3·(2²⁵⁵ − r), which is 1.43r.
#[inline(always)]
fn folded<L: Lanes>(x: Columns<L>) -> Columns<L> {
    let mut x = carry(x);
    let quotient = x[LIMBS - 1].shift_right::<47>().factor();
    let mut multiple = [L::without_bias(1, 1); LIMBS];
    multiple[0] = L::without_bias(1, 0);
    for limb in 0..LIMBS - 1 {
        let (mut low, mut high) = (multiple[limb], multiple[limb + 1]);
        L::multiply_add(&mut low, &mut high, quotient, L::splat_factor(R[limb]));
        (multiple[limb], multiple[limb + 1]) = (low, high);
    }
    // The high half of the last product is 0.
    L::multiply_add_low(&mut multiple[LIMBS - 1], quotient, L::splat_factor(R[LIMBS - 1]));
    for limb in 0..LIMBS {
        x[limb] = x[limb].sub(multiple[limb]);
    }
    x
}

/// The three levels within vectors, whose blocks are in the lanes of eight values: from `first` on.
#[inline(always)]
fn levels_of_tile<L: Lanes, const INVERSE: bool>(
    tile: &mut [Columns<L>; LANES],
    first: usize,
    roots: LaneRoots<'_>,
) {
    for level in 0..3 {
        let level = if INVERSE { 2 - level } else { level };
        let (blocks, half) = (1 << level, LANES >> (level + 1));
        for block in 0..blocks {
            let root = roots.load::<L, INVERSE>(first * blocks + block, blocks);
            for place in 0..half {
                let (low, high) = tile.split_at_mut(2 * half * block + half);
                let (a, b) = (&mut low[2 * half * block + place], &mut high[place]);
                match INVERSE {
                    true => interpolate(a, b, &root),
                    false => evaluate(a, b, &root),
                }
            }
        }
    }
}

/// Swaps lanes and vectors: value i of vector j becomes value j of vector i.
#[inline(always)]
fn transposed<L: Lanes>(vectors: &[Vector; LANES]) -> [Columns<L>; LANES] {
    let mut columns = [[L::splat(0); LIMBS]; LANES];
    for limb in 0..LIMBS {
        let [a, b, c, d, e, f, g, h] = vectors;
        let rows = [&a[limb], &b[limb], &c[limb], &d[limb], &e[limb], &f[limb], &g[limb], &h[limb]];
        let transposed = L::load_rows(rows);
        for lane in 0..LANES {
            columns[lane][limb] = transposed[lane];
        }
    }
    columns
}

/// The levels between vectors, each with one root in all lanes.
#[inline(always)]
fn level_of_vectors<L: Lanes, const INVERSE: bool>(
    vectors: &mut [Vector],
    half: usize,
    block: usize,
    roots: LaneRoots<'_>,
) {
    for (number, vectors) in vectors.chunks_exact_mut(2 * half).enumerate() {
        let root = splat_factors::<L>(roots.select::<INVERSE>(block + number));
        let (low, high) = vectors.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(high) {
            let (mut a, mut b) = (load_vector::<L>(low), load_vector::<L>(high));
            match INVERSE {
                true => interpolate(&mut a, &mut b, &root),
                false => evaluate(&mut a, &mut b, &root),
            }
            store_vector(low, a);
            store_vector(high, b);
        }
    }
}

/// As [`EvaluateBlock`](super::serial::EvaluateBlock), for blocks of 64 to 2^[`MOST_LEVELS`]
/// values.
pub struct EvaluateInLanes<'a> {
    pub values: &'a mut [Fr],
    pub block: usize,
    pub roots: LaneRoots<'a>,
}

/// As [`InterpolateBlock`](super::serial::InterpolateBlock), for blocks of at least 64 values.
pub struct InterpolateInLanes<'a> {
    pub values: &'a mut [Fr],
    pub block: usize,
    pub roots: LaneRoots<'a>,
}

/// As [`EvaluateLevel`](super::serial::EvaluateLevel), or with `inverse` as
/// [`InterpolateLevel`](super::serial::InterpolateLevel), for a multiple of eight pairs.
pub struct LevelInLanes<'a> {
    pub low: &'a mut [Fr],
    pub high: &'a mut [Fr],
    pub block: usize,
    pub roots: LaneRoots<'a>,
    pub inverse: bool,
}

/// Returns zeroed vectors for secret values, which are overwritten when dropped.
fn vectors(values: usize) -> Zeroizing<Vec<Vector>> {
    Zeroizing::new(vec![[[0; LANES]; LIMBS]; values / LANES])
}

impl Kernel for EvaluateInLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, mut block, roots } = self;
        let mut vectors = vectors(values.len());
        for (vector, values) in vectors.iter_mut().zip(values.chunks_exact(LANES)) {
            store_vector(vector, load::<L>(values, 1));
        }
        let mut half = vectors.len() / 2;
        while half > 0 {
            level_of_vectors::<L, false>(&mut vectors, half, block, roots);
            (half, block) = (half / 2, 2 * block);
        }
        // 2²⁶⁰ mod r: the factor 1.
        let one = splat_factors::<L>(&roots.roots[0]);
        let (tiles, _) = vectors.as_chunks::<LANES>();
        for (number, (tile, values)) in tiles.iter().zip(values.chunks_exact_mut(TILE)).enumerate()
        {
            let mut tile = transposed::<L>(tile);
            levels_of_tile::<L, false>(&mut tile, block + LANES * number, roots);
            for place in 0..LANES {
                // Below 35r·r/2²⁶⁰ + r.
                let value = multiply::<L, Bls12381Scalar>(&factors(tile[place]), &one);
                let elements = store::<L, Bls12381Scalar>(value);
                for lane in 0..LANES {
                    values[LANES * lane + place] = elements[lane];
                }
            }
        }
    }
}

impl Kernel for InterpolateInLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, block, roots } = self;
        let mut vectors = vectors(values.len());
        let first = block * (values.len() / LANES);
        let (tiles, _) = vectors.as_chunks_mut::<LANES>();
        for (number, (rows, values)) in tiles.iter_mut().zip(values.chunks_exact(TILE)).enumerate()
        {
            let mut tile = [[L::splat(0); LIMBS]; LANES];
            for place in 0..LANES {
                tile[place] = load::<L>(&values[place..], LANES);
            }
            levels_of_tile::<L, true>(&mut tile, first + LANES * number, roots);
            for place in 0..LANES {
                store_vector(&mut rows[place], tile[place]);
            }
            let tile = transposed::<L>(rows);
            for place in 0..LANES {
                store_vector(&mut rows[place], tile[place]);
            }
        }
        let mut half = 1;
        while half < vectors.len() {
            let block = block * (vectors.len() / (2 * half));
            level_of_vectors::<L, true>(&mut vectors, half, block, roots);
            half *= 2;
        }
        for (vector, values) in vectors.iter().zip(values.chunks_exact_mut(LANES)) {
            values.copy_from_slice(&store::<L, Bls12381Scalar>(load_vector::<L>(vector)));
        }
    }
}

impl Kernel for LevelInLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { low, high, block, roots, inverse } = self;
        let root = splat_factors::<L>(match inverse {
            true => roots.inverse(block),
            false => &roots.roots[block],
        });
        for (low, high) in low.chunks_exact_mut(LANES).zip(high.chunks_exact_mut(LANES)) {
            let (mut a, mut b) = (load::<L>(low, 1), load::<L>(high, 1));
            match inverse {
                true => interpolate(&mut a, &mut b, &root),
                false => evaluate(&mut a, &mut b, &root),
            }
            low.copy_from_slice(&store::<L, Bls12381Scalar>(a));
            high.copy_from_slice(&store::<L, Bls12381Scalar>(b));
        }
    }
}
