// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase by halimede-filecoin and by filecoin-proofs, in turns over the same files.

use std::fs::remove_file;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use filecoin_proofs::MerkleTreeTrait;
use halimede_filecoin::{Geometry, Sector, StoreConfig};
use serde_json::{json, Map, Value};

use crate::streams::{digests, timed, Seconds, Streams};
use crate::{cache_files, ours};

/// Runs both sides in each round, ours first in every other round. Ours never reads what the peer
/// wrote: the outputs are removed and the data written again before each run.
///
/// # Errors
/// The files of the two sides differ.
pub fn compare<Tree: 'static + MerkleTreeTrait>(
    sector_bytes: u64,
    layers: usize,
    rounds: u64,
) -> Result<Value> {
    let streams = Streams::make(sector_bytes, layers)?;
    let mut times = [Vec::new(), Vec::new()];
    let mut vector = Value::Null;
    for round in 0..rounds {
        let mut outputs: [Map<String, Value>; 2] = Default::default();
        for turn in 0..2 {
            let side = (turn + round as usize) % 2;
            clean()?;
            streams.restore_data()?;
            let (comm_r, seconds) = match side {
                0 => timed(|| run_ours(&streams))?,
                _ => timed(|| streams.run_peer::<Tree>())?,
            };
            let Seconds { elapsed, processor } = seconds;
            let name = ["halimede-filecoin", "filecoin-proofs"][side];
            eprintln!("{name}: {elapsed:.2} s, {processor:.2} s of processor time");
            outputs[side] = digests()?;
            if side == 1 {
                vector = streams.vector(&comm_r)?;
            }
            times[side].push(seconds);
        }
        for (name, digest) in &outputs[1] {
            ensure!(outputs[0].get(name) == Some(digest), "{name} differs");
        }
    }
    let median = |side: usize, time: fn(&Seconds) -> f64| {
        let mut values: Vec<f64> = times[side].iter().map(time).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().context("no round")
    };
    let both = |time: fn(&Seconds) -> f64| -> Result<Value> {
        let (ours, peer) = (median(0, time)?, median(1, time)?);
        Ok(json!({ "ours": ours, "peer": peer, "ratio": peer / ours }))
    };
    Ok(json!({
        "rounds": rounds, "seconds": both(|time| time.elapsed)?,
        "processor_seconds": both(|time| time.processor)?, "vector": vector,
    }))
}

/// Removes the outputs of a run.
fn clean() -> Result<()> {
    for name in cache_files(&["tree-d", "layer"])? {
        remove_file(Path::new("cache").join(name))?;
    }
    Ok(())
}

fn run_ours(streams: &Streams) -> Result<[u8; 32]> {
    let geometry = Geometry::of_bytes(streams.sector_bytes).context("no such sector")?;
    let geometry = geometry.with_layers(streams.layers).context("2 or 11 layers")?;
    let labels = (1..=streams.layers).map(|layer| StoreConfig {
        path: "cache".into(),
        id: format!("layer-{layer}"),
        size: Some(geometry.nodes()),
        rows_to_discard: 0,
    });
    let sector = Sector { geometry, labels: labels.collect(), comm_d: streams.comm_d };
    Ok(ours::run(sector)?.commitments.comm_r)
}
