// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A search of the process's whole writable memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use zeroize::Zeroize;

use crate::patterns::{Pattern, MASK};

/// The number of bytes read at a time.
const CHUNK: usize = 1 << 16;
/// The number of bytes that are read again with the next chunk: a run that is long enough lies in
/// one of them completely.
const OVERLAP: usize = 2048;
/// The number of bits of the table that rejects most of the memory.
const TABLE_BITS: u32 = 23;

/// Patterns by their pieces. None of them is in memory unmasked.
pub struct Scanner<'a> {
    patterns: &'a [Pattern],
    /// For each length of a piece, the places of pieces with a hash.
    pieces: [Pieces; 2],
}

struct Pieces {
    length: usize,
    /// One bit for each prefix of a hash: 1 if the table holds it.
    table: Vec<u64>,
    /// Hashes in ascending order, each with a pattern and a place in it.
    places: Vec<(u64, usize, usize)>,
}

/// The number of times that each pattern was found, and its first place.
pub type Found = BTreeMap<String, (usize, String)>;

impl Pieces {
    fn new(length: usize, patterns: &[Pattern]) -> Self {
        let table = vec![0; 1 << (TABLE_BITS - 6)];
        let mut pieces = Self { length, table, places: Vec::new() };
        for (index, pattern) in patterns.iter().enumerate() {
            if pattern.piece != length {
                continue;
            }
            let starts = (0..=pattern.masked.len() - length).step_by(pattern.step);
            for start in starts {
                let piece = &pattern.masked[start..][..length];
                let is_telling = |byte: &&u8| !matches!(**byte ^ MASK, 0 | 1);
                if piece.iter().filter(is_telling).count() < pattern.telling {
                    continue;
                }
                let hash = hash(piece);
                let bit = hash >> (64 - TABLE_BITS);
                pieces.table[(bit >> 6) as usize] |= 1 << (bit & 63);
                pieces.places.push((hash, index, start));
            }
        }
        pieces.places.sort_unstable();
        pieces
    }

    /// Returns the patterns that may have a piece of memory, and where it begins in them.
    fn of(&self, masked: &[u8]) -> &[(u64, usize, usize)] {
        let hash = hash(masked);
        let bit = hash >> (64 - TABLE_BITS);
        if self.table[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 {
            return &[];
        }
        let first = self.places.partition_point(|(known, ..)| *known < hash);
        let count = self.places[first..].iter().take_while(|(known, ..)| *known == hash).count();
        &self.places[first..first + count]
    }
}

fn hash(masked: &[u8]) -> u64 {
    masked.chunks_exact(8).fold(0, |hash: u64, word| {
        let word = u64::from_le_bytes(word.try_into().unwrap());
        (hash.rotate_left(31) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

impl<'a> Scanner<'a> {
    pub fn new(patterns: &'a [Pattern]) -> Self {
        Self { patterns, pieces: [8, 16].map(|length| Pieces::new(length, patterns)) }
    }

    /// Returns the patterns that are in writable memory of the process.
    pub fn scan(&self) -> Found {
        let mut found = Found::new();
        let memory = File::open("/proc/self/mem").unwrap();
        let mut buffer = vec![0; CHUNK];
        let own = buffer.as_ptr() as usize;
        let own = own..own + CHUNK;
        for (range, name) in mappings() {
            for part in without(range, &own) {
                let mut start = part.start;
                while start < part.end {
                    let bytes = &mut buffer[..CHUNK.min(part.end - start)];
                    // Unreadable pages hold nothing.
                    if memory.read_exact_at(bytes, start as u64).is_ok() {
                        self.search(bytes, start, &name, &mut found);
                    }
                    start += if bytes.len() == CHUNK { CHUNK - OVERLAP } else { CHUNK };
                }
            }
        }
        buffer.zeroize();
        found
    }

    /// Masks bytes of memory from an address on, a multiple of 16, and searches them.
    fn search(&self, bytes: &mut [u8], address: usize, mapping: &str, found: &mut Found) {
        if bytes.iter().all(|byte| *byte == 0) {
            return;
        }
        bytes.iter_mut().for_each(|byte| *byte ^= MASK);
        for pieces in &self.pieces {
            for at in (0..bytes.len()).step_by(pieces.length) {
                let Some(piece) = bytes.get(at..at + pieces.length) else { break };
                for (_, index, start) in pieces.of(piece) {
                    let pattern = &self.patterns[*index];
                    // As far as it matters.
                    let before =
                        bytes[..at].iter().rev().zip(pattern.masked[..*start].iter().rev());
                    let before = before.take(pattern.least).take_while(|(a, b)| a == b).count();
                    let after = bytes[at..].iter().zip(&pattern.masked[*start..]);
                    let after = after.take(pattern.least).take_while(|(a, b)| a == b).count();
                    let run = before + after;
                    if run >= pattern.least {
                        let place = || format!("{run} bytes near {:x} in {mapping}", address + at);
                        found.entry(pattern.name.clone()).or_insert_with(|| (0, place())).0 += 1;
                    }
                }
            }
        }
    }
}

/// Returns all readable and writable ranges, with their names.
fn mappings() -> Vec<(Range<usize>, String)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapping = |line: &str| {
        let mut fields = line.split_whitespace();
        let (range, rights) = (fields.next()?, fields.next()?);
        let (start, end) = range.split_once('-')?;
        let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
        let name = fields.nth(3).unwrap_or("anonymous memory").to_owned();
        rights.starts_with("rw").then(|| (number(start)..number(end), name))
    };
    maps.lines().filter_map(mapping).collect()
}

/// Returns a range without another, at multiples of 16.
fn without(range: Range<usize>, other: &Range<usize>) -> Vec<Range<usize>> {
    let (start, end) = (other.start & !15, other.end.next_multiple_of(16));
    let parts = [
        range.start..range.end.min(start.max(range.start)),
        range.start.max(end.min(range.end))..range.end,
    ];
    match start < range.end && end > range.start {
        true => parts.into_iter().filter(|part| !part.is_empty()).collect(),
        false => vec![range],
    }
}
