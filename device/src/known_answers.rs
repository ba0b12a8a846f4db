// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation of each Poseidon instance whose outcome is known, for the startup test.

use halimede_arith::field::Modulus;
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::{plain, Family, Instance, PoseidonField, State, StateError, Strength};
use serde::Deserialize;

/// The engine's vectors; where they are from is told beside them.
const VECTORS: &str = include_str!("../../engines/poseidon/vectors/poseidon.json");

/// A state and what its permutation is.
pub(crate) struct KnownAnswer {
    pub input: State,
    pub output: State,
    /// Who says so.
    pub source: &'static str,
}

#[derive(Deserialize)]
struct Vectors {
    stark_poseidon_permutation: Section<StarkVector>,
    filecoin_poseidon: Section<FilecoinVector>,
}

#[derive(Deserialize)]
struct Section<V> {
    vectors: Vec<V>,
}

#[derive(Deserialize)]
struct StarkVector {
    #[serde(default)]
    input: Vec<String>,
    #[serde(default)]
    output: Vec<String>,
    /// Permutations in a row; one where absent.
    iterations: Option<u64>,
}

#[derive(Deserialize)]
struct FilecoinVector {
    strength: String,
    /// The domain tag; absent, as the state is, where the vector gives the digest alone.
    initial_element0: Option<String>,
    input: Vec<String>,
    #[serde(default)]
    full_output_state: Vec<String>,
}

/// An answer of an instance: a published one, or where there is none that of the plain round
/// structure, which no device uses.
///
/// # Errors
/// Where the bundled vectors do not parse.
pub(crate) fn known_answer(instance: Instance) -> Result<KnownAnswer, String> {
    let vectors: Vectors = serde_json::from_str(VECTORS).map_err(|error| error.to_string())?;
    // The last has the most varied input.
    let Some((input, output)) = permutations(vectors, instance).pop() else {
        return reference(instance);
    };
    let (input, output) = (state(instance, &input)?, state(instance, &output)?);
    Ok(KnownAnswer { input, output, source: "published" })
}

/// The published inputs and outputs of an instance.
fn permutations(vectors: Vectors, instance: Instance) -> Vec<(Vec<String>, Vec<String>)> {
    let mut permutations: Vec<(Vec<String>, Vec<String>)> = match instance.family() {
        Family::Filecoin(strength) => vectors
            .filecoin_poseidon
            .vectors
            .into_iter()
            .filter(|vector| vector.strength == strength_name(strength))
            .map(|vector| {
                let tag = vector.initial_element0.into_iter();
                (tag.chain(vector.input).collect(), vector.full_output_state)
            })
            .collect(),
        Family::Stark => vectors
            .stark_poseidon_permutation
            .vectors
            .into_iter()
            .filter(|vector| vector.iterations.is_none())
            .map(|vector| (vector.input, vector.output))
            .collect(),
    };
    permutations.retain(|(input, output)| {
        input.len() == instance.width() && output.len() == instance.width()
    });
    permutations
}

/// The permutation of 1, 2, … by the plain round structure.
fn reference(instance: Instance) -> Result<KnownAnswer, String> {
    let (input, output) = match instance.family() {
        Family::Filecoin(strength) => {
            let input: Vec<Fr> = counting(instance.width());
            let mut output = input.clone();
            permute_plainly(instance, &mut output)?;
            (State::filecoin(strength, &input), State::filecoin(strength, &output))
        }
        Family::Stark => {
            let input: Vec<Felt> = counting(instance.width());
            let mut output = input.clone();
            permute_plainly(instance, &mut output)?;
            (State::stark(&input), State::stark(&output))
        }
    };
    let words = |error: StateError| error.to_string();
    Ok(KnownAnswer {
        input: input.map_err(words)?,
        output: output.map_err(words)?,
        source: "reference",
    })
}

/// 1, 2, … `width`.
fn counting<M: Modulus>(width: usize) -> Vec<Field<M>> {
    (1..=width as u64).map(Field::from).collect()
}

fn permute_plainly<M: PoseidonField>(
    instance: Instance,
    state: &mut [Field<M>],
) -> Result<(), String> {
    let parameters = M::parameters(instance).ok_or("the instance is of another field")?;
    plain::permute(&parameters, state);
    Ok(())
}

/// The strength as the vectors name it.
fn strength_name(strength: Strength) -> &'static str {
    match strength {
        Strength::Standard => "Standard",
        Strength::Strengthened => "Strengthened",
    }
}

fn state(instance: Instance, elements: &[String]) -> Result<State, String> {
    let state = match instance.family() {
        Family::Filecoin(strength) => State::filecoin(strength, &parse(elements)?),
        Family::Stark => State::stark(&parse(elements)?),
    };
    state.map_err(|error| error.to_string())
}

fn parse<F: std::str::FromStr<Err: std::fmt::Display>>(
    elements: &[String],
) -> Result<Vec<F>, String> {
    elements.iter().map(|text| text.parse().map_err(|error: F::Err| error.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use halimede_arith::job::Compute;
    use halimede_poseidon::operations::Permute;

    use super::*;

    #[test]
    fn every_instance_has_a_known_answer() {
        for instance in Instance::all() {
            let answer = known_answer(instance).unwrap();
            assert_eq!(answer.input.instance(), instance);
            let output = Permute::compute(&answer.input);
            assert!(output == answer.output, "{instance}: {} differs", answer.source);
        }
    }
}
