// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `hash_to_curve` of RFC 9380, section 3: sixteen messages at a time for G1, eight for G2.
//!
//! A message's two points are added on E1' or E2', before a single map to E1 or E2, which is a
//! homomorphism. Clearing the cofactor is a multiplication by 1 − x in G1 (section 8.8.1), and by
//! x² − x − 1 + (x − 1)ψ + 2ψ² in G2 (section G.3; Budroni, Pintore: "Efficient hash maps to G2 on
//! BLS curves", 2017): with s = ψ(P) + xP, that is ψ²(2P) − P − (|x| + 1)s.

use blst::{blst_fp, blst_fp2, blst_p1, blst_p2};
use halimede_arith::lanes::bls12_381::{of_halves, Fp, Words};
use halimede_arith::lanes::{Kernel, Lanes, LANES};
use halimede_arith::outlined;

use super::batches::{Active, Runner};
use super::curve::{Jacobian, OverFp, OverFp2};
use super::fp2::Fp2;
use super::groups::psi;
use super::isogenies::{isogeny_to_e1, isogeny_to_e2, Isogeny};
use super::library;
use super::maps::{map_to_e1, map_to_e2, Map};
use super::powers::Two;
use super::transfer::{load_fp2, store_fp, store_fp2, POINTS_OF_G1};
use crate::library::{Curve, G1, G2};

/// The number of bytes that are reduced to an element of Fp.
const BYTES: usize = 64;

/// One number of 512 bits per lane, in halves.
#[derive(Clone, Copy)]
pub(super) struct Numbers([[Words; LANES]; 2]);

impl Numbers {
    pub(super) const ZERO: Self = Self([[[0; 6]; LANES]; 2]);

    /// Sets a lane's number from big-endian bytes.
    pub(super) fn set(&mut self, lane: usize, bytes: &[u8; BYTES]) {
        let (words, _) = bytes.as_chunks::<8>();
        for (place, word) in words.iter().rev().enumerate() {
            self.0[place / 4][lane][place % 4] = u64::from_be_bytes(*word);
        }
    }

    #[inline(always)]
    fn load<L: Lanes>(&self) -> Fp<L, 3> {
        let [lower, upper] = &self.0;
        of_halves([lower.each_ref(), upper.each_ref()])
    }
}

/// Both elements of sixteen messages, two messages per lane.
pub(super) type ElementsG1 = [[Numbers; 2]; 2];
/// Both elements of eight messages, with the two parts of each.
pub(super) type ElementsG2 = [[Numbers; 2]; 2];

/// Computes points of G1 from two elements each.
pub(super) struct HashG1<'a> {
    pub elements: &'a ElementsG1,
    pub map: &'a Map<blst_fp>,
    pub isogeny: &'a Isogeny<blst_fp>,
}

impl Kernel for HashG1<'_> {
    type Output = [blst_p1; POINTS_OF_G1];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let zero = [Fp::zero(); 2];
        let mut points: [Jacobian<L, OverFp>; 2] = [Jacobian::of(zero, zero); 2];
        for (point, [first, second]) in points.iter_mut().zip(self.elements) {
            let u: Two<L> = [first.load(), second.load()];
            *point = self.map.points(&u);
        }
        let sum = self.isogeny.image(&points[0].plus(&points[1])).times_x_and_once();
        let mut results = [blst_p1::default(); POINTS_OF_G1];
        for (number, results) in results.chunks_mut(LANES).enumerate() {
            let (x, y) = (store_fp(&sum.x[number]), store_fp(&sum.y[number]));
            let z = store_fp(&sum.z[number]);
            for (lane, result) in results.iter_mut().enumerate() {
                *result = blst_p1 { x: x[lane], y: y[lane], z: z[lane] };
            }
        }
        results
    }
}

/// Computes points of G2 from two elements each.
pub(super) struct HashG2<'a> {
    pub elements: &'a ElementsG2,
    pub map: &'a Map<blst_fp2>,
    pub isogeny: &'a Isogeny<blst_fp2>,
    /// The constants of ψ.
    pub psi: &'a [blst_fp2; 2],
}

impl Kernel for HashG2<'_> {
    type Output = [blst_p2; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut u = [Fp2::<L, 3>::zero(); 2];
        for (u, [real, imaginary]) in u.iter_mut().zip(self.elements) {
            *u = Fp2([real.load(), imaginary.load()]);
        }
        let [first, second] = self.map.points(&u);
        let point = self.isogeny.image(&sum(&first, &second));
        let psi = [load_fp2([&self.psi[0]; LANES]), load_fp2([&self.psi[1]; LANES])];
        let point = cleared(&point, &psi);
        let (x, y, z) = (store_fp2(&point.x), store_fp2(&point.y), store_fp2(&point.z));
        let mut results = [blst_p2::default(); LANES];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = blst_p2 { x: x[lane], y: y[lane], z: z[lane] };
        }
        results
    }
}

/// Returns ψ(P).
#[inline(always)]
fn twisted<L: Lanes>(point: &Jacobian<L, OverFp2>, psi: &[Fp2<L, 3>; 2]) -> Jacobian<L, OverFp2> {
    Jacobian {
        x: point.x.conjugate().product(&psi[0]).widened(),
        y: point.y.conjugate().product(&psi[1]).widened(),
        z: point.z.conjugate(),
    }
}

outlined! {
    /// Returns |x|·P.
    fn times_x<L: Lanes>(point: &Jacobian<L, OverFp2>) -> Jacobian<L, OverFp2> {
        point.times_x()
    }

    /// Returns P + Q.
    fn sum<L: Lanes>(p: &Jacobian<L, OverFp2>, q: &Jacobian<L, OverFp2>) -> Jacobian<L, OverFp2> {
        p.plus(q)
    }
}

/// Clears the cofactor: returns the multiple of a point of the twist that is in G2.
#[inline(always)]
fn cleared<L: Lanes>(point: &Jacobian<L, OverFp2>, psi: &[Fp2<L, 3>; 2]) -> Jacobian<L, OverFp2> {
    // x is negative.
    let s = sum(&twisted(point, psi), &times_x(point).negated());
    let rest = sum(point, &sum(&times_x(&s), &s));
    let twice = twisted(&twisted(&point.doubled(), psi), psi);
    sum(&twice, &rest.negated())
}

/// Hashes prefixed messages to G1, in Jacobian coordinates. Each entry is a prefix and the message
/// after it.
pub fn hashes_g1(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<blst_p1> {
    hashes_g1_by(&Active, domain, messages)
}

pub(super) fn hashes_g1_by(
    runner: &impl Runner,
    domain: &[u8],
    messages: &[(&[u8], &[u8])],
) -> Vec<blst_p1> {
    let mut results = Vec::with_capacity(messages.len());
    for messages in messages.chunks(POINTS_OF_G1) {
        let mut elements = [[Numbers::ZERO; 2]; 2];
        let together = match messages.len() >= runner.worth().g1.hashes {
            true => {
                for (place, (prefix, message)) in messages.iter().enumerate() {
                    let bytes: [u8; 2 * BYTES] = library::expanded(domain, prefix, message);
                    for (elements, bytes) in elements.iter_mut().zip(bytes.as_chunks().0) {
                        elements[place / LANES].set(place % LANES, bytes);
                    }
                }
                let (map, isogeny) = (map_to_e1(), isogeny_to_e1());
                runner.run(HashG1 { elements: &elements, map, isogeny })
            }
            false => None,
        };
        for (place, (prefix, message)) in messages.iter().enumerate() {
            let in_lanes = together.as_ref().map(|together| together[place]);
            // Z is 0 for infinity, and where a formula failed.
            let found = in_lanes.filter(|found| found.z != blst_fp::default());
            results.push(found.unwrap_or_else(|| G1::hash(domain, prefix, message)));
        }
    }
    results
}

/// Hashes messages to G2, as [`hashes_g1`] does to G1.
pub fn hashes_g2(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<blst_p2> {
    hashes_g2_by(&Active, domain, messages)
}

pub(super) fn hashes_g2_by(
    runner: &impl Runner,
    domain: &[u8],
    messages: &[(&[u8], &[u8])],
) -> Vec<blst_p2> {
    let mut results = Vec::with_capacity(messages.len());
    for messages in messages.chunks(LANES) {
        let mut elements = [[Numbers::ZERO; 2]; 2];
        let together = match messages.len() >= runner.worth().g2.hashes {
            true => {
                for (lane, (prefix, message)) in messages.iter().enumerate() {
                    let bytes: [u8; 4 * BYTES] = library::expanded(domain, prefix, message);
                    let parts = elements.as_flattened_mut().iter_mut();
                    for (part, bytes) in parts.zip(bytes.as_chunks().0) {
                        part.set(lane, bytes);
                    }
                }
                let (map, isogeny) = (map_to_e2(), isogeny_to_e2());
                runner.run(HashG2 { elements: &elements, map, isogeny, psi: psi() })
            }
            false => None,
        };
        for (lane, (prefix, message)) in messages.iter().enumerate() {
            let in_lanes = together.as_ref().map(|together| together[lane]);
            // As in G1.
            let found = in_lanes.filter(|found| found.z != blst_fp2::default());
            results.push(found.unwrap_or_else(|| G2::hash(domain, prefix, message)));
        }
    }
    results
}
