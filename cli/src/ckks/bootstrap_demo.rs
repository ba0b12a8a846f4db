// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks bootstrap-demo`: measures time, memory and precision of a bootstrap on this
//! machine.

use std::sync::Arc;
use std::time::Instant;

use halimede_arith::memory::{available_bytes, peak_bytes};
use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::executor::{ProgramExecutor, ProgramPlace, ProgramServer, Routine};
use halimede_ckks::{Ciphertext, Client, Complex, Difference, Operations, Parameters, Server};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{json, Value};

use super::describe::{print, warn_insecure};
use super::keygen::make_keys;
use super::limits::check_slots;
use super::messages::{bad_input, executor_error, NO_BOOTSTRAP};
use super::params::parameters_json;
use super::vectors::read_vector;
use crate::arguments::BootstrapDemoOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::progress::spinner;

/// Both parts of a random value are in (−BOUND, BOUND), so that its absolute value is below 1.
const BOUND: f64 = 0.7;

/// The values to bootstrap, and their origin.
struct Values {
    values: Vec<Complex>,
    /// `None` if the values come from a file.
    seed: Option<u64>,
}

/// The results.
struct Findings {
    keys: usize,
    keys_s: f64,
    key_bytes: usize,
    key_file_bytes: u64,
    matrices_s: f64,
    matrix_bytes: usize,
    /// The time of each bootstrap, in seconds.
    bootstraps_s: Vec<f64>,
    /// The levels before and after a bootstrap.
    levels: (usize, usize),
    /// The mean and the largest error over all bootstraps.
    off: Difference,
}

pub fn run(options: &BootstrapDemoOptions, json: bool) -> Result<(), CommandError> {
    let device = Arc::new(open(&options.device)?);
    let place = device.programs()?;
    let parameters = Parameters::preset(&options.params).map_err(bad_input)?;
    if parameters.bootstrap().is_none() {
        return Err(bad_input(NO_BOOTSTRAP));
    }
    let values = Values::new(options, &parameters)?;
    let slots = values.values.len();
    let memory = BootstrapMemory::of_slots(&parameters, slots, options.few_keys);
    let memory = memory.map_err(bad_input)?;
    check_memory(&parameters, memory, available_bytes())?;
    warn_insecure(&parameters);
    let executor = place.executor(&parameters).map_err(executor_error)?;
    let findings = measure(&parameters, &values.values, options, executor)?;
    let peak = peak_bytes();
    let text = text(&parameters, &values, &findings, peak);
    print(&text, &object(&parameters, &values, &findings, peak), json)
}

impl Values {
    fn new(options: &BootstrapDemoOptions, parameters: &Parameters) -> Result<Self, CommandError> {
        let slots = parameters.slots();
        let Some(path) = &options.input else {
            let slots = options.slots.unwrap_or(slots);
            let slots = check_slots("--slots", slots, parameters)?;
            let seed = options.seed.unwrap_or_else(rand::random);
            let mut rng = StdRng::seed_from_u64(seed);
            let mut part = || rng.gen_range(-BOUND..BOUND);
            let values = (0..slots).map(|_| Complex::new(part(), part())).collect();
            return Ok(Self { values, seed: Some(seed) });
        };
        let values = read_vector(path)?.values;
        let path = path.display();
        if values.is_empty() || values.len() > slots {
            let (got, name) = (values.len(), parameters.name());
            return Err(bad_input(format!(
                "{path}: expected 1 to {slots} values for {name}, got {got}"
            )));
        }
        let large = values.iter().position(|value| value.abs() > 1.0);
        if let Some(index) = large {
            let got = values[index].abs();
            return Err(bad_input(format!(
                "{path}: value {} has the absolute value {got}, but the maximum for a bootstrap is \
                 1; divide all values by the largest one",
                index + 1
            )));
        }
        Ok(Self { values, seed: None })
    }
}

/// Checks that enough memory is free, if the system reports it: without memory, the system would
/// kill this process without a message.
fn check_memory(
    parameters: &Parameters,
    memory: BootstrapMemory,
    available: Option<u64>,
) -> Result<(), CommandError> {
    let needed = memory.total() as u64;
    match available {
        Some(available) if available < needed => Err(CommandError::Memory {
            what: format!("a bootstrap with {}", parameters.name()),
            needed,
            available,
        }),
        _ => Ok(()),
    }
}

fn measure(
    parameters: &Parameters,
    values: &[Complex],
    options: &BootstrapDemoOptions,
    executor: Arc<dyn ProgramExecutor>,
) -> Result<Findings, CommandError> {
    let repeat = options.repeat as usize;
    let mut client = Client::new(parameters).map_err(bad_input)?;
    let start = Instant::now();
    let (bootstrap_slots, few_keys) = (vec![values.len()], options.few_keys);
    let operations = Operations { bootstrap_slots, few_keys, ..Operations::default() };
    let wanted = operations.keys(parameters);
    let keys = make_keys(&mut client, wanted);
    let keys_s = start.elapsed().as_secs_f64();
    let spinner = spinner();
    spinner.set_message("the size of the keys in a file");
    let (count, key_bytes) = (keys.iter().count(), keys.bytes());
    let key_file_bytes = keys.file_bytes().map_err(bad_input)?;
    let server = Server::new(keys);
    spinner.set_message("the matrices of the bootstrap");
    let start = Instant::now();
    let matrix_bytes = server.prepare_bootstrap_of(values.len()).map_err(bad_input)?;
    let matrices_s = start.elapsed().as_secs_f64();
    let server = ProgramServer::new(Arc::new(server), executor);
    let ciphertext = client.encrypt_at(values, 0).map_err(bad_input)?;
    let mut findings = Findings {
        keys: count,
        keys_s,
        key_bytes,
        key_file_bytes,
        matrices_s,
        matrix_bytes,
        bootstraps_s: Vec::with_capacity(repeat),
        levels: (ciphertext.level(), ciphertext.level()),
        off: Difference::default(),
    };
    for turn in 1..=repeat {
        spinner.set_message(format!("bootstrap {turn} of {repeat}"));
        findings.add(&client, &server, &ciphertext, values)?;
    }
    spinner.finish_and_clear();
    findings.off.mean /= repeat as f64;
    Ok(findings)
}

impl Findings {
    /// Runs one more bootstrap, and adds its results.
    fn add(
        &mut self,
        client: &Client,
        server: &ProgramServer,
        ciphertext: &Ciphertext,
        values: &[Complex],
    ) -> Result<(), CommandError> {
        let start = Instant::now();
        let results = server.compute(&Routine::Bootstrap, &[ciphertext]).map_err(executor_error)?;
        self.bootstraps_s.push(start.elapsed().as_secs_f64());
        let [result] = &results[..] else { return Err(bad_input("a bootstrap has one result")) };
        self.levels.1 = result.level();
        let off = Difference::between(&client.decrypt(result).map_err(bad_input)?, values);
        self.off.mean += off.mean;
        self.off.largest = self.off.largest.max(off.largest);
        Ok(())
    }
}

fn text(
    parameters: &Parameters,
    values: &Values,
    findings: &Findings,
    peak: Option<u64>,
) -> String {
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    let times: Vec<String> = findings.bootstraps_s.iter().map(|s| format!("{s:.3}")).collect();
    let (from, to) = findings.levels;
    let off = findings.off;
    let rounds = match parameters.bootstrap().map_or(1, |shape| shape.rounds) {
        1 => String::new(),
        rounds => format!(", {rounds} rounds each"),
    };
    let lines = [
        (
            "parameters",
            format!(
                "{}: N = 2^{}, log2 QP {:.1}",
                parameters.name(),
                parameters.shape().chain().log_degree,
                parameters.modulus_bits()
            ),
        ),
        (
            "values",
            match values.seed {
                Some(seed) => format!("{}, random, seed {seed}", values.values.len()),
                None => format!("{}, from the file", values.values.len()),
            },
        ),
        (
            "keys",
            format!(
                "{} made in {:.3} s; {} in memory, {} in a file",
                findings.keys,
                findings.keys_s,
                megabytes(findings.key_bytes as f64),
                megabytes(findings.key_file_bytes as f64)
            ),
        ),
        (
            "matrices",
            format!(
                "made in {:.3} s; {}",
                findings.matrices_s,
                megabytes(findings.matrix_bytes as f64)
            ),
        ),
        ("bootstrap", format!("from level {from} to level {to} in {} s{rounds}", times.join(", "))),
        ("error", format!("mean 2^{:.1}, maximum 2^{:.1}", off.mean.log2(), off.largest.log2())),
        ("peak memory", peak.map_or_else(|| "unknown".to_owned(), |peak| megabytes(peak as f64))),
        ("threads", rayon::current_num_threads().to_string()),
    ];
    lines.map(|(name, line)| format!("{name:<12} {line}")).join("\n")
}

fn object(
    parameters: &Parameters,
    values: &Values,
    findings: &Findings,
    peak: Option<u64>,
) -> Value {
    json!({
        "parameters": parameters_json(parameters), "values": values.values.len(),
        "seed": values.seed, "threads": rayon::current_num_threads(),
        "keys": findings.keys, "keys_s": findings.keys_s, "key_bytes": findings.key_bytes,
        "key_file_bytes": findings.key_file_bytes, "matrices_s": findings.matrices_s,
        "matrix_bytes": findings.matrix_bytes, "bootstraps_s": findings.bootstraps_s,
        "level_before": findings.levels.0, "level_after": findings.levels.1,
        "mean_error_log2": findings.off.mean.log2(),
        "largest_error_log2": findings.off.largest.log2(), "peak_bytes": peak,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_memory_is_an_error_with_both_numbers() {
        let parameters = Parameters::preset("n10-boot-insecure").unwrap();
        let memory = BootstrapMemory::new(&parameters).unwrap();
        let needed = memory.total() as u64;
        for available in [None, Some(needed), Some(u64::MAX)] {
            check_memory(&parameters, memory, available).unwrap();
        }
        let error = check_memory(&parameters, memory, Some(needed - 1)).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let text = error.to_string();
        assert!(text.starts_with("a bootstrap with n10-boot-insecure needs 0."), "{text}");
    }
}
