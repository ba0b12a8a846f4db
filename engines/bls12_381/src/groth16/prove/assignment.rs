// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of a circuit's variables and constraints, of which a proof is made.

use halimede_arith::Fr;

use super::{ProveError, Secrets};

/// The variables that a query of the proving key has a point for, in order. The shape of a circuit
/// determines them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    /// Auxiliary variables in A. All inputs are.
    pub a_aux: Vec<bool>,
    /// Inputs in B.
    pub b_inputs: Vec<bool>,
    /// Auxiliary variables in B.
    pub b_aux: Vec<bool>,
}

/// The values of a circuit's variables, and of the three sides of its constraints. All are secret
/// but the public inputs; they are overwritten when dropped.
///
/// Constraint j is aⱼ·bⱼ = cⱼ. After the circuit's constraints there is one for each input x,
/// x·0 = 0, as in `bellman`: it makes the polynomials of inputs independent.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// 1, and then the public inputs.
    pub(super) inputs: Secrets,
    /// The other variables.
    pub(super) aux: Secrets,
    pub(super) a: Secrets,
    pub(super) b: Secrets,
    pub(super) c: Secrets,
    pub(super) density: Density,
}

impl Assignment {
    /// Collects the values of a circuit, without the constraints of inputs, which are added.
    ///
    /// # Errors
    /// [`ProveError::Unsatisfied`] for the first constraint that does not hold, and
    /// [`ProveError::Shape`] if the numbers of values contradict each other.
    pub fn new(
        inputs: Secrets,
        aux: Secrets,
        [mut a, mut b, mut c]: [Secrets; 3],
        density: Density,
    ) -> Result<Self, ProveError> {
        let shapes = [
            ("b", a.len(), b.len()),
            ("c", a.len(), c.len()),
            ("density of A", aux.len(), density.a_aux.len()),
            ("density of the inputs in B", inputs.len(), density.b_inputs.len()),
            ("density of B", aux.len(), density.b_aux.len()),
        ];
        for (name, expected, got) in shapes {
            if expected != got {
                return Err(ProveError::Shape { name, expected, got });
            }
        }
        if inputs.first() != Some(&Fr::ONE) {
            return Err(ProveError::FirstInput);
        }
        for input in inputs.iter() {
            a.push(*input);
        }
        b.resize(a.len());
        c.resize(a.len());
        let rows = a.iter().zip(b.iter()).zip(c.iter());
        match rows.enumerate().find(|(_, ((a, b), c))| **a * **b != **c) {
            Some((constraint, _)) => Err(ProveError::Unsatisfied { constraint }),
            None => Ok(Self { inputs, aux, a, b, c, density }),
        }
    }

    /// Returns the public inputs, without the leading 1.
    pub fn public_inputs(&self) -> &[Fr] {
        &self.inputs[1..]
    }

    /// Returns the number of constraints, with those of the inputs.
    pub fn constraints(&self) -> usize {
        self.a.len()
    }

    /// Returns the number of variables that are not inputs.
    pub fn auxiliary(&self) -> usize {
        self.aux.len()
    }
}
