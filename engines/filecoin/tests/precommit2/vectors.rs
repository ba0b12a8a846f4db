// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of `filecoin-proofs`, byte for byte: see ../../vectors/README.md.

use halimede_filecoin::Phase1;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::sectors::Sandbox;

const REAL: &str = include_str!("../../vectors/real.json");
const STREAMS: &str = include_str!("../../vectors/streams.json");

fn sectors(text: &str) -> Vec<Value> {
    let mut vectors: Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(vectors["sectors"].take()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

/// Returns the sector of a vector, before its second phase.
fn before(vector: &Value) -> Sandbox {
    let phase1 = Phase1::parse(vector["phase1"].to_string().as_bytes()).unwrap();
    assert_eq!(phase1.proof.to_string(), vector["proof"].as_str().unwrap());
    assert_eq!(phase1.proof.number(), vector["number"].as_u64().unwrap());
    let files = &vector["files"];
    let layers = (1..=2).map(|layer| bytes(&files[format!("sc-02-data-layer-{layer}.dat")]));
    Sandbox::of_phase1(phase1, layers.collect(), &bytes(&vector["data"]))
}

#[test]
fn sealed_sectors_have_the_files_of_filecoin_proofs() {
    let vectors = sectors(REAL);
    assert_eq!(vectors.len(), 4);
    for vector in vectors {
        let sandbox = before(&vector);
        let outcome = sandbox.run().unwrap();
        let number = &vector["number"];
        assert_eq!(outcome.commitments.comm_r[..], bytes(&vector["comm_r"]), "{number}");
        let mut outputs = sandbox.outputs();
        assert_eq!(outputs.remove("sealed").unwrap(), bytes(&vector["sealed"]), "{number}");
        assert_eq!(sandbox.t_aux_of_cache(), bytes(&vector["files"]["t_aux"]), "{number}");
        outputs.remove("t_aux").unwrap();
        for (name, content) in &outputs {
            assert_eq!(content, &bytes(&vector["files"][name]), "{number} {name}");
        }
        assert_eq!(outputs.len(), 3, "p_aux, tree C and tree R: {:?}", outputs.keys());
    }
}

/// The largest sector outside of a sweep. One of 512 MiB takes some minutes.
const LARGEST: u64 = 8 << 20;

#[test]
fn sectors_of_streams_have_the_digests_of_filecoin_proofs() {
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let vectors = sectors(STREAMS);
    assert_eq!(vectors.len(), 9);
    for vector in vectors {
        let (sector_bytes, layers) = (vector["sector_bytes"].as_u64().unwrap(), &vector["layers"]);
        if sector_bytes > LARGEST && !is_sweep {
            println!("skipped, HALIMEDE_SWEEP=1 runs it: a sector of {sector_bytes} bytes");
            continue;
        }
        let sandbox = Sandbox::of_streams(sector_bytes, layers.as_u64().unwrap() as usize);
        assert_eq!(sandbox.sector.comm_d[..], bytes(&vector["comm_d"]));
        let mut read = 0;
        let total = sandbox.job().bytes();
        let outcome = sandbox.job().run(&mut |bytes| {
            assert!(read <= bytes && bytes <= total);
            read = bytes;
            true
        });
        assert_eq!(outcome.unwrap().commitments.comm_r[..], bytes(&vector["comm_r"]));
        assert_eq!(read, total);
        let mut outputs = sandbox.outputs();
        outputs.insert("t_aux".into(), sandbox.t_aux_of_cache());
        let expected = vector["sha256"].as_object().unwrap();
        assert_eq!(outputs.len(), expected.len(), "{:?}", outputs.keys());
        for (name, digest) in expected {
            let got = Sha256::digest(&outputs[name]);
            assert_eq!(got[..], bytes(digest), "{sector_bytes} bytes, {layers} layers: {name}");
        }
    }
}

#[test]
fn first_phases_are_parsed_in_the_form_of_lotus() {
    use base64::Engine;
    for vector in sectors(REAL) {
        let mut phase1 = vector["phase1"].clone();
        let expected = Phase1::parse(phase1.to_string().as_bytes()).unwrap();
        phase1["_lotus_SealRandomness"] = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".into();
        let base64 = base64::engine::general_purpose::STANDARD.encode(phase1.to_string());
        assert_eq!(Phase1::decode(&format!("{base64}\n")).unwrap(), expected);
    }
}
