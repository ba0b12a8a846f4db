// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements that move between lanes: for computations whose lanes hold parts of one number.

use super::super::vector::Lanes;
use super::wide::Column;
use super::{Columns, Fp, Sum};

#[inline(always)]
fn permuted<L: Lanes, const SOURCES: u32>(columns: &Columns<L>) -> Columns<L> {
    let mut columns = *columns;
    for column in &mut columns {
        *column = column.permuted::<SOURCES>();
    }
    columns
}

#[inline(always)]
fn with_lanes<L: Lanes, const MASK: u8>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    let mut columns = *a;
    for (column, other) in columns.iter_mut().zip(b) {
        *column = column.with_lanes::<MASK>(*other);
    }
    columns
}

impl<L: Lanes, const BOUND: u64> Fp<L, BOUND> {
    /// Returns the element of lane `number` in every lane.
    #[inline(always)]
    #[must_use]
    pub fn broadcast(&self, number: usize) -> Self {
        let mut limbs = self.0;
        for limb in &mut limbs {
            *limb = limb.broadcast(number);
        }
        Self(limbs)
    }

    /// Moves elements between lanes ([`Lanes::permuted`]).
    #[inline(always)]
    #[must_use]
    pub fn permuted<const SOURCES: u32>(&self) -> Self {
        Self(permuted::<L, SOURCES>(&self.0))
    }

    /// Returns `other` in the lanes of MASK, and self in the others ([`Lanes::with_lanes`]).
    #[inline(always)]
    #[must_use]
    pub fn with_lanes<const MASK: u8>(&self, other: &Self) -> Self {
        Self(with_lanes::<L, MASK>(&self.0, &other.0))
    }
}

impl<L: Lanes, const BOUND: u64> Sum<L, BOUND> {
    /// Returns `other` in the lanes of MASK, and self in the others ([`Lanes::with_lanes`]).
    #[inline(always)]
    #[must_use]
    pub fn with_lanes<const MASK: u8>(&self, other: &Self) -> Self {
        Self(with_lanes::<L, MASK>(&self.0, &other.0))
    }
}

impl<L: Lanes, const COUNT: u32> Column<L, COUNT> {
    /// 0 in each lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self(L::splat(0))
    }

    /// Moves sums between lanes ([`Lanes::permuted`]).
    #[inline(always)]
    #[must_use]
    pub fn permuted<const SOURCES: u32>(self) -> Self {
        Self(self.0.permuted::<SOURCES>())
    }

    /// Returns `other` in the lanes of MASK, and self in the others ([`Lanes::with_lanes`]).
    #[inline(always)]
    #[must_use]
    pub fn with_lanes<const MASK: u8>(self, other: Self) -> Self {
        Self(self.0.with_lanes::<MASK>(other.0))
    }
}
