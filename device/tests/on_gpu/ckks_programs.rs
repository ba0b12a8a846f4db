// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs on a GPU as a device: the processor's residues, retries and fallback.

use std::sync::Arc;

use halimede_arith::job::{Execute, Operation};
use halimede_ckks::executor::{
    CiphertextHandle, ExecutorError, ProcessorPrograms, ProgramPlace, ProgramServer, Routine,
};
use halimede_ckks::{Ciphertext, Client, Operations, Parameters, Server};
use halimede_device::{Device, Options};
use halimede_loopback::Echo;

use crate::common::standin::TestGpu;
use crate::devices::messages;

fn setting() -> (Arc<Server>, Ciphertext) {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 17);
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = Arc::new(client.server(&operations));
    let values: Vec<f64> = (0..512).map(|k| f64::from(k * 37 % 101) / 101.0 - 0.5).collect();
    (server, client.encrypt(&values).unwrap())
}

fn on(device: Device, server: &Arc<Server>) -> ProgramServer {
    let place = Arc::new(device).programs().unwrap();
    ProgramServer::new(Arc::clone(server), place.executor(server.parameters()).unwrap())
}

/// The product, rotated: two programs, the first result of which stays on the device.
fn computed(on: &ProgramServer, a: &CiphertextHandle) -> Result<Ciphertext, ExecutorError> {
    on.download(&on.rotate(&on.mul(a, a)?, 1)?)
}

fn expected(server: &Arc<Server>, a: &Ciphertext) -> Ciphertext {
    let processor = Arc::new(ProcessorPrograms::new(server.parameters()));
    let on = ProgramServer::new(Arc::clone(server), processor);
    let product = on.compute(&Routine::Multiply, &[a, a]).unwrap();
    on.compute(&Routine::Rotate(vec![1]), &[&product[0]]).unwrap().remove(0)
}

fn assert_same(expected: &Ciphertext, got: &Ciphertext) {
    for (expected, got) in expected.parts().iter().zip(got.parts()) {
        assert_eq!(expected.basis(), got.basis());
        assert!(expected.limbs().eq(got.limbs()));
    }
}

#[test]
fn programs_have_the_residues_of_the_processor() {
    let Some(test) = TestGpu::next() else { return };
    let (server, a) = setting();
    let device = Device::open(&test.name()).unwrap();
    let engine = device.capabilities().engines.iter().find(|engine| engine.name == "ckks");
    let engine = engine.unwrap();
    assert!(engine.operations.iter().any(|name| name == "ckks.bootstrap"), "{engine:?}");
    assert!(engine.instances.iter().any(|name| name == "n16-boot"), "{engine:?}");
    let remote = on(device, &server);
    let handle = remote.upload(&a).unwrap();
    assert_same(&expected(&server, &a), &computed(&remote, &handle).unwrap());
}

#[test]
fn a_fault_is_an_error_retried_or_the_fallbacks_work() {
    let (server, a) = setting();
    let expected = expected(&server, &a);
    // The first program: nothing was computed on the GPU that would be lost with it.
    let fault = "launch_failure=5";
    let Some(test) = TestGpu::next() else { return };
    test.configure(fault);
    let remote = on(Device::open(&test.name()).unwrap(), &server);
    let handle = remote.upload(&a).unwrap();
    let error = computed(&remote, &handle).unwrap_err();
    assert!(matches!(error, ExecutorError::Failed { .. }), "{error}");

    let test = TestGpu::next().unwrap();
    test.configure("recovers=1");
    test.configure(fault);
    let options = Options::default().retries(1);
    let remote = on(Device::open_with(&test.name(), &options).unwrap(), &server);
    let handle = remote.upload(&a).unwrap();
    assert_same(&expected, &computed(&remote, &handle).unwrap());

    let test = TestGpu::next().unwrap();
    test.configure(fault);
    let device = Device::open(&test.name()).unwrap().with_fallback(Device::cpu());
    let remote = on(device, &server);
    let handle = remote.upload(&a).unwrap();
    assert_same(&expected, &computed(&remote, &handle).unwrap());
}

#[test]
fn a_program_that_does_not_fit_is_the_fallbacks_work() {
    let Some(test) = TestGpu::next() else { return };
    let (server, a) = setting();
    let options = Options::default().gpu_memory(200_000);
    let device = Device::open_with(&test.name(), &options).unwrap();
    let remote = on(device, &server);
    let handle = remote.upload(&a).unwrap();
    let error = computed(&remote, &handle).unwrap_err();
    assert!(error.to_string().contains("but at most 200000 may be used"), "{error}");
    let device = Device::open_with(&test.name(), &options).unwrap().with_fallback(Device::cpu());
    let remote = on(device, &server);
    let handle = remote.upload(&a).unwrap();
    assert_same(&expected(&server, &a), &computed(&remote, &handle).unwrap());
}

/// Batches and programs of a GPU give up its old context for each other.
#[test]
fn a_gpu_that_is_lost_in_a_batch_runs_programs_again_and_the_other_way_round() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("recovers=1");
    let (server, a) = setting();
    let device = Arc::new(Device::open(&test.name()).unwrap());
    let place = device.programs().unwrap();
    let remote =
        ProgramServer::new(Arc::clone(&server), place.executor(server.parameters()).unwrap());
    let handle = remote.upload(&a).unwrap();
    let expected = expected(&server, &a);
    let requests = messages(50);
    let echo = || Execute::<Echo>::execute(&*device, Echo::batch(&requests));
    assert_same(&expected, &computed(&remote, &handle).unwrap());
    test.configure("launch_failure=1");
    echo().unwrap_err();
    assert!(device.failure().is_some());
    assert_eq!(echo().unwrap().replies, requests);
    assert!(device.failure().is_none() && device.gpus()[0].losses == 1);
    assert_same(&expected, &computed(&remote, &handle).unwrap());
    test.configure("launch_failure=1");
    computed(&remote, &handle).unwrap_err();
    assert_eq!(echo().unwrap().replies, requests);
    // `Device::reopen` as well.
    test.configure("launch_failure=1");
    echo().unwrap_err();
    device.reopen().unwrap();
    assert!(device.failure().is_none() && device.gpus()[0].losses == 3);
    assert_same(&expected, &computed(&remote, &handle).unwrap());
}
