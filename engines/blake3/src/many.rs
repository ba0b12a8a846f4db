// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many messages of any lengths at once.

use std::ops::Range;

use halimede_arith::{LaneLevel, Processor};
use rayon::prelude::*;

use crate::choice::Choice;
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
    choice: Choice,
}

impl Default for HashMany {
    fn default() -> Self {
        Self::new(Mode::default())
    }
}

impl HashMany {
    /// For messages in this mode, with the level of [`LaneLevel::active`].
    pub fn new(mode: Mode) -> Self {
        Self::on(mode, Level::active())
    }

    fn on(mode: Mode, level: Level) -> Self {
        Self { mode, level, choice: Choice::of(&Processor::here(), level) }
    }

    /// The same with a level; `None` where this processor or this build does not have it.
    pub fn with_level(mode: Mode, level: Level) -> Option<Self> {
        level.is_available().then(|| Self::on(mode, level))
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
        let longest = || range.clone().map(|number| messages.message(number).len()).max();
        if self.choice.gives_all_to_the_crate(self.level, range.len(), || longest().unwrap_or(0)) {
            let messages = range.map(|number| messages.message(number));
            self.mode.digests_one_by_one(messages, digests);
            return;
        }
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
            _ => {
                let mode = (&self.mode, &words);
                lanes::digests((self.level, self.choice.long), mode, messages, range, digests);
            }
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
            lanes::digests((self.level, self.choice.long), mode, &[message][..], 0..1, &mut digest);
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

#[cfg(test)]
mod tests {
    use halimede_arith::processor::known;

    use super::*;

    /// Batches of few messages and of lengths at which a choice changes.
    const BATCHES: [&[usize]; 12] = [
        &[0],
        &[1024],
        &[64, 1023],
        &[1025, 3],
        &[128, 0, 65],
        &[129, 128, 1],
        &[0, 0, 0, 0],
        &[0, 1, 0, 64],
        &[1025, 2047, 2048, 2049, 3072],
        &[4095, 4096, 4352, 4353, 7168, 7169, 16_384],
        &[5, 8192, 640, 2560, 77, 1536, 12_288, 999, 64],
        &[31_744, 32_768, 1],
    ];

    #[test]
    fn the_choices_of_every_processor_give_the_same_digests() {
        let modes =
            [Mode::Hash, Mode::Keyed(*b"a key of thirty-two bytes, 0..31"), Mode::derive_key("c")];
        // An interpreter takes seconds for a long message.
        let (batches, processors, longest) = match cfg!(miri) {
            true => (&BATCHES[..5], &[known::ZEN_5, known::OLDEST][..], 2_000),
            false => (&BATCHES[..], &known::ALL_OF_THEM[..], 40_000),
        };
        for (batch, lengths) in batches.iter().enumerate() {
            let byte = |place: usize| ((place * 7 + batch * 13) % 251) as u8;
            let text: Vec<u8> = (0..longest).map(byte).collect();
            let messages: Vec<&[u8]> = lengths
                .iter()
                .enumerate()
                .map(|(number, length)| &text[3 * number..3 * number + length])
                .collect();
            for mode in &modes {
                let expected: Vec<Digest> =
                    messages.iter().map(|message| mode.digest(message)).collect();
                for processor in processors {
                    for level in Level::available() {
                        let choice = Choice::of(processor, level);
                        let many = HashMany { mode: mode.clone(), level, choice };
                        let case = format!("{lengths:?}, {mode:?}, {level}, {processor:?}");
                        assert_eq!(many.digests(&messages[..]), expected, "{case}");
                        assert_eq!(many.digests_parallel(&messages[..]), expected, "{case}");
                    }
                }
            }
        }
    }
}
