// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables of Filecoin instances, created at first use.

use std::sync::OnceLock;

use halimede_arith::field::Bls12381Scalar;

use super::recurrence::Recurrence;
use crate::instance::{Family, Instance, Strength, MAX_WIDTH};
use crate::PoseidonField;

/// A value for each Filecoin instance, created on demand.
pub(super) struct Prepared<T> {
    /// Indexed by width; the first three stay empty.
    standard: [OnceLock<Option<T>>; MAX_WIDTH + 1],
    strengthened: [OnceLock<Option<T>>; MAX_WIDTH + 1],
}

impl<T> Prepared<T> {
    pub const fn new() -> Self {
        Self {
            standard: [const { OnceLock::new() }; MAX_WIDTH + 1],
            strengthened: [const { OnceLock::new() }; MAX_WIDTH + 1],
        }
    }

    /// Returns the value that `make` derives from the instance's recurrence; `None` if there is no
    /// such instance or `make` returns `None`.
    pub fn get(
        &'static self,
        strength: Strength,
        width: usize,
        make: impl Fn(&Recurrence) -> Option<T>,
    ) -> Option<&'static T> {
        self.get_or_init(strength, width, || make(recurrence(strength, width)?))
    }

    fn get_or_init(
        &'static self,
        strength: Strength,
        width: usize,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<&'static T> {
        let by_width = match strength {
            Strength::Standard => &self.standard,
            Strength::Strengthened => &self.strengthened,
        };
        by_width.get(width)?.get_or_init(make).as_ref()
    }
}

/// Returns the recurrence of an instance, from which the tables are derived.
fn recurrence(strength: Strength, width: usize) -> Option<&'static Recurrence> {
    static RECURRENCES: Prepared<Recurrence> = Prepared::new();
    let derive = || {
        let instance = Instance::new(Family::Filecoin(strength), width).ok()?;
        Recurrence::new(&Bls12381Scalar::parameters(instance)?)
    };
    RECURRENCES.get_or_init(strength, width, derive)
}
