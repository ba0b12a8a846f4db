// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists of the rotations for which a server needs keys.

use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::evaluator::{roll_rotations, slice_rotations};
use pyo3::prelude::*;

/// Returns the rotations of a sum of `count` batches, or of copies of one batch if `batch` is
/// negative. With batches of one value, these are the rotations of the sum of all values, of which
/// all other rotations are composed.
#[pyfunction]
pub fn ckks_sum_rotations(count: usize, batch: i64) -> Vec<i64> {
    let size = batch.unsigned_abs() as usize;
    if batch < 0 {
        return replicate_rotations(count, size);
    }
    inner_sum_rotations(if size == 1 { count.next_power_of_two() } else { count }, size)
}

/// Returns the rotations that rotate a vector of `length` values by a number of steps.
#[pyfunction]
pub fn ckks_roll_rotations(length: usize, steps: i64) -> Vec<i64> {
    roll_rotations(steps, length, length.next_power_of_two())
}

/// Returns the rotations of a slice of a vector of `length` values.
#[pyfunction]
pub fn ckks_slice_rotations(length: usize, from_: usize, to: usize) -> Vec<i64> {
    slice_rotations(from_, to, length)
}
