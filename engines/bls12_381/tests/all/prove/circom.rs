// SPDX-License-Identifier: Apache-2.0 OR MIT
//! circom's files: those of `vectors/circom`, which circom and snarkjs wrote, and damaged ones.

use ::groth16::{generate_random_parameters, Parameters};
use bls12_381::Bls12;
use halimede_bls12_381::groth16::prove::circom::{
    read_constraints, read_witness, CircomError, CircomKey,
};
use halimede_bls12_381::groth16::prove::{
    ConstraintsError, PointChecks, ProveError, ProvingKey, ProvingKeyError,
};
use halimede_bls12_381::groth16::{verify, Proof, Rejection, VerifyingKey};
use halimede_bls12_381::{reduced, Curve, CurvePoint, Fr, G1, G2};
use num_bigint::BigUint;
use proptest::prelude::*;

const R1CS: &[u8] = include_bytes!("../../../vectors/circom/small.r1cs");
const WTNS: &[u8] = include_bytes!("../../../vectors/circom/small.wtns");
const ZKEY: &[u8] = include_bytes!("../../../vectors/circom/small.zkey");
const KEY: &str = include_str!("../../../vectors/circom/verification_key.json");
const PROOF: &str = include_str!("../../../vectors/circom/proof.json");
const PUBLIC: &str = include_str!("../../../vectors/circom/public.json");

/// Returns a decimal number as big-endian bytes.
fn decimal(value: &serde_json::Value, bytes: usize) -> Vec<u8> {
    let number: BigUint = value.as_str().unwrap().parse().unwrap();
    let number = number.to_bytes_be();
    [vec![0; bytes - number.len()], number].concat()
}

/// Encodes snarkjs' affine point [x, y, 1]; elements of Fp2 have their constant term first.
fn point<C: Curve>(value: &serde_json::Value) -> CurvePoint<C> {
    let coordinate = |value: &serde_json::Value| match value.as_array() {
        None => decimal(value, 48),
        Some(parts) => parts.iter().rev().flat_map(|part| decimal(part, 48)).collect(),
    };
    CurvePoint::from_uncompressed(&[coordinate(&value[0]), coordinate(&value[1])].concat()).unwrap()
}

/// Returns the verifying key that snarkjs exported. The points that only a prover needs are those
/// of other members, since no verifier reads them.
fn exported_key() -> VerifyingKey {
    let json: serde_json::Value = serde_json::from_str(KEY).unwrap();
    let g1 = |name: &str| point::<G1>(&json[name]).to_uncompressed();
    let g2 = |name: &str| point::<G2>(&json[name]).to_uncompressed();
    let terms = json["IC"].as_array().unwrap();
    let mut bytes = [
        g1("vk_alpha_1"),
        g1("vk_alpha_1"),
        g2("vk_beta_2"),
        g2("vk_gamma_2"),
        g1("vk_alpha_1"),
        g2("vk_delta_2"),
        (terms.len() as u32).to_be_bytes().to_vec(),
    ]
    .concat();
    for term in terms {
        bytes.extend(point::<G1>(term).to_uncompressed());
    }
    VerifyingKey::read(&bytes).unwrap()
}

fn public_inputs() -> Vec<Fr> {
    let json: serde_json::Value = serde_json::from_str(PUBLIC).unwrap();
    let values = json.as_array().unwrap();
    values.iter().map(|value| reduced(&decimal(value, 32).try_into().unwrap())).collect()
}

#[test]
fn a_proof_under_snarkjs_key_is_valid() {
    let key = CircomKey::read(ZKEY, PointChecks::Group).unwrap();
    assert_eq!(*key.key().verifying_key(), exported_key());
    let inputs = public_inputs();
    assert_eq!(inputs.len(), 2);
    for _ in 0..3 {
        let assignment = key.assign(&read_witness(WTNS).unwrap()).unwrap();
        assert_eq!(assignment.public_inputs(), inputs);
        let proof = key.key().prove(assignment).unwrap();
        assert_eq!(verify(&exported_key(), Proof { proof: &proof, inputs: &inputs }), Ok(()));
        let wrong = [inputs[0], inputs[1] + Fr::from(1)];
        let wrong = verify(&exported_key(), Proof { proof: &proof, inputs: &wrong });
        assert_eq!(wrong, Err(Rejection::Mismatch));
    }
    // The same key verifies snarkjs' own proof.
    let json: serde_json::Value = serde_json::from_str(PROOF).unwrap();
    let proof = [
        point::<G1>(&json["pi_a"]).to_compressed(),
        point::<G2>(&json["pi_b"]).to_compressed(),
        point::<G1>(&json["pi_c"]).to_compressed(),
    ]
    .concat();
    let proof = Proof { proof: &proof, inputs: &inputs };
    assert_eq!(verify(key.key().verifying_key(), proof), Ok(()));
}

#[test]
fn wrong_witnesses_have_no_proof() {
    let key = CircomKey::read(ZKEY, PointChecks::Curve).unwrap();
    let constraints = read_constraints(R1CS).unwrap();
    for variable in [1, 3, 4, 15, 25] {
        let mut witness = read_witness(WTNS).unwrap();
        witness[variable] += Fr::from(1);
        let refused = constraints.assign(&witness).map(drop);
        assert!(matches!(refused, Err(ProveError::Unsatisfied { .. })), "{variable}");
        let refused = key.key().prove(key.assign(&witness).unwrap());
        assert_eq!(refused, Err(ProveError::Invalid(Rejection::Mismatch)), "{variable}");
    }
    let mut longer = read_witness(WTNS).unwrap();
    longer.push(Fr::from(1));
    let shape = ProveError::Shape { name: "the witness", expected: 26, got: 27 };
    assert_eq!(key.assign(&longer).map(drop), Err(shape.clone()));
    assert_eq!(constraints.assign(&longer).map(drop), Err(shape));
}

/// circom's constraints under a key of bellman.
#[test]
fn the_constraints_are_provable_under_bellmans_key() {
    let constraints = read_constraints(R1CS).unwrap();
    assert_eq!((constraints.len(), constraints.inputs(), constraints.variables()), (23, 2, 26));
    let circuit = super::random::RandomCircuit::of_r1cs(R1CS, &read_witness(WTNS).unwrap());
    assert_eq!(circuit.constraints(), constraints);
    let parameters: Parameters<Bls12> = generate_random_parameters(
        circuit.shape(),
        &mut crate::common::factors::PeerRng(crate::common::generator()),
    )
    .unwrap();
    let mut key = Vec::new();
    parameters.write(&mut key).unwrap();
    let key = ProvingKey::read(&key, PointChecks::Group).unwrap();
    let assignment = constraints.assign(&read_witness(WTNS).unwrap()).unwrap();
    let proof = key.prove(assignment).unwrap();
    let proof = Proof { proof: &proof, inputs: &public_inputs() };
    assert_eq!(verify(key.verifying_key(), proof), Ok(()));
}

/// Returns the errors of a file of any kind.
fn errors(bytes: &[u8]) -> [Option<CircomError>; 3] {
    [
        read_constraints(bytes).err(),
        read_witness(bytes).err(),
        CircomKey::read(bytes, PointChecks::Curve).err(),
    ]
}

#[test]
fn other_files_are_refused() {
    for (kind, bytes) in [R1CS, WTNS, ZKEY].into_iter().enumerate() {
        for (other, error) in errors(bytes).into_iter().enumerate() {
            assert_eq!(error.is_none(), kind == other, "{error:?}");
        }
        for length in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
            let error = errors(&bytes[..length])[kind].clone();
            assert!(matches!(error, Some(CircomError::Truncated { .. })), "{length}: {error:?}");
        }
        let longer = errors(&[bytes, &[0]].concat())[kind].clone();
        assert!(matches!(longer, Some(CircomError::Surplus { section: 0, got: 1, .. })));
        let mut version = bytes.to_vec();
        version[4] = 9;
        let error = errors(&version)[kind].clone();
        assert!(matches!(error, Some(CircomError::Version { got: 9, .. })));
        let mut sections = bytes.to_vec();
        sections[8] = 0xff;
        let error = errors(&sections)[kind].clone();
        assert!(matches!(error, Some(CircomError::Sections { got: 0xff, .. })));
        // The letter of the first section's type, which then is missing or there twice.
        let mut without = bytes.to_vec();
        without[12] = 77;
        let error = errors(&without)[kind].clone();
        assert!(matches!(error, Some(CircomError::Missing { .. })));
    }
}

/// The place of r in a file.
fn place_of(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

#[test]
fn files_over_other_fields_and_large_scalars_are_refused() {
    let r: Vec<u8> = {
        let mut bytes = (-Fr::from(1)).to_le_bytes();
        bytes[0] += 1; // r ends in 01
        bytes.to_vec()
    };
    for (kind, bytes) in [R1CS, WTNS, ZKEY].into_iter().enumerate() {
        let mut other = bytes.to_vec();
        other[place_of(bytes, &r) + 3] ^= 1;
        let error = errors(&other)[kind].clone();
        assert!(matches!(error, Some(CircomError::Prime { .. })), "{error:?}");
    }
    let mut large = WTNS.to_vec();
    let place = WTNS.len() - 32;
    large[place..].copy_from_slice(&r);
    assert_eq!(errors(&large)[1], Some(CircomError::Scalar { kind: "wtns", section: 2 }));
    let mut row = R1CS.to_vec();
    let one = Fr::from(1).to_le_bytes();
    let place = place_of(R1CS, &one);
    row[place..place + 32].fill(0xff);
    assert_eq!(errors(&row)[0], Some(CircomError::Scalar { kind: "r1cs", section: 2 }));
    let mut wire = R1CS.to_vec();
    wire[place - 1] = 0xff;
    let error = errors(&wire)[0].clone();
    assert!(matches!(error, Some(CircomError::Constraints(ConstraintsError::Variable { .. }))));
}

#[test]
fn points_of_a_key_are_checked() {
    let key = CircomKey::read(ZKEY, PointChecks::Group).unwrap();
    assert_eq!(key.key().domain_size(), 32);
    let mut refused = 0;
    for place in (700..ZKEY.len() - 600).step_by(97) {
        let mut changed = ZKEY.to_vec();
        changed[place] ^= 4;
        // Other changes are in an entry of A or B, or in a length.
        let error = CircomKey::read(&changed, PointChecks::Curve).err();
        refused +=
            usize::from(matches!(error, Some(CircomError::Key(ProvingKeyError::Point { .. }))));
    }
    assert!(refused > 100, "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mutated_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        for bytes in [R1CS, WTNS, ZKEY] {
            let mut bytes = bytes.to_vec();
            for (place, byte) in &changes {
                // Half of the changes are in the headers.
                let limit = if byte % 2 == 0 { bytes.len() } else { 300 };
                let place = place.index(limit);
                bytes[place] = *byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            let [constraints, _, _] = errors(&bytes);
            let witness = read_witness(WTNS).unwrap();
            if constraints.is_none() {
                let _ = read_constraints(&bytes).unwrap().assign(&witness);
            }
            if let Ok(key) = CircomKey::read(&bytes, PointChecks::Curve) {
                let _ = key.assign(&witness);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused(
        magic in prop::sample::select(vec!["r1cs", "wtns", "zkey", ""]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [magic.as_bytes(), &rest].concat();
        for error in errors(&bytes) {
            prop_assert!(error.is_some());
        }
    }
}
