// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of Jubjub in memory.

use halimede_arith::lanes::element::LIMBS;

use crate::columns::lane_limbs;
use crate::jubjub::points::Niels;

/// A point to add, in limbs of x·2²⁶⁰ in [0, r).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row {
    pub sum: [u64; LIMBS],
    pub difference: [u64; LIMBS],
    pub product: [u64; LIMBS],
}

impl Row {
    pub fn new(point: &Niels) -> Self {
        Self {
            sum: lane_limbs(point.sum),
            difference: lane_limbs(point.difference),
            product: lane_limbs(point.product),
        }
    }
}

/// A point in words of x·2²⁶⁰ below 2²⁵⁶.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub struct Bucket {
    /// The words of u and of v.
    pub uv: [u64; 8],
    /// The words of z and of t.
    pub zt: [u64; 8],
}
