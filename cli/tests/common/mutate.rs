// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mutations of valid inputs, each determined by a seed, so that failures can be replayed.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The maximum length of a mutated input, in bytes.
const MOST_BYTES: usize = 1 << 20;
/// Tokens that replace numbers, or are inserted between other bytes.
const TOKENS: [&[u8]; 30] = [
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"inf",
    b"0x",
    b"0x1p9",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775808",
    b"4294967296",
    b"99999999999999999999999999999999999999",
    b"-0.0",
    b"1e-400",
    b"\r\n",
    b"\n",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    "é…\u{202e}".as_bytes(),
    b"\"",
    b"\\",
    b"\\u0000",
    b"{",
    b"[",
    b"(",
    b"null",
    b"..",
    b"  ",
];
/// Tokens that are repeated, for deep nesting or long inputs.
const NESTED: [&[u8]; 12] =
    [b"[", b"{\"a\":", b"(", b"-", b"sin(", b"((x+", b"x*", b" ", b"0", b"9", b"\\", b"\xff"];

/// Returns an input derived from one of the seeds by one to four mutations.
pub fn mutated(seeds: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = seeds.choose(rng).cloned().unwrap_or_default();
    for _ in 0..rng.gen_range(1..=4) {
        mutate(&mut bytes, seeds, rng);
        bytes.truncate(MOST_BYTES);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut ChaCha8Rng) {
    let place = rng.gen_range(0..=bytes.len());
    let end = (place + length(rng)).min(bytes.len());
    match rng.gen_range(0..14) {
        0 => flip(bytes, rng),
        1 => drop(bytes.drain(place..end)),
        2 => {
            let random: Vec<u8> = (0..length(rng)).map(|_| rng.gen()).collect();
            insert(bytes, place, &random);
        }
        3 => bytes.truncate(place),
        4 => {
            let block = bytes[place..end].to_vec();
            insert(bytes, place, &block.repeat(rng.gen_range(1..20)));
        }
        5 => overwrite_length(bytes, place, rng),
        6 => replace_number(bytes, rng),
        7 => {
            let nested = NESTED.choose(rng).copied().unwrap_or_default();
            insert(bytes, place, &nested.repeat(1 << rng.gen_range(1..15)));
        }
        8 => bytes.retain(|byte| *byte != b'\n'),
        9 => {
            let crlf = bytes.iter().flat_map(|byte| match byte {
                b'\n' => b"\r\n".to_vec(),
                other => vec![*other],
            });
            *bytes = crlf.collect();
        }
        10 => {
            let token = TOKENS.choose(rng).copied().unwrap_or_default();
            insert(bytes, place, token);
        }
        11 => {
            // A part of another input.
            let other = seeds.choose(rng).cloned().unwrap_or_default();
            let from = rng.gen_range(0..=other.len());
            bytes.truncate(place);
            bytes.extend(&other[from..]);
        }
        12 => bytes[place..end].fill(*[0, 0x20, 0x7f, 0xff].choose(rng).unwrap_or(&0)),
        _ => (0..4).for_each(|_| flip(bytes, rng)),
    }
}

/// Returns a length, which is mostly short.
fn length(rng: &mut ChaCha8Rng) -> usize {
    let most = 1 << rng.gen_range(0..9);
    rng.gen_range(1..=most)
}

fn insert(bytes: &mut Vec<u8>, place: usize, inserted: &[u8]) {
    bytes.splice(place..place, inserted.iter().copied());
}

fn flip(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    if let Some(byte) = bytes.choose_mut(rng) {
        *byte ^= 1 << rng.gen_range(0..8);
    }
}

/// Overwrites a place with a large or odd number, of any width and byte order, as if it were a
/// length.
fn overwrite_length(bytes: &mut [u8], place: usize, rng: &mut ChaCha8Rng) {
    let large = [u64::MAX, u64::MAX >> 1, 1 << 40, 1 << 32, 1 << 31, 0xffff_ffff, 0xffff, 0];
    let mut number = large.choose(rng).map_or([0; 8], |number| number.to_le_bytes());
    let width = *[1, 2, 4, 8].choose(rng).unwrap_or(&1);
    if rng.gen() {
        number[..width].reverse();
    }
    let end = (place + width).min(bytes.len());
    bytes[place..end].copy_from_slice(&number[..end - place]);
}

/// Replaces a run of digits by another number.
fn replace_number(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    let Some(&start) = starts.choose(rng) else { return };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let token = TOKENS.choose(rng).copied().unwrap_or_default();
    bytes.splice(start..start + digits, token.iter().copied());
}
