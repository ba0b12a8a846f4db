// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits of `bellman`'s trait.

use ::groth16::{create_proof, generate_random_parameters};
use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::{Bls12, Scalar};
use halimede_bls12_381::groth16::prove::circuit::{assign, CircuitError};
use halimede_bls12_381::groth16::prove::{Blinding, PointChecks, ProveError, ProvingKey};
use halimede_bls12_381::groth16::{verify, Proof};

use super::{parameters, peer_proof, RandomCircuit};
use crate::common::factors::{Factors, PeerRng};
use crate::common::{cases, generator, peer_scalar, random_scalar};

#[test]
fn circuits_give_the_proofs_of_their_rows() {
    let mut rng = generator();
    let mut compared = 0;
    while compared < cases(10, 100) {
        let circuit = RandomCircuit::draw(&mut rng, 30);
        let Some((parameters, key)) = parameters(&circuit) else { continue };
        let key = ProvingKey::read(&key, PointChecks::Curve).unwrap();
        let (r, s) = (random_scalar(&mut rng), random_scalar(&mut rng));
        let proof = key.prove_with(assign(circuit.clone()).unwrap(), Blinding::of(r, s)).unwrap();
        assert_eq!(proof, peer_proof(&circuit, &parameters, &r, &s));
        compared += 1;
    }
}

#[test]
fn a_circuit_with_inputs_after_variables_is_proven() {
    let mut rng = generator();
    let (x, y) = (random_scalar(&mut rng), random_scalar(&mut rng));
    let (r, s) = (random_scalar(&mut rng), random_scalar(&mut rng));
    let parameters = generate_random_parameters::<Bls12, _, _>(
        Factors { secret: None },
        &mut PeerRng(generator()),
    )
    .unwrap();
    let mut key = Vec::new();
    parameters.write(&mut key).unwrap();
    let key = ProvingKey::read(&key, PointChecks::Group).unwrap();
    let circuit = || Factors { secret: Some((peer_scalar(&x), peer_scalar(&y))) };
    let proof = key.prove_with(assign(circuit()).unwrap(), Blinding::of(r, s)).unwrap();
    let expected =
        create_proof::<Bls12, _, _>(circuit(), &parameters, peer_scalar(&r), peer_scalar(&s));
    let mut bytes = Vec::new();
    expected.unwrap().write(&mut bytes).unwrap();
    assert_eq!(proof[..], bytes);
    let random = key.prove_circuit(circuit()).unwrap();
    assert_ne!(random, proof);
    let inputs = [x * y, x + y];
    assert_eq!(verify(key.verifying_key(), Proof { proof: &random, inputs: &inputs }), Ok(()));
    let missing = assign(Factors { secret: None }).unwrap_err();
    assert!(matches!(missing, CircuitError::Synthesis(SynthesisError::AssignmentMissing)));
}

/// x·x = 3, for a given x.
struct Root(Scalar);

impl Circuit<Scalar> for Root {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(self.0))?;
        cs.enforce(|| "", |lc| lc + x, |lc| lc + x, |lc| lc + (Scalar::from(3), CS::one()));
        Ok(())
    }
}

#[test]
fn wrong_values_are_found_before_a_proof_is_made() {
    let root = Option::<Scalar>::from(ff::Field::sqrt(&Scalar::from(3))).unwrap();
    assert!(assign(Root(root)).is_ok());
    let error = assign(Root(root + Scalar::one())).unwrap_err();
    assert!(matches!(error, CircuitError::Prove(ProveError::Unsatisfied { constraint: 0 })));
}
