// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon on the wire: one step is one permutation, of which either the whole state or only the
//! digest comes back.

use halimede_arith::job::Operation;
use halimede_arith::{Felt, Fr};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::starknet::{self, StarknetState};
use halimede_poseidon::{Elements, Family, Instance, State, Strength};

use super::{WireOperation, INDEX_BYTES};
use crate::command::Status;
use crate::frame::FrameWriter;
use crate::spec::offset::poseidon_hash_reply as reply;
use crate::spec::{
    Command, PoseidonInstance, PoseidonOutputs, PoseidonStatus, ELEMENT_BYTES, HEADER_BYTES,
};

type ElementBytes = [u8; ELEMENT_BYTES];

/// See [`WireOperation::PIECE_REQUESTS`].
const PIECE_REQUESTS: usize = 1 << 11;

impl WireOperation for Permute {
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = PoseidonInstance;

    fn begin(request: Self::Row<'_>, card: &Status) -> Result<PoseidonInstance, String> {
        require_instance(request.instance(), card)
    }

    fn step_bytes(_: Self::Row<'_>, instance: &PoseidonInstance) -> usize {
        permutation_bytes(instance.width())
    }

    fn write_step(
        request: Self::Row<'_>,
        instance: &PoseidonInstance,
        frame: &mut FrameWriter<'_>,
    ) {
        write_permutation(frame, *instance, PoseidonOutputs::State, &request.to_le_bytes());
    }

    fn accept_reply(
        request: Self::Row<'_>,
        instance: &mut PoseidonInstance,
        payload: &[u8],
    ) -> Result<Option<State>, String> {
        let elements = elements(payload, instance.width())?;
        let state = State::from_le_bytes(request.instance(), &elements);
        state.map(Some).map_err(|error| error.to_string())
    }

    fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
        starved_clocks(first, last)
    }
}

impl WireOperation for FilecoinHash {
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = PoseidonInstance;

    fn begin(request: Self::Row<'_>, card: &Status) -> Result<PoseidonInstance, String> {
        require_instance(request.instance(), card)
    }

    fn step_bytes(_: Self::Row<'_>, instance: &PoseidonInstance) -> usize {
        permutation_bytes(instance.width())
    }

    fn write_step(
        request: Self::Row<'_>,
        instance: &PoseidonInstance,
        frame: &mut FrameWriter<'_>,
    ) {
        let elements: Elements<ElementBytes> =
            request.elements().iter().map(Fr::to_le_bytes).collect();
        write_permutation(frame, *instance, PoseidonOutputs::Digest, &elements);
    }

    fn accept_reply(
        _: Self::Row<'_>,
        _: &mut Self::Progress,
        payload: &[u8],
    ) -> Result<Option<Fr>, String> {
        let digest = digest(payload)?;
        Fr::from_le_bytes(&digest).map(Some).map_err(|error| error.to_string())
    }

    fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
        starved_clocks(first, last)
    }
}

/// A Starknet hash under way: the state to permute next, pairs of a sponge absorbed.
#[derive(Debug)]
pub struct Sponge {
    state: StarknetState,
    /// Pairs that have been added to the state.
    absorbed: usize,
    /// Pairs there are.
    pairs: usize,
}

impl Sponge {
    fn is_last_step(&self) -> bool {
        self.absorbed == self.pairs
    }

    /// Adds the input's next pair.
    fn absorb(&mut self, elements: &[Felt]) {
        let rest = elements.get(2 * self.absorbed..).unwrap_or_default();
        if let Some(pair) = starknet::padded_pairs(rest).next() {
            self.state = starknet::absorbed(self.state, pair);
        }
        self.absorbed += 1;
    }
}

impl WireOperation for StarknetHash {
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = Sponge;

    fn begin(request: Self::Row<'_>, card: &Status) -> Result<Sponge, String> {
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

    fn step_bytes(_: Self::Row<'_>, sponge: &Sponge) -> usize {
        permutation_bytes(sponge.state.len())
    }

    fn write_step(_: Self::Row<'_>, sponge: &Sponge, frame: &mut FrameWriter<'_>) {
        let outputs =
            if sponge.is_last_step() { PoseidonOutputs::Digest } else { PoseidonOutputs::State };
        let elements = sponge.state.map(|element| element.to_le_bytes());
        write_permutation(frame, PoseidonInstance::Stark3, outputs, &elements);
    }

    fn accept_reply(
        request: Self::Row<'_>,
        sponge: &mut Sponge,
        payload: &[u8],
    ) -> Result<Option<<Self as Operation>::Reply>, String> {
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

/// The instance's code on the wire, if it has one: the family in bits 7:4, the width in bits 3:0.
fn wire_instance(instance: Instance) -> Option<PoseidonInstance> {
    // A wider instance would take another family's code.
    let width = u8::try_from(instance.width()).ok().filter(|width| *width < 16)?;
    let family = match instance.family() {
        Family::Filecoin(Strength::Standard) => 0u8,
        Family::Filecoin(Strength::Strengthened) => 1,
        Family::Stark => 2,
    };
    PoseidonInstance::from_u8(family << 4 | width)
}

fn require_instance(instance: Instance, card: &Status) -> Result<PoseidonInstance, String> {
    let code = wire_instance(instance)
        .ok_or_else(|| format!("{instance} has no code in the card's protocol"))?;
    require(code, card)
}

fn require(instance: PoseidonInstance, card: &Status) -> Result<PoseidonInstance, String> {
    if card.has_poseidon_instance(instance) {
        return Ok(instance);
    }
    let name = Instance::published()
        .find(|candidate| wire_instance(*candidate) == Some(instance))
        .map_or_else(|| instance.name().to_owned(), |instance| instance.to_string());
    Err(format!("the card does not have the Poseidon instance {name}"))
}

/// The Poseidon instances that a card has.
pub fn poseidon_instances(card: &Status) -> Vec<Instance> {
    let has = |instance: &Instance| {
        wire_instance(*instance).is_some_and(|code| card.has_poseidon_instance(code))
    };
    Instance::published().filter(has).collect()
}

/// Bytes of a request frame with this number of elements; whole beats of the narrowest stream,
/// which is the only one whose bytes are counted.
fn permutation_bytes(width: usize) -> usize {
    let (fixed, _) = Command::PoseidonHash.request_payload_bytes();
    HEADER_BYTES + fixed + width * ELEMENT_BYTES
}

/// One operation keeps one field's cores at work; the others starve all the time.
fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
    std::cmp::min(
        last.poseidon_starved_fr.checked_sub(first.poseidon_starved_fr),
        last.poseidon_starved_felt.checked_sub(first.poseidon_starved_felt),
    )
}

fn write_permutation(
    frame: &mut FrameWriter<'_>,
    instance: PoseidonInstance,
    outputs: PoseidonOutputs,
    elements: &[ElementBytes],
) {
    frame.u8(instance.code()).u8(outputs as u8).bytes(&[0; 6]);
    for element in elements {
        frame.bytes(element);
    }
}

/// The one element of a reply that holds the digest only.
fn digest(payload: &[u8]) -> Result<ElementBytes, String> {
    elements(payload, 1)?.pop().ok_or_else(|| "no digest".into())
}

/// The elements of a reply, exactly as many as asked for: at most an instance's width.
fn elements(payload: &[u8], count: usize) -> Result<Elements<ElementBytes>, String> {
    let status = payload.get(reply::STATUS - INDEX_BYTES).copied().unwrap_or_default();
    match PoseidonStatus::from_u8(status) {
        Some(PoseidonStatus::Ok) => {}
        Some(refusal) => return Err(format!("status {}", refusal.name().replace('_', " "))),
        None => return Err(format!("unknown status {status}")),
    }
    let bytes = payload.get(reply::ELEMENTS - INDEX_BYTES..).unwrap_or_default();
    if bytes.len() != count * ELEMENT_BYTES {
        let expected = count * ELEMENT_BYTES;
        return Err(format!("{} bytes of elements in place of {expected}", bytes.len()));
    }
    Ok(bytes.chunks_exact(ELEMENT_BYTES).filter_map(|element| element.try_into().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_instances_alone_have_codes_and_each_its_own() {
        let published: Vec<Instance> = Instance::published().collect();
        let mut codes = std::collections::HashSet::new();
        for instance in Instance::all() {
            let code = wire_instance(instance);
            assert_eq!(code.is_some(), published.contains(&instance), "{instance}");
            assert_eq!(code.map(PoseidonInstance::width), code.map(|_| instance.width()));
            assert!(code.is_none_or(|code| codes.insert(code.code())), "{instance}");
        }
        assert_eq!(codes.len(), 12);
    }
}
