// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks compile`: writes networks for `halimede serve`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use halimede_ckks_nn::NetworkFile;

use super::common::halimede;
use super::model_file::{int, model, node, tensor, Store};

#[test]
fn a_network_is_written_for_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let onnx = model(
        &[0, 4],
        &[
            node("Gemm", &["x", "w"], "sum", &[int("transB", 1)]),
            node("Tanh", &["sum"], "tanh", &[]),
            node("Gemm", &["tanh", "v"], "y", &[int("transB", 1)]),
        ],
        &[
            tensor("w", &[1, 4], &[0.25; 4], Store::RawFloat),
            tensor("v", &[2, 1], &[1.0, -1.0], Store::RawFloat),
        ],
    );
    fs::write(path("model.onnx"), onnx).unwrap();
    fs::write(path("a.csv"), "1\n-1\n0.5\n0\n").unwrap();
    fs::write(path("b.csv"), "-1\n1\n0\n-0.5\n").unwrap();
    let run = |words: &[&str], out: &str| {
        let (model, a, b) = (path("model.onnx"), path("a.csv"), path("b.csv"));
        let first = ["ckks", "compile", &model, "--params", "n13-insecure", "--degree", "7"];
        let files = ["--calibrate", &a, &b, "--out", out];
        halimede(&[&first[..], &files, words].concat(), b"")
    };
    let interface = path("x.interface");
    let told = run(&["--batch", "2", "--interface", &interface], &path("x.network"));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stdout.contains("tanh") && told.stderr.contains("INSECURE"), "{}", told.stdout);
    let mode = fs::metadata(path("x.network")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it has the samples");
    let file = NetworkFile::read(&fs::read(path("x.network")).unwrap()).unwrap();
    assert_eq!((file.options.batch, file.options.degree, file.samples.len()), (2, 7, 2));
    let parameters = file.header().unwrap().insecure_parameters().unwrap();
    let mut bytes = Vec::new();
    file.compile(&parameters).unwrap().interface().save(&mut bytes).unwrap();
    assert_eq!(bytes, fs::read(&interface).unwrap());
    // An output must not be an input, nor another output.
    for (words, out) in [
        (&[][..], path("model.onnx")),
        (&["--interface", interface.as_str()][..], interface.clone()),
    ] {
        let told = run(words, &out);
        assert_eq!(told.code, Some(2), "{}", told.stderr);
    }
    let told = halimede(&["serve", "--network", &path("model.onnx")], b"");
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("halimede ckks compile"), "{}", told.stderr);
}
