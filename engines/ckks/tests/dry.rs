// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs at N = 2¹⁶ recorded without arithmetic: in less than a second and 200 MB.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use halimede_ckks::{DryServer, Operations, Parameters};

/// The time limit of one recording, summed over all threads.
const MOST_TIME: Duration = Duration::from_secs(1);
const MOST_BYTES: usize = 200 << 20;

/// Returns the values of /proc/self/stat and /proc/self/status.
fn used() -> (Duration, usize) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let columns: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    // User and system time in hundredths of a second.
    let ticks: u64 = columns[11..=12].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kilobytes: usize = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    (Duration::from_millis(10 * ticks), kilobytes << 10)
}

/// A single test: its memory is that of the process.
#[test]
#[cfg(target_os = "linux")]
fn bootstraps_of_all_forms() {
    for (preset, slots, few_keys, rounds) in [
        ("n16-boot", 1 << 15, false, 1),
        ("n16-boot", 1 << 15, true, 1),
        ("n16-boot", 1 << 8, false, 1),
        ("n16-boot", 1 << 8, true, 1),
        ("n16-boot-precise", 1 << 15, false, 2),
        ("n16-boot-precise", 1 << 10, true, 2),
    ] {
        let (before, _) = used();
        let parameters = Parameters::dry_preset(preset).unwrap();
        let operations =
            Operations { bootstrap_slots: vec![slots], few_keys, ..Operations::default() };
        let dry = DryServer::new(&parameters, &operations.keys(&parameters));
        dry.server().prepare_bootstrap_of(slots).unwrap();
        let input = dry.input(0, slots);
        let bootstrap = dry.record(&[&input], &[], |server| Ok(vec![server.bootstrap(&input)?]));
        let (results, program) = bootstrap.unwrap();
        let (after, peak) = used();
        let what = format!("{preset}, {slots} slots, few keys: {few_keys}");
        let steps = program.steps.len();
        println!("{what}: {steps} steps, {:?}, {} MB", after - before, peak >> 20);
        assert!(after - before < MOST_TIME, "{what}: {:?}", after - before);
        assert!(peak < MOST_BYTES, "{what}: {} MB", peak >> 20);
        assert_eq!(results[0].level(), parameters.fresh_level());
        assert_eq!((program.degree, program.outputs.len()), (1 << 16, 2));
        assert!(program.externals.iter().all(|of| !of.name.starts_with("constant ")));
        let raised = program.notes.iter().filter(|note| note.text == "ModRaise").count();
        assert_eq!(raised, rounds);
    }
}
