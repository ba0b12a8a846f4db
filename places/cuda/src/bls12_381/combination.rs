// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random linear combinations of the equations e(key, hash)·e(−g, signature) = 1, as on the
//! processor: the product of many rows' equations, each to the power of its multiplier of 128 bits,
//! is 1 if all hold, and with probability 2⁻¹²⁸ if one does not. Rows whose product is not 1 are
//! checked each, without multipliers.
//!
//! Rows with an equal message or an equal key have one pair, with the sum of the multiples of their
//! other points.

use halimede_bls12_381::{Curve, Multiplier, MULTIPLIER_BITS};

use super::lists::{
    affine_sums, check_products, fold_sums, sum_bytes, Lists, PairLists, Points, Terms, TERMS,
};
use super::parts::{count_of, minus_generator};
use super::variants::Variant;
use crate::error::CudaError;
use crate::groups::by_key;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Consecutive rows with a common product. A product needs a final exponentiation and, in a thread,
/// 128 doublings: as much as one row.
pub(super) const COMMON_ROWS: usize = 1 << 10;
/// The least points of a sum of multiples by buckets.
const LARGE_GROUP: usize = 16;
/// Points that a thread adds to a bucket.
const BUCKET_POINTS: usize = 64;

/// Numbers of memory after the first one. Each part uses several from its number on.
const SMALL_GROUPS: usize = 6;
const LARGE_GROUPS: usize = 10;
const SIGNATURES: usize = 16;
const PRODUCTS: usize = 22;

/// The rows of a group, on the GPU.
pub(super) struct Equations {
    /// Different keys, and their statuses.
    pub(super) keys: Points,
    pub(super) key_statuses: Argument,
    /// Different hashes.
    pub(super) hashes: Points,
    /// A signature for each row, and their statuses.
    pub(super) signatures: Points,
    pub(super) signature_statuses: Argument,
    /// The number of each row's key and hash.
    pub(super) key_of: Vec<u32>,
    pub(super) hash_of: Vec<u32>,
    /// The number of consecutive rows with a common product.
    pub(super) common_rows: usize,
}

/// A group's rows whose points are added, and the number of the other point.
#[derive(Default)]
struct Groups {
    rows: Lists,
    others: Vec<u32>,
    /// The number of groups of each product.
    lengths: Vec<usize>,
}

impl Groups {
    /// Returns the small and the large groups of rows with an equal point.
    fn of(point_of: &[u32], common_rows: usize) -> [Self; 2] {
        let mut both = [Self::default(), Self::default()];
        for (product, points) in point_of.chunks(common_rows).enumerate() {
            let before = both.each_ref().map(|groups| groups.others.len());
            for (point, rows) in by_key(points.iter().copied()) {
                let groups = &mut both[usize::from(rows.len() >= LARGE_GROUP)];
                let first = product * common_rows;
                groups.rows.push(rows.iter().map(|row| (first + row) as u32));
                groups.others.push(point);
            }
            for (groups, before) in both.iter_mut().zip(before) {
                groups.lengths.push(groups.others.len() - before);
            }
        }
        both
    }

    /// The pairs of the sums of groups with their other points.
    fn pairs<V: Variant>(self, sums: Points, others: Points, are_keys: bool) -> PairLists {
        let ordered = |number, other| match are_keys {
            true => V::ordered(number, other),
            false => V::ordered(other, number),
        };
        let [of_g1, of_g2] = match are_keys {
            true => V::ordered(sums, others),
            false => V::ordered(others, sums),
        };
        let pairs = (0..).zip(&self.others).map(|(number, other)| ordered(number, *other));
        PairLists { of_g1, of_g2, pairs: pairs.collect(), lengths: self.lengths }
    }
}

/// Sends numbers as an input.
pub(super) fn send(
    workspace: &mut Workspace,
    input: usize,
    values: &[u32],
) -> Result<Argument, CudaError> {
    workspace.input(input, values.len(), |memory: &mut [u32]| memory.copy_from_slice(values))
}

impl Equations {
    /// Checks the rows. With multipliers, products of many rows are checked first. Uses memory from
    /// `number` on; the verdicts, 1 or 0, are fetched as the output `verdicts`.
    pub(super) fn check<V: Variant>(
        &self,
        workspace: &mut Workspace,
        number: usize,
        multipliers: Option<&[Multiplier]>,
        verdicts: usize,
    ) -> Result<(), CudaError> {
        let count = self.key_of.len();
        let products = match multipliers {
            Some(multipliers) => self.check_common::<V>(workspace, number, multipliers)?,
            // No product is known to be 1.
            None => send(workspace, number, &vec![0; count.div_ceil(self.common_rows)])?,
        };
        let pairs = self.key_of.iter().zip(&self.hash_of);
        let pairs: Vec<[u32; 2]> = pairs.map(|(key, hash)| V::ordered(*key, *hash)).collect();
        let pairs = send(workspace, number + 1, pairs.as_flattened())?;
        let generator = minus_generator::<V::Key>(workspace)?;
        let [ps, qs] = V::ordered(self.keys, self.hashes).map(Points::arguments);
        let [second_p, second_q] = V::ordered(generator, self.signatures.address);
        let [is_shared, _] = V::ordered(1, 0);
        let replies = workspace.output::<u32>(verdicts, count)?;
        let arguments = [
            products,
            count_of(self.common_rows),
            ps[0],
            ps[1],
            qs[0],
            qs[1],
            pairs,
            second_p,
            second_q,
            Argument::U32(is_shared),
            replies,
            count_of(count),
        ];
        workspace.launch("bls12_381_check_rows", count as u64, &arguments)?;
        workspace.fetch::<u32>(verdicts, count)
    }

    /// Checks products of [`Self::common_rows`] rows, without those that have no valid points.
    /// Returns the address of their verdicts.
    fn check_common<V: Variant>(
        &self,
        workspace: &mut Workspace,
        number: usize,
        multipliers: &[Multiplier],
    ) -> Result<Argument, CudaError> {
        let count = self.key_of.len();
        let keys = send(workspace, number, &self.key_of)?;
        let valid = workspace.scratch::<u32>(number, count)?;
        let statuses = self.signature_statuses;
        let arguments = [self.key_statuses, keys, statuses, valid, count_of(count)];
        workspace.launch("bls12_381_find_valid", count as u64, &arguments)?;
        let are_keys = match self.hashes.count.cmp(&self.keys.count) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => V::CHEAP_KEYS,
            std::cmp::Ordering::Greater => false,
        };
        let weights = Weights { multipliers, valid };
        let mut parts = match are_keys {
            true => {
                let summed = (self.keys, &self.key_of[..]);
                let groups = Groups::of(&self.hash_of, self.common_rows);
                let sums = weights.sum_groups::<V::Key>(workspace, number, summed, &groups)?;
                with_others::<V>(groups, sums, self.hashes, true)
            }
            false => {
                let summed = (self.hashes, &self.hash_of[..]);
                let groups = Groups::of(&self.key_of, self.common_rows);
                let sums =
                    weights.sum_groups::<V::Signature>(workspace, number, summed, &groups)?;
                with_others::<V>(groups, sums, self.keys, false)
            }
        };
        let all: Vec<u32> = (0..count as u32).collect();
        let selected = (number + 3, self.signatures, &all[..]);
        let signatures = weights.select::<V::Signature>(workspace, selected)?;
        let lengths = all.chunks(self.common_rows).map(<[u32]>::len);
        let lists = Lists::of_lengths(all.clone(), lengths);
        let sums = weights.sum_by_buckets::<V::Signature>(
            workspace,
            number + SIGNATURES,
            signatures,
            &lists,
        )?;
        let generator = Points { address: minus_generator::<V::Key>(workspace)?, count: 1 };
        let [of_g1, of_g2] = V::ordered(generator, sums);
        let numbers = 0..sums.count as u32;
        let pairs = numbers.map(|number| V::ordered(0, number)).collect();
        parts.push(PairLists { of_g1, of_g2, pairs, lengths: vec![1; sums.count] });
        check_products(workspace, number + PRODUCTS, &parts)
    }
}

fn with_others<V: Variant>(
    groups: [Groups; 2],
    sums: [Points; 2],
    others: Points,
    are_keys: bool,
) -> Vec<PairLists> {
    let both = groups.into_iter().zip(sums);
    both.map(|(groups, sums)| groups.pairs::<V>(sums, others, are_keys)).collect()
}

/// Multipliers of rows, and which rows are valid.
struct Weights<'w> {
    multipliers: &'w [Multiplier],
    valid: Argument,
}

impl Weights<'_> {
    /// Returns the point of each row, and infinity for a row that is not valid. Uses the input and
    /// the scratch of a number.
    fn select<C: Curve>(
        &self,
        workspace: &mut Workspace,
        (number, points, number_of): (usize, Points, &[u32]),
    ) -> Result<Points, CudaError> {
        let count = number_of.len();
        let numbers = send(workspace, number, number_of)?;
        let selected = workspace.scratch::<u8>(number, C::UNCOMPRESSED_BYTES * count)?;
        let kernel = match C::DEGREE {
            1 => "bls12_381_select_points_g1",
            _ => "bls12_381_select_points_g2",
        };
        let [address, stride] = points.arguments();
        let arguments = [address, stride, numbers, self.valid, selected, count_of(count)];
        workspace.launch(kernel, count as u64, &arguments)?;
        Ok(Points { address: selected, count })
    }

    /// Returns the sums of the multiples of the small and the large groups.
    fn sum_groups<C: Curve>(
        &self,
        workspace: &mut Workspace,
        number: usize,
        (points, number_of): (Points, &[u32]),
        [small, large]: &[Groups; 2],
    ) -> Result<[Points; 2], CudaError> {
        let selected = self.select::<C>(workspace, (number + 2, points, number_of))?;
        let small =
            self.sum_multiples::<C>(workspace, number + SMALL_GROUPS, selected, &small.rows)?;
        let large =
            self.sum_by_buckets::<C>(workspace, number + LARGE_GROUPS, selected, &large.rows)?;
        Ok([small, large])
    }

    /// Multiplies each listed point, and adds the multiples of each list. Uses three inputs and
    /// four scratches from `number` on.
    fn sum_multiples<C: Curve>(
        &self,
        workspace: &mut Workspace,
        number: usize,
        points: Points,
        lists: &Lists,
    ) -> Result<Points, CudaError> {
        let rows = &lists.numbers;
        let count = rows.len();
        let numbers = send(workspace, number, rows)?;
        let bytes = self.multipliers.as_flattened();
        let multipliers = workspace.input(number + 1, bytes.len(), |memory: &mut [u8]| {
            memory.copy_from_slice(bytes);
        })?;
        let sums = workspace.scratch::<u8>(number, sum_bytes::<C>() * count)?;
        let kernel = match C::DEGREE {
            1 => "bls12_381_multiply_points_g1",
            _ => "bls12_381_multiply_points_g2",
        };
        let [address, stride] = points.arguments();
        let arguments = [address, stride, numbers, multipliers, sums, count_of(count)];
        workspace.launch(kernel, count as u64, &arguments)?;
        let terms = Terms::Sums(Points { address: sums, count });
        let lists = Lists { numbers: (0..count as u32).collect(), ends: lists.ends.clone() };
        let sums = fold_sums::<C>(workspace, number + 2, terms, (lists, TERMS))?;
        affine_sums::<C>(workspace, number + 1, sums)
    }

    /// The same by buckets of equal digits. A sum needs only 128 doublings, in a thread. Uses
    /// inputs and scratches from `number` to `number` + 5.
    fn sum_by_buckets<C: Curve>(
        &self,
        workspace: &mut Workspace,
        number: usize,
        points: Points,
        lists: &Lists,
    ) -> Result<Points, CudaError> {
        let count = lists.len();
        let (mut buckets, mut bits) = (Lists::default(), Lists::default());
        for rows in lists.all() {
            add_buckets(&mut buckets, &mut bits, rows, self.multipliers);
        }
        let terms = Terms::Points(points);
        let buckets = fold_sums::<C>(workspace, number, terms, (buckets, BUCKET_POINTS))?;
        let terms = Terms::Sums(buckets);
        let bits = fold_sums::<C>(workspace, number + 2, terms, (bits, TERMS))?;
        let sums = workspace.scratch::<u8>(number + 4, sum_bytes::<C>() * count)?;
        let kernel = match C::DEGREE {
            1 => "bls12_381_join_bits_g1",
            _ => "bls12_381_join_bits_g2",
        };
        workspace.launch(kernel, count as u64, &[bits.address, sums, count_of(count)])?;
        affine_sums::<C>(workspace, number + 5, Points { address: sums, count })
    }
}

/// The bits of a digit for a number of points: the least additions, some for each point and window,
/// and half of the buckets for each bit.
fn digit_bits(points: usize) -> usize {
    match points {
        0..32 => 2,
        32..64 => 3,
        64..256 => 4,
        256..512 => 5,
        _ => 6,
    }
}

/// Adds the lists of the buckets of a sum of multiples, and for each bit of the sum the list of the
/// buckets whose digits have it.
fn add_buckets(buckets: &mut Lists, bits: &mut Lists, rows: &[u32], multipliers: &[Multiplier]) {
    let digit_bits = digit_bits(rows.len());
    let digits = 1 << digit_bits;
    let first = buckets.len() as u32;
    let mut of_digit: Vec<Vec<u32>> = vec![Vec::new(); digits];
    for place in (0..MULTIPLIER_BITS).step_by(digit_bits) {
        for row in rows {
            let multiplier = u128::from_le_bytes(multipliers[*row as usize]);
            of_digit[(multiplier >> place) as usize % digits].push(*row);
        }
        of_digit[0].clear();
        for rows in &mut of_digit[1..] {
            buckets.push(rows.drain(..));
        }
    }
    for bit in 0..MULTIPLIER_BITS {
        let (window, place) = (bit / digit_bits, bit % digit_bits);
        let before = first + (window * (digits - 1)) as u32;
        let of_bit = (1..digits as u32).filter(|digit| digit >> place & 1 == 1);
        bits.push(of_bit.map(|digit| before + digit - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multipliers(count: usize) -> Vec<Multiplier> {
        let mut word = 7_u128;
        let mut next = || {
            word = word.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(99);
            word.rotate_right(41)
        };
        let mut all: Vec<Multiplier> = (0..count).map(|_| next().to_le_bytes()).collect();
        all[0] = [255; 16];
        all[1] = 1_u128.to_le_bytes();
        all
    }

    #[test]
    fn buckets_and_bits_add_up_to_the_multiples() {
        for count in [2, 16, 33, 65, 300, 600] {
            let multipliers = multipliers(count + 3);
            let (mut buckets, mut bits) = (Lists::default(), Lists::default());
            // Another sum has the first buckets.
            add_buckets(&mut buckets, &mut bits, &[0, 1], &multipliers);
            let rows: Vec<u32> = (0..count as u32).map(|row| row + 3).collect();
            add_buckets(&mut buckets, &mut bits, &rows, &multipliers);
            assert_eq!(bits.len(), 2 * MULTIPLIER_BITS);
            let lists: Vec<&[u32]> = buckets.all().collect();
            // The sum of row numbers times multipliers, with points that are numbers.
            let mut sum = 0_u128;
            for (bit, of_bit) in bits.all().skip(MULTIPLIER_BITS).enumerate() {
                for bucket in of_bit {
                    let rows = lists[*bucket as usize].iter();
                    let points = rows.map(|row| u128::from(*row)).sum::<u128>();
                    sum = sum.wrapping_add(points << bit);
                }
            }
            let expected = rows.iter().fold(0_u128, |sum, row| {
                let multiplier = u128::from_le_bytes(multipliers[*row as usize]);
                sum.wrapping_add(multiplier.wrapping_mul(u128::from(*row)))
            });
            assert_eq!(sum, expected, "{count}");
        }
    }

    #[test]
    fn groups_do_not_cross_products() {
        let count = COMMON_ROWS + 60;
        // Points 0 and 1 have many rows; the others have one each.
        let point_of: Vec<u32> =
            (0..count as u32).map(|row| if row % 3 == 2 { row } else { row % 3 }).collect();
        let [small, large] = Groups::of(&point_of, COMMON_ROWS);
        assert_eq!(large.lengths, [2, 2]);
        assert_eq!(large.others[..2], [0, 1]);
        for groups in [&small, &large] {
            for (rows, other) in groups.rows.all().zip(&groups.others) {
                assert!(rows.iter().all(|row| point_of[*row as usize] == *other));
                let product = rows[0] as usize / COMMON_ROWS;
                assert!(rows.iter().all(|row| *row as usize / COMMON_ROWS == product));
            }
        }
        let all = small.rows.numbers.len() + large.rows.numbers.len();
        assert_eq!(all, count);
    }
}
