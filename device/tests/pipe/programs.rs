// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS on the place behind a pipe: programs are sent as bytes, and ciphertexts return.

use std::sync::Arc;

use halimede_arith::job::DeviceError;
use halimede_ckks::executor::{
    ExecutorError, ProgramExecutor, ProgramPlace, ProgramServer, Routine,
};
use halimede_ckks::{Ciphertext, Client, Operations, Parameters, Server};
use halimede_device::{Device, Options, Registry};
use halimede_poseidon::operations::Permute;

use super::ckks_pipe::Pipe;
use super::link::{Behavior, Pipe as JobPipe};

/// The pipe as a place.
struct Place;

impl ProgramPlace for Place {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        Ok(Arc::new(Pipe::open(parameters)))
    }
}

/// A device that runs programs and nothing else.
fn pipe() -> Device {
    let executors = Registry::default().with_programs(Place);
    Device::with_executors("pipe", executors, &Options::default())
}

/// A device that runs no programs.
fn without_programs() -> Device {
    let executors = Registry::default().with::<Permute>(JobPipe::start(Behavior::Good));
    Device::with_executors("pipe", executors, &Options::default())
}

/// A caller that does not know the place: (x·y rotated by 1) + x·y, on ciphertexts that stay at the
/// place.
fn sum_of_products(
    device: &Arc<Device>,
    server: &Arc<Server>,
    [x, y]: [&Ciphertext; 2],
) -> Ciphertext {
    let executor = device.programs().unwrap().executor(server.parameters()).unwrap();
    let remote = ProgramServer::new(Arc::clone(server), executor);
    let [a, b] = [x, y].map(|x| remote.upload(x).unwrap());
    let product = remote.mul(&a, &b).unwrap();
    let sum = remote.add(&remote.rotate(&product, 1).unwrap(), &product).unwrap();
    remote.download(&sum).unwrap()
}

fn assert_same(ours: &Ciphertext, expected: &Ciphertext) {
    assert_eq!(ours.precision_bits(), expected.precision_bits());
    for (ours, expected) in ours.parts().iter().zip(expected.parts()) {
        assert!(ours.limbs().eq(expected.limbs()));
    }
}

#[test]
fn programs_run_on_every_device_that_has_an_executor() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::new(&parameters).unwrap();
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = Arc::new(client.server(&operations));
    let values = |seed: usize| (0..512).map(move |k| ((k * 37 + seed) % 101) as f64 / 101.0);
    let [x, y] = [3, 58].map(|seed| client.encrypt(&values(seed).collect::<Vec<_>>()).unwrap());
    let product = server.mul(&x, &y).unwrap();
    let expected = server.add(&server.rotate(&product, 1).unwrap(), &product).unwrap();
    for device in [Device::cpu(), pipe(), without_programs().with_fallback(pipe())] {
        let device = Arc::new(device);
        assert_same(&sum_of_products(&device, &server, [&x, &y]), &expected);
        let place = device.programs().unwrap();
        let executor = place.executor(&parameters).unwrap();
        let remote = ProgramServer::new(Arc::clone(&server), executor);
        let computed = remote.compute(&Routine::Multiply, &[&x, &y]).unwrap();
        assert_same(&computed[0], &product);
        assert!(remote.compute(&Routine::Multiply, &[&x]).is_err());
    }
}

#[test]
fn the_registry_says_whether_a_device_runs_programs() {
    for device in [Device::cpu(), pipe()] {
        let engines = &device.capabilities().engines;
        let found: Vec<_> = engines.iter().filter(|engine| engine.name == "ckks").collect();
        assert_eq!(found.len(), 1, "{}", device.name());
        assert_eq!(found[0].operations, Routine::NAMES);
        assert!(found[0].instances.contains(&"n16-boot".to_owned()));
    }
    let device = Arc::new(without_programs());
    assert!(device.capabilities().engines.iter().all(|engine| engine.name != "ckks"));
    let error = device.programs().err().unwrap();
    assert!(matches!(error, DeviceError::Unsupported { operation: "ckks", .. }), "{error}");
    assert!(error.to_string().contains("runs no CKKS programs"), "{error}");
    let absent = "xdma:/no/such/card";
    let absent = Device::open_with_fallback(absent, &Options::default(), without_programs());
    let absent = Arc::new(absent.unwrap());
    assert!(matches!(absent.programs(), Err(DeviceError::Unsupported { .. })));
    let absent = Arc::into_inner(absent).unwrap();
    assert!(Arc::new(absent.with_fallback(pipe())).programs().is_ok());
}
