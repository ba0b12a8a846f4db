// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks train-logistic`: logistic regression on encrypted samples, client and server on
//! this machine.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use halimede_ckks::executor::{ProgramPlace, ProgramServer};
use halimede_ckks::{Ciphertext, Client, Server};
use halimede_ckks_nn::train::{Logistic, LogisticOptions, Table};
use halimede_ckks_nn::NetworkSharing;
use serde_json::{json, Value};

use super::describe::{print, warn_insecure};
use super::keygen::make_keys;
use super::messages::{bad_input, executor_error, of_network};
use super::open::named_parameters;
use super::sharing::{say_whose, whose_json, Whose};
use super::table::read_table;
use super::write::write_secret_file;
use crate::arguments::{SharingOptions, TrainLogisticOptions};
use crate::devices::open;
use crate::error::CommandError;
use crate::output::note;
use crate::progress::steps_bar;

/// The numbers of samples that weights classify correctly.
struct Right {
    name: &'static str,
    training: usize,
    test: Option<usize>,
}

pub fn run(options: &TrainLogisticOptions, json: bool) -> Result<(), CommandError> {
    let place = Arc::new(open(&options.device)?).programs()?;
    let parameters = named_parameters(&options.params)?;
    let (table, test) = tables(options)?;
    let scales = table.scales();
    let (table, test) = (table.divided(&scales), test.map(|test| test.divided(&scales)));
    let how = LogisticOptions {
        iterations: options.iterations,
        rate: options.rate,
        interval: options.interval,
        weights: options.weights,
    };
    let statement = statement(&options.sharing)?;
    let training = Logistic::new(&parameters, table.samples(), table.features(), how);
    let training = training.map_err(|error| of_network(&error))?;
    warn_insecure(&parameters);
    let mut client = Client::new(&parameters).map_err(bad_input)?;
    let server = Arc::new(Server::new(make_keys(&mut client, training.keys())));
    let executor = place.executor(&parameters).map_err(executor_error)?;
    let server = ProgramServer::new(server, executor);
    let ciphertext = training.encrypt(&mut client, &table).map_err(|error| of_network(&error))?;
    let (bar, start) = (steps_bar(options.iterations as u64), Instant::now());
    bar.set_message("iterations");
    let found = training.train_on(&server, &[ciphertext], |_| {
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let found = found.map_err(|error| of_network(&error))?;
    // Everything printed about shared weights is computed from the noisy ones.
    let (found, whose) = match statement {
        None => (training.decrypt(&client, &found).map_err(|error| of_network(&error))?, None),
        Some(statement) => {
            let shared = shared(&training, &mut client, &found, &table, &statement)?;
            (shared, Some(Whose::from(&statement)))
        }
    };
    let plaintext = |is_exact| training.in_plaintext(&table, is_exact);
    let near = plaintext(false).map_err(|error| of_network(&error))?;
    let exact = plaintext(true).map_err(|error| of_network(&error))?;
    let named = [("encrypted", &found), ("plaintext", &near), ("exact", &exact)];
    let rights = named.map(|(name, weights)| Right {
        name,
        training: table.right(weights),
        test: test.as_ref().map(|test| test.right(weights)),
    });
    let off = found.iter().zip(&near).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let largest = table.largest_sum(&found);
    if largest > how.interval {
        note(format_args!(
            "the product of a sample with the weights is {largest:.1}, beyond --interval {}: \
             there, the polynomial does not approximate the sigmoid",
            how.interval
        ));
    }
    if json || options.out.is_some() {
        say_whose(whose.as_ref());
    }
    if let Some(path) = &options.out {
        let text = weights_text(&found, &scales);
        let inputs: Vec<&Path> =
            [&options.table].into_iter().chain(&options.test).map(PathBuf::as_path).collect();
        write_secret_file(path, &inputs, |file| {
            Ok(std::io::Write::write_all(file, text.as_bytes())?)
        })?;
    }
    let counts = (table.samples(), test.as_ref().map(Table::samples));
    let object = json!({
        "samples": counts.0, "test_samples": counts.1, "features": table.features(),
        "iterations": options.iterations, "seconds": seconds, "ciphertexts": training.ciphertexts(),
        "seconds_per_iteration": seconds / options.iterations as f64, "largest_difference": off,
        "largest_product": largest, "weights": unscaled(&found, &scales),
        "for": whose_json(whose.as_ref()),
        "accuracy": rights.iter().map(|of| accuracy(of, counts)).collect::<Value>(),
    });
    print(&text(&rights, counts, seconds, options.iterations, off), &object, json)
}

/// Returns the statement of security, if others may see the weights. The owner states its bound of
/// the error.
fn statement(options: &SharingOptions) -> Result<Option<NetworkSharing>, CommandError> {
    let Some((security, queries)) = options.statement() else { return Ok(None) };
    let Some(error_at_least) = options.error_at_least else {
        return Err(bad_input(
            "--share: only a measurement bounds the error of trained weights: state a bound with \
             --error-at-least, which the command checks",
        ));
    };
    if !(error_at_least.is_finite() && error_at_least > 0.0) {
        return Err(bad_input(format!(
            "--error-at-least {error_at_least}: give a finite number above 0"
        )));
    }
    Ok(Some(NetworkSharing::new(security, queries).with_error(error_at_least)))
}

/// Decrypts the weights for others, after measuring their error.
fn shared(
    training: &Logistic,
    client: &mut Client,
    weights: &Ciphertext,
    table: &Table,
    statement: &NetworkSharing,
) -> Result<Vec<f64>, CommandError> {
    let most = statement.error_at_least.unwrap_or(0.0);
    let checked = training.check_error(client, weights, std::slice::from_ref(table), most);
    let shared = checked.and_then(|()| training.decrypt_for_sharing(client, weights, statement));
    shared.map(|shared| shared.weights).map_err(|error| of_network(&error))
}

/// Reads the samples to train on, and those to test on.
fn tables(options: &TrainLogisticOptions) -> Result<(Table, Option<Table>), CommandError> {
    let table = read_table(&options.table)?;
    match (&options.test, options.rows) {
        (Some(path), _) => {
            let test = read_table(path)?;
            if test.features() != table.features() {
                let (got, wanted) = (test.features(), table.features());
                let path = path.display();
                return Err(bad_input(format!(
                    "{path}: expected {wanted} features, as in the table, got {got}"
                )));
            }
            Ok((table, Some(test)))
        }
        (None, Some(rows)) if (1..table.samples()).contains(&rows) => {
            let (table, test) = table.split(rows);
            Ok((table, Some(test)))
        }
        (None, Some(rows)) => {
            let got = table.samples();
            Err(bad_input(format!(
                "--rows {rows}: expected 1 or more, and fewer than the {got} rows of the table"
            )))
        }
        (None, None) => Ok((table, None)),
    }
}

/// Returns the weights for features as in the table; the constant is last.
fn unscaled(weights: &[f64], scales: &[f64]) -> Vec<f64> {
    let by = scales.iter().copied().chain([1.0]);
    weights.iter().zip(by).map(|(weight, by)| weight / by).collect()
}

fn weights_text(weights: &[f64], scales: &[f64]) -> String {
    let mut text = String::new();
    for weight in unscaled(weights, scales) {
        // Writing to a string never fails.
        let _ = writeln!(text, "{weight}");
    }
    text
}

fn percent(right: usize, of: usize) -> f64 {
    100.0 * right as f64 / of as f64
}

fn accuracy(right: &Right, (samples, tests): (usize, Option<usize>)) -> Value {
    let test = right.test.zip(tests).map(|(right, of)| percent(right, of));
    json!({
        "weights": right.name, "training_percent": percent(right.training, samples),
        "test_percent": test,
    })
}

fn text(
    rights: &[Right],
    (samples, tests): (usize, Option<usize>),
    seconds: f64,
    iterations: usize,
    off: f64,
) -> String {
    let mut lines = vec![format!(
        "{iterations} iterations in {seconds:.1} s, {:.2} s each; weights off by {off:.1e} at most",
        seconds / iterations as f64
    )];
    for Right { name, training, test } in rights {
        let name = match *name {
            "plaintext" => "plaintext, polynomial",
            "exact" => "plaintext, sigmoid",
            name => name,
        };
        let test = test.zip(tests).map_or(String::new(), |(right, of)| {
            format!(", {:.2} % of {of} others", percent(right, of))
        });
        lines.push(format!(
            "{name:<22} {:.2} % of {samples} samples right{test}",
            percent(*training, samples)
        ));
    }
    lines.join("\n")
}
