// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Partial rounds with x⁵ as a linear recurrence: 2t−2 products and one reduction per round.
//!
//! Write M = [[m, v], [w, A]] with A the matrix without its first row and column, n = t−1 its size.
//! Let xₖ be element 0 before partial round k, uₖ = xₖ + cₖ the S-box's input, yₖ = uₖ⁵ its output
//! and zₖ the n other elements:
//!
//! ```text
//! xₖ₊₁ = m·yₖ + v·zₖ        zₖ₊₁ = w·yₖ + A·zₖ
//! ```
//!
//! With λⁿ + a₁λⁿ⁻¹ + … + aₙ the characteristic polynomial of A, Cayley–Hamilton eliminates z:
//!
//! ```text
//! xₖ₊₁ = −Σᵢ₌₁ⁿ aᵢ·xₖ₊₁₋ᵢ + Σᵢ₌₀ⁿ bᵢ·yₖ₋ᵢ    bᵢ = hᵢ + Σⱼ₌₁ⁱ aⱼ·hᵢ₋ⱼ,  h₀ = m,  hᵢ = v·Aⁱ⁻¹·w
//! ```
//!
//! *Scale.* With uₖ = σₖ·Uₖ, hence yₖ = σₖ⁵·Yₖ, and σₖ₊₁ = m·σₖ⁵, the newest Yₖ has the coefficient
//! 1: only an addition follows the S-box, and the rest of the row is known before the S-box ends.
//!
//! *Entry.* The state before the first partial round is M·s, where s are the outputs of the S-boxes
//! of the full round before. So y₋₁ = s₀ and z₋₁ = (s₁, …) continue the recurrence backwards;
//! earlier y are set to 0, which makes x₋ⱼ = v·A⁻ʲ·z₋₁.
//!
//! *Exit.* From the last n of the x and of the y, O·z_{P−n} = x − H·y, where O has the rows v·Aʲ
//! and H the hᵢ below each other, and z_P = Aⁿ·z_{P−n} + Σ Aⁱ·w·y_{P−1−i}.

use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::Field;

use super::constants::RoundConstants;
use crate::{Matrix, Parameters, RoundNumbers};

/// The coefficients of one linear combination. Both lists end with the newest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row<M: Modulus = Bls12381Scalar> {
    /// The coefficients of the latest S-box inputs U.
    pub inputs: Vec<Field<M>>,
    /// The coefficients of the latest S-box outputs Y.
    pub outputs: Vec<Field<M>>,
    /// The constant term.
    pub constant: Field<M>,
}

/// A permutation with the S-box x⁵ on element 0 and its partial rounds as a recurrence.
///
/// Inputs U₂₋ₜ … U_P and outputs Y₋₁ … Y_{P−1} are kept in two lists. A permutation is then: the
/// first full rounds, with `mds` after each except the last, whose S-box outputs are s;
/// [`Self::entry`]; for each of [`Self::rounds`] the next input; [`Self::exit_first`] and
/// [`Self::exit`]; S-boxes, `mds` and `last_full`.
#[derive(Clone, Debug)]
pub(super) struct Recurrence<M: Modulus = Bls12381Scalar> {
    /// The constants of each full round before the partial rounds.
    pub first_full: Vec<Vec<Field<M>>>,
    /// The matrix of a full round.
    pub mds: Matrix<M>,
    /// t−1 rows over s that give U₂₋ₜ, …, U₀, oldest first. Y₋₁ is s₀ itself.
    pub entry: Vec<Vec<Field<M>>>,
    /// The constant term of the last of those, U₀.
    pub entry_constant: Field<M>,
    /// Row k gives Uₖ₊₁ − Yₖ, for k from 0 to P−2, from the latest t−1 inputs, up to Uₖ, and the
    /// latest outputs, up to Yₖ₋₁: k+1 of them, at most t−1.
    pub rounds: Vec<Row<M>>,
    /// Gives U_P, which is element 0 after the partial rounds plus the first of `last_full`'s
    /// constants, from the latest t−1 inputs, up to U_{P−1}, and t outputs up to Y_{P−1}.
    pub exit_first: Row<M>,
    /// Gives the other t−1 elements, also with their constants, from t−1 inputs up to U_P and t−1
    /// outputs up to Y_{P−1}.
    pub exit: Vec<Row<M>>,
    /// The constants of the full rounds after the partial rounds, except the first of these rounds,
    /// whose constants the exit has added.
    pub last_full: Vec<Vec<Field<M>>>,
}

/// The blocks of the matrix and the values derived from them.
struct Linear<M: Modulus> {
    /// The order n of the recurrence.
    order: usize,
    minor: Matrix<M>,
    /// v·Aʲ for j from 0 to n−1.
    observations: Vec<Vec<Field<M>>>,
    /// Aⁱ·w for i from 0 to n−1.
    responses: Vec<Vec<Field<M>>>,
    /// a₁ … aₙ.
    feedback: Vec<Field<M>>,
    /// h₀ … hₙ.
    impulse: Vec<Field<M>>,
}

impl Recurrence {
    /// Returns the recurrence of a Filecoin instance; see [`Self::of`].
    pub fn new(parameters: &Parameters<Bls12381Scalar>) -> Option<Self> {
        let constants = RoundConstants::new(parameters);
        Self::of_constants(constants, &parameters.mds)
    }
}

impl<M: Modulus> Recurrence<M> {
    /// Returns the recurrence of a permutation with t constants per round, in the order of use.
    ///
    /// Returns `None` if A is singular, if the x do not determine z, or if there are not more
    /// partial rounds than elements. No instance has any of these properties.
    pub fn of(rounds: RoundNumbers, constants: &[Field<M>], mds: &Matrix<M>) -> Option<Self> {
        Self::of_constants(RoundConstants::of(rounds, 0, constants, mds), mds)
    }

    fn of_constants(constants: RoundConstants<M>, mds: &Matrix<M>) -> Option<Self> {
        let partial_rounds = constants.partial.len();
        let linear = Linear::new(mds)?;
        if partial_rounds <= linear.order + 1 {
            return None;
        }
        let (exit_constants, last_full) = constants.last_full.split_first()?;
        // c₀ … c_P: the last is element 0's constant in the full round that follows.
        let mut added = constants.partial.clone();
        added.push(exit_constants[0]);
        let scales = scales(linear.impulse[0], partial_rounds);
        let forward = linear.forward();
        let row = |next| linear.row(&forward, &added, &scales, next);
        let mut rounds: Vec<Row<M>> = (1..=partial_rounds).map(row).collect::<Option<_>>()?;
        let exit_first = rounds.pop()?;
        for row in &mut rounds {
            // The coefficient of the newest output is 1 by the choice of the scales.
            let newest = row.outputs.pop();
            debug_assert_eq!(newest, Some(Field::ONE));
        }
        Some(Self {
            first_full: constants.first_full,
            mds: mds.clone(),
            entry: linear.entry(mds)?,
            entry_constant: added[0],
            rounds,
            exit_first,
            exit: linear.exit(exit_constants, &added, &scales)?,
            last_full: last_full.to_vec(),
        })
    }
}

/// σ₀ … σ_P; the exit scale σ_P is 1, so the final state is unscaled.
fn scales<M: Modulus>(corner: Field<M>, partial_rounds: usize) -> Vec<Field<M>> {
    let mut scales = vec![Field::ONE];
    while scales.len() < partial_rounds {
        scales.push(corner * scales[scales.len() - 1].pow(&[5]));
    }
    scales.push(Field::ONE);
    scales
}

/// σⱼ; before the partial rounds it is 1.
fn scale_at<M: Modulus>(scales: &[Field<M>], index: isize) -> Field<M> {
    usize::try_from(index).map_or(Field::ONE, |index| scales[index])
}

impl<M: Modulus> Linear<M> {
    fn new(mds: &Matrix<M>) -> Option<Self> {
        let minor = mds.minor();
        let order = minor.size();
        let mut observations = vec![mds.rows()[0][1..].to_vec()];
        let mut responses: Vec<Vec<Field<M>>> =
            vec![mds.rows()[1..].iter().map(|row| row[0]).collect()];
        while observations.len() < order {
            let last = observations.len() - 1;
            observations.push(left_multiply(&observations[last], &minor));
            responses.push(minor.multiply_vector(&responses[last]));
        }
        let mut impulse = vec![mds.rows()[0][0]];
        impulse.extend(responses.iter().map(|w| Field::inner_product(&observations[0], w)));
        let feedback = characteristic_polynomial(&minor)?;
        Some(Self { order, minor, observations, responses, feedback, impulse })
    }

    /// b₀ … bₙ.
    fn forward(&self) -> Vec<Field<M>> {
        let entry = |i: usize| {
            let past = (1..=i).map(|j| self.feedback[j - 1] * self.impulse[i - j]);
            self.impulse[i] + past.sum::<Field<M>>()
        };
        (0..=self.order).map(entry).collect()
    }

    /// The row that gives U at `next` from all older values, including the newest output.
    fn row(
        &self,
        forward: &[Field<M>],
        added: &[Field<M>],
        scales: &[Field<M>],
        next: usize,
    ) -> Option<Row<M>> {
        let unscale = scales[next].inverse()?;
        let place = |back: usize| next as isize - back as isize;
        let mut constant = added[next];
        let mut inputs = Vec::with_capacity(self.order);
        for back in (1..=self.order).rev() {
            let coefficient = self.feedback[back - 1];
            inputs.push(-(coefficient * scale_at(scales, place(back)) * unscale));
            if let Some(earlier) = next.checked_sub(back) {
                constant += coefficient * added[earlier];
            }
        }
        // Outputs older than Y₋₁ are 0.
        let outputs = (0..=self.order.min(next))
            .rev()
            .map(|back| forward[back] * scale_at(scales, place(back + 1)).pow(&[5]) * unscale);
        Some(Row { inputs, outputs: outputs.collect(), constant: constant * unscale })
    }

    /// The rows over s for U₁₋ₙ … U₋₁, which are v·A⁻ʲ without the column of s₀, and for U₀, which
    /// is the first row of the matrix.
    fn entry(&self, mds: &Matrix<M>) -> Option<Vec<Vec<Field<M>>>> {
        let inverse = self.minor.inverse()?;
        let mut backward = vec![mds.rows()[0].clone()];
        let mut row = self.observations[0].clone();
        for _ in 1..self.order {
            row = left_multiply(&row, &inverse);
            backward.push(std::iter::once(Field::ZERO).chain(row.iter().copied()).collect());
        }
        backward.reverse();
        Some(backward)
    }

    /// The rows for z_P: Q·x + (W − Q·H)·y with Q = Aⁿ·O⁻¹.
    fn exit(
        &self,
        constants: &[Field<M>],
        added: &[Field<M>],
        scales: &[Field<M>],
    ) -> Option<Vec<Row<M>>> {
        let n = self.order;
        let partial_rounds = added.len() - 1;
        let observations = Matrix::from_fn(n, |i, j| self.observations[i][j]);
        let power = (1..n).fold(self.minor.clone(), |power, _| power.multiply(&self.minor));
        let from_inputs = power.multiply(&observations.inverse()?);
        let history =
            Matrix::from_fn(n, |j, i| if i <= j { self.impulse[j - i] } else { Field::ZERO });
        let through_inputs = from_inputs.multiply(&history);
        let rows = from_inputs.rows().iter().enumerate().map(|(index, coefficients)| {
            let first = partial_rounds + 1 - n;
            let known: Field<M> =
                coefficients.iter().zip(&added[first..]).map(|(q, c)| *q * *c).sum();
            let output = |i: usize| {
                let direct = self.responses[n - 1 - i][index];
                (direct - through_inputs.rows()[index][i]) * scales[first - 1 + i].pow(&[5])
            };
            Row {
                inputs: coefficients.iter().zip(&scales[first..]).map(|(q, s)| *q * *s).collect(),
                outputs: (0..n).map(output).collect(),
                constant: constants[index + 1] - known,
            }
        });
        Some(rows.collect())
    }
}

/// row · matrix.
fn left_multiply<M: Modulus>(row: &[Field<M>], matrix: &Matrix<M>) -> Vec<Field<M>> {
    let column = |j: usize| row.iter().zip(matrix.rows()).map(|(x, row)| *x * row[j]).sum();
    (0..matrix.size()).map(column).collect()
}

/// a₁ … aₙ of λⁿ + a₁λⁿ⁻¹ + … + aₙ, by the Faddeev–LeVerrier algorithm.
fn characteristic_polynomial<M: Modulus>(matrix: &Matrix<M>) -> Option<Vec<Field<M>>> {
    let size = matrix.size();
    let mut coefficients: Vec<Field<M>> = Vec::with_capacity(size);
    let mut product = matrix.clone();
    for step in 1..=size {
        let trace: Field<M> = (0..size).map(|i| product.rows()[i][i]).sum();
        let coefficient = -(trace * Field::from(step as u64).inverse()?);
        coefficients.push(coefficient);
        let shifted = Matrix::from_fn(size, |i, j| {
            product.rows()[i][j] + if i == j { coefficient } else { Field::ZERO }
        });
        product = matrix.multiply(&shifted);
    }
    Some(coefficients)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use halimede_arith::Fr;

    use crate::{plain, Family, Instance, PoseidonField, Strength};

    /// The permutation as [`Recurrence`] describes it, without optimizations.
    fn permute(recurrence: &Recurrence, state: &[Fr]) -> Vec<Fr> {
        let n = state.len() - 1;
        let mut state = state.to_vec();
        let sbox = |state: &mut Vec<Fr>| {
            state.iter_mut().for_each(|element| *element = Bls12381Scalar::sbox(*element));
        };
        for (round, constants) in recurrence.first_full.iter().enumerate() {
            state.iter_mut().zip(constants).for_each(|(element, c)| *element += *c);
            sbox(&mut state);
            if round + 1 < recurrence.first_full.len() {
                state = recurrence.mds.multiply_vector(&state);
            }
        }
        let mut inputs: Vec<Fr> =
            recurrence.entry.iter().map(|row| Field::inner_product(row, &state)).collect();
        inputs[n - 1] += recurrence.entry_constant;
        let mut outputs = vec![state[0]];
        let combine = |row: &Row, inputs: &[Fr], outputs: &[Fr]| {
            Field::inner_product(&row.inputs, &inputs[inputs.len() - row.inputs.len()..])
                + Field::inner_product(&row.outputs, &outputs[outputs.len() - row.outputs.len()..])
                + row.constant
        };
        for row in &recurrence.rounds {
            let output = Bls12381Scalar::sbox(inputs[inputs.len() - 1]);
            inputs.push(combine(row, &inputs, &outputs) + output);
            outputs.push(output);
        }
        outputs.push(Bls12381Scalar::sbox(inputs[inputs.len() - 1]));
        inputs.push(combine(&recurrence.exit_first, &inputs, &outputs));
        state = vec![inputs[inputs.len() - 1]];
        state.extend(recurrence.exit.iter().map(|row| combine(row, &inputs, &outputs)));
        for constants in &recurrence.last_full {
            sbox(&mut state);
            state = recurrence.mds.multiply_vector(&state);
            state.iter_mut().zip(constants).for_each(|(element, c)| *element += *c);
        }
        sbox(&mut state);
        recurrence.mds.multiply_vector(&state)
    }

    #[test]
    fn the_recurrence_is_the_plain_permutation() {
        for strength in [Strength::Standard, Strength::Strengthened] {
            for width in [3, 5, 9, 12] {
                let instance = Instance::new(Family::Filecoin(strength), width).unwrap();
                let parameters = Bls12381Scalar::parameters(instance).unwrap();
                let recurrence = Recurrence::new(&parameters).unwrap();
                let terms = |row: &Row| row.inputs.len() + row.outputs.len();
                assert_eq!(recurrence.rounds.iter().map(terms).max(), Some(2 * width - 2));
                assert_eq!(recurrence.rounds.len(), instance.partial_rounds() - 1);
                for seed in 0..4 {
                    let element =
                        |i: usize| Fr::from((seed * 977 + i * i) as u64).pow(&[seed as u64 + 1]);
                    let mut state: Vec<Fr> = (0..width).map(element).collect();
                    let ours = permute(&recurrence, &state);
                    plain::permute(&parameters, &mut state);
                    assert_eq!(ours, state, "{instance}");
                }
            }
        }
    }
}
