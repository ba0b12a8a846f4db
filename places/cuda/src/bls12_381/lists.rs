// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of listed points and products of listed pairings (`kernels/pairing/lists.cuh`): a thread
//! has a few terms, so a long list takes several launches, each with fewer results.

use std::ops::Range;

use halimede_bls12_381::Curve;

use super::parts::{count_of, ELEMENT_WORDS};
use crate::error::CudaError;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Terms that a thread adds or multiplies.
pub(super) const TERMS: usize = 16;
/// Pairs of points whose Miller loops a thread computes (`LISTED_PAIRS`).
const PAIRS: usize = 4;
/// Words of an element of Fp12.
const VALUE_WORDS: usize = 12 * ELEMENT_WORDS;

/// Affine points of a group on the GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    pub(super) address: Argument,
    /// How many points the memory has.
    pub(super) count: usize,
}

impl Points {
    /// The address and the stride.
    pub(super) fn arguments(self) -> [Argument; 2] {
        [self.address, count_of(self.count)]
    }
}

/// Consecutive lists of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    pub(super) numbers: Vec<u32>,
    /// Where each list ends.
    pub(super) ends: Vec<u32>,
}

impl Lists {
    /// Cuts numbers into lists of these lengths.
    pub(super) fn of_lengths(numbers: Vec<u32>, lengths: impl Iterator<Item = usize>) -> Self {
        let mut end = 0;
        let ends = lengths.map(|length| {
            end += length as u32;
            end
        });
        Self { numbers, ends: ends.collect() }
    }

    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.numbers.extend(list);
        self.ends.push(self.numbers.len() as u32);
    }

    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The lists.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.ranges().map(|range| &self.numbers[range.start as usize..range.end as usize])
    }

    /// The range of each list in the numbers.
    fn ranges(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| *start..*end)
    }
}

/// How each list becomes one result: in levels, whose lists are parts of at most some length.
#[derive(Debug, Default)]
struct Fold {
    /// The numbers of the terms, of all levels.
    numbers: Vec<u32>,
    /// Where each list of a level begins in that level's numbers, and where the last one ends.
    starts: Vec<u32>,
    levels: Vec<Level>,
}

#[derive(Debug, PartialEq, Eq)]
struct Level {
    /// Where the level begins in [`Fold::numbers`].
    first_number: usize,
    /// Where the level begins in [`Fold::starts`].
    first_start: usize,
    /// The number of results.
    results: usize,
}

impl Fold {
    /// Cuts lists into parts; an empty list is one part.
    fn of(mut lists: Lists, length: usize) -> Self {
        let mut fold = Self::default();
        loop {
            let (first_number, first_start) = (fold.numbers.len(), fold.starts.len());
            let (mut results, mut ends) = (0, Vec::with_capacity(lists.len()));
            fold.starts.push(0);
            for Range { start, end } in lists.ranges() {
                let inner = (start..end).step_by(length).skip(1);
                let parts = inner.len() as u32 + 1;
                fold.starts.extend(inner.chain([end]));
                results += parts;
                ends.push(results);
            }
            fold.numbers.append(&mut lists.numbers);
            fold.levels.push(Level { first_number, first_start, results: results as usize });
            if results as usize == ends.len() {
                return fold;
            }
            lists = Lists { numbers: (0..results).collect(), ends };
        }
    }

    /// Sends the numbers and starts to the GPU, and returns those of each level.
    fn send(
        &self,
        workspace: &mut Workspace,
        number: usize,
    ) -> Result<Vec<[Argument; 2]>, CudaError> {
        let (numbers, starts) = (&self.numbers, &self.starts);
        let sent =
            workspace.input(number, numbers.len() + starts.len(), |memory: &mut [u32]| {
                let (first, second) = memory.split_at_mut(numbers.len());
                first.copy_from_slice(numbers);
                second.copy_from_slice(starts);
            })?;
        let of_level = |level: &Level| {
            [level.first_number, numbers.len() + level.first_start].map(|word| at(sent, word))
        };
        Ok(self.levels.iter().map(of_level).collect())
    }
}

/// The address of a word of 32 bits.
fn at(address: Argument, word: usize) -> Argument {
    match address {
        Argument::Pointer(pointer) => Argument::Pointer(pointer + 4 * word as u64),
        other => other,
    }
}

/// The kernels of a group.
struct Names {
    sum_points: &'static str,
    sum_sums: &'static str,
    affine_sums: &'static str,
}

fn names<C: Curve>() -> Names {
    match C::DEGREE {
        1 => Names {
            sum_points: "bls12_381_sum_points_g1",
            sum_sums: "bls12_381_sum_sums_g1",
            affine_sums: "bls12_381_affine_sums_g1",
        },
        _ => Names {
            sum_points: "bls12_381_sum_points_g2",
            sum_sums: "bls12_381_sum_sums_g2",
            affine_sums: "bls12_381_affine_sums_g2",
        },
    }
}

/// The terms of sums.
#[derive(Clone, Copy, Debug)]
pub(super) enum Terms {
    /// Affine points.
    Points(Points),
    /// Sums, which have a Z.
    Sums(Points),
}

/// Adds the terms of each list, `length` in a thread. Uses an input and two scratches from `number`
/// on. Returns sums.
pub(super) fn fold_sums<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    terms: Terms,
    (lists, length): (Lists, usize),
) -> Result<Points, CudaError> {
    let names = names::<C>();
    let fold = Fold::of(lists, length);
    let sent = fold.send(workspace, number)?;
    let (mut name, mut from) = match terms {
        Terms::Points(points) => (names.sum_points, points),
        Terms::Sums(sums) => (names.sum_sums, sums),
    };
    for (level, ([numbers, starts], Level { results, .. })) in
        sent.into_iter().zip(&fold.levels).enumerate()
    {
        // Two memories take turns.
        let sums = workspace.scratch::<u8>(number + level % 2, sum_bytes::<C>() * results)?;
        let [address, stride] = from.arguments();
        let arguments = [address, stride, numbers, starts, sums, count_of(*results)];
        workspace.launch(name, *results as u64, &arguments)?;
        (name, from) = (names.sum_sums, Points { address: sums, count: *results });
    }
    Ok(from)
}

/// Bytes of a sum.
pub(super) fn sum_bytes<C: Curve>() -> usize {
    3 * C::COMPRESSED_BYTES
}

/// Divides sums by their Z. The output `number` is 1 for a sum that is infinity, and else 0; the
/// scratch `number` has the points.
pub(super) fn affine_sums<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    Points { address, count }: Points,
) -> Result<Points, CudaError> {
    let points = workspace.scratch::<u8>(number, C::UNCOMPRESSED_BYTES * count)?;
    let infinities = workspace.output::<u32>(number, count)?;
    let arguments = [address, points, infinities, count_of(count)];
    workspace.launch(names::<C>().affine_sums, count as u64, &arguments)?;
    Ok(Points { address: points, count })
}

/// Adds the points of each list. Uses an input and three scratches from `number` on, and fetches
/// the output of [`affine_sums`] at `number`.
pub(super) fn sum_lists<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    points: Points,
    lists: Lists,
) -> Result<Points, CudaError> {
    let sums = fold_sums::<C>(workspace, number + 1, Terms::Points(points), (lists, TERMS))?;
    let points = affine_sums::<C>(workspace, number, sums)?;
    workspace.fetch::<u32>(number, points.count)?;
    Ok(points)
}

/// Pairs of points, by their numbers among points of G1 and of G2.
pub(super) struct PairLists {
    pub(super) of_g1: Points,
    pub(super) of_g2: Points,
    /// The pairs of all products.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The number of pairs of each product.
    pub(super) lengths: Vec<usize>,
}

/// Checks which products of pairings are 1; a product has the pairs of all `parts`. Uses an input
/// for each part and one more, and three scratches, from `number` on. Returns the address of the
/// verdicts, 1 or 0, which are the output `number`.
pub(super) fn check_products(
    workspace: &mut Workspace,
    number: usize,
    parts: &[PairLists],
) -> Result<Argument, CudaError> {
    let count = parts.first().map_or(0, |part| part.lengths.len());
    let loops = parts.iter().flat_map(|part| &part.lengths);
    let loops = loops.map(|pairs| pairs.div_ceil(PAIRS)).sum::<usize>();
    let values = workspace.scratch::<[u32; VALUE_WORDS]>(number, loops)?;
    // The first value of each product in each part.
    let mut firsts = Vec::with_capacity(parts.len());
    let mut done = 0;
    for (place, part) in parts.iter().enumerate() {
        firsts.push(done as u32);
        done += launch_loops(workspace, number + place, part, (at(values, done), loops))?;
    }
    let mut lists = Lists::default();
    for product in 0..count {
        let ranges = parts.iter().zip(&mut firsts).flat_map(|(part, first)| {
            let start = *first;
            *first += part.lengths[product].div_ceil(PAIRS) as u32;
            start..*first
        });
        lists.push(ranges);
    }
    let fold = Fold::of(lists, TERMS);
    let sent = fold.send(workspace, number + parts.len())?;
    let mut from = Points { address: values, count: loops };
    for (level, ([numbers, starts], Level { results, .. })) in
        sent.into_iter().zip(&fold.levels).enumerate()
    {
        let memory = number + 1 + level % 2;
        let products = workspace.scratch::<[u32; VALUE_WORDS]>(memory, *results)?;
        let [address, stride] = from.arguments();
        let arguments = [address, stride, numbers, starts, products, count_of(*results)];
        workspace.launch("bls12_381_multiply_values", *results as u64, &arguments)?;
        from = Points { address: products, count: *results };
    }
    let verdicts = workspace.output::<u32>(number, count)?;
    let arguments = [from.address, verdicts, count_of(count)];
    workspace.launch("bls12_381_check_values", count as u64, &arguments)?;
    Ok(verdicts)
}

/// Computes the Miller loops of all pairs of a part, and returns the number of their values.
fn launch_loops(
    workspace: &mut Workspace,
    number: usize,
    part: &PairLists,
    (values, stride): (Argument, usize),
) -> Result<usize, CudaError> {
    let pairs = part.pairs.as_flattened();
    let mut starts = vec![0];
    let mut start = 0;
    for length in &part.lengths {
        let end = start + *length as u32;
        starts.extend((start..end).step_by(PAIRS).skip(1));
        if start < end {
            starts.push(end);
        }
        start = end;
    }
    let count = starts.len() - 1;
    let sent = workspace.input(number, pairs.len() + starts.len(), |memory: &mut [u32]| {
        let (first, second) = memory.split_at_mut(pairs.len());
        first.copy_from_slice(pairs);
        second.copy_from_slice(&starts);
    })?;
    let [ps, p_stride] = part.of_g1.arguments();
    let [qs, q_stride] = part.of_g2.arguments();
    let starts = at(sent, pairs.len());
    let sizes = [count_of(stride), count_of(count)];
    let arguments = [ps, p_stride, qs, q_stride, sent, starts, values, sizes[0], sizes[1]];
    workspace.launch("bls12_381_miller_products", count as u64, &arguments)?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of a fold, as lists of terms.
    fn folded(lists: &[Vec<u32>], length: usize) -> Vec<Vec<u32>> {
        let fold = Fold::of(listed(lists), length);
        let mut terms: Vec<Vec<u32>> = (0..1000).map(|term| vec![term]).collect();
        for level in &fold.levels {
            let starts = &fold.starts[level.first_start..][..=level.results];
            let numbers = &fold.numbers[level.first_number..];
            let part = |range: &[u32]| {
                assert!(range[1] - range[0] <= length as u32);
                let part = &numbers[range[0] as usize..range[1] as usize];
                part.iter().flat_map(|&number| terms[number as usize].clone()).collect()
            };
            terms = starts.windows(2).map(part).collect();
        }
        terms
    }

    fn listed(lists: &[Vec<u32>]) -> Lists {
        Lists::of_lengths(lists.concat(), lists.iter().map(Vec::len))
    }

    #[test]
    fn folds_keep_all_terms_of_their_lists() {
        let lists: Vec<Vec<u32>> = [0, 1, 3, 4, 5, 16, 17, 64, 65, 300, 0]
            .map(|length| (0..length).map(|term| (term * 7 + length) % 1000).collect())
            .to_vec();
        for length in [2, 4, TERMS] {
            assert_eq!(folded(&lists, length), lists, "{length}");
        }
        let fold = Fold::of(listed(&[vec![5; TERMS], vec![]]), TERMS);
        assert_eq!(fold.levels, [Level { first_number: 0, first_start: 0, results: 2 }]);
    }
}
