// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's hashes: one step is one permutation of the sponge.

use halimede_arith::job::Offer;
use halimede_arith::Felt;
use halimede_card::codec::{Codec, Row};
use halimede_card::command::Status;
use halimede_card::frame::FrameWriter;
use halimede_card::spec::Command;
use halimede_card::Opening;
use halimede_poseidon::operations::{StarknetHash, StarknetInput};
use halimede_poseidon::starknet::{self, StarknetState, STARKNET_WIDTH};
use halimede_poseidon::Family;

use crate::codec::{
    digest, elements, permutation_bytes, starved_clocks, write_permutation, ElementBytes,
    PIECE_REQUESTS,
};
use crate::instances::{self, require};
use crate::spec::{PoseidonInstance, PoseidonOutputs};

/// A Starknet hash in progress: the state to permute next, with the absorbed pairs of a sponge.
#[derive(Debug)]
pub struct Sponge {
    state: StarknetState,
    /// The number of pairs that have been added to the state.
    absorbed: usize,
    /// The number of pairs of the input.
    pairs: usize,
}

impl Sponge {
    fn is_last_step(&self) -> bool {
        self.absorbed == self.pairs
    }

    /// Adds the next pair of the input.
    fn absorb(&mut self, elements: &[Felt]) {
        let rest = elements.get(2 * self.absorbed..).unwrap_or_default();
        if let Some(pair) = starknet::padded_pairs(rest).next() {
            self.state = starknet::absorbed(self.state, pair);
        }
        self.absorbed += 1;
    }
}

/// The codec of [`StarknetHash`].
#[derive(Clone, Copy, Debug)]
pub struct StarknetHashCodec;

impl Codec for StarknetHashCodec {
    type Operation = StarknetHash;
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = Sponge;

    fn offer(opening: &Opening) -> Option<Offer> {
        instances::offer(opening, |instance| {
            instance.family() == Family::Stark && instance.width() == STARKNET_WIDTH
        })
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<Sponge, String> {
        require(PoseidonInstance::Stark3, card)?;
        let only = |state| Sponge { state, absorbed: 1, pairs: 1 };
        let sponge = match request {
            StarknetInput::Pair(x, y) => only(starknet::pair_state(*x, *y)),
            StarknetInput::Single(x) => only(starknet::single_state(*x)),
            StarknetInput::Many(elements) => {
                let pairs = starknet::padded_pairs(elements).count();
                let mut sponge = Sponge { state: [Felt::ZERO; 3], absorbed: 0, pairs };
                sponge.absorb(elements);
                sponge
            }
        };
        Ok(sponge)
    }

    fn step_bytes(_: Row<'_, Self>, sponge: &Sponge) -> usize {
        permutation_bytes(sponge.state.len())
    }

    fn write_step(_: Row<'_, Self>, sponge: &Sponge, frame: &mut FrameWriter<'_>) {
        let outputs =
            if sponge.is_last_step() { PoseidonOutputs::Digest } else { PoseidonOutputs::State };
        let elements = sponge.state.map(|element| element.to_le_bytes());
        write_permutation(frame, PoseidonInstance::Stark3, outputs, &elements);
    }

    fn accept_reply(
        request: Row<'_, Self>,
        sponge: &mut Sponge,
        payload: &[u8],
    ) -> Result<Option<Felt>, String> {
        let parse =
            |bytes: &ElementBytes| Felt::from_le_bytes(bytes).map_err(|error| error.to_string());
        if sponge.is_last_step() {
            return parse(&digest(payload)?).map(Some);
        }
        let elements = elements(payload, sponge.state.len())?;
        for (element, bytes) in sponge.state.iter_mut().zip(&elements) {
            *element = parse(bytes)?;
        }
        if let StarknetInput::Many(elements) = request {
            sponge.absorb(elements);
        }
        Ok(None)
    }

    fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
        starved_clocks(first, last)
    }
}
