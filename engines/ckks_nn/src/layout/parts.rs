// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensors in several ciphertexts.
//!
//! A part is a range of the tensor's values, in order: whole channels; or rows of one channel if a
//! channel is too large; or places of one row if a row is. All parts except the last have the same
//! size, so that matrices between them have the same diagonals and need the same keys.

use std::ops::Range;

use crate::error::NetworkError;
use crate::graph::Shape;

/// The largest number of ciphertexts of a layer: with 2¹⁵ slots they hold 2²⁰ values, the largest
/// tensor.
pub const MOST_CIPHERTEXTS: usize = 32;

/// The largest number of ciphertexts of an input whose rows are divided.
pub const MOST_INPUT_CIPHERTEXTS: usize = 1024;

/// A part of a tensor, in one ciphertext.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorPart {
    /// The range of its values in the tensor.
    pub range: Range<usize>,
    pub shape: Shape,
}

/// Returns the ways to divide a tensor into parts that leave one slot of `room` free if `spare` is
/// set: the whole tensor if it fits; otherwise the smallest number of parts, and, if different, a
/// power of two of parts or of channels. No way has more than `most` parts.
///
/// # Errors
/// [`NetworkError::Limit`] for a tensor without values.
pub fn partitions(
    shape: &Shape,
    room: usize,
    spare: usize,
    most: usize,
) -> Result<Vec<Vec<TensorPart>>, NetworkError> {
    let size = shape.size();
    let room = room.saturating_sub(spare);
    if size <= room {
        return Ok(vec![vec![TensorPart { range: 0..size, shape: shape.clone() }]]);
    }
    if room == 0 {
        return Ok(Vec::new());
    }
    let [channels, height, width] = shape.as_image();
    // Each block of `count` units of `axes` is divided separately.
    let (count, axes): (usize, &dyn Fn(usize) -> [usize; 3]) = if height * width <= room {
        (channels, &|units| [units, height, width])
    } else if width <= room {
        (height, &|units| [1, units, width])
    } else {
        (width, &|units| [1, 1, units])
    };
    let unit = axes(1).iter().product::<usize>();
    let largest = room / unit;
    let fewest = count.div_ceil(largest);
    let mut sizes = vec![count.div_ceil(fewest)];
    for units in [count.div_ceil(fewest.next_power_of_two()), 1 << largest.ilog2()] {
        if !sizes.contains(&units) {
            sizes.push(units);
        }
    }
    let blocks = size / (count * unit);
    let is_few = |units: &usize| {
        count.div_ceil(*units).checked_mul(blocks).is_some_and(|parts| parts <= most)
    };
    let divided = |units: usize| {
        let in_block = |block: usize| {
            (0..count).step_by(units).map(move |first| (block, first, units.min(count - first)))
        };
        let part = |(block, first, units): (usize, usize, usize)| {
            let begin = (block * count + first) * unit;
            let shape = Shape::new(&axes(units))?;
            Ok(TensorPart { range: begin..begin + units * unit, shape })
        };
        (0..blocks).flat_map(in_block).map(part).collect()
    };
    sizes.into_iter().filter(is_few).map(divided).collect()
}

/// Divides a tensor into parts of whole rows of its last axis, such as the steps of a sequence. It
/// uses the largest allowed number of parts, each of a power of two of rows except the last, so
/// that rows use the same slots in all parts. Returns `None` if the rows do not fit.
///
/// # Errors
/// [`NetworkError::Limit`] for a tensor without values.
pub fn rows(
    shape: &Shape,
    room: usize,
    most: usize,
) -> Result<Option<Vec<TensorPart>>, NetworkError> {
    let size = shape.size();
    let row = shape.axes().last().copied().unwrap_or(size);
    let each = row * size.div_ceil(row).div_ceil(most.max(1)).next_power_of_two();
    if each > room {
        return Ok(None);
    }
    let part = |begin: usize| {
        let range = begin..size.min(begin + each);
        Ok(TensorPart { shape: Shape::new(&[range.len()])?, range })
    };
    (0..size).step_by(each).map(part).collect::<Result<_, NetworkError>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of values of each part.
    fn sizes(axes: &[usize], room: usize, spare: usize, most: usize) -> Vec<Vec<usize>> {
        let partitions = partitions(&Shape::new(axes).unwrap(), room, spare, most).unwrap();
        for parts in &partitions {
            let mut end = 0;
            for part in parts {
                assert_eq!(part.range.start, end);
                assert_eq!(part.shape.size(), part.range.len());
                assert!(part.range.len() + spare <= room);
                end = part.range.end;
            }
            assert_eq!(end, axes.iter().product::<usize>());
        }
        let sizes = |parts: &Vec<TensorPart>| parts.iter().map(|part| part.range.len()).collect();
        partitions.iter().map(sizes).collect()
    }

    #[test]
    fn parts_are_channels_rows_or_places() {
        assert_eq!(sizes(&[3, 4, 4], 48, 0, 1), [[48]]);
        assert_eq!(sizes(&[3, 4, 4], 48, 1, 9), [vec![32, 16]]);
        // Three channels fit: two parts of them, or four parts, a power of two.
        assert_eq!(sizes(&[6, 4, 4], 63, 0, 9), [vec![48, 48], vec![32, 32, 32]]);
        assert_eq!(sizes(&[10, 1, 1], 4, 0, 9), [vec![4, 4, 2], vec![3, 3, 3, 1]]);
        assert_eq!(sizes(&[10], 4, 0, 9), sizes(&[10, 1, 1], 4, 0, 9));
        // Rows of two channels; places of two rows.
        assert_eq!(sizes(&[2, 6, 5], 20, 0, 9), [vec![15, 15, 15, 15], vec![20, 10, 20, 10]]);
        assert_eq!(sizes(&[1, 2, 5], 4, 1, 9), [vec![3, 2, 3, 2], vec![2, 2, 1, 2, 2, 1]]);
        assert_eq!(sizes(&[600], 512, 0, 9), [vec![300, 300], vec![512, 88]]);
        assert_eq!(sizes(&[600], 512, 0, 1), Vec::<Vec<usize>>::new());
        assert_eq!(sizes(&[4], 1, 1, 9), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn rows_stand_in_the_same_slots_of_all_parts() {
        let of = |axes: &[usize], room: usize, most: usize| {
            let parts = rows(&Shape::new(axes).unwrap(), room, most).unwrap();
            parts.map(|parts| {
                assert!(parts.iter().all(|part| part.shape.size() == part.range.len()));
                parts.into_iter().map(|part| part.range).collect::<Vec<_>>()
            })
        };
        assert_eq!(of(&[3, 4], 4, 3), Some(vec![0..4, 4..8, 8..12]));
        assert_eq!(of(&[3, 4], 4, 2), None);
        assert_eq!(of(&[3, 4], 3, 9), None);
        // Two rows of 4 for two parts; of 5 rows in two parts, four and one; one row in each part
        // if more parts are allowed.
        assert_eq!(of(&[3, 4], 8, 2), Some(vec![0..8, 8..12]));
        assert_eq!(of(&[5, 5], 20, 2), Some(vec![0..20, 20..25]));
        assert_eq!(of(&[5, 5], 16, 2), None);
        assert_eq!(of(&[5, 5], 16, 9), of(&[5, 5], 5, 5));
        assert_eq!(of(&[1, 5, 5], 64, 1), Some(std::iter::once(0..25).collect()));
    }
}
