// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permutation as the paper prints it: the reference for every faster form.
//!
//! A round adds t constants, raises elements to the power α (all of them in a full round, one in
//! a partial round) and multiplies by the MDS matrix. Half the full rounds come first, then the
//! partial ones, then the other half.

use halimede_arith::Field;

use crate::{Parameters, PoseidonField};

/// Permutes the state in place.
///
/// The state has the instance's width; elements beyond it are left unchanged.
pub fn permute<M: PoseidonField>(parameters: &Parameters<M>, state: &mut [Field<M>]) {
    let instance = parameters.instance;
    let half = instance.full_rounds() / 2;
    let partial = half..half + instance.partial_rounds();
    for (round, constants) in parameters.round_constants.chunks(instance.width()).enumerate() {
        for (element, constant) in state.iter_mut().zip(constants) {
            *element += *constant;
        }
        if partial.contains(&round) {
            let element = &mut state[instance.partial_sbox_index()];
            *element = M::sbox(*element);
        } else {
            state.iter_mut().for_each(|element| *element = M::sbox(*element));
        }
        state.copy_from_slice(&parameters.mds.multiply_vector(state));
    }
}
