// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names, lists, capabilities and the self-test of GPUs, and batches that succeed.

use std::process::Command;

use halimede_arith::job::{Columns, Execute, Operation};
use halimede_device::{Device, Kind, Options};
use halimede_loopback::Echo;

use crate::common::standin::{folder, TestGpu};

/// The variable that makes a test of this program the child of another one.
const CHILD: &str = "HALIMEDE_TEST_CHILD";

/// Messages of many lengths, with bytes that differ.
pub fn messages(count: usize) -> Vec<Vec<u8>> {
    let byte = |number: usize, place: usize| (number * 31 + place * 7 + 1) as u8;
    (0..count).map(|number| (0..number % 67).map(|place| byte(number, place)).collect()).collect()
}

#[test]
fn the_capabilities_name_the_gpu() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("name=Test GPU");
    let device = Device::open(&test.name()).unwrap();
    let capabilities = device.capabilities();
    assert_eq!((device.name(), capabilities.kind), (&test.name()[..], Kind::Gpu));
    let json = serde_json::to_value(capabilities).unwrap();
    assert_eq!((&json["kind"], &json["gpu"]["name"]), (&"gpu".into(), &"Test GPU".into()));
    assert_eq!(json["gpu"]["compute_capability"], "9.0");
    assert_eq!(json["gpu"]["memory_bytes"], 8u64 << 30);
    assert!(capabilities.has::<Echo>());
    assert!(device.card().is_none() && device.can_reopen() && device.failure().is_none());
}

#[test]
fn the_self_test_passes() {
    let Some(test) = TestGpu::next() else { return };
    let device = Device::open(&test.name()).unwrap();
    let checks = device.selftest().unwrap();
    let engines = &device.capabilities().engines;
    // The loopback is not in the table of operations.
    assert_eq!(checks.is_empty(), engines.iter().all(|engine| engine.name == "loopback"));
    for check in checks {
        assert!(check.passed, "{}: {}", check.name, check.detail);
    }
}

#[test]
fn batches_of_any_size_have_the_answers_of_the_processor() {
    let Some(test) = TestGpu::next() else { return };
    let device = Device::open(&test.name()).unwrap();
    // The last has more requests than a piece.
    for count in [0, 1, 2, 31, 1000, 40_000] {
        let requests = messages(count);
        let batch = Echo::batch(&requests);
        let answered = Execute::<Echo>::execute(&device, batch).unwrap();
        assert_eq!(answered.replies, requests);
        assert_eq!(answered.timing.fallback_requests, 0);
    }
}

#[test]
fn sessions_and_threads_share_a_gpu() {
    let Some(test) = TestGpu::next() else { return };
    let device = Device::open(&test.name()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let device = &device;
            scope.spawn(move || {
                let requests = messages(500 + thread);
                let mut session = Execute::<Echo>::session(device);
                for range in [0..1, 1..200, 200..200, 200..requests.len()] {
                    session.submit(Echo::batch(&requests).slice(range)).unwrap();
                }
                let mut replies = Vec::new();
                while let Some(more) = session.collect().unwrap() {
                    replies.extend(more);
                }
                assert_eq!(replies, requests);
            });
        }
    });
}

#[test]
fn the_list_has_every_gpu() {
    let Some(folder) = folder() else { return };
    let answer = |library: &str, kernels: &str, settings: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "devices::child_lists_the_devices", "--nocapture"]);
        command.env(CHILD, "1").env("HALIMEDE_CUDA_LIBRARY", library);
        command.env("HALIMEDE_GPU_KERNELS", kernels).env("HALIMEDE_CUDA_STANDIN", settings);
        // No test here needs a simulated card.
        command.env("HALIMEDE_CARD_SIM", "/nowhere");
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let entries = output.lines().filter(|line| line.starts_with("cuda:"));
        entries.map(str::to_owned).collect::<Vec<_>>()
    };
    let library = folder.join("libcuda.so.1").display().to_string();
    let kernels = folder.join("kernels").display().to_string();
    let two = answer(&library, &kernels, "devices=2,name=A,1.capability=70");
    assert_eq!(two.len(), 2);
    let first = "cuda:0 true A, compute capability 9.0, 4 multiprocessors, 8.0 GiB, driver of \
                 CUDA 13.0";
    assert_eq!(two[0], first);
    assert!(two[1].starts_with("cuda:1 false A: A has compute capability 7.0"), "{}", two[1]);
    let none = answer(&library, &kernels, "devices=0");
    assert_eq!(none, ["cuda:0 false no GPU 0: the driver has 0 (numbered from 0)"]);
    let without = answer(&library, "/nowhere", "name=B");
    assert!(without[0].starts_with("cuda:0 false B: no GPU kernels: "), "{}", without[0]);
    let missing = answer("/nowhere/libcuda.so", &kernels, "");
    assert!(missing[0].starts_with("cuda:0 false no NVIDIA driver: "), "{}", missing[0]);
}

#[test]
fn child_lists_the_devices() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    for entry in halimede_device::list() {
        println!("\n{} {} {}", entry.spec, entry.available, entry.description);
    }
}

#[test]
fn a_limit_of_memory_cuts_batches_into_smaller_pieces() {
    let Some(test) = TestGpu::next() else { return };
    let options = Options::default().gpu_memory(1 << 19);
    let device = Device::open_with(&test.name(), &options).unwrap();
    let requests = messages(20_000);
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap();
    assert_eq!(answered.replies, requests);
    // A request that does not fit at all.
    let large = vec![vec![7; 1 << 19]];
    let error = Execute::<Echo>::execute(&device, Echo::batch(&large)).unwrap_err().to_string();
    assert!(error.contains("do not fit into the memory of the GPU"), "{error}");
    assert!(error.contains("would fit"), "{error}");
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests[..9])).unwrap();
    assert_eq!(answered.replies, requests[..9]);
}
