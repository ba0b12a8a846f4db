// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Published solutions, and corrupted ones, whose check ends early or late.

use std::sync::Arc;

use halimede_equihash::{minimal_from_indices, Params, VerifyRow};
use serde::Deserialize;

/// A solution in minimal form, and its puzzle.
#[derive(Clone)]
pub(super) struct Solution {
    pub(super) params: Params,
    /// A header with its nonce; some published vectors have shorter inputs.
    pub(super) input: Arc<[u8]>,
    pub(super) minimal: Arc<[u8]>,
}

impl Solution {
    pub(super) fn row(&self) -> Option<VerifyRow<'_>> {
        VerifyRow::new(self.params, &self.input, &self.minimal).ok()
    }
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    n: u32,
    k: u32,
    input: String,
    indices: Vec<u32>,
    verdict: String,
}

/// The number of bytes of a block header without its solution.
const HEADER_BYTES: usize = 140;

fn rows(params: Params) -> Result<Vec<Row>, String> {
    let text = include_str!("../../../engines/equihash/vectors/equihash.json");
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let is_asked = |row: &Row| (row.n, row.k) == (params.n(), params.k()) && row.verdict == "valid";
    Ok(file.cases.into_iter().filter(is_asked).collect())
}

fn solution(params: Params, input: &str, indices: &[u32]) -> Result<Solution, String> {
    let byte = |place| u8::from_str_radix(input.get(place..place + 2).unwrap_or(""), 16);
    let input: Result<Vec<u8>, _> = (0..input.len()).step_by(2).map(byte).collect();
    let minimal = minimal_from_indices(params, indices).map_err(|error| error.to_string())?;
    let input = input.map_err(|error| error.to_string())?;
    Ok(Solution { params, input: input.into(), minimal: minimal.into() })
}

/// Returns the published valid solutions of these parameters; only those of whole headers, if there
/// are any, since the last block of a shorter input has more nonzero words.
pub(super) fn valid(params: Params) -> Result<Vec<Solution>, String> {
    let solution = |row: &Row| solution(params, &row.input, &row.indices);
    let all: Vec<Solution> = rows(params)?.iter().map(solution).collect::<Result<_, _>>()?;
    let is_whole = |solution: &&Solution| solution.input.len() == HEADER_BYTES;
    let whole: Vec<Solution> = all.iter().filter(is_whole).cloned().collect();
    match (whole.is_empty(), all.is_empty()) {
        (false, _) => Ok(whole),
        (true, false) => Ok(all),
        (true, true) => Err(format!("no published solution of {params}")),
    }
}

/// Returns (200, 9) solutions with each kind of fault, and with wrong collisions at several places.
pub(super) fn spoilt() -> Result<Vec<(String, Solution)>, String> {
    let params = Params::ZCASH;
    let rows = rows(params)?;
    let row = rows.iter().find(|row| row.input.len() == 2 * HEADER_BYTES);
    let Row { input, indices, .. } = row.ok_or("no published solution of a whole header")?;
    let with = |name: &str, change: &dyn Fn(&mut Vec<u32>)| {
        let mut indices = indices.clone();
        change(&mut indices);
        Ok((name.to_string(), solution(params, input, &indices)?))
    };
    let mut all: Vec<Result<_, String>> = vec![
        with("duplicate at its end", &|indices| indices[511] = indices[510]),
        with("halves exchanged", &|indices| indices.rotate_left(256)),
        with("last pair exchanged", &|indices| indices.swap(510, 511)),
    ];
    for leaf in [1, 7, 31, 63, 127, 255, 511] {
        let name = format!("leaf {leaf} wrong");
        all.push(with(&name, &|indices| indices[leaf] ^= 1));
    }
    all.into_iter().collect()
}
