// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of 2¹⁵ values at N = 2¹⁶, nine levels left, against Lattigo's.
//!
//! Both sides together do not fit into the memory of a usual machine, so they run in separate
//! processes, in turns. A process makes its keys and does a few bootstraps.

mod report;
mod worker;

use std::process::Command;

use halimede_arith::memory::available_bytes;
use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::Parameters;
use indicatif::ProgressBar;

use super::lattigo;
use super::process::{numbers, Process};
use report::{record, Side};
pub use report::{report, BootstrapRecord};
pub use worker::serve;

/// Our parameters.
const PRESET: &str = "n16-boot";

/// The levels after Lattigo's bootstrap, the same as ours.
const PEER_LEVELS: &str = "9";

/// The memory that Lattigo needs; measured: 17.6 to 18.1 GB.
const PEER_BYTES: u64 = 18_500_000_000;

/// The number of bootstraps of a process.
const BOOTSTRAPS: usize = 3;

/// The results of one process.
#[derive(Clone, Debug, PartialEq)]
struct Turn {
    log2_qp: f64,
    levels: f64,
    digits: f64,
    /// The time of each bootstrap.
    ns: Vec<f64>,
    mean_error_log2: f64,
    largest_error_log2: f64,
    peak_bytes: f64,
    key_bytes: f64,
}

/// Measures both sides, each with one process per turn on this number of threads. Without the peer
/// its column is empty, and the record has the reason.
///
/// # Errors
/// If one of our bootstraps fails, or if there is too little memory.
pub fn compare(threads: usize, turns: usize) -> Result<BootstrapRecord, String> {
    let parameters = Parameters::preset(PRESET).map_err(|error| error.to_string())?;
    let memory = BootstrapMemory::new(&parameters).map_err(|error| error.to_string())?;
    check_memory("a bootstrap", memory.total() as u64)?;
    let mut without = lattigo::build().and_then(|()| check_memory("Lattigo", PEER_BYTES)).err();
    let bar = ProgressBar::new((2 * turns) as u64);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for turn in 1..=turns {
        bar.println(format!("turn {turn} of {turns}: keys and {BOOTSTRAPS} bootstraps of ours"));
        ours.push(take_turn(start_ours(threads))?);
        bar.inc(1);
        if without.is_none() {
            bar.println(format!("turn {turn} of {turns}: the same of Lattigo's"));
            match take_turn(lattigo::start(threads, &["bootstrap", PEER_LEVELS])) {
                Ok(turn) => theirs.push(turn),
                Err(reason) => without = Some(reason),
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let ours = Side::of("halimede", &ours).ok_or("not one turn was taken")?;
    let theirs = match &without {
        None => Side::of(lattigo::NAME, &theirs),
        Some(_) => None,
    };
    Ok(record(threads, turns, BOOTSTRAPS, ours, theirs, without))
}

/// Checks that this amount of memory is free, if the system reports it.
fn check_memory(what: &str, needed: u64) -> Result<(), String> {
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    match available_bytes() {
        Some(available) if available < needed => Err(format!(
            "{what} takes {:.1} GB of memory, and {:.1} are free",
            gigabytes(needed),
            gigabytes(available)
        )),
        _ => Ok(()),
    }
}

/// Starts this program again, as [`serve`].
fn start_ours(threads: usize) -> Result<(Process, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let threads = threads.to_string();
    let arguments = ["ckks", "--serve-bootstraps", PRESET, "--threads", &threads];
    Process::start("Halimede", Command::new(program).args(arguments))
}

/// Asks a process for everything and ends it.
fn take_turn(started: Result<(Process, String), String>) -> Result<Turn, String> {
    let (mut process, figures) = started?;
    let [log2_qp, levels, digits] =
        numbers(&figures).ok_or_else(|| format!("{figures:?} are not three figures"))?;
    let mut ns = Vec::new();
    for _ in 0..BOOTSTRAPS {
        ns.extend(process.ask::<1>("bootstrap")?);
    }
    let [mean_error_log2, largest_error_log2] = process.ask("precision")?;
    // Before the keys are counted, which may need memory too.
    let [peak_bytes] = process.ask("memory")?;
    let [key_bytes] = process.ask("keys")?;
    Ok(Turn {
        log2_qp,
        levels,
        digits,
        ns,
        mean_error_log2,
        largest_error_log2,
        peak_bytes,
        key_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that answers as ours and Lattigo's do.
    const SCRIPT: &str = "echo ready 1717.5 9 4
while read line; do case $line in
bootstrap) echo 6000000000;;
precision) echo -23.5 -21.25;;
memory) echo 9000000000;;
keys) echo 3500000000;;
esac; done";

    fn turn_of(script: &str) -> Result<Turn, String> {
        take_turn(Process::start("sh", Command::new("sh").args(["-c", script])))
    }

    #[test]
    fn a_turn_asks_for_everything() {
        let turn = turn_of(SCRIPT).unwrap();
        let expected = Turn {
            log2_qp: 1717.5,
            levels: 9.0,
            digits: 4.0,
            ns: vec![6e9; BOOTSTRAPS],
            mean_error_log2: -23.5,
            largest_error_log2: -21.25,
            peak_bytes: 9e9,
            key_bytes: 3.5e9,
        };
        assert_eq!(turn, expected);
    }

    #[test]
    fn a_turn_that_breaks_off_says_where() {
        let error = turn_of(&SCRIPT.replace("echo 9000000000", "exit 3")).unwrap_err();
        assert!(error.contains("ended: exit status: 3"), "{error}");
        let error = turn_of(&SCRIPT.replace("-23.5 -21.25", "-23.5")).unwrap_err();
        assert!(error.contains("said \"-23.5\" to \"precision\""), "{error}");
        let error = turn_of(&SCRIPT.replace("ready 1717.5 9 4", "ready 1717.5 9")).unwrap_err();
        assert!(error.contains("not three figures"), "{error}");
    }

    #[test]
    fn memory_that_is_not_there_is_said() {
        check_memory("nothing", 0).unwrap();
        if available_bytes().is_some() {
            let error = check_memory("everything", 1 << 60).unwrap_err();
            assert!(error.starts_with("everything takes 1152921504.6 GB of memory"), "{error}");
        }
    }
}
