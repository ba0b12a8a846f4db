// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs whose parts several workers compute.

use std::collections::BTreeMap;
use std::path::PathBuf;

use halimede_filecoin::journal::{Journal, NAME};
use halimede_filecoin::{Outcome, Precommit2Error, Spread, Stage};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::sectors::{read, Sandbox};

fn begin(sandbox: &Sandbox, part_bytes: u64) -> Result<Spread, Precommit2Error> {
    let (cache, sealed) = (sandbox.path("cache"), sandbox.path("sealed"));
    Spread::begin(&sandbox.sector, &cache, &sealed, part_bytes)
}

fn part(sandbox: &Sandbox, stage: Stage, number: u64) -> Result<[u8; 32], Precommit2Error> {
    sandbox.job().part(stage, number, &mut || true)
}

/// Computes all pending parts in a random order, some of them twice, and ends the step.
fn step(sandbox: &Sandbox, run: &mut Spread, rng: &mut ChaCha8Rng) -> Option<Outcome> {
    let mut order = run.pending();
    order.extend(run.pending().into_iter().filter(|_| rng.gen_bool(0.2)));
    order.shuffle(rng);
    for number in order {
        run.keep(number, &part(sandbox, run.stage(), number).unwrap()).unwrap();
    }
    run.advance(&|| false).unwrap()
}

/// The outputs of a run of one process, and of `sandbox` as if it had the same path.
fn outputs(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut outputs = sandbox.outputs();
    outputs.insert("t_aux".into(), sandbox.t_aux_of_cache());
    outputs
}

fn partial_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sandbox.path("cache")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "parts")).collect()
}

#[test]
fn parts_in_any_order_give_the_files_of_one_process() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for (bytes, layers) in [(2 << 10, 2), (4 << 10, 2), (16 << 10, 11), (32 << 10, 2)] {
        let alone = Sandbox::of_streams(bytes, layers);
        let expected_roots = alone.run().unwrap().commitments;
        let expected = outputs(&alone);
        for part_bytes in [1, 256, 2048, 64 << 20] {
            let sandbox = Sandbox::of_streams(bytes, layers);
            let mut run = begin(&sandbox, part_bytes).unwrap();
            assert_eq!(run.pending().len() as u64, run.part_count());
            assert_eq!(run.part_count() * run.part_bytes(), bytes);
            assert!(step(&sandbox, &mut run, rng).is_none());
            assert_eq!(run.stage(), Stage::Replica);
            assert!(!sandbox.cached("p_aux").exists());
            let outcome = step(&sandbox, &mut run, rng).unwrap();
            assert_eq!(outcome.commitments, expected_roots);
            assert_eq!((outcome.reused_trees, outcome.continued_replica), (0, false));
            assert!(outputs(&sandbox) == expected, "{bytes} {layers} {part_bytes}");
        }
    }
}

#[test]
fn a_run_that_ends_at_any_part_continues() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let alone = Sandbox::of_streams(16 << 10, 2);
    alone.run().unwrap();
    let expected = outputs(&alone);
    // 64 parts of tree C and 64 of the replica, in 8 base trees each.
    for ends in [0, 1, 9, 40, 63, 64, 65, 100, 127] {
        let sandbox = Sandbox::of_streams(16 << 10, 2);
        let data = read(&sandbox.path("sealed"));
        let mut run = begin(&sandbox, 256).unwrap();
        for done in 0..ends {
            if done == 64 {
                run.advance(&|| false).unwrap();
            }
            let pending = run.pending();
            let number = pending[rng.gen_range(0..pending.len())];
            run.keep(number, &part(&sandbox, run.stage(), number).unwrap()).unwrap();
        }
        // A worker whose run ends before it does.
        let late = run.pending().first().map(|&number| (run.stage(), number));
        let is_replica = run.stage() == Stage::Replica;
        drop(run);
        assert!(is_replica || read(&sandbox.path("sealed")) == data);
        // lotus writes the data again.
        std::fs::write(sandbox.path("sealed"), &data).unwrap();
        // The caller wants another size of parts; the parts of tree C that are there keep theirs.
        let mut run = begin(&sandbox, 2048).unwrap();
        assert_eq!((run.stage(), run.part_bytes()), (Stage::TreeC, 256), "{ends}");
        assert_eq!(run.pending().len(), 64 - ends.min(64), "{ends}");
        if let Some((stage, number)) = late {
            part(&sandbox, stage, number).unwrap();
        }
        step(&sandbox, &mut run, rng);
        assert_eq!(run.pending().len(), 64, "the replica is written again");
        let outcome = step(&sandbox, &mut run, rng).unwrap();
        assert_eq!(outcome.continued_replica, is_replica);
        assert!(outputs(&sandbox) == expected, "{ends}");
    }
}

#[test]
fn one_process_ends_what_several_began() {
    let alone = Sandbox::of_streams(32 << 10, 2);
    alone.run().unwrap();
    let sandbox = Sandbox::of_streams(32 << 10, 2);
    let mut run = begin(&sandbox, 256).unwrap();
    for number in 0..20 {
        run.keep(number, &part(&sandbox, Stage::TreeC, number).unwrap()).unwrap();
    }
    assert!(matches!(sandbox.run(), Err(Precommit2Error::Locked { .. })));
    drop(run);
    assert!(!partial_files(&sandbox).is_empty());
    sandbox.run().unwrap();
    assert!(outputs(&sandbox) == outputs(&alone));
    assert!(partial_files(&sandbox).is_empty());
    // The worker of a run that has ended changes nothing.
    let files = sandbox.files();
    let error = part(&sandbox, Stage::Replica, 0).unwrap_err();
    assert!(matches!(error, Precommit2Error::NotBegun { .. }), "{error}");
    assert!(sandbox.files() == files);
}

#[test]
fn parts_out_of_their_turn_and_lost_parts_are_refused() {
    let sandbox = Sandbox::of_streams(16 << 10, 2);
    let reason = |result: Result<[u8; 32], Precommit2Error>| result.unwrap_err().to_string();
    assert!(reason(part(&sandbox, Stage::TreeC, 0)).contains("no run has begun"));
    let mut run = begin(&sandbox, 2048).unwrap();
    assert!(reason(part(&sandbox, Stage::Replica, 0)).contains("the replica has not begun"));
    assert!(reason(part(&sandbox, Stage::TreeC, 8)).contains("subtree 8 of 8"));
    let stopped = sandbox.job().part(Stage::TreeC, 0, &mut || false);
    assert!(matches!(stopped, Ok(_) | Err(Precommit2Error::Stopped)));
    let root = part(&sandbox, Stage::TreeC, 0).unwrap();
    assert!(run.keep(8, &root).is_err());
    assert!(run.keep(1, &root).unwrap_err().to_string().contains("same files"));
    assert!(run.keep(0, &[0xff; 32]).is_err());
    run.keep(0, &root).unwrap();
    let left = run.advance(&|| false).unwrap_err();
    assert!(matches!(left, Precommit2Error::PartsLeft { left: 7 }), "{left}");
    // A file of parts that somebody shortens.
    let path = &sandbox.cached("sc-02-data-tree-c-0.dat.parts");
    assert!(partial_files(&sandbox).contains(path));
    let bytes = read(path);
    std::fs::write(path, &bytes[1..]).unwrap();
    assert!(reason(part(&sandbox, Stage::TreeC, 0)).contains("not a regular file of"));
    std::fs::write(path, &bytes).unwrap();
    // Layers that are made again: nothing of the earlier run is used.
    drop(run);
    let layer = sandbox.cached("sc-02-data-layer-1.dat");
    let mut labels = read(&layer);
    labels[100] ^= 1;
    std::fs::write(&layer, labels).unwrap();
    assert!(reason(part(&sandbox, Stage::TreeC, 1)).contains("other files than this worker"));
    assert_eq!(begin(&sandbox, 2048).unwrap().pending().len(), 8);
}

#[test]
fn data_that_differ_are_refused_before_the_replica() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    // The samples that are compared first do not have this byte.
    let sandbox = Sandbox::of_streams(8 << 20, 2);
    let mut data = read(&sandbox.path("sealed"));
    data[5_000] ^= 1;
    std::fs::write(sandbox.path("sealed"), &data).unwrap();
    let mut run = begin(&sandbox, 1 << 20).unwrap();
    for number in run.pending() {
        run.keep(number, &part(&sandbox, Stage::TreeC, number).unwrap()).unwrap();
    }
    let error = run.advance(&|| false).unwrap_err();
    assert!(matches!(error, Precommit2Error::Data { offset: 5_000, .. }), "{error}");
    drop(run);
    assert!(read(&sandbox.path("sealed")) == data);
    assert!(!Journal::load(&sandbox.cached(NAME)).unwrap().unwrap().replica_started);
    // With the data in place the run goes on; tree C is there.
    data[5_000] ^= 1;
    std::fs::write(sandbox.path("sealed"), &data).unwrap();
    let mut run = begin(&sandbox, 1 << 20).unwrap();
    assert!(run.pending().is_empty());
    assert!(run.advance(&|| false).unwrap().is_none());
    step(&sandbox, &mut run, rng).unwrap();
}
