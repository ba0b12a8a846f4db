// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The choice of how messages are hashed: in lanes, in general registers, or by the crate `blake3`,
//! whichever is fastest on a processor. The digests are the same.

use halimede_arith::{Backend, Processor};

use crate::{HashBackend, CHUNK_BYTES};

/// The messages of a batch that are left to the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Set if the crate hashes a message of one chunk faster than general registers do, because it
    /// has vectors of four words for one message. The portable backend then leaves all messages to
    /// it.
    pub crate_has_vectors: bool,
    /// The messages of several chunks that are left to the crate.
    pub long: Long,
}

/// The lengths of messages of several chunks that are left to the crate. The crate fills its lanes
/// with the chunks of one message, once there are enough of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Long {
    /// The length in bytes whose multiples are left to the crate.
    full: usize,
    /// The bytes by which a message may exceed a multiple.
    slack: usize,
    /// The most bytes of a message that is not left to the crate.
    most: usize,
}

/// For 1, 2, … messages, the largest length in bytes up to which the crate, hashing them
/// sequentially, is faster than a register of lanes that they do not fill.
const FEW: [usize; 4] = [CHUNK_BYTES, CHUNK_BYTES, 128, 0];

impl Choice {
    /// Returns the choice for a backend on a processor.
    pub(crate) fn of(processor: &Processor, backend: HashBackend) -> Self {
        let has_vectors = Backend::best_of(processor).includes(Backend::Sse41);
        let crate_has_vectors = has_vectors && !processor.has_slow_vectors();
        // The crate uses the widest backend of the processor, whatever `backend` is.
        let crate_is_wider = crate_has_vectors && processor.instructions.avx512;
        let [full, slack, most] = match backend {
            HashBackend::Portable => [2 * CHUNK_BYTES, 0, CHUNK_BYTES],
            HashBackend::Sse41 if crate_is_wider => [2 * CHUNK_BYTES, 0, 2 * CHUNK_BYTES],
            HashBackend::Avx2 if crate_is_wider => {
                [4 * CHUNK_BYTES, CHUNK_BYTES / 4, 7 * CHUNK_BYTES]
            }
            HashBackend::Neon | HashBackend::Sse41 => [4 * CHUNK_BYTES, 0, 3 * CHUNK_BYTES],
            HashBackend::Avx2 => [8 * CHUNK_BYTES, 0, 7 * CHUNK_BYTES],
            HashBackend::Avx512 => [16 * CHUNK_BYTES, 0, 1024 * CHUNK_BYTES],
        };
        Self { crate_has_vectors, long: Long { full, slack, most } }
    }

    /// Returns `true` if all messages of a batch are left to the crate; the batch has `count`
    /// messages, the longest of `longest` bytes.
    #[inline]
    pub(crate) fn gives_all_to_the_crate(
        &self,
        backend: HashBackend,
        count: usize,
        longest: impl FnOnce() -> usize,
    ) -> bool {
        let few = count.checked_sub(1).and_then(|place| FEW.get(place));
        self.crate_has_vectors
            && (backend == HashBackend::Portable || few.is_some_and(|most| longest() <= *most))
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
    use halimede_arith::EngineBackend;

    use super::*;

    /// The numbers of chunks up to 20 whose messages are left to the crate.
    fn chunks_for_the_crate(processor: &Processor, backend: HashBackend) -> Vec<usize> {
        let long = Choice::of(processor, backend).long;
        (1..=20).filter(|chunks| long.holds(chunks * CHUNK_BYTES)).collect()
    }

    #[test]
    fn few_messages_are_the_crates_where_it_has_fast_vectors() {
        for processor in known::ALL_OF_THEM {
            let expected =
                processor != known::ZEN_5 && processor != known::OLDEST && processor != known::ARM;
            for backend in HashBackend::ALL {
                let choice = Choice::of(&processor, *backend);
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
                    let all = choice.gives_all_to_the_crate(*backend, count, || longest);
                    let expected = expected && (are_few || *backend == HashBackend::Portable);
                    assert_eq!(all, expected, "{processor:?}, {backend}, {count} of {longest}");
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
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Sse41), above(2));
            let mut avx2 = vec![4];
            avx2.extend(above(8));
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Avx2), avx2);
            let long = Choice::of(&processor, HashBackend::Avx2).long;
            assert!(long.holds(4096 + 256) && !long.holds(4096 + 257) && !long.holds(4095));
        }
        for processor in [known::ZEN_5, known::ZEN_3, known::ALDER_LAKE] {
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Sse41), above(4));
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Avx2), above(8));
        }
        for processor in known::ALL_OF_THEM {
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Portable), above(2));
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Neon), above(4));
            assert_eq!(chunks_for_the_crate(&processor, HashBackend::Avx512), [16]);
        }
    }
}
