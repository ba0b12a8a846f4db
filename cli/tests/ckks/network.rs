// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks run`: runs a network from a file on encrypted inputs.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use tempfile::TempDir;

use super::common::{halimede, Outcome};
use super::model_file::{int, model, node, tensor, Store};

/// Returns the file of a network: the hyperbolic tangent of a sum of four values, times each
/// factor.
fn network(factors: &[f64]) -> Vec<u8> {
    model(
        &[0, 4],
        &[
            node("Gemm", &["x", "w"], "sum", &[int("transB", 1)]),
            node("Tanh", &["sum"], "tanh", &[]),
            node("Gemm", &["tanh", "v"], "y", &[int("transB", 1)]),
        ],
        &[
            tensor("w", &[1, 4], &[1.0; 4], Store::RawFloat),
            tensor("v", &[factors.len(), 1], factors, Store::RawFloat),
        ],
    )
}

/// Creates a folder with the model of the hyperbolic tangent of a sum of four values, samples whose
/// values cancel each other, and an input whose values do not.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = network(&[-1.0, 1.0]);
    let softmax = [node("LogSoftmax", &["x"], "p", &[]), node("Relu", &["p"], "y", &[])];
    for (name, content) in [
        ("model.onnx", file),
        ("softmax.onnx", model(&[0, 4], &softmax, &[])),
        ("a.csv", b"1\n-1\n0.5\n0\n".to_vec()),
        ("b.csv", b"-1\n1\n0\n-0.5\n".to_vec()),
        ("far.csv", b"1\n1\n1\n1\n".to_vec()),
        ("beyond.csv", b"1\n0\n0.2\n0\n".to_vec()),
        ("short.csv", b"1\n1\n".to_vec()),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Runs the command; names with a dot are files of the folder.
fn run(folder: &TempDir, arguments: &str) -> Outcome {
    let path = |word: &str| match word.contains('.') {
        true => folder.path().join(word).display().to_string(),
        false => word.to_owned(),
    };
    let words: Vec<String> = arguments.split_whitespace().map(path).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    halimede(&[&["ckks", "run"][..], &words, &["--degree", "7"]].concat(), b"")
}

#[test]
fn labels_are_those_of_plaintext() {
    let folder = folder();
    let arguments = "model.onnx a.csv b.csv --params n13-insecure --json --calibrate a.csv b.csv";
    let outcome = run(&folder, arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let results = object["results"].as_array().unwrap();
    for (result, label) in results.iter().zip([1, 0]) {
        assert_eq!((&result["label"], &result["plaintext_label"]), (&label.into(), &label.into()));
        assert!(result["largest_difference"].as_f64().unwrap() < 0.01, "{result}");
        assert!(result["guard"].as_f64().unwrap() < 0.01, "{result}");
    }
    assert_eq!(object["report"]["layers"][0]["layers"][0], "/sum");
    let outcome = run(&folder, "model.onnx a.csv --params n13-insecure");
    assert!(outcome.stdout.contains("a.csv: label 1, in plaintext 1; off by at most"));
    assert!(outcome.stderr.contains("calibrated with the inputs themselves"), "{}", outcome.stderr);
}

#[test]
fn a_result_out_of_range_is_a_failed_check() {
    let folder = folder();
    let arguments = "model.onnx far.csv --params n13-insecure --calibrate a.csv b.csv";
    let outcome = run(&folder, arguments);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("far.csv: the guard is"), "{}", outcome.stderr);
    // The run has a result: there is nothing left to resume.
    let outcome = run(&folder, &format!("{arguments} --checkpoint kept.folder"));
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let names = std::fs::read_dir(folder.path().join("kept.folder")).unwrap();
    let mut names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["evaluation.keys", "names.key", "secret.key"]);
}

/// Five inputs, two at a time: one of them leaves an interval, and the others have results.
#[test]
fn inputs_run_in_batches() {
    let folder = folder();
    let arguments = "model.onnx a.csv b.csv beyond.csv a.csv b.csv --params n13-insecure \
        --calibrate a.csv b.csv --batch 2 --json --checkpoint kept.folder";
    let outcome = run(&folder, arguments);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("beyond.csv: the guard is"), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let results = object["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{object}");
    for (result, (name, label)) in results.iter().zip([("a", 1), ("b", 0), ("a", 1), ("b", 0)]) {
        assert!(result["file"].as_str().unwrap().ends_with(&format!("{name}.csv")), "{result}");
        assert_eq!((&result["label"], &result["plaintext_label"]), (&label.into(), &label.into()));
        assert!(result["guard"].as_f64().unwrap() < 0.01, "{result}");
    }
    let names = std::fs::read_dir(folder.path().join("kept.folder")).unwrap();
    assert_eq!(names.count(), 3, "no encrypted input is left");
    let outcome = run(&folder, "model.onnx a.csv --params n13-insecure --batch 0");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("1 to 1024 inputs"), "{}", outcome.stderr);
}

/// One output, no guard: the result of an input that leaves the interval of the activation has the
/// wrong sign, and is a hundred times too large. A single value has no label that could agree.
#[test]
fn a_single_value_agrees_by_value_and_sign() {
    let folder = folder();
    let file = network(&[20.0]);
    std::fs::write(folder.path().join("one.onnx"), file).unwrap();
    let arguments = "--calibrate a.csv b.csv --params n13-insecure --no-guard";
    let near = run(&folder, &format!("one.onnx a.csv b.csv {arguments}"));
    assert_eq!(near.code, Some(0), "{}", near.stderr);
    assert!(near.stdout.contains("a.csv: value 9.24") && near.stdout.contains(", tolerance "));
    assert!(!near.stdout.contains("label"), "{}", near.stdout);
    assert!(near.stderr.contains("only for the owner of the key"), "{}", near.stderr);
    let far = run(&folder, &format!("one.onnx a.csv far.csv {arguments}"));
    assert_eq!(far.code, Some(1), "{}", far.stdout);
    assert!(far.stdout.contains("far.csv: value -") && far.stdout.contains("; DISAGREES\n"));
    assert!(far.stderr.contains("far.csv: the value is -"), "{}", far.stderr);
    assert!(far.stderr.contains("in plaintext: another sign"), "{}", far.stderr);
    let allowed =
        run(&folder, &format!("one.onnx far.csv {arguments} --allow-disagreement --json"));
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    assert!(allowed.stderr.contains("another sign"), "{}", allowed.stderr);
    let object: Value = serde_json::from_str(&allowed.stdout).unwrap();
    let result = &object["results"][0];
    assert_eq!((&result["label"], &result["plaintext_label"]), (&Value::Null, &Value::Null));
    assert_eq!((&result["agrees"], &object["for"]["whom"]), (&false.into(), &"owner".into()));
    assert!(result["disagreement"].as_str().unwrap().contains("another sign"), "{result}");
    // A tenth of the largest value of the samples, or the given tolerance.
    assert!((result["tolerance"].as_f64().unwrap() - 0.924).abs() < 0.01, "{result}");
    let strict = run(&folder, &format!("one.onnx a.csv {arguments} --tolerance 1e-9"));
    assert_eq!(strict.code, Some(1), "{}", strict.stdout);
    assert!(strict.stderr.contains("off by more than 1.0e-9"), "{}", strict.stderr);
    let wrong = run(&folder, &format!("one.onnx a.csv {arguments} --tolerance -1"));
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
}

/// Values for others have noise, and nothing printed is derived from values without noise.
#[test]
fn results_are_shared_with_noise() {
    let folder = folder();
    let arguments = "model.onnx a.csv b.csv --params n13-insecure --calibrate a.csv b.csv \
        --allow-disagreement --json --share --security 4";
    let outcome = run(&folder, &format!("{arguments} --queries 2"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("for others, at 4 bits of security for 2 decryptions"));
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let (of, results) = (&object["for"], object["results"].as_array().unwrap());
    assert_eq!(
        (&of["whom"], &of["security_bits"], &of["queries"]),
        (&"others".into(), &4.into(), &2.into())
    );
    let bound = of["error_bound"].as_f64().unwrap();
    let bits = 2.0 + 0.5 * f64::from(12 * 2 * (1 << 13)).log2();
    for result in results {
        let noise = result["error"].as_f64().unwrap();
        // Half a bit is for the guard, which is subtracted.
        assert!((noise / bound / (bits + 0.5).exp2() - 1.0).abs() < 1e-6, "{noise} {bound}");
        let off = result["largest_difference"].as_f64().unwrap();
        assert!(off > noise / 1e3 && off < 0.01 + 6.0 * noise, "{off} {noise}");
    }
    for (more, reason) in [
        (" --queries 1", "--queries 1: these inputs need 2 decryptions"),
        (" --queries 2 --error-at-least 0", "--error-at-least 0: give a finite number above 0"),
        (" --queries 2 --error-at-least 1", "nothing is left of values"),
        (" --queries 2 --no-guard", "the network has activations but no guard"),
        ("", "--queries <N>"),
    ] {
        let outcome = run(&folder, &format!("{arguments}{more}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{more}");
        assert!(outcome.stderr.contains(reason), "{more}: {}", outcome.stderr);
    }
    let own = run(&folder, &format!("{arguments} --queries 2 --no-guard --error-at-least 1e-6"));
    assert_eq!(own.code, Some(0), "{}", own.stderr);
}

#[test]
fn reports_and_refusals() {
    let folder = folder();
    let report = run(&folder, "model.onnx a.csv --params n10-boot-insecure --report");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stdout.contains("tanh, degree 7"), "{}", report.stdout);
    for (arguments, reason) in [
        (
            "softmax.onnx a.csv",
            "node /p: LogSoftmax is only supported at the end of a network, where the client computes \
             it after decryption, but Relu (node /y) follows; to end the network before this node, \
             choose its input x as the output (`--output NAME`",
        ),
        ("softmax.onnx a.csv --output z", "no node has the output z; the last ones are y, p"),
        ("model.onnx short.csv", "short.csv: expected 4 values (4), got 2"),
        ("model.onnx model.onnx", "model.onnx: byte"),
        ("a.csv a.csv", "not an ONNX model"),
        ("model.onnx a.csv --params n10-insecure", "level"),
        ("model.onnx a.csv --params n99", "n99"),
        ("model.onnx none.csv", "No such file"),
    ] {
        let outcome = run(&folder, arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(reason), "{arguments}: {}", outcome.stderr);
    }
}

/// A pipeline of scikit-learn: the class of a patient and its probability, after decryption.
#[test]
fn a_classifier_states_labels() {
    let folder = folder();
    let exports = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/ckks_nn/tests/exports/");
    let recorded = std::fs::read(format!("{exports}sklearn_logistic_binary.json")).unwrap();
    let recorded: Value = serde_json::from_slice(&recorded).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    let malignant = cases.iter().position(|case| case["labels"][0] == "malignant").unwrap();
    let benign = cases.iter().position(|case| case["labels"][0] == "benign").unwrap();
    for (name, case) in [("m.csv", malignant), ("b.csv", benign)] {
        let values = cases[case]["input"].as_array().unwrap();
        let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
        std::fs::write(folder.path().join(name), lines.concat()).unwrap();
    }
    let model = folder.path().join("patients.onnx");
    std::fs::copy(format!("{exports}sklearn_logistic_binary.onnx"), model).unwrap();
    let arguments = "patients.onnx m.csv b.csv --params n13-insecure --calibrate m.csv b.csv";
    let text = run(&folder, arguments);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("m.csv: label malignant, in plaintext malignant; off by at most"));
    assert!(text.stdout.contains("; benign 0.") && text.stdout.contains(" malignant 0."));
    let outcome = run(&folder, &format!("{arguments} --json"));
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(object["classes"], serde_json::json!(["benign", "malignant"]));
    assert_eq!(
        object["report"]["post_processing"],
        serde_json::json!(["argmax", "labels", "sigmoid"])
    );
    for (result, case) in object["results"].as_array().unwrap().iter().zip([malignant, benign]) {
        assert_eq!(result["label"], cases[case]["labels"][0]);
        assert_eq!(result["plaintext_label"], cases[case]["labels"][0]);
        let near = |place: usize| {
            let [got, wanted] = [&result["values"], &cases[case]["values"]]
                .map(|values| values[place].as_f64().unwrap());
            assert!((got - wanted).abs() < 1e-4, "{result}");
        };
        near(0);
        near(1);
        let score = result["scores"][1].as_f64().unwrap();
        let probability = result["values"][1].as_f64().unwrap();
        assert!((probability - 1.0 / (1.0 + (-score).exp())).abs() < 1e-12, "{result}");
    }
    let scores = run(&folder, &format!("{arguments} --output variable --report"));
    assert_eq!(scores.code, Some(0), "{}", scores.stderr);
    assert!(!scores.stdout.contains("after decryption"), "{}", scores.stdout);
    let report = run(&folder, &format!("{arguments} --report"));
    assert!(report.stdout.contains("\nafter decryption: argmax, labels, sigmoid\n"));
}

#[test]
fn an_interface_is_shown() {
    let folder = folder();
    let graph = std::fs::read(folder.path().join("model.onnx")).unwrap();
    let graph = halimede_ckks_nn::read_onnx(&graph).unwrap();
    let samples = [vec![1.0, -1.0, 0.5, 0.0]];
    let calibration = halimede_ckks_nn::Calibration::new(&graph, &samples).unwrap();
    let parameters = halimede_ckks::Parameters::preset("n13-insecure").unwrap();
    let options = halimede_ckks_nn::Options { degree: 3, ..Default::default() };
    let model = halimede_ckks_nn::Model::compile(&graph, &calibration, &parameters, &options);
    let path = folder.path().join("model.interface");
    model.unwrap().interface().save(std::fs::File::create(&path).unwrap()).unwrap();
    let path = path.to_str().unwrap();
    let text = halimede(&["ckks", "inspect", path], b"");
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("the interface of a network for the parameters n13-insecure"));
    assert!(text.stdout.contains("result      2, ciphertexts 1, with a guard"), "{}", text.stdout);
    let outcome = halimede(&["ckks", "inspect", path, "--json"], b"");
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&object["input_shape"][0], &object["guard"]), (&4.into(), &true.into()));
    assert!(object["keys"].as_u64().unwrap() > 0, "{object}");
    // The file is neither a key nor a ciphertext.
    let outcome = halimede(&["ckks", "decrypt", path, "--key", path], b"");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
}

/// Returns the mode of a file or folder.
fn mode(path: impl AsRef<std::path::Path>) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns the name that the file of an encrypted input would have with an unkeyed hash, which an
/// attacker who knows the model and the samples, and guesses the values (those of the first file),
/// could compute.
fn guessed_name(model: &str, samples: &[&str]) -> String {
    let values = |path: &&str| -> Vec<f64> {
        std::fs::read_to_string(path).unwrap().lines().map(|line| line.parse().unwrap()).collect()
    };
    let samples: Vec<Vec<f64>> = samples.iter().map(values).collect();
    let graph = halimede_ckks_nn::read_onnx(&std::fs::read(model).unwrap()).unwrap();
    let calibration = halimede_ckks_nn::Calibration::new(&graph, &samples).unwrap();
    let parameters = halimede_ckks::Parameters::preset("n10-boot-insecure").unwrap();
    let options = halimede_ckks_nn::Options {
        degree: 3,
        guard: false,
        ..halimede_ckks_nn::Options::default()
    };
    let model =
        halimede_ckks_nn::Model::compile(&graph, &calibration, &parameters, &options).unwrap();
    let mut hasher = blake3::Hasher::new_derive_key("Halimede ckks run, a network's input");
    model.interface().save(&mut hasher).unwrap();
    for value in &samples[0] {
        hasher.update(&value.to_le_bytes());
    }
    format!("{}.input", hasher.finalize().to_hex())
}

/// A run that is killed after its first bootstrap resumes with its keys and its input, and has the
/// same values as an uninterrupted run. A damaged checkpoint is an error, so the run does resume
/// from it.
#[test]
fn a_run_that_was_killed_goes_on() {
    let folder = folder();
    let mut nodes = vec![node("Gemm", &["x", "w"], "sum", &[int("transB", 1)])];
    let names: Vec<String> = (0..8).map(|layer| format!("t{layer}")).collect();
    for (before, name) in std::iter::once("sum").chain(names.iter().map(|name| &**name)).zip(&names)
    {
        nodes.push(node("Tanh", &[before], name, &[]));
    }
    nodes.push(node("Gemm", &["t7", "v"], "y", &[int("transB", 1)]));
    let tensors = [
        tensor("w", &[1, 4], &[1.0; 4], Store::RawFloat),
        tensor("v", &[2, 1], &[-1.0, 1.0], Store::RawFloat),
    ];
    std::fs::write(folder.path().join("deep.onnx"), model(&[0, 4], &nodes, &tensors)).unwrap();
    let kept = folder.path().join("kept");
    let kept = kept.to_str().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [model, input, sample] = ["deep.onnx", "a.csv", "b.csv"].map(path);
    let words = |folder: &[&str]| -> Vec<String> {
        let first =
            ["ckks", "run", &model, &input, "--params", "n10-boot-insecure", "--degree", "3"];
        let last = ["--json", "--no-guard", "--calibrate", &input, &sample];
        [&first[..], folder, &last].concat().into_iter().map(str::to_owned).collect()
    };
    let values = |words: &[String]| -> Vec<f64> {
        let outcome = halimede(&words.iter().map(String::as_str).collect::<Vec<_>>(), b"");
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
        serde_json::from_value(object["results"][0]["values"].clone()).unwrap()
    };
    let unbroken = values(&words(&[]));
    let with_folder = words(&["--checkpoint", kept]);
    let files = |ending: &str| -> Vec<std::path::PathBuf> {
        let entries =
            std::fs::read_dir(kept).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
    };
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_halimede"))
        .args(&with_folder)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while files(".checkpoint").is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended before its first checkpoint");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [checkpoint] = &files(".checkpoint")[..] else { panic!("{:?}", files("")) };
    assert_eq!(files(".input").len(), 1);
    let named = files(".input").remove(0);
    assert_ne!(
        named.file_name().unwrap().to_str().unwrap(),
        guessed_name(&model, &[&input, &sample])
    );
    let good = std::fs::read(checkpoint).unwrap();
    let keys =
        ["secret.key", "evaluation.keys"].map(|name| std::fs::read(path(&format!("kept/{name}"))));
    assert_eq!(mode(kept), 0o700);
    for name in ["secret.key", "names.key", "evaluation.keys"] {
        assert_eq!(mode(path(&format!("kept/{name}"))), 0o600, "{name}");
    }
    assert_eq!([mode(&named), mode(checkpoint)], [0o600; 2]);
    // A folder that others can read is made private again.
    std::fs::set_permissions(kept, PermissionsExt::from_mode(0o755)).unwrap();
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(checkpoint, damaged).unwrap();
    let words: Vec<&str> = with_folder.iter().map(String::as_str).collect();
    let outcome = halimede(&words, b"");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(".checkpoint: the checksum"), "{}", outcome.stderr);
    std::fs::write(checkpoint, good).unwrap();
    for (got, wanted) in values(&with_folder).iter().zip(&unbroken) {
        assert!((got - wanted).abs() < 1e-3, "{got} {wanted}");
    }
    assert_eq!((files(".checkpoint").len(), files(".input").len()), (0, 0));
    assert_eq!(mode(kept), 0o700);
    for (name, before) in ["secret.key", "evaluation.keys"].into_iter().zip(keys) {
        assert_eq!(
            std::fs::read(path(&format!("kept/{name}"))).unwrap(),
            before.unwrap(),
            "{name}"
        );
    }
    // A folder with other content, and keys for other parameters.
    let others = words.iter().map(|word| match *word {
        "n10-boot-insecure" => "n16-boot",
        word => word,
    });
    let outcome = halimede(&others.collect::<Vec<_>>(), b"");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("evaluation.keys: the file is for the parameters"));
    let not_keys = folder.path().to_str().unwrap();
    let here = words.iter().map(|word| if *word == kept { not_keys } else { word });
    let outcome = halimede(&here.collect::<Vec<_>>(), b"");
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
}

/// Runs `ckks train-logistic` on samples whose class is the sign of a sum.
#[test]
fn training_finds_the_weights_of_plaintext() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::from("class,a,b,c\n");
    let mut state = 7u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    for _ in 0..40 {
        let [a, b, c] = [0; 3].map(|_| next());
        let class = if 2.0 * a - b + 0.5 > 0.0 { 8 } else { 3 };
        lines += &format!("{class},{},{b},{c}\n", 100.0 * a);
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("table.csv"), lines).unwrap();
    std::fs::write(path("wide.csv"), "1,2,3\n0,1,2\n").unwrap();
    let train = |words: &[&str]| {
        let all = [&["ckks", "train-logistic"], words, &["--params", "n13-insecure"]].concat();
        halimede(&all, b"")
    };
    let (table, out, wide) = (path("table.csv"), path("weights.csv"), path("wide.csv"));
    let one = ["--iterations", "1", "--rate", "8", "--rows", "30"];
    let outcome = train(&[&[&table, "--json", "--out", &out], &one[..]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&object["samples"], &object["test_samples"]), (&30.into(), &10.into()));
    assert!(object["largest_difference"].as_f64().unwrap() < 1e-5, "{object}");
    let [found, plain] = [0, 1].map(|place| &object["accuracy"][place]["training_percent"]);
    assert!(found == plain && found.as_f64().unwrap() > 80.0, "{object}");
    let weights: Vec<f64> =
        object["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(written.lines().map(|line| line.parse::<f64>().unwrap()).eq(weights.iter().copied()));
    // The first feature is a hundred times as large.
    assert!(weights[0] > 0.0 && weights[1] < 0.0 && weights[0] < 0.1 && weights.len() == 4);
    assert_eq!(mode(&out), 0o600);
    assert!(outcome.stderr.contains("only for the owner of the key"), "{}", outcome.stderr);
    let share = ["--share", "--security", "2", "--queries", "1", "--json", "--error-at-least"];
    let published = path("published.csv");
    let to = ["1e-6", "--out", published.as_str()];
    let outcome = train(&[&[table.as_str()], &one[..], &share, &to].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("for others, at 2 bits of security for 1 decryptions"));
    let shared: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(shared["for"]["error_bound"], 1e-6);
    let off = shared["largest_difference"].as_f64().unwrap();
    // 2⁻²⁰, plus 1 + ½·log₂(12·2¹³) bits of noise.
    assert!((1e-5..6e-3).contains(&off), "{off}");
    let outcome = train(&[&[table.as_str()], &one[..], &share, &["1e-12"]].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the weights differ by"), "{}", outcome.stderr);
    let outcome = train(&[&[table.as_str()], &one[..], &share[..6]].concat());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("state a bound with --error-at-least"), "{}", outcome.stderr);
    let outcome = train(&[&[table.as_str()], &one[..]].concat());
    assert!(outcome.stdout.contains("1 iterations in") && outcome.stdout.contains("of 10 others"));
    assert!(outcome.stdout.contains("plaintext, polynomial "), "{}", outcome.stdout);
    for (words, wanted) in [
        (vec![table.as_str()], "no levels for bootstraps"),
        (vec![&table, "--iterations", "0"], "0 iterations"),
        (vec![&table, "--iterations", "1", "--rows", "40"], "fewer than the 40 rows of the table"),
        (
            vec![&table, "--iterations", "1", "--test", &wide],
            "expected 3 features, as in the table, got 2",
        ),
        (vec![&out, "--iterations", "1"], "weights.csv: line 3"),
    ] {
        let outcome = train(&words);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(wanted), "{}", outcome.stderr);
    }
}

/// Threes and eights of MNIST, 32 iterations on 1,024 samples: ten minutes. Runs in a sweep if
/// `HALIMEDE_DATA` has the samples that the authors of HELR publish.
#[test]
fn threes_and_eights_are_told_apart() {
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let table = std::env::var_os("HALIMEDE_DATA")
        .map(|data| std::path::Path::new(&data).join("helr/MNIST_test.txt"))
        .filter(|path| path.is_file());
    let Some(table) = table.filter(|_| is_sweep) else {
        println!("skipped: HALIMEDE_SWEEP=1 runs it, with helr/MNIST_test.txt in HALIMEDE_DATA");
        return;
    };
    let table = table.display().to_string();
    let outcome = halimede(&["ckks", "train-logistic", &table, "--rows", "1024", "--json"], b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let right = |place: usize| object["accuracy"][place]["test_percent"].as_f64().unwrap();
    assert!(right(0) >= 96.0 && (right(0) - right(2)).abs() <= 0.5, "{object}");
    assert!(object["largest_difference"].as_f64().unwrap() < 1e-3, "{object}");
}
