// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A service that is killed or restarted in mid-run continues from its checkpoints to the same
//! bits.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use halimede_service::{Client, RunState};
use rand::Rng;

use super::setting::{files, interface, left, rng, serving, Net};
use crate::common::{client, counter, start, PATIENCE};

/// Names the folder of a server in a separate process.
const FOLDER: &str = "HALIMEDE_TEST_SERVED";
const SEED: u64 = 21;

/// A server in a separate process, which prints its address.
#[test]
#[ignore = "a process that the test of kills starts"]
fn a_server_that_may_be_killed() {
    let folder = std::env::var_os(FOLDER).expect("the folder of a server");
    let server = start(&serving(Path::new(&folder), &[&Net::digits(SEED)]));
    println!("address {}", server.address());
    std::thread::sleep(Duration::from_secs(120));
}

struct Process {
    child: Child,
    client: Client,
}

impl Process {
    fn start(folder: &Path) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args(["--ignored", "--exact", "networks::kills::a_server_that_may_be_killed"])
            .arg("--nocapture")
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("address ").map(str::to_owned));
        let address: SocketAddr = address.expect("an address").parse().unwrap();
        Self { child, client: Client::new(address).time_limit(PATIENCE) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn after(step: usize) -> impl FnMut(&RunState) -> ControlFlow<()> {
    move |state| match state.done >= step || state.is_final() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

#[test]
fn a_killed_service_continues_its_runs_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(SEED);
    let steps = net.model.plan().steps();
    let bootstrap = steps.iter().position(|step| step.is_bootstrap()).unwrap() + 1;
    let seed = rand::thread_rng().gen();
    println!("seed {seed}");
    let mut rng = rng(seed);
    let process = Process::start(folder.path());
    let mut owner = net.owner(&interface(&process.client, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let keys = process.client.upload("ckks-keys", &keys).unwrap();
    let run = process.client.start_run(&net.name(), &keys, &input).unwrap().run;
    // Both kills come after a checkpoint, and early enough that the run is not complete.
    let first = rng.gen_range(bootstrap + 1..bootstrap + 2 + (steps.len() - bootstrap) / 4);
    let watched = process.client.wait_for_run(&run, after(first)).unwrap();
    assert_eq!(watched.state, "running", "killed too late: {watched:?}");
    drop(process);
    let process = Process::start(folder.path());
    let mut begun = None;
    let watched = process.client.wait_for_run(&run, |state| {
        if state.state == "running" && state.steps > 0 {
            begun.get_or_insert(state.done);
        }
        after(first)(state)
    });
    // With no step lost before the checkpoint.
    assert!(begun.is_none_or(|begun| begun > bootstrap), "{begun:?} of {}", steps.len());
    assert!(["running", "done"].contains(&watched.unwrap().state.as_str()));
    drop(process);
    let process = Process::start(folder.path());
    let last = process.client.wait_for_run(&run, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(last.state, "done", "{last:?}");
    let result = process.client.run_result(&run).unwrap();
    // A server that continues a run has the angles of its bootstraps. Another run of the same input
    // has the same bits then.
    assert_eq!(counter(&process.client, "halimede_network_runs_resumed_total"), 1.0);
    let again = process.client.start_run(&net.name(), &keys, &input).unwrap().run;
    process.client.wait_for_run(&again, |_| ControlFlow::Continue(())).unwrap();
    assert!(process.client.run_result(&again).unwrap() == result, "other bits");
    process.client.remove_run(&again).unwrap();
    let decrypted =
        halimede_ckks_nn::Ciphertexts::load(&result[..], net.model.interface().parameters());
    net.check(&net.inputs[0], &owner.decrypt(&decrypted.unwrap()).unwrap());
    process.client.remove_run(&run).unwrap();
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn a_restarted_service_continues_its_runs_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(SEED);
    let options = serving(folder.path(), &[&net]);
    let steps = net.model.plan().steps();
    let bootstrap = steps.iter().position(|step| step.is_bootstrap()).unwrap() + 1;
    let server = start(&options);
    let before = client(&server);
    let mut owner = net.owner(&interface(&before, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let keys = before.upload("ckks-keys", &keys).unwrap();
    let run = before.start_run(&net.name(), &keys, &input).unwrap().run;
    let waiting = before.start_run(&net.name(), &keys, &input).unwrap().run;
    let watched = before.wait_for_run(&run, after(bootstrap + 1)).unwrap();
    assert_eq!(watched.state, "running");
    assert!(server.end(), "a run delays no end");
    let server = start(&options);
    let client = client(&server);
    assert!(counter(&client, "halimede_network_runs_resumed_total") >= 1.0);
    // The second run has the same angles, and was never interrupted after a checkpoint.
    let results = [run, waiting].map(|run| {
        let last = client.wait_for_run(&run, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(last.state, "done", "{last:?}");
        let result = client.run_result(&run).unwrap();
        client.remove_run(&run).unwrap();
        result
    });
    let run = client.start_run(&net.name(), &keys, &input).unwrap().run;
    client.wait_for_run(&run, |_| ControlFlow::Continue(())).unwrap();
    let uninterrupted = client.run_result(&run).unwrap();
    assert!(results.iter().all(|result| *result == uninterrupted), "other bits");
    client.remove_run(&run).unwrap();
    assert_eq!(left(folder.path()), 0);
}
