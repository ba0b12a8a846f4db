// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published known answers of `vectors/poseidon.json`, bundled for startup tests and
//! demonstrations. Requires the crate's feature `known-answers`.

use std::fmt::Display;
use std::str::FromStr;

use halimede_arith::interface::KnownAnswers as Group;
use halimede_arith::{Felt, Field, Fr};
use serde::Deserialize;
use serde_json::Value;

use crate::filecoin::{HashType, Hasher, Preimage};
use crate::instance::{Family, Instance, Strength};
use crate::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use crate::state::{State, StateError};
use crate::{plain, PoseidonField};

const VECTORS: &str = include_str!("../vectors/poseidon.json");

/// The bundled file does not have the form that this build expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bundled Poseidon vectors do not parse: {reason}")]
pub struct KnownAnswersError {
    reason: String,
}

/// Requests with their expected replies.
#[derive(Clone, Debug)]
pub struct KnownAnswers {
    /// Inputs and outputs of the permutation.
    pub permutations: Vec<(State, State)>,
    /// Filecoin's hashes.
    pub filecoin_hashes: Vec<FilecoinAnswer>,
    /// Starknet's hashes.
    pub starknet_hashes: Vec<(StarknetInput, Felt)>,
}

/// A Filecoin hash with a known digest.
#[derive(Clone, Debug)]
pub struct FilecoinAnswer {
    /// The number of elements per hash.
    pub arity: usize,
    /// The number of partial rounds.
    pub strength: Strength,
    /// The input.
    pub preimage: Preimage,
    /// The digest.
    pub digest: Fr,
}

/// Permutations of each published instance: the published ones or, failing that, one computed by
/// the reference. The published ones are reversed: the last has the most varied input and is run
/// first.
pub(crate) fn permutations() -> Result<Vec<Group<Permute>>, String> {
    let published = KnownAnswers::published().map_err(|error| error.to_string())?.permutations;
    let of_instance = |instance: Instance| {
        let is_of = |(input, _): &&(State, State)| input.instance() == instance;
        let answers: Vec<_> = published.iter().filter(is_of).rev().cloned().collect();
        let name = format!("poseidon {instance}");
        Ok(match answers.is_empty() {
            true => Group::new(name, "permutation of the reference", vec![reference(instance)?]),
            false => Group { brief: 1, ..Group::new(name, "published permutations", answers) },
        })
    };
    Instance::published().map(of_instance).collect()
}

/// The published hashes of each of Filecoin's instances.
pub(crate) fn filecoin_hashes() -> Result<Vec<Group<FilecoinHash>>, String> {
    let published = KnownAnswers::published().map_err(|error| error.to_string())?.filecoin_hashes;
    let of_instance = |instance: Instance| {
        let is_of = |answer: &&FilecoinAnswer| {
            (answer.arity, Family::Filecoin(answer.strength))
                == (instance.arity(), instance.family())
        };
        let answers = published.iter().filter(is_of);
        let answers: Vec<_> =
            answers.map(|answer| (answer.preimage.clone(), answer.digest)).collect();
        let name = format!("poseidon {instance} hash");
        (!answers.is_empty()).then(|| Group::new(name, "published hashes", answers))
    };
    Ok(Instance::published().filter_map(of_instance).collect())
}

/// Starknet's published hashes.
pub(crate) fn starknet_hashes() -> Result<Vec<Group<StarknetHash>>, String> {
    let published = KnownAnswers::published().map_err(|error| error.to_string())?.starknet_hashes;
    Ok(vec![Group::new("poseidon starknet hash", "published hashes", published)])
}

/// The permutation of 1, 2, … by the plain rounds, which no device uses.
fn reference(instance: Instance) -> Result<(State, State), String> {
    fn permuted<M: PoseidonField>(instance: Instance) -> Result<[Vec<Field<M>>; 2], String> {
        let input: Vec<Field<M>> = (1..=instance.width() as u64).map(Field::from).collect();
        let parameters = M::parameters(instance).ok_or("the instance belongs to another field")?;
        let mut output = input.clone();
        plain::permute(&parameters, &mut output);
        Ok([input, output])
    }
    let [input, output] = match instance.family() {
        Family::Filecoin(strength) => {
            permuted(instance)?.map(|elements| State::filecoin(strength, &elements))
        }
        Family::Stark => permuted(instance)?.map(|elements| State::stark(&elements)),
    };
    let words = |error: StateError| error.to_string();
    Ok((input.map_err(words)?, output.map_err(words)?))
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
    /// The number of successive permutations; 1 if absent.
    iterations: Option<u64>,
}

#[derive(Deserialize)]
struct StarknetVector {
    r#fn: String,
    input: Vec<String>,
    /// A digest, or a state if `fn` is the permutation.
    output: Value,
}

#[derive(Deserialize)]
struct FilecoinVector {
    arity: usize,
    hash_type: String,
    strength: String,
    /// The domain tag. A vector that gives only the digest has neither tag nor state.
    initial_element0: Option<String>,
    input: Vec<String>,
    #[serde(default)]
    full_output_state: Vec<String>,
    digest: String,
}

impl KnownAnswers {
    /// Reads the published answers.
    ///
    /// # Errors
    /// [`KnownAnswersError`] if the bundled file does not parse.
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
            // Permutations are read from their own section.
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
    use halimede_arith::job::Compute;

    #[test]
    fn every_instance_has_a_known_answer() {
        let groups = permutations().unwrap();
        assert_eq!(groups.len(), Instance::published().count());
        for (group, instance) in groups.iter().zip(Instance::published()) {
            assert!(!group.answers.is_empty(), "{instance}");
            for (input, output) in &group.answers {
                assert_eq!(input.instance(), instance);
                assert_eq!(&Permute::compute(input), output);
            }
        }
        assert!(filecoin_hashes().unwrap().len() > 3);
    }

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
