// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodings of keys and signatures, valid and invalid.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use secp256k1::PublicKey;

use super::{flip, key, signature};

/// Every prefix, wrong lengths, and flipped bits.
pub fn of_key(random: &mut ChaCha8Rng, public: &PublicKey) -> Vec<String> {
    let (short, long) = (public.serialize(), public.serialize_uncompressed());
    let mut lines = Vec::new();
    for prefix in (0..=8).chain([0x42, 0xff]) {
        let (mut short, mut long) = (short, long);
        (short[0], long[0]) = (prefix, prefix);
        lines.extend([key(&short), key(&long)]);
    }
    for length in [0, 1, 32, 34, 64] {
        lines.push(key(&long[..length]));
    }
    lines.push(key(&[&long[..], &[0]].concat()));
    for mut bytes in [short.to_vec(), long.to_vec()] {
        flip(random, &mut bytes);
        lines.push(key(&bytes));
    }
    lines
}

/// A length in DER.
fn length(length: usize) -> Vec<u8> {
    match length {
        0..0x80 => vec![length as u8],
        0x80..0x100 => vec![0x81, length as u8],
        _ => vec![0x82, (length >> 8) as u8, length as u8],
    }
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag], &length(content.len())[..], content].concat()
}

/// The content of a positive integer.
fn positive(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take(number.len() - 1).take_while(|byte| **byte == 0).count();
    let digits = &number[zeros..];
    [&[0][..usize::from(digits[0] >> 7)], digits].concat()
}

/// DER of two positive numbers.
pub fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    of_contents(&positive(r), &positive(s))
}

fn of_contents(r: &[u8], s: &[u8]) -> Vec<u8> {
    element(0x30, &[element(2, r), element(2, s)].concat())
}

/// Signatures in valid and in invalid DER.
pub fn of_signatures(random: &mut ChaCha8Rng) -> Vec<String> {
    let mut all: Vec<Vec<u8>> = vec![vec![], vec![0x30], vec![0x30, 0], vec![0x30, 0x80, 0, 0]];
    let (r, s): ([u8; 32], [u8; 32]) = (random.gen(), random.gen());
    let good = der(&r, &s);
    // Lengths of the integers, with and without a sign.
    for bytes in [1, 2, 31, 32, 33, 34, 100, 127, 128, 200, 255, 256, 300] {
        let mut number: Vec<u8> = (0..bytes).map(|_| random.gen()).collect();
        for first in [0x00, 0x01, 0x7f, 0x80, 0xff] {
            number[0] = first;
            all.push(of_contents(&number, &positive(&s)));
            all.push(of_contents(&positive(&r), &number));
        }
    }
    // Needless bytes, and empty integers.
    for content in
        [&[][..], &[0], &[0, 0], &[0, 0x7f], &[0, 0x80], &[0xff], &[0xff, 0x80], &[0xff, 0x7f]]
    {
        all.push(of_contents(content, &positive(&s)));
        all.push(of_contents(&positive(&r), content));
        all.push(of_contents(content, content));
    }
    // Other forms of lengths, of the sequence and of r.
    let body = &good[2..];
    let size = body.len() as u8;
    let r_size = body[1];
    for form in [
        &[0x81][..],
        &[0x82, 0],
        &[0x80],
        &[0x88, 0, 0, 0, 0, 0, 0, 0],
        &[0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0xff],
        &[0xfe],
    ] {
        all.push([&[0x30], form, &[size], body].concat());
        let inner = [&[2], form, &[r_size], &body[2..]].concat();
        all.push(element(0x30, &inner));
    }
    // Long forms of right lengths, with and without need.
    for bytes in [1, 32, 0x6f, 0x70, 0x7e, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x101] {
        let mut number: Vec<u8> = (0..bytes).map(|_| random.gen()).collect();
        number[0] = 0x11;
        let digits = (bytes as u64).to_be_bytes();
        for count in 1..=8 {
            let form = [&[2, 0x80 | count as u8], &digits[8 - count..], &number[..]].concat();
            all.push(element(0x30, &[&form[..], &element(2, &[1])].concat()));
            let body = [element(2, &number), element(2, &[1])].concat();
            let size = (body.len() as u64).to_be_bytes();
            all.push([&[0x30, 0x80 | count as u8], &size[8 - count..], &body[..]].concat());
        }
    }
    // Every truncation, bytes after the end, wrong lengths and tags.
    all.extend((0..good.len()).map(|end| good[..end].to_vec()));
    all.push([&good[..], &[0]].concat());
    all.push(element(0x30, &[body, &[0]].concat()));
    all.push(element(0x30, &[body, &element(2, &[1])].concat()));
    for at in [0, 1, 2, 3, 4, 4 + usize::from(r_size), 5 + usize::from(r_size)] {
        for change in [1, 2, 0x20, 0x80] {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            all.push(bytes);
        }
    }
    for _ in 0..300 {
        let mut bytes = der(&random.gen::<[u8; 32]>(), &random.gen::<[u8; 32]>());
        for _ in 0..random.gen_range(0..3) {
            flip(random, &mut bytes);
        }
        all.push(bytes);
    }
    all.iter().map(|bytes| signature("der", bytes)).collect()
}
