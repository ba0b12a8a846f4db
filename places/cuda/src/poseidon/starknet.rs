// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's hashes: a thread absorbs the pairs of a message.

use halimede_arith::job::Amount;
use halimede_arith::Felt;
use halimede_poseidon::operations::{StarknetHash, StarknetInput};
use halimede_poseidon::starknet::padded_pairs;
use halimede_poseidon::{Family, Instance};

use super::{element, number, stark, upload, Limbs, ENGINE, PIECE};
use crate::error::CudaError;
use crate::groups::starts;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// The width of the instance.
const WIDTH: usize = 3;

/// The kernels of [`StarknetHash`].
#[derive(Debug)]
pub struct StarknetHashOnGpu;

/// The pairs that a hash absorbs.
fn pairs(input: &StarknetInput) -> Vec<[Felt; 2]> {
    match input {
        StarknetInput::Pair(x, y) => vec![[*x, *y]],
        StarknetInput::Single(x) => vec![[*x, Felt::ZERO]],
        StarknetInput::Many(elements) => padded_pairs(elements).collect(),
    }
}

/// The number of elements of those pairs: one 1 and up to one 0 are appended.
fn length(input: &StarknetInput) -> usize {
    match input {
        StarknetInput::Pair(..) | StarknetInput::Single(_) => 2,
        StarknetInput::Many(elements) => (elements.len() + 1).next_multiple_of(2),
    }
}

/// The last element of the first state (docs.starknet.io, "Hash functions").
fn capacity(input: &StarknetInput) -> u32 {
    match input {
        StarknetInput::Pair(..) => 2,
        StarknetInput::Single(_) => 1,
        StarknetInput::Many(_) => 0,
    }
}

impl Kernel for StarknetHashOnGpu {
    type Operation = StarknetHash;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn start(workspace: &mut Workspace, batch: &[StarknetInput]) -> Result<(), CudaError> {
        let launch = |reason: String| CudaError::Launch { function: "poseidon_stark_hash", reason };
        let instance =
            Instance::new(Family::Stark, WIDTH).map_err(|error| launch(error.to_string()))?;
        let offsets = starts(batch.iter().map(length));
        let total = batch.iter().map(length).sum();
        let elements = batch.iter().flat_map(pairs).flatten();
        let elements = upload(workspace, 0, total, elements.map(|felt| felt.montgomery_limbs()))?;
        let offsets = workspace.input(1, offsets.len(), |memory: &mut [u64]| {
            memory.copy_from_slice(&offsets);
        })?;
        let capacities = workspace.input(2, batch.len(), |memory: &mut [u32]| {
            memory.iter_mut().zip(batch).for_each(|(place, input)| *place = capacity(input));
        })?;
        let table = stark(workspace, instance)?;
        let digests = workspace.output::<Limbs>(0, batch.len())?;
        let (count, partial) = (number(batch.len()), number(instance.partial_rounds()));
        let arguments = [elements, offsets, capacities, digests, count, partial, table];
        workspace.launch("poseidon_stark_hash", batch.len() as u64, &arguments)?;
        workspace.fetch::<Limbs>(0, batch.len())
    }

    fn finish(workspace: &mut Workspace, _batch: &[StarknetInput]) -> Result<Vec<Felt>, CudaError> {
        workspace.fetched::<Limbs>(0)?.iter().map(|limbs| element(*limbs)).collect()
    }
}
