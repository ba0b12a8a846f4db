// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs against those of `bellman` (crate `groth16`).

mod circom;
#[cfg(feature = "bellman")]
mod circuits;
mod keys;
mod random;

use ::groth16::{create_proof, generate_random_parameters, Parameters};
use bls12_381::Bls12;
use halimede_bls12_381::groth16::prove::{Blinding, PointChecks, ProveError, ProvingKey, Secrets};
use halimede_bls12_381::groth16::{verify, Proof, Rejection, PROOF_BYTES};
use halimede_bls12_381::Fr;

use crate::common::factors::PeerRng;
use crate::common::{cases, generator, peer_scalar, random_scalar};
use random::RandomCircuit;

/// Returns bellman's key for a circuit; `None` if a variable is in no constraint's polynomial.
fn parameters(circuit: &RandomCircuit) -> Option<(Parameters<Bls12>, Vec<u8>)> {
    let parameters =
        generate_random_parameters::<Bls12, _, _>(circuit.shape(), &mut PeerRng(generator()));
    let parameters = parameters.ok()?;
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    Some((parameters, bytes))
}

/// Returns bellman's proof.
fn peer_proof(
    circuit: &RandomCircuit,
    parameters: &Parameters<Bls12>,
    r: &Fr,
    s: &Fr,
) -> [u8; PROOF_BYTES] {
    let (r, s) = (peer_scalar(r), peer_scalar(s));
    let proof = create_proof::<Bls12, _, _>(circuit.clone(), parameters, r, s).unwrap();
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    bytes.try_into().unwrap()
}

/// `HALIMEDE_SWEEP=1` compares 1,000 circuits.
#[test]
fn proofs_of_random_circuits_are_bellmans_bit_for_bit() {
    let mut rng = generator();
    let count = cases(30, 1000);
    let mut compared = 0;
    while compared < count {
        let most = if compared % 10 == 0 { 150 } else { 20 };
        let circuit = RandomCircuit::draw(&mut rng, most);
        let Some((parameters, key)) = parameters(&circuit) else { continue };
        let key = ProvingKey::read(&key, PointChecks::Group).unwrap();
        let (r, s) = match compared % 7 {
            3 => (Fr::from(1), random_scalar(&mut rng)),
            5 => (-Fr::from(1), -Fr::from(1)),
            _ => (random_scalar(&mut rng), random_scalar(&mut rng)),
        };
        let assignment = circuit.constraints().assign(&circuit.secrets()).unwrap();
        let inputs = assignment.public_inputs().to_vec();
        let proof = key.prove_with(assignment, Blinding::of(r, s)).unwrap();
        assert_eq!(proof, peer_proof(&circuit, &parameters, &r, &s), "{circuit:?}");
        let proof = Proof { proof: &proof, inputs: &inputs };
        assert_eq!(verify(key.verifying_key(), proof), Ok(()));
        compared += 1;
    }
}

/// Returns a circuit with inputs and at least 8 auxiliary variables, and its key.
fn circuit_with_key() -> (RandomCircuit, Parameters<Bls12>, Vec<u8>) {
    let mut rng = generator();
    loop {
        let circuit = RandomCircuit::draw(&mut rng, 40);
        if circuit.inputs == 0 || circuit.witness.len() < 12 {
            continue;
        }
        if let Some((parameters, key)) = parameters(&circuit) {
            return (circuit, parameters, key);
        }
    }
}

#[test]
fn proofs_with_random_numbers_differ_and_verify_with_bellman() {
    let (circuit, parameters, key) = circuit_with_key();
    let key = ProvingKey::read(&key, PointChecks::Curve).unwrap();
    let assignment = circuit.constraints().assign(&circuit.secrets()).unwrap();
    let inputs: Vec<_> = assignment.public_inputs().iter().map(peer_scalar).collect();
    let proofs = [(); 3].map(|()| key.prove(assignment.clone()).unwrap());
    assert!(proofs[0] != proofs[1] && proofs[0] != proofs[2] && proofs[1] != proofs[2]);
    let verifying = ::groth16::prepare_verifying_key(&parameters.vk);
    for proof in proofs {
        let read = ::groth16::Proof::<Bls12>::read(&proof[..]).unwrap();
        assert!(::groth16::verify_proof(&verifying, &read, &inputs).is_ok());
    }
}

#[test]
fn wrong_witnesses_make_no_proof() {
    let (circuit, _, _) = circuit_with_key();
    let constraints = circuit.constraints();
    let mut refused = 0;
    for variable in 1..circuit.witness.len() {
        let mut witness = circuit.secrets();
        witness[variable] += Fr::from(5);
        match constraints.assign(&witness) {
            Err(ProveError::Unsatisfied { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
            Ok(_) => (), // a variable with zero or free factors
        }
    }
    assert!(refused > 0);
    let short = Secrets::from(circuit.witness[1..].to_vec());
    assert!(matches!(constraints.assign(&short), Err(ProveError::Shape { .. })));
}

/// A key of the same shape for another circuit makes a proof that is not valid.
#[test]
fn proofs_under_another_key_are_dropped() {
    let (circuit, _, _) = circuit_with_key();
    let mut other = circuit.clone();
    let row = other.rows.iter_mut().find(|row| row[0].len() > 1 || !row[2].is_empty()).unwrap();
    for (_, coefficient) in row.iter_mut().flatten() {
        *coefficient *= Fr::from(3);
    }
    let Some((_, key)) = parameters(&other) else { panic!("the shape is the same") };
    let key = ProvingKey::read(&key, PointChecks::Curve).unwrap();
    let assignment = circuit.constraints().assign(&circuit.secrets()).unwrap();
    assert_eq!(key.prove(assignment), Err(ProveError::Invalid(Rejection::Mismatch)));

    let mut more = circuit.clone();
    more.witness.push(Fr::from(1));
    let variable = more.witness.len() as u32 - 1;
    more.rows.push([vec![(variable, Fr::from(1))], vec![(0, Fr::from(1))], vec![(0, Fr::from(1))]]);
    let assignment = more.constraints().assign(&more.secrets()).unwrap();
    assert!(matches!(
        key.prove(assignment),
        Err(ProveError::OtherKey { name: "auxiliary variables", .. })
    ));
}

#[test]
fn more_constraints_than_the_key_allows_are_refused() {
    let (mut circuit, _, key) = circuit_with_key();
    let key = ProvingKey::read(&key, PointChecks::Curve).unwrap();
    let limit = key.domain_size();
    while circuit.rows.len() + circuit.inputs < limit {
        circuit.rows.push([Vec::new(), Vec::new(), Vec::new()]);
    }
    let assignment = circuit.constraints().assign(&circuit.secrets()).unwrap();
    let got = limit + 1;
    assert_eq!(key.prove(assignment), Err(ProveError::Constraints { got, limit }));
}
