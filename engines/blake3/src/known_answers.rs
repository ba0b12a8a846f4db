// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The official vectors of `vectors/blake3.json`, bundled for startup tests and demonstrations.
//! Requires the crate's feature `known-answers`.

use std::fmt::Display;
use std::sync::Arc;

use halimede_arith::interface::KnownAnswers as Group;
use serde::Deserialize;

use crate::operations::{Hash, HashRequest};
use crate::Mode;

const VECTORS: &str = include_str!("../vectors/blake3.json");

/// The period of the vectors' inputs in bytes: 0, 1, … 250, 0, …
const CYCLE_BYTES: usize = 251;

/// The longest message of a startup test, in bytes: a tree of nine chunks, short for a slow link.
const BRIEF_BYTES: usize = 8193;

/// The bundled file does not have the form that this build expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bundled BLAKE3 vectors do not parse: {reason}")]
pub struct KnownAnswersError {
    reason: String,
}

/// Requests with known replies, one for each vector and mode.
#[derive(Clone, Debug)]
pub struct KnownAnswers {
    /// The messages in the mode `hash`, with their extended outputs.
    pub hash: Vec<(HashRequest, Vec<u8>)>,
    /// The same messages in the mode `keyed_hash`.
    pub keyed_hash: Vec<(HashRequest, Vec<u8>)>,
    /// The same messages in the mode `derive_key`.
    pub derive_key: Vec<(HashRequest, Vec<u8>)>,
}

#[derive(Deserialize)]
struct Vectors {
    key: String,
    context_string: String,
    cases: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    input_len: usize,
    hash: String,
    keyed_hash: String,
    derive_key: String,
}

/// Returns the answers of a mode; a startup test runs those up to a length limit.
pub(crate) fn group(mode: &str) -> Result<Vec<Group<Hash>>, String> {
    let KnownAnswers { hash, keyed_hash, derive_key } =
        KnownAnswers::official().map_err(|error| error.to_string())?;
    let mut answers = match mode {
        "hash" => hash,
        "keyed_hash" => keyed_hash,
        _ => derive_key,
    };
    answers.sort_by_key(|(request, _)| request.message.len());
    let is_short = |(request, _): &&(HashRequest, _)| request.message.len() <= BRIEF_BYTES;
    let brief = answers.iter().take_while(is_short).count();
    Ok(vec![Group { brief, ..Group::new(format!("blake3 {mode}"), "official vectors", answers) }])
}

impl KnownAnswers {
    /// Reads the official answers.
    ///
    /// # Errors
    /// [`KnownAnswersError`] if the bundled file does not parse.
    pub fn official() -> Result<Self, KnownAnswersError> {
        let vectors: Vectors = serde_json::from_str(VECTORS).map_err(broken)?;
        let key = vectors.key.as_bytes().try_into().map_err(broken)?;
        let hash = Arc::new(Mode::Hash);
        let keyed = Arc::new(Mode::Keyed(key));
        let derive = Arc::new(Mode::derive_key(&vectors.context_string));
        let mut answers = Self { hash: vec![], keyed_hash: vec![], derive_key: vec![] };
        for vector in &vectors.cases {
            let message: Vec<u8> = (0..CYCLE_BYTES as u8).cycle().take(vector.input_len).collect();
            let message: Arc<[u8]> = message.into();
            answers.hash.push(answer(&hash, &message, &vector.hash)?);
            answers.keyed_hash.push(answer(&keyed, &message, &vector.keyed_hash)?);
            answers.derive_key.push(answer(&derive, &message, &vector.derive_key)?);
        }
        Ok(answers)
    }
}

fn answer(
    mode: &Arc<Mode>,
    message: &Arc<[u8]>,
    output: &str,
) -> Result<(HashRequest, Vec<u8>), KnownAnswersError> {
    let byte = |place: usize| {
        let digits = output.get(place..place + 2).ok_or_else(|| broken("half a byte"))?;
        u8::from_str_radix(digits, 16).map_err(broken)
    };
    let output = (0..output.len()).step_by(2).map(byte).collect::<Result<Vec<u8>, _>>()?;
    let output_bytes = output.len();
    Ok((HashRequest { output_bytes, ..HashRequest::digest(mode, Arc::clone(message)) }, output))
}

fn broken(reason: impl Display) -> KnownAnswersError {
    KnownAnswersError { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use halimede_arith::job::{Compute, Operation};

    use super::*;
    use crate::operations::Hash;

    #[test]
    fn the_processor_gives_the_official_answers() {
        let answers = KnownAnswers::official().unwrap();
        for mode in [&answers.hash, &answers.keyed_hash, &answers.derive_key] {
            assert_eq!(mode.len(), 35);
            assert_eq!(mode.iter().map(|(request, _)| request.message.len()).max(), Some(102_400));
            for (request, output) in mode {
                assert_eq!(
                    (Hash::compute(Hash::row(request)).as_slice(), output.len()),
                    (&output[..], 131)
                );
            }
        }
    }
}
