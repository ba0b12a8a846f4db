// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The levels, scales and samples of an iteration.

/// The levels and scales of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IterationScales {
    /// The level at which it begins.
    pub level: usize,
    /// log₂ of the scale of its weights over that of their level.
    pub before: i32,
    /// log₂ of the same ratio for the weights that it computes.
    pub after: i32,
}

/// The samples of a batch for an iteration.
pub(super) struct RotatedBatch<V> {
    /// With ciphertext r rotated by r positions to the right.
    pub rotated: Vec<V>,
    /// At the level of the gradients.
    pub samples: Vec<V>,
}
