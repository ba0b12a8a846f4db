// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proves a sector whose second phase halimede-filecoin ran. Everything else is filecoin-proofs':
//! the first phase, both phases of the commitment, the verification of the seal, and the Groth16
//! parameters, which are generated where `FIL_PROOFS_PARAMETER_CACHE` lacks them.
//!
//! Each file of the second phase is then damaged by one bit in one byte, and must be refused.

use std::fs::{create_dir_all, read, write, File};
use std::io::{BufWriter, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{anyhow, ensure, Context, Result};
use filecoin_proofs::parameters::public_params;
use filecoin_proofs::{with_shape, DefaultPieceHasher, MerkleTreeTrait, PoRepConfig};
use filecoin_proofs_api::seal::{
    seal_commit_phase1, seal_commit_phase2, verify_seal, SealCommitPhase1Output,
    SealPreCommitPhase2Output,
};
use filecoin_proofs_api::{Commitment, Ticket};
use serde_json::{json, Value};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::parameter_cache::{
    parameter_cache_params_path, parameter_cache_verifying_key_path,
};
use storage_proofs_porep::stacked::{StackedCompound, StackedDrg};

use crate::ours::second_phase;
use crate::parameters::generate;
use crate::{first_phase, proof_name, Staged, NODE_BYTES};

/// The randomness of the chain after the second phase, which chooses the challenged nodes.
const SEED: Ticket = [9; 32];
const DAMAGED_BIT: u8 = 4;

pub fn prove(number: u64) -> Result<Value> {
    let (staged, phase1) = first_phase(number)?;
    // The data become the replica in place.
    std::fs::copy("staged", "sealed")?;
    let outcome = second_phase(&serde_json::to_vec(&phase1)?)?;
    let roots = outcome.commitments;
    let Staged { proof, prover, sector, ticket, .. } = staged;
    let start = Instant::now();
    let bytes = u64::from(proof.sector_size());
    with_shape!(bytes, make_parameters, &proof.as_v1_config())?;
    let parameters = start.elapsed();
    let start = Instant::now();
    let vanilla = commit_phase1(&staged, roots.comm_r)?;
    let phase1_time = start.elapsed();
    let mut refused = Vec::new();
    for (name, path, offset) in damage(bytes)? {
        let content = read(&path)?;
        write(&path, damage_at(&content, &offset))?;
        // filecoin-proofs panics if a stored root differs from the tree's.
        let attempt = AssertUnwindSafe(|| commit_phase1(&staged, roots.comm_r).map(|_| true));
        let result = catch_unwind(attempt).unwrap_or_else(|_| Err(anyhow!("an assertion failed")));
        refused.push(refusal(&name, result)?);
        write(&path, content)?;
    }
    commit_phase1(&staged, roots.comm_r).context("after the damage was mended")?;
    let start = Instant::now();
    let seal = seal_commit_phase2(vanilla, prover, sector)?.proof;
    let phase2_time = start.elapsed();
    let verified = |comm_r: Commitment, seal: &[u8]| {
        verify_seal(proof, comm_r, roots.comm_d, prover, sector, ticket, SEED, seal)
    };
    ensure!(verified(roots.comm_r, &seal)?, "the seal is invalid");
    eprintln!("the seal of {} bytes is valid", seal.len());
    refused.push(refusal("comm_r", verified(damaged(&roots.comm_r, 3), &seal))?);
    let short_seal = &seal[..seal.len() - 1];
    refused.push(refusal("a seal without its last byte", verified(roots.comm_r, short_seal))?);
    Ok(json!({
        "proof": proof_name(proof), "verified": true, "seal_bytes": seal.len(),
        "seconds": {
            "precommit2": (outcome.tree_c_time + outcome.replica_time).as_secs_f64(),
            "parameters": parameters.as_secs_f64(), "commit1": phase1_time.as_secs_f64(),
            "commit2": phase2_time.as_secs_f64(),
        },
        "refused": refused,
    }))
}

/// Generates the Groth16 parameters and the verifying key of a circuit, where their files are
/// missing. They are random: their secrets are not those of the network's ceremony.
fn make_parameters<Tree: 'static + MerkleTreeTrait>(config: &PoRepConfig) -> Result<()> {
    type Compound<Tree> = StackedCompound<Tree, DefaultPieceHasher>;
    type Scheme<'a, Tree> = StackedDrg<'a, Tree, DefaultPieceHasher>;
    let public = public_params::<Tree>(config)?;
    let identifier = config.get_cache_identifier::<Tree>()?;
    let (path, key_path) =
        (parameter_cache_params_path(&identifier), parameter_cache_verifying_key_path(&identifier));
    if path.exists() && key_path.exists() {
        return Ok(());
    }
    let circuit = <Compound<Tree> as CompoundProof<Scheme<'_, Tree>, _>>::blank_circuit(&public);
    let parameters = generate(circuit)?;
    create_dir_all(path.parent().context("the folder of parameters")?)?;
    let mut file = BufWriter::new(File::create(&path)?);
    parameters.write(&mut file)?;
    file.flush()?;
    let mut file = BufWriter::new(File::create(&key_path)?);
    parameters.vk.write(&mut file)?;
    Ok(file.flush()?)
}

/// Opens the challenged nodes, and checks their openings.
fn commit_phase1(staged: &Staged, comm_r: Commitment) -> Result<SealCommitPhase1Output> {
    let Staged { proof, prover, sector, ticket, piece } = staged;
    let comm_d = piece.commitment;
    let precommit = SealPreCommitPhase2Output { registered_proof: *proof, comm_r, comm_d };
    let pieces = [piece.clone()];
    seal_commit_phase1("cache", "sealed", *prover, *sector, *ticket, SEED, precommit, &pieces)
}

/// The places to damage: name, file, and the offsets of the bytes.
///
/// A wrong node matters only if a challenge meets it. So two nodes below the root are damaged in
/// tree C and tree R, and one of eight siblings throughout the replica. Of `p_aux`, these phases
/// only read comm_c: a wrong comm_r_last is accepted.
fn damage(sector_bytes: u64) -> Result<Vec<(String, PathBuf, Vec<usize>)>> {
    let place = |name: &str, path: &str, offsets| (name.into(), path.into(), offsets);
    let mut places = vec![place("comm_c in p_aux", "cache/p_aux", vec![5])];
    for tree in ["tree-c", "tree-r-last"] {
        let path = format!("cache/sc-02-data-{tree}.dat");
        let length = Path::new(&path).metadata().context(path.clone())?.len() as usize;
        // Eight nodes and the root end the file; tree R of 2 KiB only has the root.
        let offsets = match length.checked_sub(9 * NODE_BYTES) {
            Some(row) => vec![row + 5, row + NODE_BYTES + 5],
            None => vec![5],
        };
        places.push(place(tree, &path, offsets));
    }
    let siblings = (0..sector_bytes as usize).step_by(8 * NODE_BYTES).collect();
    places.push(place("replica", "sealed", siblings));
    Ok(places)
}

fn damage_at(content: &[u8], offsets: &[usize]) -> Vec<u8> {
    let mut bytes = content.to_vec();
    offsets.iter().for_each(|&offset| bytes[offset] ^= DAMAGED_BIT);
    bytes
}

fn damaged(commitment: &Commitment, offset: usize) -> Commitment {
    let mut bytes = *commitment;
    bytes[offset] ^= DAMAGED_BIT;
    bytes
}

/// Describes how damage was refused.
///
/// # Errors
/// The damage was accepted.
fn refusal(name: &str, result: Result<bool>) -> Result<Value> {
    let reason = match result {
        Ok(true) => anyhow::bail!("{name}: accepted in spite of a wrong byte"),
        Ok(false) => "invalid".to_string(),
        Err(error) => format!("{error:#}"),
    };
    eprintln!("{name} with a wrong byte: refused: {reason}");
    Ok(json!({ "damaged": name, "reason": reason }))
}
