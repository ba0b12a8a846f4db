// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parsers of all inputs of the command, with valid inputs for each.

use std::io::Cursor;

use bao::decode::SliceDecoder;
use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use clap::Parser as _;
use halimede_arith::interface::About;
use halimede_arith::Fr;
use halimede_bls12_381::coprocessor::assemble;
use halimede_bls12_381::groth16::VerifyingKey;
use halimede_bls12_381::{Point, G1, G2};
use halimede_ckks::fhetch::Trace;
use halimede_ckks::files::FileReader;
use halimede_ckks::{Ciphertext, Client, Operations, Parameters};
use halimede_device::Device;
use halimede_equihash::{Header, Network};
use halimede_filecoin::journal::Journal;
use halimede_filecoin::Phase1;
use halimede_operations::json;
use halimede_poseidon::tree::{Layout, Proof, Shape, Tree, TreeBuilder, TreeWriter};
use halimede_poseidon::Strength;
use halimede_zcash::{Block, Known, SpentOutputs};

use crate::arguments::Arguments;
use crate::file_kind::kind_of;
use crate::{blake3, bls, ckks};

const CROSS_LEVEL: &str = include_str!("../../../engines/ckks/tests/circuit/heir/cross_level.mlir");
const LINEAR: &str =
    include_str!("../../../engines/ckks/tests/circuit/heir/linear_polynomial.mlir");
const TRACE: &str = "\
# halimede degree 2
modulus_count 2
m[0] 0xFFFFFFFFFFFFFFFF
m[1] 0x5
# halimede input %1 m=1 values x
# halimede output %3 m=1 values y
sr_ntt %2, %1, m=1, omega=2
sr_mulps %3, %2, 3, m=1 # scaled
halt
";
const PROGRAM: &str =
    include_str!("../../../engines/bls12_381/coprocessor/examples/multi_pairing.s");
const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");
const SECTORS: &str = include_str!("../../../engines/filecoin/vectors/real.json");
/// The length of a header with its solution.
const HEADER_BYTES: usize = 1_487;
const CHECKSUM_BYTES: usize = 32;

/// A parser with valid inputs.
pub struct Parser {
    pub name: &'static str,
    pub seeds: Vec<Vec<u8>>,
    /// Returns `true` if the parser accepts an input.
    pub takes: Takes,
}

type Takes = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

fn parser(
    name: &'static str,
    seeds: Vec<Vec<u8>>,
    takes: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
) -> Parser {
    Parser { name, seeds, takes: Box::new(takes) }
}

/// Returns one parser per kind of input.
pub fn parsers() -> Vec<Parser> {
    let text = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let mut all = vec![
        parser("check", text(&[CHECK_LINE]), |input| {
            std::str::from_utf8(input).is_ok_and(|line| blake3::CheckLine::parse(line).is_ok())
        }),
        parser("csv", text(&["1.5\n-2\n", "1,2\r\n3e-5,-4"]), |input| {
            ckks::parse_csv(input).is_ok()
        }),
        parser("table", text(&["class,a\n1,0.5\n0,-2\n", "3,1,2\r\n8,3e-5,-4"]), |input| {
            ckks::parse_table(input).is_ok()
        }),
        parser("npy", vec![ckks::npy_seed()], |input| ckks::read_npy(input).is_ok()),
        parser(
            "expression",
            text(&["3*x*x + rot(x, 1)", "sigmoid(x/4 - mean(x), -8, 8)^2"]),
            |input| {
                std::str::from_utf8(input).is_ok_and(|text| ckks::parse_expression(text).is_ok())
            },
        ),
        parser("mlir", text(&[CROSS_LEVEL, LINEAR]), |input| {
            std::str::from_utf8(input).is_ok_and(ckks::accepts_program)
        }),
        parser("fhetch", text(&[TRACE]), |input| {
            std::str::from_utf8(input).is_ok_and(|text| Trace::parse(text).is_ok())
        }),
        parser("arguments", arguments(), |input| {
            let words = input.split(|byte| *byte == b' ').map(String::from_utf8_lossy);
            let words = words.map(|word| word.into_owned());
            Arguments::try_parse_from(std::iter::once("halimede".to_owned()).chain(words)).is_ok()
        }),
        parser("kind", vec![b"\x93NUMPY".to_vec(), b"{\"sig\": 1}".to_vec()], |input| {
            kind_of(input).is_some()
        }),
    ];
    all.extend(of_operations());
    all.extend(of_curves());
    all.extend(of_zcash());
    all.extend(of_filecoin());
    all.extend(of_trees());
    all.extend(of_ckks());
    all
}

const CHECK_LINE: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  a file";

/// Returns command lines with all kinds of numbers.
fn arguments() -> Vec<Vec<u8>> {
    [
        "poseidon tree --arity 8 --subtrees 16 --discard-rows 2 --out o --time-limit 0.5 --retries 3 f",
        "poseidon prove --tree t --index 5 --leaves f",
        "poseidon verify p --root 0x12 --index 5 --leaf-count 64",
        "poseidon params --prime 0x78000001 --width 16 --alpha 7 --security 120 --rounds 8,57",
        "blake3 --length 64 --seek 7 --num-threads 2 a b",
        "blake3 slice --tree t f --start 65536 --count 4096",
        "batch bls12_381.verify_signature --group min-sig --scheme pop f",
        "batch bls12_381.hash_to_curve --domain TAG --encode true f",
        "bls run p q --data d --step --dump --break 3 --limit 1000",
        "bls asm p --out o --data-out d",
        "batch kzg.verify_proof --setup s f",
        "batch secp256k1.verify_schnorr --fallback --json f",
        "batch secp256k1.half_aggregate --size 2 f",
        "batch poseidon2.compress --instance gnark-bn254-2 f",
        "zcash solve --n 96 --k 5 --nonces 0..10 --memory 4G --count 3",
        "filecoin precommit2 --sealed s --cache c --pc1out AA== --proof-type 5 --sector-size 2048",
        "zcash verify-block b --height 346 --branch 0x2bb40e60 --network test",
        "ckks encrypt --key k --in x --bound -40,60 --level 3 --out y",
        "ckks keygen --params n14 --dir d --rotations 1,-2,4 --for x*x --values 1000 --bound 4",
        "ckks decrypt --key k c --share --security 8 --queries 4 --count 5 --error-at-least 1e-9",
        "ckks decrypt --key k c --share --security 8 --queries 4 --expression x*y --input x=a --input y=b --keys e --error 1e-3 --public-inputs --error-at-least 2^-20",
        "ckks bootstrap-demo --repeat 3 --slots 8 --seed 7",
        "ckks run m i --calibrate s t --params n14 --degree 3 --no-guard --report",
    ]
    .map(|line| line.as_bytes().to_vec())
    .into()
}

/// Returns parsers of the lines of every operation with a valid example.
fn of_operations() -> Vec<Parser> {
    let one = |about: &'static About| {
        let reads = |line: &str| json::read_line(line, about.item).is_ok();
        let lines = about.examples.iter().map(|example| example.item.replace('\n', " "));
        let lines = lines.chain(["0x1 0x2".to_owned(), "0xabc\t0x7 0x1".to_owned()]);
        let seeds = lines.filter(|line| reads(line)).map(String::into_bytes).collect();
        parser(about.name, seeds, move |input| std::str::from_utf8(input).is_ok_and(reads))
    };
    let all = halimede_operations::descriptions().into_iter().map(one);
    all.filter(|parser| !parser.seeds.is_empty()).collect()
}

/// Returns the parsers of the second phase of sealing.
fn of_filecoin() -> Vec<Parser> {
    let vectors: serde_json::Value = serde_json::from_str(SECTORS).unwrap_or_default();
    let json = vectors["sectors"][1]["phase1"].to_string().into_bytes();
    let hash = "0123456789abcdef".repeat(4);
    let journal = format!(
        r#"{{"journal":"halimede filecoin precommit2","version":1,"sector_bytes":2048,"comm_d":"{hash}","data":"{hash}","sealed":"/sealed","layers":"{hash}","tree_c":["{hash}"],"replica_started":true}}"#
    );
    let base64 = STANDARD.encode(&json).into_bytes();
    vec![
        parser("phase1", vec![json], |input| Phase1::parse(input).is_ok()),
        parser("pc1out", vec![base64], |input| {
            std::str::from_utf8(input).is_ok_and(|text| Phase1::decode(text).is_ok())
        }),
        parser("journal", vec![journal.into_bytes()], |input| Journal::parse(input).is_ok()),
    ]
}

/// Returns the parsers of BLS12-381 and Groth16.
fn of_curves() -> Vec<Parser> {
    let g1 = hex::encode(Point::<G1>::generator().to_compressed());
    let data = format!(
        r#"{{"start":1,"slots":[{{"slot":0,"kind":"FP_AF","point":"{g1}"}},{{"slot":2,"kind":"FE2","values":["0x5",6]}}]}}"#
    );
    let [one, two] =
        [Point::<G1>::generator().to_uncompressed(), Point::<G2>::generator().to_uncompressed()];
    let fixed = [&one[..], &one, &two, &two, &one, &two, &[0, 0, 0, 2], &one, &one].concat();
    let seeds = |text: String| vec![text.into_bytes()];
    let of_text =
        |takes: fn(&str) -> bool| move |input: &[u8]| std::str::from_utf8(input).is_ok_and(takes);
    vec![
        parser("key", vec![fixed], |input| VerifyingKey::read(input).is_ok()),
        parser("program", vec![PROGRAM.into()], of_text(|text| assemble(text).is_ok())),
        parser("program data", seeds(data), |input| bls::ProgramData::parse(input).is_ok()),
    ]
}

fn of_zcash() -> Vec<Parser> {
    let block = hex::decode(BLOCK_346.trim()).unwrap();
    let txid = "ab".repeat(32);
    let spent = format!("{{\"txid\":\"{txid}\",\"vout\":0,\"value\":5,\"script\":\"76a9\"}}\n");
    let header = block[..HEADER_BYTES].to_vec();
    vec![
        parser("block", vec![block, BLOCK_346.into()], |input| {
            let Ok(block) = Block::parse(input, Network::Main) else { return false };
            let spent = SpentOutputs::default();
            drop(block.checks(&spent, Known::default()));
            true
        }),
        parser("spent", vec![spent.repeat(3).into()], |input| SpentOutputs::read(input).is_ok()),
        parser("header", vec![header], |input| {
            Header::parse(input, Some(Network::Main.params())).is_ok()
        }),
    ]
}

fn of_trees() -> Vec<Parser> {
    let device = Device::cpu();
    let shape = Shape::uniform(2, 8).unwrap();
    let layout = Layout::new(shape, Strength::Standard).first_row(0).unwrap();
    let writer = TreeWriter::new(Cursor::new(Vec::new()), layout);
    let mut builder = TreeBuilder::storing(&device, writer).unwrap();
    (0..8u64).for_each(|leaf| builder.push(Fr::from(leaf * 77 + 1)).unwrap());
    let mut tree = builder.finish_tree().unwrap();
    let root = tree.root();
    let proof = serde_json::to_vec(&tree.proof(5).unwrap()).unwrap();
    let stored = tree.into_inner().into_inner();
    let data: Vec<u8> = (0..9_000u32).map(|byte| ((byte * byte) >> 3) as u8).collect();
    let (outboard, data_root) = bao::encode::outboard(&data);
    let mut slices = Vec::new();
    for (start, count) in [(0, 9_000), (1_500, 3_000)] {
        let (data, outboard) = (Cursor::new(&data), Cursor::new(&outboard));
        let mut slice = Vec::new();
        let mut extractor = bao::encode::SliceExtractor::new_outboard(data, outboard, start, count);
        std::io::copy(&mut extractor, &mut slice).unwrap();
        slices.push(slice);
    }
    vec![
        parser("tree", vec![stored], |input| {
            let Ok(mut tree) = Tree::open(Cursor::new(input)) else { return false };
            tree.proof(3).is_ok()
        }),
        parser("proof", vec![proof], move |input| {
            let Ok(proof) = serde_json::from_slice::<Proof>(input) else { return false };
            proof.verify(&root).is_ok()
        }),
        // Decoded bytes always belong to the file.
        parser("slice", slices, move |input| {
            let mut got = [Vec::new(), Vec::new()];
            let ranges = [(0, 9_000), (1_500, 3_000)];
            let decoded = ranges.iter().zip(&mut got).map(|((start, count), got)| {
                let mut decoder = SliceDecoder::new(input, &data_root, *start, *count);
                let decoded = std::io::copy(&mut decoder, got).is_ok();
                assert!(data[*start as usize..].starts_with(got));
                decoded
            });
            decoded.fold(false, |any, decoded| any | decoded)
        }),
    ]
}

fn of_ckks() -> Vec<Parser> {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::new(&parameters).unwrap();
    let operations = Operations { multiply: true, ..Operations::default() };
    let keys = client.evaluation_keys(&operations);
    let ciphertext = client.encrypt(&[0.5, -0.25][..]).unwrap();
    let mut files = vec![Vec::new(); 5];
    parameters.save(&mut files[0]).unwrap();
    client.secret().save(&mut files[1]).unwrap();
    client.public_key().save(&mut files[2]).unwrap();
    ciphertext.save(&mut files[3], &parameters).unwrap();
    keys.save(&mut files[4]).unwrap();
    let reads = move |input: &[u8]| {
        let of_kind = [
            Parameters::load_insecure(input).is_ok(),
            FileReader::new(input).is_ok_and(|file| file.secret_key(&parameters).is_ok()),
            FileReader::new(input).is_ok_and(|file| file.public_key(&parameters).is_ok()),
            Ciphertext::load(input, &parameters).is_ok(),
            FileReader::new(input).is_ok_and(|file| {
                file.keys(&parameters).is_ok_and(|keys| keys.into_iter().all(|key| key.is_ok()))
            }),
        ];
        of_kind.contains(&true)
    };
    // A valid checksum does not make the content valid: parsers must reject it too.
    let sealed = |read: &dyn Fn(&[u8]) -> bool, input: &[u8]| {
        let Some(end) = input.len().checked_sub(CHECKSUM_BYTES) else { return read(input) };
        let (content, _) = input.split_at(end);
        let checksum = halimede_blake3::blake3::hash(content);
        read(&[content, checksum.as_bytes()].concat())
    };
    let whole = reads.clone();
    vec![
        parser("ckks", files.clone(), whole),
        parser("sealed", files[1..4].to_vec(), move |input| sealed(&reads, input)),
    ]
}
