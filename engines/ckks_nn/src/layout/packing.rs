// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multiplexed packing (Lee et al., "Low-complexity deep convolutional neural networks on fully
//! homomorphic encryption using multiplexed parallel convolutions", ICML 2022).
//!
//! A convolution with stride 2 leaves every second row and column of its image empty. With gap g,
//! the values of one channel are g rows and g columns apart, and g² channels are interleaved in the
//! gaps, so that strides need no rotations to close the gaps.

use crate::graph::Shape;

/// The places of an image's or vector's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The rows and columns of a channel.
    size: [usize; 2],
    channels: usize,
    /// The rows and columns of the grid in which channels are interleaved.
    grid: [usize; 2],
    gap: usize,
}

impl Packing {
    /// Returns the packing channel by channel, row by row, without gaps.
    pub fn dense(shape: &Shape) -> Self {
        let [channels, height, width] = shape.as_image();
        Self { size: [height, width], channels, grid: [height, width], gap: 1 }
    }

    /// Returns a packing in the grid of another, with a gap; `None` if rows or columns do not fit.
    pub fn interleaved(shape: &Shape, like: &Self, gap: usize) -> Option<Self> {
        let [channels, height, width] = shape.as_image();
        let (size, grid) = ([height, width], like.grid);
        let fits = (0..2).all(|axis| (size[axis] - 1) * gap + gap <= grid[axis]);
        (gap > 0 && fits).then_some(Self { size, channels, grid, gap })
    }

    /// Returns the numbers that define it: channels, rows and columns of a channel, those of the
    /// grid, and the gap.
    pub fn numbers(&self) -> [usize; 6] {
        let ([rows, columns], [height, width]) = (self.size, self.grid);
        [self.channels, rows, columns, height, width, self.gap]
    }

    /// Returns the packing with these numbers in `slots` slots; `None` if the values do not fit.
    pub fn of_numbers(numbers: [usize; 6], slots: usize) -> Option<Self> {
        let [channels, rows, columns, height, width, gap] = numbers;
        if !numbers.iter().all(|number| (1..=slots).contains(number)) {
            return None;
        }
        let fits = rows.checked_mul(gap)? <= height && columns.checked_mul(gap)? <= width;
        let cells =
            height.checked_mul(width)?.checked_mul(channels.div_ceil(gap.checked_mul(gap)?))?;
        // The last block may be partly filled.
        if !fits || cells > slots.checked_mul(2)? {
            return None;
        }
        let packing = Self { size: [rows, columns], channels, grid: [height, width], gap };
        (packing.count() <= slots && packing.extent() <= slots).then_some(packing)
    }

    /// Returns the distance of neighboring values of a channel.
    pub fn gap(&self) -> usize {
        self.gap
    }

    /// Returns the slot of a value, by its place in the tensor.
    pub fn slot(&self, place: usize) -> usize {
        let [rows, columns] = self.size;
        let (channel, within) = (place / (rows * columns), place % (rows * columns));
        let (row, column) = (within / columns, within % columns);
        let [height, width] = self.grid;
        let (block, part) = (channel / (self.gap * self.gap), channel % (self.gap * self.gap));
        let row = row * self.gap + part / self.gap;
        let column = column * self.gap + part % self.gap;
        (block * height + row) * width + column
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.channels * self.size[0] * self.size[1]
    }

    /// Returns the slots of all values, in the order of the tensor.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count()).map(|place| self.slot(place))
    }

    /// Returns the number of slots up to the last value.
    pub fn extent(&self) -> usize {
        self.slots().max().map_or(0, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers come from files, so that any of them may be 0 or too large.
    #[test]
    fn numbers_of_no_packing_are_refused() {
        let numbers = [5, 2, 2, 4, 4, 2];
        let packing = Packing::of_numbers(numbers, 32).unwrap();
        assert_eq!((packing.numbers(), packing.extent()), (numbers, 27));
        for place in 0..numbers.len() {
            for wrong in [0, 33, usize::MAX] {
                let mut other = numbers;
                other[place] = wrong;
                assert_eq!(Packing::of_numbers(other, 32), None, "{other:?}");
            }
        }
    }

    #[test]
    fn channels_are_interleaved_in_the_gaps() {
        let image = Packing::dense(&Shape::new(&[2, 4, 4]).unwrap());
        assert_eq!((image.slot(0), image.slot(5), image.slot(16)), (0, 5, 16));
        let half = Packing::interleaved(&Shape::new(&[5, 2, 2]).unwrap(), &image, 2).unwrap();
        // Channel 3 is in the lower right corner of each cell, channel 4 in the next block.
        assert_eq!(half.slots().take(4).collect::<Vec<_>>(), [0, 2, 8, 10]);
        assert_eq!(half.slots().skip(12).collect::<Vec<_>>(), [5, 7, 13, 15, 16, 18, 24, 26]);
        assert_eq!(half.extent(), 27);
        let all: std::collections::BTreeSet<usize> = half.slots().collect();
        assert_eq!(all.len(), 20);
        assert_eq!(Packing::interleaved(&Shape::new(&[1, 3, 2]).unwrap(), &image, 2), None);
    }
}
