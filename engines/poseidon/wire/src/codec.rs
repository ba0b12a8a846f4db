// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One step is one permutation, which returns the whole state or only the digest.

use halimede_arith::job::Offer;
use halimede_arith::Fr;
use halimede_card::codec::{Codec, Row, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::FrameWriter;
use halimede_card::spec::{Command, ELEMENT_BYTES, HEADER_BYTES};
use halimede_card::Opening;
use halimede_poseidon::operations::{FilecoinHash, Permute};
use halimede_poseidon::{Elements, Family, State};

use crate::instances::{self, require_instance};
use crate::spec::offset::poseidon_hash_reply as reply;
use crate::spec::{status, PoseidonInstance, PoseidonOutputs, PoseidonStatus};

pub(crate) type ElementBytes = [u8; ELEMENT_BYTES];

/// See [`Codec::PIECE_REQUESTS`].
pub(crate) const PIECE_REQUESTS: usize = 1 << 11;

/// The codec of [`Permute`].
#[derive(Clone, Copy, Debug)]
pub struct PermuteCodec;

impl Codec for PermuteCodec {
    type Operation = Permute;
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = PoseidonInstance;

    fn offer(opening: &Opening) -> Option<Offer> {
        instances::offer(opening, |_| true)
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<PoseidonInstance, String> {
        require_instance(request.instance(), card)
    }

    fn step_bytes(_: Row<'_, Self>, instance: &PoseidonInstance) -> usize {
        permutation_bytes(instance.width())
    }

    fn write_step(
        request: Row<'_, Self>,
        instance: &PoseidonInstance,
        frame: &mut FrameWriter<'_>,
    ) {
        write_permutation(frame, *instance, PoseidonOutputs::State, &request.to_le_bytes());
    }

    fn accept_reply(
        request: Row<'_, Self>,
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

/// The codec of [`FilecoinHash`].
#[derive(Clone, Copy, Debug)]
pub struct FilecoinHashCodec;

impl Codec for FilecoinHashCodec {
    type Operation = FilecoinHash;
    const COMMAND: Command = Command::PoseidonHash;
    const PIECE_REQUESTS: usize = PIECE_REQUESTS;
    type Progress = PoseidonInstance;

    fn offer(opening: &Opening) -> Option<Offer> {
        instances::offer(opening, |instance| matches!(instance.family(), Family::Filecoin(_)))
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<PoseidonInstance, String> {
        require_instance(request.instance(), card)
    }

    fn step_bytes(_: Row<'_, Self>, instance: &PoseidonInstance) -> usize {
        permutation_bytes(instance.width())
    }

    fn write_step(
        request: Row<'_, Self>,
        instance: &PoseidonInstance,
        frame: &mut FrameWriter<'_>,
    ) {
        let elements: Elements<ElementBytes> =
            request.elements().iter().map(Fr::to_le_bytes).collect();
        write_permutation(frame, *instance, PoseidonOutputs::Digest, &elements);
    }

    fn accept_reply(
        _: Row<'_, Self>,
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

/// The bytes of a request frame with this number of elements, in whole beats of the narrowest
/// stream, the only one whose bytes are counted.
pub(crate) fn permutation_bytes(width: usize) -> usize {
    let (fixed, _) = Command::PoseidonHash.request_payload_bytes();
    HEADER_BYTES + fixed + width * ELEMENT_BYTES
}

/// An operation uses the cores of only one field; the cores of the other starve all the time.
pub(crate) fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
    std::cmp::min(last.growth(first, status::STARVED_FR), last.growth(first, status::STARVED_FELT))
}

pub(crate) fn write_permutation(
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

/// The only element of a reply that holds just the digest.
pub(crate) fn digest(payload: &[u8]) -> Result<ElementBytes, String> {
    elements(payload, 1)?.pop().ok_or_else(|| "no digest".into())
}

/// The elements of a reply, whose number must be as requested: at most the width of an instance.
pub(crate) fn elements(payload: &[u8], count: usize) -> Result<Elements<ElementBytes>, String> {
    let status = payload.get(reply::STATUS - INDEX_BYTES).copied().unwrap_or_default();
    match PoseidonStatus::from_u8(status) {
        Some(PoseidonStatus::Ok) => {}
        Some(refusal) => return Err(format!("status {}", refusal.name().replace('_', " "))),
        None => return Err(format!("unknown status {status}")),
    }
    let bytes = payload.get(reply::ELEMENTS - INDEX_BYTES..).unwrap_or_default();
    if bytes.len() != count * ELEMENT_BYTES {
        let expected = count * ELEMENT_BYTES;
        return Err(format!("{} bytes of elements, expected {expected}", bytes.len()));
    }
    Ok(bytes.chunks_exact(ELEMENT_BYTES).filter_map(|element| element.try_into().ok()).collect())
}
