// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small networks, their clients, and servers for them.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use halimede_ckks::{Client as Secret, Parameters};
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{
    Ciphertexts, Model, NetworkClient, NetworkFile, NetworkServer, Options as Compile, Output,
};
use halimede_service::{Client, ClientError, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::options;
use crate::model_file::{int, ints, model, node, tensor, Store};

pub const OCTETS: &str = "application/octet-stream";

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn values(rng: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| rng.gen_range(-1.0..1.0)).collect()
}

/// A network, its file and some inputs.
pub struct Net {
    pub file: Vec<u8>,
    pub model: Model,
    pub inputs: Vec<Vec<f64>>,
}

impl Net {
    fn new(onnx: Vec<u8>, inputs: Vec<Vec<f64>>, preset: &str, compile: Compile) -> Self {
        let parameters = Parameters::preset(preset).unwrap();
        let network = NetworkFile::new(onnx, None, inputs.clone(), &parameters, compile).unwrap();
        let mut file = Vec::new();
        network.save(&mut file).unwrap();
        let model = NetworkFile::read(&file).unwrap().compile(&parameters).unwrap();
        Self { file, model, inputs }
    }

    /// Two layers with a square between them: no bootstraps.
    pub fn measurements(seed: u64, batch: usize) -> Self {
        let mut rng = rng(seed);
        let [first, second] = [8 * 16, 3 * 8].map(|count| values(&mut rng, count));
        let inputs = (0..10).map(|_| values(&mut rng, 16)).collect();
        let nodes = [
            node("Gemm", &["x", "a"], "h", &[int("transB", 1)]),
            node("Mul", &["h", "h"], "s", &[]),
            node("Gemm", &["s", "b"], "y", &[int("transB", 1)]),
        ];
        let tensors = [
            tensor("a", &[8, 16], &first, Store::Float),
            tensor("b", &[3, 8], &second, Store::Float),
        ];
        let onnx = model(&[0, 16], &nodes, &tensors);
        let compile = Compile { guard: false, batch, ..Compile::default() };
        Self::new(onnx, inputs, "n10-insecure", compile)
    }

    /// A convolution, two activations and bootstraps.
    pub fn digits(seed: u64) -> Self {
        let mut rng = rng(seed);
        let [kernels, bias] = [36, 4].map(|count| values(&mut rng, count));
        let [hidden, last] = [8 * 64, 3 * 8].map(|count| values(&mut rng, count));
        let hidden: Vec<f64> = hidden.iter().map(|weight| weight / 8.0).collect();
        let inputs = (0..10).map(|_| values(&mut rng, 64)).collect();
        let convolution = [ints("pads", &[1; 4]), ints("strides", &[2; 2])];
        let nodes = [
            node("Conv", &["x", "w", "b"], "c", &convolution),
            node("Relu", &["c"], "r", &[]),
            node("Flatten", &["r"], "f", &[]),
            node("Gemm", &["f", "h"], "g", &[int("transB", 1)]),
            node("Sigmoid", &["g"], "s", &[]),
            node("Gemm", &["s", "l"], "y", &[int("transB", 1)]),
        ];
        let tensors = [
            tensor("w", &[4, 1, 3, 3], &kernels, Store::Float),
            tensor("b", &[4], &bias, Store::Float),
            tensor("h", &[8, 64], &hidden, Store::Float),
            tensor("l", &[3, 8], &last, Store::Float),
        ];
        let onnx = model(&[0, 1, 8, 8], &nodes, &tensors);
        let compile = Compile { degree: 7, guard: false, ..Compile::default() };
        let net = Self::new(onnx, inputs, "n10-boot-insecure", compile);
        assert!(net.model.plan().bootstraps() > 0);
        net
    }

    /// The name of the network at a service.
    pub fn name(&self) -> String {
        halimede_blake3::blake3::hash(&self.file).to_hex().to_string()
    }

    /// Returns a client with a new key.
    pub fn owner(&self, interface: &Interface) -> NetworkClient {
        NetworkClient::with_client(interface, Secret::new(interface.parameters()).unwrap())
    }

    /// Checks outputs against the network with its polynomials in plaintext.
    pub fn check(&self, input: &[f64], output: &Output) {
        let wanted = self.model.approximate(input).unwrap();
        assert_eq!(output.values.len(), wanted.len());
        for (got, wanted) in output.values.iter().zip(&wanted) {
            assert!((got - wanted).abs() < 12.0 * output.error, "{got} {wanted} {output:?}");
        }
    }
}

/// The file of evaluation keys, and of an encrypted input.
pub fn files(net: &Net, owner: &mut NetworkClient, input: &[f64]) -> (Vec<u8>, Vec<u8>) {
    let (mut keys, mut bytes) = (Vec::new(), Vec::new());
    owner.evaluation_keys().save(&mut keys).unwrap();
    let parameters = net.model.interface().parameters();
    owner.encrypt(input).unwrap().save(&mut bytes, parameters).unwrap();
    (keys, bytes)
}

/// Runs a network in this process, on files.
pub fn run_here(net: &Net, keys: &[u8], input: &[u8]) -> Vec<u8> {
    let parameters = net.model.interface().parameters();
    let keys = halimede_ckks::EvaluationKeys::load(keys, parameters).unwrap();
    let server = NetworkServer::new(&net.model, keys).unwrap();
    let input = Ciphertexts::load(input, parameters).unwrap();
    let result = server.run(&input, |_| ControlFlow::Continue(())).unwrap();
    let mut bytes = Vec::new();
    result.save(&mut bytes, parameters).unwrap();
    bytes
}

/// Writes networks to a folder, and returns options of a server that starts with them.
pub fn serving(folder: &Path, nets: &[&Net]) -> Options {
    let path = |number: usize| -> PathBuf { folder.join(format!("{number}.network")) };
    let networks = nets.iter().enumerate().map(|(number, net)| {
        fs::write(path(number), &net.file).unwrap();
        path(number)
    });
    Options { store: Some(folder.join("store")), networks: networks.collect(), ..options() }
}

/// Returns the interface of a network as a client gets it. The parameters of tests are insecure.
pub fn interface(client: &Client, net: &Net) -> Interface {
    let bytes = client.interface(&net.name()).unwrap();
    Interface::load_insecure(&bytes[..]).unwrap()
}

pub fn refusal<T: std::fmt::Debug>(refused: Result<T, ClientError>) -> (u16, String, String) {
    match refused.unwrap_err() {
        ClientError::Refused { status, code, message, .. } => (status, code, message),
        other => panic!("{other}"),
    }
}

/// Returns the number of files of runs and checkpoints.
pub fn left(folder: &Path) -> usize {
    let count = |path: PathBuf| fs::read_dir(path).unwrap().count();
    count(folder.join("store/runs")) + count(folder.join("store/checkpoints"))
}
