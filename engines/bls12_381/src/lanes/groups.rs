// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests whether points of the curves are in the groups of order r, by their endomorphisms.

use std::sync::OnceLock;

use blst::{blst_fp, blst_fp2, blst_p1_affine, blst_p2_affine};
use halimede_arith::lanes::bls12_381::{Fp, Term};
use halimede_arith::lanes::{run, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::curve::{Coordinates, Jacobian, OverFp, OverFp2};
use super::fp2::Fp2;
use super::library;
use super::transfer::{load_fp, load_fp2, load_g1, load_g2, POINTS_OF_G1};
use super::worth::worth;

/// The result of a comparison with a multiple by x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Equal,
    Different,
    /// The formulas failed.
    Unknown,
}

impl Answer {
    #[inline(always)]
    fn of(z: [bool; LANES], x: [bool; LANES], y: [bool; LANES]) -> [Self; LANES] {
        let mut answers = [Self::Different; LANES];
        for (lane, answer) in answers.iter_mut().enumerate() {
            if z[lane] {
                *answer = Self::Unknown;
            } else if x[lane] && y[lane] {
                *answer = Self::Equal;
            }
        }
        answers
    }
}

/// Checks that −x²·(x, y) is (βx, y), for two points per lane: the criterion for G1 (Scott: "A note
/// on group membership tests for G1, G2 and GT on BLS pairing-friendly curves", 2021).
#[inline(always)]
fn compare_g1<L: Lanes>(
    x: &[Fp<L, 3>; 2],
    y: &[Fp<L, 3>; 2],
    beta: &Fp<L, 3>,
) -> [[Answer; LANES]; 2] {
    type Points<L> = Jacobian<L, OverFp>;
    let (wide_x, wide_y) = ([x[0].widened(), x[1].widened()], [y[0].widened(), y[1].widened()]);
    let once: Points<L> = Jacobian::multiple_by_x(&wide_x, &wide_y);
    // (X, Y) is a point of an isomorphic curve; Z of the result is the multiple's Z times Z.
    let twice: Points<L> = Jacobian::multiple_by_x(&once.x, &once.y);
    let z = <OverFp as Coordinates<L>>::product(&twice.z, &once.z);
    let zz = <OverFp as Coordinates<L>>::square(&z);
    let zzz = <OverFp as Coordinates<L>>::product(&zz, &z);
    let mut answers = [[Answer::Unknown; LANES]; 2];
    for (number, answers) in answers.iter_mut().enumerate() {
        let expected = x[number].times_reduced(beta).times_reduced(&zz[number]);
        let same_x = expected.minus::<_, 30>(&twice.x[number]).carried().is_zero();
        let expected = y[number].times_reduced(&zzz[number]);
        let same_y = expected.plus::<_, 30>(&twice.y[number]).carried().is_zero();
        *answers = Answer::of(z[number].is_zero(), same_x, same_y);
    }
    answers
}

/// Checks that x·(x, y) is ψ(x, y), the twist's Frobenius map (c₀x̄, c₁ȳ): the criterion for G2.
#[inline(always)]
fn compare_g2<L: Lanes>(
    x: &Fp2<L, 3>,
    y: &Fp2<L, 3>,
    constants: &[Fp2<L, 3>; 2],
) -> [Answer; LANES] {
    let multiple: Jacobian<L, OverFp2> = Jacobian::multiple_by_x(&x.widened(), &y.widened());
    let zz = multiple.z.square();
    let zzz = zz.product(&multiple.z);
    let expected = x.conjugate().product(&constants[0]).product(&zz);
    let same_x = expected.minus::<_, 30>(&multiple.x).is_zero();
    // x is negative.
    let expected = y.conjugate().product(&constants[1]).product(&zzz);
    let same_y = expected.plus::<_, 30>(&multiple.y).is_zero();
    Answer::of(multiple.z.is_zero(), same_x, same_y)
}

/// The comparisons of sixteen points.
pub(super) struct InG1<'a> {
    pub points: &'a [blst_p1_affine; POINTS_OF_G1],
    pub beta: &'a blst_fp,
}

impl Kernel for InG1<'_> {
    type Output = [[Answer; LANES]; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (x, y) = load_g1::<L>(self.points);
        compare_g1(&x, &y, &load_fp([self.beta; LANES]))
    }
}

/// The comparisons of eight points.
pub(super) struct InG2<'a> {
    pub points: &'a [blst_p2_affine; LANES],
    pub constants: &'a [blst_fp2; 2],
}

impl Kernel for InG2<'_> {
    type Output = [Answer; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (x, y) = load_g2::<L>(self.points);
        let [c0, c1] = self.constants;
        let constants = [load_fp2::<L>([c0; LANES]), load_fp2::<L>([c1; LANES])];
        compare_g2(&x, &y, &constants)
    }
}

/// Returns β: x of x²G divided by x of the generator G.
pub(crate) fn beta() -> &'static blst_fp {
    static BETA: OnceLock<blst_fp> = OnceLock::new();
    BETA.get_or_init(library::beta)
}

/// Returns c₀ and c₁ of ψ: the coordinates of xG divided by those of the generator's conjugate.
pub(super) fn psi() -> &'static [blst_fp2; 2] {
    static PSI: OnceLock<[blst_fp2; 2]> = OnceLock::new();
    PSI.get_or_init(library::psi)
}

/// Returns which points of the curve are in G1, as infinity is.
pub fn in_g1(points: &[blst_p1_affine]) -> Vec<bool> {
    let mut results = Vec::with_capacity(points.len());
    for points in points.chunks(POINTS_OF_G1) {
        let mut lanes = [points[0]; POINTS_OF_G1];
        lanes[..points.len()].copy_from_slice(points);
        let together = match points.len() >= worth().g1.checks {
            true => run(Backend::active(), InG1 { points: &lanes, beta: beta() }),
            false => None,
        };
        match together {
            Some(together) => results.extend(
                points
                    .iter()
                    .zip(together.as_flattened())
                    .map(|(point, answer)| decided(point, *answer, library::in_g1)),
            ),
            None => results.extend(points.iter().map(library::in_g1)),
        }
    }
    results
}

/// Returns which points of the twist are in G2, as infinity is.
pub fn in_g2(points: &[blst_p2_affine]) -> Vec<bool> {
    let mut results = Vec::with_capacity(points.len());
    for points in points.chunks(LANES) {
        let mut lanes = [points[0]; LANES];
        lanes[..points.len()].copy_from_slice(points);
        let together = match points.len() >= worth().g2.checks {
            true => run(Backend::active(), InG2 { points: &lanes, constants: psi() }),
            false => None,
        };
        match together {
            Some(together) => results.extend(
                points
                    .iter()
                    .zip(together)
                    .map(|(point, answer)| decided(point, answer, library::in_g2)),
            ),
            None => results.extend(points.iter().map(library::in_g2)),
        }
    }
    results
}

/// Returns the answer of the lanes or, if it is unknown, that of the library: infinity and points
/// of small order have Z = 0.
fn decided<P>(point: &P, answer: Answer, by_library: fn(&P) -> bool) -> bool {
    match answer {
        Answer::Equal => true,
        Answer::Different => false,
        Answer::Unknown => by_library(point),
    }
}
