// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 on a GPU: a thread per short message, per chunk and parent of a long one, and per block
//! of output. Keys are secret, and stay on the processor.

use halimede_arith::job::{Amount, Columns};
use halimede_blake3::operations::{Hash, HashBatch, HashRow};
use halimede_blake3::{Mode, CHUNK_BYTES, DIGEST_BYTES, IV};

use crate::error::CudaError;
use crate::groups::{join, starts};
use crate::kernel::Kernel;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Bytes of an output block.
const BLOCK_BYTES: usize = 64;
/// Words of a root.
const ROOT_WORDS: usize = 26;
/// No numbers of modes: all messages have mode 0.
const NO_MODES: Argument = Argument::Pointer(0);

/// The kernels of [`Hash`](struct@Hash).
#[derive(Debug)]
pub struct HashOnGpu;

/// The rows whose digests one kernel computes, and the others.
fn divided(batch: HashBatch<'_>) -> [Vec<HashRow<'_>>; 2] {
    let (short, long) = batch.rows().partition(|row| is_short(*row));
    [short, long]
}

/// Returns `true` if the reply is the digest of a message of one chunk.
fn is_short(row: HashRow<'_>) -> bool {
    row.message.len() <= CHUNK_BYTES && row.output_offset == 0 && row.output_bytes == DIGEST_BYTES
}

/// The output blocks that have bytes of a reply.
fn blocks(row: &HashRow<'_>) -> usize {
    (skipped(row) + row.output_bytes).div_ceil(BLOCK_BYTES)
}

/// The bytes before the reply in its first block.
fn skipped(row: &HashRow<'_>) -> usize {
    (row.output_offset % BLOCK_BYTES as u64) as usize
}

/// Copies messages to the inputs `number` and `number + 1`: the bytes, and where they begin.
fn messages(
    workspace: &mut Workspace,
    number: usize,
    rows: &[HashRow<'_>],
) -> Result<[Argument; 2], CudaError> {
    let offsets = starts(rows.iter().map(|row| row.message.len()));
    let bytes = rows.iter().map(|row| row.message.len()).sum::<usize>();
    let data = workspace.input(number, bytes.next_multiple_of(size_of::<u32>()), |memory| {
        join(memory, rows.iter().map(|row| row.message));
    })?;
    Ok([data, numbers(workspace, number + 1, &offsets)?])
}

fn numbers(
    workspace: &mut Workspace,
    number: usize,
    values: &[u64],
) -> Result<Argument, CudaError> {
    workspace.input(number, values.len(), |memory: &mut [u64]| memory.copy_from_slice(values))
}

/// Returns the mode of all messages: the initial value, and no flags.
fn plain_mode(workspace: &Workspace) -> Result<Argument, CudaError> {
    workspace.table(0, || IV.into_iter().chain([0]).collect())
}

fn count_of(rows: &[HashRow<'_>]) -> u32 {
    u32::try_from(rows.len()).unwrap_or(u32::MAX)
}

/// Computes the digests of messages of one chunk.
fn start_short(workspace: &mut Workspace, rows: &[HashRow<'_>]) -> Result<(), CudaError> {
    let [data, offsets] = messages(workspace, 0, rows)?;
    let mode = plain_mode(workspace)?;
    let digests = workspace.output::<[u8; DIGEST_BYTES]>(0, rows.len())?;
    let arguments = [data, offsets, mode, NO_MODES, digests, count_of(rows).into()];
    workspace.launch("blake3_digests", rows.len() as u64, &arguments)?;
    workspace.fetch::<[u8; DIGEST_BYTES]>(0, rows.len())
}

/// Computes outputs by trees: the chunks, the levels of parents, and the blocks of outputs.
fn start_long(workspace: &mut Workspace, rows: &[HashRow<'_>]) -> Result<(), CudaError> {
    let [data, offsets] = messages(workspace, 2, rows)?;
    let mode = plain_mode(workspace)?;
    let count = Argument::from(count_of(rows));
    let roots = workspace.scratch::<[u32; ROOT_WORDS]>(0, rows.len())?;
    let chunks = |row: &HashRow<'_>| row.message.len().div_ceil(CHUNK_BYTES).max(1);
    let mut nodes: Vec<usize> = rows.iter().map(chunks).collect();
    let total = nodes.iter().sum::<usize>();
    let mut values = workspace.scratch::<[u32; 8]>(1, total)?;
    let mut next = workspace.scratch::<[u32; 8]>(2, total)?;
    let mut below = numbers(workspace, 4, &starts(nodes.iter().copied()))?;
    let total = total as u64;
    let arguments = [data, offsets, below, mode, NO_MODES, values, roots, count, total.into()];
    workspace.launch("blake3_chunks", total, &arguments)?;
    let mut level = 5;
    while nodes.iter().any(|nodes| *nodes > 1) {
        nodes.iter_mut().for_each(|nodes| *nodes = nodes.div_ceil(2));
        let above = numbers(workspace, level, &starts(nodes.iter().copied()))?;
        let total = nodes.iter().sum::<usize>() as u64;
        let arguments = [values, below, above, mode, NO_MODES, next, roots, count, total.into()];
        workspace.launch("blake3_parents", total, &arguments)?;
        (values, next, below, level) = (next, values, above, level + 1);
    }
    let first: Vec<u64> = rows.iter().map(|row| row.output_offset / BLOCK_BYTES as u64).collect();
    let first = numbers(workspace, level, &first)?;
    let of_blocks = numbers(workspace, level + 1, &starts(rows.iter().map(blocks)))?;
    let total = rows.iter().map(blocks).sum::<usize>();
    let outputs = workspace.output::<[u8; BLOCK_BYTES]>(1, total)?;
    let arguments = [roots, of_blocks, first, outputs, count, (total as u64).into()];
    workspace.launch("blake3_outputs", total as u64, &arguments)?;
    workspace.fetch::<[u8; BLOCK_BYTES]>(1, total)
}

impl Kernel for HashOnGpu {
    type Operation = Hash;
    const ENGINE: &'static str = "blake3";
    const PIECE: Amount = Amount { requests: 1 << 18, units: 1 << 27 };

    fn instances() -> Vec<String> {
        vec!["hash".into()]
    }

    fn unsupported(row: HashRow<'_>) -> Option<String> {
        (*row.mode != Mode::Hash).then(|| "keys stay on the processor".into())
    }

    fn start(workspace: &mut Workspace, batch: HashBatch<'_>) -> Result<(), CudaError> {
        let [short, long] = divided(batch);
        if !short.is_empty() {
            start_short(workspace, &short)?;
        }
        if !long.is_empty() {
            start_long(workspace, &long)?;
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: HashBatch<'_>) -> Result<Vec<Vec<u8>>, CudaError> {
        let mut digests = workspace.fetched::<[u8; DIGEST_BYTES]>(0)?.iter();
        let mut rest = workspace.fetched::<u8>(1)?;
        let mut reply = |row: HashRow<'_>| {
            if is_short(row) {
                return digests.next().map(|digest| digest.to_vec());
            }
            let (output, others) = rest.split_at_checked(blocks(&row) * BLOCK_BYTES)?;
            rest = others;
            Some(output[skipped(&row)..][..row.output_bytes].to_vec())
        };
        let missing = || CudaError::Reply {
            engine: Self::ENGINE,
            reason: "fewer outputs than requests".into(),
        };
        batch.rows().map(|row| reply(row).ok_or_else(missing)).collect()
    }
}
