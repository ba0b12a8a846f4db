// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation on one thread: on the ordinary multiplier, or, with AVX-512 IFMA, a Filecoin state's
//! elements side by side.

use std::sync::OnceLock;

use halimede_arith::field::StarkPrime;
use halimede_arith::lanes as vectors;
use halimede_arith::serial::run;
use halimede_arith::{Backend, Felt, Fr};

use super::lanes::one_state::{self, OneState};
use super::prepared::Prepared;
use super::serial::filecoin::{self, FilecoinPermutation};
use super::serial::stark::{self, StarkPermutation};
use crate::instance::{Family, Instance, Strength};
use crate::PoseidonField;

/// Permutes a Filecoin state in place. `state` has `width` elements of an instance's width;
/// another length leaves it as it is.
pub fn permute_filecoin(strength: Strength, state: &mut [Fr]) {
    permute_filecoin_with(Backend::active(), strength, state);
}

/// [`permute_filecoin`] with a backend, or the best that this processor has where that is less.
pub fn permute_filecoin_with(backend: Backend, strength: Strength, state: &mut [Fr]) {
    if let Some(elements) = side_by_side(backend, strength, state) {
        state.copy_from_slice(&elements[..state.len()]);
    } else if let Some(permutation) = serial(strength, state.len()) {
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
    if let Some(elements) = side_by_side(backend, strength, state) {
        return Some(elements[1]);
    }
    let permutation = serial(strength, state.len())?;
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

/// A Filecoin instance's permutation on the ordinary multiplier.
fn serial(strength: Strength, width: usize) -> Option<&'static FilecoinPermutation> {
    static PREPARED: Prepared<FilecoinPermutation> = Prepared::new();
    PREPARED.get(strength, width, FilecoinPermutation::new)
}

/// The permuted state, its elements in lanes, where the backend has IFMA and the state is narrow
/// enough. Products of doubles take too many instructions to be worth it.
fn side_by_side(backend: Backend, strength: Strength, state: &[Fr]) -> Option<one_state::Elements> {
    static PREPARED: Prepared<OneState> = Prepared::new();
    if backend != Backend::Avx512Ifma || state.len() > one_state::MAX_ELEMENTS {
        return None;
    }
    let tables = PREPARED.get(strength, state.len(), OneState::new)?;
    vectors::run(backend, one_state::Permutation { tables, state })
}
