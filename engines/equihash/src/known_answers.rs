// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Solutions with known verdicts, for startup tests and demonstrations: a published block or solved
//! puzzles, and damaged copies that the reference has judged. Requires the crate's feature
//! `known-answers`.

use halimede_arith::interface::KnownAnswers as Group;

use crate::operations::{Verify, VerifyRequest, HEADER_BYTES};
use crate::{indices_from_minimal, meets_target, minimal_from_indices, reference};
use crate::{Check, Header, Mask, Params, Solver};

/// Block 346 of Zcash's main network.
const BLOCK_346: &str = include_str!("../vectors/zcash_block_346.hex");
/// A target that one in two hashes meets.
const EASY_BITS: [u8; 4] = 0x200f_0f0f_u32.to_le_bytes();
/// The number of nonces to try for a solution; a nonce has at least 0.7 solutions on average.
const NONCES: u8 = 64;
/// The largest n for which puzzles are solved here, which takes milliseconds.
const SOLVED_BITS: u32 = 96;

/// The bundled block is invalid, or a puzzle has no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no known answers for Equihash {params}: {reason}")]
pub struct KnownAnswersError {
    params: Params,
    reason: String,
}

/// A request whose result is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The property that makes the case special.
    pub name: &'static str,
    /// The request.
    pub request: VerifyRequest,
    /// The expected result.
    pub mask: Mask,
}

/// Returns a valid solution for these parameters, if one can be found in milliseconds, and damaged
/// ones.
///
/// # Errors
/// [`KnownAnswersError`] if no answers can be generated.
pub fn known_answers(params: Params) -> Result<Vec<KnownAnswer>, KnownAnswersError> {
    let error = |reason: String| KnownAnswersError { params, reason };
    let words = |reason: &dyn std::fmt::Display| error(reason.to_string());
    let (header, indices) = match params {
        Params::ZCASH => block_346().map_err(error)?,
        _ if params.n() <= SOLVED_BITS => solved(params).map_err(error)?,
        _ => (made_header(0), (0..params.indices() as u32).collect()),
    };
    let mut swapped = indices.clone();
    swapped.swap(0, 1);
    let mut twice = indices.clone();
    twice[params.indices() - 1] = twice[0];
    let mut other = indices.clone();
    other[1] ^= 1;
    let mut other_nonce = header;
    other_nonce[HEADER_BYTES - 1] ^= 0x80;
    [
        ("as it is", header, &indices),
        ("indices swapped", header, &swapped),
        ("an index twice", header, &twice),
        ("another index", header, &other),
        ("another nonce", other_nonce, &indices),
    ]
    .into_iter()
    .map(|(name, header, indices)| {
        let minimal = minimal_from_indices(params, indices).map_err(|e| words(&e))?;
        let mut mask = reference::mask(params, &header, &minimal).map_err(|e| words(&e))?;
        let request = VerifyRequest::of_header(params, header, minimal).map_err(|e| words(&e))?;
        if !meets_target(&request.to_bytes()) {
            mask.set(Check::Difficulty);
        }
        Ok(KnownAnswer { name, request, mask })
    })
    .collect()
}

/// Returns the answers of each parameter set in use.
pub(crate) fn groups() -> Result<Vec<Group<Verify>>, String> {
    let group = |params: Params| {
        let answers = known_answers(params).map_err(|error| error.to_string())?;
        let answers = answers.into_iter().map(|answer| (answer.request, answer.mask)).collect();
        let about = match params {
            Params::ZCASH => "proof of work of Zcash block 346, and damaged copies",
            _ => "made-up solutions",
        };
        Ok(Group::new(format!("equihash {params}"), about, answers))
    };
    Params::USUAL.into_iter().map(group).collect()
}

/// Returns the header and the solution of block 346.
fn block_346() -> Result<([u8; HEADER_BYTES], Vec<u32>), String> {
    let bytes = hex::decode(BLOCK_346.trim()).map_err(|error| error.to_string())?;
    let (header, _) = Header::read(&bytes, Some(Params::ZCASH)).map_err(|e| e.to_string())?;
    let indices = indices_from_minimal(Params::ZCASH, header.solution());
    let fields = header.fields().try_into().map_err(|_| "the header has the wrong length")?;
    Ok((fields, indices.map_err(|error| error.to_string())?))
}

/// Returns a header and a solution that is computed here.
fn solved(params: Params) -> Result<([u8; HEADER_BYTES], Vec<u32>), String> {
    let solver = Solver::new(params);
    for nonce in 0..NONCES {
        let header = made_header(nonce);
        let solutions = solver.solve(&header).map_err(|error| error.to_string())?;
        if let Some(indices) = solutions.into_iter().next() {
            return Ok((header, indices));
        }
    }
    Err(format!("no solution for {NONCES} nonces"))
}

/// Returns a header that belongs to no block.
fn made_header(nonce: u8) -> [u8; HEADER_BYTES] {
    let mut header: [u8; HEADER_BYTES] = std::array::from_fn(|at| (at * 7 % 251) as u8);
    header[104..108].copy_from_slice(&EASY_BITS);
    header[108] = nonce;
    header
}

#[cfg(test)]
mod tests {
    use halimede_arith::job::Compute;

    use super::*;
    use crate::operations::Verify;

    #[test]
    fn the_processor_knows_the_answers() {
        let sets = Params::USUAL;
        for params in sets {
            let known = known_answers(params).unwrap();
            for KnownAnswer { name, request, mask } in &known {
                assert_eq!(Verify::compute(request.row()), *mask, "{params}, {name}");
            }
            let solution = known[0].mask;
            assert_eq!(solution.has(Check::Xor), params == Params::N144_K5, "{params}");
            assert!(known[1].mask.has(Check::IndexOrder) && known[2].mask.has(Check::Duplicate));
            assert!(known[3].mask.has(Check::Xor) && known[4].mask.has(Check::Collision));
        }
        assert!(known_answers(Params::ZCASH).unwrap()[0].mask.is_valid());
    }
}
