// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Servers with GPUs of the stand-in driver that are lost, and work again.

use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use halimede_arith::Felt;
use halimede_device::Device;
use halimede_poseidon::starknet;
use halimede_service::{Client, ClientError, Options, Running};
use serde_json::{json, Value};

use crate::common::{client, connect, counter, start_on, wait_until, with_limits};
use crate::cuda::standin::TestGpu;

const HASH: &str = "/v1/poseidon/starknet-hash";

fn items(seed: u64) -> (Vec<Value>, Vec<Value>) {
    let of = |number: u64| {
        let (x, y) = (Felt::from(number * 0x1234_5678_9abc), Felt::from(number + 7));
        let item = json!({ "elements": [x.to_string(), y.to_string()] });
        (item, json!({ "digest": starknet::hash(x, y).to_string() }))
    };
    (seed..seed + 5).map(of).unzip()
}

fn ready(client: &Client) -> (u16, String) {
    let answer = client.send("GET", "/readyz", "", &[]).unwrap();
    (answer.status, String::from_utf8(answer.body).unwrap())
}

/// The first event of the dashboard with counters.
fn snapshot(server: &Running) -> Value {
    let mut stream = connect(server);
    stream.write_all(b"GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let events = lines.filter_map(|line| Some(line.strip_prefix("data: ")?.to_owned()));
    let event = events.take(2).last().unwrap();
    serde_json::from_str(&event).unwrap()
}

fn options() -> Options {
    with_limits(|limits| limits.queue.reopen_pause = Duration::from_millis(20))
}

fn of_gpu(client: &Client, gpu: &TestGpu, name: &str) -> f64 {
    counter(client, &format!("halimede_gpu_{name}{{gpu=\"{}\"}}", gpu.ordinal))
}

fn has_state(client: &Client, gpu: &TestGpu, state: &str) -> bool {
    let name = format!("halimede_gpu_state{{gpu=\"{}\",state=\"{state}\"}}", gpu.ordinal);
    counter(client, &name) == 1.0
}

#[test]
fn a_gpu_that_is_lost_in_a_batch_shows_as_lost_until_it_is_opened_again() {
    let Some(gpu) = TestGpu::next() else { return };
    gpu.configure("name=Test \"7\"");
    let server = start_on(Device::open(&gpu.name()).unwrap(), &options());
    let client = client(&server);
    let (first, answers) = items(1);
    assert_eq!(client.call(HASH, &first).unwrap(), answers);
    let info = format!("halimede_gpu_info{{gpu=\"{}\",name=\"Test \\\"7\\\"\"}}", gpu.ordinal);
    assert_eq!(counter(&client, &info), 1.0);
    assert!(of_gpu(&client, &gpu, "up") == 1.0 && has_state(&client, &gpu, "good"));
    assert_eq!(of_gpu(&client, &gpu, "batches_total"), 1.0);
    assert_eq!(of_gpu(&client, &gpu, "losses_total"), 0.0);
    let (used, limit) =
        (of_gpu(&client, &gpu, "memory_used_bytes"), of_gpu(&client, &gpu, "memory_limit_bytes"));
    assert!(0.0 < used && used < limit && limit < 8.0 * f64::from(1 << 30), "{used} {limit}");
    assert_eq!(ready(&client).0, 200);

    // A kernel fails, and no later context works.
    gpu.configure("launch_failure=1");
    let (second, answers) = items(40);
    let refused = client.call(HASH, &second).unwrap_err();
    assert!(
        matches!(refused, ClientError::Refused { status: 503, retry_after: Some(_), .. }),
        "{refused}"
    );
    wait_until("a try to open it", || has_state(&client, &gpu, "unusable"));
    assert!(of_gpu(&client, &gpu, "up") == 0.0 && counter(&client, "halimede_device_up") == 0.0);
    assert_eq!(of_gpu(&client, &gpu, "losses_total"), 1.0);
    assert_eq!(of_gpu(&client, &gpu, "memory_used_bytes"), 0.0);
    let (status, text) = ready(&client);
    assert!(status == 503 && text.starts_with("the device has failed: next try in "), "{text}");
    assert!(!text.contains("CUDA_ERROR"), "{text}");
    let event = snapshot(&server);
    let shown = &event["gpus"][0];
    assert_eq!((&shown["name"], &shown["state"]), (&"Test \"7\"".into(), &"unusable".into()));
    assert!(shown["reason"].as_str().unwrap().contains("CUDA_ERROR_LAUNCH_FAILED"), "{event}");
    assert!(event["device_state"].as_str().unwrap().starts_with("failed ("), "{event}");

    // The GPU works again.
    gpu.configure("launch_failure=0");
    wait_until("the GPU again", || ready(&client).0 == 200);
    assert_eq!(client.call(HASH, &second).unwrap(), answers);
    assert!(of_gpu(&client, &gpu, "up") == 1.0 && has_state(&client, &gpu, "good"));
    assert_eq!(counter(&client, "halimede_device_up"), 1.0);
    assert_eq!(counter(&client, "halimede_device_reopened_total"), 1.0);
    assert_eq!(of_gpu(&client, &gpu, "losses_total"), 1.0);
    assert_eq!(snapshot(&server)["gpus"][0]["reason"], Value::Null);
    assert!(server.end());
}

#[test]
fn the_fallback_answers_while_a_gpu_is_lost() {
    let Some(gpu) = TestGpu::next() else { return };
    let device = Device::open(&gpu.name()).unwrap().with_fallback(Device::cpu());
    gpu.configure("launch_failure=1");
    let server = start_on(device, &options());
    let client = client(&server);
    for seed in 0..3 {
        let (items, answers) = items(100 * seed);
        assert_eq!(client.call(HASH, &items).unwrap(), answers);
    }
    assert_eq!(of_gpu(&client, &gpu, "up"), 0.0);
    let (status, text) = ready(&client);
    assert!(status == 200 && text.contains("so far; the fallback answers\n"), "{text}");
    gpu.configure("launch_failure=0");
    wait_until("the GPU again", || of_gpu(&client, &gpu, "up") == 1.0);
    assert_eq!(counter(&client, "halimede_device_up"), 1.0);
}

#[test]
fn one_lost_gpu_of_several_is_named_and_the_others_answer() {
    let (Some(gpu), Some(bad)) = (TestGpu::next(), TestGpu::next()) else { return };
    let device = Device::open(&format!("cuda:{},{}", gpu.ordinal, bad.ordinal)).unwrap();
    bad.configure("launch_failure=1");
    let server = start_on(device, &options());
    let client = client(&server);
    wait_until("the loss", || {
        let (items, answers) = items(9);
        assert_eq!(client.call(HASH, &items).unwrap(), answers);
        of_gpu(&client, &bad, "up") == 0.0
    });
    assert!(of_gpu(&client, &gpu, "up") == 1.0 && counter(&client, "halimede_device_up") == 1.0);
    let (status, text) = ready(&client);
    assert!(
        status == 200 && text.contains("\n1 of 2 GPUs are lost; the others answer\n"),
        "{text}"
    );
}

#[test]
fn other_devices_have_no_figures_of_gpus() {
    let server = crate::common::start(&options());
    let metrics = client(&server).send("GET", "/metrics", "", &[]).unwrap().good().unwrap();
    assert!(!String::from_utf8(metrics.body).unwrap().contains("halimede_gpu_"));
    assert_eq!(snapshot(&server)["gpus"], json!([]));
}
