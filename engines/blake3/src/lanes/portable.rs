// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Portable Rust: one chunk or parent at a time, in general registers. Lanes without vector
//! instructions would only spill: the 16 words of the state and 16 of a block already fill the
//! registers.

use super::alone;
use super::source::Source;
use crate::mode::ModeWords;
use crate::Messages;

/// Computes the digests of the source's messages.
pub(super) fn digests<M: Messages + ?Sized>(mode: &ModeWords, mut source: Source<'_, M>) {
    while let Some(job) = source.next() {
        // SAFETY: the source's jobs are readable and writable while the source exists, and each job
        // is reported as done before the next is taken, so nothing else uses them meanwhile.
        unsafe {
            let data: &[u8] = match job.bytes {
                0 => &[],
                bytes => std::slice::from_raw_parts(job.data, bytes),
            };
            let flags = [job.first_flags, job.last_flags];
            job.output.write(alone::node(mode, data, job.counter, flags));
        }
        source.done(job.node);
    }
}
