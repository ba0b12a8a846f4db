// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of a layer's values in the slots, and layers without activations as matrices.
//!
//! Everything between activations is affine. It becomes one matrix for each source ciphertext
//! ([`Affine`]), which costs one level for any number of layers. The key switches of a matrix are
//! the baby and giant steps of its diagonals: the places of a layer's values, and the number of
//! ciphertexts, are chosen to minimize them ([`place`]).

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
pub(crate) use placement::{place, place_at, PlacedLayer, Room, KEY_SWITCH};
pub(crate) use way::SlotPlace;
