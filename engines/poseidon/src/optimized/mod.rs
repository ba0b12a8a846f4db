// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The same permutation with fewer multiplications.
//!
//! [`constants`]: a partial round needs one constant, since the others move through its linear
//! part into the next round. The linear layers then differ by family: Filecoin's
//! partial rounds become a [`recurrence`] of 2t−2 products and one reduction instead of t²
//! products; StarkWare's matrix is additions alone. [`serial`] does one permutation at a time.

mod batch;
mod constants;
mod lanes;
mod recurrence;
mod serial;

pub use batch::{
    filecoin_digests, filecoin_digests_with, permute_filecoin_batch, permute_filecoin_batch_with,
    permute_stark_batch, permute_stark_batch_with, stark_digests, stark_digests_with,
};

use std::sync::OnceLock;

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::serial::run;
use halimede_arith::{Backend, Felt, Fr};

use crate::instance::{Family, Instance, Strength, MAX_WIDTH};
use crate::PoseidonField;

use serial::filecoin::{self, FilecoinPermutation};
use serial::stark::{self, StarkPermutation};

/// Permutes a Filecoin state in place. `state` has `width` elements of an instance's width;
/// another length leaves it as it is.
pub fn permute_filecoin(strength: Strength, state: &mut [Fr]) {
    permute_filecoin_with(Backend::active(), strength, state);
}

/// [`permute_filecoin`] with a backend, or the best that this processor has where that is less.
pub fn permute_filecoin_with(backend: Backend, strength: Strength, state: &mut [Fr]) {
    if let Some(tables) = batch::one_state(backend, strength, state.len()) {
        halimede_arith::lanes::run(backend, lanes::one_state::Permute { tables, state });
    } else if let Some(permutation) = prepared_filecoin(strength, state.len()) {
        run(backend, filecoin::Permute { permutation, state });
    }
}

/// Element 1 of the permuted state, and nothing else of the last round's matrix; `None` where no
/// instance has as many elements.
pub fn filecoin_digest(strength: Strength, state: &[Fr]) -> Option<Fr> {
    filecoin_digest_with(Backend::active(), strength, state)
}

/// [`filecoin_digest`] with a backend, or the best that this processor has where that is less.
pub fn filecoin_digest_with(backend: Backend, strength: Strength, state: &[Fr]) -> Option<Fr> {
    let permutation = prepared_filecoin(strength, state.len())?;
    Some(run(backend, filecoin::Digest { permutation, state }))
}

/// Permutes a StarkWare state in place. `state` has an instance's width; another length leaves
/// it as it is.
pub fn permute_stark(state: &mut [Felt]) {
    permute_stark_with(Backend::active(), state);
}

/// [`permute_stark`] with a backend, or the best that this processor has where that is less.
pub fn permute_stark_with(backend: Backend, state: &mut [Felt]) {
    static WIDTH_3: OnceLock<Option<StarkPermutation<3>>> = OnceLock::new();
    static WIDTH_4: OnceLock<Option<StarkPermutation<4>>> = OnceLock::new();
    static WIDTH_5: OnceLock<Option<StarkPermutation<5>>> = OnceLock::new();
    static WIDTH_9: OnceLock<Option<StarkPermutation<9>>> = OnceLock::new();
    match state.len() {
        3 => permute_prepared(backend, &WIDTH_3, state),
        4 => permute_prepared(backend, &WIDTH_4, state),
        5 => permute_prepared(backend, &WIDTH_5, state),
        9 => permute_prepared(backend, &WIDTH_9, state),
        _ => {}
    }
}

/// Permutes with an instance's permutation, which is prepared at its first use.
fn permute_prepared<const T: usize>(
    backend: Backend,
    prepared: &'static OnceLock<Option<StarkPermutation<T>>>,
    state: &mut [Felt],
) {
    let prepare = || {
        let instance = Instance::new(Family::Stark, T).ok()?;
        Some(StarkPermutation::new(&StarkPrime::parameters(instance)?))
    };
    if let (Some(permutation), Ok(state)) =
        (prepared.get_or_init(prepare), <&mut [Felt; T]>::try_from(state))
    {
        run(backend, stark::Permute { permutation, state });
    }
}

/// The prepared permutation of a Filecoin instance, made at its first use.
fn prepared_filecoin(strength: Strength, width: usize) -> Option<&'static FilecoinPermutation> {
    // By width; the first three stay empty.
    type Prepared = [OnceLock<Option<FilecoinPermutation>>; MAX_WIDTH + 1];
    static STANDARD: Prepared = [const { OnceLock::new() }; MAX_WIDTH + 1];
    static STRENGTHENED: Prepared = [const { OnceLock::new() }; MAX_WIDTH + 1];
    let prepared = match strength {
        Strength::Standard => &STANDARD,
        Strength::Strengthened => &STRENGTHENED,
    };
    let prepare = || {
        let instance = Instance::new(Family::Filecoin(strength), width).ok()?;
        FilecoinPermutation::new(&Bls12381Scalar::parameters(instance)?)
    };
    prepared.get(width)?.get_or_init(prepare).as_ref()
}
