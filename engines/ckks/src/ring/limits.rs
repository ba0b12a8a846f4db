// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sizes that rings and factors may have.

/// log₂ of the least and the greatest N.
pub const LOG_DEGREES: std::ops::RangeInclusive<u32> = 5..=17;

/// The fewest values that are held of a factor that repeats itself.
pub(crate) const MIN_VALUES: usize = 16;
