// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of pairings: Miller loops of two pairs each, products of their values in a tree, and a
//! final exponentiation for each call.

use halimede_bls12_381::pairing::GT_BYTES;
use halimede_bls12_381::{Point, G1, G2};

use super::super::parts::count_of;
use super::Reply;
use crate::error::CudaError;
use crate::workspace::Workspace;

/// Pairs whose Miller loops share their squares.
const SHARED_PAIRS: usize = 2;
/// The most values that a thread multiplies.
const FACTORS: usize = 8;
/// Words of 64 bits of a point of G1, and of a pair.
const G1_WORDS: usize = 12;
const PAIR_WORDS: usize = 36;

/// Pairs, and whether the reply is only if the product is 1.
pub(super) type Pairs<'r> = (&'r [(Point<G1>, Point<G2>)], bool);

/// Begins to multiply pairings.
pub(super) fn start(
    workspace: &mut Workspace,
    first: usize,
    lists: &[Pairs<'_>],
) -> Result<(), CudaError> {
    if lists.is_empty() {
        return Ok(());
    }
    let mut counts: Vec<usize> =
        lists.iter().map(|(pairs, _)| pairs.len().div_ceil(SHARED_PAIRS)).collect();
    let loops: usize = counts.iter().sum();
    let pairs =
        workspace.input(first, PAIR_WORDS * SHARED_PAIRS * loops, |memory: &mut [u64]| {
            // A list of odd length ends with a pair of infinities.
            memory.fill(0);
            let mut rest = memory;
            for ((pairs, _), count) in lists.iter().zip(&counts) {
                let words = PAIR_WORDS * SHARED_PAIRS * count;
                let (places, others) = std::mem::take(&mut rest).split_at_mut(words);
                for (place, (p, q)) in places.chunks_exact_mut(PAIR_WORDS).zip(*pairs) {
                    place[..G1_WORDS].copy_from_slice(p.montgomery_words());
                    place[G1_WORDS..].copy_from_slice(q.montgomery_words());
                }
                rest = others;
            }
        })?;
    let mut values = workspace.scratch::<u8>(first, GT_BYTES * loops)?;
    let mut next = workspace.scratch::<u8>(first + 1, GT_BYTES * loops)?;
    let arguments = [pairs, values, count_of(loops)];
    workspace.launch("bls12_381_evaluate_miller_loops", loops as u64, &arguments)?;
    let mut ranges: Vec<Vec<u32>> = Vec::new();
    while counts.iter().any(|count| *count > FACTORS) {
        ranges.push(groups(&counts));
        counts.iter_mut().for_each(|count| *count = count.div_ceil(FACTORS));
    }
    ranges.push(starts(&counts));
    let all = ranges.concat();
    let mut places = workspace.input(first + 1, all.len(), |memory: &mut [u32]| {
        memory.copy_from_slice(&all);
    })?;
    for range in &ranges[..ranges.len() - 1] {
        let products = range.len() - 1;
        let arguments = [values, places, next, count_of(products)];
        workspace.launch("bls12_381_evaluate_multiply", products as u64, &arguments)?;
        (values, next) = (next, values);
        places = places.after(size_of::<u32>() * range.len());
    }
    let results = workspace.output::<u8>(first, GT_BYTES * lists.len())?;
    let arguments = [values, places, results, count_of(lists.len())];
    workspace.launch("bls12_381_evaluate_exponentiate", lists.len() as u64, &arguments)?;
    workspace.fetch::<u8>(first, GT_BYTES * lists.len())
}

/// Returns where each list begins, and where the last one ends.
fn starts(counts: &[usize]) -> Vec<u32> {
    let ends = counts.iter().scan(0, |end, count| {
        *end += *count as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Returns where the groups of lists begin, of [`FACTORS`] values at most, and where the last one
/// ends.
fn groups(counts: &[usize]) -> Vec<u32> {
    let (mut groups, mut start) = (Vec::new(), 0);
    for count in counts {
        groups.extend((0..*count).step_by(FACTORS).map(|place| start + place as u32));
        start += *count as u32;
    }
    groups.push(start);
    groups
}

/// Returns the products, or whether they are 1.
pub(super) fn finish(
    workspace: &Workspace,
    first: usize,
    lists: &[Pairs<'_>],
) -> Result<Vec<Reply>, CudaError> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let mut one = [0; GT_BYTES];
    one[47] = 1;
    let results = workspace.fetched::<u8>(first)?.chunks_exact(GT_BYTES);
    let replies = lists.iter().zip(results).map(|((_, is_check), result)| {
        Ok(match is_check {
            true => vec![u8::from(result == one)],
            false => result.to_vec(),
        })
    });
    Ok(replies.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_do_not_cross_lists() {
        assert_eq!(starts(&[3, 0, 2]), [0, 3, 3, 5]);
        assert_eq!(groups(&[17, 0, 8, 1]), [0, 8, 16, 17, 25, 26]);
        assert_eq!(groups(&[]), [0]);
    }
}
