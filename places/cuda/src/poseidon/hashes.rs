// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fixed-length hashes of Filecoin and circom: one element of a permuted state.

use std::hash::Hash;

use halimede_arith::field::Modulus;
use halimede_arith::job::Amount;
use halimede_arith::{Field, Fr};
use halimede_poseidon::circom::{Element, Inputs};
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::{CircomHash, FilecoinHash};

use super::{element, too_wide, unfit, upload, Limbs, Quintic, States, ENGINE, PIECE};
use crate::error::CudaError;
use crate::groups::by_key;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// The kernels of [`FilecoinHash`].
#[derive(Debug)]
pub struct FilecoinHashOnGpu;

/// The kernels of [`CircomHash`].
#[derive(Debug)]
pub struct CircomHashOnGpu;

/// Puts the digests of groups in the order of the requests.
fn digests<K: Eq + Hash + Copy, M: Modulus>(
    workspace: &Workspace,
    keys: impl ExactSizeIterator<Item = K>,
) -> Result<Vec<Field<M>>, CudaError> {
    let mut replies = vec![None; keys.len()];
    for (group, (_, rows)) in by_key(keys).iter().enumerate() {
        for (row, limbs) in rows.iter().zip(workspace.fetched::<Limbs>(group)?) {
            replies[*row] = Some(element(*limbs)?);
        }
    }
    replies.into_iter().map(|reply| reply.ok_or_else(unfit)).collect()
}

impl Kernel for FilecoinHashOnGpu {
    type Operation = FilecoinHash;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn unsupported(row: &Preimage) -> Option<String> {
        too_wide(row.instance().width())
    }

    fn start(workspace: &mut Workspace, batch: &[Preimage]) -> Result<(), CudaError> {
        for (group, (instance, rows)) in
            by_key(batch.iter().map(Preimage::instance)).iter().enumerate()
        {
            let elements = rows.iter().flat_map(|row| batch[*row].elements().iter());
            let elements = elements.map(Fr::montgomery_limbs);
            let input = upload(workspace, group, rows.len() * instance.width(), elements)?;
            // The digest is element 1 (spec.filecoin.io, "The Poseidon hash function").
            let states = States { count: rows.len(), first: 1, outputs: 1 };
            Quintic::filecoin(workspace, *instance)?.launch(workspace, group, input, &states)?;
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: &[Preimage]) -> Result<Vec<Fr>, CudaError> {
        digests(workspace, batch.iter().map(Preimage::instance))
    }
}

impl Kernel for CircomHashOnGpu {
    type Operation = CircomHash;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = PIECE;

    fn start(workspace: &mut Workspace, batch: &[Inputs]) -> Result<(), CudaError> {
        for (group, (width, rows)) in by_key(batch.iter().map(Inputs::width)).iter().enumerate() {
            let elements = rows.iter().flat_map(|row| {
                let inputs = batch[*row].elements().iter();
                std::iter::once([0; 4]).chain(inputs.map(Element::montgomery_limbs))
            });
            let input = upload(workspace, group, rows.len() * width, elements)?;
            let states = States { count: rows.len(), first: 0, outputs: 1 };
            Quintic::circom(workspace, *width)?.launch(workspace, group, input, &states)?;
        }
        Ok(())
    }

    fn finish(workspace: &mut Workspace, batch: &[Inputs]) -> Result<Vec<Element>, CudaError> {
        digests(workspace, batch.iter().map(Inputs::width))
    }
}
