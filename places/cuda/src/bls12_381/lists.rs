// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of listed points and products of listed pairings (`kernels/pairing/lists.cuh`): a thread
//! has a few terms, so a long list takes several launches, each with fewer results.

use halimede_bls12_381::Curve;

use super::parts::{count_of, ELEMENT_WORDS};
use crate::error::CudaError;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Terms that a thread adds or multiplies.
const TERMS: usize = 16;
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
    fn arguments(self) -> [Argument; 2] {
        [self.address, count_of(self.count)]
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
    fn of(mut lists: Vec<Vec<u32>>, length: usize) -> Self {
        let mut fold = Self::default();
        loop {
            let (first_number, first_start) = (fold.numbers.len(), fold.starts.len());
            let (mut end, mut results) = (0, 0);
            fold.starts.push(0);
            for list in &mut lists {
                let parts = list.len().div_ceil(length).max(1);
                for part in 1..=parts {
                    fold.starts.push(end + (part * length).min(list.len()) as u32);
                }
                end += list.len() as u32;
                fold.numbers.append(list);
                list.extend(results..results + parts as u32);
                results += parts as u32;
            }
            fold.levels.push(Level { first_number, first_start, results: results as usize });
            if lists.iter().all(|list| list.len() == 1) {
                return fold;
            }
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

/// Adds the points of each list. Uses an input, three scratches and an output from `number` on. The
/// output, which is fetched, is 1 for a sum that is infinity, and else 0.
pub(super) fn sum_lists<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    points: Points,
    lists: Vec<Vec<u32>>,
) -> Result<Points, CudaError> {
    let (names, count) = (names::<C>(), lists.len());
    let fold = Fold::of(lists, TERMS);
    let sent = fold.send(workspace, number)?;
    let bytes = 3 * C::COMPRESSED_BYTES;
    let [mut address, mut stride] = points.arguments();
    for (level, ([numbers, starts], Level { results, .. })) in
        sent.into_iter().zip(&fold.levels).enumerate()
    {
        let name = if level == 0 { names.sum_points } else { names.sum_sums };
        // Two memories take turns.
        let sums = workspace.scratch::<u8>(number + level % 2, bytes * results)?;
        let arguments = [address, stride, numbers, starts, sums, count_of(*results)];
        workspace.launch(name, *results as u64, &arguments)?;
        (address, stride) = (sums, count_of(*results));
    }
    let points = workspace.scratch::<u8>(number + 2, C::UNCOMPRESSED_BYTES * count)?;
    let infinities = workspace.output::<u32>(number, count)?;
    let arguments = [address, points, infinities, count_of(count)];
    workspace.launch(names.affine_sums, count as u64, &arguments)?;
    workspace.fetch::<u32>(number, count)?;
    Ok(Points { address: points, count })
}

/// Pairs of points, by their numbers among points of G1 and of G2.
pub(super) struct PairLists {
    pub(super) of_g1: Points,
    pub(super) of_g2: Points,
    /// The pairs of each product.
    pub(super) products: Vec<Vec<[u32; 2]>>,
}

/// Checks which products of pairings are 1; a product has the pairs of all `parts`. Uses an input
/// for each part and one more, and three scratches, from `number` on. The verdicts, 1 or 0, are
/// fetched as the output `number`.
pub(super) fn check_products(
    workspace: &mut Workspace,
    number: usize,
    parts: &[PairLists],
) -> Result<(), CudaError> {
    let count = parts.first().map_or(0, |part| part.products.len());
    let loops = parts.iter().flat_map(|part| &part.products);
    let loops = loops.map(|pairs| pairs.len().div_ceil(PAIRS)).sum::<usize>();
    let values = workspace.scratch::<[u32; VALUE_WORDS]>(number, loops)?;
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut done = 0;
    for (place, part) in parts.iter().enumerate() {
        let end = launch_loops(workspace, number + place, part, (at(values, done), loops))?;
        let mut numbers = done as u32..;
        for (list, pairs) in lists.iter_mut().zip(&part.products) {
            list.extend(numbers.by_ref().take(pairs.len().div_ceil(PAIRS)));
        }
        done += end;
    }
    let fold = Fold::of(lists, TERMS);
    let sent = fold.send(workspace, number + parts.len())?;
    let (mut address, mut stride) = (values, count_of(loops));
    for (level, ([numbers, starts], Level { results, .. })) in
        sent.into_iter().zip(&fold.levels).enumerate()
    {
        let memory = number + 1 + level % 2;
        let products = workspace.scratch::<[u32; VALUE_WORDS]>(memory, *results)?;
        let arguments = [address, stride, numbers, starts, products, count_of(*results)];
        workspace.launch("bls12_381_multiply_values", *results as u64, &arguments)?;
        (address, stride) = (products, count_of(*results));
    }
    let verdicts = workspace.output::<u32>(number, count)?;
    let arguments = [address, verdicts, count_of(count)];
    workspace.launch("bls12_381_check_values", count as u64, &arguments)?;
    workspace.fetch::<u32>(number, count)
}

/// Computes the Miller loops of all pairs of a part, and returns the number of their values.
fn launch_loops(
    workspace: &mut Workspace,
    number: usize,
    part: &PairLists,
    (values, stride): (Argument, usize),
) -> Result<usize, CudaError> {
    let pairs: Vec<u32> = part.products.iter().flatten().flatten().copied().collect();
    let mut starts = vec![0];
    let mut end = 0;
    for pairs in &part.products {
        starts.extend(pairs.chunks(PAIRS).map(|chunk| {
            end += chunk.len() as u32;
            end
        }));
    }
    let count = starts.len() - 1;
    if count == 0 {
        return Ok(0);
    }
    let sent = workspace.input(number, pairs.len() + starts.len(), |memory: &mut [u32]| {
        let (first, second) = memory.split_at_mut(pairs.len());
        first.copy_from_slice(&pairs);
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

    /// The results of a fold, as sorted lists of terms.
    fn folded(lists: &[Vec<u32>], length: usize) -> Vec<Vec<u32>> {
        let fold = Fold::of(lists.to_vec(), length);
        let mut terms: Vec<Vec<u32>> = (0..1000).map(|term| vec![term]).collect();
        for level in &fold.levels {
            let starts = &fold.starts[level.first_start..][..=level.results];
            let numbers = &fold.numbers[level.first_number..];
            terms = starts
                .array_windows()
                .map(|&[start, end]| {
                    assert!(end - start <= length as u32);
                    let part = &numbers[start as usize..end as usize];
                    part.iter().flat_map(|&number| terms[number as usize].clone()).collect()
                })
                .collect();
        }
        terms
    }

    #[test]
    fn folds_keep_all_terms_of_their_lists() {
        let lists: Vec<Vec<u32>> = [0, 1, 3, 4, 5, 16, 17, 64, 65, 300, 0]
            .map(|length| (0..length).map(|term| (term * 7 + length) % 1000).collect())
            .to_vec();
        for length in [2, 4, TERMS] {
            assert_eq!(folded(&lists, length), lists, "{length}");
        }
        let fold = Fold::of(vec![vec![5; TERMS], vec![]], TERMS);
        assert_eq!(fold.levels, [Level { first_number: 0, first_start: 0, results: 2 }]);
    }
}
