// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files of a wrong kind: the error names the expected and the actual kind.

use std::path::{Path, PathBuf};

use crate::common::{halimede, Outcome};

const BLOCK: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");

/// A folder with a file of each kind.
struct Files(tempfile::TempDir);

impl Files {
    fn make() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("block.hex", BLOCK.as_bytes());
        files.write("block.bin", &hex::decode(BLOCK.trim()).unwrap());
        files.write("x.csv", b"0.5\n-0.2\n");
        files.write("sums", format!("{}  name\n", "0a".repeat(32)).as_bytes());
        files.write("leaves.dat", &[1; 32 * 64]);
        files.write("array.npy", b"\x93NUMPY\x01\x00");
        files.write("signatures.jsonl", br#"{"key":"02","msg":"","sig":""}"#);
        files.do_all(&[&[
            "ckks",
            "keygen",
            "--params",
            "n10-insecure",
            "--dir",
            "keys.folder",
            "--multiply",
        ]]);
        for key in ["secret.key", "public.key", "evaluation.keys"] {
            std::fs::rename(files.path("keys.folder").join(key), files.path(key)).unwrap();
        }
        files.do_all(&[
            &["ckks", "params", "n10-insecure", "--out", "p.params"],
            &["ckks", "encrypt", "--key", "secret.key", "--in", "x.csv", "--out", "x.ct"],
            &["poseidon", "tree", "--arity", "8", "--keep-leaves", "--out", "r.tree", "leaves.dat"],
            &["blake3", "tree", "--out", "leaves.obao", "leaves.dat"],
        ]);
        let proof = files.run(&["poseidon", "prove", "--tree", "r.tree", "--index", "5"]);
        files.write("proof.json", proof.stdout.as_bytes());
        files
    }

    fn do_all(&self, commands: &[&[&str]]) {
        for arguments in commands {
            let outcome = self.run(arguments);
            assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs the command with the names of files replaced by their paths.
    fn run(&self, arguments: &[&str]) -> Outcome {
        let is_name = |word: &&str| word.contains('.') && !word.starts_with("0.");
        let place = |word: &&str| match word.split_once('=') {
            Some((name, file)) => format!("{name}={}", self.path(file).display()),
            None if is_name(word) || self.path(word).is_file() => {
                self.path(word).display().to_string()
            }
            None => (*word).to_owned(),
        };
        let arguments: Vec<String> = arguments.iter().map(place).collect();
        halimede(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), b"")
    }
}

#[test]
fn a_wrong_file_is_named_as_what_it_is() {
    let files = Files::make();
    let root = "0a".repeat(32);
    let cases: &[(&[&str], &str)] = &[
        (
            &["ckks", "decrypt", "--key", "public.key", "x.ct"],
            "expected a secret key, but the file holds a public key",
        ),
        (
            &["ckks", "decrypt", "--key", "x.ct", "x.ct"],
            "expected a secret key, but the file holds a ciphertext",
        ),
        (
            &["ckks", "decrypt", "--key", "block.bin", "x.ct"],
            "but this is a raw Zcash block or header",
        ),
        (
            &["ckks", "decrypt", "--key", "secret.key", "r.tree"],
            "but this is a stored tree of Poseidon",
        ),
        (
            &["ckks", "decrypt", "--key", "secret.key", "evaluation.keys"],
            "expected a ciphertext, but the file holds evaluation keys",
        ),
        (
            &["ckks", "eval", "x", "x=public.key", "--plan"],
            "expected a ciphertext, but the file holds a public key",
        ),
        (
            &["ckks", "inspect", "proof.json"],
            "expected a file of CKKS, but this is a proof of Poseidon",
        ),
        (
            &["ckks", "keygen", "--params", "array.npy", "--dir", "new.folder"],
            "but this is a NumPy array",
        ),
        (
            &["ckks", "encrypt", "--key", "secret.key", "--in", "x.ct", "--out", "y.ct"],
            "expected a vector as CSV, but this is a ciphertext of CKKS",
        ),
        (
            &["ckks", "encrypt", "--key", "secret.key", "--in", "array.npy", "--out", "y.ct"],
            "the file ends",
        ),
        (
            &["poseidon", "prove", "--tree", "x.ct", "--index", "1"],
            "expected a stored tree of Poseidon, but this is a ciphertext of CKKS",
        ),
        (
            &["poseidon", "prove", "--tree", "proof.json", "--index", "1"],
            "expected a stored tree of Poseidon, but this is a proof of Poseidon",
        ),
        (
            &["poseidon", "verify", "r.tree", "--root", "0x1"],
            "expected a proof of Poseidon, but this is a stored tree of Poseidon",
        ),
        (
            &["poseidon", "verify", "signatures.jsonl", "--root", "0x1"],
            "expected a proof of Poseidon, but this is signatures as JSON",
        ),
        (
            &["zcash", "verify-block", "secret.key"],
            "expected a block, but this is a secret key of CKKS",
        ),
        (
            &["zcash", "verify-block", "sums"],
            "expected a block, but this is a check file of BLAKE3",
        ),
        (&["zcash", "verify-block", "proof.json"], "it is JSON: give the block's bytes"),
        (
            &["zcash", "verify-blocks", "secret.key"],
            "expected blocks, but this is a secret key of CKKS",
        ),
        (
            &["zcash", "verify-headers", "r.tree"],
            "per line in hexadecimal, but this is a stored tree of Poseidon",
        ),
        (
            &["zcash", "verify-headers", "signatures.jsonl"],
            "per line in hexadecimal, but this is signatures as JSON",
        ),
        (
            &["zcash", "verify-block", "block.bin", "--spent", "block.hex"],
            "expected spent outputs as JSON, but this is hexadecimal digits",
        ),
        (
            &["zcash", "solve", "--n", "48", "--k", "5", "--header", "p.params"],
            "expected a header, but this is a file of CKKS parameters",
        ),
        (
            &["blake3", "verify", &root, "--tree", "r.tree", "leaves.dat"],
            "but this is a stored tree of Poseidon",
        ),
    ];
    for (arguments, wanted) in cases {
        let outcome = files.run(arguments);
        let said = outcome.stderr;
        assert!(matches!(outcome.code, Some(1 | 2)), "{arguments:?}: {said}");
        assert!(said.contains(wanted) || wanted == &"the file ends", "{arguments:?}: {said}");
        assert!(!said.contains("mode"), "{arguments:?}: {said}");
    }
}

/// A key that others can read is still refused.
#[test]
fn the_mode_of_a_secret_key_is_still_looked_at() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::make();
    let key = files.path("secret.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = files.run(&["ckks", "decrypt", "--key", "secret.key", "x.ct"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("has the mode 0644"), "{}", outcome.stderr);
}

/// A block in the JSON of a node, or as a literal of a program.
#[test]
fn a_block_in_other_clothes_is_named() {
    let digits = BLOCK.trim();
    for (input, what) in [
        (format!("0x{digits}"), "a number with 0x"),
        (format!("\"{digits}\"\n"), "text in quotes"),
        (format!("{{\"result\":\"{digits}\",\"error\":null}}"), "JSON"),
        (format!("{{\n  \"hex\": \"{digits}\"\n}}"), "JSON"),
        (format!("[\"{digits}\"]"), "JSON"),
    ] {
        for name in [Path::new("-"), Path::new("/dev/stdin")] {
            let path = name.to_str().unwrap();
            let outcome = halimede(&["zcash", "verify-block", path], input.as_bytes());
            assert_eq!(outcome.code, Some(2), "{what}");
            let wanted =
                format!("it is {what}: give the block's bytes, or only their hexadecimal digits");
            assert!(outcome.stderr.contains(&wanted), "{}", outcome.stderr);
        }
    }
    assert_eq!(halimede(&["zcash", "verify-block", "-"], BLOCK.as_bytes()).code, Some(5));
}
