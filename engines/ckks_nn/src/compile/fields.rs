// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fields of a network's file, read one after another.

use crate::graph::Shape;

/// The content of a file and the number of bytes that were read of it.
pub struct Fields<'a> {
    pub content: &'a [u8],
    pub at: usize,
}

/// A value, or an error and its position.
pub type Checked<T> = Result<T, (usize, String)>;

impl Fields<'_> {
    /// Returns an error about the last bytes.
    pub fn wrong<T>(&self, bytes: usize, what: String) -> Checked<T> {
        Err((self.at - bytes, what))
    }

    pub fn array<const BYTES: usize>(&mut self, what: &str) -> Checked<[u8; BYTES]> {
        let next = self.content.get(self.at..).and_then(|rest| rest.first_chunk());
        let Some(bytes) = next else { return self.wrong(0, format!("{what} is missing")) };
        self.at += BYTES;
        Ok(*bytes)
    }

    /// Returns the next bytes; `None` if fewer are left.
    pub fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        let bytes = self.content.get(self.at..)?.get(..count)?;
        self.at += count;
        Some(bytes)
    }

    /// Returns a number of `bytes` bytes, 4 at most.
    pub fn number(&mut self, bytes: usize, what: &str, most: usize) -> Checked<usize> {
        let Some(next) = self.content.get(self.at..self.at + bytes) else {
            return self.wrong(0, format!("{what} is missing"));
        };
        self.at += bytes;
        let number = next.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        match number <= most {
            true => Ok(number),
            false => self.wrong(bytes, format!("{what}: {number} is above the limit of {most}")),
        }
    }

    pub fn shape(&mut self) -> Checked<Shape> {
        let count = self.number(1, "the number of axes", usize::from(u8::MAX))?;
        let mut axes = Vec::with_capacity(count);
        for _ in 0..count {
            axes.push(self.number(4, "an axis", u32::MAX as usize)?);
        }
        Shape::new(&axes).or_else(|error| self.wrong(4 * count + 1, error.to_string()))
    }
}
