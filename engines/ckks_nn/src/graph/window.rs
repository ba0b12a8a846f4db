// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Windows that slide over an image, for convolutions and pools.

/// The largest number in a window: no image has more rows.
const MOST: usize = 1 << 16;

/// A window over the rows and columns of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rows and columns of the kernel.
    pub kernel: [usize; 2],
    /// The steps from one result to the next.
    pub strides: [usize; 2],
    /// The distances of the kernel's elements.
    pub dilations: [usize; 2],
    /// The number of added zeros: at the top, on the left, at the bottom, on the right.
    pub pads: [usize; 4],
}

impl Window {
    /// Returns a window with steps of 1 and without padding.
    pub fn new(kernel: [usize; 2]) -> Self {
        Self { kernel, strides: [1; 2], dilations: [1; 2], pads: [0; 4] }
    }

    /// Returns the rows and columns of the result for an image of these rows and columns.
    ///
    /// # Errors
    /// A description of the error: numbers that are 0 or too large, or a kernel larger than the
    /// image.
    pub fn output(&self, size: [usize; 2]) -> Result<[usize; 2], String> {
        let positive = [self.kernel, self.strides, self.dilations].concat();
        if positive.iter().any(|number| !(1..=MOST).contains(number))
            || self.pads.iter().any(|number| *number > MOST)
        {
            return Err(format!(
                "kernel {:?}, strides {:?} and dilations {:?} must lie from 1 to {MOST}, pads \
                 {:?} from 0",
                self.kernel, self.strides, self.dilations, self.pads
            ));
        }
        let mut output = [0; 2];
        for axis in 0..2 {
            let padded = size[axis] + self.pads[axis] + self.pads[axis + 2];
            let extent = (self.kernel[axis] - 1) * self.dilations[axis] + 1;
            if extent > padded {
                let name = ["rows", "columns"][axis];
                return Err(format!(
                    "the kernel needs {extent} {name}, but the image with its pads has {padded}"
                ));
            }
            output[axis] = (padded - extent) / self.strides[axis] + 1;
        }
        Ok(output)
    }

    /// Checks that every pooling window overlaps the image.
    ///
    /// # Errors
    /// A description of the error.
    pub(crate) fn check_pool(&self, kind: &str, size: [usize; 2]) -> Result<(), String> {
        if self.dilations != [1; 2] {
            return Err(format!("dilations of a {kind} pool are not supported"));
        }
        self.output(size)?;
        let is_large = |axis: usize| self.pads[axis].max(self.pads[axis + 2]) >= self.kernel[axis];
        match (0..2).any(is_large) {
            true => Err(format!("the pads of a {kind} pool must be smaller than its kernel")),
            false => Ok(()),
        }
    }

    /// Returns the place of the image under an element of the kernel for a place of the result;
    /// `None` in the padding.
    pub(crate) fn source(
        &self,
        result: [usize; 2],
        element: [usize; 2],
        size: [usize; 2],
    ) -> Option<[usize; 2]> {
        let mut place = [0; 2];
        for axis in 0..2 {
            let padded = result[axis] * self.strides[axis] + element[axis] * self.dilations[axis];
            place[axis] = padded.checked_sub(self.pads[axis])?;
            if place[axis] >= size[axis] {
                return None;
            }
        }
        Some(place)
    }

    /// Returns all elements of the kernel, row by row.
    pub(crate) fn elements(&self) -> impl Iterator<Item = [usize; 2]> {
        let [rows, columns] = self.kernel;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
    }
}
