// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published known answers of every Poseidon instance.

use halimede_arith::field::Modulus;
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{State, Strength};
use serde::Deserialize;
use serde_json::Value;

use super::Tour;
use crate::error::CommandError;

const VECTORS: &str = include_str!("../../../engines/poseidon/vectors/poseidon.json");

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
    output: Value,
}

#[derive(Deserialize)]
struct FilecoinVector {
    arity: usize,
    hash_type: String,
    strength: String,
    input: Vec<String>,
    digest: String,
}

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let vectors: Vectors = serde_json::from_str(VECTORS).map_err(broken)?;
    for arity in [2, 4, 8, 11] {
        filecoin(tour, arity, &vectors.filecoin_poseidon.vectors)?;
    }
    for width in [3, 4, 5, 9] {
        stark(tour, width, &vectors.stark_poseidon_permutation.vectors)?;
    }
    starknet(tour, &vectors.starknet_hash.vectors)
}

/// The bundled data is not what this build expects.
fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::BadInput(format!("the bundled known answers do not parse: {error}"))
}

fn elements<M: Modulus>(texts: &[String]) -> Result<Vec<Field<M>>, CommandError> {
    texts.iter().map(|text| text.parse().map_err(broken)).collect()
}

fn filecoin(
    tour: &mut Tour<'_>,
    arity: usize,
    vectors: &[FilecoinVector],
) -> Result<(), CommandError> {
    for (strength, name) in
        [(Strength::Standard, "Standard"), (Strength::Strengthened, "Strengthened")]
    {
        let mut preimages: Vec<Preimage> = Vec::new();
        let mut digests: Vec<Fr> = Vec::new();
        for vector in vectors.iter().filter(|v| v.arity == arity && v.strength == name) {
            let hash_type = match vector.hash_type.as_str() {
                "MerkleTree" => HashType::MerkleTree,
                _ => HashType::ConstantLength,
            };
            let hasher = Hasher::new(arity, strength, hash_type).map_err(broken)?;
            preimages.push(hasher.preimage(&elements(&vector.input)?).map_err(broken)?);
            digests.push(vector.digest.parse().map_err(broken)?);
        }
        if !preimages.is_empty() {
            let name =
                format!("poseidon filecoin-{arity} {}: published hashes", name.to_lowercase());
            tour.job::<FilecoinHash>(name, &preimages, &digests)?;
        }
    }
    Ok(())
}

fn stark(tour: &mut Tour<'_>, width: usize, vectors: &[StarkVector]) -> Result<(), CommandError> {
    let mut states = Vec::new();
    let mut permuted = Vec::new();
    let once = |vector: &&StarkVector| vector.input.len() == width && vector.iterations.is_none();
    for vector in vectors.iter().filter(once) {
        states.push(State::stark(&elements(&vector.input)?).map_err(broken)?);
        permuted.push(State::stark(&elements(&vector.output)?).map_err(broken)?);
    }
    let name = format!("poseidon stark-{width}: published permutations");
    tour.job::<Permute>(name, &states, &permuted)
}

fn starknet(tour: &mut Tour<'_>, vectors: &[StarknetVector]) -> Result<(), CommandError> {
    let mut inputs = Vec::new();
    let mut digests: Vec<Felt> = Vec::new();
    for vector in vectors {
        let input: Vec<Felt> = elements(&vector.input)?;
        inputs.push(match (vector.r#fn.as_str(), input.as_slice()) {
            ("poseidon_hash", [x, y]) => StarknetInput::Pair(*x, *y),
            ("poseidon_hash_single", [x]) => StarknetInput::Single(*x),
            ("poseidon_hash_many", many) => StarknetInput::Many(many.to_vec()),
            _ => continue, // permutations are in the section of their own
        });
        digests.push(vector.output.as_str().unwrap_or_default().parse().map_err(broken)?);
    }
    tour.job::<StarknetHash>("poseidon starknet: published hashes".into(), &inputs, &digests)
}
