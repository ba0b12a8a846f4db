// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede filecoin precommit2`, killed at random moments and started again.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use halimede_filecoin::journal::{Journal, NAME};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::sectors::{read, Sandbox};

const SECTOR_BYTES: u64 = 8 << 20;
/// The number of kills by default and in a sweep.
const KILLS: usize = 20;
const SWEEP_KILLS: usize = 40;

/// Starts the command in the folder of a sector.
fn start(sandbox: &Sandbox) -> Child {
    let nodes = SECTOR_BYTES / 32;
    let store = |id: &str, size: u64| serde_json::json!({"path": "cache", "id": id, "size": size, "rows_to_discard": 0});
    let labels = [store("layer-1", nodes), store("layer-2", nodes)];
    let phase1 = serde_json::json!({
        "registered_proof": "StackedDrg8MiBV1_1",
        "labels": {"StackedDrg8MiBV1": {"labels": labels, "_h": null}},
        "config": store("tree-d", 2 * nodes - 1), "comm_d": sandbox.sector.comm_d,
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
    command.args(["filecoin", "precommit2", "--sealed", "sealed", "--cache", "cache"]);
    command.args(["--pc1out", &STANDARD.encode(phase1.to_string())]);
    command.current_dir(sandbox.path("")).stdout(Stdio::null()).spawn().unwrap()
}

fn has_started_replica(sandbox: &Sandbox) -> bool {
    let journal = Journal::load(&sandbox.cached(NAME)).unwrap();
    journal.is_some_and(|journal| journal.replica_started)
}

/// Waits until a condition holds or the command ends; returns `true` if it has ended.
fn has_ended(child: &mut Child, mut is_so: impl FnMut() -> bool) -> bool {
    loop {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        if is_so() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_runs_continue_to_the_same_files() {
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let kills = if is_sweep { SWEEP_KILLS } else { KILLS };
    println!("{kills} kills; {SWEEP_KILLS} with HALIMEDE_SWEEP=1");
    let sandbox = Sandbox::of_streams(SECTOR_BYTES, 2);
    let data = read(&sandbox.path("sealed"));
    let begin = Instant::now();
    assert!(start(&sandbox).wait().unwrap().success());
    let whole = begin.elapsed();
    let expected = sandbox.outputs();
    let reset = || {
        std::fs::write(sandbox.path("sealed"), &data).unwrap();
        for name in expected.keys().filter(|name| *name != "sealed") {
            std::fs::remove_file(sandbox.cached(name)).unwrap();
        }
    };
    reset();
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let (mut killed, mut in_replica) = (0, 0);
    while killed < kills {
        // lotus writes the data again before it calls the command again.
        if rng.gen_bool(0.3) && !sandbox.cached("p_aux").exists() {
            std::fs::write(sandbox.path("sealed"), &data).unwrap();
        }
        let mut child = start(&sandbox);
        let waits = killed % 2 == 1 && !has_started_replica(&sandbox);
        let mut ended = waits && has_ended(&mut child, || has_started_replica(&sandbox));
        let most = if killed % 2 == 1 { whole / 3 } else { whole };
        let end = Instant::now() + most.mul_f64(rng.gen());
        ended = ended || has_ended(&mut child, || Instant::now() >= end);
        child.kill().unwrap();
        let is_killed = !child.wait().unwrap().success();
        assert!(!ended || !is_killed, "the command failed");
        killed += usize::from(is_killed);
        in_replica += usize::from(is_killed && has_started_replica(&sandbox));
        if sandbox.cached("p_aux").exists() {
            let mut outputs = sandbox.outputs();
            outputs.remove(NAME);
            assert!(outputs == expected, "p_aux exists, so the sector must be complete");
        }
        if !is_killed {
            reset();
        }
    }
    assert!(start(&sandbox).wait().unwrap().success());
    assert!(sandbox.outputs() == expected);
    println!("{in_replica} of {killed} kills in the replica");
    assert!(in_replica > 0);
}
