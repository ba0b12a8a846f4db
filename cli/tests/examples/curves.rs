// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files for the BLS12-381 commands.

use std::fmt::Write as _;
use std::io::Read;

use halimede_bls12_381::{kzg, Curve, Fr, Point, G1, G2};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

const SETUP: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/kzg/trusted_setup.txt.gz");
const OPENING: &str = include_str!(
    "../../../engines/bls12_381/vectors/kzg/verify_kzg_proof/verify_kzg_proof_case_correct_proof_2_0.yaml"
);

fn scalar(rng: &mut ChaCha8Rng) -> Fr {
    Fr::from(rng.gen::<u64>() | 1) * Fr::from(rng.gen::<u64>() | 1)
}

fn point<C: Curve>(rng: &mut ChaCha8Rng) -> Point<C> {
    Point::generator().times(&scalar(rng))
}

fn lines(rng: &mut ChaCha8Rng, line: impl Fn(&mut ChaCha8Rng) -> String) -> Vec<u8> {
    (0..3).map(|_| line(rng) + "\n").collect::<String>().into()
}

/// Returns lines of signatures with keys of 48 bytes, in the proof of possession scheme.
pub fn attestations(rng: &mut ChaCha8Rng) -> Vec<u8> {
    lines(rng, |rng| {
        let secret = blst::min_pk::SecretKey::key_gen(&rng.gen::<[u8; 32]>(), &[]).unwrap();
        let message: [u8; 32] = rng.gen();
        let domain = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
        let signature = secret.sign(&message, domain, &[]).to_bytes();
        signed(&secret.sk_to_pk().to_bytes(), &message, &signature)
    })
}

fn signed(key: &[u8], message: &[u8], signature: &[u8]) -> String {
    let [key, message, signature] = [key, message, signature].map(hex::encode);
    format!("{{\"key\":\"{key}\",\"msg\":\"{message}\",\"sig\":\"{signature}\"}}")
}

/// Returns inputs of the pairing check.
pub fn calls(rng: &mut ChaCha8Rng) -> Vec<u8> {
    lines(rng, |rng| {
        let (p, q) = (point::<G1>(rng).to_uncompressed(), point::<G2>(rng).to_uncompressed());
        let mut text = String::new();
        let mut elements: Vec<&[u8]> = q.chunks(48).collect();
        elements.chunks_mut(2).for_each(<[_]>::reverse);
        for element in p.chunks(48).chain(elements) {
            write!(text, "{}{}", "0".repeat(32), hex::encode(element)).unwrap();
        }
        format!("{{\"input\":\"{text}\"}}")
    })
}

pub fn trusted_setup() -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(SETUP).read_to_end(&mut text).unwrap();
    text
}

/// Returns a published opening.
pub fn openings() -> Vec<u8> {
    let fields = OPENING.lines().filter_map(|line| line.trim().split_once(": '"));
    let fields: Vec<String> = fields
        .map(|(name, value)| format!("\"{name}\":\"{}\"", value.trim_matches('\'')))
        .collect();
    format!("{{{}}}\n", fields.join(",")).into()
}

/// Returns some cells of a blob, with their commitment and proofs.
pub fn cells() -> Vec<u8> {
    let text = String::from_utf8(trusted_setup()).unwrap();
    let setup = kzg::Setup::read(&text).unwrap();
    let blob: Vec<u8> = (0..kzg::BLOB_BYTES)
        .map(|at| if at % 32 == 0 { 0 } else { (at * at / 32 % 251) as u8 })
        .collect();
    let commitment = hex::encode(kzg::blob_to_kzg_commitment(&setup, &blob).unwrap());
    let (cells, proofs) = kzg::cells::compute_cells_and_kzg_proofs(&setup, &blob).unwrap();
    let line = |index: usize| {
        let (cell, proof) = (hex::encode(cells[index]), hex::encode(proofs[index]));
        format!(
            "{{\"commitment\":\"{commitment}\",\"index\":\"{index:02x}\",\"cell\":\"{cell}\",\
             \"proof\":\"{proof}\"}}\n"
        )
    };
    [0, 1, 64, 127].map(line).concat().into()
}

/// The trapdoor of a key: α, β, γ, δ, and the factors of its two terms.
const TRAPDOOR: [u64; 6] = [3, 5, 7, 11, 13, 17];

/// Returns a key for one input.
pub fn key() -> Vec<u8> {
    let one = |scalar: u64| Point::<G1>::generator().times(&scalar.into()).to_uncompressed();
    let two = |scalar: u64| Point::<G2>::generator().times(&scalar.into()).to_uncompressed();
    let [alpha, beta, gamma, delta, first, second] = TRAPDOOR;
    [
        one(alpha),
        one(beta),
        two(beta),
        two(gamma),
        one(delta),
        two(delta),
        vec![0, 0, 0, 2],
        one(first),
        one(second),
    ]
    .concat()
}

/// Returns proofs made with the trapdoor: ab = αβ + xγ + cδ.
pub fn proofs(rng: &mut ChaCha8Rng) -> Vec<u8> {
    lines(rng, |rng| {
        let [alpha, beta, gamma, delta, first, second] = TRAPDOOR.map(Fr::from);
        let (a, b, input) = (scalar(rng), scalar(rng), scalar(rng));
        let x = first + input * second;
        let c = (a * b - alpha * beta - x * gamma) * delta.inverse().unwrap();
        let proof = [
            Point::<G1>::generator().times(&a).to_compressed(),
            Point::<G2>::generator().times(&b).to_compressed(),
            Point::<G1>::generator().times(&c).to_compressed(),
        ];
        let (proof, input) = (hex::encode(proof.concat()), hex::encode(input.to_be_bytes()));
        format!("{{\"proof\":\"{proof}\",\"inputs\":[\"0x{input}\"]}}")
    })
}

/// Programs of the coprocessor.
pub const PAIRING_PROGRAM: &[u8] =
    include_bytes!("../../../engines/bls12_381/coprocessor/examples/two_pairings.s");
pub const LOOP_PROGRAM: &[u8] =
    include_bytes!("../../../engines/bls12_381/coprocessor/examples/loop.s");

/// Returns different points for the pairing program.
pub fn points_of_program() -> Vec<u8> {
    let p = hex::encode(Point::<G1>::generator().times(&Fr::from(5)).to_compressed());
    format!(r#"{{"slots": [{{"slot": 26, "kind": "FP_AF", "point": "{p}"}}]}}"#).into()
}
