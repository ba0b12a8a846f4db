// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The simplified Shallue–van de Woestijne–Ulas map to E1' and E2' (RFC 9380, section 6.6.2),
//! without an inversion.
//!
//! x₁ is a quotient, and so is x₁³ + A'x₁ + B' = U/V. Over Fp, the power of UV³ to (p − 3)/4 gives
//! √(U/V) or √(−U/V). Over Fp2, U/V is a/n with a = U·V̄ and n = N(V) in Fp. With s² = N(a), or
//! N(Z·a) if N(a) is not a square, and with 2d = a₀ + s and r = κ·n·(2d·n³)^((p − 3)/4),
//! z = 2d·r + a₁r·u has z² = ±a/n, as in `roots`.

use std::sync::OnceLock;

use blst::{blst_fp, blst_fp2};
use halimede_arith::lanes::bls12_381::{Fp, Term};
use halimede_arith::lanes::{Lanes, LANES};

use super::curve::{Coordinates, Jacobian, OverFp, OverFp2};
use super::fp2::Fp2;
use super::isogeny_of_e1;
use super::library;
use super::powers::{power, products, squares, Two};
use super::roots::{candidates, kappa, norms, turned_where, twice_squares, Two2};
use super::transfer::load_fp2;

/// A' and B' of a curve, and a root.
pub struct Map<T> {
    a: T,
    b: T,
    /// The root of −11 for E1' and of −5 for E2': of the opposite of Z, or of the opposite of its
    /// norm.
    root: blst_fp,
    kappa: blst_fp,
}

/// Z of E1'.
const Z1: u64 = 11;

/// Returns the map to E1'.
pub fn map_to_e1() -> &'static Map<blst_fp> {
    static MAP: OnceLock<Map<blst_fp>> = OnceLock::new();
    MAP.get_or_init(|| {
        let [a, b] = isogeny_of_e1::CURVE.each_ref().map(library::of_words);
        Map { a, b, root: library::root_of_minus(Z1), kappa: *kappa() }
    })
}

/// Returns the map to E2'.
pub fn map_to_e2() -> &'static Map<blst_fp2> {
    static MAP: OnceLock<Map<blst_fp2>> = OnceLock::new();
    MAP.get_or_init(|| Map {
        a: library::small_of_fp2(&[0, 240]),
        b: library::small_of_fp2(&[1012, 1012]),
        root: library::root_of_minus(5),
        kappa: *kappa(),
    })
}

/// Returns `other` in the lanes with a negative sign, of two points per lane.
#[inline(always)]
fn replaced<L: Lanes, const B: u64>(
    a: &[Fp<L, B>; 2],
    signs: &[L; 2],
    other: &[Fp<L, B>; 2],
) -> [Fp<L, B>; 2] {
    [a[0].replaced_by_sign(signs[0], &other[0]), a[1].replaced_by_sign(signs[1], &other[1])]
}

impl Map<blst_fp> {
    /// Maps two elements per lane to points.
    #[inline(always)]
    pub fn points<L: Lanes>(&self, u: &Two<L>) -> Jacobian<L, OverFp> {
        let (a, b) = (constants(&self.a), constants(&self.b));
        // Zu² and Z²u⁴ + Zu².
        let zuu = <OverFp as Coordinates<L>>::times::<Z1, 3, 33>(&squares(u));
        let sum = <OverFp as Coordinates<L>>::plus::<3, 33, 36>(&squares(&zuu), &zuu);
        let one = [Fp::<L, 1>::one(); 2];
        let x = products(&b, &<OverFp as Coordinates<L>>::plus::<36, 1, 37>(&sum, &one));
        let zeros = [sum[0].zero_signs(), sum[1].zero_signs()];
        let z = [Fp::one().times::<Z1, 36>().carried(); 2];
        let negated = <OverFp as Coordinates<L>>::negated(&sum);
        let denominator = products(&a, &replaced(&negated, &zeros, &z));
        // x₁³ + A'x₁ + B' = U/V.
        let dd = squares(&denominator);
        let v = products(&dd, &denominator);
        let inner = <OverFp as Coordinates<L>>::plus::<3, 3, 6>(&squares(&x), &products(&a, &dd));
        let right = <OverFp as Coordinates<L>>::sum_of_products(&inner, &x, &b, &v);
        let uv = products(&right, &v);
        let y = products(&uv, &power(&products(&uv, &squares(&v))));
        let square = products(&squares(&y), &v);
        // Zu²·x₁ and its y, used if U/V is not a square.
        let other_x = products(&zuu, &x);
        let scale = products(&products(&zuu, u), &constants(&self.root));
        let other_y = products(&y, &scale);
        let (mut x, mut y) = (x, y);
        for number in 0..2 {
            // No y is 0: the curve has no point of order two.
            let is_opposite = square[number].plus::<_, 6>(&right[number]).carried().zero_signs();
            x[number] = x[number].replaced_by_sign(is_opposite, &other_x[number]);
            y[number] = y[number].replaced_by_sign(is_opposite, &other_y[number]);
            let signs = [&u[number], &y[number]];
            let differ = signs[0].odd_multiple_signs::<1>().add(signs[1].odd_multiple_signs::<1>());
            let negated = y[number].negated::<3>().carried();
            y[number] = y[number].replaced_by_sign(differ, &negated);
        }
        let (x, y) = (products(&x, &denominator), products(&y, &v));
        Jacobian {
            x: <OverFp as Coordinates<L>>::widened::<3, 27>(x),
            y: <OverFp as Coordinates<L>>::widened::<3, 27>(y),
            z: <OverFp as Coordinates<L>>::widened::<3, 6>(denominator),
        }
    }
}

/// Returns the same element in all lanes.
#[inline(always)]
fn constants<L: Lanes>(a: &blst_fp) -> Two<L> {
    <OverFp as Coordinates<L>>::constant(a)
}

/// Returns Z·a for Z = −2 − u.
#[inline(always)]
fn times_z2<L: Lanes>(a: &Fp2<L, 3>) -> Fp2<L, 9> {
    let [a0, a1] = &a.0;
    let imaginary = a0.plus::<_, 9>(&a1.times::<2, 6>()).negated::<9>().carried();
    Fp2([a1.minus::<_, 9>(&a0.times::<2, 6>()).carried(), imaginary])
}

/// Returns negative signs where a number is odd by RFC 9380, section 4.1: by its first nonzero
/// part.
#[inline(always)]
fn odd_signs<L: Lanes>(a: &Fp2<L, 3>) -> L {
    let [a0, a1] = &a.0;
    let is_real_zero = a0.zero_signs();
    is_real_zero.select_by_sign(a1.odd_multiple_signs::<1>(), a0.odd_multiple_signs::<1>())
}

/// An unfinished point: x and y² as quotients.
#[derive(Clone, Copy)]
struct Quotients<L> {
    /// Zu².
    zuu: Fp2<L, 9>,
    x: Fp2<L, 3>,
    denominator: Fp2<L, 3>,
    /// The denominator's cube.
    v: Fp2<L, 3>,
}

impl Map<blst_fp2> {
    /// Maps two elements per lane to points.
    #[inline(always)]
    pub fn points<L: Lanes>(&self, u: &Two2<L>) -> [Jacobian<L, OverFp2>; 2] {
        let first = Quotients {
            zuu: Fp2::zero(),
            x: Fp2::zero(),
            denominator: Fp2::zero(),
            v: Fp2::zero(),
        };
        let (mut parts, mut a) = ([first; 2], [Fp2::zero(); 2]);
        for number in 0..2 {
            (parts[number], a[number]) = self.quotients(&u[number]);
        }
        let n = norms(&[parts[0].v, parts[1].v]);
        // y² is a/n, with n in Fp.
        let norms_of_a = norms(&a);
        let mut s = products(&norms_of_a, &power(&norms_of_a));
        let (square, other_s) = (squares(&s), products(&s, &constants(&self.root)));
        let mut are_other = [L::splat(0); 2];
        for number in 0..2 {
            // Z times a nonsquare is a square.
            let sum = square[number].plus::<_, 6>(&norms_of_a[number]).carried();
            are_other[number] = sum.zero_signs();
            let other = times_z2(&a[number]).reduced().widened();
            a[number] = a[number].replaced_by_sign(are_other[number], &other);
        }
        s = replaced(&s, &are_other, &other_s);
        let twice = twice_squares(&a, &s);
        let r = power(&products(&twice, &products(&n, &squares(&n))));
        let r = products(&products(&r, &n), &constants(&self.kappa));
        let roots = candidates(&a, &twice, &r);
        let empty = Jacobian::of(Fp2::zero(), Fp2::zero());
        let mut points = [empty; 2];
        for number in 0..2 {
            let Quotients { zuu, x, denominator, v } = &parts[number];
            let square = roots[number].square().scaled(&n[number]);
            let is_opposite = square.plus::<_, 6>(&a[number]).zero_signs();
            let y = turned_where(&roots[number], is_opposite);
            let is_other = are_other[number];
            let u = &u[number];
            let y = y.replaced_by_sign(is_other, &zuu.product(u).product(&y));
            let x = x.replaced_by_sign(is_other, &zuu.product(x));
            let differ = odd_signs(u).add(odd_signs(&y));
            let y = y.replaced_by_sign(differ, &y.negated());
            points[number] = Jacobian {
                x: x.product(denominator).widened(),
                y: y.product(v).widened(),
                z: denominator.widened(),
            };
        }
        points
    }

    /// Returns x₁ as a quotient, and y² times the norm of its denominator's cube.
    #[inline(always)]
    fn quotients<L: Lanes>(&self, u: &Fp2<L, 3>) -> (Quotients<L>, Fp2<L, 3>) {
        let (a, b) = (load_fp2([&self.a; LANES]), load_fp2([&self.b; LANES]));
        let zuu = times_z2(&u.square());
        let sum = zuu.square().plus::<_, 12>(&zuu);
        let x = b.product(&sum.plus::<_, 13>(&Fp2::one()));
        let z = times_z2(&Fp2::one().widened()).widened();
        let denominator = a.product(&sum.negated().replaced_by_sign(sum.zero_signs(), &z));
        let dd = denominator.square();
        let v = dd.product(&denominator);
        let inner = x.square().plus::<_, 6>(&a.product(&dd));
        let right = <OverFp2 as Coordinates<L>>::sum_of_products(&inner, &x, &b, &v);
        (Quotients { zuu, x, denominator, v }, right.product(&v.conjugate()))
    }
}
