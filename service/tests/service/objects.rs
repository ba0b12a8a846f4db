// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Uploaded objects, and the operations that refer to them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use halimede_arith::Fr;
use halimede_blake3::blake3;
use halimede_bls12_381::{Point, G1, G2};
use halimede_ckks::circuit::text::{expression_of, parse};
use halimede_ckks::circuit::Input;
use halimede_ckks::{Bound, Ciphertext, Client as Owner, Operations, Parameters, Plan};
use halimede_service::{Client, ClientError, Options, Running};
use serde_json::{json, Value};

use crate::common::{client, options, start};

const SETUP: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/kzg/trusted_setup.txt.gz");
const OPENING: &str = include_str!(
    "../../../engines/bls12_381/vectors/kzg/verify_kzg_proof/verify_kzg_proof_case_correct_proof_2_0.yaml"
);
const OCTETS: &str = "application/octet-stream";

fn store(folder: &Path) -> Options {
    Options { store: Some(folder.to_owned()), ..options() }
}

fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

fn put(client: &Client, hash: &str, query: &str, piece: &[u8]) -> (u16, Value) {
    let path = format!("/v1/objects/{hash}?{query}");
    let answer = client.send("PUT", &path, OCTETS, piece).unwrap();
    (answer.status, answer.json().unwrap())
}

fn code(error: ClientError) -> String {
    match error {
        ClientError::Refused { code, .. } => code,
        other => panic!("{other}"),
    }
}

/// Returns a Groth16 key for one input, made from these factors.
const TRAPDOOR: [u64; 6] = [3, 5, 7, 11, 13, 17];

pub fn groth16_key() -> Vec<u8> {
    let one = |scalar: u64| Point::<G1>::generator().times(&scalar.into()).to_uncompressed();
    let two = |scalar: u64| Point::<G2>::generator().times(&scalar.into()).to_uncompressed();
    let [alpha, beta, gamma, delta, first, second] = TRAPDOOR;
    let (alpha, beta1, beta2, gamma) = (one(alpha), one(beta), two(beta), two(gamma));
    let (delta1, delta2, count) = (one(delta), two(delta), vec![0, 0, 0, 2]);
    [alpha, beta1, beta2, gamma, delta1, delta2, count, one(first), one(second)].concat()
}

/// Returns a proof for an input, made with the factors: ab = αβ + xγ + cδ.
fn groth16_proof(a: u64, b: u64, input: u64) -> Value {
    let [alpha, beta, gamma, delta, first, second] = TRAPDOOR.map(Fr::from);
    let (a, b, input) = (Fr::from(a), Fr::from(b), Fr::from(input));
    let x = first + input * second;
    let c = (a * b - alpha * beta - x * gamma) * delta.inverse().unwrap();
    let proof = [
        Point::<G1>::generator().times(&a).to_compressed(),
        Point::<G2>::generator().times(&b).to_compressed(),
        Point::<G1>::generator().times(&c).to_compressed(),
    ];
    json!({ "proof": hex::encode(proof.concat()), "inputs": [input.to_string()] })
}

#[test]
fn proofs_and_openings_are_checked_under_uploaded_keys() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&store(folder.path()));
    let client = client(&server);
    let key = client.upload("groth16-key", &groth16_key()).unwrap();
    let path = format!("/v1/groth16/verify?key={key}");
    let mut wrong = groth16_proof(101, 103, 107);
    wrong["inputs"][0] = "0x6c".into();
    let many = ["0x1", "0x2"];
    let items = [
        groth16_proof(101, 103, 107),
        wrong,
        json!({ "proof": "00", "inputs": ["0x1"] }),
        json!({ "proof": groth16_proof(5, 6, 7)["proof"], "inputs": many }),
        groth16_proof(1 << 40, 12_345, 99),
    ];
    let answers = client.call(&path, &items).unwrap();
    let verdicts: Vec<_> = answers.iter().map(|answer| answer["valid"].as_bool()).collect();
    assert_eq!(verdicts, [true, false, false, false, true].map(Some), "{answers:?}");

    let mut setup = Vec::new();
    flate2::read::GzDecoder::new(SETUP).read_to_end(&mut setup).unwrap();
    let setup = client.upload("kzg-setup", &setup).unwrap();
    let fields = OPENING.lines().filter_map(|line| line.trim().split_once(": '"));
    let good: Value = fields
        .map(|(name, value)| (name.to_owned(), Value::from(value.trim_matches('\''))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut wrong = good.clone();
    wrong["y"] = format!("{:064x}", 7).into();
    let path = format!("/v1/kzg/verify-proof?setup={setup}");
    let answers = client.call(&path, &[good.clone(), wrong, good]).unwrap();
    assert_eq!(answers[1]["valid"], false);
    assert_eq!([&answers[0]["valid"], &answers[2]["valid"]], [true, true], "{answers:?}");
    // An object has only one kind.
    let other = format!("/v1/kzg/verify-proof?setup={key}");
    assert_eq!(code(client.call(&other, &[]).unwrap_err()), "object");
    assert_eq!(client.send("DELETE", &format!("/v1/objects/{key}"), "", &[]).unwrap().status, 204);
    let path = format!("/v1/groth16/verify?key={key}");
    assert_eq!(code(client.call(&path, &items).unwrap_err()), "object");
}

/// A client may remove an object while another one's operation is about to read its file.
#[test]
fn an_object_that_is_removed_before_it_is_read_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&store(folder.path()));
    let client = client(&server);
    let keys = setting().keys;
    for (kind, content, path) in [
        ("groth16-key", groth16_key(), "/v1/groth16/verify?key="),
        ("ckks-keys", keys, "/v1/ckks/evaluate?expression=x&keys="),
    ] {
        let name = client.upload(kind, &content).unwrap();
        std::fs::remove_file(folder.path().join(format!("objects/{name}.{kind}"))).unwrap();
        let refused = client.call(&format!("{path}{name}"), &[]).unwrap_err();
        assert_eq!(code(refused), "object", "{kind}");
        let removed = client.send("DELETE", &format!("/v1/objects/{name}"), "", &[]).unwrap();
        assert_eq!(removed.status, 204, "{kind}");
    }
}

#[test]
fn uploads_go_on_where_they_ended_also_in_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let content = groth16_key();
    let (name, bytes) = (hash(&content), content.len());
    let piece = |client: &Client, from: usize, to: usize| {
        let query = format!("kind=groth16-key&bytes={bytes}&offset={from}");
        put(client, &name, &query, &content[from..to])
    };
    let first = start(&store(folder.path()));
    let before = client(&first);
    assert_eq!(before.send("GET", &format!("/v1/objects/{name}"), "", &[]).unwrap().status, 404);
    assert_eq!(piece(&before, 100, 200).0, 409);
    assert_eq!(piece(&before, 0, 100), (202, standing(&name, bytes, 100)));
    assert_eq!(piece(&before, 100, 307).0, 202);
    assert_eq!(piece(&before, 100, 307).0, 409);
    assert_eq!(piece(&before, 308, 400).0, 409);
    let other = format!("kind=groth16-key&bytes={}&offset=307", bytes - 1);
    assert_eq!(put(&before, &name, &other, &content[307..320]).0, 409);
    drop(before);
    assert!(first.end());
    let second = start(&store(folder.path()));
    let after = client(&second);
    let found = after.send("GET", &format!("/v1/objects/{name}"), "", &[]).unwrap();
    assert_eq!(found.json().unwrap(), standing(&name, bytes, 307));
    // An incomplete object cannot be used.
    let path = format!("/v1/groth16/verify?key={name}");
    assert_eq!(code(after.call(&path, &[]).unwrap_err()), "object");
    assert_eq!(after.upload("groth16-key", &content).unwrap(), name);
    let list = after.send("GET", "/v1/objects", "", &[]).unwrap().json().unwrap();
    assert_eq!(list["bytes"], bytes);
    assert_eq!(list["objects"], json!([standing(&name, bytes, bytes)]));
    let again = piece(&after, 0, 10);
    assert_eq!(again, (201, standing(&name, bytes, bytes)));
    drop(after);
    assert!(second.end());
    let third = start(&store(folder.path()));
    let answers = client(&third).call(&path, &[groth16_proof(8, 9, 10)]).unwrap();
    assert_eq!(answers[0]["valid"], true);
    let uploads = std::fs::read_dir(folder.path().join("uploads")).unwrap();
    assert_eq!(uploads.count(), 0);
}

fn standing(name: &str, bytes: usize, received: usize) -> Value {
    json!({
        "hash": name, "kind": "groth16-key", "bytes": bytes, "received": received,
        "complete": bytes == received,
    })
}

#[test]
fn what_is_not_as_it_says_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&Options { quota_bytes: 5_000, ..store(folder.path()) });
    let client = client(&server);
    let key = groth16_key();
    let bytes = key.len();
    let query = format!("kind=groth16-key&bytes={bytes}");
    // Bytes with a different hash, then bytes that are not a key.
    let (status, answer) = put(&client, &hash(b"other"), &query, &key);
    assert_eq!((status, answer["error"]["code"].as_str()), (422, Some("content")));
    let mut damaged = key.clone();
    damaged[40] ^= 1;
    assert_eq!(put(&client, &hash(&damaged), &query, &damaged).0, 422);
    let no_file = put(&client, &hash(&key), &format!("kind=ckks-keys&bytes={bytes}"), &key);
    assert_eq!(no_file.0, 422);
    // More bytes than announced, and more than the quota.
    assert_eq!(
        put(&client, &hash(&key), &format!("kind=groth16-key&bytes={}", bytes - 1), &key).0,
        409
    );
    let (status, answer) = put(&client, &hash(b"large"), "kind=kzg-setup&bytes=5001", b"4096\n");
    assert_eq!((status, answer["error"]["code"].as_str()), (507, Some("quota")));
    for query in ["kind=other&bytes=5", "bytes=5", "kind=kzg-setup", "kind=kzg-setup&bytes=0"] {
        assert_eq!(put(&client, &hash(&key), query, &key).0, 400, "{query}");
    }
    assert_eq!(put(&client, "abc", &query, &key).0, 404);
    let path = format!("/v1/objects/{}?{query}", hash(&key));
    assert_eq!(client.send("PUT", &path, "text/plain", &key).unwrap().status, 415);
    for (name, ..) in [(hash(&key), 0), (hash(&damaged), 0)] {
        client.send("DELETE", &format!("/v1/objects/{name}"), "", &[]).unwrap();
    }
    let list = client.send("GET", "/v1/objects", "", &[]).unwrap().json().unwrap();
    assert_eq!(list["objects"], json!([]));
    assert_eq!(files(folder.path()), 0);
    // With room in the quota again, the key is accepted.
    assert_eq!(client.upload("groth16-key", &key).unwrap(), hash(&key));
}

/// Returns the number of regular files in a folder.
pub fn files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
}

/// The owner of keys for a small ring, evaluation keys for an expression, and their file.
struct Setting {
    parameters: Parameters,
    owner: Owner,
    keys: Vec<u8>,
}

const EXPRESSION: &str = "3*x*y + rot(x, 1) - 0.5";

fn setting() -> Setting {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut owner = Owner::new(&parameters).unwrap();
    let expression = expression_of(&parse(EXPRESSION).unwrap(), 1e-4).unwrap();
    let input = Input { length: 4, ..Input::fresh(&parameters, Bound::real(1.0)) };
    let inputs = BTreeMap::from([("x".to_owned(), input), ("y".to_owned(), input)]);
    let operations: Operations = Plan::new(&expression, &parameters, &inputs).unwrap().operations();
    let mut keys = Vec::new();
    let level = parameters.fresh_level();
    owner.save_evaluation_keys(&operations, level, &mut keys, |_, _| {}).unwrap();
    Setting { parameters, owner, keys }
}

fn encrypt(setting: &mut Setting, values: &[f64]) -> String {
    let ciphertext = setting.owner.encrypt(values).unwrap();
    let mut bytes = Vec::new();
    ciphertext.save(&mut bytes, &setting.parameters).unwrap();
    hex::encode(bytes)
}

fn inputs(x: &str, y: &str) -> Value {
    json!({ "inputs": [
        { "name": "x", "ciphertext": x }, { "name": "y", "ciphertext": y },
    ] })
}

fn evaluate(server: &Running, keys: &str, items: &[Value]) -> Vec<Value> {
    let path = format!("/v1/ckks/evaluate?keys={keys}&expression=3*x*y+%2B+rot(x,+1)+-+0.5");
    client(server).call(&path, items).unwrap()
}

#[test]
fn expressions_over_ciphertexts_are_computed() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&store(folder.path()));
    let mut setting = setting();
    let keys = client(&server).upload("ckks-keys", &setting.keys).unwrap();
    let x = [0.25, -0.5, 0.125, 1.0];
    let y = [1.0, 0.75, -0.25, 0.5];
    let (x_bytes, y_bytes) = (encrypt(&mut setting, &x), encrypt(&mut setting, &y));
    let mut stranger = self::setting();
    let foreign = encrypt(&mut stranger, &y);
    let mut secret = Vec::new();
    setting.owner.secret().save(&mut secret).unwrap();
    let items = [
        inputs(&x_bytes, &y_bytes),
        inputs(&x_bytes, &foreign),
        inputs(&x_bytes, &hex::encode(&secret)),
        json!({ "inputs": [{ "name": "x", "ciphertext": x_bytes }] }),
        inputs(&x_bytes, &y_bytes[..y_bytes.len() - 2]),
        inputs(&y_bytes, &x_bytes),
    ];
    let answers = evaluate(&server, &keys, &items);
    for (bad, reason) in [
        (1, "different secret keys"),
        (2, "a secret key"),
        (3, "the ciphertext \"y\" is missing"),
        (4, "\"y\": "),
    ] {
        let error = answers[bad]["error"].as_str().unwrap();
        assert!(error.contains(reason), "{error}");
    }
    for (number, [x, y]) in [(0, [x, y]), (5, [y, x])] {
        let bytes = hex::decode(answers[number]["ciphertext"].as_str().unwrap()).unwrap();
        let result = Ciphertext::load(&bytes[..], &setting.parameters).unwrap();
        let values = setting.owner.decrypt(&result).unwrap();
        for (slot, value) in values.iter().enumerate() {
            let expected = 3.0 * x[slot] * y[slot] + x[(slot + 1) % 4] - 0.5;
            assert!((value.re - expected).abs() < 1e-3, "{slot}: {} {expected}", value.re);
        }
    }
    let client = client(&server);
    for expression in ["x%2B", "x/y", "", "(", "x*%e9"] {
        let path = format!("/v1/ckks/evaluate?keys={keys}&expression={expression}");
        let refused = client.call(&path, &items);
        assert_eq!(code(refused.expect_err(expression)), "setting", "{expression}");
    }
    // The keys for this expression are missing.
    let path = format!("/v1/ckks/evaluate?keys={keys}&expression=conj(x)*y");
    let answers = client.call(&path, &items[..1]).unwrap();
    assert!(answers[0]["error"].as_str().unwrap().contains("key"), "{answers:?}");
}

#[test]
fn secret_keys_are_refused_before_they_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&store(folder.path()));
    let client = client(&server);
    let mut setting = setting();
    let mut secret = Vec::new();
    setting.owner.secret().save(&mut secret).unwrap();
    let behind = [&setting.keys[..], &secret].concat();
    // A secret key alone, after keys in the same piece, and split in the middle of its beginning.
    for (content, cuts) in [
        (&secret, vec![secret.len()]),
        (&behind, vec![behind.len()]),
        (&behind, vec![setting.keys.len() + 4, behind.len()]),
        (
            &behind,
            vec![
                setting.keys.len() - 3,
                setting.keys.len() + 1,
                setting.keys.len() + 9,
                behind.len(),
            ],
        ),
    ] {
        for kind in ["ckks-keys", "groth16-key", "kzg-setup"] {
            let (mut from, mut last) = (0, (0, Value::Null));
            for to in cuts.iter().copied() {
                let query = format!("kind={kind}&bytes={}&offset={from}", content.len());
                last = put(&client, &hash(content), &query, &content[from..to]);
                if last.0 != 202 {
                    break;
                }
                from = to;
            }
            let is_other = kind != "ckks-keys" && cuts.len() > 1;
            let expected = if is_other { (422, "content") } else { (403, "secret-key") };
            assert_eq!(
                (last.0, last.1["error"]["code"].as_str().unwrap()),
                expected,
                "{kind} {cuts:?}"
            );
            client.send("DELETE", &format!("/v1/objects/{}", hash(content)), "", &[]).unwrap();
            assert_eq!(files(folder.path()), 0, "{kind} {cuts:?}");
        }
    }
    let mut public = Vec::new();
    setting.owner.public_key().save(&mut public).unwrap();
    let query = format!("kind=ckks-keys&bytes={}", public.len());
    assert_eq!(put(&client, &hash(&public), &query, &public).0, 422);
}
