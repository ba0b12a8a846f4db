// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 over flat arrays against the crate `blake3`; a refused call changes nothing.

use halimede_blake3::{Digest, Flat, Mode};
use halimede_device::flat::{blake3 as flat, FlatError};
use halimede_device::Device;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the random cases.
const SEED: u64 = 20_261_122;
const CONTEXT: &str = "halimede 2026-11-22 tests of flat arrays";

fn generator(label: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED ^ label)
}

fn bytes(generator: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    generator.fill_bytes(&mut bytes);
    bytes
}

/// Each mode, with the crate's own hasher in this mode.
fn modes() -> [(Mode, blake3::Hasher); 3] {
    let key = generator(1).gen();
    [
        (Mode::Hash, blake3::Hasher::new()),
        (Mode::Keyed(key), blake3::Hasher::new_keyed(&key)),
        (Mode::derive_key(CONTEXT), blake3::Hasher::new_derive_key(CONTEXT)),
    ]
}

/// The crate's extended output of a message, starting at byte `seek`.
fn expected(hasher: &blake3::Hasher, message: &[u8], seek: u64, length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    let mut reader = hasher.clone().update(message).finalize_xof();
    reader.set_position(seek);
    reader.fill(&mut output);
    output
}

#[test]
fn messages_of_any_length_and_any_part_of_the_output() {
    let device = Device::cpu();
    let mut generator = generator(2);
    let edges = [0, 1, 63, 64, 65, 1023, 1024, 1025, 131_071, 131_072, 1 << 20];
    let lengths: Vec<usize> =
        edges.into_iter().chain((0..30).map(|_| generator.gen_range(0..300_000))).collect();
    for length in lengths {
        let message = bytes(&mut generator, length);
        for (mode, hasher) in modes() {
            for (seek, length) in [
                (0, 32),
                (0, 0),
                (31, 131),
                (generator.gen_range(0..u64::MAX - 70), 70),
                (u64::MAX - 9, 9),
            ] {
                let mut output = vec![7; length];
                flat::hash(&device, &mode, &message, seek, &mut output).unwrap();
                assert_eq!(output, expected(&hasher, &message, seek, length), "{mode:?} {seek}");
            }
        }
    }
}

#[test]
fn batches_of_any_lengths() {
    let device = Device::cpu();
    for (label, count) in [0, 1, 2, 15, 16, 17, 33, 1000].into_iter().enumerate() {
        let mut generator = generator(100 + label as u64);
        let longest = if count == 17 { 200_000 } else { 3000 };
        let mut offsets = vec![generator.gen_range(0..10)];
        for _ in 0..count {
            offsets.push(offsets[offsets.len() - 1] + generator.gen_range(0..=longest));
        }
        let data = bytes(&mut generator, offsets[count] as usize + 3);
        let messages: Vec<&[u8]> =
            offsets.windows(2).map(|ends| &data[ends[0] as usize..ends[1] as usize]).collect();
        for (mode, hasher) in modes() {
            let digest = |message: &&[u8]| *hasher.clone().update(message).finalize().as_bytes();
            let wanted: Vec<Digest> = messages.iter().map(digest).collect();
            let mut digests = vec![[7; 32]; count];
            let cut = Flat::new(&data, &offsets).unwrap();
            flat::hash_many(&device, &mode, cut, &mut digests).unwrap();
            assert_eq!(digests, wanted);
            let mut digests = vec![[7; 32]; count];
            flat::hash_many(&device, &mode, &messages[..], &mut digests).unwrap();
            assert_eq!(digests, wanted);
        }
    }
}

#[test]
fn a_stream_takes_any_pieces() {
    let mut generator = generator(3);
    let message = bytes(&mut generator, 700_000);
    for (mode, hasher) in modes() {
        let mut stream = flat::Hasher::new(&mode);
        let mut absorbed = 0;
        while absorbed < message.len() {
            let longest = [10, 3000, 300_000][generator.gen_range(0..3)];
            let end = message.len().min(absorbed + generator.gen_range(0..longest));
            let branch = stream.clone();
            stream.update(&message[absorbed..end]);
            let mut output = [7; 40];
            branch.finalize(5, &mut output).unwrap();
            assert_eq!(output[..], expected(&hasher, &message[..absorbed], 5, 40));
            absorbed = end;
        }
        let mut output = [7; 100];
        stream.finalize(0, &mut output).unwrap();
        assert_eq!(output[..], expected(&hasher, &message, 0, 100));
        stream.reset();
        stream.update(b"anew");
        stream.finalize(0, &mut output).unwrap();
        assert_eq!(output[..], expected(&hasher, b"anew", 0, 100));
    }
}

#[test]
fn refusals() {
    let device = &Device::cpu();
    let mut digests: [Digest; 2] = [[7; 32]; 2];
    for count in [0, 1, 3] {
        let messages = vec![&b"message"[..]; count];
        let error = flat::hash_many(device, &Mode::Hash, &messages[..], &mut digests).unwrap_err();
        let words = format!("digests: got 64 bytes, wanted {} (32 for each of {count}", 32 * count);
        assert!(error.to_string().starts_with(&words), "{error}");
    }
    assert_eq!(digests, [[7; 32]; 2]);

    let stream = flat::Hasher::new(&Mode::Hash);
    let mut output = [7; 64];
    for seek in [u64::MAX, u64::MAX - 63] {
        for outcome in [
            flat::hash(device, &Mode::Hash, b"message", seek, &mut output),
            stream.finalize(seek, &mut output),
        ] {
            let error = outcome.unwrap_err();
            assert!(matches!(error, FlatError::Output { length: 64, .. }), "{error}");
            let words = format!("output: got 64 bytes from byte {seek} on, wanted an end at byte");
            assert!(error.to_string().starts_with(&words), "{error}");
        }
    }
    assert_eq!(output, [7; 64]);
}
