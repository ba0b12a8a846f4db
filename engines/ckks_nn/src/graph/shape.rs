// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shapes of values: an image is channels × height × width, a vector is its features. The batch has
//! no axis.

use std::fmt;

use crate::error::NetworkError;

/// The largest number of values of a tensor: the largest ring has 2¹⁶ slots.
const MOST_VALUES: usize = 1 << 20;
/// The largest number of axes.
const MOST_AXES: usize = 4;

/// The axes of a value without the batch. The last axis varies fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Vec<usize>);

impl Shape {
    /// Returns a shape with these axes.
    ///
    /// # Errors
    /// [`NetworkError::Limit`] for no axis or more than 4, an axis of 0, and more than 2²⁰ values.
    pub fn new(axes: &[usize]) -> Result<Self, NetworkError> {
        if axes.is_empty() || axes.len() > MOST_AXES {
            let (what, got) = ("axes of a tensor, at least 1".to_owned(), axes.len());
            return Err(NetworkError::Limit { what, got, limit: MOST_AXES });
        }
        let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(*axis));
        match size {
            Some(1..=MOST_VALUES) => Ok(Self(axes.to_vec())),
            _ => Err(NetworkError::Limit {
                what: format!("values of a tensor of axes {axes:?}, at least 1"),
                got: size.unwrap_or(usize::MAX),
                limit: MOST_VALUES,
            }),
        }
    }

    /// Returns the axes.
    pub fn axes(&self) -> &[usize] {
        &self.0
    }

    /// Returns the number of values.
    pub fn size(&self) -> usize {
        self.0.iter().product()
    }

    /// Returns channels, height and width of an image; `None` for other shapes.
    pub fn image(&self) -> Option<[usize; 3]> {
        <[usize; 3]>::try_from(self.0.as_slice()).ok()
    }

    /// Returns channels, height and width. Other shapes count each value as a channel.
    pub(crate) fn as_image(&self) -> [usize; 3] {
        self.image().unwrap_or([self.size(), 1, 1])
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&axes.join(" × "))
    }
}
