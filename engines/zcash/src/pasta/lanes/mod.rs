// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Powers, points and sums in lanes.
//!
//! - `powers`: the powers for sixteen square roots. `points`: the formulas. `buckets`: points in
//!   memory. `fixed`: sums of multiples of fixed points.

mod buckets;
mod fixed;
mod points;
mod powers;

use halimede_arith::Field;
use rayon::prelude::*;

use self::powers::{LanePowers, ELEMENTS};
use super::{Base, Machine};
use crate::roots::Powers;

pub use buckets::{Bucket, Curve, Row};
pub use fixed::{FixedSums, Step, Words};

/// Returns the powers of x³ + 5 for numbers x; `None` without lanes.
pub fn powers<M: Base>(machine: Machine, numbers: &[Field<M>]) -> Option<Vec<Powers<Field<M>>>> {
    let of_some = |some: &[Field<M>]| {
        // Lanes beyond the last number repeat the first one.
        let mut elements = [some.first()?; ELEMENTS];
        for (lane, element) in elements.iter_mut().zip(some) {
            *lane = element;
        }
        Some(machine.run(LanePowers(elements))?[..some.len()].to_vec())
    };
    let all = numbers.par_chunks(ELEMENTS).map(of_some).collect::<Option<Vec<_>>>()?;
    Some(all.concat())
}
