// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon over flat arrays of numbers.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::job::{in_pieces, Execute, InPiece, Operation};
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, PreimageError};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::tree::{require_full, TreeBuilder};
use halimede_poseidon::{starknet, Family, Instance, State, StateElements, Strength};
use rayon::prelude::*;

use super::digit::{element, Digit};
use super::error::FlatError;
use super::rows::{read_row, require_count, require_reduced, whole_rows, Messages, Rows};
use crate::device::Device;
use halimede_places::processor;

/// The number of rows of one request to the processor. Their requests and replies fit a core's L2
/// cache and share one allocation.
const PART_ROWS: usize = 256;
/// The number of leaves that one thread converts at once.
const PIECE_LEAVES: usize = 1024;
/// The number of leaves that are converted before they enter the tree: 2 MiB.
const TREE_PIECE_LEAVES: usize = 1 << 16;

/// The parameters of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceInfo {
    /// The number of elements of the state, t.
    pub width: usize,
    /// The number of full rounds, R_F.
    pub full_rounds: usize,
    /// The number of partial rounds, R_P.
    pub partial_rounds: usize,
    /// The exponent of the S-box, α.
    pub alpha: u32,
    /// The field's modulus, least significant limb first.
    pub modulus: [u64; 4],
}

impl From<Instance> for InstanceInfo {
    fn from(instance: Instance) -> Self {
        Self {
            width: instance.width(),
            full_rounds: instance.full_rounds(),
            partial_rounds: instance.partial_rounds(),
            alpha: instance.alpha(),
            modulus: match instance.family() {
                Family::Filecoin(_) => Bls12381Scalar::VALUE,
                Family::Stark => StarkPrime::VALUE,
            },
        }
    }
}

/// Returns the parameters of the instance with this name, e.g. `filecoin-8` or `stark-3`.
///
/// # Errors
/// [`FlatError::Instance`].
pub fn instance_info(name: &str) -> Result<InstanceInfo, FlatError> {
    Ok(name.parse::<Instance>()?.into())
}

/// Permutes every state in place: `states` is `[n, width]` elements.
///
/// # Errors
/// [`FlatError::Length`], [`FlatError::Element`] or [`FlatError::Device`]; the states are then
/// unchanged.
pub fn permute<D: Digit>(
    device: &Device,
    instance: Instance,
    states: &mut [D],
) -> Result<(), FlatError> {
    match instance.family() {
        Family::Filecoin(strength) => {
            let state = |elements: &[Fr]| Ok(State::filecoin(strength, elements)?);
            permute_rows::<Bls12381Scalar, D>(device, instance.width(), states, state)
        }
        Family::Stark => {
            let state = |elements: &[Felt]| Ok(State::stark(elements)?);
            permute_rows::<StarkPrime, D>(device, instance.width(), states, state)
        }
    }
}

/// Filecoin's hash: `preimages` is `[n, length]` elements, `digests` `[n]`. The length is the
/// hasher's arity, or from 1 to the arity for the type constant length.
///
/// # Errors
/// [`FlatError::Preimage`] for a length that the hasher does not support, [`FlatError::Length`],
/// [`FlatError::Count`], [`FlatError::Element`] or [`FlatError::Device`]; the digests are then
/// unchanged.
pub fn filecoin_hash<D: Digit>(
    device: &Device,
    hasher: &Hasher,
    length: usize,
    preimages: &[D],
    digests: &mut [D],
) -> Result<(), FlatError> {
    require_preimage_length(hasher, length)?;
    let request = |elements: &[Fr]| Ok(hasher.preimage(elements)?);
    let rows = Rows::equal("preimages", length, preimages);
    hash_rows::<FilecoinHash, Bls12381Scalar, D>(device, &rows, digests, request)
}

/// Starknet's `hash(x, y)`: `pairs` is `[n, 2]` elements, `digests` `[n]`.
///
/// # Errors
/// [`FlatError::Length`], [`FlatError::Count`], [`FlatError::Element`] or [`FlatError::Device`];
/// the digests are then unchanged.
pub fn starknet_hash<D: Digit>(
    device: &Device,
    pairs: &[D],
    digests: &mut [D],
) -> Result<(), FlatError> {
    let request = |pair: &[Felt]| Ok(StarknetInput::Pair(pair[0], pair[1]));
    let rows = Rows::equal("pairs", 2, pairs);
    hash_rows::<StarknetHash, StarkPrime, D>(device, &rows, digests, request)
}

/// Starknet's `hash_single(x)`: `elements` is `[n]` elements, `digests` `[n]`.
///
/// # Errors
/// As [`starknet_hash`].
pub fn starknet_hash_single<D: Digit>(
    device: &Device,
    elements: &[D],
    digests: &mut [D],
) -> Result<(), FlatError> {
    let request = |single: &[Felt]| Ok(StarknetInput::Single(single[0]));
    let rows = Rows::equal("elements", 1, elements);
    hash_rows::<StarknetHash, StarkPrime, D>(device, &rows, digests, request)
}

/// Starknet's `hash_many`: `elements` holds consecutive messages, `digests` is `[n]`.
///
/// # Errors
/// As [`starknet_hash`], and [`FlatError::Offsets`].
pub fn starknet_hash_many<D: Digit>(
    device: &Device,
    messages: Messages<'_>,
    elements: &[D],
    digests: &mut [D],
) -> Result<(), FlatError> {
    let request = |message: &[Felt]| Ok(StarknetInput::Many(message.to_vec()));
    let rows = Rows { array: "elements", messages, digits: elements };
    hash_rows::<StarknetHash, StarkPrime, D>(device, &rows, digests, request)
}

/// Absorbs elements into Starknet's streaming hash, on the calling thread. Its digest is
/// [`Hasher::finalize`](starknet::Hasher::finalize).
///
/// # Errors
/// [`FlatError::Length`] or [`FlatError::Element`]; the hasher is then unchanged.
pub fn starknet_update<D: Digit>(
    hasher: &mut starknet::Hasher,
    elements: &[D],
) -> Result<(), FlatError> {
    let array = "elements";
    whole_rows(array, elements, 1)?;
    require_reduced::<StarkPrime, D>(array, elements, |element| (element, 0))?;
    let mut converted = vec![];
    for (piece, digits) in elements.chunks(PART_ROWS * D::PER_ELEMENT).enumerate() {
        read_row(array, piece, digits, &mut converted)?;
        hasher.update_slice(&converted);
    }
    Ok(())
}

/// Computes the root of the full Merkle tree over `leaves`, `[n]` elements below the modulus, by
/// Filecoin's hash; `root` is one element. The number of leaves is a power of the arity, at least
/// the arity.
///
/// # Errors
/// [`FlatError::Preimage`] for an unknown arity, [`FlatError::Tree`],
/// [`FlatError::Length`], [`FlatError::Count`] or [`FlatError::Element`]; the root is then
/// unchanged.
pub fn tree_root<D: Digit>(
    device: &Device,
    arity: usize,
    strength: Strength,
    leaves: &[D],
    root: &mut [D],
) -> Result<(), FlatError> {
    let array = "leaves";
    Hasher::new(arity, strength, HashType::MerkleTree)?;
    require_count("root", root, 1, || "one element".into())?;
    require_full(whole_rows(array, leaves, 1)? as u64, arity)?;
    require_reduced::<Bls12381Scalar, D>(array, leaves, |leaf| (leaf, 0))?;
    let mut tree = TreeBuilder::new(device, arity, strength)?;
    let mut converted = vec![];
    let count = leaves.len() / D::PER_ELEMENT;
    for first in (0..count).step_by(TREE_PIECE_LEAVES) {
        let end = count.min(first + TREE_PIECE_LEAVES);
        in_pieces(
            device.name(),
            end - first,
            |_| TREE_PIECE_LEAVES,
            |_| {
                let leaves = &leaves[first * D::PER_ELEMENT..end * D::PER_ELEMENT];
                converted.resize(end - first, Fr::ZERO);
                convert_leaves(first, leaves, &mut converted)?;
                Ok::<_, FlatError>(converted.iter().try_for_each(|leaf| tree.push(*leaf))?)
            },
        )
        .map_err(|error| error.in_whole(first, count))?;
    }
    D::write(tree.finish()?.canonical_limbs(), root);
    Ok(())
}

/// Permutes rows of `width` elements of a field; `state` converts a row to a state.
fn permute_rows<M: Modulus, D: Digit>(
    device: &Device,
    width: usize,
    states: &mut [D],
    state: impl Fn(&[Field<M>]) -> Result<State, FlatError> + Sync,
) -> Result<(), FlatError> {
    let array = "states";
    let rows = whole_rows(array, states, width)?;
    require_reduced::<M, D>(array, states, |element| (element / width, element % width))?;
    let row_digits = width * D::PER_ELEMENT;
    let permute_part = |(first, states): (usize, &mut [D])| {
        let mut elements = Vec::with_capacity(width);
        let requests = states.chunks_exact(row_digits).enumerate().map(|(row, digits)| {
            read_row(array, first + row, digits, &mut elements)?;
            state(&elements)
        });
        let replies = replies::<Permute>(device, requests)?;
        for (row, reply) in states.chunks_exact_mut(row_digits).zip(&replies) {
            match reply.elements() {
                StateElements::Filecoin(elements) => write_row(elements, row),
                StateElements::Stark(elements) => write_row(elements, row),
            }
        }
        Ok(())
    };
    let piece = device.limits::<Permute>().piece.requests_of(width);
    in_pieces(
        device.name(),
        rows,
        |_| piece,
        |range| {
            let part_rows = part_rows::<Permute>(device, range.len());
            let states = &mut states[range.start * row_digits..range.end * row_digits];
            let parts = states.par_chunks_mut(part_rows * row_digits).enumerate();
            let parts = parts.map(|(part, states)| (range.start + part * part_rows, states));
            processor::in_pool(|| parts.try_for_each(permute_part))
        },
    )
}

/// Hashes each row to an element of `digests`; `request` converts a row to a request.
fn hash_rows<Op, M: Modulus, D: Digit>(
    device: &Device,
    rows: &Rows<'_, D>,
    digests: &mut [D],
    request: impl Fn(&[Field<M>]) -> Result<Op::Request, FlatError> + Sync,
) -> Result<(), FlatError>
where
    Op: Operation<Reply = Field<M>, Replies = Vec<Field<M>>>,
{
    let count = rows.check::<M>(digests)?;
    let hash_part = |(first, digests): (usize, &mut [D])| {
        let mut elements = vec![];
        let requests = (first..first + digests.len() / D::PER_ELEMENT).map(|row| {
            rows.read(row, &mut elements)?;
            request(&elements)
        });
        write_row(&replies::<Op>(device, requests)?, digests);
        Ok(())
    };
    let piece = device.limits::<Op>().piece;
    in_pieces(
        device.name(),
        count,
        |first| rows.piece(piece, first),
        |range| {
            let part_rows = part_rows::<Op>(device, range.len());
            let digests = &mut digests[range.start * D::PER_ELEMENT..range.end * D::PER_ELEMENT];
            let parts = digests.par_chunks_mut(part_rows * D::PER_ELEMENT).enumerate();
            let parts = parts.map(|(part, digests)| (range.start + part * part_rows, digests));
            processor::in_pool(|| parts.try_for_each(hash_part))
        },
    )
}

/// Returns a device's replies to these requests.
fn replies<Op: Operation>(
    device: &Device,
    requests: impl ExactSizeIterator<Item = Result<Op::Request, FlatError>>,
) -> Result<Op::Replies, FlatError> {
    let mut batch = Vec::with_capacity(requests.len());
    for request in requests {
        batch.push(request?);
    }
    Ok(Execute::<Op>::execute(device, Op::batch(&batch))?.replies)
}

/// Returns the number of rows of a piece that go to the device at once. With a device that does not
/// fail, each part is written when it arrives; any other device gets the whole piece, and nothing
/// is written unless it answers all.
fn part_rows<Op: Operation>(device: &Device, rows: usize) -> usize {
    match device.limits::<Op>().may_fail {
        false => PART_ROWS,
        true => rows.max(1),
    }
}

fn write_row<M: Modulus, D: Digit>(elements: &[Field<M>], digits: &mut [D]) {
    for (digits, element) in digits.chunks_exact_mut(D::PER_ELEMENT).zip(elements) {
        D::write(element.canonical_limbs(), digits);
    }
}

/// Checks that the hasher supports a length.
fn require_preimage_length(hasher: &Hasher, length: usize) -> Result<(), FlatError> {
    // The arity plus one represents all lengths that are too long.
    let probe = vec![Fr::ZERO; length.min(hasher.arity() + 1)];
    match hasher.preimage(&probe) {
        Ok(_) => Ok(()),
        Err(PreimageError::Length { expected, .. }) => {
            Err(PreimageError::Length { expected, got: length }.into())
        }
        Err(other) => Err(other.into()),
    }
}

/// Converts leaves; `first` is the number of the first one.
fn convert_leaves<D: Digit>(
    first: usize,
    leaves: &[D],
    converted: &mut [Fr],
) -> Result<(), FlatError> {
    let convert = |(leaf, (digits, converted)): (usize, (&[D], &mut Fr))| {
        *converted = element(digits).map_err(|error| FlatError::Element {
            array: "leaves",
            row: first + leaf,
            position: 0,
            error,
        })?;
        Ok(())
    };
    let leaves = leaves.par_chunks_exact(D::PER_ELEMENT).zip(converted);
    let leaves = leaves.enumerate().with_min_len(PIECE_LEAVES);
    processor::in_pool(|| leaves.try_for_each(convert))
}
