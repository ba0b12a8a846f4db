// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Square roots, and the decompression of points, sixteen at a time. A compressed point is x and a
//! bit that selects one of the two roots as y.
//!
//! An element a of Fp2 is a square if its norm N is a square in Fp. With s² = N, one of 2d = c₀ ± s
//! is twice a square, and the root is √d + c₁/(2√d)·u. Two powers in Fp give all of it (after
//! Scott: "A note on the calculation of some functions in finite fields: tricks of the trade",
//! 2020): s is N·N^e for e = (p − 3)/4, and with r = κ·(2d)^e for κ² = −1/2, z = 2d·r + c₁r·u has
//! z² = ±a. If it is −a, the root is −uz, and the other sign of s need not be tried.

use std::sync::OnceLock;

use blst::{blst_fp, blst_p1_affine, blst_p2_affine};
use halimede_arith::lanes::bls12_381::{of_numbers, reduced_pair, Fp, Term, Words};
use halimede_arith::lanes::{Kernel, Lanes, LANES};
use halimede_arith::outlined;

use super::batches::{Active, Runner};
use super::fp2::Fp2;
use super::library;
use super::powers::{power, products, squares, Two};
use super::transfer::{load_fp, store_fp, store_fp2, POINTS_OF_G1};
use crate::library::{Curve, G1, G2};

/// The number of points of either curve that a kernel takes: two per lane.
const POINTS: usize = POINTS_OF_G1;

/// Elements of Fp2 of two points per lane.
pub type Two2<L> = [Fp2<L, 3>; 2];

/// Returns κ with κ² = −1/2.
pub fn kappa() -> &'static blst_fp {
    static KAPPA: OnceLock<blst_fp> = OnceLock::new();
    KAPPA.get_or_init(|| library::inverse(&library::root_of_minus(2)))
}

/// Returns the norms c₀² + c₁² of two elements per lane.
#[inline(always)]
pub fn norms<L: Lanes>(a: &Two2<L>) -> Two<L> {
    let [[a0, a1], [b0, b1]] = [&a[0].0, &a[1].0];
    reduced_pair(
        &a0.factor().square().plus::<1, 2>(&a1.factor().square()),
        &b0.factor().square().plus::<1, 2>(&b1.factor().square()),
    )
}

/// Returns 2d = c₀ + s, or c₀ − s if that is 0.
#[inline(always)]
pub fn twice_squares<L: Lanes>(a: &Two2<L>, s: &Two<L>) -> Two<L> {
    let mut result = *s;
    for (twice, a) in result.iter_mut().zip(a) {
        let [c0, _] = &a.0;
        let (sum, other) = (c0.plus::<_, 6>(twice).carried(), c0.minus::<_, 6>(twice).carried());
        *twice = sum.replaced_by_sign(sum.zero_signs(), &other).sum::<6>().reduced().widened();
    }
    result
}

/// Returns 2d·r + c₁r·u.
#[inline(always)]
pub fn candidates<L: Lanes>(a: &Two2<L>, twice: &Two<L>, r: &Two<L>) -> Two2<L> {
    let real = products(twice, r);
    let imaginary = products(&[a[0].0[1], a[1].0[1]], r);
    [Fp2([real[0], imaginary[0]]), Fp2([real[1], imaginary[1]])]
}

/// Returns −uz where a sign is negative, otherwise z.
#[inline(always)]
pub fn turned_where<L: Lanes>(z: &Fp2<L, 3>, signs: L) -> Fp2<L, 3> {
    let [real, imaginary] = &z.0;
    z.replaced_by_sign(signs, &Fp2([*imaginary, real.negated::<3>().carried()]))
}

outlined! {
    /// Returns a root of each element, and negative signs for the lanes that have one.
    pub fn square_roots<L: Lanes>(a: &Two2<L>, kappa: &Fp<L, 3>) -> (Two2<L>, [L; 2]) {
        let norms = norms(a);
        let s = products(&norms, &power(&norms));
        let twice = twice_squares(a, &s);
        let r = products(&power(&twice), &[*kappa, *kappa]);
        let mut roots = candidates(a, &twice, &r);
        let mut are_roots = [L::splat(0); 2];
        for number in 0..2 {
            let (a, square) = (&a[number], roots[number].square());
            let is_opposite = square.plus::<_, 6>(a).zero_signs();
            let is_equal = square.minus::<_, 6>(a).zero_signs();
            roots[number] = turned_where(&roots[number], is_opposite);
            are_roots[number] = is_opposite.select_by_sign(is_opposite, is_equal);
        }
        (roots, are_roots)
    }
}

/// The encodings of sixteen points whose coordinates have N elements of Fp.
pub(super) struct Encodings<const N: usize> {
    /// The elements of x, constant term first.
    x: [[Words; POINTS]; N],
    /// The highest bit is set where y is the larger root.
    larger: [[u64; LANES]; 2],
}

impl<const N: usize> Encodings<N> {
    /// Reads up to sixteen encodings of 48·N bytes, the highest elements first. The last encoding
    /// fills unused lanes.
    fn new(encodings: &[&[u8]]) -> Self {
        let mut result = Self { x: [[[0; 6]; POINTS]; N], larger: [[0; LANES]; 2] };
        let repeated = encodings.iter().chain(encodings.iter().rev().take(1).cycle());
        for (point, bytes) in repeated.take(POINTS).enumerate() {
            let (words, _) = bytes.as_chunks::<8>();
            for (place, word) in words.iter().rev().enumerate() {
                result.x[place / 6][point][place % 6] = u64::from_be_bytes(*word);
            }
            // The flags are above the highest element.
            let highest = &mut result.x[N - 1][point][5];
            result.larger[point / LANES][point % LANES] = *highest << 2;
            *highest &= u64::MAX >> 3;
        }
        result
    }

    /// Returns an element of x of two points per lane.
    #[inline(always)]
    fn load<L: Lanes>(&self, part: usize) -> Two<L> {
        let mut result = [Fp::zero(); 2];
        for (result, words) in result.iter_mut().zip(self.x[part].chunks_exact(LANES)) {
            if let [a, b, c, d, e, f, g, h] = words {
                *result = of_numbers([a, b, c, d, e, f, g, h]);
            }
        }
        result
    }
}

/// Sixteen points, and `true` for those on the curve.
type FoundPoints<P> = ([P; POINTS], [[bool; LANES]; 2]);

/// Returns `true` for negative signs.
#[inline(always)]
pub fn are_negative<L: Lanes>(signs: L) -> [bool; LANES] {
    let mut result = [false; LANES];
    for (result, sign) in result.iter_mut().zip(signs.store()) {
        *result = sign >> 63 == 1;
    }
    result
}

/// Decompresses points of the curve.
pub(super) struct UncompressG1<'a>(pub &'a Encodings<1>);

impl Kernel for UncompressG1<'_> {
    type Output = FoundPoints<blst_p1_affine>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let x: Two<L> = self.0.load(0);
        let mut right = products(&squares(&x), &x);
        for right in &mut right {
            *right = right.plus::<_, 7>(&Fp::one().times::<4, 4>()).reduced().widened();
        }
        let y = products(&right, &power(&right));
        let square = squares(&y);
        let mut found = ([blst_p1_affine::default(); POINTS], [[false; LANES]; 2]);
        for number in 0..2 {
            let y = &y[number];
            found.1[number] = square[number].minus::<_, 6>(&right[number]).carried().is_zero();
            let is_larger = y.odd_multiple_signs::<2>();
            let is_other = is_larger.add(L::load(&self.0.larger[number]));
            let y = y.replaced_by_sign(is_other, &y.negated::<3>().carried());
            let (x, y) = (store_fp(&x[number]), store_fp(&y));
            for lane in 0..LANES {
                found.0[LANES * number + lane] = blst_p1_affine { x: x[lane], y: y[lane] };
            }
        }
        found
    }
}

/// Decompresses points of the twist.
pub(super) struct UncompressG2<'a> {
    pub encodings: &'a Encodings<2>,
    pub kappa: &'a blst_fp,
}

impl Kernel for UncompressG2<'_> {
    type Output = FoundPoints<blst_p2_affine>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (real, imaginary): (Two<L>, Two<L>) = (self.encodings.load(0), self.encodings.load(1));
        let x = [Fp2([real[0], imaginary[0]]), Fp2([real[1], imaginary[1]])];
        let four = Fp::one().times::<4, 4>().carried();
        let mut right = x;
        for right in &mut right {
            let cube = right.square().product(right);
            *right = cube.plus::<_, 7>(&Fp2([four, four])).reduced().widened();
        }
        let (y, are_roots) = square_roots(&right, &load_fp([self.kappa; LANES]));
        let mut found = ([blst_p2_affine::default(); POINTS], [[false; LANES]; 2]);
        for number in 0..2 {
            let y = &y[number];
            found.1[number] = are_negative(are_roots[number]);
            let [c0, c1] = &y.0;
            let is_larger = c1
                .zero_signs()
                .select_by_sign(c0.odd_multiple_signs::<2>(), c1.odd_multiple_signs::<2>());
            let is_other = is_larger.add(L::load(&self.encodings.larger[number]));
            let y = y.replaced_by_sign(is_other, &y.negated());
            let (x, y) = (store_fp2(&x[number]), store_fp2(&y));
            for lane in 0..LANES {
                found.0[LANES * number + lane] = blst_p2_affine { x: x[lane], y: y[lane] };
            }
        }
        found
    }
}

/// Decompresses points of the curve. Flags and ranges must have been checked, and infinity is not
/// allowed. Returns `None` for encodings whose x belongs to no point.
///
/// # Panics
/// If an encoding does not have 48 bytes.
pub fn uncompress_g1(encodings: &[&[u8]]) -> Vec<Option<blst_p1_affine>> {
    uncompress_g1_by(&Active, encodings)
}

pub(super) fn uncompress_g1_by(
    runner: &impl Runner,
    encodings: &[&[u8]],
) -> Vec<Option<blst_p1_affine>> {
    let kernel = |encodings: &[&[u8]]| runner.run(UncompressG1(&Encodings::new(encodings)));
    uncompress::<G1>(encodings, runner.worth().decompressions, kernel)
}

/// Decompresses points of the twist, as [`uncompress_g1`] does those of the curve.
///
/// # Panics
/// If an encoding does not have 96 bytes.
pub fn uncompress_g2(encodings: &[&[u8]]) -> Vec<Option<blst_p2_affine>> {
    uncompress_g2_by(&Active, encodings)
}

pub(super) fn uncompress_g2_by(
    runner: &impl Runner,
    encodings: &[&[u8]],
) -> Vec<Option<blst_p2_affine>> {
    let kernel = |encodings: &[&[u8]]| {
        let encodings = Encodings::new(encodings);
        runner.run(UncompressG2 { encodings: &encodings, kappa: kappa() })
    };
    uncompress::<G2>(encodings, runner.worth().decompressions, kernel)
}

/// Decompresses points with a kernel, or with the library if there are few points or the kernel
/// does not run.
fn uncompress<C: Curve>(
    encodings: &[&[u8]],
    worth_lanes: usize,
    kernel: impl Fn(&[&[u8]]) -> Option<FoundPoints<C::Affine>>,
) -> Vec<Option<C::Affine>> {
    assert!(encodings.iter().all(|bytes| bytes.len() == C::COMPRESSED_BYTES));
    let mut results = Vec::with_capacity(encodings.len());
    for encodings in encodings.chunks(POINTS) {
        let together = if encodings.len() >= worth_lanes { kernel(encodings) } else { None };
        match together {
            Some((points, are_on_curve)) => results.extend(
                points
                    .iter()
                    .zip(are_on_curve.as_flattened())
                    .map(|(point, is_on_curve)| is_on_curve.then_some(*point))
                    .take(encodings.len()),
            ),
            None => results.extend(encodings.iter().map(|bytes| C::uncompress(bytes))),
        }
    }
    results
}
