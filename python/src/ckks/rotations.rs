// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which rotations a server needs keys for.

use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::evaluator::{roll_rotations, slice_rotations};
use pyo3::prelude::*;

/// The rotations of a sum of `count` batches, or of copies of one batch where it is negative. With
/// batches of one value: those of the sum of all values, of which the others are composed.
#[pyfunction]
pub fn ckks_sum_rotations(count: usize, batch: i64) -> Vec<i64> {
    let size = batch.unsigned_abs() as usize;
    if batch < 0 {
        return replicate_rotations(count, size);
    }
    inner_sum_rotations(if size == 1 { count.next_power_of_two() } else { count }, size)
}

/// The rotations that rotate a vector of `length` values by a number of steps.
#[pyfunction]
pub fn ckks_roll_rotations(length: usize, steps: i64) -> Vec<i64> {
    roll_rotations(steps, length, length.next_power_of_two())
}

/// The rotations that take a part of a vector of `length` values.
#[pyfunction]
pub fn ckks_slice_rotations(length: usize, from_: usize, to: usize) -> Vec<i64> {
    slice_rotations(from_, to, length)
}
