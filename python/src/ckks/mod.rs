// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS: arithmetic on encrypted vectors. `halimede.ckks` adds NumPy's operators to these classes.
//!
//! - `arrays`: conversion of arrays to vectors and matrices; `declared`: declared bounds; `files`:
//!   bytes and paths; `callable`: Python functions; `errors`: errors with advice.
//! - `parameters`, `ciphertext`, `client`, `public`: encryption and decryption.
//! - `server`, `power`, `matrix`, `polynomial`, `functions`, `explicit`, `rotations`: evaluation;
//!   `trace`: its ring operations.
//! - `parties`: several holders of one secret key; `collectors`: their messages, added up.
//! - `expression`, `plan`: whole computations; `programs`: plans on a device.

mod arrays;
mod callable;
mod ciphertext;
mod client;
mod collectors;
mod declared;
mod errors;
mod explicit;
mod expression;
mod files;
mod functions;
mod load_key;
mod matrix;
mod parameters;
mod parties;
mod plan;
mod polynomial;
mod power;
mod programs;
mod public;
mod rotations;
mod server;
mod trace;

pub use ciphertext::CkksCiphertext;
pub use client::CkksClient;
pub use collectors::{CkksDecryption, CkksKeyCollector, CkksKeySwitch, CkksRefresh};
pub use explicit::{CkksDegree2, CkksExplicit};
pub use expression::CkksExpression;
pub use files::{to_bytes, to_file, Input};
pub use functions::{ckks_compare, ckks_refined, ckks_sign, CkksSign};
pub use matrix::{ckks_transform, CkksMatrix};
pub use parameters::CkksParameters;
pub use parties::{CkksParty, CkksSession};
pub use plan::{ckks_run, CkksExpected, CkksInput, CkksPlan};
pub use polynomial::{ckks_evaluate, ckks_evaluate_blocks, CkksPolynomial};
pub use programs::{network_error, CkksPrograms};
pub use public::CkksPublicKey;
pub use rotations::{ckks_roll_rotations, ckks_slice_rotations, ckks_sum_rotations};
pub use server::CkksServer;
pub use trace::{ckks_record, CkksTrace};

use pyo3::prelude::*;

use crate::work::{self, Stop};

/// Runs work of a fraction of a second; other Python threads run meanwhile.
fn brief<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    watch_forks();
    work::run_briefly(py, |_| halimede_device::in_pool(work))
}

/// Runs longer work; signal handlers run meanwhile.
///
/// # Errors
/// As [`work::run`].
pub fn long<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    watch_forks();
    work::run(py, |stop| halimede_device::in_pool(|| work(stop)))
}

/// Starts to watch for forks, so that a forked child gets new threads. The first use of the shared
/// processor does so.
fn watch_forks() {
    // An unavailable processor does not matter here.
    let _ = halimede_device::shared_processor();
}
