// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs procedures on disks that crash, and reports faults of the remaining disks.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use halimede_files::model::{Disk, Fault, Process, World};
use halimede_files::Files;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::scenario::{Before, Procedure, Scenario};

/// The counts of a sweep.
#[derive(Default, Debug)]
pub struct Count {
    pub scenarios: u64,
    pub crashes: u64,
}

/// The result of a procedure on a disk.
struct Run {
    disk: Disk,
    is_ok: bool,
    is_dead: bool,
}

/// Runs a procedure as the only process.
fn run(
    procedure: Procedure,
    scenario: &Scenario,
    disk: Disk,
    number: u64,
    fault: Option<(u64, Fault)>,
) -> Run {
    let world = World::new(disk, 1, scenario.seed);
    if let Some((at, fault)) = fault {
        world.fault(0, at, fault);
    }
    let is_ok = execute(procedure, scenario, &world.process(0), number);
    Run { disk: world.disk(), is_ok, is_dead: world.is_dead(0) }
}

/// Runs a whole process; returns `true` if it reports success.
fn execute(procedure: Procedure, scenario: &Scenario, process: &Process, number: u64) -> bool {
    let files = Arc::new(Files::new(process.clone()));
    let interrupted = Arc::downgrade(&files);
    process.on_signal(Arc::new(move || {
        interrupted.upgrade().is_none_or(|files| files.try_interrupt().is_some())
    }));
    procedure(&files, process, scenario, &scenario.content(number)).is_ok()
}

/// The first violation that the watcher found.
type Violation = Arc<Mutex<Option<String>>>;

/// Crashes one scenario at each operation in each way, until the first violation.
pub fn crash_everywhere(
    procedure: Procedure,
    scenario: &Scenario,
    count: &mut Count,
) -> Result<(), String> {
    let named = |what: &str, reason: String| {
        format!("HALIMEDE_SEED={}: {what}: {reason}; {scenario:?}", scenario.seed)
    };
    count.scenarios += 1;
    let whole = undisturbed(procedure, scenario, count).map_err(|it| named("power loss", it))?;
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed ^ 0xfa);
    for at in 0..=whole {
        let errors = [ErrorKind::StorageFull, ErrorKind::Other, ErrorKind::PermissionDenied];
        let error = errors[rng.gen_range(0..errors.len())];
        for fault in [Fault::Kill, Fault::Signal, Fault::Error(error)] {
            count.crashes += 1;
            let what = format!("{fault:?} at operation {at}");
            let run = run(procedure, scenario, scenario.disk(), 0, Some((at, fault)));
            let is_clean = fault != Fault::Kill;
            scenario.check(&run.disk, &[0], run.is_ok, is_clean).map_err(|it| named(&what, it))?;
            if run.is_dead || !run.is_ok {
                again(procedure, scenario, run.disk).map_err(|it| named(&what, it))?;
            }
        }
    }
    Ok(())
}

/// Runs a scenario without faults. Checks the disk after each operation, also after a loss of
/// power. Returns the number of operations.
fn undisturbed(
    procedure: Procedure,
    scenario: &Scenario,
    count: &mut Count,
) -> Result<u64, String> {
    let world = World::new(scenario.disk(), 1, scenario.seed);
    let violation = Violation::default();
    let crashes = Arc::new(Mutex::new(0));
    let (found, counted, watched) = (violation.clone(), crashes.clone(), scenario.clone());
    world.watch(Box::new(move |disk, rng| {
        let visible = watched.check(disk, &[0], false, false);
        let mut result = visible.map_err(|reason| format!("while it runs: {reason}"));
        for _ in 0..2 {
            let left = disk.after_power_loss(rng);
            *counted.lock().unwrap() += 1;
            let checked = watched.check(&left, &[0], false, false);
            result = result.and(checked).and_then(|()| again(procedure, &watched, left));
        }
        if let Err(reason) = result {
            found.lock().unwrap().get_or_insert(reason);
        }
    }));
    let is_ok = execute(procedure, scenario, &world.process(0), 0);
    count.crashes += *crashes.lock().unwrap();
    if let Some(reason) = violation.lock().unwrap().take() {
        return Err(reason);
    }
    if is_ok == scenario.is_refused() {
        return Err(format!("it was {} and should not", if is_ok { "done" } else { "refused" }));
    }
    let disk = world.disk();
    scenario.check(&disk, &[0], is_ok, true)?;
    let operations = world.operations(0);
    if is_ok {
        scenario.check_mode(&world.process(0))?;
        // Reported success survives a loss of power.
        let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed);
        for _ in 0..4 {
            count.crashes += 1;
            let left = disk.after_power_loss(&mut rng);
            scenario.check(&left, &[0], true, true).map_err(|it| format!("when done: {it}"))?;
        }
    }
    Ok(operations)
}

/// Checks that a crash does not hinder a later run.
fn again(procedure: Procedure, scenario: &Scenario, mut disk: Disk) -> Result<(), String> {
    disk.settle();
    let run = run(procedure, scenario, disk.clone(), 0, None);
    let found = scenario.found(&disk);
    // An output that was complete before the crash is refused like an older one.
    let is_stream = scenario.before == Before::Stream;
    let is_done = !is_stream && found.as_ref() == Some(&scenario.content(0));
    let may_refuse = scenario.is_refused() || is_done && (scenario.is_new || scenario.is_folder);
    if run.is_ok == may_refuse {
        return Err(format!("a later run was {}", if run.is_ok { "done" } else { "refused" }));
    }
    let written = run.is_ok && !is_stream;
    scenario.check(&run.disk, &[0], written, false).map_err(|it| format!("a later run: {it}"))
}

/// Runs two processes in an order from the seed, possibly with a fault in one of them.
pub fn race(procedure: Procedure, scenario: &Scenario) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed ^ 0x2222);
    let named = |what: String| format!("HALIMEDE_SEED={}: {what}; {scenario:?}", scenario.seed);
    let world = World::new(scenario.disk(), 2, scenario.seed);
    let faults =
        [None, None, Some(Fault::Kill), Some(Fault::Signal), Some(Fault::Error(ErrorKind::Other))];
    let fault = faults[rng.gen_range(0..faults.len())];
    if let Some(fault) = fault {
        world.fault(0, rng.gen_range(0..25), fault);
    }
    let violation = Violation::default();
    let (found, watched) = (violation.clone(), scenario.clone());
    world.watch(Box::new(move |disk, rng| {
        let mut result = watched.check(disk, &[0, 1], false, false);
        if rng.gen_bool(0.2) {
            let left = disk.after_power_loss(rng);
            result = result.and(watched.check(&left, &[0, 1], false, false));
        }
        if let Err(reason) = result {
            found.lock().unwrap().get_or_insert(reason);
        }
    }));
    let results = std::thread::scope(|scope| {
        let threads = [0, 1].map(|number| {
            let process = world.process(number);
            scope.spawn(move || {
                let is_ok = execute(procedure, scenario, &process, number as u64);
                process.finish();
                is_ok
            })
        });
        threads.map(|thread| thread.join().unwrap())
    });
    if let Some(reason) = violation.lock().unwrap().take() {
        return Err(named(format!("while they run: {reason}")));
    }
    let done = results.iter().filter(|is_ok| **is_ok).count();
    let wanted = match fault {
        _ if scenario.is_refused() => 0..=0,
        Some(_) => 0..=2,
        None if scenario.is_folder => 1..=1,
        None if scenario.is_new && scenario.before != Before::Stream => 1..=1,
        None => 2..=2,
    };
    if !wanted.contains(&done) {
        return Err(named(format!("{done} of them succeeded")));
    }
    let disk = world.disk();
    // The failing operation may be the one that removes the slower process's file.
    let is_clean = matches!(fault, None | Some(Fault::Signal));
    let checked = scenario.check(&disk, &[0, 1], done > 0, is_clean);
    let left = scenario.check(&disk.after_power_loss(&mut rng), &[0, 1], done > 0, false);
    checked.and(left).map_err(named)?;
    // If one process succeeded and the other could not, the output is from the one that succeeded.
    if results == [false, true] && scenario.before != Before::Stream {
        let alone = scenario.is_folder || scenario.is_new;
        if alone && scenario.found(&disk) != Some(scenario.content(1)) {
            return Err(named("the other's content is there".into()));
        }
    }
    Ok(())
}
