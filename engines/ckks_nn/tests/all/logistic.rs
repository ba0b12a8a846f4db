// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression on encrypted samples finds the same weights as in plaintext.

use std::ops::ControlFlow;

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::{Client, Parameters, Server};
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};
use halimede_ckks_nn::NetworkError;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::rng;

/// Returns samples of two classes on both sides of a random plane, some on the wrong side.
fn table(rng: &mut ChaCha8Rng, samples: usize, features: usize) -> Table {
    let plane: Vec<f64> = (0..features).map(|_| rng.gen_range(-1.0..1.0)).collect();
    let rows: Vec<Vec<f64>> =
        (0..samples).map(|_| (0..features).map(|_| rng.gen_range(-1.0..1.0)).collect()).collect();
    let class = |row: &Vec<f64>| {
        let side: f64 = row.iter().zip(&plane).map(|(x, w)| x * w).sum();
        side + rng.gen_range(-0.2..0.2) > 0.1
    };
    let classes = rows.iter().map(class).collect();
    Table::new(rows, classes).unwrap()
}

/// 512 slots, and six levels after a bootstrap.
fn parameters() -> Parameters {
    parameters_of(6)
}

fn parameters_of(levels: usize) -> Parameters {
    Parameters::insecure(BootstrapShape::new(10, levels, 3), SecretKind::Ternary).unwrap()
}

/// Returns the weights of an encrypted training.
fn train(training: &Logistic, parameters: &Parameters, table: &Table) -> Vec<f64> {
    let mut client = Client::of_test(parameters, 7);
    let server = Server::new(training.evaluation_keys(&mut client));
    let ciphertext = training.encrypt(&mut client, table).unwrap();
    let mut done = Vec::new();
    let weights = training.train(&server, &ciphertext, |iteration| {
        done.push(iteration);
        ControlFlow::Continue(())
    });
    assert!(done.into_iter().eq(1..=training.options().iterations));
    training.decrypt(&client, &weights.unwrap()).unwrap()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Samples and features that do and do not fill the slots, in several ciphertexts and in one, with
/// one and several slots per position.
#[test]
fn an_iteration_is_that_of_plaintext_for_all_shapes() {
    let mut rng = rng(31);
    let parameters = parameters();
    for (samples, features) in [(1, 1), (3, 12), (60, 11), (128, 30), (90, 63), (512, 3), (9, 200)]
    {
        let table = table(&mut rng, samples, features);
        let options = LogisticOptions { iterations: 1, rate: 2.0, ..LogisticOptions::default() };
        let training = Logistic::new(&parameters, samples, features, options).unwrap();
        let found = train(&training, &parameters, &table);
        let wanted = training.in_plaintext(&table, false).unwrap();
        let off = largest_difference(&found, &wanted);
        assert!(off < 1e-5, "{samples} of {features}: {off:e}");
        assert!(wanted.iter().any(|weight| weight.abs() > 1e-3));
    }
}

/// One and two iterations between bootstraps, an odd number of iterations, and weights that need no
/// level for a bootstrap.
#[test]
fn iterations_with_bootstraps_find_what_plaintext_finds() {
    let mut rng = rng(32);
    let table = table(&mut rng, 60, 11);
    for (levels, together, weights, iterations) in
        [(6, 1, 4.0, 6), (9, 2, 4.0, 5), (8, 1, 4.0, 3), (8, 2, 2.0, 3)]
    {
        let parameters = parameters_of(levels);
        let options = LogisticOptions { iterations, rate: 4.0, interval: 8.0, weights };
        let training = Logistic::new(&parameters, 60, 11, options).unwrap();
        assert_eq!((training.ciphertexts(), training.iterations_a_bootstrap()), (2, together));
        let found = train(&training, &parameters, &table);
        let wanted = training.in_plaintext(&table, false).unwrap();
        let off = largest_difference(&found, &wanted);
        assert!(off < 1e-2, "{levels} levels: {off:e}");
        let [right, plain] = [&found, &wanted].map(|weights| table.right(weights));
        assert_eq!(right, plain);
        assert!(right > 50, "{right}");
    }
}

/// Factors of the polynomial whose sizes are far apart.
#[test]
fn intervals_may_be_narrow_and_wide() {
    let mut rng = rng(34);
    let parameters = parameters();
    let table = table(&mut rng, 60, 11);
    for interval in [0.25, 2.0, 100.0] {
        let options =
            LogisticOptions { iterations: 1, rate: 4.0, interval, ..LogisticOptions::default() };
        let training = Logistic::new(&parameters, 60, 11, options).unwrap();
        let found = train(&training, &parameters, &table);
        let wanted = training.in_plaintext(&table, false).unwrap();
        let off = largest_difference(&found, &wanted);
        assert!(off < 1e-5, "{interval}: {off:e}");
    }
}

/// 61 samples in three batches, one of which has one sample more.
#[test]
fn batches_take_turns() {
    let mut rng = rng(33);
    let parameters = parameters();
    let batches = table(&mut rng, 61, 5).batches(3);
    assert!(batches.iter().map(Table::samples).eq([21, 20, 20]));
    let options = LogisticOptions { iterations: 4, rate: 4.0, ..LogisticOptions::default() };
    let training = Logistic::new(&parameters, 21, 5, options).unwrap();
    let mut client = Client::of_test(&parameters, 9);
    let server = Server::new(training.evaluation_keys(&mut client));
    let mut encrypted = Vec::new();
    for batch in &batches {
        let all = training.encrypt(&mut client, batch).unwrap().into_ciphertexts();
        let short = training.table_of(all[1..].to_vec()).err().unwrap();
        assert!(
            short.to_string().contains("expected 2 ciphertexts of a batch of samples, got 1"),
            "{short}"
        );
        encrypted.push(training.table_of(all).unwrap());
    }
    let found = training.train_in_turn(&server, &encrypted, |_| ControlFlow::Continue(())).unwrap();
    let found = training.decrypt(&client, &found).unwrap();
    let wanted = training.in_turn_in_plaintext(&batches, false).unwrap();
    assert!(largest_difference(&found, &wanted) < 1e-2, "{found:?} {wanted:?}");
    let first = training.in_plaintext(&batches[0], false).unwrap();
    assert!(largest_difference(&first, &wanted) > 2e-2);
    assert!(training.in_turn_in_plaintext(&[], false).is_err());
    let none = training.train_in_turn(&server, &[], |_| ControlFlow::Continue(()));
    assert!(none.unwrap_err().to_string().contains("the list of samples is empty"));
}

#[test]
fn what_cannot_be_trained_says_why() {
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let options = LogisticOptions { iterations: 1, ..LogisticOptions::default() };
    let reason = |result: Result<Logistic, NetworkError>| {
        let error = result.err().unwrap();
        assert!(matches!(error, NetworkError::Training { .. }));
        error.to_string()
    };
    let several = LogisticOptions::default();
    assert!(reason(Logistic::new(&parameters, 9, 9, several)).contains("no levels for bootstraps"));
    assert!(reason(Logistic::new(&parameters, 0, 9, options)).contains("0 samples"));
    assert!(reason(Logistic::new(&parameters, 9, 4096, options)).contains("4097 features"));
    assert!(reason(Logistic::new(&parameters, 4097, 9, options)).contains("4097 samples"));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = LogisticOptions { rate: wrong, ..options };
        assert!(reason(Logistic::new(&parameters, 9, 9, options)).contains("rate"));
    }
    let narrow = LogisticOptions { interval: 1e-3, ..options };
    assert!(reason(Logistic::new(&parameters, 9, 9, narrow)).contains("nearly linear there"));
    let few = reason(Logistic::new(&parameters_of(3), 9, 9, options));
    assert!(few.contains("needs 4 levels, but the parameters have 3"), "{few}");
    let few = reason(Logistic::new(&parameters_of(4), 9, 9, several));
    assert!(few.contains("and its bootstrap need 5 levels, but the parameters have 4"), "{few}");
    let training = Logistic::new(&parameters, 2, 2, options).unwrap();
    let mut client = Client::of_test(&parameters, 8);
    let rows = |large: f64| vec![vec![0.5, large], vec![-0.25, 0.0]];
    let cases = [
        (Table::new(rows(1.5), vec![true, false]), "feature 1 of sample 0 is 1.5"),
        (Table::new(vec![vec![0.5; 2]; 3], vec![true; 3]), "3 samples of 2 features"),
        (Table::new(vec![vec![0.5; 3]; 2], vec![true; 2]), "2 samples of 3 features"),
        (Table::new(rows(f64::NAN), vec![true, false]), "feature 1 of sample 0 is not finite"),
        (Table::new(vec![vec![0.5; 2], vec![0.5]], vec![true; 2]), "sample 1 has 1 features"),
        (Table::new(rows(0.5), vec![true]), "2 samples, but 1 classes"),
        (Table::new(Vec::new(), Vec::new()), "the samples are empty"),
        (Table::new(vec![Vec::new()], vec![true]), "have no features"),
    ];
    for (table, wanted) in cases {
        let result = table.and_then(|table| training.encrypt(&mut client, &table).map(drop));
        let text = result.unwrap_err().to_string();
        assert!(text.contains(wanted), "{text}");
    }
    // Without one of the keys.
    let table = Table::new(rows(0.5), vec![true, false]).unwrap();
    let ciphertext = training.encrypt(&mut client, &table).unwrap();
    let operations = training.operations();
    let server = client.server(&halimede_ckks::Operations { conjugate: false, ..operations });
    let error = training.train(&server, &ciphertext, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("conjugate"), "{error}");
    let server = Server::new(training.evaluation_keys(&mut client));
    let stopped = training.train(&server, &ciphertext, |_| ControlFlow::Break(())).unwrap_err();
    assert!(stopped.to_string().contains("stopped after 1 of 1"), "{stopped}");
}

#[test]
fn tables_are_scaled_and_counted() {
    let table = Table::new(vec![vec![4.0, 0.0], vec![-8.0, 0.0]], vec![true, false]).unwrap();
    assert_eq!(table.scales(), [8.0, 1.0]);
    let scaled = table.divided(&table.scales());
    assert_eq!(scaled.rows(), [[0.5, 0.0], [-1.0, 0.0]]);
    assert_eq!((scaled.right(&[1.0, 0.0, 0.0]), scaled.right(&[1.0, 0.0, 2.0])), (2, 1));
    assert_eq!(scaled.right(&[-1.0, 0.0, 0.0]), 0);
}
