// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every backend of this processor with the reference and the crate `blake3`, on one list
//! of cases.

use std::collections::HashMap;

use crate::common::{by_the_crate, by_the_reference, messages, modes};
use halimede_arith::EngineBackend;
use halimede_blake3::{Digest, HashBackend, HashMany, Mode};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Lengths around the edges of blocks, chunks and trees, in bytes.
const EDGES: [usize; 32] = [
    0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 511, 512, 960, 961, 1023, 1024, 1025, 1088, 2047, 2048,
    2049, 3071, 3072, 3073, 4096, 5119, 7168, 7169, 8192, 16_385, 31_744, 65_537,
];

fn on(backend: HashBackend, mode: &Mode) -> HashMany {
    HashMany::with_backend(mode.clone(), backend).unwrap()
}

/// Checks the digests of every backend: on one thread, on all threads, and into a given array.
fn check(mode: &Mode, messages: &[Vec<u8>], expected: &[Digest], case: &str) {
    for backend in HashBackend::available() {
        let many = on(backend, mode);
        assert_eq!(many.backend(), backend);
        let digests = many.digests(messages);
        let wrong = digests.iter().zip(expected).position(|(got, expected)| got != expected);
        assert_eq!(wrong, None, "{case}, {backend}, {mode:?}: the first wrong message");
        assert_eq!(digests.len(), expected.len(), "{case}, {backend}");
        assert!(many.digests_parallel(messages) == expected, "{case}, {backend}, on all cores");
        let mut there = vec![[0xa5; 32]; messages.len()];
        many.digests_into(messages, &mut there);
        assert!(there == expected, "{case}, {backend}, into an array");
    }
}

#[test]
fn lengths_at_every_edge_alone_and_together() {
    let messages = messages(&EDGES, 1);
    for mode in modes() {
        let expected: Vec<Digest> =
            messages.iter().map(|message| by_the_reference(&mode, message)).collect();
        for (message, digest) in messages.iter().zip(&expected) {
            assert_eq!(by_the_crate(&mode, message), *digest, "the two oracles");
            let (alone, case) = (std::slice::from_ref(message), format!("{}", message.len()));
            check(&mode, alone, std::slice::from_ref(digest), &case);
        }
        check(&mode, &messages, &expected, "all edges");
        let backwards: Vec<Vec<u8>> = messages.iter().rev().cloned().collect();
        let expected: Vec<Digest> = expected.iter().rev().copied().collect();
        check(&mode, &backwards, &expected, "all edges, backwards");
    }
}

/// A batch begins with groups of equally many blocks, and the first message with another number
/// ends them at any place.
#[test]
fn batches_that_begin_with_equally_many_blocks() {
    for (number, blocks) in [0usize, 1, 2, 3, 15, 16, 17].into_iter().enumerate() {
        let (most, fewest) = (64 * blocks, (64 * blocks).saturating_sub(63));
        for (equal, other) in [(32, 0), (40, 0), (64, 65), (31, 1_500), (77, 3), (96, 1_024)] {
            // All lengths of the last block, in another order for each number of blocks.
            let length = |place: usize| fewest + (place * (2 * number + 1)) % (most - fewest + 1);
            let mut lengths: Vec<usize> = (0..equal).map(length).collect();
            lengths.extend([other, most, fewest, other]);
            let messages = messages(&lengths, 50 + number as u64);
            for mode in modes() {
                let expected: Vec<Digest> =
                    messages.iter().map(|message| by_the_crate(&mode, message)).collect();
                check(&mode, &messages, &expected, &format!("{equal} of {blocks} blocks, {other}"));
            }
        }
    }
}

#[test]
fn as_many_messages_as_lanes_and_one_more_or_less() {
    for mode in modes() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000] {
            let lengths = [0, 1, 64, 65, 1024, 1025, 3073];
            for length in &lengths[..if count == 1000 { 4 } else { lengths.len() }] {
                let messages = messages(&vec![*length; count], 2 + count as u64);
                let expected: Vec<Digest> =
                    messages.iter().map(|message| by_the_reference(&mode, message)).collect();
                check(&mode, &messages, &expected, &format!("{count} of {length} bytes"));
            }
        }
    }
}

#[test]
fn every_length_up_to_three_chunks() {
    let lengths: Vec<usize> = (0..=3 * 1024 + 1).collect();
    let messages = messages(&lengths, 3);
    let expected: Vec<Digest> =
        messages.iter().map(|message| by_the_crate(&Mode::Hash, message)).collect();
    check(&Mode::Hash, &messages, &expected, "every length");
}

#[test]
fn trees_of_every_number_of_chunks_beside_short_messages() {
    for mode in modes() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let lengths: Vec<usize> =
            (1..70).flat_map(|chunks| [chunks * 1024 - random.gen_range(0..1024), 7]).collect();
        let messages = messages(&lengths, 4);
        let expected: Vec<Digest> =
            messages.iter().map(|message| by_the_reference(&mode, message)).collect();
        check(&mode, &messages, &expected, "trees");
    }
}

#[test]
fn messages_too_long_for_lanes_among_others() {
    let limit = 1024 * 1024;
    let lengths = [3, limit - 1, 64, limit, limit + 1, 1025, 5 * limit, 0, 5 * limit + 77, 100];
    let messages = messages(&lengths, 5);
    for mode in modes() {
        let expected: Vec<Digest> =
            messages.iter().map(|message| by_the_crate(&mode, message)).collect();
        check(&mode, &messages, &expected, "long messages");
    }
}

/// Lengths typical of a storage system or a database: mostly short, all up to 64 KiB.
fn mixed_lengths(count: usize, seed: u64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut length = || match random.gen_range(0..100) {
        0..=29 => random.gen_range(0..=64),
        30..=94 => random.gen_range(0..=2048),
        95..=98 => random.gen_range(0..=8192),
        _ => random.gen_range(0..=65_536),
    };
    (0..count).map(|_| length()).collect()
}

#[test]
fn a_hundred_thousand_mixed_messages_are_the_crates() {
    let lengths = mixed_lengths(100_000, 6);
    let total: usize = lengths.iter().sum();
    let bytes = crate::common::random_bytes(total, 6);
    let mut rest = &bytes[..];
    let messages: Vec<&[u8]> = lengths
        .iter()
        .map(|length| {
            let (message, behind) = rest.split_at(*length);
            rest = behind;
            message
        })
        .collect();
    // The keyed modes differ only at the start of a chunk, so a part of the messages suffices.
    for (mode, part) in modes().into_iter().zip([1, 10, 10]) {
        let messages = &messages[..messages.len() / part];
        let expected: Vec<Digest> =
            messages.iter().map(|message| by_the_crate(&mode, message)).collect();
        for backend in HashBackend::available() {
            let many = on(backend, &mode);
            assert!(many.digests(messages) == expected, "{backend}, {mode:?}");
            assert!(many.digests_parallel(messages) == expected, "{backend}, {mode:?}, parallel");
        }
    }
}

#[test]
fn levels_are_names_of_backends_and_refused_where_they_are_not_here() {
    assert_eq!(HashBackend::available().next(), Some(HashBackend::Portable));
    for backend in HashBackend::ALL {
        assert_eq!(Ok(backend.backend()), backend.to_string().parse());
        let many = HashMany::with_backend(Mode::Hash, *backend);
        assert_eq!(many.map(|many| many.backend()), backend.is_available().then_some(*backend));
    }
    assert_eq!(HashMany::new(Mode::Hash).backend(), HashBackend::active());
}

#[test]
#[should_panic(expected = "a digest for each message")]
fn too_few_digests_are_refused() {
    HashMany::default().digests_into(&[b"one", b"two"][..], &mut [[0; 32]]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// For any partition of a text into messages, at any alignment, each message has its digest.
    #[test]
    fn any_partition_of_a_text(
        seed in any::<u64>(),
        cuts in proptest::collection::vec(0usize..40_000, 0..60),
        mode in 0usize..3,
    ) {
        let mode = &modes()[mode];
        let text = crate::common::random_bytes(40_000, seed);
        let mut cuts = cuts;
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let messages: Vec<&[u8]> =
            cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let mut known = HashMap::new();
        for backend in HashBackend::available() {
            let digests = on(backend, mode).digests(&messages[..]);
            for (message, digest) in messages.iter().zip(digests) {
                let expected =
                    *known.entry(*message).or_insert_with(|| by_the_crate(mode, message));
                prop_assert_eq!(digest, expected, "{} {}", backend, message.len());
            }
        }
    }
}
