// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements of fields mapped to groups.

use halimede_bls12_381::hash::map_to_curve;
use halimede_bls12_381::Curve;

use super::super::parts::count_of;
use super::{not_valid, Reply};
use crate::error::CudaError;
use crate::workspace::Workspace;

/// Begins to map elements. Those of another length are not read.
pub(super) fn start<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    elements: &[&[u8]],
) -> Result<(), CudaError> {
    if elements.is_empty() {
        return Ok(());
    }
    let (count, bytes) = (elements.len(), 48 * C::DEGREE);
    let data = workspace.input(first, bytes * count, |memory: &mut [u8]| {
        memory.fill(0);
        for (place, element) in memory.chunks_exact_mut(bytes).zip(elements) {
            if element.len() == bytes {
                place.copy_from_slice(element);
            }
        }
    })?;
    let encodings = workspace.output::<u8>(first, C::COMPRESSED_BYTES * count)?;
    let valid = workspace.output::<u32>(first + 1, count)?;
    let kernel = match C::DEGREE {
        1 => "bls12_381_evaluate_map_g1",
        _ => "bls12_381_evaluate_map_g2",
    };
    workspace.launch(kernel, count as u64, &[data, encodings, valid, count_of(count)])?;
    workspace.fetch::<u8>(first, C::COMPRESSED_BYTES * count)?;
    workspace.fetch::<u32>(first + 1, count)
}

/// Returns the points, or what is wrong with the elements.
pub(super) fn finish<C: Curve>(
    workspace: &Workspace,
    first: usize,
    elements: &[&[u8]],
) -> Result<Vec<Reply>, CudaError> {
    if elements.is_empty() {
        return Ok(Vec::new());
    }
    let encodings = workspace.fetched::<u8>(first)?.chunks_exact(C::COMPRESSED_BYTES);
    let rows = elements.iter().zip(encodings).zip(workspace.fetched::<u32>(first + 1)?);
    rows.map(|((element, encoding), valid)| match valid {
        1 if element.len() == 48 * C::DEGREE => Ok(Ok(encoding.to_vec())),
        0 | 1 => match map_to_curve::<C>(element) {
            Err(error) => Ok(Err(error)),
            Ok(_) => Err(not_valid("rejects a correct element".to_owned())),
        },
        other => Err(not_valid(format!("the validity {other}"))),
    })
    .collect()
}
