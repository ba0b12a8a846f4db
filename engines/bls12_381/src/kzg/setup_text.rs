// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The form of a setup as text.

use super::BLOB_ELEMENTS;
use crate::PointError;

/// The maximum size of a setup's text in bytes: twice that of the ceremony's.
pub const SETUP_LIMIT_BYTES: usize = 2 << 20;

/// The number of points of G1 in a setup, in each of its two forms.
pub(super) const G1_POINTS: usize = BLOB_ELEMENTS;
/// The number of points of G2 in a setup.
pub const G2_POINTS: usize = 65;

/// The lines of the text, from 1, in which points in Lagrange form, of G2, and powers begin.
pub(super) const FIRST_LINE: usize = 3;
pub(super) const G2_LINE: usize = FIRST_LINE + G1_POINTS;
pub(super) const POWERS_LINE: usize = G2_LINE + G2_POINTS;

/// Why a text is not a setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The text is too long.
    #[error("the setup has {got} bytes; the limit is {limit}")]
    TooLong {
        /// The number of bytes given.
        got: usize,
        /// The maximum number of bytes.
        limit: usize,
    },
    /// The numbers of points, in the first two lines, are wrong.
    #[error("line {line}: the number of points is {got:?}, not {expected}")]
    Count {
        /// The line, from 1.
        line: usize,
        /// The number in the setup of EIP-4844.
        expected: usize,
        /// The line, truncated.
        got: String,
    },
    /// The number of lines is wrong.
    #[error("the setup has {got} lines, not {expected}")]
    Lines {
        /// The expected number of lines.
        expected: usize,
        /// The number of lines given.
        got: usize,
    },
    /// A line is not the bytes of a point in hexadecimal.
    #[error("line {line}: {bytes} bytes as hexadecimal digits are expected")]
    Digits {
        /// The line, from 1.
        line: usize,
        /// Bytes of the point.
        bytes: usize,
    },
    /// A line's bytes are not a point of the group.
    #[error("line {line}: {error}")]
    Point {
        /// The line, from 1.
        line: usize,
        /// The reason.
        error: PointError,
    },
    /// The first powers in G1 and G2 belong to different secrets.
    #[error("the first powers in G1 and G2 are not those of one number")]
    Inconsistent,
    /// The bytes of points in a form have the wrong length.
    #[error("{name} has {got} bytes, not {expected}")]
    Length {
        /// The name of the points.
        name: &'static str,
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The setup was made from τ in G2 alone.
    #[error("it has no points except τ in G2, which only verifies openings")]
    NoPoints,
    /// The points of G1 are not the powers of τ.
    #[error("the points of G1 are not the powers of τ")]
    NotPowers,
    /// The points in Lagrange form do not belong to the powers.
    #[error("the points in Lagrange form are not those of the powers of τ")]
    NotLagrange,
    /// The power of τ in G2 that verifies cells is wrong.
    #[error("point {index} of G2 is not that power of τ")]
    NotPowerOfG2 {
        /// The exponent.
        index: usize,
    },
    /// The points cannot be checked.
    #[error("the operating system has no random numbers to check the points with")]
    NoRandom,
}
