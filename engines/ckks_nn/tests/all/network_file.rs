// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files of networks for servers: the same network again, and refused files.

use halimede_ckks::Parameters;
use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::network_file::MAGIC;
use halimede_ckks_nn::{NetworkError, NetworkFile, Options};
use proptest::prelude::*;
use rand::Rng;

use super::model_file::{int, model, node, tensor, Store};
use super::setting::{rng, values};

fn onnx(seed: u64) -> Vec<u8> {
    let mut rng = rng(seed);
    let weights = [values(&mut rng, 8 * 16), values(&mut rng, 3 * 8)];
    let nodes = [
        node("Gemm", &["x", "a"], "h", &[int("transB", 1)]),
        node("Mul", &["h", "h"], "s", &[]),
        node("Gemm", &["s", "b"], "y", &[int("transB", 1)]),
    ];
    let tensors = [
        tensor("a", &[8, 16], &weights[0], Store::Float),
        tensor("b", &[3, 8], &weights[1], Store::Float),
    ];
    model(&[0, 16], &nodes, &tensors)
}

fn network(seed: u64, output: Option<&str>, options: Options) -> NetworkFile {
    let mut rng = rng(seed + 1);
    let samples = (0..rng.gen_range(1..6)).map(|_| values(&mut rng, 16)).collect();
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let output = output.map(str::to_owned);
    NetworkFile::new(onnx(seed), output, samples, &parameters, options).unwrap()
}

fn bytes(file: &NetworkFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.save(&mut bytes).unwrap();
    bytes
}

/// Returns the bytes with the right hash at their end.
fn hashed(content: &[u8]) -> Vec<u8> {
    [content, blake3::hash(content).as_bytes()].concat()
}

#[test]
fn a_file_compiles_to_the_same_network() {
    let exact = Some(ExactRelu { threshold: 0.125, error: 0.25 });
    for (seed, output, options) in [
        (1, None, Options { guard: false, ..Options::default() }),
        (2, Some("s"), Options { guard: false, batch: 4, degree: 7, ..Options::default() }),
        (
            3,
            None,
            Options { guard: false, few_keys: true, exact_relu: exact, ..Options::default() },
        ),
    ] {
        let file = network(seed, output, options);
        let content = bytes(&file);
        let again = NetworkFile::read(&content).unwrap();
        assert_eq!(again.options, options);
        assert_eq!((&again.onnx, &again.samples), (&file.onnx, &file.samples));
        assert_eq!(again.output.as_deref(), output);
        assert_eq!(bytes(&again), content);
        let parameters = again.header().unwrap().insecure_parameters().unwrap();
        let interface = |file: &NetworkFile| {
            let mut bytes = Vec::new();
            file.compile(&parameters).unwrap().interface().save(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(interface(&file), interface(&again), "{seed}");
    }
}

#[test]
fn damaged_files_are_refused_with_the_reason() {
    let content = bytes(&network(4, None, Options::default()));
    let inner = &content[..content.len() - 32];
    for cut in 0..inner.len() {
        assert!(NetworkFile::read(&content[..cut]).is_err(), "{cut}");
        // A shorter file with the right hash.
        assert!(NetworkFile::read(&hashed(&inner[..cut])).is_err(), "{cut}");
    }
    let mut other_format = inner.to_vec();
    other_format[MAGIC.len()] = 2;
    let mut many_samples = inner.to_vec();
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut saved = Vec::new();
    parameters.save(&mut saved).unwrap();
    let at = MAGIC.len() + 2 + 4 + 17 + 2 + 8 + 8 + 4 + 4 + saved.len();
    many_samples[at..at + 8].fill(0xff);
    let longer = [inner, b"x"].concat();
    for (file, reason) in [
        (b"an ONNX file".to_vec(), "halimede ckks compile"),
        (content[..content.len() - 1].to_vec(), "truncated or damaged"),
        (hashed(&other_format), "format 2"),
        (hashed(&many_samples), "the samples needs"),
        (hashed(&longer), "1 bytes too many"),
    ] {
        let error = NetworkFile::read(&file).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let uneven = vec![vec![0.0; 16], vec![0.0; 15]];
    let error = NetworkFile::new(onnx(5), None, uneven, &parameters, Options::default());
    assert!(matches!(error, Err(NetworkError::File { .. })));
}

proptest! {
    #[test]
    fn mutated_files_never_panic(at in 0usize..2_000, byte: u8, seed in 0u64..4) {
        let content = bytes(&network(seed, None, Options::default()));
        let mut inner = content[..content.len() - 32].to_vec();
        let at = at % inner.len();
        inner[at] = byte;
        if let Ok(file) = NetworkFile::read(&hashed(&inner)) {
            let _ = file.header();
        }
    }
}
