// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Creates the files that the examples name.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::ecdsa::RecoverableSignature;
use sha2::{Digest, Sha256};
use sha3::{Keccak256, Sha3_256};

use crate::curves;
use crate::model_file::{int, ints, model, node, tensor, Store};

/// See engines/zcash/vectors/README.md.
const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");
const CHAIN: [&str; 3] = [
    include_str!("../../../engines/zcash/vectors/blocks/main_0419200.hex"),
    include_str!("../../../engines/zcash/vectors/blocks/main_0419201.hex"),
    include_str!("../../../engines/zcash/vectors/blocks/main_0419202.hex"),
];
/// See engines/ckks_nn/tests/exports/make.py.
const PATIENTS: &[u8] =
    include_bytes!("../../../engines/ckks_nn/tests/exports/sklearn_logistic_binary.onnx");
const MEASURED: &str =
    include_str!("../../../engines/ckks_nn/tests/exports/sklearn_logistic_binary.json");
/// See engines/bls12_381/vectors/README.md.
const ZKEY: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/circom/small.zkey");
const WTNS: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/circom/small.wtns");
/// See engines/filecoin/vectors/README.md.
const SECTORS: &str = include_str!("../../../engines/filecoin/vectors/real.json");
/// A worker with one sector, which gives the command the environment variables of lotus only.
const LOTUS_WORKER: &str = "#!/bin/sh
exec env -i EXTSEAL_PC2_SECTOR_NUM=1005 EXTSEAL_PC2_SECTOR_MINER=1000 EXTSEAL_PC2_PROOF_TYPE=5 \\
    EXTSEAL_PC2_SECTOR_SIZE=2048 EXTSEAL_PC2_CACHE=cache EXTSEAL_PC2_SEALED=sealed \\
    EXTSEAL_PC2_PC1OUT=\"$(cat pc1out)\" /bin/sh -c \"$3\"
";
/// A program of HEIR with a public argument.
const PROGRAM: &str = "\
func.func @weighted(%arg0: tensor<1024xf32> {secret.secret}, %arg1: tensor<1024xf32>)
    -> tensor<1024xf32> {
  %0 = arith.mulf %arg0, %arg1 : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
";
/// A transaction to be made.
const DESCRIBED: &str = r#"{"network": "main", "height": 1687121, "spends": [{"value": 7}], "outputs": [{"value": 5}]}"#;
static SAPLING: LazyLock<(Vec<u8>, Vec<u8>)> =
    LazyLock::new(wagyu_zcash_parameters::load_sapling_parameters);
/// The number of bytes of a header with its solution.
const HEADER_BYTES: usize = 1_487;
/// The number of leaves of trees of arity 8 in the examples.
const LEAVES: usize = 4_096;
const LEAF_BYTES: usize = 32;

/// A function that returns the content of a file.
type Content = fn(&mut ChaCha8Rng) -> Vec<u8>;
const FILES: [(&str, Content); 67] = [
    ("a", |rng| bytes(rng, 10)),
    ("b", |rng| bytes(rng, 2_000)),
    ("c", |_| Vec::new()),
    ("a.iso", |rng| bytes(rng, 300_000)),
    ("b.iso", |rng| bytes(rng, 1_025)),
    ("big.dat", |rng| bytes(rng, 1 << 18)),
    ("material", |rng| bytes(rng, 100)),
    ("message", |rng| bytes(rng, 100)),
    ("key", |rng| bytes(rng, 32)),
    ("sector.dat", |rng| leaves(rng, LEAVES)),
    ("replica.dat", |rng| leaves(rng, LEAVES)),
    ("base-trees.dat", |rng| leaves(rng, 8 * 8 * 2 * 8)),
    ("states", |rng| states(rng, 9)),
    ("x.csv", |rng| numbers(rng, 1_024, -4.0..4.0)),
    ("temperatures.csv", |rng| numbers(rng, 24, -40.0..60.0)),
    ("x.npy", |rng| npy(rng, 1_000)),
    ("y.npy", |rng| npy(rng, 1_024)),
    ("model.onnx", network),
    ("digit.csv", |rng| numbers(rng, 64, 0.0..1.0)),
    ("digit-1.csv", |rng| numbers(rng, 64, 0.0..1.0)),
    ("digit-2.csv", |rng| numbers(rng, 64, 0.0..1.0)),
    ("samples-1.csv", |rng| numbers(rng, 64, 0.0..1.0)),
    ("samples-2.csv", |rng| numbers(rng, 64, 0.0..1.0)),
    ("patients.onnx", |_| PATIENTS.into()),
    ("patient.csv", |_| patient(0)),
    ("patients-1.csv", |_| patient(0)),
    ("patients-2.csv", |_| patient(1)),
    ("block.bin", |_| block()),
    ("block.hex", |_| BLOCK_346.into()),
    ("blk00000.dat", |_| framed()),
    ("state.json", |_| state()),
    ("blocks/block419200.hex", |_| CHAIN[0].into()),
    ("blocks/block419201.hex", |_| CHAIN[1].into()),
    ("blocks/block419202.hex", |_| CHAIN[2].into()),
    ("described.json", |_| DESCRIBED.into()),
    ("zcash-params/sapling-spend.params", |_| SAPLING.0.clone()),
    ("zcash-params/sapling-output.params", |_| SAPLING.1.clone()),
    ("small.zkey", |_| ZKEY.into()),
    ("small.wtns", |_| WTNS.into()),
    ("headers.bin", |_| block()[..HEADER_BYTES].repeat(3)),
    ("header.hex", |rng| header(rng)),
    ("spent.jsonl", |rng| spent(rng)),
    ("signatures.jsonl", |rng| signatures(rng, Form::Der)),
    ("old-transactions.jsonl", |rng| signatures(rng, Form::Der)),
    ("compact.jsonl", |rng| signatures(rng, Form::Compact)),
    ("taproot.jsonl", taproot),
    ("aggregates.jsonl", |_| aggregates()),
    ("signers.jsonl", signers),
    ("recoverable.jsonl", |rng| recoverable(rng, Sha256::digest(b"a").into(), 0)),
    ("transactions.jsonl", |rng| recoverable(rng, Keccak256::digest(b"a").into(), 27)),
    ("attestations.jsonl", curves::attestations),
    ("calls.jsonl", curves::calls),
    ("trusted_setup.txt", |_| curves::trusted_setup()),
    ("openings.jsonl", |_| curves::openings()),
    ("cells.jsonl", |_| curves::cells()),
    ("circuit.vk", |_| curves::key()),
    ("proofs.jsonl", curves::proofs),
    ("pairing.s", |_| curves::PAIRING_PROGRAM.into()),
    ("tokens.txt", |_| b"somebody 0123456789abcdef\n".into()),
    ("loop.s", |_| curves::LOOP_PROGRAM.into()),
    ("points.json", |_| curves::points_of_program()),
    ("bin/zcash-cli", |_| b"#!/bin/sh\n# A node that knows one block.\ncat block.hex\n".into()),
    ("bin/lotus-worker", |_| LOTUS_WORKER.into()),
    ("samples.csv", |rng| table(rng, 1_040)),
    ("others.csv", |rng| table(rng, 20)),
    ("program.mlir", |_| PROGRAM.into()),
    ("w.csv", |rng| numbers(rng, 1_024, -1.0..1.0)),
];
/// The number of layers of labels.
const LAYERS: usize = 11;

/// Writes all files.
pub fn write(folder: &Path) {
    let rng = &mut ChaCha8Rng::seed_from_u64(346);
    std::fs::create_dir(folder.join("bin")).unwrap();
    std::fs::create_dir(folder.join("blocks")).unwrap();
    std::fs::create_dir(folder.join("zcash-params")).unwrap();
    for (name, content) in FILES {
        std::fs::write(folder.join(name), content(rng)).unwrap();
    }
    for program in ["bin/zcash-cli", "bin/lotus-worker"] {
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.join(program), mode).unwrap();
    }
    std::fs::create_dir(folder.join("copy")).unwrap();
    write_sector(folder);
    write_sector(&folder.join("copy"));
    let tokens = folder.join("tokens.txt");
    std::fs::set_permissions(tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    for layer in 1..=LAYERS {
        let name = format!("layer-{layer:02}.dat");
        std::fs::write(folder.join(name), leaves(rng, 512)).unwrap();
    }
}

/// Writes a sector of 2 KiB whose first phase is complete.
fn write_sector(folder: &Path) {
    let vectors: serde_json::Value = serde_json::from_str(SECTORS).unwrap();
    let vector = &vectors["sectors"][1];
    let content = |value: &serde_json::Value| hex::decode(value.as_str().unwrap()).unwrap();
    let data = content(&vector["data"]);
    let cache = folder.join("cache");
    std::fs::create_dir(&cache).unwrap();
    for name in ["sc-02-data-layer-1.dat", "sc-02-data-layer-2.dat"] {
        std::fs::write(cache.join(name), content(&vector["files"][name])).unwrap();
    }
    let (mut tree_d, mut row) = (data.clone(), data.clone());
    while row.len() > LEAF_BYTES {
        let hash = |pair: &[u8]| {
            let mut node: [u8; LEAF_BYTES] = Sha256::digest(pair).into();
            node[LEAF_BYTES - 1] &= 0x3f;
            node
        };
        row = row.chunks(2 * LEAF_BYTES).flat_map(hash).collect();
        tree_d.extend(&row);
    }
    std::fs::write(cache.join("sc-02-data-tree-d.dat"), tree_d).unwrap();
    std::fs::write(folder.join("sealed"), data).unwrap();
    let pc1out = base64::engine::general_purpose::STANDARD.encode(vector["phase1"].to_string());
    std::fs::write(folder.join("pc1out"), pc1out).unwrap();
}

fn bytes(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| rng.gen()).collect()
}

/// Returns elements below 2^254.
fn leaves(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut leaves = bytes(rng, count * LEAF_BYTES);
    leaves.chunks_exact_mut(LEAF_BYTES).for_each(|leaf| leaf[LEAF_BYTES - 1] &= 0x3f);
    leaves
}

/// Returns samples of two classes with three features each.
fn table(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut text = String::from("class,a,b,c\n");
    for sample in 0..count {
        let class = sample % 2;
        let mut feature = || rng.gen_range(-1.0..1.0) + class as f64;
        let _ = writeln!(text, "{class},{},{},{}", feature(), feature(), feature());
    }
    text.into_bytes()
}

fn states(rng: &mut ChaCha8Rng, width: usize) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..5 {
        let elements: Vec<String> =
            (0..width).map(|_| format!("{:#x}", rng.gen::<u128>())).collect();
        writeln!(text, "{}", elements.join(" ")).unwrap();
    }
    text.into()
}

fn numbers(rng: &mut ChaCha8Rng, count: usize, range: std::ops::Range<f64>) -> Vec<u8> {
    let line = |_| format!("{:.3}\n", rng.gen_range(range.clone()));
    (0..count).map(line).collect::<String>().into()
}

/// Returns an NPY file of version 1.0: little-endian doubles with absolute values below 1.
fn npy(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let description = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({count},), }}");
    let header = format!("{description:<117}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.bytes());
    file.extend((0..count).flat_map(|_| rng.gen_range(-1.0..1.0f64).to_le_bytes()));
    file
}

/// Returns a network: a convolution with stride 2 of an image of 8 × 8, ReLU, and a linear layer.
fn network(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut values = |count: usize, size: f64| -> Vec<f64> {
        (0..count).map(|_| rng.gen_range(-size..size)).collect()
    };
    let convolution = [ints("pads", &[1; 4]), ints("strides", &[2; 2])];
    model(
        &[0, 1, 8, 8],
        &[
            node("Conv", &["x", "weights"], "conv", &convolution),
            node("Relu", &["conv"], "relu", &[]),
            node("Flatten", &["relu"], "flat", &[]),
            node("Gemm", &["flat", "matrix"], "y", &[int("transB", 1)]),
        ],
        &[
            tensor("weights", &[4, 1, 3, 3], &values(36, 0.5), Store::RawFloat),
            tensor("matrix", &[3, 64], &values(192, 0.25), Store::Float),
        ],
    )
}

/// Returns the measurements of a patient.
fn patient(which: usize) -> Vec<u8> {
    let recorded: serde_json::Value = serde_json::from_str(MEASURED).unwrap();
    let values = recorded["cases"][which]["input"].as_array().unwrap();
    let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
    lines.concat().into_bytes()
}

fn block() -> Vec<u8> {
    hex::decode(BLOCK_346.trim()).unwrap()
}

/// Returns a block file of zcashd, with one block.
fn framed() -> Vec<u8> {
    let block = block();
    let length = (block.len() as u32).to_le_bytes();
    [&[0x24, 0xe9, 0x27, 0x64], &length[..], &block].concat()
}

/// Returns what a node knows about the block before block 346.
fn state() -> Vec<u8> {
    let previous: Vec<u8> = block()[4..36].iter().rev().copied().collect();
    format!("{{\"hash\": \"{}\", \"height\": 345}}\n", hex::encode(previous)).into()
}

/// Returns a regtest header without a nonce, whose target every second hash meets.
fn header(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut header = 4u32.to_le_bytes().to_vec();
    header.extend(bytes(rng, 3 * 32));
    header.extend(1_700_000_000u32.to_le_bytes());
    header.extend(0x200f_0f0fu32.to_le_bytes());
    hex::encode(header).into()
}

/// Returns outputs of some transactions, which the block does not spend.
fn spent(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let line = |vout| {
        let (txid, key) = (hex::encode(bytes(rng, 32)), hex::encode(bytes(rng, 20)));
        let script = format!("76a914{key}88ac");
        format!("{{\"txid\":\"{txid}\",\"vout\":{vout},\"value\":1250000000,\"script\":\"{script}\"}}\n")
    };
    (0..3).map(line).collect::<String>().into()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// DER, of SHA-256 hashes.
    Der,
    /// 64 bytes, of SHA3-256 hashes.
    Compact,
}

/// Returns lines of messages with valid signatures.
fn signatures(rng: &mut ChaCha8Rng, form: Form) -> Vec<u8> {
    let mut text = String::new();
    for length in [0, 1, 100] {
        let message = bytes(rng, length);
        let digest: [u8; 32] = match form {
            Form::Der => Sha256::digest(&message).into(),
            Form::Compact => Sha3_256::digest(&message).into(),
        };
        let secret = secp256k1::SecretKey::from_secret_bytes(rng.gen()).unwrap();
        let key = secp256k1::PublicKey::from_secret_key(&secret);
        let signature = secp256k1::ecdsa::sign(secp256k1::Message::from_digest(digest), &secret);
        let signature = match form {
            Form::Der => hex::encode(signature.serialize_der()),
            Form::Compact => hex::encode(signature.serialize_compact()),
        };
        let (key, message) = (hex::encode(key.serialize()), hex::encode(message));
        writeln!(text, "{{\"key\":\"{key}\",\"msg\":\"{message}\",\"sig\":\"{signature}\"}}")
            .unwrap();
    }
    text.into()
}

/// Returns lines of messages with valid Schnorr signatures.
fn taproot(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let line = |_| {
        let [key, message, sig] = schnorr(rng);
        format!("{{\"key\":\"{key}\",\"msg\":\"{message}\",\"sig\":\"{sig}\"}}\n")
    };
    (0..20).map(line).collect::<String>().into_bytes()
}

/// Returns a key, a message and its Schnorr signature.
fn schnorr(rng: &mut ChaCha8Rng) -> [String; 3] {
    let secret = secp256k1::SecretKey::from_secret_bytes(rng.gen()).unwrap();
    let pair = secp256k1::Keypair::from_secret_key(&secret);
    let message: [u8; 32] = rng.gen();
    let signature = secp256k1::schnorr::sign_no_aux_rand(&message, &pair);
    let key = hex::encode(pair.x_only_public_key().0.to_byte_array());
    [key, hex::encode(message), hex::encode(signature.to_byte_array())]
}

/// Returns lines of two signatures each.
fn signers(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let signer = |rng: &mut ChaCha8Rng| {
        let [key, message, signature] = schnorr(rng);
        serde_json::json!({ "key": key, "message": message, "signature": signature })
    };
    let line = |_| format!("{}\n", serde_json::json!({ "signers": [signer(rng), signer(rng)] }));
    (0..3).map(line).collect::<String>().into_bytes()
}

/// Returns the half-aggregate signatures of the vectors, one a line.
fn aggregates() -> Vec<u8> {
    let text = include_str!("../../../engines/secp256k1/vectors/half_aggregate.json");
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let line = |vector: &serde_json::Value| {
        let signer = |signer: &serde_json::Value| serde_json::json!({ "key": signer["key"], "message": signer["message"] });
        let signers: Vec<_> = vector["signers"].as_array().unwrap().iter().map(signer).collect();
        let aggregate = &vector["aggregate"];
        format!("{}\n", serde_json::json!({ "signers": signers, "aggregate": aggregate }))
    };
    file["vectors"].as_array().unwrap().iter().map(line).collect::<String>().into_bytes()
}

/// Returns lines of signatures of the message `a` with this digest; their recovery ids are raised.
fn recoverable(rng: &mut ChaCha8Rng, digest: [u8; 32], raised: u8) -> Vec<u8> {
    let line = |_| {
        let secret = secp256k1::SecretKey::from_secret_bytes(rng.gen()).unwrap();
        let message = secp256k1::Message::from_digest(digest);
        let signature = RecoverableSignature::sign_ecdsa_recoverable(message, &secret);
        let (id, compact) = signature.serialize_compact();
        let sig = hex::encode([&compact[..], &[id.to_u8() + raised]].concat());
        format!("{{\"msg\":\"61\",\"sig\":\"{sig}\"}}\n")
    };
    (0..20).map(line).collect::<String>().into_bytes()
}
