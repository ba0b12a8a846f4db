// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of y² = x³ + b in Jacobian coordinates, (X/Z², Y/Z³), one per lane, over Fp or Fp2.
//!
//! The formulas do not use b. An addition fails for equal or opposite points: Z is then 0, and a Z
//! of 0 remains 0. So Z ≠ 0 at the end proves that every step was right, and for Z = 0 a library
//! must answer.

use blst::{blst_fp, blst_fp2};
use halimede_arith::lanes::bls12_381::{reduced_pair, Fp, Stored, Term};
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::{outlined, steps};

use super::fp2::{reduce, Fp2, LARGEST};
use super::miller::X;
use super::transfer::{load_fp, load_fp2};

/// Coordinates: elements whose bound is part of the type, like that of [`Fp`].
pub trait Coordinates<L: Lanes> {
    /// An element with a bound.
    type Element<const B: u64>: Copy;

    fn one() -> Self::Element<1>;
    fn widened<const A: u64, const C: u64>(a: Self::Element<A>) -> Self::Element<C>;
    fn plus<const A: u64, const B: u64, const C: u64>(
        a: &Self::Element<A>,
        b: &Self::Element<B>,
    ) -> Self::Element<C>;
    fn minus<const A: u64, const B: u64, const C: u64>(
        a: &Self::Element<A>,
        b: &Self::Element<B>,
    ) -> Self::Element<C>;
    fn times<const FACTOR: u64, const A: u64, const C: u64>(
        a: &Self::Element<A>,
    ) -> Self::Element<C>;
    fn product<const A: u64, const B: u64>(
        a: &Self::Element<A>,
        b: &Self::Element<B>,
    ) -> Self::Element<3>;
    fn square<const A: u64>(a: &Self::Element<A>) -> Self::Element<3>;
    /// Returns a·b + c·d.
    fn sum_of_products<const A: u64, const B: u64>(
        a: &Self::Element<A>,
        b: &Self::Element<B>,
        c: &Self::Element<3>,
        d: &Self::Element<3>,
    ) -> Self::Element<3>;

    /// An element in the library's format.
    type Constant: Copy;
    /// Returns the same element in all lanes.
    fn constant(a: &Self::Constant) -> Self::Element<3>;

    /// An element in memory.
    type Stored: Copy;
    fn stored(a: &Self::Element<3>) -> Self::Stored;
    /// Selects each point's element of the table by the point's digit.
    fn gathered(table: &[Self::Stored; ENTRIES], digits: &Digits) -> Self::Element<3>;
    fn negated<const A: u64>(a: &Self::Element<A>) -> Self::Element<A>;
    /// Returns the other element for points with a negative digit.
    fn replaced_where<const A: u64>(
        a: &Self::Element<A>,
        digits: &Digits,
        other: &Self::Element<A>,
    ) -> Self::Element<A>;
}

/// The number of entries of a table: the odd multiples of a point up to 15.
pub const ENTRIES: usize = 8;

/// An odd digit in [−15, 15] of each point: two points per lane over Fp; over Fp2 one, in the first
/// row.
pub type Digits = [[i8; LANES]; 2];

/// Selects the elements of a table by digits.
#[inline(always)]
fn gathered<L: Lanes>(table: [&Stored<3>; ENTRIES], digits: &[i8; LANES]) -> Fp<L, 3> {
    let mut sources = [table[0]; LANES];
    for (source, digit) in sources.iter_mut().zip(digits) {
        *source = table[usize::from(digit.unsigned_abs() >> 1)];
    }
    Fp::gathered(sources)
}

/// Returns the other element where a digit is negative.
#[inline(always)]
fn replaced_where<L: Lanes, const A: u64>(
    a: &Fp<L, A>,
    digits: &[i8; LANES],
    other: &Fp<L, A>,
) -> Fp<L, A> {
    let mut signs = [0; LANES];
    for (sign, digit) in signs.iter_mut().zip(digits) {
        *sign = i64::from(*digit) as u64;
    }
    a.replaced_by_sign(L::load(&signs), other)
}

/// Coordinates in Fp, of two points per lane, whose reductions are interleaved.
pub enum OverFp {}

/// Coordinates in Fp2, of one point per lane.
pub enum OverFp2 {}

impl<L: Lanes> Coordinates<L> for OverFp {
    type Element<const B: u64> = [Fp<L, B>; 2];

    #[inline(always)]
    fn one() -> [Fp<L, 1>; 2] {
        [Fp::one(); 2]
    }
    #[inline(always)]
    fn widened<const A: u64, const C: u64>(a: [Fp<L, A>; 2]) -> [Fp<L, C>; 2] {
        [a[0].widened(), a[1].widened()]
    }
    #[inline(always)]
    fn plus<const A: u64, const B: u64, const C: u64>(
        a: &[Fp<L, A>; 2],
        b: &[Fp<L, B>; 2],
    ) -> [Fp<L, C>; 2] {
        [a[0].plus::<_, C>(&b[0]).carried(), a[1].plus::<_, C>(&b[1]).carried()]
    }
    #[inline(always)]
    fn minus<const A: u64, const B: u64, const C: u64>(
        a: &[Fp<L, A>; 2],
        b: &[Fp<L, B>; 2],
    ) -> [Fp<L, C>; 2] {
        [a[0].minus::<_, C>(&b[0]).carried(), a[1].minus::<_, C>(&b[1]).carried()]
    }
    #[inline(always)]
    fn times<const FACTOR: u64, const A: u64, const C: u64>(a: &[Fp<L, A>; 2]) -> [Fp<L, C>; 2] {
        [a[0].times::<FACTOR, C>().carried(), a[1].times::<FACTOR, C>().carried()]
    }
    #[inline(always)]
    fn product<const A: u64, const B: u64>(a: &[Fp<L, A>; 2], b: &[Fp<L, B>; 2]) -> [Fp<L, 3>; 2] {
        products(Fp::all_widened(a), Fp::all_widened(b))
    }
    #[inline(always)]
    fn square<const A: u64>(a: &[Fp<L, A>; 2]) -> [Fp<L, 3>; 2] {
        squares(Fp::all_widened(a))
    }
    #[inline(always)]
    fn sum_of_products<const A: u64, const B: u64>(
        a: &[Fp<L, A>; 2],
        b: &[Fp<L, B>; 2],
        c: &[Fp<L, 3>; 2],
        d: &[Fp<L, 3>; 2],
    ) -> [Fp<L, 3>; 2] {
        sums_of_products(Fp::all_widened(a), Fp::all_widened(b), c, d)
    }

    type Constant = blst_fp;

    #[inline(always)]
    fn constant(a: &blst_fp) -> [Fp<L, 3>; 2] {
        [load_fp([a; LANES]); 2]
    }

    type Stored = [Stored<3>; 2];

    #[inline(always)]
    fn stored(a: &[Fp<L, 3>; 2]) -> [Stored<3>; 2] {
        [a[0].stored(), a[1].stored()]
    }
    #[inline(always)]
    fn gathered(table: &[[Stored<3>; 2]; ENTRIES], digits: &Digits) -> [Fp<L, 3>; 2] {
        let [a, b, c, d, e, f, g, h] = table;
        [
            gathered([&a[0], &b[0], &c[0], &d[0], &e[0], &f[0], &g[0], &h[0]], &digits[0]),
            gathered([&a[1], &b[1], &c[1], &d[1], &e[1], &f[1], &g[1], &h[1]], &digits[1]),
        ]
    }
    #[inline(always)]
    fn negated<const A: u64>(a: &[Fp<L, A>; 2]) -> [Fp<L, A>; 2] {
        [a[0].negated::<A>().carried(), a[1].negated::<A>().carried()]
    }
    #[inline(always)]
    fn replaced_where<const A: u64>(
        a: &[Fp<L, A>; 2],
        digits: &Digits,
        other: &[Fp<L, A>; 2],
    ) -> [Fp<L, A>; 2] {
        [replaced_where(&a[0], &digits[0], &other[0]), replaced_where(&a[1], &digits[1], &other[1])]
    }
}

outlined! {
    fn products<L: Lanes>(a: &[Fp<L, LARGEST>; 2], b: &[Fp<L, LARGEST>; 2]) -> [Fp<L, 3>; 2] {
        let first = a[0].factor().product(&b[0].factor());
        let second = a[1].factor().product(&b[1].factor());
        reduced_pair(&first, &second)
    }

    fn squares<L: Lanes>(a: &[Fp<L, LARGEST>; 2]) -> [Fp<L, 3>; 2] {
        reduced_pair(&a[0].factor().square(), &a[1].factor().square())
    }

    fn sums_of_products<L: Lanes>(
        a: &[Fp<L, LARGEST>; 2],
        b: &[Fp<L, LARGEST>; 2],
        c: &[Fp<L, 3>; 2],
        d: &[Fp<L, 3>; 2],
    ) -> [Fp<L, 3>; 2] {
        let first = a[0].factor().product(&b[0].factor());
        let first = c[0].factor().product(&d[0].factor()).plus::<1, 2>(&first);
        let second = a[1].factor().product(&b[1].factor());
        let second = c[1].factor().product(&d[1].factor()).plus::<1, 2>(&second);
        reduced_pair(&first, &second)
    }
}

impl<L: Lanes> Coordinates<L> for OverFp2 {
    type Element<const B: u64> = Fp2<L, B>;

    #[inline(always)]
    fn one() -> Fp2<L, 1> {
        Fp2::one()
    }
    #[inline(always)]
    fn widened<const A: u64, const C: u64>(a: Fp2<L, A>) -> Fp2<L, C> {
        a.widened()
    }
    #[inline(always)]
    fn plus<const A: u64, const B: u64, const C: u64>(a: &Fp2<L, A>, b: &Fp2<L, B>) -> Fp2<L, C> {
        a.plus(b)
    }
    #[inline(always)]
    fn minus<const A: u64, const B: u64, const C: u64>(a: &Fp2<L, A>, b: &Fp2<L, B>) -> Fp2<L, C> {
        a.minus(b)
    }
    #[inline(always)]
    fn times<const FACTOR: u64, const A: u64, const C: u64>(a: &Fp2<L, A>) -> Fp2<L, C> {
        a.times::<FACTOR, C>()
    }
    #[inline(always)]
    fn product<const A: u64, const B: u64>(a: &Fp2<L, A>, b: &Fp2<L, B>) -> Fp2<L, 3> {
        a.product(b)
    }
    #[inline(always)]
    fn square<const A: u64>(a: &Fp2<L, A>) -> Fp2<L, 3> {
        a.square()
    }
    #[inline(always)]
    fn sum_of_products<const A: u64, const B: u64>(
        a: &Fp2<L, A>,
        b: &Fp2<L, B>,
        c: &Fp2<L, 3>,
        d: &Fp2<L, 3>,
    ) -> Fp2<L, 3> {
        reduce(a.wide_product(b).plus::<3, 6>(&c.wide_product(d)).widest())
    }

    type Constant = blst_fp2;

    #[inline(always)]
    fn constant(a: &blst_fp2) -> Fp2<L, 3> {
        load_fp2([a; LANES])
    }

    type Stored = [Stored<3>; 2];

    #[inline(always)]
    fn stored(a: &Fp2<L, 3>) -> [Stored<3>; 2] {
        [a.0[0].stored(), a.0[1].stored()]
    }
    #[inline(always)]
    fn gathered(table: &[[Stored<3>; 2]; ENTRIES], digits: &Digits) -> Fp2<L, 3> {
        let [a, b, c, d, e, f, g, h] = table;
        Fp2([
            gathered([&a[0], &b[0], &c[0], &d[0], &e[0], &f[0], &g[0], &h[0]], &digits[0]),
            gathered([&a[1], &b[1], &c[1], &d[1], &e[1], &f[1], &g[1], &h[1]], &digits[0]),
        ])
    }
    #[inline(always)]
    fn negated<const A: u64>(a: &Fp2<L, A>) -> Fp2<L, A> {
        a.negated()
    }
    #[inline(always)]
    fn replaced_where<const A: u64>(
        a: &Fp2<L, A>,
        digits: &Digits,
        other: &Fp2<L, A>,
    ) -> Fp2<L, A> {
        Fp2([
            replaced_where(&a.0[0], &digits[0], &other.0[0]),
            replaced_where(&a.0[1], &digits[0], &other.0[1]),
        ])
    }
}

/// A point in Jacobian coordinates.
pub struct Jacobian<L: Lanes, C: Coordinates<L>> {
    pub x: C::Element<27>,
    pub y: C::Element<27>,
    pub z: C::Element<6>,
}

impl<L: Lanes, C: Coordinates<L>> Clone for Jacobian<L, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lanes, C: Coordinates<L>> Copy for Jacobian<L, C> {}

impl<L: Lanes, C: Coordinates<L>> Jacobian<L, C> {
    /// Returns the other points where a digit is negative.
    #[inline(always)]
    pub fn replaced_where(&self, digits: &Digits, other: &Self) -> Self {
        Self {
            x: C::replaced_where(&self.x, digits, &other.x),
            y: C::replaced_where(&self.y, digits, &other.y),
            z: C::replaced_where(&self.z, digits, &other.z),
        }
    }

    /// Creates the point (x, y).
    #[inline(always)]
    pub fn of(x: C::Element<27>, y: C::Element<27>) -> Self {
        Self { x, y, z: C::widened::<1, 6>(C::one()) }
    }

    /// Returns 2·self.
    #[inline(always)]
    pub fn doubled(&self) -> Self {
        doubled(self)
    }

    /// Returns self + (x, y).
    #[inline(always)]
    pub fn added(&self, x: &C::Element<27>, y: &C::Element<27>) -> Self {
        self.added_with_ratio(x, y).0
    }

    /// Returns self + (x, y), and Z of the sum divided by Z.
    #[inline(always)]
    pub fn added_with_ratio(
        &self,
        x: &C::Element<27>,
        y: &C::Element<27>,
    ) -> (Self, C::Element<30>) {
        added_with_ratio(self, x, y)
    }

    /// Returns self + other.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        sum(self, other)
    }

    /// Returns −self.
    #[inline(always)]
    pub fn negated(&self) -> Self {
        Self { y: C::negated(&self.y), ..*self }
    }

    /// Returns |x|·self for the curve parameter x. (X, Y) is a point of an isomorphic curve, where
    /// its multiple is computed; Z of the result is that multiple's Z times Z.
    #[inline(always)]
    pub fn times_x(&self) -> Self {
        self.of_isomorphic(Self::multiple_by_x(&self.x, &self.y))
    }

    /// Returns (|x| + 1)·self.
    #[inline(always)]
    pub fn times_x_and_once(&self) -> Self {
        self.of_isomorphic(Self::multiple_by_x(&self.x, &self.y).added(&self.x, &self.y))
    }

    /// Maps a point of the curve on which self has Z = 1 to the curve of self.
    #[inline(always)]
    fn of_isomorphic(&self, point: Self) -> Self {
        Self { z: C::widened::<3, 6>(C::product(&point.z, &self.z)), ..point }
    }

    /// Returns |x|·(x, y) for the curve parameter x.
    #[inline(always)]
    pub fn multiple_by_x(x: &C::Element<27>, y: &C::Element<27>) -> Self {
        let mut sum = Self::of(*x, *y);
        for bit in (0..X.ilog2()).rev() {
            sum = sum.doubled();
            if X >> bit & 1 == 1 {
                sum = sum.added(x, y);
            }
        }
        sum
    }
}

steps! {
    /// Doubles a point in three multiplications and four squarings: with A = X², B = Y², D = 4XB
    /// and E = 3A, X₃ is E² − 2D, Y₃ is E(D − X₃) − 8B², and Z₃ is 2YZ.
    fn doubled<L: Lanes; C: Coordinates<L>>(point: &Jacobian<L, C>) -> Jacobian<L, C> {
        let b = C::square(&point.y);
        let e = C::times::<3, 3, 9>(&C::square(&point.x));
        let d = C::times::<4, 3, 12>(&C::product(&point.x, &b));
        let x = C::minus::<3, 24, 27>(&C::square(&e), &C::times::<2, 12, 24>(&d));
        let eight = C::times::<8, 3, 24>(&C::square(&b));
        let rise = C::product(&e, &C::minus::<12, 27, 39>(&d, &x));
        Jacobian {
            x,
            y: C::minus::<3, 24, 27>(&rise, &eight),
            z: C::times::<2, 3, 6>(&C::product(&point.y, &point.z)),
        }
    }

    /// Adds (x, y) in eight multiplications and three squarings. Also returns Z of the sum divided
    /// by Z.
    fn added_with_ratio<L: Lanes; C: Coordinates<L>>(
        point: &Jacobian<L, C>,
        x: &C::Element<27>,
        y: &C::Element<27>,
    ) -> (Jacobian<L, C>, C::Element<30>) {
        let zz = C::square(&point.z);
        let h = C::minus::<3, 27, 30>(&C::product(x, &zz), &point.x);
        let zzz = C::product(&zz, &point.z);
        let r = C::minus::<3, 27, 30>(&C::product(y, &zzz), &point.y);
        let hh = C::square(&h);
        let (hhh, v) = (C::product(&h, &hh), C::product(&point.x, &hh));
        let rest = C::plus::<3, 6, 9>(&hhh, &C::times::<2, 3, 6>(&v));
        let x = C::minus::<3, 9, 12>(&C::square(&r), &rest);
        let rise = C::product(&r, &C::minus::<3, 12, 15>(&v, &x));
        let y = C::minus::<3, 3, 6>(&rise, &C::product(&point.y, &hhh));
        let sum = Jacobian {
            x: C::widened::<12, 27>(x),
            y: C::widened::<6, 27>(y),
            z: C::widened::<3, 6>(C::product(&point.z, &h)),
        };
        (sum, h)
    }

    /// Adds two points in twelve multiplications and four squarings.
    fn sum<L: Lanes; C: Coordinates<L>>(
        point: &Jacobian<L, C>,
        other: &Jacobian<L, C>,
    ) -> Jacobian<L, C> {
        let (zz, other_zz) = (C::square(&point.z), C::square(&other.z));
        let u = C::product(&point.x, &other_zz);
        let s = C::product(&point.y, &C::product(&other_zz, &other.z));
        let h = C::minus::<3, 3, 6>(&C::product(&other.x, &zz), &u);
        let zzz = C::product(&zz, &point.z);
        let r = C::minus::<3, 3, 6>(&C::product(&other.y, &zzz), &s);
        let hh = C::square(&h);
        let (hhh, v) = (C::product(&h, &hh), C::product(&u, &hh));
        let rest = C::plus::<3, 6, 9>(&hhh, &C::times::<2, 3, 6>(&v));
        let x = C::minus::<3, 9, 12>(&C::square(&r), &rest);
        let rise = C::product(&r, &C::minus::<3, 12, 15>(&v, &x));
        let y = C::minus::<3, 3, 6>(&rise, &C::product(&s, &hhh));
        Jacobian {
            x: C::widened::<12, 27>(x),
            y: C::widened::<6, 27>(y),
            z: C::widened::<3, 6>(C::product(&C::product(&point.z, &other.z), &h)),
        }
    }
}
