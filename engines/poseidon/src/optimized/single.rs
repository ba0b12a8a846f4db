// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation on one thread: on the ordinary multiplier or, with AVX-512 IFMA, with the
//! elements of a Filecoin state side by side.

use std::sync::OnceLock;

use halimede_arith::field::StarkPrime;
use halimede_arith::lanes as vectors;
use halimede_arith::serial::run;
use halimede_arith::{Backend, Felt, Fr, Processor};

use super::lanes::one_state::{self, OneState, Sums};
use super::lanes::stark_state::{self, FullRounds};
use super::prepared::Prepared;
use super::serial::filecoin::{self, FilecoinPermutation};
use super::serial::stark::{self, StarkPermutation};
use crate::instance::{Family, Instance, Strength};
use crate::PoseidonField;

/// Permutes a Filecoin state in place. The length of `state` is the width of an instance; a state
/// of another length is left unchanged.
pub fn permute_filecoin(strength: Strength, state: &mut [Fr]) {
    permute_filecoin_with(Backend::active(), strength, state);
}

/// [`permute_filecoin`] with a backend, or with the best one available if the backend is not.
pub fn permute_filecoin_with(backend: Backend, strength: Strength, state: &mut [Fr]) {
    if let Some(elements) = side_by_side(backend, strength, state) {
        state.copy_from_slice(&elements[..state.len()]);
    } else if let Some(permutation) = serial(strength, state.len()) {
        run(backend, filecoin::Permute { permutation, state });
    }
}

/// Returns element 1 of the permuted state, without computing the others in the last linear layer;
/// `None` if no instance has the width of `state`.
pub fn filecoin_digest(strength: Strength, state: &[Fr]) -> Option<Fr> {
    filecoin_digest_with(Backend::active(), strength, state)
}

/// [`filecoin_digest`] with a backend, or with the best one available if the backend is not.
pub fn filecoin_digest_with(backend: Backend, strength: Strength, state: &[Fr]) -> Option<Fr> {
    if let Some(elements) = side_by_side(backend, strength, state) {
        return Some(elements[1]);
    }
    let permutation = serial(strength, state.len())?;
    Some(run(backend, filecoin::Digest { permutation, state }))
}

/// Permutes a StarkWare state in place. The length of `state` is the width of an instance; a state
/// of another length is left unchanged.
pub fn permute_stark(state: &mut [Felt]) {
    permute_stark_with(Backend::active(), state);
}

/// [`permute_stark`] with a backend, or with the best one available if the backend is not.
pub fn permute_stark_with(backend: Backend, state: &mut [Felt]) {
    static WIDTH_3: OnceLock<Option<StarkTables<3>>> = OnceLock::new();
    static WIDTH_4: OnceLock<Option<StarkTables<4>>> = OnceLock::new();
    static WIDTH_5: OnceLock<Option<StarkTables<5>>> = OnceLock::new();
    static WIDTH_9: OnceLock<Option<StarkTables<9>>> = OnceLock::new();
    match state.len() {
        3 => permute_prepared(backend, &WIDTH_3, state),
        4 => permute_prepared(backend, &WIDTH_4, state),
        5 => permute_prepared(backend, &WIDTH_5, state),
        9 => permute_prepared(backend, &WIDTH_9, state),
        _ => {}
    }
}

/// The tables of a StarkWare instance for one state.
struct StarkTables<const T: usize> {
    serial: StarkPermutation<T>,
    full: FullRounds,
}

/// Permutes with an instance's tables, which are prepared at first use.
fn permute_prepared<const T: usize>(
    backend: Backend,
    prepared: &'static OnceLock<Option<StarkTables<T>>>,
    state: &mut [Felt],
) {
    let prepare = || {
        let instance = Instance::new(Family::Stark, T).ok()?;
        let parameters = StarkPrime::parameters(instance)?;
        Some(StarkTables {
            serial: StarkPermutation::new(&parameters),
            full: FullRounds::new(&parameters),
        })
    };
    let (Some(tables), Ok(state)) =
        (prepared.get_or_init(prepare), <&mut [Felt; T]>::try_from(state))
    else {
        return;
    };
    if T > 4 && backend == Backend::Avx512Ifma && Processor::here().has_short_schedulers() {
        let StarkTables { full, serial } = tables;
        let in_lanes = stark_state::Permutation { full, partial: serial, state };
        if vectors::run_with_ifma(backend, in_lanes).is_some() {
            return;
        }
    }
    run(backend, stark::Permute { permutation: &tables.serial, state });
}

/// Returns a Filecoin instance's permutation on the ordinary multiplier.
fn serial(strength: Strength, width: usize) -> Option<&'static FilecoinPermutation> {
    static PREPARED: Prepared<FilecoinPermutation> = Prepared::new();
    PREPARED.get(strength, width, FilecoinPermutation::new)
}

/// Returns the permuted state if computing its elements in lanes is worthwhile.
fn side_by_side(backend: Backend, strength: Strength, state: &[Fr]) -> Option<one_state::Elements> {
    static PREPARED: Prepared<OneState> = Prepared::new();
    let sums = sums_of(&Processor::here(), backend, state.len())?;
    let tables = PREPARED.get(strength, state.len(), OneState::new)?;
    vectors::run_with_ifma(backend, one_state::Permutation { tables, state, sums })
}

/// Returns the method for the sums of a Filecoin state's partial rounds. `None` leaves the whole
/// permutation to the ordinary multiplier: without IFMA (products of doubles need too many
/// instructions) and for states that are too wide.
fn sums_of(processor: &Processor, backend: Backend, width: usize) -> Option<Sums> {
    if backend != Backend::Avx512Ifma || width > one_state::MAX_ELEMENTS {
        return None;
    }
    if processor.has_short_schedulers() && width <= one_state::MOST_FOR_LIMBS {
        return Some(Sums::InLimbs);
    }
    Some(Sums::ALaneEach)
}

#[cfg(test)]
mod tests {
    use halimede_arith::processor::known;

    use super::*;

    #[test]
    fn sums_are_made_as_the_processor_has_them_fastest() {
        for processor in known::ALL_OF_THEM {
            let best = Backend::best_of(&processor);
            for width in [3, 5, 6, 9, 16, 17] {
                let expected = match (best, width) {
                    (_, 17) => None,
                    (Backend::Avx512Ifma, 3 | 5) if processor == known::SAPPHIRE_RAPIDS => {
                        Some(Sums::InLimbs)
                    }
                    (Backend::Avx512Ifma, _) => Some(Sums::ALaneEach),
                    _ => None,
                };
                assert_eq!(sums_of(&processor, best, width), expected, "{processor:?}, {width}");
                for forced in [Backend::Portable, Backend::Adx, Backend::Avx512] {
                    assert_eq!(sums_of(&processor, forced, width), None, "{processor:?}");
                }
            }
        }
    }
}
