// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede filecoin precommit2`.

use std::process::{Command, Output};

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use halimede_filecoin::Phase1;
use serde_json::Value;

use crate::sectors::Sandbox;

/// See engines/filecoin/vectors/README.md.
const SECTORS: &str = include_str!("../../../engines/filecoin/vectors/real.json");

/// A sector with the files of filecoin-proofs.
struct Sector {
    vector: Value,
    sandbox: Sandbox,
}

impl Sector {
    fn new(index: usize) -> Self {
        let vector = serde_json::from_str::<Value>(SECTORS).unwrap()["sectors"][index].take();
        let phase1 = Phase1::parse(vector["phase1"].to_string().as_bytes()).unwrap();
        let files = &vector["files"];
        let layers = (1..=2).map(|layer| bytes(&files[format!("sc-02-data-layer-{layer}.dat")]));
        let sandbox = Sandbox::of_phase1(phase1, layers.collect(), &bytes(&vector["data"]));
        Self { vector, sandbox }
    }

    fn pc1out(&self) -> String {
        STANDARD.encode(self.vector["phase1"].to_string())
    }

    /// Runs the command in the folder of the sector, without any inherited variables.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new("/bin/sh");
        let halimede = env!("CARGO_BIN_EXE_halimede");
        let line = format!("'{halimede}' filecoin precommit2 {}", arguments.join(" "));
        command.args(["-c", &line]).env_clear().envs(variables.iter().copied());
        command.current_dir(self.sandbox.path("")).output().unwrap()
    }

    /// Runs the command as lotus does.
    fn run_by_lotus(&self, change: &[(&str, &str)]) -> Output {
        let (pc1out, number) = (self.pc1out(), self.vector["number"].to_string());
        let all = [
            ("EXTSEAL_PC2_SECTOR_NUM", "1005"),
            ("EXTSEAL_PC2_SECTOR_MINER", "1000"),
            ("EXTSEAL_PC2_PROOF_TYPE", &number),
            ("EXTSEAL_PC2_SECTOR_SIZE", "2048"),
            ("EXTSEAL_PC2_CACHE", "cache"),
            ("EXTSEAL_PC2_SEALED", "sealed"),
            ("EXTSEAL_PC2_PC1OUT", &pc1out),
        ];
        self.run(&[], &[&all, change].concat())
    }

    fn assert_sealed(&self) {
        let mut outputs = self.sandbox.outputs();
        assert_eq!(outputs.remove("sealed").unwrap(), bytes(&self.vector["sealed"]));
        for (name, content) in &outputs {
            assert_eq!(content, &bytes(&self.vector["files"][name]), "{name}");
        }
        assert_eq!(outputs.len(), 4, "{:?}", outputs.keys());
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn sectors_are_sealed_as_lotus_calls_the_command() {
    for index in 0..4 {
        let sector = Sector::new(index);
        let output = sector.run_by_lotus(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let words: Vec<&str> = printed.trim_end().split(' ').collect();
        assert!(words[0].starts_with("d:baga6ea4seaq"), "{printed}");
        assert!(words[1].starts_with("r:bagboea4b5abc") && words.len() == 2, "{printed}");
        sector.assert_sealed();
    }
}

#[test]
fn the_report_has_the_roots_and_options_precede_variables() {
    let sector = Sector::new(1);
    let pc1out = sector.pc1out();
    let arguments = ["--json", "--sealed", "sealed", "--cache", "cache", "--pc1out", &pc1out];
    let variables = [("EXTSEAL_PC2_SEALED", "/none"), ("EXTSEAL_PC2_SECTOR_NUM", "17")];
    let output = sector.run(&arguments, &variables);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["comm_r"], sector.vector["comm_r"]);
    let p_aux = sector.vector["files"]["p_aux"].as_str().unwrap();
    let roots = [&report["comm_c"], &report["comm_r_last"]].map(|root| root.as_str().unwrap());
    assert_eq!(roots.concat(), p_aux);
    assert_eq!(
        (&report["proof_type"], &report["proof"]),
        (&5.into(), &"StackedDrg2KiBV1_1".into())
    );
    assert_eq!((&report["sector_num"], &report["sector_miner"]), (&17.into(), &Value::Null));
    assert_eq!((&report["reused_trees"], &report["continued_replica"]), (&0.into(), &false.into()));
    sector.assert_sealed();
}

#[test]
fn wrong_variables_end_with_exit_code_2_and_change_nothing() {
    let sector = Sector::new(1);
    let before = sector.sandbox.files();
    let cases = [
        (("EXTSEAL_PC2_PROOF_TYPE", "8"), "--proof-type: 8, but --pc1out is of StackedDrg2KiBV1_1"),
        (("EXTSEAL_PC2_SECTOR_SIZE", "8388608"), "--sector-size: 8388608, but --pc1out is of"),
        (("EXTSEAL_PC2_PC1OUT", "e30="), "--pc1out: not the JSON of a first phase"),
        (("EXTSEAL_PC2_PC1OUT", "%"), "--pc1out: not base64"),
        (("EXTSEAL_PC2_CACHE", "none"), "none: No such file"),
        (("EXTSEAL_PC2_CACHE", "."), "./sc-02-data-layer-1.dat: No such file"),
        (("EXTSEAL_PC2_SEALED", "none"), "none: No such file"),
        (("EXTSEAL_PC2_SEALED", "cache/sc-02-data-layer-1.dat"), "are the same file"),
        (("EXTSEAL_PC2_SECTOR_NUM", "many"), "invalid value 'many' for '--sector-num <N>'"),
    ];
    for (change, words) in cases {
        let output = sector.run_by_lotus(&[change]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{change:?}: {said}");
        assert!(said.contains(words), "{change:?}: {said}");
    }
    let output = sector.run(&["--sealed", "sealed"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let output = sector.run(
        &["--sealed", "sealed", "--cache", "cache", "--pc1out", &sector.pc1out(), "--device", "x"],
        &[],
    );
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(sector.sandbox.files() == before);
}
