// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of HEIR: encrypted results against plain numbers, and texts that are rejected.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use halimede_ckks::circuit::mlir::{ArgumentKind, Module};
use halimede_ckks::circuit::Input;
use halimede_ckks::{Bound, Ciphertext, Client, Expression, Parameters, Plan, Values};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LINEAR: &str = include_str!("heir/linear_polynomial.mlir");
const MATMUL: &str = include_str!("heir/custom_arithmetization.mlir");
const CROSS_LEVEL: &str = include_str!("heir/cross_level.mlir");
const HAMMING: &str = include_str!("heir/hamming_distance_1024.mlir");
const SIMFHE: &str = include_str!("heir/emit_simfhe.mlir");
const ALL: [&str; 5] = [LINEAR, MATMUL, CROSS_LEVEL, HAMMING, SIMFHE];

fn random(seed: u64, length: usize, bound: f64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..length).map(|_| rng.gen_range(-bound..bound)).collect()
}

/// Runs a program with random encrypted vectors, and returns its results and its arguments.
fn run(
    text: &str,
    preset: &str,
    length: usize,
    bound: f64,
) -> (Vec<Vec<f64>>, BTreeMap<String, Vec<f64>>) {
    let module = Module::parse(text).unwrap();
    let function = module.function(None).unwrap();
    let mut given = BTreeMap::new();
    for (index, argument) in function.arguments().iter().enumerate() {
        assert_eq!(argument.length.unwrap_or(length), length);
        given.insert(argument.name.clone(), random(index as u64, length, bound));
    }
    let results = function.results(&given).unwrap();
    let parameters = Parameters::preset(preset).unwrap();
    let mut client = Client::new(&parameters).unwrap();
    let input = Input { length, ..Input::fresh(&parameters, Bound::real(bound)) };
    let encrypted = function.arguments().iter().filter(|of| of.kind == ArgumentKind::Encrypted);
    let names: Vec<&str> = encrypted.map(|argument| argument.name.as_str()).collect();
    let ciphertexts: Vec<(&str, Ciphertext)> = names
        .iter()
        .map(|name| {
            let values = Values::from(&given[*name][..]).within(bound);
            (*name, client.encrypt(values).unwrap())
        })
        .collect();
    let inputs: BTreeMap<String, Input> =
        names.iter().map(|name| ((*name).to_owned(), input)).collect();
    let ciphertexts: Vec<(&str, &Ciphertext)> =
        ciphertexts.iter().map(|(name, a)| (*name, a)).collect();
    let result = |expression: &Expression| {
        let plan = Plan::new(expression, &parameters, &inputs).unwrap();
        let result = client.server(&plan.operations()).run(expression, &ciphertexts).unwrap();
        client.decrypt(&result).unwrap().iter().map(|value| value.re).collect()
    };
    (results.iter().map(result).collect(), given)
}

fn check(result: &[f64], expected: impl Fn(usize) -> f64, tolerance: f64) {
    for (place, value) in result.iter().enumerate() {
        let wanted = expected(place);
        assert!((value - wanted).abs() < tolerance, "place {place}: {value}, not {wanted}");
    }
}

#[test]
fn a_program_of_the_ckks_dialect() {
    let (results, given) = run(LINEAR, "n10-insecure", 512, 1.0);
    let of = |name: &str, place: usize| given[name][place];
    check(&results[0], |i| of("arg3", i) - of("arg0", i) * of("arg2", i) - of("arg1", i), 1e-5);
}

#[test]
fn rotations_and_plain_arguments() {
    let (results, given) = run(MATMUL, "n10-insecure", 16, 1.0);
    let x = |i: usize| given["arg0"][i % 16];
    let w = |k: usize, i: usize| given[&format!("arg{k}")][i % 16];
    let inner = |i: usize| x(i) * w(3, i) + x(i + 4) * w(4, i);
    check(&results[0], |i| x(i) * w(1, i) + x(i + 4) * w(2, i) + inner(i + 8), 1e-5);
}

#[test]
fn arithmetic_before_levels_are_chosen() {
    let (results, given) = run(CROSS_LEVEL, "n10-insecure", 4, 0.5);
    let expected = |i: usize| {
        let (base, add) = (given["base"][i], given["add"][i]);
        (0..3).fold(base + add, |sum, _| sum * sum + add)
    };
    check(&results[0], expected, 1e-4);
}

#[test]
fn a_region_of_secret_values() {
    let (results, given) = run(HAMMING, "n13-insecure", 1024, 0.25);
    let pairs = given["arg0"].iter().zip(&given["arg1"]);
    let distance: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
    // The function returns the first place.
    check(&results[0][..1], |_| distance, 1e-3);
}

#[test]
fn several_results_and_every_operation() {
    let (results, given) = run(SIMFHE, "n10-insecure", 512, 1.0);
    let [x, y, z] = ["x", "y", "z"].map(|name| given[name].clone());
    let expected: [&dyn Fn(usize) -> f64; 8] = [
        &|i| -x[i],
        &|i| x[i] + y[i],
        &|i| x[i] - y[i],
        &|i| x[i] * y[i] * x[i],
        &|i| x[(i + 4) % 512],
        &|i| x[i] + z[i],
        &|i| x[i] - z[i],
        &|i| x[i] * z[i],
    ];
    assert_eq!(results.len(), 8);
    for (result, expected) in results.iter().zip(expected) {
        check(result, expected, 1e-5);
    }
}

/// Returns a function of ciphertexts x and y of 8 values, with numbers w.
fn function(body: &str) -> String {
    format!(
        "func.func @f(%x: tensor<8xf32> {{secret.secret}}, %y: !secret.secret<tensor<8xf32>>, \
         %w: tensor<8xf32>) -> tensor<8xf32> {{\n{body}\n}}"
    )
}

fn refusal(text: &str) -> (usize, usize, String) {
    let lowered = Module::parse(text).and_then(|module| {
        let function = module.function(None)?;
        let plain = function.arguments().iter().filter(|of| of.kind == ArgumentKind::Plain);
        let plain = plain.map(|of| (of.name.clone(), vec![0.5; of.length.unwrap_or(8)]));
        function.results(&plain.collect()).map(drop)
    });
    let error = lowered.expect_err(text);
    (error.at.line, error.at.column, error.reason)
}

#[test]
fn errors_name_the_operation_and_its_place() {
    for (body, line, column, reason) in [
        ("%0 = linalg.dot %x, %y : f32\nreturn %0 : f32", 2, 6, "linalg.dot is not supported"),
        ("affine.for %i = 0 to 9 { }\nreturn %x : f32", 2, 1, "affine.for is not supported"),
        ("%0 = arith.addf %x, %z : tensor<8xf32>", 2, 21, "%z is not defined here"),
        ("%x = arith.addf %x, %x : tensor<8xf32>", 2, 1, "%x is defined twice"),
        ("%0 = arith.addf %x : tensor<8xf32>", 2, 6, "two operands are needed"),
        ("%0 = arith.divf %x, %y : tensor<8xf32>", 2, 6, "needs an interval"),
        ("%0 = tensor_ext.rotate %x, %y : tensor<8xf32>, index", 2, 6, "must be a known integer"),
        ("%0 = arith.constant dense<[1.0, 2.0]> : tensor<8xf32>", 2, 21, "2 numbers do not have"),
        ("%0 = arith.constant dense<[1.0, [2.0]]> : tensor<2xf32>", 2, 37, "equal depth"),
        ("%0 = arith.constant dense<\"0x00\"> : tensor<8xf32>", 2, 27, "as bytes in quotes"),
        ("%0 = arith.constant dense_resource<a> : tensor<8xf32>", 2, 21, "not in the program"),
        ("%0 = arith.constant dense<1.0> : tensor<99999999x9xf32>", 2, 40, "1 to 1048576 values"),
        ("%0 = arith.constant dense<1.0> : tensor<99999999999999999999xf32>", 2, 40, "too large"),
        ("%0 = arith.constant dense<1.0> : tensor<?xf32>", 2, 41, "a dynamic dimension"),
        ("%0 = arith.addf %x, %y : !nothing", 2, 26, "the type !nothing is not defined"),
        ("%0:2 = arith.addf %x, %y : f32", 2, 3, "the name of one result"),
        ("return %w : tensor<8xf32>", 3, 2, "a result is not encrypted"),
        ("%0 = arith.addf %x, %y : tensor<8xf32>", 3, 1, "expected an operation"),
    ] {
        let got = refusal(&function(body));
        assert_eq!((got.0, got.1), (line, column), "{body}: {got:?}");
        assert!(got.2.contains(reason), "{body}: {got:?}");
    }
}

#[test]
fn other_modules_are_refused() {
    let bgv = LINEAR.replace("inverse_canonical_encoding<", "full_crt_packing_encoding<");
    for (text, reason) in [
        (bgv.as_str(), "not that of CKKS"),
        ("module attributes {scheme.bgv} { }", "not for CKKS"),
        ("func.func @f(%x: !a) -> !a { return %x : !a }", "the type !a is not defined"),
        ("!a = !b\n!b = !a\nfunc.func @f(%x: !a) { return %x : !a }", "more than 32 times"),
        ("!a = f32\n!a = f64", "!a is defined twice"),
        ("func.func @f(%x: f32, %x: f32) { }", "%x is defined twice"),
        ("func.func @f() { }\nfunc.func @f() { }", "@f is defined twice"),
        ("func.func @f() { }\nfunc.func @g() { }", "one of the functions @f, @g"),
        ("func.func private @f()", "there is no public function"),
        ("func.func @f() {", "the text ends in this part"),
        ("func.func @f() { ( ] }", "this ] has no matching bracket"),
        ("llvm.func @f()", "expected func.func, got llvm.func"),
        ("{-# dialect_resources: { } #-}", "expected func.func, got {"),
    ] {
        let got = refusal(text);
        assert!(got.2.contains(reason), "{text:.80}: {got:?}");
    }
    // The result of a rescaling has fewer moduli than its operand.
    let types = LINEAR.split("// CHECK: @linear").next().unwrap();
    let rescaled = format!(
        "{types}func.func @f(%x: !ct_ty) -> !ct_ty {{\n  %0 = ckks.rescale %x : !ct_ty -> !ct_ty\n\
         return %0 : !ct_ty\n}}"
    );
    assert!(refusal(&rescaled).2.contains("the result has 1 moduli, and its operand 1"));
    let ciphertext = |degree: usize| {
        format!(
            "!c{degree} = !lwe.lwe_ciphertext<ciphertext_space = <ring = <coefficientType = \
             !rns.rns<!q>, polynomialModulus = <1 + x**{degree}>>, encryption_type = lsb>>\n"
        )
    };
    let two = ciphertext(1024) + &ciphertext(2048);
    let two = format!("{two}func.func @f(%x: !c1024, %y: !c2048) {{ return %x : !c1024 }}");
    assert!(refusal(&two).2.contains("ciphertexts of the degrees 1024 and 2048"));
    assert!(refusal(&two.replace("x**2048", "x**2000")).2.contains("must be 1 + x**N"));
    let twice = two.replace("lsb>>", "lsb, ring = <>>>");
    assert!(refusal(&twice).2.contains("the parameter ring is given twice"));
}

#[test]
fn deep_and_long_texts_end() {
    for deep in ["(", "[", "{", "<", "!secret.secret<", "tensor<1x", "dense<["] {
        let text = function(&format!("%0 = arith.constant {} : f32", deep.repeat(20_000)));
        refusal(&text);
        let text = format!("!a = {}", deep.repeat(20_000));
        refusal(&text);
        refusal(&function(&format!("%0 = arith.addf %x, %y : {}", deep.repeat(20_000))));
    }
    // Types that double with each alias.
    let mut text = "!a0 = !secret.secret<f32>\n".to_owned();
    for k in 1..30 {
        let before = k - 1;
        text += &format!("!a{k} = !lwe.lwe_ciphertext<key = !a{before}, other = !a{before}>\n");
    }
    text += "func.func @f(%x: !a29) -> !a29 { return %x : !a29 }";
    let module = Module::parse(&text).unwrap();
    assert_eq!(module.function(None).unwrap().results(&BTreeMap::new()).unwrap().len(), 1);
    let nested = "%0 = secret.generic() { ".repeat(5_000);
    assert!(refusal(&function(&nested)).2.contains("the text ends in this part"));
    let nested = format!("{nested}{}", "}".repeat(5_000));
    assert!(refusal(&function(&nested)).2.contains("regions are nested more than 32 times"));
}

const SIGNS: &[u8] = b"<>(){}[]%!#@^\"-:,x0 \n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn changed_programs_are_read_or_refused(seed in any::<u64>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut text: Vec<u8> = ALL[rng.gen_range(0..ALL.len())].into();
        for _ in 0..rng.gen_range(1..4) {
            let at = rng.gen_range(0..text.len());
            match rng.gen_range(0..5) {
                0 => text.truncate(at.max(1)),
                1 => drop(text.remove(at)),
                2 => text.insert(at, SIGNS[rng.gen_range(0..SIGNS.len())]),
                3 => text[at] = rng.gen_range(b' '..127),
                _ => {
                    let end = rng.gen_range(at..text.len().min(at + 300));
                    let part = text[at..end].to_vec();
                    text.splice(at..at, part);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text);
        if let Err(error) = Module::parse(&text).and_then(|module| {
            let function = module.function(None)?;
            let plain = function.arguments().iter().map(|of| {
                (of.name.clone(), vec![0.5; of.length.unwrap_or(8)])
            });
            function.results(&plain.collect()).map(drop)
        }) {
            let line = text.lines().nth(error.at.line - 1).unwrap_or_default();
            prop_assert!(error.at.column <= line.chars().count() + 1, "{error}");
        }
    }
}
