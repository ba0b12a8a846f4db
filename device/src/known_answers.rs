// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cases of the startup test: one permutation of each Poseidon instance, and messages in each
//! BLAKE3 mode, whose outcomes are known.

use halimede_arith::field::Modulus;
use halimede_arith::{Felt, Field, Fr};
use halimede_blake3::known_answers::KnownAnswers as KnownHashes;
use halimede_blake3::operations::HashRequest;
use halimede_poseidon::known_answers::KnownAnswers;
use halimede_poseidon::{plain, Family, Instance, PoseidonField, State, StateError};

use crate::capabilities::BLAKE3_MODES;

/// Longest message of the startup test, in bytes: a tree of nine chunks, and little for a slow
/// line.
const LONGEST_MESSAGE_BYTES: usize = 8193;

/// Requests of a mode and their replies, by the mode's name.
pub(crate) type ModeAnswers = (&'static str, Vec<(HashRequest, Vec<u8>)>);

/// A state and what its permutation is.
pub(crate) struct KnownAnswer {
    pub input: State,
    pub output: State,
    /// The source of the answer.
    pub source: &'static str,
}

/// An answer of an instance: a published one if any, else that of the plain round
/// structure, which no device uses.
///
/// # Errors
/// Where the plain round structure has no parameters of the instance.
pub(crate) fn known_answer(
    published: &KnownAnswers,
    instance: Instance,
) -> Result<KnownAnswer, String> {
    // The last has the most varied input.
    match published.permutations.iter().rfind(|(input, _)| input.instance() == instance) {
        Some((input, output)) => {
            let (input, output) = (input.clone(), output.clone());
            Ok(KnownAnswer { input, output, source: "published" })
        }
        None => reference(instance),
    }
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

/// The official BLAKE3 vectors that are not too long, by mode.
///
/// # Errors
/// Where the bundled file does not parse.
pub(crate) fn known_hashes() -> Result<Vec<ModeAnswers>, String> {
    let known = KnownHashes::official().map_err(|error| error.to_string())?;
    let modes = BLAKE3_MODES.into_iter().zip([known.hash, known.keyed_hash, known.derive_key]);
    let short =
        |(request, _): &(HashRequest, Vec<u8>)| request.message.len() <= LONGEST_MESSAGE_BYTES;
    Ok(modes.map(|(mode, answers)| (mode, answers.into_iter().filter(short).collect())).collect())
}

#[cfg(test)]
mod tests {
    use halimede_arith::job::Compute;
    use halimede_poseidon::operations::Permute;

    use super::*;

    #[test]
    fn every_instance_has_a_known_answer() {
        let published = KnownAnswers::published().unwrap();
        for instance in Instance::published() {
            let answer = known_answer(&published, instance).unwrap();
            assert_eq!(answer.input.instance(), instance);
            let output = Permute::compute(&answer.input);
            assert!(output == answer.output, "{instance}: {} differs", answer.source);
        }
    }
}
