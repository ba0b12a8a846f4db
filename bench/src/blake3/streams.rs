// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams, which the crate `blake3` hashes, in the sizes of the table of a published FPGA design.
//!
//! The published times are from a design in SYCL on an Arria 10 GX (the table in the README of
//! github.com/itzmeanjan/blake3-fpga): the kernel, and end to end with both transfers.

use std::hint::black_box;

use halimede_blake3::blake3::Hasher;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::report::{json_lines, BenchReport};
use crate::Settings;

/// The numbers of threads for streams.
const THREADS: [usize; 2] = [1, 2];

/// A row of the published table, in microseconds.
struct Published {
    mib: usize,
    kernel_us: f64,
    to_device_us: f64,
    from_device_us: f64,
}

/// A row from its size in MiB and its three columns.
const fn row(mib: usize, kernel_us: f64, to_device_us: f64, from_device_us: f64) -> Published {
    Published { mib, kernel_us, to_device_us, from_device_us }
}

const PUBLISHED: [Published; 6] = [
    row(1, 138.487, 421.993, 61.493),
    row(4, 496.057, 1_091.515, 84.756),
    row(16, 1_941.844, 3_048.934, 63.686),
    row(64, 7_703.389, 12_999.837, 82.688),
    row(256, 31_177.414, 44_916.047, 84.805),
    row(1024, 122_169.668, 170_085.517, 90.151),
];

/// One size on some threads.
#[derive(Clone, Debug, Serialize)]
pub struct StreamRecord {
    /// The engine and the operation.
    pub bench: &'static str,
    /// The name of the case, e.g. `stream 64 MiB`.
    pub case: String,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of threads.
    pub threads: usize,
    /// Median of the crate, in milliseconds.
    pub ours_ms: f64,
    /// The same as a rate, in 10⁹ bytes a second.
    pub ours_gb_s: f64,
    /// The rate at which these threads read and sum the same buffer: the machine's roof.
    pub read_gb_s: f64,
    /// The published kernel, in milliseconds.
    pub published_kernel_ms: f64,
    /// The published end-to-end time, including both transfers, in milliseconds.
    pub published_end_to_end_ms: f64,
}

/// Measures the sizes whose names contain `only`, possibly none.
///
/// # Errors
/// If a thread pool cannot be made, or if one thread and several give different digests.
pub fn measure(settings: &Settings, only: &str) -> Result<Vec<StreamRecord>, String> {
    let name = |published: &Published| format!("stream {} MiB", published.mib);
    let asked: Vec<&Published> =
        PUBLISHED.iter().filter(|published| name(published).contains(only)).collect();
    let most = asked.iter().map(|published| published.mib << 20).max().unwrap_or(0);
    let mut bytes = vec![0; most];
    ChaCha8Rng::seed_from_u64(most as u64).fill_bytes(&mut bytes);
    let mut records = Vec::new();
    for published in asked {
        let message = &bytes[..published.mib << 20];
        check(message)?;
        for threads in THREADS {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| format!("no pool of {threads} threads: {error}"))?;
            eprintln!("measuring {} on {threads} threads", name(published));
            let hash_ns = pool.install(|| settings.time_ns(|| hash(black_box(message), threads)));
            let read_ns = pool.install(|| settings.time_ns(|| read(black_box(message), threads)));
            let transfers_us = published.to_device_us + published.from_device_us;
            records.push(StreamRecord {
                bench: "blake3-stream",
                case: name(published),
                bytes: message.len(),
                threads,
                ours_ms: hash_ns / 1e6,
                ours_gb_s: message.len() as f64 / hash_ns,
                read_gb_s: message.len() as f64 / read_ns,
                published_kernel_ms: published.kernel_us / 1e3,
                published_end_to_end_ms: (published.kernel_us + transfers_us) / 1e3,
            });
        }
    }
    Ok(records)
}

fn check(message: &[u8]) -> Result<(), String> {
    let one = Hasher::new().update(message).finalize();
    if one == Hasher::new().update_rayon(message).finalize() {
        Ok(())
    } else {
        Err(format!("{} bytes: one thread and several differ", message.len()))
    }
}

fn hash(message: &[u8], threads: usize) {
    let mut hasher = Hasher::new();
    if threads == 1 {
        hasher.update(message);
    } else {
        hasher.update_rayon(message);
    }
    black_box(hasher.finalize());
}

fn read(bytes: &[u8], threads: usize) {
    let part = bytes.len().div_ceil(4 * threads).next_multiple_of(64);
    black_box(bytes.par_chunks(part).map(sum).reduce(|| 0, u64::wrapping_add));
}

/// Sums the words of a buffer: eight independent sums, to hide the latency of additions.
fn sum(bytes: &[u8]) -> u64 {
    let mut sums = [0u64; 8];
    for words in bytes.chunks_exact(64) {
        for (sum, word) in sums.iter_mut().zip(words.chunks_exact(8)) {
            let mut eight = [0; 8];
            eight.copy_from_slice(word);
            *sum = sum.wrapping_add(u64::from_ne_bytes(eight));
        }
    }
    sums.into_iter().fold(0, u64::wrapping_add)
}

/// The report of these records.
///
/// # Errors
/// If a record cannot be serialized.
pub fn report(records: &[StreamRecord]) -> Result<BenchReport, String> {
    let titles = ["case", "threads", "ms", "GB/s", "read GB/s", "kernel ms", "end to end ms"];
    let row = |record: &StreamRecord| {
        vec![
            record.case.clone(),
            record.threads.to_string(),
            format!("{:.3}", record.ours_ms),
            format!("{:.2}", record.ours_gb_s),
            format!("{:.2}", record.read_gb_s),
            format!("{:.3}", record.published_kernel_ms),
            format!("{:.3}", record.published_end_to_end_ms),
        ]
    };
    Ok(BenchReport {
        name: "blake3-streams",
        caption: "Streams on the processor, medians, and the published FPGA (SYCL, Arria 10 GX)."
            .to_owned(),
        columns: titles.map(str::to_owned).to_vec(),
        rows: records.iter().map(row).collect(),
        notes: Vec::new(),
        json: json_lines(records)?,
    })
}
