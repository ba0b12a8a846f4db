// SPDX-License-Identifier: Apache-2.0 OR MIT
//! circomlib's parameters, generated as by the script of Poseidon's authors.

use std::collections::HashSet;

use halimede_arith::field::{Bn254Scalar, Modulus};
use halimede_arith::Field;

use super::{Element, MAX_WIDTH};
use crate::grain::{Grain, GrainSeed};
use crate::{Matrix, RoundNumbers};

/// The number of full rounds of each width.
const FULL_ROUNDS: usize = 8;

/// The numbers of partial rounds of widths 2 to 17 (circomlib, `circuits/poseidon.circom`).
const PARTIAL_ROUNDS: [usize; MAX_WIDTH - 1] =
    [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68];

/// Returns the numbers of rounds of a width; `None` unless it is from 2 to 17.
pub fn round_numbers(width: usize) -> Option<RoundNumbers> {
    let partial = *PARTIAL_ROUNDS.get(width.checked_sub(2)?)?;
    Some(RoundNumbers { full: FULL_ROUNDS, partial })
}

/// The constants of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The numbers of rounds.
    pub rounds: RoundNumbers,
    /// The (R_F + R_P)·t round constants in the order of use, t per round.
    pub round_constants: Vec<Element>,
    /// The linear layer, of t rows.
    pub mds: Matrix<Bn254Scalar>,
}

impl Parameters {
    /// Returns the parameters of a width; `None` unless it is from 2 to 17.
    ///
    /// After the constants, the LFSR draws the 2t elements of a Cauchy matrix. No width needs a
    /// second draw.
    pub fn new(width: usize) -> Option<Self> {
        let rounds = round_numbers(width)?;
        let field_bits = Bn254Scalar::BITS as usize;
        let mut grain = Grain::new(&GrainSeed { sbox: 0, field_bits, width, rounds });
        let constants = (0..(rounds.full + rounds.partial) * width).map(|_| grain.element());
        let round_constants = constants.collect();
        let drawn: Vec<Element> = (0..2 * width).map(|_| grain.residue()).collect();
        let distinct: HashSet<&Element> = drawn.iter().collect();
        let (x, y) = drawn.split_at(width);
        let is_regular = x.iter().all(|x| y.iter().all(|y| *x + *y != Field::ZERO));
        if distinct.len() < drawn.len() || !is_regular {
            return None;
        }
        let mds = Matrix::from_fn(width, |i, j| (x[i] + y[j]).inverse().unwrap_or_default());
        Some(Self { rounds, round_constants, mds })
    }
}

/// Permutes a state of the parameters' width in place, as the paper prints it: the reference for
/// the faster forms.
pub fn permute(parameters: &Parameters, state: &mut [Element]) {
    let half = parameters.rounds.full / 2;
    let partial = half..half + parameters.rounds.partial;
    let width = parameters.mds.size();
    for (round, constants) in parameters.round_constants.chunks(width).enumerate() {
        for (element, constant) in state.iter_mut().zip(constants) {
            *element += *constant;
        }
        let powers = if partial.contains(&round) { 1 } else { state.len() };
        for element in &mut state[..powers] {
            *element = element.square().square() * *element;
        }
        state.copy_from_slice(&parameters.mds.multiply_vector(state));
    }
}
