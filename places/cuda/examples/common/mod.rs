// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables of counts, and floors of times from them.

use halimede_cuda::ckks::GpuCounts;

/// Bytes per second, and 32-bit integer operations per second, of an H100 and an H200 (SXM); see
/// `kernels/ckks/README.md`.
const PEAKS: [(f64, f64); 2] = [(3.35e12, 16.7e12), (4.8e12, 16.7e12)];

/// The title of a table.
pub fn heading() -> String {
    format!(
        "{:28}{:>9}{:>11}{:>11}{:>12}{:>12}{:>14}{:>14}{:>10}",
        "operation", "launches", "products", "others", "read", "written", "H100", "H200", "working"
    )
}

/// The line of an operation, with the bytes of the memory between its launches. A floor has an `i`
/// where integer operations bind instead of the memory.
pub fn line(name: &str, counts: &GpuCounts, working: usize) -> String {
    let bytes = (counts.read_bytes + counts.written_bytes) as f64;
    let operations = (counts.multiplications + counts.additions) as f64;
    let floor = |(memory, integers): (f64, f64)| {
        let [by_memory, by_integers] = [bytes / memory, operations / integers];
        let binds = if by_integers > by_memory { " i" } else { "" };
        format!("{:.3} ms{binds}", 1e3 * by_memory.max(by_integers))
    };
    format!(
        "{name:28}{:>9}{:>9.2} G{:>9.2} G{:>9.2} GB{:>9.2} GB{:>14}{:>14}{:>7.2} GB",
        counts.launches,
        counts.multiplications as f64 / 1e9,
        counts.additions as f64 / 1e9,
        counts.read_bytes as f64 / 1e9,
        counts.written_bytes as f64 / 1e9,
        floor(PEAKS[0]),
        floor(PEAKS[1]),
        working as f64 / 1e9,
    )
}
