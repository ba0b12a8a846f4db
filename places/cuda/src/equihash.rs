// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on a GPU: a block of threads per solution.

use halimede_arith::job::{Amount, Columns};
use halimede_equihash::operations::{Verify, VerifyBatch, VerifyRow};
use halimede_equihash::{push_compact_size, Mask, Params};

use crate::error::CudaError;
use crate::groups::{by_key, join};
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// The numbers of an item.
const ITEM: usize = 4;
/// The largest number of indices and the largest n of the kernels.
const MOST_INDICES: usize = 512;
const MOST_BITS: u32 = 256;
/// Up to this number of indices, a block is one warp.
const FEW_INDICES: usize = 32;

/// The kernels of [`Verify`].
#[derive(Debug)]
pub struct VerifyOnGpu;

/// The bytes of a request: the input, the length of the solution of a header, the solution.
fn parts<'r>(row: &'r VerifyRow<'_>, length: &'r [u8]) -> [&'r [u8]; 3] {
    [row.input(), if row.is_header() { length } else { &[] }, row.solution()]
}

/// Verifies the solutions of one parameter set.
fn start_group(
    workspace: &mut Workspace,
    group: usize,
    params: Params,
    rows: &[VerifyRow<'_>],
) -> Result<(), CudaError> {
    let mut length = Vec::new();
    push_compact_size(&mut length, params.solution_bytes() as u64);
    let bytes: usize = rows.iter().flat_map(|row| parts(row, &length)).map(<[u8]>::len).sum();
    let data = workspace.input(2 * group, bytes.next_multiple_of(size_of::<u32>()), |memory| {
        join(memory, rows.iter().flat_map(|row| parts(row, &length)));
    })?;
    let items = workspace.input(2 * group + 1, ITEM * rows.len(), |memory: &mut [u64]| {
        let mut place = 0;
        for (item, row) in memory.chunks_exact_mut(ITEM).zip(rows) {
            let [input, between, solution] = parts(row, &length).map(|part| part.len() as u64);
            let whole = input + between + solution;
            let checked = if row.is_header() { whole } else { 0 };
            item.copy_from_slice(&[place, input, place + input + between, checked]);
            place += whole;
        }
    })?;
    let states = workspace.scratch::<[u64; 8]>(group, rows.len())?;
    let masks = workspace.output::<u32>(group, rows.len())?;
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let arguments =
        [data, items, states, masks, count.into(), params.n().into(), params.k().into()];
    workspace.launch("equihash_begin", u64::from(count), &arguments)?;
    let name = match params.indices() {
        ..=FEW_INDICES => "equihash_verify_32",
        _ => "equihash_verify_512",
    };
    workspace.launch_blocks(name, count, &arguments)?;
    workspace.fetch::<u32>(group, rows.len())
}

impl Kernel for VerifyOnGpu {
    type Operation = Verify;
    const ENGINE: &'static str = "equihash";
    const PIECE: Amount = Amount { requests: 1 << 15, units: 1 << 23 };

    fn unsupported(row: VerifyRow<'_>) -> Option<String> {
        let params = row.params();
        (params.indices() > MOST_INDICES || params.n() > MOST_BITS).then(|| {
            format!(
                "{params}: the kernels have up to {MOST_INDICES} indices and n up to {MOST_BITS}"
            )
        })
    }

    fn start(workspace: &mut Workspace, batch: VerifyBatch<'_>) -> Result<(), CudaError> {
        for (group, (params, numbers)) in
            by_key(batch.rows().map(|row| row.params())).iter().enumerate()
        {
            let rows: Vec<VerifyRow<'_>> = numbers.iter().map(|row| batch.row(*row)).collect();
            start_group(workspace, group, *params, &rows)?;
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: VerifyBatch<'_>) -> Result<Vec<Mask>, CudaError> {
        let mut replies = vec![Mask::VALID; batch.len()];
        for (group, (_, numbers)) in by_key(batch.rows().map(|row| row.params())).iter().enumerate()
        {
            for (row, bits) in numbers.iter().zip(workspace.fetched::<u32>(group)?) {
                let mask = u8::try_from(*bits).ok().and_then(Mask::from_bits);
                replies[*row] = mask.ok_or(CudaError::Reply {
                    engine: Self::ENGINE,
                    reason: format!("the mask {bits:#x} of request {row} is not valid"),
                })?;
            }
        }
        Ok(replies)
    }
}
