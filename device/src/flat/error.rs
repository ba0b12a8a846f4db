// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of the flat interface.

use halimede_arith::field::FieldError;
use halimede_arith::job::{DeviceError, InPiece};
use halimede_poseidon::filecoin::PreimageError;
use halimede_poseidon::tree::TreeError;
use halimede_poseidon::{InstanceError, StateError};

/// The error of a call of [`crate::flat`]. The output is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// An array does not hold a whole number of rows.
    #[error(
        "{array}: got {got} {digits}, wanted whole rows of {elements} elements, {per_element} \
         {digits} each"
    )]
    Length {
        /// The name of the array.
        array: &'static str,
        /// The number of digits.
        got: usize,
        /// `limbs` or `bytes`.
        digits: &'static str,
        /// The number of elements of a row.
        elements: usize,
        /// The number of digits of an element.
        per_element: usize,
    },
    /// The length of an array does not match that of another array.
    #[error("{array}: got {got} {digits}, wanted {wanted} ({reason})")]
    Count {
        /// The name of the array.
        array: &'static str,
        /// The number of digits.
        got: usize,
        /// `limbs` or `bytes`.
        digits: &'static str,
        /// The expected number of digits.
        wanted: u128,
        /// The reason for this number.
        reason: String,
    },
    /// An element is not below its field's modulus.
    #[error("{array}: row {row}, element {position}: {error}")]
    Element {
        /// The name of the array.
        array: &'static str,
        /// The row of the element, from 0.
        row: usize,
        /// The place of the element in the row, from 0.
        position: usize,
        /// The cause.
        error: FieldError,
    },
    /// The offsets of the messages of a batch are invalid.
    #[error("offsets: {reason}")]
    Offsets {
        /// The cause, with the numbers.
        reason: String,
    },
    /// A part of BLAKE3's extended output ends beyond its end.
    #[error(
        "output: got {length} bytes from byte {seek} on, wanted an end at byte {} or before",
        u64::MAX
    )]
    Output {
        /// The first byte.
        seek: u64,
        /// The requested number of bytes.
        length: usize,
    },
    /// The instance does not exist.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The Filecoin hash does not exist.
    #[error(transparent)]
    Preimage(#[from] PreimageError),
    /// The elements do not make a state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The leaves do not fill a tree, or the device failed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The device failed or lacks the operation.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl InPiece for FlatError {
    fn in_whole(self, start: usize, rows: usize) -> Self {
        match self {
            Self::Device(error) => Self::Device(error.in_whole(start, rows)),
            // Faults of the input are found before the first piece.
            other => other,
        }
    }
}
