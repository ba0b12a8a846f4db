// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which messages are hashed in lanes, which in general registers, and which by the crate `blake3`,
//! chosen by what is faster on a processor. The digests are the same.

use halimede_arith::{Backend, Processor};

use crate::{Level, CHUNK_BYTES};

/// What of a batch is left to the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Whether a message of one chunk goes faster through the crate, which has vectors of four
    /// words for one message, than in general registers. The portable level leaves it all messages
    /// then.
    pub crate_has_vectors: bool,
    /// Messages of several chunks.
    pub long: Long,
}

/// Messages of several chunks that are the work of the crate: it fills its lanes with the chunks of
/// one message, from as many on as it has lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Long {
    /// Bytes from which on whole multiples are the crate's.
    full: usize,
    /// Bytes that a multiple may be longer.
    slack: usize,
    /// Most bytes of what is not.
    most: usize,
}

/// The longest of as many messages, counted from one, in bytes, for the crate to be faster with
/// them, one after the other, than a register of lanes that they do not fill.
const FEW: [usize; 4] = [CHUNK_BYTES, CHUNK_BYTES, 128, 0];

impl Choice {
    /// For a level on a processor.
    pub(crate) fn of(processor: &Processor, level: Level) -> Self {
        let has_vectors = Backend::best_of(processor).includes(Backend::Sse41);
        let crate_has_vectors = has_vectors && !processor.has_slow_vectors();
        // The crate takes the widest that the processor has, whatever the level is.
        let crate_is_wider = crate_has_vectors && processor.instructions.avx512;
        let [full, slack, most] = match level {
            Level::Portable => [2 * CHUNK_BYTES, 0, CHUNK_BYTES],
            Level::Sse41 if crate_is_wider => [2 * CHUNK_BYTES, 0, 2 * CHUNK_BYTES],
            Level::Avx2 if crate_is_wider => [4 * CHUNK_BYTES, CHUNK_BYTES / 4, 7 * CHUNK_BYTES],
            Level::Neon | Level::Sse41 => [4 * CHUNK_BYTES, 0, 3 * CHUNK_BYTES],
            Level::Avx2 => [8 * CHUNK_BYTES, 0, 7 * CHUNK_BYTES],
            Level::Avx512 => [16 * CHUNK_BYTES, 0, 1024 * CHUNK_BYTES],
        };
        Self { crate_has_vectors, long: Long { full, slack, most } }
    }

    /// Whether all messages of a batch are the crate's: as many as `count`, the longest of
    /// `longest` bytes.
    #[inline]
    pub(crate) fn gives_all_to_the_crate(
        &self,
        level: Level,
        count: usize,
        longest: impl FnOnce() -> usize,
    ) -> bool {
        let few = count.checked_sub(1).and_then(|place| FEW.get(place));
        self.crate_has_vectors
            && (level == Level::Portable || few.is_some_and(|most| longest() <= *most))
    }
}

impl Long {
    #[inline(always)]
    pub(crate) fn holds(&self, bytes: usize) -> bool {
        bytes > self.most || bytes >= self.full && bytes % self.full <= self.slack
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::processor::known;
    use halimede_arith::LaneLevel;

    use super::*;

    /// Lengths below this many bytes and a half that are left to the crate, in chunks.
    fn chunks_for_the_crate(processor: &Processor, level: Level) -> Vec<usize> {
        let long = Choice::of(processor, level).long;
        (1..=20).filter(|chunks| long.holds(chunks * CHUNK_BYTES)).collect()
    }

    #[test]
    fn few_messages_are_the_crates_where_it_has_fast_vectors() {
        for processor in known::ALL_OF_THEM {
            let expected =
                processor != known::ZEN_5 && processor != known::OLDEST && processor != known::ARM;
            for level in Level::ALL {
                let choice = Choice::of(&processor, *level);
                assert_eq!(choice.crate_has_vectors, expected, "{processor:?}");
                for (count, longest, are_few) in [
                    (0, 0, false),
                    (1, 1024, true),
                    (1, 1025, false),
                    (2, 1024, true),
                    (2, 1025, false),
                    (3, 128, true),
                    (3, 129, false),
                    (4, 0, true),
                    (4, 1, false),
                    (5, 0, false),
                ] {
                    let all = choice.gives_all_to_the_crate(*level, count, || longest);
                    let expected = expected && (are_few || *level == Level::Portable);
                    assert_eq!(all, expected, "{processor:?}, {level}, {count} of {longest}");
                }
            }
        }
    }

    #[test]
    fn long_messages_are_the_crates_where_its_lanes_are_full() {
        let above = |from: usize| (from..=20).collect::<Vec<_>>();
        for processor in
            [known::ICE_LAKE, known::SAPPHIRE_RAPIDS, known::SKYLAKE_SERVER, known::ZEN_4]
        {
            assert_eq!(chunks_for_the_crate(&processor, Level::Sse41), above(2));
            let mut avx2 = vec![4];
            avx2.extend(above(8));
            assert_eq!(chunks_for_the_crate(&processor, Level::Avx2), avx2);
            let long = Choice::of(&processor, Level::Avx2).long;
            assert!(long.holds(4096 + 256) && !long.holds(4096 + 257) && !long.holds(4095));
        }
        for processor in [known::ZEN_5, known::ZEN_3, known::ALDER_LAKE] {
            assert_eq!(chunks_for_the_crate(&processor, Level::Sse41), above(4));
            assert_eq!(chunks_for_the_crate(&processor, Level::Avx2), above(8));
        }
        for processor in known::ALL_OF_THEM {
            assert_eq!(chunks_for_the_crate(&processor, Level::Portable), above(2));
            assert_eq!(chunks_for_the_crate(&processor, Level::Neon), above(4));
            assert_eq!(chunks_for_the_crate(&processor, Level::Avx512), [16]);
        }
    }
}
