// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs made by the crate `ark-groth16`, in bellman's encoding.

use ark_bls12_381::{Bls12_381, Fr as ArkScalar};
use ark_groth16::{Groth16, ProvingKey};
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_relations::lc;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_snark::SNARK;
use halimede_bls12_381::groth16::{
    verify, verify_batch, Proof, Rejection, VerifyingKey, PROOF_BYTES,
};
use halimede_bls12_381::Fr;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::common::{generator, random_scalar};

/// A circuit: x³ = cube and x·y + 5 = sum, for secret x and y.
#[derive(Clone, Copy)]
struct Cubes {
    secret: Option<(ArkScalar, ArkScalar)>,
}

impl ConstraintSynthesizer<ArkScalar> for Cubes {
    fn generate_constraints(
        self,
        cs: ConstraintSystemRef<ArkScalar>,
    ) -> Result<(), SynthesisError> {
        let value = |of: fn(ArkScalar, ArkScalar) -> ArkScalar| {
            move || self.secret.map(|(x, y)| of(x, y)).ok_or(SynthesisError::AssignmentMissing)
        };
        let cube = cs.new_input_variable(value(|x, _| x * x * x))?;
        let sum = cs.new_input_variable(value(|x, y| x * y + ArkScalar::from(5)))?;
        let x = cs.new_witness_variable(value(|x, _| x))?;
        let y = cs.new_witness_variable(value(|_, y| y))?;
        let square = cs.new_witness_variable(value(|x, _| x * x))?;
        let one = ark_relations::gr1cs::Variable::One;
        cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + x, || lc!() + square)?;
        cs.enforce_r1cs_constraint(|| lc!() + square, || lc!() + x, || lc!() + cube)?;
        let five = (ArkScalar::from(5), one);
        cs.enforce_r1cs_constraint(|| lc!() + x, || lc!() + y, || lc!() + sum - five)
    }
}

fn uncompressed(point: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    point.serialize_uncompressed(&mut bytes).unwrap();
    bytes
}

/// Returns the verifying key of a proving key, in bellman's order.
fn key_bytes(key: &ProvingKey<Bls12_381>) -> Vec<u8> {
    let verifying = &key.vk;
    let mut bytes = [
        uncompressed(&verifying.alpha_g1),
        uncompressed(&key.beta_g1),
        uncompressed(&verifying.beta_g2),
        uncompressed(&verifying.gamma_g2),
        uncompressed(&key.delta_g1),
        uncompressed(&verifying.delta_g2),
        (verifying.gamma_abc_g1.len() as u32).to_be_bytes().to_vec(),
    ]
    .concat();
    bytes.extend(verifying.gamma_abc_g1.iter().flat_map(uncompressed));
    bytes
}

fn ark_scalar(scalar: &Fr) -> ArkScalar {
    ArkScalar::deserialize_compressed(&scalar.to_le_bytes()[..]).unwrap()
}

/// Returns a proof and its inputs.
fn prove(key: &ProvingKey<Bls12_381>, rng: &mut ChaCha8Rng) -> (Vec<u8>, Vec<Fr>) {
    let (x, y) = (random_scalar(rng), random_scalar(rng));
    let circuit = Cubes { secret: Some((ark_scalar(&x), ark_scalar(&y))) };
    let proof = Groth16::<Bls12_381>::prove(key, circuit, rng).unwrap();
    let mut bytes = Vec::new();
    proof.serialize_compressed(&mut bytes).unwrap();
    (bytes, vec![x * x * x, x * y + Fr::from(5)])
}

#[test]
fn proofs_of_ark_are_valid_and_mutated_ones_are_not() {
    let mut rng = generator();
    let circuit = Cubes { secret: None };
    let (key, _) = Groth16::<Bls12_381>::circuit_specific_setup(circuit, &mut rng).unwrap();
    let ours = VerifyingKey::read(&key_bytes(&key)).unwrap();
    let made: Vec<_> = (0..9).map(|_| prove(&key, &mut rng)).collect();
    let proofs: Vec<Proof<'_>> =
        made.iter().map(|(proof, inputs)| Proof { proof, inputs }).collect();
    assert_eq!(verify_batch(&ours, &proofs), vec![Ok(()); 9]);
    for proof in &proofs {
        assert_eq!(proof.proof.len(), PROOF_BYTES);
        assert_eq!(verify(&ours, *proof), Ok(()));
    }
    // A proof is not valid for the inputs of another.
    let swapped = Proof { proof: &made[0].0, inputs: &made[1].1 };
    assert_eq!(verify(&ours, swapped), Err(Rejection::Mismatch));
    let mutants: Vec<Vec<u8>> = (0..PROOF_BYTES)
        .map(|place| {
            let mut proof = made[0].0.clone();
            proof[place] ^= 1 << rng.gen_range(0..8);
            proof
        })
        .collect();
    let proofs: Vec<Proof<'_>> =
        mutants.iter().map(|proof| Proof { proof, inputs: &made[0].1 }).collect();
    for (place, verdict) in verify_batch(&ours, &proofs).into_iter().enumerate() {
        assert!(verdict.is_err(), "byte {place}");
    }
}
