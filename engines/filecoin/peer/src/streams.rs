// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase over layers and data from BLAKE3 streams.

use std::fs::{read, write, File};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{ensure, Context, Result};
use filecoin_proofs::{
    seal_pre_commit_phase2, Labels, MerkleTreeTrait, PoRepConfig, SealPreCommitPhase1Output,
    StoreConfig, LAYERS,
};
use filecoin_proofs_api::ApiVersion;
use serde_json::{json, Map, Value};
use sha2::{Digest, Sha256};

use crate::{cache_files, hex, stream_bytes, NODE_BYTES};

/// The inputs of a second phase, in the working folder.
pub struct Streams {
    pub sector_bytes: u64,
    pub layers: usize,
    pub comm_d: [u8; 32],
}

/// The times of a run in seconds: from file to file, and of the processor.
pub struct Seconds {
    pub elapsed: f64,
    pub processor: f64,
}

/// Measures a run.
pub fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, Seconds)> {
    let (start, before) = (Instant::now(), processor_seconds()?);
    let value = run()?;
    let processor = processor_seconds()? - before;
    Ok((value, Seconds { elapsed: start.elapsed().as_secs_f64(), processor }))
}

impl Streams {
    /// Writes layers, tree D and data.
    pub fn make(sector_bytes: u64, layers: usize) -> Result<Self> {
        let length = sector_bytes as usize;
        LAYERS.write().ok().context("layers")?.insert(sector_bytes, layers);
        for layer in 1..=layers {
            let labels = elements(sector_bytes, &format!("layer-{layer}"), length);
            write(format!("cache/sc-02-data-layer-{layer}.dat"), labels)?;
        }
        let data = elements(sector_bytes, "data", length);
        write("sealed", &data)?;
        Ok(Self { sector_bytes, layers, comm_d: write_tree_d(&data)? })
    }

    /// Writes the data over a replica.
    pub fn restore_data(&self) -> Result<()> {
        Ok(write("sealed", elements(self.sector_bytes, "data", self.sector_bytes as usize))?)
    }

    /// The number of nodes of a layer.
    pub fn nodes(&self) -> usize {
        self.sector_bytes as usize / NODE_BYTES
    }

    /// Runs the second phase of filecoin-proofs; returns comm_r.
    pub fn run_peer<Tree: 'static + MerkleTreeTrait>(&self) -> Result<[u8; 32]> {
        let store = |id: &str, size| StoreConfig {
            path: "cache".into(),
            id: id.into(),
            size: Some(size),
            rows_to_discard: 0,
        };
        let layers = 1..=self.layers;
        let labels = layers.map(|layer| store(&format!("layer-{layer}"), self.nodes())).collect();
        let phase1 = SealPreCommitPhase1Output::<Tree> {
            labels: Labels::new(labels),
            config: store("tree-d", 2 * self.nodes() - 1),
            comm_d: self.comm_d,
        };
        let config = PoRepConfig::new_groth16(self.sector_bytes, [0; 32], ApiVersion::V1_1_0);
        Ok(seal_pre_commit_phase2(&config, phase1, "cache", "sealed")?.comm_r)
    }

    /// An element of the vectors: the digests of all outputs in the working folder.
    pub fn vector(&self, comm_r: &[u8; 32]) -> Result<Value> {
        Ok(json!({
            "sector_bytes": self.sector_bytes, "layers": self.layers,
            "comm_d": hex(&self.comm_d), "comm_r": hex(comm_r), "sha256": digests()?,
        }))
    }
}

pub fn stream<Tree: 'static + MerkleTreeTrait>(sector_bytes: u64, layers: usize) -> Result<Value> {
    let streams = Streams::make(sector_bytes, layers)?;
    let (comm_r, Seconds { elapsed, processor }) = timed(|| streams.run_peer::<Tree>())?;
    eprintln!(
        "{sector_bytes} bytes: phase 2 took {elapsed:.2} s, {processor:.2} s of processor time"
    );
    streams.vector(&comm_r)
}

/// The SHA-256 of every output, by name.
pub fn digests() -> Result<Map<String, Value>> {
    let mut files = Map::new();
    for name in cache_files(&["tree-d", "layer"])? {
        let bytes = read(Path::new("cache").join(&name))?;
        files.insert(name, hex(&Sha256::digest(&bytes)).into());
    }
    files.insert("sealed".into(), hex(&Sha256::digest(read("sealed")?)).into());
    Ok(files)
}

/// The time of all threads of this process (Linux: hundredths of a second).
fn processor_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = text.rsplit_once(')').context("/proc/self/stat has no fields")?;
    let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(times.sum::<Result<u64, _>>()? as f64 / 100.0)
}

/// Returns elements below 2^254.
fn elements(sector_bytes: u64, name: &str, length: usize) -> Vec<u8> {
    let mut bytes = stream_bytes(sector_bytes, name, length);
    bytes.chunks_exact_mut(NODE_BYTES).for_each(|node| node[NODE_BYTES - 1] &= 0x3f);
    bytes
}

/// Writes the binary tree of SHA-256, whose nodes lack their top two bits; returns its root.
fn write_tree_d(data: &[u8]) -> Result<[u8; 32]> {
    let mut file = File::create("cache/sc-02-data-tree-d.dat")?;
    let mut row = data.to_vec();
    loop {
        file.write_all(&row)?;
        if row.len() == NODE_BYTES {
            return Ok(row[..].try_into()?);
        }
        let parents = row.chunks_exact(2 * NODE_BYTES).flat_map(|pair| {
            let mut node: [u8; 32] = Sha256::digest(pair).into();
            node[31] &= 0x3f;
            node
        });
        row = parents.collect();
        ensure!(row.len().is_multiple_of(NODE_BYTES), "a row of {} bytes", row.len());
    }
}
