// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cases of the curves as `curves.c` reads them: published ones and signatures made here, each with
//! the engine's own answer.
//!
//! A batch is a line "KIND A B ROWS" and as many lines of words: the expected verdict, and the
//! columns in hexadecimal digits, "-" for no bytes.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::GzDecoder;
use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::groth16::VerifyingKey;
use halimede_bls12_381::hash::{encode_to_curve, hash_to_curve, map_to_curve};
use halimede_bls12_381::kzg::{Opening, Setup};
use halimede_bls12_381::pairing::pairing_product;
use halimede_bls12_381::signature::{
    aggregate, verify_aggregates, verify_batch, verify_possessions, Aggregate, Group, Scheme,
    Signed, Suite,
};
use halimede_bls12_381::{reduced, sum_of_products, Curve, Fr, Point, G1, G2};
use halimede_device::flat::groth16::ProofRow;
use halimede_device::flat::{groth16, kzg, Outcome, Verdict};
use halimede_device::Device;
use halimede_secp256k1::recovery::{recover, Numbering, Rules};
use halimede_secp256k1::schnorr;

use crate::common::folder;

/// Files that the cases name, and the cases.
pub struct Cases {
    pub text: String,
    pub batches: usize,
}

impl Cases {
    fn batch(&mut self, kind: &str, numbers: [usize; 2], rows: &[(Outcome, Vec<&[u8]>)]) {
        let [a, b] = numbers;
        writeln!(self.text, "{kind} {a} {b} {}", rows.len()).unwrap();
        for (outcome, columns) in rows {
            let words: Vec<String> = columns.iter().map(|column| word(column)).collect();
            writeln!(self.text, "{} {}", *outcome as u8, words.join(" ")).unwrap();
        }
        self.batches += 1;
    }
}

fn word(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".into(),
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// All cases; the setup and the verifying key are written to these paths.
pub fn cases(setup: &Path, key: &Path) -> Cases {
    let mut cases = Cases { text: String::new(), batches: 0 };
    let text = text_of(&vectors().join("kzg/trusted_setup.txt.gz"));
    std::fs::write(setup, &text).unwrap();
    schnorr_signatures(&mut cases);
    recovered_keys(&mut cases);
    signatures(&mut cases);
    openings(&mut cases, &Setup::read(&text).unwrap());
    proofs(&mut cases, key);
    points::<G1>(&mut cases, 0);
    points::<G2>(&mut cases, 1);
    pairings(&mut cases);
    precompiles(&mut cases);
    cases
}

fn vectors() -> PathBuf {
    folder().join("../engines/bls12_381/vectors")
}

fn text_of(path: &Path) -> String {
    let (bytes, mut text) = (std::fs::read(path).unwrap(), String::new());
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        false => (&bytes[..]).read_to_string(&mut text).unwrap(),
    };
    text
}

fn schnorr_signatures(cases: &mut Cases) {
    let path = folder().join("../engines/secp256k1/vectors/bip340.csv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut rows: Vec<[Vec<u8>; 3]> = table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.splitn(8, ',').collect();
            [2, 4, 5].map(|field: usize| bytes(fields[field]))
        })
        .collect();
    rows.push([vec![7; 31], vec![], vec![9; 64]]);
    rows.push([rows[1][0].clone(), rows[1][1].clone(), rows[1][2][1..].to_vec()]);
    let rows: Vec<_> = rows
        .iter()
        .map(|[key, message, signature]| {
            let found = schnorr::verify(schnorr::Signed { key, message, signature });
            let outcome = found.err().map_or(Outcome::Valid, |why| Outcome::from(&why));
            (outcome, vec![&key[..], message, signature])
        })
        .collect();
    cases.batch("schnorr", [0, 0], &rows);
}

/// Keys of signatures whose numbers are arbitrary, and of ones that have none.
fn recovered_keys(cases: &mut Cases) {
    for (ethereum, low_s) in [(0, 0), (1, 1)] {
        let numbering = if ethereum == 1 { Numbering::Ethereum } else { Numbering::Plain };
        let rules = Rules { numbering, low_s: low_s == 1 };
        let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..60u8)
            .map(|row| {
                let mut signature: Vec<u8> =
                    (0..65u8).map(|place| place.wrapping_mul(29) ^ row.wrapping_mul(83)).collect();
                signature[64] = [0, 1, 27, 28, 2, 9][usize::from(row % 6)];
                match row {
                    50 => signature[..32].fill(0),
                    51 => signature[32..64].fill(0xff),
                    52 => signature.truncate(64),
                    _ => {}
                }
                (vec![row ^ 0x5a; 1 + usize::from(row)], signature)
            })
            .collect();
        let found: Vec<_> = rows
            .iter()
            .map(|(digest, signature)| match recover(rules, digest, signature) {
                Ok(key) => (Outcome::Valid, key.0.to_vec(), key.address().to_vec()),
                Err(why) => (Outcome::from(&why), vec![], vec![]),
            })
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .zip(&found)
            .map(|((digest, signature), (outcome, key, address))| {
                (*outcome, vec![&digest[..], signature, key, address])
            })
            .collect();
        assert!(rows.iter().any(|row| row.0 == Outcome::Valid));
        cases.batch("recover", [ethereum, low_s], &rows);
    }
}

fn outcome<E>(found: &Result<(), E>) -> Outcome
where
    for<'e> Outcome: From<&'e E>,
{
    found.as_ref().map_or_else(Outcome::from, |()| Outcome::Valid)
}

/// A secret key's public key, and its signatures.
struct Signer {
    secret: Fr,
    group: Group,
}

impl Signer {
    fn key(&self) -> Vec<u8> {
        match self.group {
            Group::MinPk => Point::<G1>::generator().times(&self.secret).to_compressed(),
            Group::MinSig => Point::<G2>::generator().times(&self.secret).to_compressed(),
        }
    }

    fn sign(&self, suite: Suite, message: &[u8]) -> Vec<u8> {
        let prefix = if suite.scheme == Scheme::Augmented { self.key() } else { vec![] };
        self.sign_in(suite.domain(), &[&prefix[..], message].concat())
    }

    fn sign_in(&self, domain: &[u8], message: &[u8]) -> Vec<u8> {
        fn multiple<C: Curve>(secret: &Fr, domain: &[u8], message: &[u8]) -> Vec<u8> {
            hash_to_curve::<C>(domain, message).unwrap().times(secret).to_compressed()
        }
        match self.group {
            Group::MinPk => multiple::<G2>(&self.secret, domain, message),
            Group::MinSig => multiple::<G1>(&self.secret, domain, message),
        }
    }
}

fn signatures(cases: &mut Cases) {
    for (number, suite) in Suite::ALL.into_iter().enumerate() {
        let group = number / 3;
        // As the header numbers them: 0, which zeroed memory has, is the default.
        let scheme = match suite.scheme {
            Scheme::ProofOfPossession => 0,
            Scheme::Basic => 1,
            Scheme::Augmented => 2,
        };
        assert_eq!((group, scheme) == (0, 0), suite == Suite::default());
        let signers: Vec<Signer> =
            (3..7).map(|secret| Signer { secret: Fr::from(secret), group: suite.group }).collect();
        let mut rows: Vec<[Vec<u8>; 3]> = (0..12u8)
            .map(|row| {
                let (signer, message) = (&signers[usize::from(row % 4)], vec![row; row.into()]);
                [signer.key(), message.clone(), signer.sign(suite, &message)]
            })
            .collect();
        rows[2][1].push(9);
        rows[5][2] = rows[6][2].clone();
        rows[7][0].pop();
        rows[8][2][0] &= 0x7f;
        rows[9][0] = vec![0; rows[9][0].len()];
        rows[9][0][0] = 0xc0;
        let signed: Vec<Signed<'_>> = rows
            .iter()
            .map(|[key, message, signature]| Signed { key, message, signature })
            .collect();
        let found = verify_batch(suite, &signed);
        let checked: Vec<_> = rows
            .iter()
            .zip(&found)
            .map(|([key, message, signature], found)| {
                (outcome(found), vec![&key[..], message, signature])
            })
            .collect();
        cases.batch("bls", [group, scheme], &checked);
        aggregates(cases, suite, [group, scheme], &signers);
    }
}

fn aggregates(cases: &mut Cases, suite: Suite, numbers: [usize; 2], signers: &[Signer]) {
    let keys: Vec<Vec<u8>> = signers.iter().map(Signer::key).collect();
    let messages: Vec<[u8; 2]> = (0..4).map(|number| [number, 7]).collect();
    let made: Vec<Vec<u8>> = signers
        .iter()
        .zip(&messages)
        .map(|(signer, message)| signer.sign(suite, message))
        .collect();
    let slices: Vec<&[u8]> = made.iter().map(Vec::as_slice).collect();
    let sum = aggregate(suite.group, &slices).unwrap();
    cases.batch("aggregate", numbers, &[(Outcome::Valid, vec![&made.concat(), &sum])]);
    let (keys_joined, messages_joined) = (keys.concat(), messages.concat());
    let swapped: Vec<u8> = messages.iter().rev().flatten().copied().collect();
    let equal = [messages[0]; 4].concat();
    let of_equal: Vec<Vec<u8>> =
        signers.iter().map(|signer| signer.sign(suite, &messages[0])).collect();
    let slices: Vec<&[u8]> = of_equal.iter().map(Vec::as_slice).collect();
    let sum_of_equal = aggregate(suite.group, &slices).unwrap();
    let of_equal_messages = match suite.scheme {
        Scheme::Basic => Outcome::EqualMessages,
        _ => Outcome::Valid,
    };
    let rows = [
        (Outcome::Valid, vec![&keys_joined[..], &messages_joined, &sum]),
        (Outcome::Mismatch, vec![&keys_joined, &swapped, &sum]),
        (of_equal_messages, vec![&keys_joined, &equal, &sum_of_equal]),
        (Outcome::Keys, vec![&[], &[], &sum]),
        (Outcome::Signature, vec![&keys_joined, &messages_joined, &sum[1..]]),
    ];
    cases.batch("aggregate-verify", numbers, &rows);
    if suite.scheme != Scheme::ProofOfPossession {
        return;
    }
    let size = keys[0].len();
    let message = &messages[0][..];
    let lists = [&keys_joined[..], &keys_joined[size..], &[], &keys_joined];
    let of_rows = [message, message, message, &messages[1]];
    let cuts: Vec<Vec<&[u8]>> = lists.iter().map(|list| list.chunks(size).collect()).collect();
    let rows: Vec<Aggregate<'_>> = cuts
        .iter()
        .zip(of_rows)
        .map(|(keys, message)| Aggregate { keys, message, signature: &sum_of_equal })
        .collect();
    let found = verify_aggregates(suite.group, &rows);
    let rows: Vec<_> = lists
        .iter()
        .zip(of_rows)
        .zip(&found)
        .map(|((keys, message), found)| (outcome(found), vec![*keys, message, &sum_of_equal]))
        .collect();
    assert_eq!(rows[0].0, Outcome::Valid);
    cases.batch("aggregates", numbers, &rows);
    let mut proofs: Vec<Vec<u8>> = signers
        .iter()
        .map(|signer| signer.sign_in(suite.group.possession_domain(), &signer.key()))
        .collect();
    proofs.swap(0, 1);
    let (key_slices, proof_slices): (Vec<&[u8]>, Vec<&[u8]>) =
        keys.iter().map(Vec::as_slice).zip(proofs.iter().map(Vec::as_slice)).unzip();
    let found = verify_possessions(suite.group, &key_slices, &proof_slices);
    let rows: Vec<_> = keys
        .iter()
        .zip(&proofs)
        .zip(&found)
        .map(|((key, proof), found)| (outcome(found), vec![&key[..], proof]))
        .collect();
    assert_eq!(rows[2].0, Outcome::Valid);
    cases.batch("possessions", numbers, &rows);
}

/// Published cases by their folder, each a list of byte strings of these names.
fn published(kind: &str, names: &[&str]) -> Vec<(Vec<Vec<u8>>, String)> {
    let entries = std::fs::read_dir(vectors().join("kzg").join(kind)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let case = |path: &PathBuf| {
        let text = text_of(path);
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
            line.unwrap().trim_start_matches(':').trim().trim_matches('\'').to_owned()
        };
        let column = |name: &&str| bytes(value(&format!("{name}:")).trim_start_matches("0x"));
        (names.iter().map(column).collect(), value("output:"))
    };
    paths.iter().map(case).collect()
}

fn openings(cases: &mut Cases, setup: &Setup) {
    let cpu = Device::cpu();
    let mut add = |kind: &str, published: Vec<(Vec<Vec<u8>>, String)>| {
        let rows: Vec<Opening<'_>> = published
            .iter()
            .map(|(columns, _)| match &columns[..] {
                [commitment, z, y, proof] => Opening::Value { commitment, z, y, proof },
                [blob, commitment, proof] => Opening::Blob { blob, commitment, proof },
                _ => unreachable!(),
            })
            .collect();
        let found = kzg::verify(&cpu, setup, &rows).unwrap();
        for (verdict, (_, output)) in found.iter().zip(&published) {
            let expected = match Outcome::of(verdict) {
                Outcome::Valid => "true",
                Outcome::Mismatch => "false",
                _ => "null",
            };
            assert_eq!(output, expected);
        }
        let rows: Vec<_> = published
            .iter()
            .zip(&found)
            .map(|((columns, _), found)| {
                (Outcome::of(found), columns.iter().map(Vec::as_slice).collect())
            })
            .collect();
        cases.batch(kind, [0, 0], &rows);
    };
    add("kzg", published("verify_kzg_proof", &["commitment", "z", "y", "proof"]));
    add("blobs", published("verify_blob_kzg_proof", &["blob", "commitment", "proof"]));
}

/// A key whose secrets are known, so that proofs of any inputs can be made.
fn proofs(cases: &mut Cases, path: &Path) {
    let [alpha, beta, gamma, delta] = [3, 5, 7, 11].map(Fr::from);
    let terms = [13, 17, 19].map(Fr::from);
    let (g1, g2) = (Point::<G1>::generator(), Point::<G2>::generator());
    let in_g1 = |number: &Fr| g1.times(number).to_uncompressed();
    let in_g2 = |number: &Fr| g2.times(number).to_uncompressed();
    let mut key = [in_g1(&alpha), in_g1(&beta), in_g2(&beta), in_g2(&gamma)].concat();
    key.extend([in_g1(&delta), in_g2(&delta), vec![0, 0, 0, 3]].concat());
    key.extend(terms.iter().flat_map(in_g1));
    std::fs::write(path, &key).unwrap();
    let key = Arc::new(VerifyingKey::read(&key).unwrap());
    let prove = |number: u64| {
        let inputs = [number, number * number].map(Fr::from);
        let (a, b) = (Fr::from(number + 2), Fr::from(number + 23));
        let x = terms[0] + terms[1] * inputs[0] + terms[2] * inputs[1];
        let c = (a * b - alpha * beta - x * gamma) * delta.inverse().unwrap();
        let proof = [g1.times(&a).to_compressed(), g2.times(&b).to_compressed()].concat();
        let inputs: Vec<u8> = inputs.iter().flat_map(Fr::to_be_bytes).collect();
        ([proof, g1.times(&c).to_compressed()].concat(), inputs)
    };
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = (1..9).map(prove).collect();
    rows[1].1[31] ^= 1;
    rows[2].0.pop();
    rows[3].0[144..].fill(0);
    rows[4].1.truncate(32);
    rows[5].1[..32].fill(0xff);
    rows[6].1.pop();
    let as_rows: Vec<_> = rows.iter().map(|(proof, inputs)| ProofRow { proof, inputs }).collect();
    let found: Vec<Verdict> = groth16::verify(&Device::cpu(), &key, &as_rows).unwrap();
    let outcomes: Vec<Outcome> = found.iter().map(Outcome::of).collect();
    use Outcome::{Inputs, Mismatch, Proof, Valid};
    assert_eq!(outcomes, [Valid, Mismatch, Proof, Proof, Inputs, Inputs, Inputs, Valid]);
    let rows: Vec<_> = rows
        .iter()
        .zip(outcomes)
        .map(|((proof, inputs), outcome)| (outcome, vec![&proof[..], inputs]))
        .collect();
    cases.batch("groth16", [2, 0], &rows);
}

fn points<C: Curve>(cases: &mut Cases, curve: usize) {
    let domain = b"EXAMPLE-V01";
    for encode in [0, 1] {
        let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..5u8)
            .map(|row| {
                let message = vec![row; usize::from(row) * 40];
                let point = match encode {
                    0 => hash_to_curve::<C>(domain, &message),
                    _ => encode_to_curve::<C>(domain, &message),
                };
                (message, point.unwrap().to_compressed())
            })
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(message, point)| (Outcome::Valid, vec![&domain[..], message, point]))
            .collect();
        cases.batch("hash", [curve, encode], &rows);
    }
    let element = [vec![0; 47], vec![5], vec![0; 48 * (C::DEGREE - 1)]].concat();
    let mapped = map_to_curve::<C>(&element).unwrap().to_compressed();
    cases.batch("map", [curve, 0], &[(Outcome::Valid, vec![&element, &mapped])]);
    let points: Vec<Point<C>> =
        (1..=20).map(|number| Point::generator().times(&Fr::from(number))).collect();
    let joined: Vec<u8> = points.iter().flat_map(|point| point.to_compressed()).collect();
    let numbers: Vec<[u8; 32]> = (0..20u8).map(|row| [row.wrapping_mul(37); 32]).collect();
    let scalars: Vec<Fr> = numbers.iter().map(reduced).collect();
    let multiples = sum_of_products(&points, &scalars).to_compressed();
    let sum = Point::<C>::generator().times(&Fr::from(210)).to_compressed();
    let infinity = Point::<C>::default().to_compressed();
    let rows = [
        (Outcome::Valid, vec![&joined[..], numbers.as_flattened(), &multiples]),
        (Outcome::Valid, vec![&joined, &[], &sum]),
        (Outcome::Valid, vec![&[], &[], &infinity]),
    ];
    cases.batch("sum", [curve, 0], &rows);
}

fn pairings(cases: &mut Cases) {
    let (g1, g2) = (Point::<G1>::generator(), Point::<G2>::generator());
    let pair = |a: u64, b: u64| (g1.times(&Fr::from(a)), g2.times(&Fr::from(b)));
    let inverse = (g1.times(&-Fr::from(6)), g2);
    for (pairs, is_one) in
        [(vec![], 1), (vec![pair(2, 3)], 0), (vec![pair(2, 3), inverse], 1), (vec![inverse], 0)]
    {
        let product = pairing_product(&pairs);
        let in_g1: Vec<u8> = pairs.iter().flat_map(|(p, _)| p.to_compressed()).collect();
        let in_g2: Vec<u8> = pairs.iter().flat_map(|(_, q)| q.to_compressed()).collect();
        let row = (Outcome::Valid, vec![&in_g1[..], &in_g2, &product]);
        cases.batch("pairing", [is_one, 0], &[row]);
    }
}

fn precompiles(cases: &mut Cases) {
    let element = |number: u8| [vec![0; 63], vec![number]].concat();
    let g1 = Precompile::MapFpToG1.run(&element(7)).unwrap();
    let g2 = Precompile::MapFp2ToG2.run(&[element(7), element(8)].concat()).unwrap();
    let number = vec![0x35; 32];
    let inputs = [
        vec![g1.repeat(2), g1.clone(), vec![]],
        vec![[&g1[..], &number].concat(), g1.clone(), vec![]],
        vec![g2.repeat(2), vec![1; 512]],
        vec![[&g2[..], &number].concat().repeat(3), vec![]],
        vec![[&g1[..], &g2].concat(), vec![0; 384], vec![]],
        vec![element(9), vec![0xff; 64], vec![]],
        vec![element(9).repeat(2), element(9)],
    ];
    for (place, (precompile, inputs)) in Precompile::ALL.into_iter().zip(&inputs).enumerate() {
        let outputs: Vec<_> = inputs.iter().map(|input| precompile.run(input)).collect();
        let rows: Vec<_> = inputs
            .iter()
            .zip(&outputs)
            .map(|(input, output)| {
                (Outcome::Valid, vec![&input[..], output.as_deref().unwrap_or_default()])
            })
            .collect();
        assert!(!rows[0].1[1].is_empty() && rows[rows.len() - 1].1[1].is_empty());
        cases.batch("eip2537", [place, 0], &rows);
    }
}
