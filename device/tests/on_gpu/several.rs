// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several GPUs as one device: they share batches, and do the work of those that fail.

use std::process::Command;

use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::{Device, Kind, Options};
use halimede_loopback::Echo;

use crate::common::standin::{folder, TestGpu};
use crate::devices::messages;

/// The variable that makes a test of this program the child of another one.
const CHILD: &str = "HALIMEDE_TEST_CHILD_OF_SEVERAL";
/// More than six pieces.
const REQUESTS: usize = 100_000;

/// GPUs with settings, and the name of the device of all of them.
fn gpus(settings: &[&str]) -> Option<(Vec<TestGpu>, String)> {
    let mut tests = Vec::new();
    for setting in settings {
        let test = TestGpu::next()?;
        if !setting.is_empty() {
            test.configure(setting);
        }
        tests.push(test);
    }
    let numbers: Vec<String> = tests.iter().map(|test| test.ordinal.to_string()).collect();
    let name = format!("cuda:{}", numbers.join(","));
    Some((tests, name))
}

/// Checks the answers to a batch, and returns how many the fallback gave.
fn check(device: &Device, count: usize) -> usize {
    let requests = messages(count);
    let answered = Execute::<Echo>::execute(device, Echo::batch(&requests)).unwrap();
    assert_eq!(answered.replies, requests, "{count}");
    answered.timing.fallback_requests
}

#[test]
fn several_gpus_answer_batches_of_any_size() {
    let Some((tests, name)) = gpus(&["name=First", "name=Second", "name=Third"]) else { return };
    let device = Device::open(&name).unwrap();
    let capabilities = device.capabilities();
    assert_eq!((device.name(), capabilities.kind), (&name[..], Kind::Gpu));
    let json = serde_json::to_value(capabilities).unwrap();
    assert_eq!(
        (&json["gpu"]["name"], &json["other_gpus"][1]["name"]),
        (&"First".into(), &"Third".into())
    );
    for count in [0, 1, 2, 3, 4, 1000, REQUESTS] {
        assert_eq!(check(&device, count), 0);
    }
    // A device of one GPU has no list of others.
    let one = Device::open(&tests[0].name()).unwrap();
    assert!(serde_json::to_value(one.capabilities()).unwrap().get("other_gpus").is_none());
}

#[test]
fn threads_share_several_gpus() {
    let Some((_tests, name)) = gpus(&["", ""]) else { return };
    let device = Device::open(&name).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let device = &device;
            scope.spawn(move || (0..5).for_each(|run| _ = check(device, 300 * run + thread)));
        }
    });
}

#[test]
fn the_others_do_the_pieces_of_a_gpu_that_fails() {
    for fault in
        ["launch_failure=1", "launch_failure=2", "illegal_address=2", "lost=70", "refuse=1"]
    {
        let Some((tests, name)) = gpus(&["", fault]) else { return };
        let device = Device::open(&name).unwrap();
        assert_eq!(check(&device, REQUESTS), 0, "{fault}");
        // The second GPU took a part of the work: it is lost now.
        let error = Device::open(&tests[1].name());
        assert_eq!(error.is_err(), fault != "refuse=1", "{fault}");
        for count in [1, 2, 5000] {
            assert_eq!(check(&device, count), 0, "{fault}");
        }
    }
}

#[test]
fn the_fallback_answers_what_all_gpus_failed_to_answer() {
    let Some((_tests, name)) = gpus(&["launch_failure=2", "illegal_address=3"]) else { return };
    let device = Device::open(&name).unwrap();
    let requests = messages(REQUESTS);
    let error = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap_err();
    let DeviceError::Failed { request_index, requests: count, .. } = error else {
        panic!("{error}")
    };
    assert!(request_index < REQUESTS && count == REQUESTS);

    let Some((_tests, name)) = gpus(&["launch_failure=2", "lost=90"]) else { return };
    let device = Device::open(&name).unwrap().with_fallback(Device::cpu());
    let count = check(&device, REQUESTS);
    // A GPU that fails while its first piece is on the way has answered nothing.
    assert!((1..=REQUESTS).contains(&count), "{count}");
    assert_eq!(check(&device, 77), 77);
}

#[test]
fn a_retry_opens_lost_gpus_again() {
    let Some((tests, name)) = gpus(&["launch_failure=2", "launch_failure=2"]) else { return };
    tests.iter().for_each(|test| test.configure("recovers=1"));
    let device = Device::open_with(&name, &Options::default().retries(2)).unwrap();
    assert_eq!(check(&device, REQUESTS), 0);
}

#[test]
fn each_gpu_has_its_limit_of_memory() {
    let Some((_tests, name)) = gpus(&["", "memory=600000"]) else { return };
    let device = Device::open_with(&name, &Options::default().gpu_memory(1 << 19)).unwrap();
    assert_eq!(check(&device, 40_000), 0);
    let large = vec![vec![7; 1 << 19]];
    let error = Execute::<Echo>::execute(&device, Echo::batch(&large)).unwrap_err().to_string();
    assert!(error.contains("do not fit into the memory of the GPU"), "{error}");
}

#[test]
fn a_missing_gpu_is_named() {
    let Some(test) = TestGpu::next() else { return };
    let name = format!("cuda:{},4000000000", test.ordinal);
    let error = Device::open(&name).unwrap_err().to_string();
    assert!(error.contains("GPU 4000000000: no GPU 4000000000"), "{error}");
}

#[test]
fn all_gpus_of_the_machine_are_one_device() {
    let Some(folder) = folder() else { return };
    let run = |settings: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "several::child_opens_all", "--nocapture"]).env(CHILD, "1");
        command.env("HALIMEDE_CUDA_LIBRARY", folder.join("libcuda.so.1"));
        command.env("HALIMEDE_GPU_KERNELS", folder.join("kernels"));
        command.env("HALIMEDE_CUDA_STANDIN", settings);
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        output.lines().find_map(|line| line.strip_prefix("child: ").map(str::to_owned)).unwrap()
    };
    assert_eq!(run("devices=2,1.lost=70"), "2 GPUs");
    assert_eq!(run("devices=3"), "3 GPUs");
    let none = run("devices=0");
    assert!(none.contains("no GPU 0: the driver has 0"), "{none}");
    let old = run("devices=2,1.capability=70");
    assert!(old.contains("GPU 1: ") && old.contains("compute capability 7.0"), "{old}");
}

#[test]
fn child_opens_all() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    match Device::open("cuda:all") {
        Ok(device) => {
            assert_eq!(check(&device, REQUESTS), 0);
            println!("\nchild: {} GPUs", 1 + device.capabilities().other_gpus.len());
        }
        Err(error) => println!("\nchild: {error}"),
    }
}
