// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval`: quotients, powers, sums and means of vectors of any length, and statements
//! about values.

use crate::sandbox::{assert_near, Sandbox, COUNT};
use serde_json::json;

#[test]
fn quotients_and_powers() {
    let sandbox = Sandbox::new(101);
    let (x, y) = (&sandbox.x, &sandbox.y);
    let each = |of: &dyn Fn(usize) -> [f64; 2]| (0..COUNT).map(of).collect::<Vec<_>>();
    let cases: [(&str, Vec<[f64; 2]>); 9] = [
        ("x/3 + y", each(&|i| [x[i] / 3.0 + y[i], 0.0])),
        ("x/(1/8)/-2", each(&|i| [x[i] * -4.0, 0.0])),
        ("x/2i", each(&|i| [0.0, -x[i] / 2.0])),
        ("x/conj(1 + 2i)*5", each(&|i| [x[i], 2.0 * x[i]])),
        ("x - 6/3/2", each(&|i| [x[i] - 1.0, 0.0])),
        ("-x^2", each(&|i| [-(x[i] * x[i]), 0.0])),
        ("(-x)^2*y", each(&|i| [x[i] * x[i] * y[i], 0.0])),
        ("2*x^5 - y^1 + 2^3", each(&|i| [2.0 * x[i].powi(5) - y[i] + 8.0, 0.0])),
        ("x^13/2", each(&|i| [x[i].powi(13) / 2.0, 0.0])),
    ];
    for (expression, expected) in cases {
        // x^13/2 needs all levels and one more, which does not exist.
        if expression == "x^13/2" {
            let eval =
                ["eval", "--keys", "k/evaluation.keys", expression, "x=x.ct", "--out", "z.ct"];
            sandbox.refused(&eval, "column 5: the ciphertext is at level 0");
            assert_near(&sandbox.eval("x^13"), &each(&|i| [x[i].powi(13), 0.0]), "x^13");
            continue;
        }
        assert_near(&sandbox.eval(expression), &expected, expression);
    }
    let refused = |expression: &str, reason: &str| {
        sandbox.refused(&["eval", "--plan", expression, "x=x.ct"], reason);
    };
    refused("1 + 2/x", "column 6: a quotient by a ciphertext: write a/b as a*inv(b, low, high)");
    refused("x/0", "column 2: a quotient by 0");
    refused("x^-1", "column 3: an exponent must be an integer from 1");
    refused("x^1000", "column 2: a power by 1000 consumes 10 levels, and its base has 4 left");
    refused("x*(0.5*x - 1)^9", "column 14: a power by 9 consumes 4 levels, and its base has 3");
    refused("(x^3)^5", "column 6: a power by 5 consumes 3 levels, and its base has 2 left");
    refused("1 + (1e24*x)^5", "column 13: real values from -");
    refused("sum(x, 17)", "column 1: sum(x, 17) of a vector of 16 values: expected 1 to 16");
    refused("x^17", "column 2: a power by 17 consumes 5 levels, and its base has 4 left");
}

/// Sums, means and rotations of five values, with the keys that `keygen --for` makes for such
/// vectors.
#[test]
fn vectors_of_any_length() {
    let sandbox = Sandbox::new(102);
    let values = [0.5, -1.25, 3.0, 0.125, 2.0];
    sandbox.csv("v.csv", &values);
    let expression = "sum(x)/8 + mean(x)*rot(x, 2) - rot(x, -1)";
    let keygen = ["keygen", "--params", "n10-insecure", "--dir", "five.key", "--for", expression];
    let five = ["--values", "5", "--bound", "-2,4"];
    sandbox.ok(&[&keygen[..], &five].concat());
    let bound = ["--bound", "-2,4", "--in", "v.csv", "--out", "v.ct"];
    sandbox.ok(&[&["encrypt", "--public", "five.key/public.key"], &bound[..]].concat());
    let plan = ["eval", "--plan", expression, "x=v.ct"];
    let object = sandbox.json(&plan);
    let declared = json!({ "real": true, "low": -2.0, "high": 4.0 });
    assert_eq!(object["inputs"]["x"]["bound"], declared);
    assert_eq!(object["inputs"]["x"]["length"], 5);
    let steps = object["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["length"] == 5), "{object}");
    let mean = steps.iter().find(|step| step["operation"] == "mean").unwrap();
    assert_eq!(mean["bound"], declared);
    let text = sandbox.ok(&plan).stdout;
    for line in
        ["input       x: 5 values at level 4, real values from -2 to 4", "result      5 values at"]
    {
        assert!(text.contains(line), "{text}");
    }
    let keys = ["--keys", "five.key/evaluation.keys", "--out", "z.ct"];
    sandbox.ok(&[&["eval", expression, "x=v.ct"], &keys[..]].concat());
    let printed = sandbox.ok(&["decrypt", "--key", "five.key/secret.key", "z.ct"]).stdout;
    let got: Vec<[f64; 2]> = printed.lines().map(|line| [line.parse().unwrap(), 0.0]).collect();
    let sum: f64 = values.iter().sum();
    let expected: Vec<[f64; 2]> = (0..5)
        .map(|i| [sum / 8.0 + sum / 5.0 * values[(i + 2) % 5] - values[(i + 4) % 5], 0.0])
        .collect();
    assert_near(&got, &expected, "five values");
    // Partial sums need full vectors.
    let some = ["eval", "--plan", "sum(x, 2)", "x=v.ct"];
    sandbox.refused(&some, "column 1: partial sums need a vector whose length");
    let plan = ["eval", "--plan", "x + y", "x=v.ct", "y=w.ct"];
    sandbox.csv("w.csv", &values[..4]);
    let four = ["--bound", "9", "--in", "w.csv", "--out", "w.ct"];
    sandbox.ok(&[&["encrypt", "--key", "five.key/secret.key"], &four[..]].concat());
    sandbox.refused(&plan, "a vector of 5 values and one of 4");
    // Vectors in all slots need different keys.
    let all = ["keygen", "--params", "n10-insecure", "--dir", "all.key", "--for", expression];
    let rotations = |keys: &str| {
        let keys = sandbox.json(&["inspect", keys])["keys"].clone();
        keys.as_array().unwrap().iter().map(|key| key["operation"].to_string()).collect::<Vec<_>>()
    };
    sandbox.ok(&all);
    let five = rotations("five.key/evaluation.keys");
    assert!(
        five.contains(&"\"rotate by 7\"".into()) || five.contains(&"\"rotate by -3\"".into()),
        "{five:?}"
    );
    assert_ne!(five, rotations("all.key/evaluation.keys"));
    let keygen = ["keygen", "--params", "n10-insecure", "--dir", "none.key"];
    sandbox.refused(&[&keygen[..], &["--values", "5"]].concat(), "--for");
    sandbox.refused(&[&keygen[..], &["--bound", "5"]].concat(), "--for");
    let many = ["--for", "x*x", "--values", "513"];
    sandbox.refused(&[&keygen[..], &many].concat(), "a vector of n10-insecure has 1 to 512 values");
    let log = ["--for", "log(x)"];
    sandbox.refused(&[&keygen[..], &log].concat(), "column 1: the function is not finite at");
    sandbox.ok(&[&keygen[..], &log, &["--bound", "0.75,1.5"]].concat());
}

/// Values beyond the interval of a function's polynomial are an error with advice.
#[test]
fn functions_are_of_values_that_are_known_to_fit() {
    let sandbox = Sandbox::new(103);
    let refused = |expression: &str, reasons: &[&str]| {
        let eval = ["eval", "--keys", "k/evaluation.keys", expression, "x=x.ct", "--out", "no.ct"];
        for reason in reasons {
            sandbox.refused(&eval, reason);
        }
    };
    refused(
        "sin(3*x, -2, 2)",
        &["values may range from -3 to 3", "sin(x, -3, 3)", "within(x, low, high)"],
    );
    refused(
        "x + sqrt(x, 0.1, 1)",
        &["column 5: values may range from -1 to 1", "within(x, low, high)"],
    );
    refused("sigmoid(1i*x)", &["functions need real values, but these are complex", "within("]);
    refused(
        "log(x)",
        &["the function is not finite at", "within(x, low, high)", "--bound LOW,HIGH"],
    );
    refused("within(x, 2, 1)", &["column 1:", "the smaller one first"]);
    refused("bound(x, -1)", &["column 1:", "a number from 0 on"]);
    let worst = |got: &[[f64; 2]], of: &dyn Fn(f64) -> f64| {
        let off = got.iter().zip(&sandbox.x).map(|(got, x)| (got[0] - of(*x)).abs());
        off.fold(0.0, f64::max)
    };
    let sine = sandbox.eval("sin(2*x, -2, 2)");
    assert!(worst(&sine, &|x| (2.0 * x).sin()) < 1.1e-4);
    let sine = sandbox.eval("sin(within(2*x - x, -1, 1))");
    assert!(worst(&sine, &f64::sin) < 1.1e-4);
    let square_root = sandbox.eval("sqrt(within(2 + x, 1, 3))");
    assert!(worst(&square_root, &|x| (2.0 + x).sqrt()) < 1.1e-4);
    let sine = sandbox.eval("sin(bound(2*x - x, 1), -1, 1)");
    assert!(worst(&sine, &f64::sin) < 1.1e-4);
}
