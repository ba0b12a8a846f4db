// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The published known answers of every Poseidon instance, as jobs of the tour.

use halimede_poseidon::known_answers::KnownAnswers;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_poseidon::{Family, Instance};

use super::Tour;
use crate::error::CommandError;

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let answers =
        KnownAnswers::published().map_err(|error| CommandError::BadInput(error.to_string()))?;
    for instance in Instance::published() {
        match instance.family() {
            Family::Filecoin(_) => filecoin_hashes(tour, instance, &answers)?,
            Family::Stark => stark_permutations(tour, instance, &answers)?,
        }
    }
    let (inputs, digests): (Vec<_>, Vec<_>) = answers.starknet_hashes.into_iter().unzip();
    tour.job::<StarknetHash>("poseidon starknet: published hashes".into(), &inputs, &digests)
}

fn filecoin_hashes(
    tour: &mut Tour<'_>,
    instance: Instance,
    answers: &KnownAnswers,
) -> Result<(), CommandError> {
    let (preimages, digests): (Vec<_>, Vec<_>) = answers
        .filecoin_hashes
        .iter()
        .filter(|answer| {
            answer.arity == instance.arity()
                && Family::Filecoin(answer.strength) == instance.family()
        })
        .map(|answer| (answer.preimage.clone(), answer.digest))
        .unzip();
    if preimages.is_empty() {
        return Ok(());
    }
    tour.job::<FilecoinHash>(format!("poseidon {instance}: published hashes"), &preimages, &digests)
}

fn stark_permutations(
    tour: &mut Tour<'_>,
    instance: Instance,
    answers: &KnownAnswers,
) -> Result<(), CommandError> {
    let (inputs, outputs): (Vec<_>, Vec<_>) = answers
        .permutations
        .iter()
        .filter(|(input, _)| input.instance() == instance)
        .cloned()
        .unzip();
    tour.job::<Permute>(format!("poseidon {instance}: published permutations"), &inputs, &outputs)
}
