// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on proofs of Groth16. The keys are made from known scalars, so that proofs hold for any
//! inputs.

use std::sync::Arc;

use halimede_arith::job::Operation;
use halimede_bls12_381::groth16::{Rejection, VerifyingKey, PROOF_BYTES};
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};
use halimede_bls12_381::{Curve, CurvePoint, Fr, Point, PointError, G1, G2};
use halimede_cuda::bls12_381::VerifyProofOnGpu;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, place, random, reasons};

fn scalar(random: &mut ChaCha8Rng) -> Fr {
    let mut number = || Fr::from(random.gen::<u64>());
    let radix = Fr::from(1 << 32) * Fr::from(1 << 32);
    ((number() * radix + number()) * radix + number()) * radix + number() + Fr::from(1)
}

fn inverse(a: Fr) -> Fr {
    // r − 2, lowest word first.
    a.pow(&[
        0xffff_fffe_ffff_ffff,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ])
}

fn multiple<C: Curve>(scalar: Fr) -> Point<C> {
    Point::<C>::generator().times(&scalar)
}

/// A key, and the scalars of its points.
struct Known {
    key: Arc<VerifyingKey>,
    alpha_beta: Fr,
    gamma: Fr,
    delta: Fr,
    terms: Vec<Fr>,
}

fn known(random: &mut ChaCha8Rng, inputs: usize) -> Known {
    let [alpha, beta, gamma, delta] = [(); 4].map(|()| scalar(random));
    let terms: Vec<Fr> = (0..=inputs).map(|_| scalar(random)).collect();
    let mut bytes = Vec::new();
    for part in [
        multiple::<G1>(alpha).to_uncompressed(),
        multiple::<G1>(beta).to_uncompressed(),
        multiple::<G2>(beta).to_uncompressed(),
        multiple::<G2>(gamma).to_uncompressed(),
        multiple::<G1>(delta).to_uncompressed(),
        multiple::<G2>(delta).to_uncompressed(),
        (terms.len() as u32).to_be_bytes().to_vec(),
    ] {
        bytes.extend(part);
    }
    bytes.extend(terms.iter().flat_map(|term| multiple::<G1>(*term).to_uncompressed()));
    let key = Arc::new(VerifyingKey::read(&bytes).unwrap());
    Known { key, alpha_beta: alpha * beta, gamma, delta, terms }
}

impl Known {
    fn prove(&self, random: &mut ChaCha8Rng, inputs: &[Fr]) -> ProofRequest {
        let (a, b) = (scalar(random), scalar(random));
        let mut x = self.terms[0];
        for (term, input) in self.terms[1..].iter().zip(inputs) {
            x += *term * *input;
        }
        let c = (a * b - self.alpha_beta - x * self.gamma) * inverse(self.delta);
        let parts = [
            multiple::<G1>(a).to_compressed(),
            multiple::<G2>(b).to_compressed(),
            multiple::<G1>(c).to_compressed(),
        ];
        ProofRequest { key: Arc::clone(&self.key), proof: parts.concat(), inputs: inputs.to_vec() }
    }
}

/// A proof with other bytes from a place on.
fn changed(request: &ProofRequest, place: usize, bytes: &[u8]) -> ProofRequest {
    let mut request = request.clone();
    request.proof[place..place + bytes.len()].copy_from_slice(bytes);
    request
}

#[test]
fn proofs_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(31);
    let keys = [known(&mut random, 2), known(&mut random, 0)];
    let mut requests = Vec::new();
    for number in 0..4 {
        let key = &keys[number % 2];
        let mut inputs: Vec<Fr> = key.terms[1..].iter().map(|_| scalar(&mut random)).collect();
        if let Some(first) = inputs.first_mut() {
            *first = [Fr::from(0), -Fr::from(1)][number / 2];
        }
        requests.push(key.prove(&mut random, &inputs));
    }
    // X is infinity.
    let terms = &keys[0].terms;
    let inputs = [Fr::from(7), -(terms[0] + Fr::from(7) * terms[1]) * inverse(terms[2])];
    requests.push(keys[0].prove(&mut random, &inputs));
    let valid = requests.len();
    let good = requests[0].clone();
    let other = requests[2].clone();
    requests.push(ProofRequest { key: Arc::clone(&keys[0].key), ..requests[1].clone() });
    requests.push(ProofRequest { inputs: other.inputs.clone(), ..good.clone() });
    for length in [0, 1, PROOF_BYTES - 1, PROOF_BYTES + 1] {
        let mut proof = good.proof.clone();
        proof.resize(length, 3);
        requests.push(ProofRequest { proof, ..good.clone() });
    }
    for inputs in [0, 1, 3] {
        requests.push(ProofRequest { inputs: vec![Fr::from(1); inputs], ..good.clone() });
    }
    for part in [0..48, 48..144, 144..192] {
        requests.push(changed(&good, part.start, &other.proof[part.clone()]));
        // Infinity, a wrong flag, a coordinate that is not below p, a point outside of the group.
        let infinity = match part.len() {
            48 => CurvePoint::<G1>::default().to_compressed(),
            _ => CurvePoint::<G2>::default().to_compressed(),
        };
        requests.push(changed(&good, part.start, &infinity));
        requests.push(changed(&good, part.start, &[good.proof[part.start] ^ 0x80]));
        requests.push(changed(&good, part.start, &[0x9f, 0xff]));
        for x in 0..if part.start == 48 { 4 } else { 1 } {
            let mut bytes = vec![0; part.len()];
            (bytes[0], bytes[part.len() - 1]) = (0x80, x);
            requests.push(changed(&good, part.start, &bytes));
        }
    }
    // The first error counts: the number of inputs, the length, A, B, C.
    let mut twice = changed(&changed(&good, 0, &[0xc0]), 48, &[0xc0, 1]);
    requests.push(twice.clone());
    twice.inputs.pop();
    requests.push(twice);
    let replies = agree::<VerifyProofOnGpu>(&place, VerifyProof::batch(&requests));
    assert!(replies[..valid].iter().all(Result::is_ok));
    assert!(replies[valid..].iter().all(Result::is_err));
    let wrong = |part, error| Rejection::Point { part, error };
    for wanted in [
        Rejection::Mismatch,
        Rejection::Length { got: 191 },
        Rejection::Inputs { expected: 2, got: 3 },
        wrong("A", PointError::Infinity),
        wrong("B", PointError::Infinity),
        wrong("C", PointError::Infinity),
        wrong("A", PointError::WrongSubgroup),
        wrong("B", PointError::NotOnCurve),
        wrong("C", PointError::NotCanonical { element: 0 }),
    ] {
        assert!(replies.contains(&Err(wanted.clone())), "{wanted:?}");
    }
}

#[test]
fn a_key_with_too_many_inputs_is_not_supported() {
    let Some(place) = place() else { return };
    let mut random = random(32);
    let mut key = known(&mut random, 1);
    let request = key.prove(&mut random, &[Fr::from(5)]);
    let point = multiple::<G1>(Fr::from(3)).to_uncompressed();
    let mut bytes = vec![
        point.clone(),
        point.clone(),
        multiple::<G2>(key.gamma).to_uncompressed(),
        multiple::<G2>(key.gamma).to_uncompressed(),
        point.clone(),
        multiple::<G2>(key.delta).to_uncompressed(),
        2049_u32.to_be_bytes().to_vec(),
    ];
    bytes.extend(std::iter::repeat_n(point, 2049));
    key.key = Arc::new(VerifyingKey::read(&bytes.concat()).unwrap());
    let large = ProofRequest { key: key.key, ..request.clone() };
    let refused = reasons::<VerifyProofOnGpu>(&place, VerifyProof::batch(&[request, large]));
    assert_eq!(refused.len(), 1);
    assert!(refused[0].0 == 1 && refused[0].1.contains("2047 public inputs"), "{refused:?}");
}
