// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase of halimede-filecoin over the output of filecoin-proofs' first.

use anyhow::Result;
use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_filecoin::{Job, Outcome, Phase1, Sector};
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;

/// The processor, as a device.
struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

/// Runs it, with the output of the first phase as JSON.
pub fn second_phase(phase1: &[u8]) -> Result<Outcome> {
    run(Sector::try_from(Phase1::parse(phase1)?)?)
}

/// Runs it over the folder `cache` and the file `sealed` of the working folder.
pub fn run(sector: Sector) -> Result<Outcome> {
    let job = Job { device: &Processor, sector, cache: "cache".into(), sealed: "sealed".into() };
    Ok(job.run(&mut |_| true)?)
}
