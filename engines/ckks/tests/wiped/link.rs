// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Searches the data that went over a link for patterns of secrets.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashSet;

/// Returns the 16-byte pieces of bytes, at all multiples of 4.
pub fn pieces(bytes: &[u8]) -> HashSet<&[u8]> {
    bytes.windows(16).step_by(4).collect()
}

/// Returns the longest run of pieces that are among others, in bytes. Only pieces with at least
/// `telling` bytes other than 0 and 1 count.
pub fn longest_run(bytes: &[u8], telling: usize, among: &HashSet<&[u8]>) -> usize {
    let is_telling = |piece: &[u8]| {
        piece.iter().filter(|byte| **byte > 1).count() >= telling && among.contains(piece)
    };
    let mut longest = 0;
    let mut run = 0;
    for piece in bytes.chunks_exact(16) {
        run = if is_telling(piece) { run + 16 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
