// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verify commands in both forms: 0x100 and 0x102 Equihash, 0x101 and 0x103 secp256k1.

use halimede_arith::job::Compute;
use halimede_equihash::operations::{Verify as VerifySolution, VerifyRequest as SolutionRequest};
use halimede_equihash::Params;
use halimede_secp256k1::check;
use halimede_secp256k1::operations::VerifyRequest;

/// A mask that no check returns, for a refused frame.
pub const REFUSED: u8 = 0xFF;

const INDEX_BYTES: usize = 8;
const BLOCK_HEADER_BYTES: usize = 140;
const SIGNATURE_BYTES: usize = 5 * 32;
/// Returns `true` if a request of this command can have a payload of this length.
pub fn fits(command: u32, bytes: usize) -> bool {
    let checksum = if command >= 0x102 { 8 } else { 0 };
    match (command & 1, bytes.checked_sub(INDEX_BYTES + checksum)) {
        (0, Some(fields)) => set_of(fields).is_some(),
        (_, Some(fields)) => fields == SIGNATURE_BYTES,
        (_, None) => false,
    }
}

/// The parameter set whose header and solution have this length together.
fn set_of(bytes: usize) -> Option<Params> {
    Params::USUAL.into_iter().find(|set| {
        let solution = set.solution_bytes();
        bytes == BLOCK_HEADER_BYTES + if solution < 253 { 1 } else { 3 } + solution
    })
}

/// The answer, after the index, to a request with a right checksum.
pub fn checked(command: u32, fields: &[u8]) -> Vec<u8> {
    vec![mask(command, fields), 0, 0, 0, 0, 0, 0, 0]
}

/// The mask of failures, or [`REFUSED`].
pub fn mask(command: u32, fields: &[u8]) -> u8 {
    match command & 1 {
        0 => solution(fields).unwrap_or(REFUSED),
        _ => signature(fields),
    }
}

fn solution(fields: &[u8]) -> Option<u8> {
    let set = set_of(fields.len())?;
    let (header, rest) = fields.split_at_checked(BLOCK_HEADER_BYTES)?;
    let bytes = set.solution_bytes();
    let prefix = match bytes {
        short if short < 253 => vec![short as u8],
        long => vec![253, long as u8, (long >> 8) as u8],
    };
    let solution = rest.strip_prefix(&prefix[..])?;
    let request =
        SolutionRequest::of_header(set, header.try_into().ok()?, solution.to_vec()).ok()?;
    Some(VerifySolution::compute(request.row()).bits())
}

fn signature(fields: &[u8]) -> u8 {
    let number = |place: usize| -> [u8; 32] {
        let mut number = [0; 32];
        number.copy_from_slice(&fields[32 * place..][..32]);
        number.reverse();
        number
    };
    let [s, r, digest, x, y] = [0, 1, 2, 3, 4].map(number);
    check(&VerifyRequest { r, s, digest, x, y }).bits()
}
