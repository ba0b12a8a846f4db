// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon tree`, `prove` and `verify`: proves stored and given leaves; missing ones are
//! errors.

use std::path::PathBuf;

use crate::common::{halimede, Outcome};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;
use serde_json::Value;
use tempfile::TempDir;

/// Roots from the golden model, for the same inputs
/// (`engines/poseidon/model/tests/test_poseidon_model.py`).
const COLUMN_ROOT: &str = "0x4bbf6aa9e918b3cbd0f99dd5781837af10327363a580ecc46aab4639757529e4";
const COMPOUND_ROOT: &str = "0x5f16e57eb5c58425e17206489cd8c4e0c677f86d6a351dc46fef3aee159fb23a";

/// Returns different leaves below 2²⁵⁴.
fn leaves(count: usize, seed: u64) -> Vec<u8> {
    let leaf = |index: usize| Fr::from(index as u64 + 1 + seed * 100_000).pow(&[41]).to_le_bytes();
    let mut bytes: Vec<u8> = (0..count).flat_map(leaf).collect();
    bytes.iter_mut().skip(31).step_by(32).for_each(|top| *top &= 0x3f);
    bytes
}

fn elements(bytes: &[u8]) -> Vec<Fr> {
    bytes.chunks(32).map(|leaf| Fr::from_le_bytes(leaf.try_into().unwrap()).unwrap()).collect()
}

fn root(mut nodes: Vec<Fr>, arities: &[usize]) -> Fr {
    for &arity in arities {
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap();
        nodes = nodes.chunks(arity).map(|children| hasher.hash(children).unwrap()).collect();
    }
    assert_eq!(nodes.len(), 1);
    nodes[0]
}

/// A folder with files for commands.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the names of its files, including hidden ones.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs `halimede poseidon …`. Words that begin with `@` are files of the folder.
    fn run(&self, words: &str) -> Outcome {
        let word = |word: &str| match word.strip_prefix('@') {
            Some(name) => self.path(name).to_str().unwrap().to_string(),
            None => word.to_string(),
        };
        let words: Vec<String> = words.split_whitespace().map(word).collect();
        let words: Vec<&str> =
            ["poseidon"].into_iter().chain(words.iter().map(String::as_str)).collect();
        halimede(&words, b"")
    }

    fn succeed(&self, words: &str) -> String {
        let run = self.run(words);
        assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
        run.stdout
    }

    fn fail(&self, words: &str, code: i32, reason: &str) {
        let run = self.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{words}: {}", run.stderr);
        assert!(run.stderr.contains(reason), "{words}: {}", run.stderr);
    }
}

#[test]
fn a_stored_tree_proves_its_leaves() {
    let folder = Folder::new();
    let bytes = leaves(512, 1);
    folder.write("leaves", &bytes);
    let root = root(elements(&bytes), &[8, 8, 8]);
    for (options, first_row) in [("", 1), ("--discard-rows 2", 3), ("--keep-leaves", 0)] {
        let printed = folder.succeed(&format!("tree --arity 8 --out @tree {options} @leaves"));
        assert_eq!(printed.trim(), root.to_string());
        let nodes: u64 = [512, 64, 8, 1][first_row..].iter().sum();
        let length = std::fs::metadata(folder.path("tree")).unwrap().len();
        assert_eq!(length, 128 + 32 * nodes);
        assert!(folder.names().iter().all(|name| !name.starts_with('.')));
        for index in [0, 77, 511] {
            let with_leaves = if first_row == 0 { "" } else { "--leaves @leaves" };
            let prove = format!("prove --tree @tree {with_leaves} --index {index}");
            let proof = folder.succeed(&prove);
            folder.write("proof", proof.as_bytes());
            let proof: Value = serde_json::from_str(&proof).unwrap();
            assert_eq!(proof["leaf"], elements(&bytes)[index].to_string());
            let said = folder.succeed(&format!("verify @proof --root {root}"));
            assert_eq!(
                said,
                format!("valid: leaf {index} of 512 is {}\n", elements(&bytes)[index])
            );
            let strict = format!("verify @proof --root {root} --index {index} --leaf-count 512");
            folder.succeed(&strict);
        }
    }
}

#[test]
fn proofs_pass_through_pipes_as_json() {
    let folder = Folder::new();
    folder.write("leaves", &leaves(64, 2));
    let root = folder.succeed("tree --arity 4 --out @tree @leaves");
    let proof = folder.succeed("prove --json --tree @tree --leaves @leaves --index 9");
    assert_eq!(proof.lines().count(), 1);
    let arguments = ["--json", "poseidon", "verify", "-", "--root", root.trim()];
    let run = halimede(&arguments, proof.as_bytes());
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &said["valid"], &said["leaf_index"]), (Some(0), &true.into(), &9.into()));
    let other = format!("{}", Fr::from(5));
    let run = halimede(&["--json", "poseidon", "verify", "-", "--root", &other], proof.as_bytes());
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &said["valid"]), (Some(1), &false.into()));
    assert!(said["reason"].as_str().unwrap().contains(&other), "{said}");
}

#[test]
fn proofs_that_do_not_hold_and_files_that_are_none_are_told_apart() {
    let folder = Folder::new();
    folder.write("leaves", &leaves(64, 3));
    let root = folder.succeed("tree --arity 8 --out @tree @leaves");
    let root = root.trim();
    let proof = folder.succeed("prove --tree @tree --leaves @leaves --index 5");
    folder.write("good", proof.as_bytes());
    let digit = proof.find("\"siblings\"").unwrap() + 60;
    let mut changed = proof.clone().into_bytes();
    changed[digit] = if changed[digit] == b'1' { b'2' } else { b'1' };
    folder.write("changed", &changed);
    folder.write("cut", &proof.as_bytes()[..proof.len() / 2]);
    folder.write("long", &vec![b' '; (1 << 20) + 1]);
    folder.fail(&format!("verify @changed --root {root}"), 1, "the proof is invalid");
    folder.fail(&format!("verify @good --root {}", Fr::from(3)), 1, "is for the root 0x");
    folder.fail(&format!("verify @good --root {root} --index 6"), 1, "for leaf 5, not 6");
    folder.fail(&format!("verify @good --root {root} --leaf-count 8"), 1, "64 leaves, not of 8");
    folder.fail(&format!("verify @cut --root {root}"), 2, "not a proof: EOF");
    folder.fail(&format!("verify @leaves --root {root}"), 2, "not a proof: expected value");
    folder.fail(&format!("verify @long --root {root}"), 2, "longer than 1048576 bytes");
    folder.fail(&format!("verify @nothing --root {root}"), 2, "nothing");
    folder.fail("verify @good --root 17", 2, "beginning with 0x");
    folder.succeed(&format!("verify @good --root {root}"));
}

#[test]
fn compound_trees_are_joined_as_asked() {
    let folder = Folder::new();
    let bytes = leaves(1024, 4);
    folder.write("leaves", &bytes);
    for (options, arities) in [
        ("--top-arity 8,2", &[8, 8, 8, 2][..]),
        ("--subtrees 16 --top-arity 8,2", &[8, 8, 8, 2]),
        ("--subtrees 2 --top-arity 2", &[8, 8, 8, 2]),
        ("--subtrees 16 --top-arity 2", &[8, 8, 2, 2, 2, 2]),
        ("--subtrees 16 --top-arity 4", &[8, 8, 4, 4]),
    ] {
        let line = format!("tree --json --arity 8 {options} --out @tree @leaves");
        let said: Value = serde_json::from_str(&folder.succeed(&line)).unwrap();
        assert_eq!(said["root"], root(elements(&bytes), arities).to_string(), "{options}");
        assert_eq!(said["arities"], Value::from(arities));
        assert_eq!(said["root"] == COMPOUND_ROOT, arities == [8, 8, 8, 2]);
        assert_eq!((&said["leaves"], &said["bytes"]), (&1024.into(), &32_768.into()));
        let proof = folder.succeed("prove --tree @tree --leaves @leaves --index 1023");
        folder.write("proof", proof.as_bytes());
        folder.succeed(&format!("verify @proof --root {}", said["root"].as_str().unwrap()));
    }
    folder.fail("tree --arity 8 --subtrees 3 --top-arity 2 @leaves", 2, "not a power of 2");
    folder.fail(
        "tree --arity 8 --subtrees 8 --top-arity 8,2 @leaves",
        2,
        "join 16 base trees, not 8",
    );
    folder.fail(
        "tree --arity 8 --top-arity 11 @leaves",
        2,
        "1024 leaves cannot be divided among 11 base trees",
    );
    folder.fail("tree --arity 8 --top-arity 4 @leaves", 2, "256 leaves do not fill");
    folder.fail("tree --arity 8 --subtrees 0 @leaves", 2, "--subtrees");
    folder.fail("tree --arity 8 --top-arity 8 -", 2, "number of leaves must be known");
}

#[test]
fn layers_are_hashed_column_by_column() {
    let folder = Folder::new();
    let layers: Vec<Vec<u8>> = (0..11).map(|layer| leaves(64, 10 + layer)).collect();
    let mut names = String::new();
    for (index, layer) in layers.iter().enumerate() {
        folder.write(&format!("layer-{index}"), layer);
        names += &format!(" @layer-{index}");
    }
    let hasher = Hasher::new(11, Strength::Standard, HashType::MerkleTree).unwrap();
    let column = |index: usize| -> Vec<Fr> {
        layers.iter().map(|layer| elements(&layer[index * 32..][..32])[0]).collect()
    };
    let hashes = (0..64).map(|index| hasher.hash(&column(index)).unwrap()).collect();
    let expected = root(hashes, &[8, 8]).to_string();
    assert_eq!(expected, COLUMN_ROOT);
    assert_eq!(folder.succeed(&format!("tree --arity 8 --columns{names}")).trim(), expected);
    folder.succeed(&format!("tree --arity 8 --discard-rows 1 --out @tree --columns{names}"));
    let proof = folder.succeed(&format!("prove --tree @tree --index 42 --columns{names}"));
    let parsed: Value = serde_json::from_str(&proof).unwrap();
    let texts: Vec<String> = column(42).iter().map(ToString::to_string).collect();
    assert_eq!(parsed["column"], Value::from(texts));
    folder.write("proof", proof.as_bytes());
    folder.succeed(&format!("verify @proof --root {expected} --index 42 --leaf-count 64"));

    let three = "@layer-0 @layer-1 @layer-2";
    folder.fail(&format!("tree --arity 8 --columns {three}"), 2, "a column of 2, 4, 8 or 11");
    folder.write("short", &layers[3][..63 * 32]);
    let unequal = names.replace("@layer-3", "@short");
    folder.fail(&format!("tree --arity 8 --columns{unequal}"), 2, "layer 4 ends after 2016 bytes");
    folder.write("partial", &layers[3][..63 * 32 + 1]);
    let partial = names.replace("@layer-3", "@partial");
    folder.fail(&format!("tree --arity 8 --columns{partial}"), 2, "layer 4: the input has 2017");
    let swapped = names.replace("@layer-3", "@layer-4x").replace("@layer-4 ", "@layer-3 ");
    let swapped = swapped.replace("@layer-4x", "@layer-4");
    let prove = |names: &str| format!("prove --tree @tree --index 42 --columns{names}");
    folder.fail(&prove(&swapped), 2, "do not hash to the stored node 0 of row 2");
    folder.fail(&prove(" @layer-0 @layer-1"), 2, "its columns have 11 labels; --columns has 2");
    folder.fail("prove --tree @tree --index 42 --leaves @layer-0", 2, "11 layers with --columns");
}

#[test]
fn what_cannot_be_stored_or_proved_is_refused() {
    let folder = Folder::new();
    let bytes = leaves(64, 5);
    folder.write("leaves", &bytes);
    folder.write("others", &leaves(64, 6));
    folder.write("few", &bytes[..32 * 32]);
    folder.fail("tree --arity 8 --out @leaves @leaves", 2, "this is an input");
    folder.fail("tree --arity 8 --out @tree --discard-rows 2 @leaves", 2, "at most 1 in this tree");
    folder.fail("tree --arity 8 --out @tree -", 2, "number of leaves must be known");
    folder.fail("tree --arity 8 --discard-rows 1 @leaves", 2, "--out");
    folder.fail("tree --arity 8 --out @no/such/folder @leaves", 4, "no/such/folder: No such file");
    folder.fail("tree --arity 37 @leaves", 2, "37");
    folder.fail("tree --arity 8", 2, "FILE");
    folder.fail("tree --arity 8 --columns - -", 2, "not standard input");
    folder.fail(
        "tree --arity 8 --out @tree --device xdma:/nonexistent @leaves",
        3,
        "xdma:/nonexistent",
    );
    assert!(!folder.path("tree").exists());
    assert_eq!(std::fs::read(folder.path("leaves")).unwrap(), bytes);

    folder.succeed("tree --arity 8 --out @tree @leaves");
    let stored = std::fs::read(folder.path("tree")).unwrap();
    let mut high = bytes.clone();
    high[40 * 32 + 31] = 0xff;
    folder.write("high", &high);
    folder.fail("tree --arity 8 --out @tree @high", 2, "byte offset 1280 is not below 2^254");
    // The old tree is still there, and no other file.
    assert_eq!(std::fs::read(folder.path("tree")).unwrap(), stored);
    assert_eq!(folder.names(), ["few", "high", "leaves", "others", "tree"]);

    folder.fail("prove --tree @tree --index 5", 2, "does not store its leaves");
    folder.fail(
        "prove --tree @tree --leaves @leaves --index 5 --device xdma:/nonexistent",
        3,
        "xdma:/nonexistent",
    );
    folder.fail("prove --tree @tree --leaves @leaves --index 64", 2, "no leaf 64: the tree has 64");
    folder.fail(
        "prove --tree @tree --leaves @others --index 5",
        2,
        "others: the leaves do not hash",
    );
    folder.fail("prove --tree @tree --leaves @few --index 5", 2, "32 leaves, but the tree has 64");
    folder.fail("prove --tree @tree --columns @leaves --index 5", 2, "give them with --leaves");
    folder.fail("prove --tree @leaves --leaves @leaves --index 5", 2, "not a stored tree");
    folder.write("cut", &stored[..stored.len() - 1]);
    folder.fail(
        "prove --tree @cut --leaves @leaves --index 5",
        2,
        "415 bytes, but its header requires",
    );
    let mut damaged = stored.clone();
    damaged[128 + 33] ^= 1;
    folder.write("damaged", &damaged);
    folder.fail(
        "prove --tree @damaged --leaves @leaves --index 5",
        2,
        "the stored tree is damaged",
    );
}

#[test]
fn a_replica_has_elements_above_two_to_the_254() {
    let folder = Folder::new();
    let mut bytes = leaves(8, 7);
    bytes[3 * 32..4 * 32].copy_from_slice(&(Fr::ZERO - Fr::ONE).to_le_bytes());
    folder.write("replica", &bytes);
    folder.fail("tree --arity 8 @replica", 2, "byte offset 96 is not below 2^254");
    let printed = folder.succeed("tree --arity 8 --elements --out @tree @replica");
    assert_eq!(printed.trim(), root(elements(&bytes), &[8]).to_string());
    folder.succeed("prove --tree @tree --leaves @replica --index 3");
    bytes[5 * 32..6 * 32].fill(0xff);
    folder.write("beyond", &bytes);
    folder.fail("tree --arity 8 --elements @beyond", 2, "byte offset 160: 0xffff");
}

#[test]
fn help_shows_examples() {
    for command in ["tree", "prove", "verify"] {
        let run = halimede(&["poseidon", command, "--help"], b"");
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains(&format!("halimede poseidon {command} ")), "{}", run.stdout);
    }
}
