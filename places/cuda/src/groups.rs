// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rows of a batch in groups that one launch can answer.

use std::collections::HashMap;
use std::hash::Hash;

/// Returns the different keys in the order of their first rows, each with the numbers of its rows.
pub(crate) fn by_key<K: Eq + Hash + Copy>(keys: impl Iterator<Item = K>) -> Vec<(K, Vec<usize>)> {
    let mut groups: Vec<(K, Vec<usize>)> = Vec::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    for (row, key) in keys.enumerate() {
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    groups
}

/// Returns the different keys in the order of their first rows, and for each row the number of its
/// key.
pub(crate) fn numbered<K: Eq + Hash + Copy>(keys: impl Iterator<Item = K>) -> (Vec<K>, Vec<u32>) {
    let (mut different, mut numbers) = (Vec::new(), HashMap::new());
    let number_of = keys.map(|key| {
        *numbers.entry(key).or_insert_with(|| {
            different.push(key);
            different.len() as u32 - 1
        })
    });
    let number_of = number_of.collect();
    (different, number_of)
}

/// Returns where each part begins and where the last one ends, from 0 on.
pub(crate) fn starts(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut end = 0;
    let ends = lengths.map(|length| {
        end += length as u64;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// Copies parts of bytes to consecutive memory.
pub(crate) fn join<'p>(memory: &mut [u8], parts: impl Iterator<Item = &'p [u8]>) {
    let mut rest = memory;
    for part in parts {
        let (place, others) = std::mem::take(&mut rest).split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_in_groups() {
        let groups = by_key([7, 3, 7, 9, 3, 7].into_iter());
        assert_eq!(groups, [(7, vec![0, 2, 5]), (3, vec![1, 4]), (9, vec![3])]);
        assert!(by_key(std::iter::empty::<u8>()).is_empty());
    }

    #[test]
    fn equal_keys_have_one_number() {
        let (keys, numbers) = numbered([7, 3, 7, 9, 3, 7].into_iter());
        assert_eq!((keys, numbers), (vec![7, 3, 9], vec![0, 1, 0, 2, 1, 0]));
    }

    #[test]
    fn parts_follow_each_other() {
        assert_eq!(starts([3, 0, 2].into_iter()), [0, 3, 3, 5]);
        assert_eq!(starts(std::iter::empty()), [0]);
        let mut memory = [0; 5];
        join(&mut memory, [&b"abc"[..], b"", b"de"].into_iter());
        assert_eq!(&memory, b"abcde");
    }
}
