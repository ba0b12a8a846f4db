// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine, and this processor's answers.

use halimede_arith::job::{Compute, Operation};
use halimede_arith::{Felt, Fr};

use crate::filecoin::Preimage;
use crate::instance::Family;
use crate::state::{State, StateElements};
use crate::{optimized, starknet};

/// The raw permutation: a state in, a state of the same instance out.
pub struct Permute;

impl Operation for Permute {
    type Request = State;
    type Reply = State;
    const NAME: &'static str = "poseidon.permute";
}

impl Compute for Permute {
    fn compute(request: &State) -> State {
        let mut state = request.clone();
        let family = state.instance().family();
        match state.elements_mut() {
            StateElements::Filecoin(elements) => {
                if let Family::Filecoin(strength) = family {
                    optimized::permute_filecoin(strength, elements);
                }
            }
            StateElements::Stark(elements) => optimized::permute_stark(elements),
        }
        state
    }
}

/// Filecoin's fixed-length hash of a tagged preimage.
pub struct FilecoinHash;

impl Operation for FilecoinHash {
    type Request = Preimage;
    type Reply = Fr;
    const NAME: &'static str = "poseidon.filecoin_hash";
}

impl Compute for FilecoinHash {
    fn compute(request: &Preimage) -> Fr {
        request.digest()
    }
}

/// Starknet's hashes.
pub struct StarknetHash;

/// What [`StarknetHash`] hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StarknetInput {
    /// [`starknet::hash`].
    Pair(Felt, Felt),
    /// [`starknet::hash_single`].
    Single(Felt),
    /// [`starknet::hash_many`].
    Many(Vec<Felt>),
}

impl Operation for StarknetHash {
    type Request = StarknetInput;
    type Reply = Felt;
    const NAME: &'static str = "poseidon.starknet_hash";
}

impl Compute for StarknetHash {
    fn compute(request: &StarknetInput) -> Felt {
        match request {
            StarknetInput::Pair(x, y) => starknet::hash(*x, *y),
            StarknetInput::Single(x) => starknet::hash_single(*x),
            StarknetInput::Many(elements) => starknet::hash_many(elements),
        }
    }
}
