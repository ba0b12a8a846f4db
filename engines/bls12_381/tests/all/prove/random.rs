// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random circuits, the same for this crate and for `bellman`.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use halimede_bls12_381::groth16::prove::{Constraints, Secrets};
use halimede_bls12_381::Fr;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::common::{peer_scalar, random_scalar};

type Terms = Vec<(u32, Fr)>;

/// A circuit with a witness. Variables are numbered as in [`Constraints`].
#[derive(Clone, Debug)]
pub struct RandomCircuit {
    pub inputs: usize,
    pub witness: Vec<Fr>,
    pub rows: Vec<[Terms; 3]>,
    /// `false` for the generator of keys.
    pub has_witness: bool,
}

fn value(terms: &Terms, witness: &[Fr]) -> Fr {
    terms.iter().map(|(variable, coefficient)| witness[*variable as usize] * *coefficient).sum()
}

/// Returns a value that is often a bit.
fn any_value(rng: &mut ChaCha8Rng) -> Fr {
    match rng.gen_range(0..8) {
        0 | 1 => Fr::from(0),
        2 | 3 => Fr::from(1),
        4 => -Fr::from(1),
        5 => Fr::from(rng.gen::<u64>()),
        _ => random_scalar(rng),
    }
}

fn any_coefficient(rng: &mut ChaCha8Rng) -> Fr {
    match rng.gen_range(0..5) {
        0 | 1 => Fr::from(1),
        2 => -Fr::from(1),
        _ => random_scalar(rng),
    }
}

impl RandomCircuit {
    /// Draws a circuit: each auxiliary variable has a row that determines it from earlier ones, or
    /// the row of a bit; further rows compare sums of variables.
    pub fn draw(rng: &mut ChaCha8Rng, most_variables: usize) -> Self {
        let inputs = rng.gen_range(0..4);
        let free = rng.gen_range(1..=most_variables);
        let mut circuit =
            Self { inputs, witness: vec![Fr::from(1)], rows: Vec::new(), has_witness: true };
        for _ in 0..inputs {
            circuit.witness.push(any_value(rng));
        }
        for _ in 0..free {
            circuit.push_variable(rng);
        }
        for _ in 0..rng.gen_range(0..4) {
            circuit.push_row(rng);
        }
        circuit
    }

    /// Reads the constraints of a `.r1cs` file whose second section comes last but one, with
    /// another reader.
    pub fn of_r1cs(bytes: &[u8], witness: &[Fr]) -> Self {
        let number = |at: &mut usize| {
            *at += 4;
            u32::from_le_bytes(bytes[*at - 4..*at].try_into().unwrap())
        };
        let mut at = 12;
        let (mut header, mut rows) = (0, 0);
        while at < bytes.len() {
            let (kind, length) = (number(&mut at), number(&mut at) as usize);
            at += 4;
            match kind {
                1 => header = at,
                2 => rows = at,
                _ => (),
            }
            at += length;
        }
        let mut at = header + 4 + 32 + 4;
        let inputs = (number(&mut at) + number(&mut at)) as usize;
        at += 4 + 8;
        let count = number(&mut at);
        let mut at = rows;
        let mut side = || -> Terms {
            (0..number(&mut at))
                .map(|_| {
                    let variable = number(&mut at);
                    at += 32;
                    let bytes = bytes[at - 32..at].try_into().unwrap();
                    (variable, Fr::from_le_bytes(&bytes).unwrap())
                })
                .collect()
        };
        let rows = (0..count).map(|_| [side(), side(), side()]).collect();
        Self { inputs, witness: witness.to_vec(), rows, has_witness: true }
    }

    fn any_terms(&self, rng: &mut ChaCha8Rng, most: usize) -> Terms {
        let mut terms = Terms::new();
        for _ in 0..rng.gen_range(0..=most) {
            let variable = rng.gen_range(0..self.witness.len()) as u32;
            // Terms of equal variables could cancel: then bellman's keys have no point for them.
            if terms.iter().all(|(other, _)| *other != variable) {
                terms.push((variable, any_coefficient(rng)));
            }
        }
        terms
    }

    fn push_variable(&mut self, rng: &mut ChaCha8Rng) {
        let new = self.witness.len() as u32;
        if rng.gen_range(0..3) == 0 {
            self.witness.push(Fr::from(rng.gen_range(0..2)));
            let not = vec![(0, Fr::from(1)), (new, -Fr::from(1))];
            self.rows.push([vec![(new, Fr::from(1))], not, Terms::new()]);
            return;
        }
        let (a, b) = (self.any_terms(rng, 4), self.any_terms(rng, 4));
        let coefficient = any_coefficient(rng);
        let product = value(&a, &self.witness) * value(&b, &self.witness);
        self.witness.push(product * coefficient.inverse().unwrap());
        self.rows.push([a, b, vec![(new, coefficient)]]);
    }

    /// Appends a row whose last side is the product, by a multiple of the constant.
    fn push_row(&mut self, rng: &mut ChaCha8Rng) {
        let (a, b) = (self.any_terms(rng, 6), self.any_terms(rng, 2));
        let product = value(&a, &self.witness) * value(&b, &self.witness);
        self.rows.push([a, b, vec![(0, product)]]);
    }

    pub fn constraints(&self) -> Constraints {
        let mut constraints = Constraints::new(self.inputs, self.witness.len()).unwrap();
        for [a, b, c] in &self.rows {
            constraints.push(a, b, c).unwrap();
        }
        constraints
    }

    pub fn secrets(&self) -> Secrets {
        Secrets::from(self.witness.clone())
    }

    /// The same circuit without values.
    pub fn shape(&self) -> Self {
        Self { has_witness: false, ..self.clone() }
    }
}

impl Circuit<Scalar> for RandomCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for (index, value) in self.witness.iter().enumerate().skip(1) {
            let value = || match self.has_witness {
                true => Ok(peer_scalar(value)),
                false => Err(SynthesisError::AssignmentMissing),
            };
            match index <= self.inputs {
                true => cs.alloc_input(|| "", value)?,
                false => cs.alloc(|| "", value)?,
            };
        }
        let terms = |terms: &Terms| {
            terms.iter().fold(LinearCombination::zero(), |sum, (variable, coefficient)| {
                let index = match (*variable as usize).checked_sub(self.inputs + 1) {
                    None => Index::Input(*variable as usize),
                    Some(index) => Index::Aux(index),
                };
                sum + (peer_scalar(coefficient), Variable::new_unchecked(index))
            })
        };
        for [a, b, c] in &self.rows {
            cs.enforce(|| "", |_| terms(a), |_| terms(b), |_| terms(c));
        }
        Ok(())
    }
}
