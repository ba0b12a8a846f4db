// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The other side of the Node tests, in Rust: a client whose files the package reads, and a server
//! for the files of the package.
//!
//! - `peer make FOLDER` writes keys, ciphertexts, the interface of a network, and signatures.
//! - `peer answer FOLDER` reads the files that the package wrote to the folder, and writes the
//!   results.
//!
//! Numbers are files of 64-bit floats, little-endian.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use halimede_bls12_381::signature::{self, Group, Scheme, Signed, Suite};
use halimede_ckks::encoding::Encoder;
use halimede_ckks::keys::SecretKey;
use halimede_ckks::params::ParametersBuilder;
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Client, EvaluationKeys, Parameters, Server, Values};
use halimede_ckks_nn::graph::{Activation, Linear, Operator, Shape};
use halimede_ckks_nn::{Calibration, Ciphertexts, Graph, Model, NetworkServer, Options};
use sha2::Sha256;

/// Any error.
type Failure = Box<dyn Error>;

/// The declared bound of the values.
const BOUND: f64 = 4.0;
/// The values of the network's input.
const INPUTS: usize = 40;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["make", folder] => make(Path::new(folder)),
        ["answer", folder] => answer(Path::new(folder)),
        _ => Err("usage: peer make FOLDER | peer answer FOLDER".into()),
    }
}

fn make(folder: &Path) -> Result<(), Failure> {
    let parameters = Parameters::preset("n14")?;
    let mut client = Client::new(&parameters)?;
    let save = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes);
    let mut bytes = Vec::new();
    client.secret().save(&mut bytes)?;
    save("rust-secret.key", &bytes)?;
    bytes.clear();
    let public = client.public_key();
    public.save(&mut bytes)?;
    save("rust-public.key", &bytes)?;
    let values: Vec<f64> = (0..500).map(|at| (f64::from(at) * 0.37).sin() * 3.9).collect();
    save("rust-values.f64", &numbers(&values))?;
    let bounded = Values::from(&values).within(BOUND);
    bytes.clear();
    client.encrypt(&bounded)?.save(&mut bytes, &parameters)?;
    save("rust-by-secret.ct", &bytes)?;
    bytes.clear();
    let (encoder, level) = (Encoder::new(&parameters), parameters.fresh_level());
    let encrypted = public.encrypt_at(&encoder, &bounded, level, &mut Random::new()?)?;
    encrypted.save(&mut bytes, &parameters)?;
    save("rust-by-public.ct", &bytes)?;
    bytes.clear();
    network()?.interface().save(&mut bytes)?;
    save("rust.interface", &bytes)?;
    save("rust-signatures.txt", signatures()?.as_bytes())?;
    Ok(())
}

fn answer(folder: &Path) -> Result<(), Failure> {
    let read = |name: &str| fs::read(folder.join(name));
    let parameters = Parameters::load(&read("js.params")?[..])?;
    let client = Client::with_secret(SecretKey::load(&read("js-secret.key")?[..], &parameters)?)?;
    for name in ["js-by-secret", "js-by-public"] {
        let encrypted = Ciphertext::load(&read(&format!("{name}.ct"))?[..], &parameters)?;
        let values: Vec<f64> = client.decrypt(&encrypted)?.iter().map(|value| value.re).collect();
        fs::write(folder.join(format!("{name}.f64")), numbers(&values))?;
    }
    // x·x + x rotated by one, with the evaluation keys alone.
    let keys = EvaluationKeys::load(&read("js-evaluation.keys")?[..], &parameters)?;
    let server = Server::new(keys);
    let x = Ciphertext::load(&read("js-by-secret.ct")?[..], &parameters)?;
    let result = server.add(&server.mul(&x, &x)?, &server.rotate(&x, 1)?)?;
    let mut bytes = Vec::new();
    result.save(&mut bytes, &parameters)?;
    fs::write(folder.join("js-result.ct"), &bytes)?;
    let model = network()?;
    let parameters = model.interface().parameters();
    let keys = EvaluationKeys::load(&read("js-network.keys")?[..], parameters)?;
    let server = NetworkServer::new(&model, keys)?;
    let input = Ciphertexts::load(&read("js-network.input")?[..], parameters)?;
    let result = server.run(&input, |_| ControlFlow::Continue(()))?;
    bytes.clear();
    result.save(&mut bytes, parameters)?;
    fs::write(folder.join("js-network.result"), &bytes)?;
    Ok(())
}

/// Returns the network (w·x + b)² + (w·x + b) with three rows wᵢ of weights (i + j mod 5)/20.
fn network() -> Result<Model, Failure> {
    let parameters = ParametersBuilder::new().depth(8).build_insecure(10)?;
    let mut graph = Graph::new(Shape::new(&[INPUTS])?);
    let weight = |at: usize| ((at / INPUTS + at % INPUTS) % 5) as f64 / 20.0;
    let weights = (0..3 * INPUTS).map(weight).collect();
    let linear = Operator::Linear(Linear { rows: 3, weights, bias: vec![0.5, -0.25, 0.125] });
    let argument = graph.push("linear", linear, &[graph.input()])?;
    let square = Operator::Activation(Activation::Polynomial(vec![0.0, 1.0, 1.0]));
    graph.push("square", square, &[argument])?;
    let sample = |sign: f64| (0..INPUTS).map(|at| sign * (at as f64 * 0.7).sin()).collect();
    let samples: [Vec<f64>; 2] = [sample(1.0), sample(-1.0)];
    let calibration = Calibration::new(&graph, &samples)?;
    Ok(Model::compile(&graph, &calibration, &parameters, &Options::default())?)
}

/// Returns signatures of all suites, whole and changed, with the verdicts of the engine: a line of
/// group, scheme, key, message, signature and verdict.
fn signatures() -> Result<String, Failure> {
    let mut text = String::new();
    for suite in Suite::ALL {
        for message in [&b""[..], b"a message of Rust", &[7, 8, 9, 255]] {
            let (key, signature) = sign(suite, message);
            let mut changed = signature.clone();
            let last = changed.len() - 1;
            changed[last] ^= 1;
            let (other, _) = sign(suite, b"its length is the secret key");
            let longer = [message, b"!"].concat();
            let rows = [
                (&key, message, &signature),
                (&key, message, &changed),
                (&other, message, &signature),
                (&key, &longer[..], &signature),
            ];
            for (key, message, signature) in rows {
                let verdict = signature::verify(suite, Signed { key, message, signature });
                let bytes = [key, message, signature].map(hex::encode).join(",");
                let (group, scheme) = (suite.group.name(), suite.scheme.name());
                text += &format!("{group},{scheme},{bytes},{}\n", verdict.is_ok());
            }
        }
    }
    Ok(text)
}

/// Returns a key and its signature of a message. The secret key, for tests, follows from the length
/// of the message.
fn sign(suite: Suite, message: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let secret = Scalar::from(0x1234_5678_9abc_def1 + message.len() as u64).square();
    let key = match suite.group {
        Group::MinPk => G1Affine::from(G1Affine::generator() * secret).to_compressed().to_vec(),
        Group::MinSig => G2Affine::from(G2Affine::generator() * secret).to_compressed().to_vec(),
    };
    let prefix = if suite.scheme == Scheme::Augmented { &key[..] } else { &[] };
    let (parts, domain) = ([prefix, message], suite.domain());
    let signature = match suite.group {
        Group::MinPk => {
            let hash =
                <G2Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(parts, domain);
            G2Affine::from(hash * secret).to_compressed().to_vec()
        }
        Group::MinSig => {
            let hash =
                <G1Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(parts, domain);
            G1Affine::from(hash * secret).to_compressed().to_vec()
        }
    };
    (key, signature)
}

fn numbers(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
