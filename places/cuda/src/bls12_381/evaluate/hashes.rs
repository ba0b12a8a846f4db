// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes to groups, each with its own domain separation tag.

use std::borrow::Cow;

use halimede_bls12_381::hash::{used_domain, HashError};
use halimede_bls12_381::operations::Hash;
use halimede_bls12_381::Curve;

use super::super::parts::count_of;
use super::Reply;
use crate::error::CudaError;
use crate::groups::{by_key, join, starts};
use crate::workspace::Workspace;

/// Bytes of `expand_message` for an element of Fp (RFC 9380, section 8.8).
const ELEMENT_BYTES: usize = 64;
/// The bit of `encode_to_curve` in the number of a domain.
const ENCODE: u32 = 1 << 31;
/// Bytes of b_(i−1) and i before the domain in a hash of `expand_message_xmd`.
const HEAD_BYTES: usize = 33;
const BLOCK_BYTES: usize = 64;

/// The bytes after a message: the number of expanded bytes, a zero, and the domain with its
/// length (section 5.3.1).
fn end_of<C: Curve>(domain: &[u8], encode: bool) -> Vec<u8> {
    let elements = if encode { 1 } else { 2 };
    let expanded = (ELEMENT_BYTES * C::DEGREE * elements) as u16;
    [&expanded.to_be_bytes()[..], &[0], domain, &[domain.len() as u8]].concat()
}

/// The last blocks of the hashes b_i as big-endian words, without b_0, b_(i−1) and i.
fn tail_of(domain: &[u8]) -> Vec<u32> {
    let mut bytes = [&[0; HEAD_BYTES][..], domain, &[domain.len() as u8]].concat();
    let bits = 8 * bytes.len() as u64;
    bytes.push(0x80);
    // Eight bytes of the last block are the number of bits.
    bytes.resize((bytes.len() + 8).next_multiple_of(BLOCK_BYTES) - 8, 0);
    bytes.extend(bits.to_be_bytes());
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

/// Returns the hashes that have a domain.
fn with_domain<'h>(hashes: &[&'h Hash]) -> Vec<&'h Hash> {
    hashes.iter().copied().filter(|hash| !hash.domain.is_empty()).collect()
}

/// Begins to hash messages.
pub(super) fn start<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    hashes: &[&Hash],
) -> Result<(), CudaError> {
    let hashes = with_domain(hashes);
    if hashes.is_empty() {
        return Ok(());
    }
    let groups = by_key(hashes.iter().map(|hash| &hash.domain[..]));
    let domains: Vec<Cow<'_, [u8]>> =
        groups.iter().map(|(domain, _)| used_domain(domain)).collect();
    let mut numbers = vec![0; hashes.len()];
    for (number, (_, rows)) in groups.iter().enumerate() {
        rows.iter().for_each(|row| numbers[*row] = number);
    }
    let ends: Vec<[Vec<u8>; 2]> = domains
        .iter()
        .map(|domain| [false, true].map(|encode| end_of::<C>(domain, encode)))
        .collect();
    let end = |row: usize| &ends[numbers[row]][usize::from(hashes[row].encode)][..];
    let rows = || 0..hashes.len();
    let length = |row: usize| hashes[row].message.len() + end(row).len();
    let bytes = rows().map(length).sum::<usize>();
    let data = workspace.input(first, bytes.next_multiple_of(size_of::<u32>()), |memory| {
        join(memory, rows().flat_map(|row| [&hashes[row].message[..], end(row)]));
    })?;
    let offsets = starts(rows().map(length));
    let offsets = workspace.input(first + 1, offsets.len(), |memory: &mut [u64]| {
        memory.copy_from_slice(&offsets);
    })?;
    let tails: Vec<Vec<u32>> = domains.iter().map(|domain| tail_of(domain)).collect();
    let tail_starts = starts(tails.iter().map(Vec::len));
    let tails = tails.concat();
    let tails = workspace.input(first + 2, tails.len(), |memory: &mut [u32]| {
        memory.copy_from_slice(&tails);
    })?;
    let tail_starts = workspace.input(first + 3, tail_starts.len(), |memory: &mut [u32]| {
        memory.iter_mut().zip(&tail_starts).for_each(|(place, start)| *place = *start as u32);
    })?;
    let domains = workspace.input(first + 4, hashes.len(), |memory: &mut [u32]| {
        for ((place, hash), number) in memory.iter_mut().zip(&hashes).zip(&numbers) {
            *place = *number as u32 | if hash.encode { ENCODE } else { 0 };
        }
    })?;
    let encodings = workspace.output::<u8>(first, C::COMPRESSED_BYTES * hashes.len())?;
    let kernel = match C::DEGREE {
        1 => "bls12_381_evaluate_hash_g1",
        _ => "bls12_381_evaluate_hash_g2",
    };
    let count = count_of(hashes.len());
    let arguments = [data, offsets, tails, tail_starts, domains, encodings, count];
    workspace.launch(kernel, hashes.len() as u64, &arguments)?;
    workspace.fetch::<u8>(first, C::COMPRESSED_BYTES * hashes.len())
}

/// Returns the points.
pub(super) fn finish<C: Curve>(
    workspace: &Workspace,
    first: usize,
    hashes: &[&Hash],
) -> Result<Vec<Reply>, CudaError> {
    if with_domain(hashes).is_empty() {
        return Ok(vec![Err(HashError::EmptyDomain); hashes.len()]);
    }
    let mut encodings = workspace.fetched::<u8>(first)?.chunks_exact(C::COMPRESSED_BYTES);
    let replies = hashes.iter().map(|hash| match hash.domain.is_empty() {
        true => Err(HashError::EmptyDomain),
        false => Ok(encodings.next().unwrap_or_default().to_vec()),
    });
    Ok(replies.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_whole_blocks_that_end_with_the_number_of_bits() {
        for length in [1, 21, 22, 85, 86, 255] {
            let tail = tail_of(&vec![7; length]);
            let bytes = HEAD_BYTES + length + 1;
            assert_eq!(tail.len(), 16 * (bytes + 9).div_ceil(BLOCK_BYTES), "{length}");
            assert_eq!(*tail.last().unwrap() as usize, 8 * bytes);
        }
    }
}
