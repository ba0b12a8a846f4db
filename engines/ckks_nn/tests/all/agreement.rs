// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparison of encrypted values with those in plaintext.

use halimede_ckks_nn::graph::{Activation, Operator};
use halimede_ckks_nn::run::{label, Disagreement};
use halimede_ckks_nn::{Graph, Label, Model, NetworkError, Options, Output};

use super::setting::{compiled, linear, rng, run, shape, values};

/// Returns a network with this number of outputs, and samples.
fn model(outputs: usize) -> (Model, Vec<Vec<f64>>) {
    let mut rng = rng(51);
    let mut graph = Graph::new(shape(&[4]));
    let sum = graph.push("sum", linear(&mut rng, 4, 6), &[graph.input()]).unwrap();
    let tanh = graph.push("tanh", Operator::Activation(Activation::Tanh), &[sum]).unwrap();
    graph.push("last", linear(&mut rng, 6, outputs), &[tanh]).unwrap();
    let samples: Vec<Vec<f64>> = (0..20).map(|_| values(&mut rng, 4)).collect();
    let options = Options { degree: 7, guard: false, ..Options::default() };
    (compiled(&graph, &samples, "n13-insecure", &options), samples)
}

fn output(values: &[f64], error: f64) -> Output {
    let (values, scores) = (values.to_vec(), values.to_vec());
    Output { values, labels: Vec::new(), scores, error, guard: None }
}

#[test]
fn a_single_value_has_no_label() {
    assert_eq!((label(&[]), label(&[-13.42]), label(&[5.37])), (None, None, None));
    assert_eq!((label(&[1.0, 2.0]), label(&[3.0, 2.0, 2.5])), (Some(1), Some(0)));
}

#[test]
fn a_single_value_agrees_by_value_and_sign() {
    let (model, samples) = model(1);
    let input = &samples[0];
    let exact = model.graph().evaluate(input).unwrap()[0];
    let near = model.approximate(input).unwrap()[0];
    let compare = |value: f64, error: f64, tolerance: Option<f64>| {
        let found = model.compare(input, &output(&[value], error), tolerance).unwrap();
        assert_eq!((found.label, found.plaintext_label), (None, None));
        (found.disagreement, found.tolerance.unwrap(), found.largest_difference)
    };
    // The encrypted computation.
    let encrypted = model.compare(input, &run(&model, input), None).unwrap();
    assert_eq!((encrypted.disagreement, &encrypted.plaintext[..]), (None, &[exact][..]));
    // Another sign, and any other value that is not claimed.
    for wrong in [-13.42, 5.37, -exact, exact + exact.signum()] {
        let (disagreement, _, off) = compare(wrong, 1e-6, None);
        match disagreement {
            Some(Disagreement::Sign { .. }) => assert!(wrong * exact < 0.0),
            Some(Disagreement::Claim { .. }) => assert!(wrong * exact > 0.0),
            other => panic!("{wrong}: {other:?}"),
        }
        assert_eq!(off, (wrong - exact).abs());
    }
    for wrong in [f64::NAN, f64::INFINITY] {
        let (disagreement, ..) = compare(wrong, 1.0, None);
        assert!(matches!(disagreement, Some(Disagreement::NotFinite { place: 0, .. })));
    }
    // A claimed error of this size does not excuse the other sign if it does not reach it.
    let error = (near.abs() + exact.abs()) / 12.0 * 1.01;
    let (disagreement, ..) = compare(-near, error * 0.98, Some(1e9));
    assert!(disagreement.is_some(), "{disagreement:?}");
    // The polynomials' error is within a tenth of the samples' largest value, but not within 0.
    let (disagreement, tolerance, off) = compare(near, 1e-9, None);
    assert_eq!(disagreement, None);
    assert!(tolerance > off && off > 0.0, "{tolerance} {off}");
    let (disagreement, tolerance, _) = compare(near, 1e-9, Some(off / 2.0));
    assert!(matches!(disagreement, Some(Disagreement::Value { place: 0, .. })));
    assert_eq!(tolerance, off / 2.0);
    assert!(disagreement.unwrap().to_string().contains("in plaintext: off by more than"));
    let error = model.compare(input, &output(&[0.0; 2], 1.0), None).unwrap_err();
    assert_eq!(error, NetworkError::Outputs { got: 2, wanted: 1 });
}

#[test]
fn signs_of_a_single_value_are_told_apart_as_far_as_the_claim_does() {
    let (model, samples) = model(1);
    // The sample whose value by the polynomials is closest to 0.
    let near = |sample: &Vec<f64>| model.approximate(sample).unwrap()[0];
    let input = samples.iter().min_by(|a, b| near(a).abs().total_cmp(&near(b).abs())).unwrap();
    let (near, exact) = (near(input), model.graph().evaluate(input).unwrap()[0]);
    assert!(near * exact > 0.0, "{near} {exact}");
    let verdict = |error: f64| {
        let found = model.compare(input, &output(&[-exact], error), Some(1e9)).unwrap();
        found.disagreement
    };
    // Within twelve times the error of both, but further from the exact value.
    let reach = (near + exact).abs() / 12.0;
    if (near.abs()) < exact.abs() {
        let verdict = verdict(reach * 1.001);
        assert!(matches!(verdict, Some(Disagreement::Sign { .. })), "{verdict:?}");
    }
    assert_eq!(verdict(exact.abs()), None);
}

#[test]
fn several_values_agree_by_their_labels() {
    let (model, samples) = model(3);
    let input = &samples[1];
    let exact = model.graph().evaluate(input).unwrap();
    let found = model.compare(input, &run(&model, input), None).unwrap();
    assert_eq!((found.disagreement, found.tolerance), (None, None));
    let of = |place: usize| Label::Integer(place as i64);
    let wanted = label(&exact).map(of);
    assert_eq!((&found.label, &found.plaintext_label), (&wanted, &wanted));
    let mut other = exact.clone();
    other.rotate_left(1);
    let found = model.compare(input, &output(&other, 1.0), None).unwrap();
    let wanted = label(&exact).unwrap();
    let wrong = Disagreement::Label { got: of((wanted + 2) % 3), wanted: of(wanted) };
    assert_eq!(found.disagreement, Some(wrong));
    let found = model.compare(input, &output(&exact, 1.0), Some(0.0)).unwrap();
    assert_eq!((found.disagreement, found.largest_difference), (None, 0.0));
}
