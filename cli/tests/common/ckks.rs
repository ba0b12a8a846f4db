// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A folder with keys and ciphertexts, in which `halimede ckks` is run.

#![allow(dead_code, reason = "each test has its own use of it")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{halimede, Outcome};

/// A folder with keys of n10-insecure and the ciphertexts of two vectors.
pub struct Sandbox {
    folder: tempfile::TempDir,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

pub const COUNT: usize = 16;

impl Sandbox {
    pub fn new(seed: u64) -> Self {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut values = || (0..COUNT).map(|_| rng.gen_range(-1.0..1.0)).collect::<Vec<f64>>();
        let (x, y) = (values(), values());
        let sandbox = Self { folder: tempfile::tempdir().unwrap(), x, y };
        sandbox.ok(&[
            "keygen",
            "--params",
            "n10-insecure",
            "--dir",
            "k",
            "--multiply",
            "--conjugate",
            "--rotations",
            "1,-3,4",
        ]);
        sandbox.csv("x.csv", &sandbox.x);
        std::fs::write(sandbox.path("y.npy"), npy(&sandbox.y)).unwrap();
        sandbox.ok(&["encrypt", "--key", "k/secret.key", "--in", "x.csv", "--out", "x.ct"]);
        sandbox.ok(&["encrypt", "--public", "k/public.key", "--in", "y.npy", "--out", "y.ct"]);
        sandbox
    }

    /// Writes lines to a file.
    pub fn csv(&self, name: &str, values: &[f64]) {
        let csv: String = values.iter().map(|value| format!("{value}\n")).collect();
        std::fs::write(self.path(name), csv).unwrap();
    }

    /// Returns the JSON output of a command.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.ok(&[arguments, &["--json"]].concat()).stdout).unwrap()
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs a command. Words with a dot, and `k`, are paths in the folder.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let in_folder = |argument: &&str| {
            let (name, file) = argument.split_once('=').map_or(("", *argument), |pair| pair);
            let is_file =
                [".ct", ".csv", ".npy", ".key", ".keys"].iter().any(|e| file.ends_with(e));
            match (is_file || file == "k", name) {
                (false, _) => (*argument).to_owned(),
                (true, "") => self.path(file),
                (true, name) => format!("{name}={}", self.path(file)),
            }
        };
        let all: Vec<String> =
            std::iter::once("ckks".to_owned()).chain(arguments.iter().map(in_folder)).collect();
        halimede(&all.iter().map(String::as_str).collect::<Vec<_>>(), b"")
    }

    pub fn ok(&self, arguments: &[&str]) -> Outcome {
        let outcome = self.run(arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        outcome
    }

    /// Checks that a command fails with the code of bad input, and with this reason.
    pub fn refused(&self, arguments: &[&str], reason: &str) {
        let outcome = self.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(outcome.stderr.contains(reason), "{arguments:?}: {}", outcome.stderr);
    }

    pub fn eval(&self, expression: &str) -> Vec<[f64; 2]> {
        let mut arguments = vec!["eval", "--keys", "k/evaluation.keys", expression];
        let uses = |name: &str| expression.split(|c: char| !c.is_alphanumeric()).any(|w| w == name);
        arguments.extend(
            ["x", "y"]
                .iter()
                .zip(["x=x.ct", "y=y.ct"])
                .filter(|(n, _)| uses(n))
                .map(|(_, file)| file),
        );
        self.ok(&[&arguments[..], &["--out", "z.ct"]].concat());
        self.decrypt("z.ct", &[])
    }

    pub fn decrypt(&self, file: &str, options: &[&str]) -> Vec<[f64; 2]> {
        let outcome = self.ok(&[&["decrypt", "--key", "k/secret.key", file], options].concat());
        let part = |text: &str| text.parse::<f64>().unwrap();
        let line = |line: &str| {
            let (re, im) = line.split_once(',').unwrap_or((line, "0"));
            [part(re), part(im)]
        };
        outcome.stdout.lines().map(line).collect()
    }
}

/// Returns the NPY file of an array of float64.
pub fn npy(values: &[f64]) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").as_bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes
}

pub fn assert_near(got: &[[f64; 2]], expected: &[[f64; 2]], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (got, expected) in got.iter().zip(expected) {
        let error = (got[0] - expected[0]).hypot(got[1] - expected[1]);
        assert!(error < 1e-6, "{what}: {got:?}, not {expected:?}");
    }
}
