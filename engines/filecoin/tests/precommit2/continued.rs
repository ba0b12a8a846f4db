// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs that end early, and are started again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_filecoin::journal::{Journal, NAME};
use halimede_filecoin::Job;
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;

use crate::sectors::{read, Sandbox};

const BYTES: u64 = 32 << 10;

/// A device that fails after a number of batches.
struct Failing {
    batches: AtomicUsize,
}

impl Execute<FilecoinHash> for Failing {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let take = |left: usize| left.checked_sub(1);
        let left = self.batches.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        let (device, reason) = ("test".into(), "its batches are used up".into());
        left.map_err(|_| DeviceError::Unavailable { device, reason })?;
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

/// Runs the phase on a device that fails after a number of batches; returns `true` if it did.
fn fails_after(sandbox: &Sandbox, batches: usize) -> bool {
    let Job { sector, cache, sealed, .. } = sandbox.job();
    let device = &Failing { batches: AtomicUsize::new(batches) };
    let outcome = Job { device, sector, cache, sealed }.run(&mut |_| true);
    if let Err(error) = &outcome {
        assert!(error.is_of_device(), "{error}");
    }
    outcome.is_err()
}

/// The outputs of a run that nothing interrupts.
fn expected() -> BTreeMap<String, Vec<u8>> {
    let sandbox = Sandbox::of_streams(BYTES, 2);
    sandbox.run().unwrap();
    sandbox.outputs()
}

/// Asserts that the outputs are the expected ones, except the path in `t_aux`.
fn assert_same(sandbox: &Sandbox, expected: &BTreeMap<String, Vec<u8>>) {
    let mut outputs = sandbox.outputs();
    outputs.insert("t_aux".into(), expected["t_aux"].clone());
    assert!(outputs.keys().eq(expected.keys()), "{:?}", outputs.keys());
    assert!(outputs == *expected);
}

#[test]
fn a_run_continues_after_a_failure_at_any_batch() {
    let expected = expected();
    let (mut failures, mut continued, mut reused) = (0, 0, 0);
    // Both trees have 16 base trees: tree C hashes 3 batches for each of them, tree R 2.
    for batches in (0..).step_by(3) {
        let sandbox = Sandbox::of_streams(BYTES, 2);
        let data = read(&sandbox.path("sealed"));
        if !fails_after(&sandbox, batches) {
            break;
        }
        failures += 1;
        let journal = Journal::load(&sandbox.cached(NAME)).unwrap();
        let is_started = journal.as_ref().is_some_and(|journal| journal.replica_started);
        assert!(is_started || read(&sandbox.path("sealed")) == data, "{batches}");
        assert!(!sandbox.cached("p_aux").exists(), "{batches}");
        let outcome = sandbox.run().unwrap();
        assert_eq!(outcome.continued_replica, is_started);
        continued += usize::from(is_started);
        reused += outcome.reused_trees;
        assert_same(&sandbox, &expected);
    }
    assert!(failures > 20 && continued > 5 && reused > 50, "{failures} {continued} {reused}");
}

#[test]
fn a_replica_continues_whatever_the_sealed_file_contains() {
    let expected = expected();
    let original = Sandbox::of_streams(BYTES, 2);
    let data = read(&original.path("sealed"));
    let replica = &expected["sealed"];
    let mixed: Vec<u8> =
        (0..data.len()).map(|at| if at / 100 % 3 == 0 { data[at] } else { replica[at] }).collect();
    for content in [&data, replica, &mixed, &vec![0xff; data.len()]] {
        let sandbox = Sandbox::of_streams(BYTES, 2);
        assert!(fails_after(&sandbox, 60), "in the replica");
        assert!(Journal::load(&sandbox.cached(NAME)).unwrap().unwrap().replica_started);
        std::fs::write(sandbox.path("sealed"), content).unwrap();
        assert!(sandbox.run().unwrap().continued_replica);
        assert_same(&sandbox, &expected);
    }
}

#[test]
fn trees_of_other_layers_are_made_again() {
    let expected = expected();
    let sandbox = Sandbox::of_streams(BYTES, 2);
    assert!(fails_after(&sandbox, 20));
    // A layer that is written again, with the same content.
    let layer = sandbox.cached("sc-02-data-layer-1.dat");
    let content = read(&layer);
    std::fs::write(&layer, &content).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
    File::options().write(true).open(&layer).unwrap().set_modified(later).unwrap();
    assert_eq!(sandbox.run().unwrap().reused_trees, 0);
    assert_same(&sandbox, &expected);
}

#[test]
fn a_damaged_file_of_tree_c_is_made_again() {
    let expected = expected();
    let sandbox = Sandbox::of_streams(BYTES, 2);
    assert!(fails_after(&sandbox, 30));
    let tree = sandbox.cached("sc-02-data-tree-c-1.dat");
    let length = read(&tree).len() as u64;
    File::options().write(true).open(tree).unwrap().write_all_at(&[1], length - 2).unwrap();
    assert_eq!(sandbox.run().unwrap().reused_trees, 1);
    assert_same(&sandbox, &expected);
}

#[test]
fn outputs_of_an_earlier_sector_are_replaced() {
    let expected = expected();
    let sandbox = Sandbox::of_streams(BYTES, 2);
    for name in ["p_aux", "t_aux", "sc-02-data-tree-c-3.dat", "sc-02-data-tree-r-last-0.dat"] {
        std::fs::write(sandbox.cached(name), "of another sector").unwrap();
    }
    let removed = Cell::new(false);
    let outcome = sandbox.job().run(&mut |_| {
        // p_aux is not there while the sealed file is partly transformed.
        if read(&sandbox.path("sealed")) != read(&sandbox.cached("sc-02-data-tree-d.dat"))[..32768]
        {
            assert!(!sandbox.cached("p_aux").exists());
            removed.set(true);
        }
        true
    });
    assert_eq!(outcome.unwrap().reused_trees, 0);
    assert!(removed.get());
    assert_same(&sandbox, &expected);
}

#[test]
fn another_sealed_file_of_an_unfinished_sector_is_refused() {
    let sandbox = Sandbox::of_streams(BYTES, 2);
    let data = read(&sandbox.path("sealed"));
    assert!(fails_after(&sandbox, 60));
    std::fs::write(sandbox.path("other"), data).unwrap();
    let mut job = sandbox.job();
    job.sealed = sandbox.path("other");
    let error = job.run(&mut |_| true).unwrap_err().to_string();
    assert!(error.contains("sealed of the same sector is partly transformed"), "{error}");
}

#[test]
fn a_run_that_is_stopped_anywhere_continues() {
    let expected = expected();
    let total = Sandbox::of_streams(BYTES, 2).job().bytes();
    let mut stopped = 0;
    for limit in (1..=total).step_by(6_000) {
        let sandbox = Sandbox::of_streams(BYTES, 2);
        let outcome = sandbox.job().run(&mut |bytes| bytes < limit);
        match outcome {
            Err(error) => {
                assert!(error.to_string().starts_with("stopped"), "{error}");
                assert!(!sandbox.cached("p_aux").exists());
                stopped += 1;
                sandbox.run().unwrap();
            }
            Ok(_) => assert!(limit > total - 4_096, "{limit} of {total}"),
        }
        assert_same(&sandbox, &expected);
    }
    assert!(stopped > 15, "{stopped}");
}

#[test]
fn after_a_full_disk_a_run_continues() {
    let expected = expected();
    for (name, is_started) in [("tree-c-5", false), ("tree-r-last-3", true)] {
        let sandbox = Sandbox::of_streams(BYTES, 2);
        let data = read(&sandbox.path("sealed"));
        let path = sandbox.cached(&format!("sc-02-data-{name}.dat"));
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let error = sandbox.run().unwrap_err();
        assert!(error.is_of_output() && error.to_string().contains("No space left"), "{error}");
        let journal = Journal::load(&sandbox.cached(NAME)).unwrap().unwrap();
        assert_eq!(journal.replica_started, is_started);
        assert!(is_started || read(&sandbox.path("sealed")) == data);
        std::fs::remove_file(path).unwrap();
        sandbox.run().unwrap();
        assert_same(&sandbox, &expected);
    }
}
