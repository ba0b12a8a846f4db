// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The possible sizes of rings and factors.

/// The range of log₂ N.
pub const LOG_DEGREES: std::ops::RangeInclusive<u32> = 5..=17;

/// The minimal number of stored values of a repeated factor.
pub(crate) const MIN_VALUES: usize = 16;
