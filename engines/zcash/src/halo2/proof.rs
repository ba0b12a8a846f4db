// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The elements of a proof and the challenges, in the order of the protocol (The Halo 2 Book,
//! section "Proving system").

use halimede_arith::field::VestaBase;

use super::description::{Description, Key};
use super::elements::Elements;
use super::transcript::Transcript;
use crate::pasta::{Affine, Fp};

/// The number of points, and then the number of numbers that follow them: the order of the elements
/// of a proof of some actions.
fn layout(of: &Description, actions: usize) -> Vec<(usize, usize)> {
    let lookups = of.lookups.len();
    let first = of.advice_columns + 2 * lookups + of.parts() + lookups;
    // The commitments of actions, the random polynomial, and the pieces of h.
    let commitments = actions * first + 1 + of.pieces();
    let of_action =
        of.instance_queries.len() + of.advice_queries.len() + 3 * of.parts() - 1 + 5 * lookups;
    let evaluations = actions * of_action + of.fixed_queries.len() + 1 + of.permutation.len();
    let rounds = of.k as usize;
    vec![(commitments, evaluations), (1, of.sets()), (1 + 2 * rounds, 2)]
}

/// Returns the encodings of the points of a proof, at most as many as it has.
pub fn points<'a>(of: &Description, proof: &'a [u8], actions: usize) -> Vec<&'a [u8; 32]> {
    let mut elements = Elements::new(proof);
    let mut points = Vec::new();
    for (count, numbers) in layout(of, actions) {
        points.extend((0..count).map_while(|_| elements.next()));
        (0..numbers).for_each(|_| _ = elements.next());
    }
    points
}

/// A commitment, and the evaluations that the prover claims.
#[derive(Clone, Debug)]
pub struct PermutationPart {
    pub product: usize,
    pub here: Fp,
    pub next: Fp,
    /// At the last row; absent for the last part.
    pub last: Option<Fp>,
}

/// A lookup argument's commitments and evaluations.
#[derive(Clone, Debug)]
pub struct LookupPart {
    pub product: usize,
    pub input: usize,
    pub table: usize,
    pub product_here: Fp,
    pub product_next: Fp,
    pub input_here: Fp,
    pub input_previous: Fp,
    pub table_here: Fp,
}

/// The elements of an action. Commitments are numbers of points.
#[derive(Clone, Debug)]
pub struct Action {
    pub advice: Vec<usize>,
    pub instance_evaluations: Vec<Fp>,
    pub advice_evaluations: Vec<Fp>,
    pub permutation: Vec<PermutationPart>,
    pub lookups: Vec<LookupPart>,
}

/// The challenges.
#[derive(Clone, Copy, Debug)]
pub struct Challenges {
    pub theta: Fp,
    pub beta: Fp,
    pub gamma: Fp,
    pub y: Fp,
    pub x: Fp,
    /// x₁ to x₄ of the multipoint opening argument.
    pub opening: [Fp; 4],
    /// ξ and z of the polynomial commitment.
    pub xi: Fp,
    pub z: Fp,
}

/// A round of the inner product argument.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub left: usize,
    pub right: usize,
    pub challenge: Fp,
}

/// A proof with its challenges.
#[derive(Clone, Debug)]
pub struct Proof {
    pub actions: Vec<Action>,
    pub random: usize,
    pub pieces: Vec<usize>,
    pub fixed_evaluations: Vec<Fp>,
    pub random_evaluation: Fp,
    pub sigma_evaluations: Vec<Fp>,
    pub quotient: usize,
    /// The evaluations at x₃ of the combined polynomial of each set.
    pub set_evaluations: Vec<Fp>,
    pub blinding: usize,
    pub rounds: Vec<Round>,
    /// c and f of the polynomial commitment.
    pub c: Fp,
    pub f: Fp,
    pub challenges: Challenges,
}

impl Proof {
    /// Reads a proof, given the commitments to the instances of its actions and its points. `None`
    /// if an element is missing or invalid.
    pub fn read(
        of: &Description,
        key: &Key,
        instances: &[Affine<VestaBase>],
        proof: &[u8],
        points: &[Option<Affine<VestaBase>>],
    ) -> Option<Self> {
        let mut transcript = Transcript::new(Elements::new(proof), points);
        transcript.absorb_number(&key.digest);
        instances.iter().for_each(|instance| transcript.absorb_point(instance));
        let actions = 0..instances.len();
        let all = |transcript: &mut Transcript<'_>, count: usize| {
            let of_action = |_| transcript.points(count);
            actions.clone().map(of_action).collect::<Option<Vec<Vec<usize>>>>()
        };
        let advice = all(&mut transcript, of.advice_columns)?;
        let theta = transcript.challenge();
        let permuted = all(&mut transcript, 2 * of.lookups.len())?;
        let (beta, gamma) = (transcript.challenge(), transcript.challenge());
        let parts = all(&mut transcript, of.parts())?;
        let products = all(&mut transcript, of.lookups.len())?;
        let random = transcript.point()?;
        let y = transcript.challenge();
        let pieces = transcript.points(of.pieces())?;
        let x = transcript.challenge();
        let numbers = |transcript: &mut Transcript<'_>, count: usize| {
            let of_action = |_| transcript.numbers(count);
            actions.clone().map(of_action).collect::<Option<Vec<Vec<Fp>>>>()
        };
        let instance = numbers(&mut transcript, of.instance_queries.len())?;
        let evaluations = numbers(&mut transcript, of.advice_queries.len())?;
        let fixed_evaluations = transcript.numbers(of.fixed_queries.len())?;
        let random_evaluation = transcript.number()?;
        let sigma_evaluations = transcript.numbers(of.permutation.len())?;
        let permutation = parts.iter().map(|parts| permutation(&mut transcript, parts));
        let permutation = permutation.collect::<Option<Vec<_>>>()?;
        let lookups = permuted.iter().zip(&products);
        let lookups =
            lookups.map(|(permuted, products)| lookup(&mut transcript, permuted, products));
        let lookups = lookups.collect::<Option<Vec<_>>>()?;
        let parts = advice.into_iter().zip(instance).zip(evaluations).zip(permutation).zip(lookups);
        let actions =
            parts.map(|((((advice, instance), evaluations), permutation), lookups)| Action {
                advice,
                instance_evaluations: instance,
                advice_evaluations: evaluations,
                permutation,
                lookups,
            });
        let actions = actions.collect();
        // The multipoint opening argument.
        let (x1, x2) = (transcript.challenge(), transcript.challenge());
        let quotient = transcript.point()?;
        let x3 = transcript.challenge();
        let set_evaluations = transcript.numbers(of.sets())?;
        let x4 = transcript.challenge();
        // The polynomial commitment.
        let blinding = transcript.point()?;
        let (xi, z) = (transcript.challenge(), transcript.challenge());
        let rounds = (0..of.k).map(|_| {
            let (left, right) = (transcript.point()?, transcript.point()?);
            Some(Round { left, right, challenge: transcript.challenge() })
        });
        let rounds = rounds.collect::<Option<Vec<_>>>()?;
        let (c, f) = (transcript.number()?, transcript.number()?);
        let opening = [x1, x2, x3, x4];
        Some(Self {
            actions,
            random,
            pieces,
            fixed_evaluations,
            random_evaluation,
            sigma_evaluations,
            quotient,
            set_evaluations,
            blinding,
            rounds,
            c,
            f,
            challenges: Challenges { theta, beta, gamma, y, x, opening, xi, z },
        })
    }
}

fn permutation(transcript: &mut Transcript<'_>, parts: &[usize]) -> Option<Vec<PermutationPart>> {
    let parts = parts.iter().enumerate().map(|(number, product)| {
        let (here, next) = (transcript.number()?, transcript.number()?);
        let is_last = number + 1 == parts.len();
        let last = if is_last { None } else { Some(transcript.number()?) };
        Some(PermutationPart { product: *product, here, next, last })
    });
    parts.collect()
}

fn lookup(
    transcript: &mut Transcript<'_>,
    permuted: &[usize],
    products: &[usize],
) -> Option<Vec<LookupPart>> {
    let lookups = permuted.as_chunks().0.iter().zip(products);
    let lookups = lookups.map(|([input, table], product)| {
        Some(LookupPart {
            product: *product,
            input: *input,
            table: *table,
            product_here: transcript.number()?,
            product_next: transcript.number()?,
            input_here: transcript.number()?,
            input_previous: transcript.number()?,
            table_here: transcript.number()?,
        })
    });
    lookups.collect()
}
