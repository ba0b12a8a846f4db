// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Makes the vectors of halimede-filecoin with filecoin-proofs, and proves sectors that
//! halimede-filecoin sealed; see ../vectors/README.md.
//!
//! `real NUMBER FOLDER` seals a sector of the seal proof with this number: both phases.
//! `stream BYTES LAYERS FOLDER` runs the second phase over layers and data from BLAKE3 streams.
//! `compare BYTES LAYERS ROUNDS FOLDER` runs it by halimede-filecoin as well, in turns.
//! `prove NUMBER FOLDER` seals a sector with the second phase of halimede-filecoin, proves and
//! verifies it (see [`prove`]).
//!
//! All print a line of JSON. The working folder becomes FOLDER, and the cache folder is `cache` in
//! it, so that no path of this machine is in a vector.

mod compare;
mod ours;
mod parameters;
mod prove;
mod streams;

use std::fs::{create_dir_all, read, File};
use std::path::Path;

use anyhow::Result;
use filecoin_proofs::with_shape;
use filecoin_proofs_api::seal::{
    add_piece, seal_pre_commit_phase1, seal_pre_commit_phase2 as seal,
    SealPreCommitPhase1Output as Phase1,
};
use filecoin_proofs_api::{
    PieceInfo, ProverId, RegisteredSealProof, SectorId, Ticket, UnpaddedBytesAmount,
};
use serde_json::{json, Map, Value};

use crate::compare::compare;
use crate::streams::stream;

const NODE_BYTES: usize = 32;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let (numbers, folder) = match &words[..] {
        ["real" | "prove", number, folder] => (vec![*number], folder),
        ["stream", bytes, layers, folder] => (vec![*bytes, *layers], folder),
        ["compare", bytes, layers, rounds, folder] => (vec![*bytes, *layers, *rounds], folder),
        _ => anyhow::bail!(
            "usage: real NUMBER FOLDER | stream BYTES LAYERS FOLDER | \
             compare BYTES LAYERS ROUNDS FOLDER | prove NUMBER FOLDER"
        ),
    };
    create_dir_all(Path::new(folder).join("cache"))?;
    std::env::set_current_dir(folder)?;
    let numbers = numbers.into_iter().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let line = match numbers[..] {
        [bytes, layers] => with_shape!(bytes, stream, bytes, layers as usize)?,
        [bytes, layers, rounds] => with_shape!(bytes, compare, bytes, layers as usize, rounds)?,
        _ if words[0] == "prove" => prove::prove(numbers[0])?,
        _ => real(numbers[0])?,
    };
    println!("{line}");
    Ok(())
}

/// Returns pseudo-random bytes that depend on the size of the sector and on a name.
fn stream_bytes(sector_bytes: u64, name: &str, length: usize) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("halimede filecoin {sector_bytes} {name}").as_bytes());
    let mut bytes = vec![0; length];
    hasher.finalize_xof().fill(&mut bytes);
    bytes
}

/// The inputs of a sealed sector.
struct Staged {
    proof: RegisteredSealProof,
    prover: ProverId,
    sector: SectorId,
    ticket: Ticket,
    piece: PieceInfo,
}

/// Runs the first phase over pseudo-random data.
fn first_phase(number: u64) -> Result<(Staged, Phase1)> {
    let proof = proof_of(number)?;
    let sector_bytes = u64::from(proof.sector_size());
    let piece_bytes = sector_bytes / 128 * 127;
    let piece = stream_bytes(sector_bytes, "piece", piece_bytes as usize);
    let file = File::options().read(true).write(true).create(true).truncate(true).open("staged")?;
    let (piece, _) = add_piece(proof, &piece[..], file, UnpaddedBytesAmount(piece_bytes), &[])?;
    File::create("sealed")?;
    let (prover, ticket) = ([number as u8 + 1; 32], [7; 32]);
    let sector = (number + 1000).into();
    let pieces = [piece.clone()];
    let phase1 = seal_pre_commit_phase1(
        proof, "cache", "staged", "sealed", prover, sector, ticket, &pieces,
    )?;
    Ok((Staged { proof, prover, sector, ticket, piece }, phase1))
}

fn real(number: u64) -> Result<Value> {
    let (Staged { proof, .. }, phase1) = first_phase(number)?;
    let phase1_json = serde_json::to_value(&phase1)?;
    let output = seal(phase1, "cache", "sealed")?;
    let mut line = json!({
        "proof": proof_name(proof), "number": number, "phase1": phase1_json,
        "comm_r": hex(&output.comm_r), "data": hex(&read("staged")?),
        "sealed": hex(&read("sealed")?),
    });
    let mut files = Map::new();
    for path in cache_files(&["tree-d"])? {
        files.insert(path.clone(), hex(&read(Path::new("cache").join(&path))?).into());
    }
    line["files"] = files.into();
    Ok(line)
}

fn proof_of(number: u64) -> Result<RegisteredSealProof> {
    use RegisteredSealProof::*;
    Ok(match number {
        0 => StackedDrg2KiBV1,
        5 => StackedDrg2KiBV1_1,
        10 => StackedDrg2KiBV1_1_Feat_SyntheticPoRep,
        15 => StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
        6 => StackedDrg8MiBV1_1,
        _ => anyhow::bail!("0, 5, 6, 10 or 15"),
    })
}

fn proof_name(proof: RegisteredSealProof) -> Value {
    serde_json::to_value(proof).unwrap_or_default()
}

/// Returns the names of the files of the cache folder, without those that contain a word.
fn cache_files(without: &[&str]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir("cache")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !without.iter().any(|word| name.contains(word)) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
