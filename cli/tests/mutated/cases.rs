// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commands with valid inputs, which are mutated.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use halimede_bls12_381::hash::hash_to_curve;
use halimede_bls12_381::signature::{Group, Scheme, Suite};
use halimede_bls12_381::{Point, G1, G2};

use super::process::run;

const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");
const HEADER_BYTES: usize = 1_487;
const SIGNATURE: &str = concat!(
    r#"{"key":"0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108"#,
    r#"a8fd17b448a68554199c47d08ffb10d4b8","digest":"#,
);

/// The place of the mutated input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file, which replaces the word `FILE`.
    File,
    /// Standard input.
    Input,
    /// An argument, which replaces the word `FILE`.
    Argument,
}

/// A command.
pub struct Case {
    pub name: &'static str,
    words: &'static str,
    pub place: Place,
    pub seeds: Vec<Vec<u8>>,
}

/// Files of circom and snarkjs; see engines/bls12_381/vectors/README.md.
const ZKEY: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/circom/small.zkey");
const WTNS: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/circom/small.wtns");
const R1CS: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/circom/small.r1cs");

/// A folder with valid files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn make() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let leaves: Vec<u8> = (0..64 * 32).map(|byte| (byte * 7 % 61) as u8).collect();
        folder.write("leaves", &leaves);
        folder.write("small.zkey", ZKEY);
        folder.write("small.wtns", WTNS);
        folder.write("leaves.csv", b"0.5\n-0.25\n0.125\n1\n");
        for words in [
            "ckks keygen --params n10-insecure --dir @keys --multiply",
            "ckks params n10-insecure --out @p.params",
            "ckks encrypt --key @keys/secret.key --in @leaves.csv --out @x.ct",
            "ckks decrypt --key @keys/secret.key @x.ct --out @x.npy",
            "poseidon tree --arity 8 --keep-leaves --out @leaves.tree @leaves",
            "blake3 tree --out @leaves.obao @leaves",
            "blake3 slice --tree @leaves.obao @leaves --start 1100 --count 300 --out @slice",
        ] {
            let ended = run(&folder.words(words), None);
            assert_eq!(ended.code, Some(0), "{words}: {}", String::from_utf8_lossy(&ended.stderr));
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Writes a file that only its owner can read, as required for keys.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    /// Returns the words of a command line. `@name` is a file of this folder, `ROOT` the hash of
    /// its leaves.
    fn words(&self, words: &str) -> Vec<OsString> {
        let word = |word: &str| match word.split_once('@') {
            Some((start, name)) => {
                let mut word = OsString::from(start);
                word.push(self.path(name));
                word
            }
            None if word == "ROOT" => {
                let hash = blake3::hash(&self.read("leaves"));
                OsString::from(hash.to_hex().as_str())
            }
            None => OsString::from(word),
        };
        words.split(' ').map(word).collect()
    }
}

impl Case {
    /// Returns the extension of its file.
    pub fn ending(&self) -> &'static str {
        if self.name == "npy" {
            ".npy"
        } else {
            ""
        }
    }

    /// Returns the words with the mutated input.
    pub fn words(&self, folder: &Folder, mutated: OsString) -> Vec<OsString> {
        let mut words = folder.words(self.words);
        for word in &mut words {
            if word == "FILE" {
                word.clone_from(&mutated);
            } else if word == "x=FILE" {
                *word = OsString::from("x=");
                word.push(&mutated);
            }
        }
        words
    }
}

/// Returns all cases.
pub fn cases(folder: &Folder) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name, words, place, seeds| all.push(Case { name, words, place, seeds });
    let text =
        |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    let file = |name: &str| vec![folder.read(name)];
    let lines = |line: &str| vec![line.repeat(50).into_bytes()];
    let block = hex::decode(BLOCK_346.trim()).unwrap();

    add("hash", "batch poseidon.filecoin_hash --arity 2", Place::Input, lines("0x1 0xabc\n"));
    add("many", "batch poseidon.starknet_hash --mode many", Place::Input, lines("0x1 0x2\n"));
    add(
        "permute",
        "batch poseidon.permute --instance stark-3",
        Place::Input,
        lines("0x1 0x2 0x3\n"),
    );
    add("tree", "poseidon tree --arity 8 FILE", Place::File, file("leaves"));
    add("prove", "poseidon prove --tree FILE --index 5", Place::File, file("leaves.tree"));
    add("params", "poseidon params --width 9 --prime FILE", Place::Argument, text(&["0x78000001"]));
    add(
        "rounds",
        "poseidon params --field pallas --width 3 --rounds FILE",
        Place::Argument,
        text(&["8,57"]),
    );
    add(
        "alpha",
        "poseidon params --field pallas --width 3 --alpha FILE",
        Place::Argument,
        text(&["5"]),
    );

    let sum = format!("{}  {}\n", hash(&folder.read("leaves")), folder.path("leaves").display());
    add("check", "blake3 --check FILE", Place::File, vec![sum.repeat(3).into_bytes()]);
    add("slice", "blake3 verify ROOT FILE --start 1100 --count 300", Place::File, file("slice"));
    add("obao", "blake3 verify ROOT --tree FILE @leaves", Place::File, file("leaves.obao"));
    add("slices", "blake3 slice --tree FILE @leaves", Place::File, file("leaves.obao"));

    add("signatures", "batch secp256k1.verify FILE", Place::File, vec![signatures()]);
    add("recoverable", "batch secp256k1.recover FILE", Place::File, vec![recoverable_signatures()]);
    add("schnorr", "batch secp256k1.verify_schnorr FILE", Place::File, vec![schnorr_signatures()]);
    // With the secret key 1, the signature is the hash itself, and the key is the generator.
    let suite = Suite { group: Group::MinPk, scheme: Scheme::ProofOfPossession };
    let hash = hash_to_curve::<G2>(suite.domain(), &[0]).unwrap();
    let signature = format!(
        "{{\"key\":\"{}\",\"msg\":\"00\",\"sig\":\"{}\"}}\n",
        hex::encode(Point::<G1>::generator().to_compressed()),
        hex::encode(hash.to_compressed()),
    );
    add("bls", "batch bls12_381.verify_signature FILE", Place::File, lines(&signature));
    let point = hex::encode(Point::<G2>::generator().to_uncompressed());
    let sum = format!("{{\"points\":[\"{point}\",\"{point}\"]}}\n");
    add("points", "batch bls12_381.sum --group g2 FILE", Place::File, lines(&sum));
    add("proving key", "groth16 prove FILE @small.wtns", Place::File, vec![ZKEY.to_vec()]);
    add("witness", "groth16 prove @small.zkey FILE", Place::File, vec![WTNS.to_vec()]);
    add(
        "circuit",
        "groth16 prove @small.zkey @small.wtns --circuit FILE",
        Place::File,
        vec![R1CS.to_vec()],
    );
    let call = format!("{{\"input\":\"{}\"}}\n", "0".repeat(256));
    add("call", "batch bls12_381.precompile --name map_fp2_to_g2 FILE", Place::File, lines(&call));
    add(
        "block",
        "zcash verify-block --allow-incomplete FILE",
        Place::File,
        vec![block.clone(), BLOCK_346.into()],
    );
    let framed =
        [&[0x24, 0xe9, 0x27, 0x64], &(block.len() as u32).to_le_bytes()[..], &block].concat();
    let hex_blocks = format!("{}\n", BLOCK_346.trim()).repeat(3).into_bytes();
    add(
        "blocks",
        "zcash verify-blocks --allow-incomplete FILE",
        Place::File,
        vec![block.repeat(3), framed.repeat(3), hex_blocks],
    );
    let spent = format!(
        "{{\"txid\":\"{}\",\"vout\":0,\"value\":5,\"script\":\"76a9\"}}\n",
        "ab".repeat(32)
    );
    let block_file = folder.write("block.bin", &block);
    assert!(block_file.is_file());
    add(
        "spent",
        "zcash verify-block --allow-incomplete @block.bin --spent FILE",
        Place::File,
        lines(&spent),
    );
    let state = format!(
        "{{\"hash\": \"{0}\", \"height\": 345, \"anchor\": \"{0}\", \"finalsaplingroot\": \"{0}\", \
         \"valuePools\": [{{\"id\": \"sprout\", \"chainValueZat\": 5}}]}}\n\
         {{\"nullifiers\": {{\"sprout\": [\"{0}\"]}}}}\n",
        "ab".repeat(32)
    );
    add(
        "state",
        "zcash verify-block --allow-incomplete @block.bin --state FILE",
        Place::File,
        lines(&state),
    );
    let headers = block[..HEADER_BYTES].repeat(3);
    let hex_headers = format!("{}\n", hex::encode(&block[..HEADER_BYTES])).repeat(3).into_bytes();
    add("headers", "zcash verify-headers FILE", Place::File, vec![headers, hex_headers]);
    let template = vec![block[..108].to_vec(), hex::encode(&block[..140]).into_bytes()];
    add("template", "zcash solve --n 48 --k 5 --count 1 --header FILE", Place::File, template);

    let kinds = ["p.params", "keys/secret.key", "keys/public.key", "keys/evaluation.keys", "x.ct"];
    let all_kinds = kinds.iter().map(|name| folder.read(name)).collect();
    add("inspect", "ckks inspect FILE", Place::File, all_kinds);
    add("secret", "ckks decrypt --key FILE @x.ct", Place::File, file("keys/secret.key"));
    add("ciphertext", "ckks decrypt --key @keys/secret.key FILE", Place::File, file("x.ct"));
    let encrypt = "ckks encrypt --key @keys/secret.key --in FILE --out @out.ct";
    add("csv", encrypt, Place::File, file("leaves.csv"));
    let encrypt_npy = "ckks encrypt --public @keys/public.key --in FILE --out @out-npy.ct";
    add("npy", encrypt_npy, Place::File, file("x.npy"));
    add("plan", "ckks eval --plan x*x x=FILE", Place::File, file("x.ct"));
    let expressions = ["3*x*x + x", "conj(x)/4 - mean(x) + 1.5i", "rot(x, 1)^2 - 0.5e-3"];
    add("expression", "ckks eval --plan FILE x=@x.ct", Place::Argument, text(&expressions));
    add(
        "keys",
        "ckks eval --keys FILE x*x x=@x.ct --plan",
        Place::File,
        file("keys/evaluation.keys"),
    );
    add("device", "blake3 --device FILE @leaves", Place::Argument, text(&["cpu"]));
    all
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns lines of valid signatures, with the generator of the curve as the key.
fn signatures() -> Vec<u8> {
    let mut secret = [0; 32];
    secret[31] = 1;
    let secret = secp256k1::SecretKey::from_secret_bytes(secret).unwrap();
    let line = |number: u8| {
        let digest = [number; 32];
        let signature = secp256k1::ecdsa::sign(secp256k1::Message::from_digest(digest), &secret);
        let signature = hex::encode(signature.serialize_der());
        format!("{SIGNATURE}\"{}\",\"sig\":\"{signature}\"}}\n", hex::encode(digest))
    };
    (1..20).map(line).collect::<String>().into_bytes()
}

/// Returns lines of valid Schnorr signatures of messages of several lengths.
fn schnorr_signatures() -> Vec<u8> {
    let secret = secp256k1::SecretKey::from_secret_bytes([7; 32]).unwrap();
    let pair = secp256k1::Keypair::from_secret_key(&secret);
    let key = hex::encode(pair.x_only_public_key().0.to_byte_array());
    let line = |length: u8| {
        let message = vec![length; usize::from(length)];
        let signature = secp256k1::schnorr::sign_no_aux_rand(&message, &pair);
        let [message, sig] = [message, signature.to_byte_array().to_vec()].map(hex::encode);
        format!("{{\"key\":\"{key}\",\"msg\":\"{message}\",\"sig\":\"{sig}\"}}\n")
    };
    (0..20).map(line).collect::<String>().into_bytes()
}

/// Returns lines of signatures from which a key can be recovered.
fn recoverable_signatures() -> Vec<u8> {
    let line = |number: u8| {
        let (digest, sig) = (hex::encode([number; 32]), "01".repeat(65));
        format!("{{\"digest\":\"{digest}\",\"sig\":\"{sig}\"}}\n")
    };
    (1..20).map(line).collect::<String>().into_bytes()
}
