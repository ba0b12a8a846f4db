// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs from a client's values to its outputs.

use std::ops::ControlFlow;

use halimede_ckks_nn::{Ciphertexts, NetworkClient, NetworkError};
use halimede_service::{ClientError, Options, RemoteNetwork};

use super::setting::{files, interface, left, run_here, serving, Net, OCTETS};
use crate::common::{client, counter, start, wait_until};

#[test]
fn a_served_network_gives_the_bits_of_a_local_run() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::measurements(1, 1);
    let server = start(&serving(folder.path(), &[&net]));
    let client = client(&server);
    assert_eq!(client.networks().unwrap(), [net.name()]);
    let facts = client.network(&net.name()).unwrap();
    assert_eq!((&facts["input_shape"][0], &facts["output_shape"][0]), (&16.into(), &3.into()));
    assert_eq!(facts["steps"], net.model.plan().steps().len());
    let interface = interface(&client, &net);
    let mut owner = net.owner(&interface);
    let (keys, input) = files(&net, &mut owner, &net.inputs[3]);
    let name = client.upload("ckks-keys", &keys).unwrap();
    let started = client.start_run(&net.name(), &name, &input).unwrap();
    let last = client.wait_for_run(&started.run, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((last.state.as_str(), last.run == started.run), ("done", true), "{last:?}");
    let result = client.run_result(&started.run).unwrap();
    assert!(result == run_here(&net, &keys, &input), "other bits");
    let result = Ciphertexts::load(&result[..], interface.parameters()).unwrap();
    net.check(&net.inputs[3], &owner.decrypt(&result).unwrap());
    // The result stays until it is removed, and nothing is left then.
    assert_eq!(client.run_state(&started.run).unwrap(), last);
    client.remove_run(&started.run).unwrap();
    assert_eq!(left(folder.path()), 0);
    assert_eq!(counter(&client, "halimede_network_runs_total{outcome=\"done\"}"), 1.0);
}

#[test]
fn inputs_of_a_batch_share_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::measurements(2, 4);
    let server = start(&serving(folder.path(), &[&net]));
    let client = client(&server);
    let interface = interface(&client, &net);
    assert_eq!(interface.batch(), 4);
    let owner = net.owner(&interface);
    let mut remote = RemoteNetwork::new(&client, &net.name(), interface, owner).unwrap();
    let outputs = remote.infer(&net.inputs, |_| {}).unwrap();
    assert_eq!(outputs.len(), net.inputs.len());
    for (input, output) in net.inputs.iter().zip(outputs) {
        net.check(input, &output.unwrap());
    }
    let runs = net.inputs.len().div_ceil(4) as f64;
    assert_eq!(counter(&client, "halimede_network_runs_total{outcome=\"done\"}"), runs);
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn waiting_inputs_in_different_places_share_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let (long, net) = (Net::digits(8), Net::measurements(9, 4));
    let mut options = serving(folder.path(), &[&long, &net]);
    options.limits.runs.workers = 1;
    let server = start(&options);
    let client = client(&server);
    let mut of_long = long.owner(&interface(&client, &long));
    let (keys, input) = files(&long, &mut of_long, &long.inputs[0]);
    let keys = client.upload("ckks-keys", &keys).unwrap();
    let interface = interface(&client, &net);
    let mut owner = net.owner(&interface);
    let (own, _) = files(&net, &mut owner, &net.inputs[0]);
    let own = client.upload("ckks-keys", &own).unwrap();
    let in_place = |owner: &mut NetworkClient, number: usize, place: usize| {
        let sealed = interface.encrypt_in_place(owner.client(), &net.inputs[number], place - 1);
        let mut bytes = Vec::new();
        sealed.unwrap().save(&mut bytes, interface.parameters()).unwrap();
        client.start_run_in_place(&net.name(), &own, &bytes, place)
    };
    // They wait while the only worker is busy. Place 2 is used twice.
    let busy = [(); 2].map(|()| client.start_run(&long.name(), &keys, &input).unwrap().run);
    let places = [2, 4, 1, 2];
    let runs: Vec<String> = (0..places.len())
        .map(|number| in_place(&mut owner, number, places[number]).unwrap().run)
        .collect();
    let mut results = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let last = client.wait_for_run(run, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(last.state, "done", "{last:?}");
        let bytes = client.run_result(run).unwrap();
        let result = Ciphertexts::load(&bytes[..], interface.parameters()).unwrap();
        let outputs = owner.decrypt_all(&result).unwrap();
        net.check(&net.inputs[number], outputs[places[number] - 1].as_ref().unwrap());
        client.remove_run(run).unwrap();
        results.push(bytes);
    }
    assert!(results[0] == results[1] && results[1] == results[2], "they share a run");
    assert!(results[3] != results[0], "the second input in place 2 has its own run");
    for run in busy {
        client.wait_for_run(&run, |_| ControlFlow::Continue(())).unwrap();
        client.remove_run(&run).unwrap();
    }
    assert_eq!(left(folder.path()), 0);
    let sealed = interface.encrypt_in_place(owner.client(), &net.inputs[0], 4);
    assert!(matches!(sealed, Err(NetworkError::Place { .. })));
    let mut bytes = Vec::new();
    let sealed = interface.encrypt_in_place(owner.client(), &net.inputs[0], 3).unwrap();
    sealed.save(&mut bytes, interface.parameters()).unwrap();
    let refused = client.start_run_in_place(&net.name(), &own, &bytes, 5);
    let (_, code, message) = super::setting::refusal(refused);
    assert!(code == "input" && message.contains("a batch of 4"), "{message}");
}

#[test]
fn two_clients_run_at_once_and_watch_each_step() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(3);
    let server = start(&serving(folder.path(), &[&net]));
    let steps = net.model.plan().steps().len();
    std::thread::scope(|scope| {
        for number in 0..2 {
            let (server, net) = (&server, &net);
            scope.spawn(move || {
                let client = client(server);
                let interface = interface(&client, net);
                let mut owner = net.owner(&interface);
                let (keys, bytes) = files(net, &mut owner, &net.inputs[number]);
                let keys = client.upload("ckks-keys", &keys).unwrap();
                let mut states = Vec::new();
                let last = client.attached_run(&net.name(), &keys, &bytes, |state| {
                    states.push(state.clone());
                    ControlFlow::Continue(())
                });
                let last = last.unwrap();
                assert_eq!(last.state, "done");
                let running = states.iter().filter(|state| state.state == "running");
                let done: Vec<usize> = running.clone().map(|state| state.done).collect();
                assert!(done.len() > 3 && done.is_sorted(), "{done:?}");
                assert!(done.iter().all(|done| *done <= steps));
                assert!(running.clone().any(|state| state.layer.is_some()));
                let result = client.run_result(&last.run).unwrap();
                let result = Ciphertexts::load(&result[..], interface.parameters()).unwrap();
                net.check(&net.inputs[number], &owner.decrypt(&result).unwrap());
                client.remove_run(&last.run).unwrap();
            });
        }
    });
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn a_run_ends_with_its_client_or_when_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(4);
    let server = start(&serving(folder.path(), &[&net]));
    let client = client(&server);
    let mut owner = net.owner(&interface(&client, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let keys = client.upload("ckks-keys", &keys).unwrap();
    let has_begun = |state: &halimede_service::RunState| match state.done > 2 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let cancelled = || counter(&client, "halimede_network_runs_total{outcome=\"cancelled\"}");
    let running = || counter(&client, "halimede_network_runs{state=\"running\"}");
    // The client closes its connection in mid-run.
    let gone = client.attached_run(&net.name(), &keys, &input, has_begun);
    assert!(matches!(gone, Err(ClientError::Answer(_))), "{gone:?}");
    wait_until("the run of a client that has gone ends", || running() == 0.0);
    assert_eq!(cancelled(), 1.0);
    wait_until("its files are removed", || left(folder.path()) == 0);
    // A run that is not attached continues without its client, until it is removed.
    let started = client.start_run(&net.name(), &keys, &input).unwrap();
    let watched = client.wait_for_run(&started.run, has_begun).unwrap();
    assert_eq!(watched.state, "running");
    client.remove_run(&started.run).unwrap();
    wait_until("the removed run ends", || running() == 0.0);
    assert_eq!(cancelled(), 2.0);
    wait_until("its files are removed", || left(folder.path()) == 0);
    let unknown = client.run_state(&started.run);
    assert_eq!(super::setting::refusal(unknown).1, "run");
    // A client that goes while its run still waits.
    let first = client.start_run(&net.name(), &keys, &input).unwrap();
    let others = [1, 2].map(|_| client.start_run(&net.name(), &keys, &input).unwrap());
    let at_once = |_: &halimede_service::RunState| ControlFlow::Break(());
    assert!(client.attached_run(&net.name(), &keys, &input, at_once).is_err());
    wait_until("the waiting run is removed", || cancelled() == 3.0);
    for run in others.iter().chain([&first]) {
        let last = client.wait_for_run(&run.run, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(last.state, "done", "{last:?}");
    }
}

/// Returns the resident memory of this process in bytes.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap()
}

#[test]
fn memory_stays_flat_over_many_inferences() {
    let sweep = std::env::var_os("HALIMEDE_SWEEP").is_some();
    let count = if sweep { 200 } else { 6 };
    if !sweep {
        println!("{count} inferences; HALIMEDE_SWEEP=1 runs 200");
    }
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(5);
    let server = start(&serving(folder.path(), &[&net]));
    let client = client(&server);
    let mut owner = net.owner(&interface(&client, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let keys = client.upload("ckks-keys", &keys).unwrap();
    let mut first = None;
    let (mut held, mut resident) = (0.0, 0);
    for number in 0..count {
        let run = client.start_run(&net.name(), &keys, &input).unwrap().run;
        let last = client.wait_for_run(&run, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(last.state, "done", "{last:?}");
        let result = client.run_result(&run).unwrap();
        client.remove_run(&run).unwrap();
        // The angles of bootstraps stay the same while the keys stay in memory.
        assert!(*first.get_or_insert_with(|| result.clone()) == result, "run {number}");
        let held_now = counter(&client, "halimede_key_memory_bytes");
        if number == count / 3 {
            (held, resident) = (held_now, resident_bytes());
        }
    }
    assert_eq!(counter(&client, "halimede_key_memory_bytes"), held);
    let grown = resident_bytes().saturating_sub(resident);
    // Other tests share the process, unless the sweep runs alone.
    let most = if sweep { 16 << 20 } else { 512 << 20 };
    assert!(grown < most, "{grown} bytes more after {count} inferences");
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn networks_are_uploaded_where_they_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::measurements(6, 1);
    let options = serving(folder.path(), &[]);
    let closed = start(&options);
    let refused = client(&closed).upload("network", &net.file);
    assert_eq!(super::setting::refusal(refused).1, "network-uploads");
    assert!(closed.end());
    let server = start(&Options { network_uploads: true, ..options });
    let client = client(&server);
    // Cut, damaged, and with bytes behind its end.
    let mut damaged = net.file.clone();
    damaged[net.file.len() / 2] ^= 1;
    for wrong in [&net.file[..net.file.len() - 1], &damaged, &[&net.file[..], b"x"].concat()] {
        assert_eq!(super::setting::refusal(client.upload("network", wrong)).1, "content");
    }
    assert_eq!(client.upload("network", &net.file).unwrap(), net.name());
    let list = client.send("GET", "/v1/networks", "", &[]).unwrap().json().unwrap();
    assert_eq!(list["networks"][0]["origin"], "upload");
    let interface = interface(&client, &net);
    let owner = net.owner(&interface);
    let mut remote = RemoteNetwork::new(&client, &net.name(), interface, owner).unwrap();
    let outputs = remote.infer(&net.inputs[..2], |_| {}).unwrap();
    for (input, output) in net.inputs.iter().zip(outputs) {
        net.check(input, &output.unwrap());
    }
    let path = format!("/v1/objects/{}", net.name());
    assert_eq!(client.send("DELETE", &path, "", &[]).unwrap().status, 204);
    assert_eq!(client.networks().unwrap(), [""; 0]);
    let gone = client.send("GET", &format!("/v1/networks/{}", net.name()), OCTETS, &[]).unwrap();
    assert_eq!(gone.status, 404);
}
