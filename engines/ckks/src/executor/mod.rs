// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations on ciphertexts: how they are recorded, and the places that run them.
//!
//! A [`ProgramServer`] combines the operations of a server with an executor that runs their
//! programs. It keeps levels, scales, noise and keys. The executor keeps residues, and may run
//! anywhere. To support a new place, implement [`ProgramExecutor`]; [`ProcessorPrograms`] is the
//! reference for comparisons.
//!
//! [`Programs`] stores one program for each operation, levels, scales and slots of its inputs, and
//! keys. A [`DryServer`] records a program without arithmetic. A circuit runs as one program per
//! step ([`ProgramServer::run_plan`]).
//!
//! ```
//! use std::sync::Arc;
//!
//! use halimede_ckks::executor::{ProcessorPrograms, ProgramServer};
//! use halimede_ckks::{Client, Operations, Parameters};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let parameters = Parameters::preset("n10-insecure")?;
//! let mut client = Client::new(&parameters)?;
//! let server = client.server(&Operations { multiply: true, ..Operations::default() });
//! let processor = Arc::new(ProcessorPrograms::new(&parameters));
//! let remote = ProgramServer::new(Arc::new(server), processor);
//!
//! let x = remote.upload(&client.encrypt(&[0.5, -1.0])?)?;
//! let square = remote.mul(&x, &x)?; // stays on the executor
//! let values = client.decrypt(&remote.download(&square)?)?;
//! assert!((values[0].re - 0.25).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

mod circuit;
mod dry;
#[allow(clippy::module_inception, reason = "the folder contains the executor")]
mod executor;
mod on_card;
mod processor;
mod programs;
mod recorded;
mod server;
mod work;

pub use dry::DryServer;
pub use executor::{ExecutorError, ProgramConstants, ProgramExecutor, ProgramPlace, Resident};
pub use on_card::{CardLink, CardPlace, CardSize, CardSizeError, CardTraffic};
pub use processor::ProcessorPrograms;
pub use programs::Programs;
pub use server::{CiphertextHandle, ProgramServer};

pub use crate::circuit::{Matrix, Plain, Routine};
