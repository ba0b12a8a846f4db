// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The same permutation with fewer multiplications.
//!
//! [`constants`]: a partial round needs one constant, since the others move through its linear
//! part into the next round. The linear layers then differ by family: [`sparse`] factors
//! Filecoin's dense matrix so that a partial round costs 2t−1 products instead of t²; [`small`]
//! does StarkWare's matrix with additions alone.

mod batch;
mod constants;
mod lanes;
mod recurrence;
mod small;
mod sparse;

pub use batch::{
    filecoin_digests, filecoin_digests_with, permute_filecoin_batch, permute_filecoin_batch_with,
    permute_stark_batch, permute_stark_batch_with, stark_digests, stark_digests_with,
};

use std::sync::OnceLock;

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::{Felt, Fr};

use crate::instance::{Family, Instance, Strength, MAX_WIDTH};
use crate::PoseidonField;

use small::SmallMatrixPermutation;
use sparse::SparsePermutation;

/// Permutes a Filecoin state in place. `state` has `width` elements of an instance's width;
/// another length leaves it as it is.
pub fn permute_filecoin(strength: Strength, state: &mut [Fr]) {
    if let Some(permutation) = filecoin(strength, state.len()) {
        permutation.permute(state);
    }
}

/// Permutes a StarkWare state in place. `state` has an instance's width; another length leaves
/// it as it is.
pub fn permute_stark(state: &mut [Felt]) {
    static WIDTH_3: OnceLock<Option<SmallMatrixPermutation<3>>> = OnceLock::new();
    static WIDTH_4: OnceLock<Option<SmallMatrixPermutation<4>>> = OnceLock::new();
    static WIDTH_5: OnceLock<Option<SmallMatrixPermutation<5>>> = OnceLock::new();
    static WIDTH_9: OnceLock<Option<SmallMatrixPermutation<9>>> = OnceLock::new();
    match state.len() {
        3 => permute_prepared(&WIDTH_3, state),
        4 => permute_prepared(&WIDTH_4, state),
        5 => permute_prepared(&WIDTH_5, state),
        9 => permute_prepared(&WIDTH_9, state),
        _ => {}
    }
}

/// Permutes with an instance's permutation, which is prepared at its first use.
fn permute_prepared<const T: usize>(
    prepared: &'static OnceLock<Option<SmallMatrixPermutation<T>>>,
    state: &mut [Felt],
) {
    let prepare = || {
        let instance = Instance::new(Family::Stark, T).ok()?;
        Some(SmallMatrixPermutation::new(&StarkPrime::parameters(instance)?))
    };
    if let (Some(permutation), Ok(state)) =
        (prepared.get_or_init(prepare), <&mut [Felt; T]>::try_from(state))
    {
        permutation.permute(state);
    }
}

/// The prepared permutation of a Filecoin instance, made at its first use.
fn filecoin(strength: Strength, width: usize) -> Option<&'static SparsePermutation> {
    // By width; the first three stay empty.
    type Prepared = [OnceLock<Option<SparsePermutation>>; MAX_WIDTH + 1];
    static STANDARD: Prepared = [const { OnceLock::new() }; MAX_WIDTH + 1];
    static STRENGTHENED: Prepared = [const { OnceLock::new() }; MAX_WIDTH + 1];
    let prepared = match strength {
        Strength::Standard => &STANDARD,
        Strength::Strengthened => &STRENGTHENED,
    };
    let prepare = || {
        let instance = Instance::new(Family::Filecoin(strength), width).ok()?;
        SparsePermutation::new(&Bls12381Scalar::parameters(instance)?)
    };
    prepared.get(width)?.get_or_init(prepare).as_ref()
}
