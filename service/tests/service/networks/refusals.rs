// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Refused networks, keys and inputs. Each refusal says what to do.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use halimede_ckks::keys::KeyUse;
use halimede_ckks::EvaluationKeys;
use halimede_device::Device;
use halimede_service::{Client, Options, RunLimits, Server};

use super::setting::{files, interface, left, refusal, serving, Net, OCTETS};
use crate::common::{client, options, start, wait_until};

#[test]
fn keys_and_inputs_that_do_not_fit_are_refused_before_they_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (net, other) = (Net::measurements(11, 1), Net::digits(12));
    let server = start(&serving(folder.path(), &[&net, &other]));
    let client = client(&server);
    let mut owner = net.owner(&interface(&client, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let mut foreign = other.owner(&interface(&client, &other));
    let (foreign_keys, foreign_input) = files(&other, &mut foreign, &other.inputs[0]);
    let mut stranger = net.owner(&interface(&client, &net));
    let (_, strange_input) = files(&net, &mut stranger, &net.inputs[0]);
    let parameters = net.model.interface().parameters();
    let mut only = EvaluationKeys::new(parameters);
    let product = owner.client().evaluation_key(KeyUse::Multiply, parameters.fresh_level());
    only.insert(KeyUse::Multiply, product);
    let mut few = Vec::new();
    only.save(&mut few).unwrap();
    let mut secret = Vec::new();
    owner.client().secret().save(&mut secret).unwrap();
    // The same key, but another level and another number of values than the interface says.
    let mut wide = Vec::new();
    let wrong = owner.client().encrypt(&[0.5, 0.25][..]).unwrap();
    wrong.save(&mut wide, parameters).unwrap();
    let upload = |content: &[u8]| client.upload("ckks-keys", content).unwrap();
    let (keys, foreign_keys, few) = (upload(&keys), upload(&foreign_keys), upload(&few));
    let (name, absent) = (net.name(), "ab".repeat(32));
    let cases: [(&str, &str, &[u8], &str, &str); 10] = [
        (&absent, &keys, &input, "object", "unknown object"),
        (&name, &absent, &input, "object", "unknown object"),
        (&name, &foreign_keys, &input, "keys", "do not fit the network"),
        (&name, &few, &input, "keys", "rotate by"),
        (&name, &keys, &foreign_input, "input", "parameters"),
        (&name, &keys, &strange_input, "input", "different secret keys"),
        (&name, &keys, &wide, "input", "with this network's interface"),
        (&name, &keys, &input[..input.len() - 1], "input", "ends at byte"),
        (&name, &keys, &[&input[..], b"x"].concat(), "input", "bytes after its end"),
        (&name, &keys, &secret, "secret-key", "keep it to yourself"),
    ];
    for (network, keys, input, code, text) in cases {
        let (_, got, message) = refusal(client.start_run(network, keys, input));
        assert_eq!(got, code, "{message}");
        assert!(message.contains(text), "{message}");
    }
    let path = format!("/v1/networks/{name}/runs?keys={keys}");
    for (path, kind, code) in [
        (path.clone(), "application/json", "type"),
        (format!("{path}&attached=perhaps"), OCTETS, "setting"),
        (format!("/v1/networks/{name}/runs"), OCTETS, "setting"),
        ("/v1/networks/xyz/runs".to_owned(), OCTETS, "path"),
    ] {
        let answer = client.send("POST", &path, kind, &input).unwrap().json().unwrap();
        assert_eq!(answer["error"]["code"], code, "{path}");
    }
    assert_eq!(left(folder.path()), 0, "nothing was stored");
}

#[test]
fn a_network_that_cannot_fit_is_refused_with_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::digits(13);
    let all = serving(folder.path(), &[]);
    let options = Options { network_uploads: true, cache_bytes: 4_000_000, ..all.clone() };
    let server = start(&options);
    let client = client(&server);
    let uploaded = client.upload("network", &net.file);
    let refused = uploaded.and_then(|network| client.network(&network));
    let (status, code, message) = refusal(refused);
    assert_eq!((status, code.as_str()), (507, "key-memory"), "{message}");
    assert!(message.contains("MB") && message.contains("--key-memory"), "{message}");
    // A server does not start with it.
    let options = Options { cache_bytes: 4_000_000, ..serving(folder.path(), &[&net]) };
    let error = Server::bind(Arc::new(Device::cpu()), &options).err().unwrap().to_string();
    assert!(error.contains(".network") && error.contains("--key-memory"), "{error}");
}

#[test]
fn a_server_without_a_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let net = Net::measurements(14, 1);
    let options = Options { store: None, ..serving(folder.path(), &[&net]) };
    let server = start(&options);
    let client = client(&server);
    assert!(!client.interface(&net.name()).unwrap().is_empty());
    let (status, code, message) = refusal(client.start_run(&net.name(), &"00".repeat(32), b"x"));
    assert_eq!((status, code.as_str()), (404, "object"));
    assert!(message.contains("--store"), "{message}");
}

/// Returns a client of a server with tokens.
fn with_token(address: std::net::SocketAddr, token: &str) -> Client {
    Client::new(address).token(token)
}

#[test]
fn runs_belong_to_their_token_and_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "one 0123456789abcdef-one\ntwo 0123456789abcdef-two\n").unwrap();
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    let net = Net::digits(15);
    let mut options = Options { tokens: Some(tokens), ..serving(folder.path(), &[&net]) };
    options.limits.runs = RunLimits { most_of_owner: 2, workers: 1, ..RunLimits::default() };
    let server = start(&options);
    let one = with_token(server.address(), "0123456789abcdef-one");
    let two = with_token(server.address(), "0123456789abcdef-two");
    let bare = Client::new(server.address());
    assert_eq!(refusal(bare.networks()).1, "token");
    assert_eq!(refusal(bare.run_state(&"00".repeat(16))).1, "token");
    let mut owner = net.owner(&interface(&one, &net));
    let (keys, input) = files(&net, &mut owner, &net.inputs[0]);
    let keys = one.upload("ckks-keys", &keys).unwrap();
    let first = one.start_run(&net.name(), &keys, &input).unwrap().run;
    let second = one.start_run(&net.name(), &keys, &input).unwrap().run;
    let (status, code, message) = refusal(one.start_run(&net.name(), &keys, &input));
    assert_eq!((status, code.as_str()), (429, "queue"), "{message}");
    assert!(message.contains("DELETE"), "{message}");
    // Another token sees neither run, cannot remove one, and has its own room.
    assert_eq!(refusal(two.run_state(&first)).1, "run");
    assert_eq!(refusal(two.run_result(&first)).1, "run");
    assert_eq!(refusal(two.remove_run(&first)).1, "run");
    let list = |client: &Client| {
        let list = client.send("GET", "/v1/runs", "", &[]).unwrap().json().unwrap();
        list["runs"].as_array().unwrap().len()
    };
    assert_eq!((list(&one), list(&two)), (2, 0));
    let others = two.start_run(&net.name(), &keys, &input).unwrap().run;
    // There is one worker: the last run still waits.
    let (status, code, _) = refusal(one.run_result(&second));
    assert_eq!((status, code.as_str()), (409, "run-state"));
    one.remove_run(&second).unwrap();
    for (client, run) in [(&one, &first), (&two, &others)] {
        wait_until("the run is done", || client.run_state(run).unwrap().state == "done");
        client.remove_run(run).unwrap();
    }
    assert_eq!(left(folder.path()), 0);
    assert_eq!(refusal(one.run_state("nothing")).1, "path");
}

#[test]
fn a_store_that_was_tampered_with_breaks_no_start() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("store/runs");
    std::fs::create_dir_all(&runs).unwrap();
    let name = "0f".repeat(16);
    for (file, content) in [
        (format!("{name}.json"), "{}"),
        (format!("{}.input", "1f".repeat(16)), "without a record"),
        ("notes.txt".to_owned(), "not ours"),
    ] {
        std::fs::write(runs.join(file), content).unwrap();
    }
    let server = start(&Options { store: Some(folder.path().join("store")), ..options() });
    assert_eq!(refusal(client(&server).run_state(&name)).1, "run");
    let left: Vec<_> =
        std::fs::read_dir(&runs).unwrap().map(|of| of.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"]);
}
