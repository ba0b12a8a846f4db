// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures the second phase over a sector of pseudo-random layers and data, which it makes like
//! engines/filecoin/peer: `seal_streams BYTES LAYERS FOLDER`. The folder must be new. Prints the
//! seconds, comm_r, and with a fourth argument the SHA-256 of every output.

#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::fs::{create_dir, read, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_filecoin::{Geometry, Job, Sector, StoreConfig};
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;
use sha2::{Digest, Sha256};

/// The processor, as a device.
struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [bytes, layers, folder, rest @ ..] = &words[..] else {
        return Err("usage: seal_streams BYTES LAYERS FOLDER [digests]".into());
    };
    let geometry = bytes.parse().ok().and_then(Geometry::of_bytes).ok_or("no such sector")?;
    let geometry = geometry.with_layers(layers.parse()?).ok_or("2 or 11 layers")?;
    let folder = Path::new(folder);
    create_dir(folder)?;
    let (cache, sealed) = (folder.join("cache"), folder.join("sealed"));
    create_dir(&cache)?;
    let sector = make(geometry, &cache, &sealed)?;
    let job = Job { device: &Processor, sector, cache: cache.clone(), sealed: sealed.clone() };
    let before = processor_seconds()?;
    let outcome = job.run(&mut |_| true)?;
    println!("{:.2} s of processor time", processor_seconds()? - before);
    let (tree_c, replica) = (outcome.tree_c_time, outcome.replica_time);
    println!(
        "tree C {:.2} s, replica and tree R {:.2} s",
        tree_c.as_secs_f64(),
        replica.as_secs_f64()
    );
    println!("comm_r {}", hex::encode(outcome.commitments.comm_r));
    if !rest.is_empty() {
        let mut paths = vec![sealed];
        for entry in cache.read_dir()? {
            paths.push(entry?.path());
        }
        for path in paths {
            println!("{}  {}", hex::encode(Sha256::digest(read(&path)?)), path.display());
        }
    }
    Ok(())
}

/// The time of all threads of this process (Linux: hundredths of a second), which other programs on
/// the machine change little.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = text.rsplit_once(')').ok_or("no fields")?;
    let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks = times.sum::<Result<u64, _>>()?;
    Ok(ticks as f64 / 100.0)
}

/// Writes layers, tree D and data.
fn make(geometry: Geometry, cache: &Path, sealed: &Path) -> Result<Sector, Box<dyn Error>> {
    let bytes = geometry.sector_bytes();
    let mut labels = Vec::new();
    for layer in 1..=geometry.layers() {
        let id = format!("layer-{layer}");
        write_stream(&cache.join(format!("sc-02-data-{id}.dat")), bytes, &id)?;
        let size = Some(geometry.nodes());
        labels.push(StoreConfig { path: "cache".into(), id, size, rows_to_discard: 0 });
    }
    write_stream(sealed, bytes, "data")?;
    let mut tree_d = BufWriter::new(File::create(cache.join("sc-02-data-tree-d.dat"))?);
    let mut row = Vec::new();
    let mut data = BufReader::with_capacity(1 << 20, File::open(sealed)?);
    let mut pair = [0; 64];
    while data.read_exact(&mut pair).is_ok() {
        tree_d.write_all(&pair)?;
        row.push(parent(&pair));
    }
    let root = loop {
        tree_d.write_all(row.as_flattened())?;
        match row[..] {
            [root] => break root,
            _ => row = row.as_flattened().as_chunks().0.iter().map(parent).collect(),
        }
    };
    tree_d.flush()?;
    Ok(Sector { geometry, labels, comm_d: root })
}

/// A node of tree D: SHA-256 without the top two bits.
fn parent(pair: &[u8; 64]) -> [u8; 32] {
    let mut node: [u8; 32] = Sha256::digest(pair).into();
    node[31] &= 0x3f;
    node
}

/// Writes elements below 2²⁵⁴ that depend on the size of the sector and on a name.
fn write_stream(path: &Path, sector_bytes: u64, name: &str) -> Result<(), Box<dyn Error>> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("halimede filecoin {sector_bytes} {name}").as_bytes());
    let mut stream = hasher.finalize_xof();
    let mut file = File::create(path)?;
    let mut block = vec![0; sector_bytes.min(1 << 20) as usize];
    for _ in 0..sector_bytes / block.len() as u64 {
        stream.fill(&mut block);
        block.chunks_exact_mut(32).for_each(|node| node[31] &= 0x3f);
        file.write_all(&block)?;
    }
    Ok(())
}
