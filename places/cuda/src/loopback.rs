// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loopback on a GPU: data go there and come back unchanged.

use halimede_arith::job::{Amount, Columns};
use halimede_loopback::{Echo, EchoBatch};

use crate::error::CudaError;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Bytes of a word of the kernel.
const WORD: usize = size_of::<u32>();

/// The kernel of [`Echo`].
#[derive(Debug)]
pub struct EchoOnGpu;

/// The words of all messages, each from a whole word on.
fn words(batch: EchoBatch<'_>) -> usize {
    batch.rows().map(|row| row.len().div_ceil(WORD)).sum()
}

impl Kernel for EchoOnGpu {
    type Operation = Echo;
    const ENGINE: &'static str = "loopback";
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn start(workspace: &mut Workspace, batch: EchoBatch<'_>) -> Result<(), CudaError> {
        let count = words(batch);
        let from = workspace.input(0, count * WORD, |bytes: &mut [u8]| {
            let mut rest = bytes;
            for row in batch.rows() {
                let (place, others) =
                    std::mem::take(&mut rest).split_at_mut(row.len().next_multiple_of(WORD));
                place[..row.len()].copy_from_slice(row);
                rest = others;
            }
        })?;
        let to = workspace.output::<u32>(0, count)?;
        workspace.launch("loopback_echo", count as u64, &[(count as u64).into(), from, to])?;
        workspace.fetch::<u32>(0, count)
    }

    fn finish(workspace: &mut Workspace, batch: EchoBatch<'_>) -> Result<Vec<Vec<u8>>, CudaError> {
        let mut rest = workspace.fetched::<u8>(0)?;
        let mut take = |row: &[u8]| {
            let (place, others) = rest.split_at(row.len().next_multiple_of(WORD));
            rest = others;
            place[..row.len()].to_vec()
        };
        Ok(batch.rows().map(&mut take).collect())
    }
}
