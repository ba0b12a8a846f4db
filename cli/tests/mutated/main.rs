// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the command on mutated inputs: it must end in time with a documented exit code, without a
//! panic, and use little more memory than with valid input. `HALIMEDE_MUTATED=CASE:SEED` replays a
//! failure. cli/src/mutated.rs runs many more inputs through the parsers.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cases;
#[path = "../common/mutate.rs"]
mod mutate;
mod process;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use rayon::prelude::*;

use cases::{Case, Folder, Place};
use mutate::mutated;
use process::{run, Ended};

/// The number of runs for all cases together, by default and in a sweep.
const RUNS: u64 = 2_000;
const SWEEP_RUNS: u64 = 40_000;
/// The memory that a run may use beyond that of a valid input and twice its input, in bytes.
const SPARE_BYTES: u64 = 64 << 20;

/// Returns the fault of the end of a run, if any.
fn fault(ended: &Ended, most_bytes: u64) -> Option<String> {
    let said = String::from_utf8_lossy(&ended.stderr);
    if !matches!(ended.code, Some(0..=5)) {
        return Some(format!("ended with {:?}, signal {:?}: {said}", ended.code, ended.signal));
    }
    if said.contains("panicked") {
        return Some(format!("panicked: {said}"));
    }
    if ended.peak_bytes > most_bytes {
        return Some(format!("took {} bytes of memory, not {most_bytes}", ended.peak_bytes));
    }
    None
}

/// Runs a case once with this input.
fn run_with(case: &Case, folder: &Folder, input: &[u8], name: &str) -> Ended {
    match case.place {
        Place::File => {
            let file = folder.write(&format!("mutated-{name}{}", case.ending()), input);
            let ended = run(&case.words(folder, file.clone().into()), None);
            std::fs::remove_file(file).unwrap();
            ended
        }
        Place::Input => {
            let file = folder.write(&format!("mutated-{name}"), input);
            let ended = run(&case.words(folder, OsString::new()), Some(&file));
            std::fs::remove_file(file).unwrap();
            ended
        }
        Place::Argument => {
            // Arguments cannot contain a zero byte.
            let bytes: Vec<u8> =
                input.iter().copied().filter(|byte| *byte != 0).take(4_096).collect();
            run(&case.words(folder, OsString::from_vec(bytes)), None)
        }
    }
}

fn failure(case: &Case, folder: &Folder, seed: u64, baseline: u64) -> Option<String> {
    let input = mutated(&case.seeds, seed);
    let ended = run_with(case, folder, &input, &format!("{}-{seed}", case.name));
    let most_bytes = baseline + 2 * input.len() as u64 + SPARE_BYTES;
    let fault = fault(&ended, most_bytes)?;
    Some(format!("HALIMEDE_MUTATED={}:{seed}, {} bytes: {fault}", case.name, input.len()))
}

/// Returns the peak memory of the valid inputs of a case, all of which must be accepted.
fn baseline(case: &Case, folder: &Folder) -> u64 {
    let peak = |(number, seed): (usize, &Vec<u8>)| {
        let ended = run_with(case, folder, seed, &format!("{}-valid-{number}", case.name));
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.code, Some(0), "{}, seed {number}: {said}", case.name);
        ended.peak_bytes
    };
    case.seeds.iter().enumerate().map(peak).max().unwrap()
}

#[test]
fn mutated_inputs_end_the_command_as_documented() {
    let folder = Folder::make();
    let cases = cases::cases(&folder);
    if let Some(replayed) = std::env::var_os("HALIMEDE_MUTATED") {
        let replayed = replayed.to_string_lossy().into_owned();
        let (name, seed) = replayed.split_once(':').unwrap();
        let case = cases.iter().find(|case| case.name == name).unwrap();
        let baseline = baseline(case, &folder);
        assert_eq!(failure(case, &folder, seed.parse().unwrap(), baseline), None);
        return;
    }
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let runs = if is_sweep { SWEEP_RUNS } else { RUNS };
    let each = runs.div_ceil(cases.len() as u64);
    let failures: Vec<String> = cases
        .par_iter()
        .flat_map(|case| {
            let (folder, baseline) = (&folder, baseline(case, &folder));
            let seeds = (0..each).into_par_iter();
            seeds.filter_map(move |seed| failure(case, folder, seed, baseline))
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The checks of runs detect their faults.
#[test]
fn every_fault_is_noticed() {
    let good = |code| Ended { code: Some(code), signal: None, stderr: vec![], peak_bytes: 100 };
    for code in 0..=4 {
        assert_eq!(fault(&good(code), 100), None);
    }
    assert!(fault(&good(101), 100).unwrap().contains("101"));
    assert!(fault(&Ended { code: None, signal: Some(24), ..good(0) }, 100).unwrap().contains("24"));
    assert!(fault(&good(0), 99).unwrap().contains("memory"));
    let panicked = Ended { stderr: b"thread 'main' panicked at".into(), ..good(2) };
    assert!(fault(&panicked, 100).is_some());
}
