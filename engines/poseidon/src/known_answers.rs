// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published known answers of `vectors/poseidon.json`, bundled: for startup tests and
//! demonstrations. Behind the crate's feature `known-answers`.

use std::fmt::Display;
use std::str::FromStr;

use halimede_arith::{Felt, Fr};
use serde::Deserialize;
use serde_json::Value;

use crate::filecoin::{HashType, Hasher, Preimage};
use crate::instance::Strength;
use crate::operations::StarknetInput;
use crate::state::State;

const VECTORS: &str = include_str!("../vectors/poseidon.json");

/// The bundled file is not what this build expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bundled Poseidon vectors do not parse: {reason}")]
pub struct KnownAnswersError {
    reason: String,
}

/// Requests and their replies.
#[derive(Clone, Debug)]
pub struct KnownAnswers {
    /// Inputs and outputs of one permutation.
    pub permutations: Vec<(State, State)>,
    /// Filecoin's hashes.
    pub filecoin_hashes: Vec<FilecoinAnswer>,
    /// Starknet's hashes.
    pub starknet_hashes: Vec<(StarknetInput, Felt)>,
}

/// A Filecoin hash whose outcome is known.
#[derive(Clone, Debug)]
pub struct FilecoinAnswer {
    /// Elements hashed at once.
    pub arity: usize,
    /// The number of partial rounds.
    pub strength: Strength,
    /// The input.
    pub preimage: Preimage,
    /// Its digest.
    pub digest: Fr,
}

#[derive(Deserialize)]
struct Vectors {
    stark_poseidon_permutation: Section<StarkVector>,
    starknet_hash: Section<StarknetVector>,
    filecoin_poseidon: Section<FilecoinVector>,
}

#[derive(Deserialize)]
struct Section<V> {
    vectors: Vec<V>,
}

#[derive(Deserialize)]
struct StarkVector {
    input: Vec<String>,
    output: Vec<String>,
    /// Permutations in a row; one where absent.
    iterations: Option<u64>,
}

#[derive(Deserialize)]
struct StarknetVector {
    r#fn: String,
    input: Vec<String>,
    /// A digest, or a state where `fn` is the permutation.
    output: Value,
}

#[derive(Deserialize)]
struct FilecoinVector {
    arity: usize,
    hash_type: String,
    strength: String,
    /// The domain tag; absent, as the state is, where the vector gives the digest alone.
    initial_element0: Option<String>,
    input: Vec<String>,
    #[serde(default)]
    full_output_state: Vec<String>,
    digest: String,
}

impl KnownAnswers {
    /// The published answers.
    ///
    /// # Errors
    /// [`KnownAnswersError`] where the file that was bundled does not parse.
    pub fn published() -> Result<Self, KnownAnswersError> {
        let vectors: Vectors = serde_json::from_str(VECTORS).map_err(broken)?;
        let mut answers =
            Self { permutations: vec![], filecoin_hashes: vec![], starknet_hashes: vec![] };
        for vector in &vectors.filecoin_poseidon.vectors {
            answers.add_filecoin(vector)?;
        }
        let once = |vector: &&StarkVector| vector.iterations.is_none();
        for vector in vectors.stark_poseidon_permutation.vectors.iter().filter(once) {
            let input = State::stark(&elements(&vector.input)?).map_err(broken)?;
            let output = State::stark(&elements(&vector.output)?).map_err(broken)?;
            answers.permutations.push((input, output));
        }
        for vector in &vectors.starknet_hash.vectors {
            answers.add_starknet(vector)?;
        }
        Ok(answers)
    }

    fn add_filecoin(&mut self, vector: &FilecoinVector) -> Result<(), KnownAnswersError> {
        let strength = match vector.strength.as_str() {
            "Standard" => Strength::Standard,
            "Strengthened" => Strength::Strengthened,
            other => return Err(broken(format!("strength {other}"))),
        };
        let hash_type = match vector.hash_type.as_str() {
            "MerkleTree" => HashType::MerkleTree,
            name if name.starts_with("ConstantLength") => HashType::ConstantLength,
            other => return Err(broken(format!("hash type {other}"))),
        };
        let input: Vec<Fr> = elements(&vector.input)?;
        if let Some(tag) = &vector.initial_element0 {
            let mut state = vec![element(tag)?];
            state.extend(&input);
            let output: Vec<Fr> = elements(&vector.full_output_state)?;
            let input = State::filecoin(strength, &state).map_err(broken)?;
            self.permutations.push((input, State::filecoin(strength, &output).map_err(broken)?));
        }
        let hasher = Hasher::new(vector.arity, strength, hash_type).map_err(broken)?;
        let preimage = hasher.preimage(&input).map_err(broken)?;
        let digest = element(&vector.digest)?;
        let arity = vector.arity;
        self.filecoin_hashes.push(FilecoinAnswer { arity, strength, preimage, digest });
        Ok(())
    }

    fn add_starknet(&mut self, vector: &StarknetVector) -> Result<(), KnownAnswersError> {
        let input: Vec<Felt> = elements(&vector.input)?;
        let request = match (vector.r#fn.as_str(), input.as_slice()) {
            ("poseidon_hash", [x, y]) => StarknetInput::Pair(*x, *y),
            ("poseidon_hash_single", [x]) => StarknetInput::Single(*x),
            ("poseidon_hash_many", many) => StarknetInput::Many(many.to_vec()),
            // Permutations stand in a section of their own.
            ("hades_permutation", _) => return Ok(()),
            (other, _) => return Err(broken(format!("function {other}"))),
        };
        let digest = vector.output.as_str().ok_or_else(|| broken("a digest is not text"))?;
        self.starknet_hashes.push((request, element(digest)?));
        Ok(())
    }
}

fn broken(reason: impl Display) -> KnownAnswersError {
    KnownAnswersError { reason: reason.to_string() }
}

fn element<F: FromStr<Err: Display>>(text: &str) -> Result<F, KnownAnswersError> {
    text.parse().map_err(|error: F::Err| broken(error))
}

fn elements<F: FromStr<Err: Display>>(texts: &[String]) -> Result<Vec<F>, KnownAnswersError> {
    texts.iter().map(|text| element(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{FilecoinHash, Permute, StarknetHash};
    use halimede_arith::job::Compute;

    #[test]
    fn the_processor_gives_the_published_answers() {
        let answers = KnownAnswers::published().unwrap();
        assert!(answers.permutations.len() > 20 && answers.starknet_hashes.len() > 5);
        for (input, output) in &answers.permutations {
            assert_eq!(&Permute::compute(input), output);
        }
        for answer in &answers.filecoin_hashes {
            assert_eq!(FilecoinHash::compute(&answer.preimage), answer.digest);
        }
        for (input, digest) in &answers.starknet_hashes {
            assert_eq!(&StarknetHash::compute(input), digest);
        }
    }
}
