// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of the flat interface.

use halimede_arith::field::FieldError;
use halimede_arith::job::{DeviceError, InPiece};
use halimede_poseidon::filecoin::PreimageError;
use halimede_poseidon::tree::TreeError;
use halimede_poseidon::{InstanceError, StateError};

/// Why a call of [`crate::flat`] failed. Its output is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// An array does not hold a whole number of rows.
    #[error(
        "{array}: got {got} {digits}, wanted whole rows of {elements} elements, {per_element} \
         {digits} each"
    )]
    Length {
        /// Which array.
        array: &'static str,
        /// Digits given.
        got: usize,
        /// `limbs` or `bytes`.
        digits: &'static str,
        /// Elements of a row.
        elements: usize,
        /// Digits of an element.
        per_element: usize,
    },
    /// An array does not have the length that another one calls for.
    #[error("{array}: got {got} {digits}, wanted {wanted} ({reason})")]
    Count {
        /// Which array.
        array: &'static str,
        /// Digits given.
        got: usize,
        /// `limbs` or `bytes`.
        digits: &'static str,
        /// Digits wanted.
        wanted: u128,
        /// What calls for them.
        reason: String,
    },
    /// An element is not below its field's modulus.
    #[error("{array}: row {row}, element {position}: {error}")]
    Element {
        /// Which array.
        array: &'static str,
        /// Its row, from 0.
        row: usize,
        /// Its place in the row, from 0.
        position: usize,
        /// What is wrong.
        error: FieldError,
    },
    /// Where the messages of a batch begin and end makes no sense.
    #[error("offsets: {reason}")]
    Offsets {
        /// What is wrong, with the numbers.
        reason: String,
    },
    /// More of BLAKE3's extended output than there is.
    #[error(
        "output: got {length} bytes from byte {seek} on, wanted none beyond the {} that there are",
        u64::MAX
    )]
    Output {
        /// The first byte's place.
        seek: u64,
        /// Bytes asked for.
        length: usize,
    },
    /// There is no such instance.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// There is no such Filecoin hash.
    #[error(transparent)]
    Preimage(#[from] PreimageError),
    /// An element did not become one of a state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The leaves are no tree, or the device failed at it.
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
            // What is wrong with an input is found before the first piece.
            other => other,
        }
    }
}
