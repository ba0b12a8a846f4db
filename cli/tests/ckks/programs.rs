// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval` and `keygen --for` with programs of HEIR.

use crate::sandbox::{assert_near, Sandbox, COUNT};

const MATMUL: &str =
    include_str!("../../../engines/ckks/tests/circuit/heir/custom_arithmetization.mlir");
const SEVERAL: &str = "
func.func private @other(%x: f32) -> f32
func.func @f(%x: tensor<16xf32> {secret.secret}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = arith.addf %x, %x : tensor<16xf32>
  %1 = arith.negf %x : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
func.func @g(%x: tensor<8xf32> {secret.secret}) -> tensor<8xf32> {
  %0 = linalg.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
";

#[test]
fn a_program_with_encrypted_and_plain_arguments() {
    let sandbox = Sandbox::new(111);
    let program = sandbox.path("matmul.mlir");
    std::fs::write(&program, MATMUL).unwrap();
    let weight = |k: usize| -> Vec<f64> {
        (0..COUNT).map(|i| ((7 * i + 3 * k) % 11) as f64 / 4.0 - 1.0).collect()
    };
    for k in 1..5 {
        sandbox.csv(&format!("w{k}.csv"), &weight(k));
    }
    let weights = ["arg1=w1.csv", "arg2=w2.csv", "arg3=w3.csv", "arg4=w4.csv"];
    let eval = |keys: &str, x: &str| {
        let start = ["eval", "--keys", keys, &program, x];
        sandbox.ok(&[&start[..], &weights[..], &["--out", "z.ct"]].concat());
    };
    let x = |i: usize| sandbox.x[i % COUNT];
    let w = |k: usize, i: usize| weight(k)[i % COUNT];
    let inner = |i: usize| x(i) * w(3, i) + x(i + 4) * w(4, i);
    let expected: Vec<[f64; 2]> =
        (0..COUNT).map(|i| [x(i) * w(1, i) + x(i + 4) * w(2, i) + inner(i + 8), 0.0]).collect();
    eval("k/evaluation.keys", "arg0=x.ct");
    assert_near(&sandbox.decrypt("z.ct", &[]), &expected, "keys of a sandbox");
    // Keys for this program.
    let keygen = ["keygen", "--params", "n10-insecure", "--dir", "own.key", "--for", &program];
    sandbox.ok(&keygen);
    sandbox.ok(&["encrypt", "--key", "own.key/secret.key", "--in", "x.csv", "--out", "own.ct"]);
    eval("own.key/evaluation.keys", "arg0=own.ct");
    let printed = sandbox.ok(&["decrypt", "--key", "own.key/secret.key", "z.ct", "--real"]).stdout;
    let got: Vec<[f64; 2]> = printed.lines().map(|line| [line.parse().unwrap(), 0.0]).collect();
    assert_near(&got, &expected, "own keys");
    // Missing and superfluous parts are named before anything is computed.
    let refused = |arguments: &[&str], reason: &str| {
        sandbox.refused(&[&["eval", "--plan", &program][..], arguments].concat(), reason);
    };
    refused(&["arg0=x.ct"], "give arg1=FILE with a vector as CSV or NPY");
    refused(&["arg1=w1.csv"], "give arg0=FILE with a ciphertext");
    refused(&["arg9=x.ct"], "the function has no argument %arg9 to give");
    let short = ["arg0=x.ct", "arg1=w1.csv", "arg2=w2.csv", "arg3=w3.csv", "arg4=s.csv"];
    sandbox.csv("s.csv", &[1.0, 2.0]);
    refused(&short, "%arg4 has 2 values, and its type has 16");
}

#[test]
fn functions_and_results_are_chosen() {
    let sandbox = Sandbox::new(112);
    let program = sandbox.path("several.mlir");
    std::fs::write(&program, SEVERAL).unwrap();
    let plan = ["eval", "--plan", &program, "x=x.ct"];
    let refused = |options: &[&str], reason: &str| {
        sandbox.refused(&[&plan[..], options].concat(), reason);
    };
    refused(&[], "give one of the functions @other, @f, @g");
    refused(&["--function", "f"], "the function has 2 results: give one with --result, from 0");
    refused(&["--function", "f", "--result", "2"], "the function has 2 results");
    refused(&["--function", "h"], "there is no @h; functions: @other, @f, @g");
    refused(
        &["--function", "g"],
        "several.mlir, line 9, column 8: the operation linalg.exp is not",
    );
    let keys = ["--keys", "k/evaluation.keys", "--out", "z.ct", "--function", "f", "--result", "1"];
    sandbox.ok(&[&["eval", &program, "x=x.ct"][..], &keys].concat());
    let expected: Vec<[f64; 2]> = sandbox.x.iter().map(|x| [-x, 0.0]).collect();
    assert_near(&sandbox.decrypt("z.ct", &[]), &expected, "the second result");
    let text = ["eval", "--plan", "x", "x=x.ct"];
    sandbox.refused(&[&text[..], &["--result", "0"]].concat(), "--result is for programs");
    let long = SEVERAL.replace("tensor<16xf32>", "tensor<9xf32>");
    std::fs::write(&program, long).unwrap();
    refused(&["--function", "f", "--result", "0"], "x has 16 values, but the type of %x in");
}
