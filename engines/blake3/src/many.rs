// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashing of many messages of any lengths at once.

use std::ops::Range;

use halimede_arith::{EngineBackend, Processor};
use rayon::prelude::*;

use crate::choice::Choice;
use crate::mode::ModeWords;
use crate::{lanes, Digest, HashBackend, Messages, Mode, BLOCK_BYTES, CHUNK_BYTES, DIGEST_BYTES};

/// The length in chunks from which a single message fills the lanes better than the crate `blake3`
/// does; shorter messages are as fast or faster with the crate. Measured with AVX-512; with fewer
/// lanes, single messages are always left to the crate, which uses the best backend of the
/// processor.
const LONE_MESSAGE_CHUNKS: usize = 32;

/// The least size in bytes of a part of a batch that is worth a thread.
const PART_BYTES: usize = 64 * 1024;

/// The size in bytes from which a message is worth several threads.
pub(crate) const HUGE_BYTES: usize = 4 << 20;

/// Hashes batches of messages in one mode. Lengths may be mixed; each lane of the processor's
/// registers hashes one message, see [`HashBackend`].
#[derive(Clone, Debug)]
pub struct HashMany {
    mode: Mode,
    backend: HashBackend,
    choice: Choice,
}

impl Default for HashMany {
    fn default() -> Self {
        Self::new(Mode::default())
    }
}

impl HashMany {
    /// Creates a hasher for messages in this mode, with the backend of [`EngineBackend::active`].
    pub fn new(mode: Mode) -> Self {
        Self::on(mode, HashBackend::active())
    }

    fn on(mode: Mode, backend: HashBackend) -> Self {
        Self { mode, backend, choice: Choice::of(&Processor::here(), backend) }
    }

    /// Creates a hasher with a given backend; `None` if this processor or build does not have it.
    pub fn with_backend(mode: Mode, backend: HashBackend) -> Option<Self> {
        backend.is_available().then(|| Self::on(mode, backend))
    }

    /// The backend.
    pub fn backend(&self) -> HashBackend {
        self.backend
    }

    /// Returns the digests of the messages, in order, computed on the calling thread.
    pub fn digests(&self, messages: &(impl Messages + ?Sized)) -> Vec<Digest> {
        let mut digests = vec![[0; DIGEST_BYTES]; messages.count()];
        self.digests_of(messages, 0..messages.count(), &mut digests);
        digests
    }

    /// Writes the digests of the messages to `digests`, one for each message.
    ///
    /// # Panics
    /// If the number of digests is not the number of messages.
    pub fn digests_into(&self, messages: &(impl Messages + ?Sized), digests: &mut [Digest]) {
        assert_eq!(messages.count(), digests.len(), "a digest for each message");
        self.digests_of(messages, 0..messages.count(), digests);
    }

    /// As [`Self::digests`], over all cores of the current thread pool.
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

    /// Computes the digests of a range of the messages.
    fn digests_of(
        &self,
        messages: &(impl Messages + ?Sized),
        range: Range<usize>,
        digests: &mut [Digest],
    ) {
        let longest = || range.clone().map(|number| messages.message(number).len()).max();
        if self.choice.gives_all_to_the_crate(self.backend, range.len(), || longest().unwrap_or(0))
        {
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
                lanes::digests((self.backend, self.choice.long), mode, messages, range, digests);
            }
        }
    }

    /// Returns the digest of a single message.
    fn lone_message(&self, words: &ModeWords, message: &[u8]) -> Digest {
        if message.len() <= CHUNK_BYTES {
            return lanes::short_message(words, message);
        }
        let fills_lanes = message.len() >= LONE_MESSAGE_CHUNKS * CHUNK_BYTES;
        if fills_lanes && self.backend == HashBackend::Avx512 {
            let mut digest = [[0; DIGEST_BYTES]];
            let mode = (&self.mode, words);
            lanes::digests(
                (self.backend, self.choice.long),
                mode,
                &[message][..],
                0..1,
                &mut digest,
            );
            return digest[0];
        }
        self.mode.digest(message)
    }
}

/// Splits the messages into ranges of about equal work, several per thread to balance the load; a
/// message of at least [`HUGE_BYTES`] is a range by itself.
fn parts_of(messages: &(impl Messages + ?Sized), threads: usize) -> Vec<Range<usize>> {
    // An empty message also takes one block.
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

    /// Batches of few messages, with lengths at which the choice changes.
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
                    for backend in HashBackend::available() {
                        let choice = Choice::of(processor, backend);
                        let many = HashMany { mode: mode.clone(), backend, choice };
                        let case = format!("{lengths:?}, {mode:?}, {backend}, {processor:?}");
                        assert_eq!(many.digests(&messages[..]), expected, "{case}");
                        assert_eq!(many.digests_parallel(&messages[..]), expected, "{case}");
                    }
                }
            }
        }
    }
}
