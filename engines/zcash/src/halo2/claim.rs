// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The claim that a proof reduces to: a sum of multiples of its points and of the fixed points is
//! the neutral element.
//!
//! With the combined commitment P of all openings and its evaluation v at x₃, the inner product
//! argument (The Halo 2 Book, section "Inner product argument") claims
//! P − v·G₀ + ξ·S + Σ(uⱼ⁻¹·Lⱼ + uⱼ·Rⱼ) − c·⟨s, G⟩ − c·b·z·U − f·W = 0, where
//! b = Π(1 + uⱼ·x₃^(2^(k−1−j))) and s has the coefficients of that product as a polynomial of x₃.

use halimede_arith::field::batch_inverse;
use halimede_arith::Field;

use super::constraints::{evaluate, Rows};
use super::description::{power, Description};
use super::openings::{combine, Commitment};
use super::plan::{places, ROTATIONS};
use super::proof::Proof;
use crate::pasta::Fp;

/// The number of challenges that the lower part of s is the product of.
pub const LOW_BITS: u32 = 6;

/// The factors of a claim, times its multiplier.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The factor of each point of the proof.
    pub points: Vec<Fp>,
    /// The factors of the commitments to the instances of actions.
    pub instances: Vec<Fp>,
    pub fixed: Vec<Fp>,
    pub sigma: Vec<Fp>,
    pub w: Fp,
    pub u: Fp,
    /// The factor of G₀, without its part of s.
    pub g0: Fp,
    /// −c·s is the product of a number of the lower part and a number of the upper part.
    pub low: Vec<Fp>,
    pub high: Vec<Fp>,
}

/// The numbers that a claim divides by, and their inverses.
struct Inverses {
    /// x₃ − x·ω^r by the place of r, and its inverse.
    differences: Vec<(Fp, Fp)>,
    /// By set and rotation, as [`combine`] needs them.
    of_sets: Vec<[Fp; ROTATIONS]>,
    vanishing: Fp,
    rows: Vec<Fp>,
    rounds: Vec<Fp>,
}

impl Inverses {
    /// Returns the inverses; `None` if a number is 0.
    fn new(of: &Description, proof: &Proof, vanishing: Fp, roots: &[Fp]) -> Option<Self> {
        let (x, [_, _, x3, _]) = (proof.challenges.x, proof.challenges.opening);
        let points: Vec<Fp> = of.omegas.iter().map(|omega| x * *omega).collect();
        let differences: Vec<Fp> = points.iter().map(|point| x3 - *point).collect();
        let mut numbers = differences.clone();
        for set in &of.plan.sets {
            for place in places(*set) {
                let others = places(*set).filter(|other| *other != place);
                let others = others.map(|other| points[place] - points[other]);
                numbers.push(others.fold(Fp::ONE, |product, other| product * other));
            }
        }
        numbers.push(vanishing);
        numbers.extend(roots.iter().map(|root| x - *root));
        numbers.extend(proof.rounds.iter().map(|round| round.challenge));
        if numbers.iter().any(Field::is_zero) {
            return None;
        }
        batch_inverse(&mut numbers);
        let mut inverses = numbers.into_iter();
        let differences = differences.into_iter().zip(inverses.by_ref()).collect();
        let mut of_sets = vec![[Fp::ZERO; ROTATIONS]; of.plan.sets.len()];
        for (of_set, set) in of_sets.iter_mut().zip(&of.plan.sets) {
            for place in places(*set) {
                of_set[place] = inverses.next()?;
            }
        }
        let vanishing = inverses.next()?;
        let rows = inverses.by_ref().take(roots.len()).collect();
        Some(Self { differences, of_sets, vanishing, rows, rounds: inverses.collect() })
    }
}

impl Claim {
    /// Returns the claim of a proof with some points, times a multiplier; `None` with negligible
    /// probability, if a challenge is a root of unity or 0.
    pub fn new(of: &Description, proof: &Proof, points: usize, multiplier: Fp) -> Option<Self> {
        let challenges = &proof.challenges;
        let x = challenges.x;
        let to_rows = (0..of.k).fold(x, |power, _| power.square());
        let vanishing = to_rows - Fp::ONE;
        // The rows from the last one that is not blinding to the first one.
        let blinding = of.blinding_factors() as i32;
        let roots: Vec<Fp> = (-(blinding + 1)..=0).map(|row| power(&of.omega, row)).collect();
        let inverses = Inverses::new(of, proof, vanishing, &roots)?;
        let scale = vanishing * of.inverse_of_rows;
        let lagrange = roots.iter().zip(&inverses.rows);
        let lagrange: Vec<Fp> = lagrange.map(|(root, inverse)| *root * *inverse * scale).collect();
        let (first, last) = (*lagrange.last()?, *lagrange.first()?);
        let blinded: Fp = lagrange[..lagrange.len() - 1].iter().copied().sum();
        let rows = Rows { first, last, active: Fp::ONE - blinded };
        let h = evaluate(of, proof, &rows) * inverses.vanishing;
        let openings = of.plan.openings(proof, h);
        let (sets, differences) = (&inverses.of_sets, &inverses.differences);
        let combined = combine(&of.plan, proof, &openings, sets, differences)?;

        let [_, _, x3, _] = challenges.opening;
        let b = Self::product(proof, x3);
        let (low, high) = Self::halves(proof, -(proof.c * multiplier));
        let mut claim = Self {
            points: vec![Fp::ZERO; points],
            instances: vec![Fp::ZERO; proof.actions.len()],
            fixed: vec![Fp::ZERO; of.fixed_columns()],
            sigma: vec![Fp::ZERO; of.permutation.len()],
            w: -(proof.f * multiplier),
            u: -(proof.c * b * challenges.z * multiplier),
            g0: -(combined.evaluation * multiplier),
            low,
            high,
        };
        for (commitment, factor) in &combined.factors {
            claim.add(proof, *commitment, *factor * multiplier, to_rows);
        }
        claim.points[proof.quotient] += combined.quotient * multiplier;
        claim.points[proof.blinding] += challenges.xi * multiplier;
        for (round, inverse) in proof.rounds.iter().zip(&inverses.rounds) {
            claim.points[round.left] += *inverse * multiplier;
            claim.points[round.right] += round.challenge * multiplier;
        }
        Some(claim)
    }

    fn add(&mut self, proof: &Proof, commitment: Commitment, factor: Fp, to_rows: Fp) {
        match commitment {
            Commitment::Instance(action) => self.instances[action] += factor,
            Commitment::Point(point) => self.points[point] += factor,
            Commitment::Fixed(column) => self.fixed[column] += factor,
            Commitment::Sigma(column) => self.sigma[column] += factor,
            Commitment::Pieces => {
                let mut factor = factor;
                for piece in &proof.pieces {
                    self.points[*piece] += factor;
                    factor *= to_rows;
                }
            }
        }
    }

    /// Returns b.
    fn product(proof: &Proof, x3: Fp) -> Fp {
        let (mut product, mut power) = (Fp::ONE, x3);
        for round in proof.rounds.iter().rev() {
            product *= Fp::ONE + round.challenge * power;
            power = power.square();
        }
        product
    }

    /// Returns two parts whose products are the coefficients s times a factor: the number `low +
    /// 2^LOW_BITS·high` of s is the product of these numbers of both parts.
    fn halves(proof: &Proof, factor: Fp) -> (Vec<Fp>, Vec<Fp>) {
        let (mut low, mut high) = (vec![factor], vec![Fp::ONE]);
        for (bit, round) in (0..).zip(proof.rounds.iter().rev()) {
            let part = if bit < LOW_BITS { &mut low } else { &mut high };
            let products: Vec<Fp> = part.iter().map(|number| *number * round.challenge).collect();
            part.extend(products);
        }
        (low, high)
    }
}
