// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede filecoin precommit2`: the second phase of sealing a sector.

use halimede_filecoin::{data_cid, replica_cid, Job, Outcome, Phase1, SealProof, Sector};

use crate::arguments::{FilecoinCommand, Precommit2Options};
use crate::devices::open;
use crate::error::CommandError;
use crate::output::print_line;
use crate::progress::bytes_bar;

/// Runs one of the Filecoin commands.
pub fn run(command: &FilecoinCommand, json: bool) -> Result<(), CommandError> {
    match command {
        FilecoinCommand::Precommit2(options) => precommit2(options, json),
    }
}

fn precommit2(options: &Precommit2Options, json: bool) -> Result<(), CommandError> {
    let phase1 = Phase1::decode(&options.pc1out)
        .map_err(|error| CommandError::BadInput(format!("--pc1out: {error}")))?;
    let proof = phase1.proof;
    require_same(options, proof)?;
    let sector = Sector::try_from(phase1)
        .map_err(|error| CommandError::BadInput(format!("--pc1out: {error}")))?;
    let device = &open(&options.device)?;
    let (cache, sealed) = (options.cache.clone(), options.sealed.clone());
    let job = Job { device, sector, cache, sealed };
    let bar = bytes_bar(Some(job.bytes()));
    let outcome = job.run(&mut |bytes| {
        bar.set_position(bytes);
        true
    });
    bar.finish_and_clear();
    let outcome = outcome?;
    if json {
        return print_line(&report(options, proof, &outcome).to_string());
    }
    let roots = &outcome.commitments;
    print_line(&format!("d:{} r:{}", data_cid(&roots.comm_d), replica_cid(&roots.comm_r)))
}

/// Checks that the options name the proof and the size of the first phase.
fn require_same(options: &Precommit2Options, proof: SealProof) -> Result<(), CommandError> {
    let wrong = |option: &str, given: u64, found: u64| {
        let reason = format!("{option}: {given}, but --pc1out is of {proof}, which has {found}");
        Err(CommandError::BadInput(reason))
    };
    match (options.proof_type, options.sector_size) {
        (Some(given), _) if given != proof.number() => wrong("--proof-type", given, proof.number()),
        (_, Some(given)) if given != proof.sector_bytes() => {
            wrong("--sector-size", given, proof.sector_bytes())
        }
        _ => Ok(()),
    }
}

fn report(options: &Precommit2Options, proof: SealProof, outcome: &Outcome) -> serde_json::Value {
    let roots = &outcome.commitments;
    serde_json::json!({
        "proof_type": proof.number(), "proof": proof.to_string(),
        "sector_bytes": proof.sector_bytes(), "sector_num": options.sector_num,
        "sector_miner": options.sector_miner, "sealed": options.sealed.display().to_string(),
        "cache": options.cache.display().to_string(), "device": options.device.device,
        "unsealed_cid": data_cid(&roots.comm_d), "sealed_cid": replica_cid(&roots.comm_r),
        "comm_d": hex::encode(roots.comm_d), "comm_c": hex::encode(roots.comm_c),
        "comm_r_last": hex::encode(roots.comm_r_last), "comm_r": hex::encode(roots.comm_r),
        "reused_trees": outcome.reused_trees, "continued_replica": outcome.continued_replica,
        "seconds": {
            "tree_c": outcome.tree_c_time.as_secs_f64(),
            "replica": outcome.replica_time.as_secs_f64(),
        },
    })
}
