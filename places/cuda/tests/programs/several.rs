// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs on several GPUs of a place.

use std::sync::Arc;

use halimede_ckks::executor::{ExecutorError, ProgramServer, Routine};
use halimede_ckks::{Ciphertext, Operations};
use halimede_cuda::ckks::CudaPrograms;
use halimede_cuda::GpuPlace;

use crate::common::standin::TestGpu;
use crate::setting::{assert_same, results, Setting};

/// GPUs as one place.
struct Several {
    tests: Vec<TestGpu>,
    place: Arc<GpuPlace>,
    setting: Setting,
    server: ProgramServer,
}

impl Several {
    fn new(count: usize) -> Option<Self> {
        let tests: Vec<TestGpu> = (0..count).map_while(|_| TestGpu::next()).collect();
        let mut gpus = tests.iter().map(|test| test.open().unwrap());
        let place = Arc::new(GpuPlace::with_gpus("cuda:0,1", gpus.next()?, gpus.collect()));
        let operations = Operations { rotations: vec![1, 2, 4], ..Operations::default() };
        let setting = Setting::new("n10-insecure", operations);
        let server = setting.on_place(&CudaPrograms::new(&place));
        Some(Self { tests, place, setting, server })
    }

    /// The number of programs that each GPU has run.
    fn programs(&self) -> Vec<u64> {
        self.place.gpus().map(|gpu| gpu.state().batches).collect()
    }

    fn memory_used(&self) -> Vec<usize> {
        self.place.gpus().map(|gpu| gpu.state().memory_used).collect()
    }

    fn expected(&self, routine: &Routine, inputs: &[&Ciphertext]) -> Vec<Ciphertext> {
        self.setting.on_processor().compute(routine, inputs).unwrap()
    }
}

fn rotate(by: i64) -> Routine {
    Routine::Rotate(vec![by])
}

#[test]
fn independent_programs_are_distributed_and_have_the_bits_of_the_processor() {
    let Some(mut several) = Several::new(2) else { return };
    let inputs: Vec<Ciphertext> = (0..4).map(|of| several.setting.complex(4, of)).collect();
    let server = &several.server;
    // Each thread has a chain of programs, whose values stay on a GPU.
    let chains: Vec<Ciphertext> = std::thread::scope(|scope| {
        let chain = |a: &Ciphertext| {
            let mut value = server.upload(a).unwrap();
            for by in [1, 2, 4, 1, 2, 4] {
                value = server.rotate(&server.mul_number(&value, 0.5.into()).unwrap(), by).unwrap();
                value = server.add(&value, &value).unwrap();
                if value.level() == 1 {
                    break;
                }
            }
            server.download(&value).unwrap()
        };
        let threads: Vec<_> = inputs.iter().map(|a| scope.spawn(move || chain(a))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (a, got) in inputs.iter().zip(&chains) {
        let mut value = a.clone();
        for by in [1, 2, 4] {
            let half = several.expected(&Routine::MultiplyNumber(0.5.into()), &[&value]);
            let rotated = several.expected(&rotate(by), &[&half[0]]);
            value = several.expected(&Routine::Add, &[&rotated[0], &rotated[0]]).remove(0);
        }
        assert_same(std::slice::from_ref(&value), std::slice::from_ref(got), "a chain");
    }
    let programs = several.programs();
    assert!(programs.iter().all(|count| *count > 0), "{programs:?}");
    assert_eq!(programs.iter().sum::<u64>(), 4 * 9, "{programs:?}");
}

#[test]
fn a_chain_stays_on_a_gpu_and_keys_are_sent_once() {
    let Some(mut several) = Several::new(2) else { return };
    let a = several.setting.complex(4, 7);
    let value = several.server.upload(&a).unwrap();
    let first = several.server.rotate(&value, 1).unwrap();
    let used = several.memory_used();
    for _ in 0..3 {
        let again = several.server.rotate(&value, 1).unwrap();
        let expected = several.expected(&rotate(1), &[&a]);
        assert_same(&expected, &[several.server.download(&again).unwrap()], "again");
    }
    drop(first);
    // The result that was dropped is the only difference.
    let after = several.memory_used();
    assert!(after[0] < used[0] && after[1] == used[1], "{used:?} {after:?}");
    assert_eq!(several.programs(), [4, 0]);
}

/// Makes the first GPU refuse its next program for a lack of memory.
fn result_on_second(
    several: &Several,
    a: &Ciphertext,
) -> halimede_ckks::executor::CiphertextHandle {
    let value = several.server.upload(a).unwrap();
    several.tests[0].configure("memory=4096");
    let result = several.server.rotate(&value, 2).unwrap();
    several.tests[0].configure("memory=1000000000");
    result
}

#[test]
fn inputs_on_different_gpus_meet_through_this_machine() {
    let Some(mut several) = Several::new(2) else { return };
    let (a, b) = (several.setting.complex(4, 1), several.setting.complex(4, 2));
    let first = several.server.upload(&a).unwrap();
    let first = several.server.rotate(&first, 1).unwrap();
    assert_eq!(several.programs(), [1, 0]);
    let second = result_on_second(&several, &b);
    assert_eq!(several.programs(), [1, 1]);
    let sum = several.server.add(&first, &second).unwrap();
    let (rotated_a, rotated_b) =
        (several.expected(&rotate(1), &[&a]), several.expected(&rotate(2), &[&b]));
    let expected = several.expected(&Routine::Add, &[&rotated_a[0], &rotated_b[0]]);
    assert_same(&expected, &[several.server.download(&sum).unwrap()], "a sum");
    assert_same(&rotated_b, &[several.server.download(&second).unwrap()], "an input of it");
}

#[test]
fn the_programs_of_a_lost_gpu_run_on_another_one_if_their_inputs_are_here() {
    for fault in ["launch_failure=4", "illegal_address=2", "lost=40"] {
        let Some(mut several) = Several::new(2) else { return };
        let a = several.setting.complex(4, 3);
        let value = several.server.upload(&a).unwrap();
        let only_there = several.server.mul(&value, &value).unwrap();
        let kept = several.server.mul(&value, &value).unwrap();
        let product = several.server.download(&kept).unwrap();
        assert_eq!(several.programs(), [2, 0]);
        several.tests[0].configure(fault);
        let expected = several.expected(&rotate(1), &[&a]);
        while several.programs()[1] == 0 {
            let got = results(&several.server, &rotate(1), &[&value]).unwrap();
            assert_same(&expected, &got, fault);
        }
        // A result that was downloaded survives, and is an input on the other GPU.
        let got = results(&several.server, &rotate(4), &[&kept]).unwrap();
        assert_same(&several.expected(&rotate(4), &[&product]), &got, fault);
        let lost = several.server.rotate(&only_there, 1).err().unwrap();
        assert!(matches!(lost, ExecutorError::Failed { .. }), "{fault}: {lost}");
        assert!(lost.to_string().contains("was only on the GPU"), "{fault}: {lost}");
        assert_eq!(several.place.failure(), None);
    }
}

#[test]
fn an_error_of_all_gpus_is_an_error() {
    let Some(mut several) = Several::new(2) else { return };
    let a = several.setting.complex(4, 3);
    let value = several.server.upload(&a).unwrap();
    several.tests.iter().for_each(|test| test.configure("launch_failure=1"));
    for _ in 0..2 {
        let error = several.server.rotate(&value, 1).err().unwrap();
        assert!(matches!(error, ExecutorError::Failed { .. }), "{error}");
    }
    let failure = several.place.failure().unwrap();
    assert!(failure.contains("CUDA_ERROR_LAUNCH_FAILED"), "{failure}");
    assert_same(std::slice::from_ref(&a), &[several.server.download(&value).unwrap()], "here");
    several.tests.iter().for_each(|test| test.configure("launch_failure=0"));
    several.place.reopen().unwrap();
    assert_eq!(several.place.failure(), None);
    let got = results(&several.server, &rotate(1), &[&value]).unwrap();
    assert_same(&several.expected(&rotate(1), &[&a]), &got, "opened again");
}
