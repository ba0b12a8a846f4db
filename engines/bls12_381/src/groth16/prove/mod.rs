// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Makes Groth16 proofs (eprint 2016/260, section 3.2) over BLS12-381.
//!
//! An [`Assignment`] has the values of a circuit. It comes from a circuit of `bellman` (feature
//! `bellman`, [`circuit`]), from [`Constraints`] and a witness, or from circom's files ([`circom`],
//! [`CircuitKey`]). [`ProvingKey::prove`] makes a proof of it, with six transforms and five sums of
//! points, on the threads of the current rayon pool, and verifies it before it returns it.
//!
//! Values, and the random numbers of a proof, are overwritten after use. The time depends on them:
//! see `SECURITY.md` of the engine.

mod assignment;
mod blinding;
pub mod circom;
#[cfg(feature = "bellman")]
pub mod circuit;
mod circuit_key;
mod constraints;
mod key;
mod quotient;
mod secrets;
mod sums;

pub use assignment::{Assignment, Density};
pub use blinding::Blinding;
pub use circuit_key::{CircuitKey, CircuitKeyError};
pub use constraints::{Constraints, ConstraintsError, Row};
pub use key::{PointChecks, ProvingKey, ProvingKeyError, PROVING_KEY_LIMIT_BYTES};
pub use secrets::Secrets;

use halimede_arith::Fr;
use zeroize::Zeroizing;

use super::{verify, Proof, Rejection, PROOF_BYTES};
use crate::library::{Curve, Ladder, G1, G2};
use crate::Point;
use key::{Queries, QuotientPoints};
use secrets::SCALAR_BYTES;
use sums::{sum_of_products, sum_of_terms, SCALAR_BITS};

type ScalarBytes = [u8; SCALAR_BYTES];

/// Why no proof was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProveError {
    /// A constraint does not hold.
    #[error("the witness does not satisfy constraint {constraint}")]
    Unsatisfied {
        /// The index of the first such constraint, from 0.
        constraint: usize,
    },
    /// The first input is not 1.
    #[error("the first variable is not 1")]
    FirstInput,
    /// Lists of a circuit's values contradict each other.
    #[error("{name} has {got} entries, not {expected}")]
    Shape {
        /// The list.
        name: &'static str,
        /// The expected number.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// The key is not that of the circuit.
    #[error("the proving key has {expected} {name}, the circuit {got}")]
    OtherKey {
        /// The values that were counted.
        name: &'static str,
        /// The number in the key.
        expected: usize,
        /// The number in the circuit.
        got: usize,
    },
    /// The key has no circuit.
    #[error("a key of bellman has no circuit: its constraints are needed")]
    NoCircuit,
    /// The circuit has more constraints than the key.
    #[error("the circuit has {got} constraints; the proving key allows {limit}")]
    Constraints {
        /// The number of constraints, those of the inputs included.
        got: usize,
        /// The maximum number.
        limit: usize,
    },
    /// The operating system has no random numbers.
    #[error("the operating system gives no random numbers")]
    NoRandomNumbers,
    /// The proof is not valid: the key is not that of the circuit, or the witness is wrong.
    #[error("the proof that was made is not valid, and was dropped: {0}")]
    Invalid(Rejection),
}

impl ProvingKey {
    /// Makes a proof with random numbers from the operating system, and verifies it.
    ///
    /// # Errors
    /// [`ProveError`].
    pub fn prove(&self, assignment: Assignment) -> Result<[u8; PROOF_BYTES], ProveError> {
        self.prove_with(assignment, Blinding::random()?)
    }

    /// As [`Self::prove`], with the random numbers of the caller.
    ///
    /// # Errors
    /// [`ProveError`].
    pub fn prove_with(
        &self,
        assignment: Assignment,
        blinding: Blinding,
    ) -> Result<[u8; PROOF_BYTES], ProveError> {
        self.check_shape(&assignment)?;
        let Assignment { inputs, aux, a, b, c, density } = assignment;
        let variables = (inputs.to_bytes(), aux.to_bytes());
        drop(aux);
        let (quotient, sums) = rayon::join(
            || self.sum_of_quotient([a, b, c]),
            || self.sums_of_variables(&variables.0, &variables.1, &density),
        );
        let proof = self.combine(&blinding, quotient, sums);
        let inputs = Proof { proof: &proof, inputs: &inputs[1..] };
        verify(&self.verifying, inputs).map_err(ProveError::Invalid)?;
        Ok(proof)
    }

    /// Compares the circuit's numbers with those of the key.
    fn check_shape(&self, assignment: &Assignment) -> Result<(), ProveError> {
        let Assignment { inputs, aux, density, .. } = assignment;
        let count = |list: &[bool]| list.iter().filter(|is_in| **is_in).count();
        let in_b = count(&density.b_inputs) + count(&density.b_aux);
        let counts = [
            ("public inputs", self.verifying.inputs(), inputs.len() - 1),
            ("auxiliary variables", self.queries.l.len(), aux.len()),
            ("variables in A", self.queries.a.len(), inputs.len() + count(&density.a_aux)),
            ("variables in B", self.queries.b_g1.len(), in_b),
        ];
        for (name, expected, got) in counts {
            if expected != got {
                return Err(ProveError::OtherKey { name, expected, got });
            }
        }
        let (got, limit) = (assignment.constraints(), self.domain.size());
        match got > limit {
            true => Err(ProveError::Constraints { got, limit }),
            false => Ok(()),
        }
    }

    /// Returns the sum of the quotient's coefficients, or of its values, times their points.
    fn sum_of_quotient(&self, sides: [Secrets; 3]) -> <G1 as Curve>::Jacobian {
        let (points, scalars) = match &self.queries.h {
            QuotientPoints::Powers(points) => (points, quotient::of_powers(&self.domain, sides)),
            QuotientPoints::Coset(points) => (points, quotient::on_coset(&self.domain, sides)),
        };
        sum_of_products::<G1>(points, &scalars.to_bytes())
    }

    /// Returns the sums of the points of all variables times their values.
    fn sums_of_variables(
        &self,
        inputs: &[ScalarBytes],
        aux: &[ScalarBytes],
        density: &Density,
    ) -> Sums {
        let Queries { l, a, b_g1, b_g2, .. } = &self.queries;
        let in_a = || inputs.iter().chain(dense(&density.a_aux, aux));
        let in_b = || dense(&density.b_inputs, inputs).chain(dense(&density.b_aux, aux));
        let ((l, a), (b_g1, b_g2)) = rayon::join(
            || {
                rayon::join(
                    || sum_of_terms::<G1>(l.iter().zip(aux)),
                    || sum_of_terms::<G1>(a.iter().zip(in_a())),
                )
            },
            || {
                rayon::join(
                    || sum_of_terms::<G1>(b_g1.iter().zip(in_b())),
                    || sum_of_terms::<G2>(b_g2.iter().zip(in_b())),
                )
            },
        );
        Sums { l, a, b_g1, b_g2 }
    }

    /// Returns A = α + Σa + r·δ and B = β + Σb + s·δ, and C = Σh + Σl + s·A + r·B − r·s·δ, with B
    /// in both groups.
    fn combine(
        &self,
        blinding: &Blinding,
        quotient: <G1 as Curve>::Jacobian,
        sums: Sums,
    ) -> [u8; PROOF_BYTES] {
        let (r, s, fixed) = (*blinding.r, *blinding.s, &self.fixed);
        let add =
            |sum: <G1 as Curve>::Jacobian, point: &Point<G1>| G1::add_affine(&sum, point.affine());
        let a = add(G1::add(&sums.a, &times(&fixed.delta_g1, r)), &self.verifying.alpha);
        let b_g1 = add(G1::add(&sums.b_g1, &times(&fixed.delta_g1, s)), &fixed.beta_g1);
        let b = G2::add(&sums.b_g2, &times(&fixed.delta_g2, s));
        let b = G2::add_affine(&b, self.verifying.beta.affine());
        let [a, b_g1] = [a, b_g1].map(|sum| Point::<G1>::of_group(G1::to_affine(&[sum])[0]));
        let b = Point::<G2>::of_group(G2::to_affine(&[b])[0]);
        let parts =
            [quotient, sums.l, times(&a, s), times(&b_g1, r), times(&fixed.delta_g1, -(r * s))];
        let c = parts.iter().fold(<G1 as Curve>::Jacobian::default(), |c, part| G1::add(&c, part));
        let c = Point::<G1>::of_group(G1::to_affine(&[c])[0]);
        let encodings = [a.to_compressed(), b.to_compressed(), c.to_compressed()].concat();
        let mut proof = [0; PROOF_BYTES];
        proof.copy_from_slice(&encodings);
        proof
    }
}

/// The sums of the points of all variables times their values, by their lists.
#[derive(Default)]
struct Sums {
    l: <G1 as Curve>::Jacobian,
    a: <G1 as Curve>::Jacobian,
    b_g1: <G1 as Curve>::Jacobian,
    b_g2: <G2 as Curve>::Jacobian,
}

/// Returns the values of the variables that have a point.
fn dense<'a>(
    density: &'a [bool],
    scalars: &'a [ScalarBytes],
) -> impl Iterator<Item = &'a ScalarBytes> {
    density.iter().zip(scalars).filter_map(|(is_in, scalar)| is_in.then_some(scalar))
}

/// Returns a point times a secret scalar.
fn times<C: Curve>(point: &Point<C>, scalar: Fr) -> C::Jacobian {
    let scalar = Zeroizing::new(scalar);
    let bytes = Zeroizing::new(scalar.to_le_bytes());
    C::multiply(point.affine(), Ladder { scalars: &bytes[..], bits: SCALAR_BITS })
}
