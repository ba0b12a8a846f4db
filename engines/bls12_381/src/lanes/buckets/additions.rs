// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Affine additions of independent pairs of points, with one inversion for all of them.
//!
//! With d = x₂ − x₁ and the slope m = (y₂ − y₁)/d, the sum of two points is x₃ = m² − x₁ − x₂,
//! y₃ = m(x₁ − x₃) − y₁. A first pass multiplies the differences and keeps the product before each
//! of them; the last product is inverted; a second pass, from the end, extracts the inverse of each
//! difference from it (Montgomery: "Speeding the Pollard and elliptic curve methods of
//! factorization", 1987, section 10.3.1). An addition costs five multiplications and a squaring.
//!
//! A difference of 0 makes the last product 0. The pairs are then added again in careful mode: for
//! equal points d is 2y₁ and the numerator 3x₁²; for opposite points the sum is infinity and d is
//! set to 1.

use halimede_arith::lanes::bls12_381::{Fp, Row, Stored, Term};
use halimede_arith::lanes::{Lanes, LANES};

use crate::lanes::curve::{Coordinates, OverFp, OverFp2};
use crate::lanes::fp2::Fp2;
use crate::lanes::library;
use crate::lanes::transfer::{load_fp, store_fp, POINTS_OF_G1};

/// An element of Fp in memory, in [0, 2p].
pub type PoolRow = Row<2>;

/// A point of a pool: the unit of its x, and the side of it on which y lies. A unit holds one
/// coordinate.
///
/// Four units form a group: x, y, βx, −y of a loaded point, or x, y of two sums. In the circle of
/// the four, each x lies between the two ys that form a point with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointUnit(u32);

impl PointUnit {
    /// Creates the point whose x is at a unit, and whose y is in the unit after it or, if `before`,
    /// before it.
    #[inline(always)]
    pub const fn new(unit: u32, before: bool) -> Self {
        Self(unit << 1 | before as u32)
    }

    /// Returns the unit of x.
    #[inline(always)]
    pub const fn x(self) -> u32 {
        self.0 >> 1
    }

    /// Returns the unit of y.
    #[inline(always)]
    pub const fn y(self) -> u32 {
        let x = self.x();
        x & !3 | (x + 1 + 2 * (self.0 & 1)) & 3
    }
}

/// Two points, and the place of their sum, which only this pair reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub points: [PointUnit; 2],
    pub sum: PointUnit,
}

/// A mask of the lanes of an element's parts: a lane's number has all bits set or none.
type Mask = [[u64; LANES]; 2];

/// The values of a block of pairs that the second pass needs.
#[derive(Clone, Copy, Debug)]
pub struct PairDifferences {
    difference: [Stored<4>; 2],
    /// The product of the differences before this one.
    product: [Stored<3>; 2],
    equal: Mask,
    opposite: Mask,
}

impl PairDifferences {
    /// All zero: the first pass overwrites it.
    pub const EMPTY: Self = Self {
        difference: [Stored::ZERO; 2],
        product: [Stored::ZERO; 2],
        equal: [[0; LANES]; 2],
        opposite: [[0; LANES]; 2],
    };
}

/// Coordinates of affine points: two elements of Fp per lane, which belong to two points or to one.
pub trait Affine<L: Lanes>: Coordinates<L> {
    /// The number of rows of a coordinate.
    const ROWS: usize;
    /// The number of points of an element.
    const POINTS: usize = 2 * LANES / Self::ROWS;

    fn of_parts<const B: u64>(parts: [Fp<L, B>; 2]) -> Self::Element<B>;
    fn parts<const B: u64>(a: &Self::Element<B>) -> &[Fp<L, B>; 2];
    /// Returns a mask of the parts that are 0; over Fp2, of the elements that are 0.
    fn is_zero<const B: u64>(a: &Self::Element<B>) -> Mask;
    /// Returns 1/a, or `None` if an element is 0.
    fn inverse(a: &Self::Element<3>) -> Option<Self::Element<3>>;
}

#[inline(always)]
fn mask(zero: [bool; LANES]) -> [u64; LANES] {
    let mut mask = [0; LANES];
    for (mask, zero) in mask.iter_mut().zip(zero) {
        *mask = u64::from(zero).wrapping_neg();
    }
    mask
}

/// Returns 1/a of each lane, or `None` if a lane is 0.
#[inline(always)]
fn inverse_of_lanes<L: Lanes>(a: &Fp<L, 3>) -> Option<Fp<L, 3>> {
    let numbers = store_fp(a);
    if numbers.contains(&blst::blst_fp::default()) {
        return None;
    }
    let inverses = library::inverses(numbers);
    let [a, b, c, d, e, f, g, h] = &inverses;
    Some(load_fp([a, b, c, d, e, f, g, h]))
}

impl<L: Lanes> Affine<L> for OverFp {
    const ROWS: usize = 1;

    #[inline(always)]
    fn of_parts<const B: u64>(parts: [Fp<L, B>; 2]) -> [Fp<L, B>; 2] {
        parts
    }
    #[inline(always)]
    fn parts<const B: u64>(a: &[Fp<L, B>; 2]) -> &[Fp<L, B>; 2] {
        a
    }
    #[inline(always)]
    fn is_zero<const B: u64>(a: &[Fp<L, B>; 2]) -> Mask {
        [mask(a[0].is_zero()), mask(a[1].is_zero())]
    }
    #[inline(always)]
    fn inverse(a: &[Fp<L, 3>; 2]) -> Option<[Fp<L, 3>; 2]> {
        let inverse = inverse_of_lanes(&a[0].times_reduced(&a[1]))?;
        Some([inverse.times_reduced(&a[1]), inverse.times_reduced(&a[0])])
    }
}

impl<L: Lanes> Affine<L> for OverFp2 {
    const ROWS: usize = 2;

    #[inline(always)]
    fn of_parts<const B: u64>(parts: [Fp<L, B>; 2]) -> Fp2<L, B> {
        Fp2(parts)
    }
    #[inline(always)]
    fn parts<const B: u64>(a: &Fp2<L, B>) -> &[Fp<L, B>; 2] {
        &a.0
    }
    #[inline(always)]
    fn is_zero<const B: u64>(a: &Fp2<L, B>) -> Mask {
        [mask(a.is_zero()); 2]
    }
    #[inline(always)]
    fn inverse(a: &Fp2<L, 3>) -> Option<Fp2<L, 3>> {
        let [real, imaginary] = &a.0;
        let norm = real.factor().square().plus::<1, 2>(&imaginary.factor().square()).reduced();
        let inverse = inverse_of_lanes(&norm)?;
        Some(a.conjugate().scaled(&inverse))
    }
}

/// Returns the point and the row of a coordinate that a lane of a part holds.
#[inline(always)]
fn point_and_row<L: Lanes, F: Affine<L>>(part: usize, lane: usize) -> (usize, usize) {
    match F::ROWS {
        1 => (part * LANES + lane, 0),
        _ => (lane, part),
    }
}

/// The rows of a pool: those of a table that several pools share, and then its own.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub table: &'a [PoolRow],
    pub own: &'a [PoolRow],
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn at(self, row: usize) -> &'a PoolRow {
        match row.checked_sub(self.table.len()) {
            None => &self.table[row],
            Some(row) => &self.own[row],
        }
    }

    #[inline(always)]
    fn prefetch(self, row: usize) {
        let row = match row.checked_sub(self.table.len()) {
            None => self.table.get(row),
            Some(row) => self.own.get(row),
        };
        if let Some(row) = row {
            row.prefetch();
        }
    }
}

/// Loads the coordinates at units.
#[inline(always)]
fn load<L: Lanes, F: Affine<L>>(pool: Rows<'_>, units: &[u32; POINTS_OF_G1]) -> F::Element<2> {
    let mut parts = [Fp::zero(); 2];
    for (number, part) in parts.iter_mut().enumerate() {
        let mut rows = [&PoolRow::ZERO; LANES];
        for (lane, row) in rows.iter_mut().enumerate() {
            let (point, offset) = point_and_row::<L, F>(number, lane);
            *row = pool.at(units[point] as usize * F::ROWS + offset);
        }
        *part = Fp::of_rows(rows);
    }
    F::of_parts(parts)
}

/// Writes the coordinates of the first `count` points to units of a pool's own rows, the first of
/// which has the number `first`.
#[inline(always)]
pub fn store<L: Lanes, F: Affine<L>>(
    (pool, first): (&mut [PoolRow], usize),
    units: &[u32; POINTS_OF_G1],
    count: usize,
    coordinates: &F::Element<2>,
) {
    for (number, part) in F::parts(coordinates).iter().enumerate() {
        for (lane, row) in part.rows().iter().enumerate() {
            let (point, offset) = point_and_row::<L, F>(number, lane);
            if point < count {
                pool[units[point] as usize * F::ROWS + offset - first] = *row;
            }
        }
    }
}

/// The units of a block of pairs; the last pair fills unused lanes.
struct Units {
    count: usize,
    x: [[u32; POINTS_OF_G1]; 2],
    y: [[u32; POINTS_OF_G1]; 2],
    sum: [u32; POINTS_OF_G1],
    sum_y: [u32; POINTS_OF_G1],
}

impl Units {
    #[inline(always)]
    fn of(pairs: &[Pair]) -> Self {
        let mut units = Self {
            count: pairs.len(),
            x: [[0; POINTS_OF_G1]; 2],
            y: [[0; POINTS_OF_G1]; 2],
            sum: [0; POINTS_OF_G1],
            sum_y: [0; POINTS_OF_G1],
        };
        for point in 0..POINTS_OF_G1 {
            let Pair { points, sum } = &pairs[point.min(pairs.len() - 1)];
            for (number, place) in points.iter().enumerate() {
                units.x[number][point] = place.x();
                units.y[number][point] = place.y();
            }
            units.sum[point] = sum.x();
            units.sum_y[point] = sum.y();
        }
        units
    }
}

/// Returns, lane by lane, the other element where the mask is set.
#[inline(always)]
fn replaced<L: Lanes, F: Affine<L>, const B: u64>(
    a: &F::Element<B>,
    mask: &Mask,
    other: &F::Element<B>,
) -> F::Element<B> {
    let mut parts = *F::parts(a);
    for (number, part) in parts.iter_mut().enumerate() {
        *part = part.replaced_by_sign(L::load(&mask[number]), &F::parts(other)[number]);
    }
    F::of_parts(parts)
}

#[inline(always)]
fn kept<L: Lanes, F: Affine<L>, const B: u64>(a: &F::Element<B>) -> [Stored<B>; 2] {
    let [first, second] = F::parts(a);
    [first.stored(), second.stored()]
}

#[inline(always)]
fn loaded<L: Lanes, F: Affine<L>, const B: u64>(kept: &[Stored<B>; 2]) -> F::Element<B> {
    F::of_parts([Fp::loaded(&kept[0]), Fp::loaded(&kept[1])])
}

/// The number of blocks between a prefetch and its use.
const AHEAD: usize = 2;

/// Prefetches the rows of a block's points: the xs and, if `ys`, the ys that the second pass reads.
#[inline(always)]
fn prefetch<L: Lanes, F: Affine<L>>(pool: Rows<'_>, pairs: &[Pair], ys: bool) {
    for Pair { points: [first, second], .. } in pairs {
        let others = if ys { [first.y(), second.y()] } else { [second.x(); 2] };
        for unit in [first.x(), others[0], others[1]] {
            for row in 0..F::ROWS {
                pool.prefetch(unit as usize * F::ROWS + row);
            }
        }
    }
}

/// Returns the pairs of a block. All blocks have `size` pairs except the last; blocks after it are
/// empty.
#[inline(always)]
fn block(pairs: &[Pair], number: usize, size: usize) -> &[Pair] {
    let first = (number * size).min(pairs.len());
    &pairs[first..(first + size).min(pairs.len())]
}

/// Blocks of pairs to add.
pub struct Additions<'a> {
    pub table: &'a [PoolRow],
    pub pool: &'a mut [PoolRow],
    pub pairs: &'a [Pair],
    /// One entry per block.
    pub kept: &'a mut [PairDifferences],
    /// `true` if points may be equal or opposite.
    pub careful: bool,
}

/// Adds pairs. Returns the indices of the pairs whose sum is infinity. Returns `None`, with nothing
/// written, if points were equal or opposite and `careful` is `false`.
#[inline(always)]
pub fn add<L: Lanes, F: Affine<L>>(additions: Additions<'_>) -> Option<Vec<u32>> {
    let Additions { table, pool, pairs, kept: places, careful } = additions;
    let rows = Rows { table, own: pool };
    let blocks = pairs.len().div_ceil(F::POINTS);

    let mut product = F::widened::<1, 3>(F::one());
    for (number, place) in places[..blocks].iter_mut().enumerate() {
        prefetch::<L, F>(rows, block(pairs, number + AHEAD, F::POINTS), false);
        let units = Units::of(block(pairs, number, F::POINTS));
        let (x1, x2) = (load::<L, F>(rows, &units.x[0]), load::<L, F>(rows, &units.x[1]));
        let mut difference = F::minus::<2, 2, 4>(&x2, &x1);
        if careful {
            let same = F::is_zero(&difference);
            let (y1, y2) = (load::<L, F>(rows, &units.y[0]), load::<L, F>(rows, &units.y[1]));
            let same_y = F::is_zero(&F::minus::<2, 2, 4>(&y2, &y1));
            for (part, same) in same.iter().enumerate() {
                for (lane, same) in same.iter().enumerate() {
                    place.equal[part][lane] = same & same_y[part][lane];
                    place.opposite[part][lane] = same & !same_y[part][lane];
                }
            }
            let twice = F::plus::<2, 2, 4>(&y1, &y1);
            difference = replaced::<L, F, 4>(&difference, &place.equal, &twice);
            let one = F::widened::<1, 4>(F::one());
            difference = replaced::<L, F, 4>(&difference, &place.opposite, &one);
        }
        place.difference = kept::<L, F, 4>(&difference);
        place.product = kept::<L, F, 3>(&product);
        product = F::product(&product, &difference);
    }

    let mut inverse = F::inverse(&product)?;
    let mut infinite = Vec::new();
    for number in (0..blocks).rev() {
        let before = number.checked_sub(AHEAD).unwrap_or(blocks);
        let rows = Rows { table, own: pool };
        prefetch::<L, F>(rows, block(pairs, before, F::POINTS), true);
        let units = Units::of(block(pairs, number, F::POINTS));
        let place = &places[number];
        let difference = loaded::<L, F, 4>(&place.difference);
        let divided = F::product(&inverse, &loaded::<L, F, 3>(&place.product));
        inverse = F::product(&inverse, &difference);

        let x1 = load::<L, F>(rows, &units.x[0]);
        let (y1, y2) = (load::<L, F>(rows, &units.y[0]), load::<L, F>(rows, &units.y[1]));
        let mut rise = F::widened::<4, 9>(F::minus::<2, 2, 4>(&y2, &y1));
        let mut others = F::plus::<4, 4, 8>(&difference, &F::plus::<2, 2, 4>(&x1, &x1));
        if careful {
            let triple = F::times::<3, 3, 9>(&F::square(&x1));
            rise = replaced::<L, F, 9>(&rise, &place.equal, &triple);
            // `difference` was replaced, and is not that of the xs.
            let x2 = load::<L, F>(rows, &units.x[1]);
            others = F::widened::<4, 8>(F::plus::<2, 2, 4>(&x1, &x2));
        }
        let slope = F::product(&rise, &divided);
        let x3 = difference_reduced::<L, F, 8, 11>(&F::square(&slope), &others);
        let fall = F::product(&slope, &F::minus::<2, 2, 4>(&x1, &x3));
        let y3 = difference_reduced::<L, F, 2, 5>(&fall, &y1);
        store::<L, F>((pool, table.len()), &units.sum, units.count, &x3);
        store::<L, F>((pool, table.len()), &units.sum_y, units.count, &y3);
        if careful {
            for point in 0..units.count {
                if place.opposite.as_flattened()[point] != 0 {
                    infinite.push((number * F::POINTS + point) as u32);
                }
            }
        }
    }
    Some(infinite)
}

/// Returns a − b in [0, 2p].
#[inline(always)]
fn difference_reduced<L: Lanes, F: Affine<L>, const B: u64, const C: u64>(
    a: &F::Element<3>,
    b: &F::Element<B>,
) -> F::Element<2> {
    let (a, b) = (F::parts(a), F::parts(b));
    F::of_parts([a[0].minus::<_, C>(&b[0]).reduced(), a[1].minus::<_, C>(&b[1]).reduced()])
}

/// Writes loaded points, whose units begin at the first row: x, y, βx if β is given, and −y.
#[inline(always)]
pub fn store_points<L: Lanes, F: Affine<L>>(
    pool: &mut [PoolRow],
    (x, y): (F::Element<3>, F::Element<3>),
    beta: Option<&Fp<L, 3>>,
) {
    let count = pool.len() / (4 * F::ROWS);
    let mut units = [0; POINTS_OF_G1];
    for (point, unit) in units.iter_mut().enumerate() {
        *unit = 4 * point as u32;
    }
    let (x, y) = (reduced::<L, F>(&x), reduced::<L, F>(&y));
    store::<L, F>((pool, 0), &units, count, &x);
    next(&mut units);
    store::<L, F>((pool, 0), &units, count, &y);
    next(&mut units);
    if let Some(beta) = beta {
        let parts = F::parts(&x);
        let product = [parts[0].times_reduced(beta), parts[1].times_reduced(beta)];
        store::<L, F>((pool, 0), &units, count, &reduced::<L, F>(&F::of_parts(product)));
    }
    next(&mut units);
    store::<L, F>((pool, 0), &units, count, &F::negated(&y));
}

#[inline(always)]
fn next(units: &mut [u32; POINTS_OF_G1]) {
    for unit in units {
        *unit += 1;
    }
}

#[inline(always)]
fn reduced<L: Lanes, F: Affine<L>>(a: &F::Element<3>) -> F::Element<2> {
    let [first, second] = F::parts(a);
    F::of_parts([first.sum::<3>().reduced(), second.sum::<3>().reduced()])
}

/// Loads the coordinates of at most the number of points that fit in an element.
#[inline(always)]
pub fn load_points<L: Lanes, F: Affine<L>>(
    pool: Rows<'_>,
    places: &[PointUnit],
) -> (F::Element<2>, F::Element<2>) {
    let (mut x, mut y) = ([0; POINTS_OF_G1], [0; POINTS_OF_G1]);
    for ((x, y), place) in x.iter_mut().zip(&mut y).zip(places) {
        (*x, *y) = (place.x(), place.y());
    }
    (load::<L, F>(pool, &x), load::<L, F>(pool, &y))
}
