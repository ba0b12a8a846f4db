// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A server with keys, and its operations on the processor and on a GPU.

use std::sync::Arc;

use halimede_ckks::executor::{
    CiphertextHandle, ExecutorError, ProcessorPrograms, ProgramExecutor, ProgramPlace,
    ProgramServer, Routine,
};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server};
use halimede_cuda::ckks::CudaPrograms;
use halimede_cuda::{Gpu, GpuPlace};

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

pub struct Setting {
    pub client: Client,
    pub server: Arc<Server>,
    pub parameters: Parameters,
}

impl Setting {
    /// Keys of parameters for products, conjugates and more.
    pub fn new(preset: &str, operations: Operations) -> Self {
        let parameters = Parameters::preset(preset).unwrap();
        let mut client = Client::of_test(&parameters, 5);
        let operations = Operations { multiply: true, conjugate: true, ..operations };
        let server = Arc::new(client.server(&operations).with_angles(ANGLES));
        Self { client, server, parameters }
    }

    /// A vector of distinct complex numbers below 1, encrypted at a level.
    pub fn complex(&mut self, level: usize, seed: usize) -> Ciphertext {
        let value = |slot: usize| {
            let part = |by: usize| ((slot * by + seed) % 197) as f64 / 300.0 - 0.3;
            Complex::new(part(31), part(57))
        };
        let values: Vec<Complex> = (0..self.parameters.slots()).map(value).collect();
        self.client.encrypt_at(&values, level).unwrap()
    }

    /// A vector of distinct real numbers from −1 to 1.
    pub fn real(&mut self, level: usize) -> Ciphertext {
        let value = |slot: usize| ((slot * 41) % 199) as f64 / 100.0 - 0.99;
        let values: Vec<f64> = (0..self.parameters.slots()).map(value).collect();
        self.client.encrypt_at(&values, level).unwrap()
    }

    /// The operations as programs on an executor.
    pub fn on(&self, executor: Arc<dyn ProgramExecutor>) -> ProgramServer {
        ProgramServer::new(Arc::clone(&self.server), executor)
    }

    pub fn on_processor(&self) -> ProgramServer {
        self.on(Arc::new(ProcessorPrograms::new(&self.parameters)))
    }

    pub fn on_place(&self, place: &CudaPrograms) -> ProgramServer {
        self.on(place.executor(&self.parameters).unwrap())
    }
}

pub fn place(gpu: Gpu) -> CudaPrograms {
    CudaPrograms::new(&Arc::new(GpuPlace::new("cuda:0", gpu)))
}

/// The results of an operation, downloaded.
pub fn results(
    server: &ProgramServer,
    routine: &Routine,
    inputs: &[&CiphertextHandle],
) -> Result<Vec<Ciphertext>, ExecutorError> {
    server.call(routine, inputs)?.iter().map(|result| server.download(result)).collect()
}

/// Compares all residues.
pub fn assert_same(expected: &[Ciphertext], got: &[Ciphertext], what: &str) {
    assert_eq!(expected.len(), got.len(), "{what}");
    for (expected, got) in expected.iter().zip(got) {
        for (part, (expected, got)) in expected.parts().iter().zip(got.parts()).enumerate() {
            assert_eq!(expected.basis(), got.basis(), "{what}");
            assert_eq!(expected.form(), got.form(), "{what}");
            for (limb, (expected, got)) in expected.limbs().zip(got.limbs()).enumerate() {
                // No words are printed: there are thousands.
                assert!(expected == got, "{what}: limb {limb} of part {part} differs");
            }
        }
    }
}
