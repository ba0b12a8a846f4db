// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many messages side by side. Each lane of a register works on one chunk, or on one parent node,
//! of some message, block by block, and takes the next one as soon as it is done.
//!
//! - [`vector`]: a register of lanes and its operations beyond [`halimede_arith::arx`]; implemented
//!   by `avx512` (its rounds in `avx512_rounds`), `avx2`, `sse41` and `neon`.
//! - [`rounds`]: the compression function on such registers.
//! - [`state`]: the state of every lane, and a step of all lanes; [`equal`]: the same for messages
//!   of equally many blocks at the beginning of a batch.
//! - [`source`]: selects the next chunk or parent; [`trees`]: messages of several chunks.
//! - [`alone`]: the last busy lanes, and single messages; [`portable`]: all messages without lanes.

// Lanes are unused without vector instructions.
#![cfg_attr(
    any(feature = "pure", not(any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(dead_code, unused_imports)
)]

mod alone;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512_rounds;
mod equal;
mod job;
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(feature = "pure")))]
mod neon;
mod portable;
mod rounds;
mod source;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod sse41;
mod state;
mod trees;
mod vector;

pub(crate) use alone::short_message;

use std::ops::Range;

use halimede_arith::EngineBackend;

use crate::choice::Long;
use crate::mode::ModeWords;
use crate::{Digest, HashBackend, Messages, Mode};
use equal::Equal;
use source::{Source, Stream};
use state::Lanes;
use vector::Vector;

/// The most registers that are processed at once.
const MOST_GROUPS: usize = 2;
/// Up to this number of busy lanes, processing them sequentially in general registers is faster:
/// one step of all lanes takes as long as two blocks there.
const FEW_LANES: u32 = 2;
/// The most lanes of any backend.
const MOST_LANES: usize = 32;

/// Computes the digests of a range of the messages with an available backend. The crate hashes the
/// messages that [`Long`] selects.
///
/// # Panics
/// If the number of digests is not the number of messages, or the backend is not available.
pub(crate) fn digests<M: Messages + ?Sized>(
    (backend, long): (HashBackend, Long),
    (mode, words): (&Mode, &ModeWords),
    messages: &M,
    range: Range<usize>,
    digests: &mut [Digest],
) {
    assert!(backend.is_available(), "the backend {backend} is not available");
    let stream = Stream { mode, long };
    let source = Source::new(messages, range, digests, stream);
    let mode = words;
    match backend {
        // SAFETY: the backend is available, here and below.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        HashBackend::Avx512 => unsafe { avx512::digests(InLanes { mode, source }) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        HashBackend::Avx2 => unsafe { avx2::digests(InLanes { mode, source }) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        HashBackend::Sse41 => unsafe { sse41::digests(InLanes { mode, source }) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "aarch64", target_endian = "little", not(feature = "pure")))]
        HashBackend::Neon => unsafe { neon::digests(InLanes { mode, source }) },
        _ => portable::digests(mode, source),
    }
}

/// Work that is generic over the register of lanes.
trait Batch {
    /// Computes all digests.
    fn digests<V: Vector>(self);
}

/// A batch that is hashed in lanes.
struct InLanes<'m, M: ?Sized> {
    mode: &'m ModeWords,
    source: Source<'m, M>,
}

impl<M: Messages + ?Sized> Batch for InLanes<'_, M> {
    #[inline(always)]
    fn digests<V: Vector>(mut self) {
        let mut equal = Equal::new();
        while self.source.take_equal(V::LANES * V::GROUPS, &mut equal) {
            // SAFETY: the source's messages are readable and their digests writable.
            unsafe { equal.digest::<V>(self.mode) };
        }
        let mut tails = [[0; 64]; MOST_LANES];
        let mut lanes = Lanes::<V>::new(self.mode, &mut tails);
        loop {
            while lanes.has_room() {
                let Some(job) = self.source.next() else { break };
                // SAFETY: the source's jobs are readable and writable while the source exists.
                unsafe { lanes.begin(&job) };
            }
            match lanes.busy() {
                0 => return,
                // SAFETY: as above.
                1..=FEW_LANES => unsafe { lanes.finish_alone(|node| self.source.done(node)) },
                // SAFETY: as above.
                _ => unsafe { lanes.step(|node| self.source.done(node)) },
            }
        }
    }
}
