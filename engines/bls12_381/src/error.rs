// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The error of an invalid point.

/// Why bytes are not a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// The length is not that of a point in this form.
    #[error("a point of {group} has {expected} bytes, not {got}")]
    Length {
        /// `G1` or `G2`.
        group: &'static str,
        /// Bytes of a point.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The three highest bits of the first byte contradict the form.
    #[error("the flags {flags:#05b} are not those of {form} point")]
    Flags {
        /// Compressed, infinity, sign of y; from the highest bit on.
        flags: u8,
        /// `a compressed` or `an uncompressed`.
        form: &'static str,
    },
    /// The infinity flag is set, and so are other bits.
    #[error("the point at infinity has other bits set")]
    BadInfinity,
    /// A coordinate is not below p.
    #[error("element {element} of the coordinates is not below the modulus")]
    NotCanonical {
        /// The index of the element of 48 bytes, from 0.
        element: usize,
    },
    /// No point of the curve has this x, or this x and y.
    #[error("the point is not on the curve")]
    NotOnCurve,
    /// The point is on the curve, but not in the group of order r.
    #[error("the point is not in the subgroup")]
    WrongSubgroup,
    /// The point at infinity, which is not allowed here.
    #[error("the point is infinity")]
    Infinity,
}
