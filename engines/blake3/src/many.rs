// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many messages of any lengths at once.

use std::ops::Range;

use halimede_arith::LaneLevel;
use rayon::prelude::*;

use crate::mode::ModeWords;
use crate::{lanes, Digest, Level, Messages, Mode, BLOCK_BYTES, CHUNK_BYTES, DIGEST_BYTES};

/// A message by itself from as many chunks on fills the lanes better than the crate `blake3`
/// does; below that the crate is as fast or faster. (Measured with AVX-512; with fewer lanes the
/// crate, which uses the best of the processor, is always left the lone message.)
const LONE_MESSAGE_CHUNKS: usize = 32;

/// What a part of a batch should hold at least, in bytes, to be worth a thread's while.
const PART_BYTES: usize = 64 * 1024;

/// A message that is worth several threads, in bytes.
pub(crate) const HUGE_BYTES: usize = 4 << 20;

/// Hashes batches of messages in one mode: any lengths mixed, a message a lane of the processor's
/// registers, as [`Level`] has them.
#[derive(Clone, Debug)]
pub struct HashMany {
    mode: Mode,
    level: Level,
}

impl Default for HashMany {
    fn default() -> Self {
        Self::new(Mode::default())
    }
}

impl HashMany {
    /// For messages in this mode, with the level of [`LaneLevel::active`].
    pub fn new(mode: Mode) -> Self {
        Self { mode, level: Level::active() }
    }

    /// The same with a level; `None` where this processor or this build does not have it.
    pub fn with_level(mode: Mode, level: Level) -> Option<Self> {
        level.is_available().then_some(Self { mode, level })
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The digests of the messages, in their order, on the calling thread.
    pub fn digests(&self, messages: &(impl Messages + ?Sized)) -> Vec<Digest> {
        let mut digests = vec![[0; DIGEST_BYTES]; messages.count()];
        self.digests_of(messages, 0..messages.count(), &mut digests);
        digests
    }

    /// The same into digests that are there, one for each message.
    ///
    /// # Panics
    /// Where there are not as many digests as messages.
    pub fn digests_into(&self, messages: &(impl Messages + ?Sized), digests: &mut [Digest]) {
        assert_eq!(messages.count(), digests.len(), "a digest for each message");
        self.digests_of(messages, 0..messages.count(), digests);
    }

    /// The same as [`Self::digests`] over all cores of the current thread pool.
    pub fn digests_parallel(&self, messages: &(impl Messages + ?Sized)) -> Vec<Digest> {
        let mut digests = vec![[0; DIGEST_BYTES]; messages.count()];
        let mut parts = Vec::new();
        let mut rest = &mut digests[..];
        for part in parts_of(messages, rayon::current_num_threads()) {
            let (own, behind) = rest.split_at_mut(part.len());
            parts.push((part, own));
            rest = behind;
        }
        parts.into_par_iter().for_each(|(part, digests)| {
            match (part.len(), messages.message(part.start)) {
                (1, message) if message.len() >= HUGE_BYTES => {
                    let mut hasher = self.mode.hasher();
                    digests[0] = *hasher.update_rayon(message).finalize().as_bytes();
                }
                _ => self.digests_of(messages, part, digests),
            }
        });
        digests
    }

    /// The digests of a range of the messages.
    fn digests_of(
        &self,
        messages: &(impl Messages + ?Sized),
        range: Range<usize>,
        digests: &mut [Digest],
    ) {
        let words = ModeWords::from(&self.mode);
        let begin = range.start;
        let is_short = |number: usize| messages.message(number).len() <= CHUNK_BYTES;
        match range.len() {
            0 => {}
            1 => digests[0] = self.lone_message(&words, messages.message(begin)),
            2 if is_short(begin) && is_short(begin + 1) => {
                digests[0] = lanes::short_message(&words, messages.message(begin));
                digests[1] = lanes::short_message(&words, messages.message(begin + 1));
            }
            _ => lanes::digests(self.level, (&self.mode, &words), messages, range, digests),
        }
    }

    /// The digest of a message by itself.
    fn lone_message(&self, words: &ModeWords, message: &[u8]) -> Digest {
        if message.len() <= CHUNK_BYTES {
            return lanes::short_message(words, message);
        }
        let fills_lanes = message.len() >= LONE_MESSAGE_CHUNKS * CHUNK_BYTES;
        if fills_lanes && self.level == Level::Avx512 {
            let mut digest = [[0; DIGEST_BYTES]];
            let mode = (&self.mode, words);
            lanes::digests(self.level, mode, &[message][..], 0..1, &mut digest);
            return digest[0];
        }
        self.mode.digest(message)
    }
}

/// Cuts the messages into ranges of about the same work, several for each thread so that one which
/// is late has less left; a message of [`HUGE_BYTES`] is one by itself.
fn parts_of(messages: &(impl Messages + ?Sized), threads: usize) -> Vec<Range<usize>> {
    // A message of no bytes is a block as well.
    let work = |number: usize| messages.message(number).len().max(BLOCK_BYTES);
    let is_huge = |number: usize| messages.message(number).len() >= HUGE_BYTES;
    let count = messages.count();
    let total: usize = (0..count).filter(|number| !is_huge(*number)).map(work).sum();
    let part_bytes = (total / (4 * threads.max(1))).max(PART_BYTES);
    let mut parts = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for number in 0..count {
        if is_huge(number) {
            parts.push(begin..number);
            parts.push(number..number + 1);
            (begin, bytes) = (number + 1, 0);
            continue;
        }
        bytes += work(number);
        if bytes >= part_bytes {
            parts.push(begin..number + 1);
            (begin, bytes) = (number + 1, 0);
        }
    }
    parts.push(begin..count);
    parts.retain(|part| !part.is_empty());
    parts
}
