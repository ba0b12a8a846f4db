// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the values of a layer stand in the slots, and layers without activations as matrices.
//!
//! Whatever lies between activations is affine. It becomes one matrix for each ciphertext that it
//! takes values from ([`Affine`]), which is one level however many layers there are. A matrix
//! costs as many key switches as its diagonals take baby and giant steps: where a layer's values
//! stand, and in how many ciphertexts, is chosen for the fewest ([`place`]).

mod affine;
mod batch;
mod matrix;
mod operators;
mod packing;
mod parts;
mod placement;
mod way;

pub(crate) use affine::{Affine, Base};
pub(crate) use batch::{Batch, Seat, MOST_BATCH};
pub use packing::Packing;
pub(crate) use parts::{partitions, rows, TensorPart, MOST_CIPHERTEXTS, MOST_INPUT_CIPHERTEXTS};
pub(crate) use placement::{place, place_at, PlacedLayer, Room};
pub(crate) use way::SlotPlace;
