// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many permutations of one instance on one thread: eight side by side if the backend has lanes,
//! otherwise sequentially.

use std::any::Any;
use std::sync::OnceLock;

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::lanes;
use halimede_arith::{Backend, Field};

use super::field::Poseidon2Field;
use super::instance::{Instance, INSTANCES};
use super::lanes::{Permutation, Tables};
use super::{serial, Parameters};
use crate::optimized::states_in_lanes;

/// Up to this number of states, sequential permutations are faster than eight lanes in one
/// register.
const SINGLES: usize = 1;

/// The constants of an instance in both forms.
struct Prepared<M: Poseidon2Field, const T: usize> {
    parameters: Parameters<M>,
    tables: Tables<T>,
}

/// Returns the constants of an instance, which are created at first use; `None` if the field or the
/// width is not the instance's.
fn prepared<M: Poseidon2Field, const T: usize>(
    instance: Instance,
) -> Option<&'static Prepared<M, T>> {
    static PREPARED: [OnceLock<Option<Box<dyn Any + Send + Sync>>>; INSTANCES] =
        [const { OnceLock::new() }; INSTANCES];
    if instance.field() != M::FIELD || instance.width() != T {
        return None;
    }
    let make = || {
        let parameters = Parameters::<M>::new(instance)?;
        let tables = Tables::<T>::new(&parameters)?;
        let prepared: Box<dyn Any + Send + Sync> = Box::new(Prepared { parameters, tables });
        Some(prepared)
    };
    PREPARED[instance.index()].get_or_init(make).as_ref()?.downcast_ref()
}

/// Permutes states that are stored contiguously, in place. A partial state at the end, and states
/// over another field than the instance's, are left unchanged.
pub fn permute<M: Widths>(instance: Instance, states: &mut [Field<M>]) {
    permute_with(Backend::active(), instance, states);
}

/// [`permute`] in the lanes of a backend; sequential if the backend has no lanes or is not
/// available here.
pub fn permute_with<M: Widths>(backend: Backend, instance: Instance, states: &mut [Field<M>]) {
    M::permute_states(backend, instance, states);
}

/// The widths of a field's instances. Each has its own kernels.
pub trait Widths: Poseidon2Field {
    /// Permutes states in place, as [`permute_with`].
    fn permute_states(backend: Backend, instance: Instance, states: &mut [Field<Self>]);
}

/// Implements [`Widths`] for a modulus.
macro_rules! widths {
    ($($modulus:ty: $($width:literal),+;)+) => {$(
        impl Widths for $modulus {
            fn permute_states(backend: Backend, instance: Instance, states: &mut [Field<Self>]) {
                match instance.width() {
                    $($width => of_width::<Self, $width>(backend, instance, states),)+
                    _ => {}
                }
            }
        }
    )+};
}

widths! {
    Bls12381Scalar: 2, 3, 4, 8;
    Bn254Scalar: 2, 3, 4, 8, 12, 16;
    PallasBase: 3, 4, 8;
    VestaBase: 3;
}

fn of_width<M: Poseidon2Field, const T: usize>(
    backend: Backend,
    instance: Instance,
    states: &mut [Field<M>],
) {
    let Some(Prepared { parameters, tables }) = prepared::<M, T>(instance) else { return };
    let states = states.as_chunks_mut::<T>().0;
    let in_lanes = states_in_lanes(backend, states.len(), SINGLES);
    let (side_by_side, others) = states.split_at_mut(in_lanes);
    let ran = lanes::run(backend, Permutation { tables, states: side_by_side });
    debug_assert_eq!(ran.is_some(), lanes::available(backend), "{backend}");
    others.iter_mut().for_each(|state| serial::permute(parameters, state));
}
