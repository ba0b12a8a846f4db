// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card: one executor per operation with frames.

#[cfg(feature = "ckks")]
mod programs;

use std::sync::Arc;

use halimede_arith::job::{Compute, Offer};
use halimede_blake3_wire::HashCodec;
use halimede_bls12_381::operations::{
    Evaluate, RunPrecompile, RunProgram, VerifyOpening, VerifyProof, VerifySignature,
};
use halimede_bls12_381_wire::ProgramCodec;
use halimede_card::codec::Codec;
use halimede_card::spec::Capability;
use halimede_card::transport::Image;
use halimede_card::{Card, CardExecutor};
#[cfg(feature = "ckks")]
use halimede_ckks::executor::Routine;
#[cfg(feature = "ckks")]
use halimede_ckks_wire::{ReadCodec, RunCodec, WriteCodec};
use halimede_equihash_wire::VerifyCodec as VerifySolutionCodec;
use halimede_loopback_wire::EchoCodec;
use halimede_poseidon_wire::{FilecoinHashCodec, PermuteCodec, StarknetHashCodec};
use halimede_secp256k1_wire::VerifyCodec as VerifySignatureCodec;

#[cfg(feature = "ckks")]
use self::programs::OnCard;
use crate::engine::Engine;
use crate::registry::Registry;

/// Returns a card's executors, including those whose engine the card lacks: they support no
/// request.
pub fn executors(card: &Arc<Card>) -> Registry {
    let registry = Registry::default();
    let registry = with::<PermuteCodec>(registry, card);
    let registry = with::<FilecoinHashCodec>(registry, card);
    let registry = with::<StarknetHashCodec>(registry, card);
    let registry = with::<HashCodec>(registry, card);
    let registry = with::<VerifySolutionCodec>(registry, card);
    let registry = with::<VerifySignatureCodec>(registry, card);
    let registry = with::<ProgramCodec<VerifySignature>>(registry, card);
    let registry = with::<ProgramCodec<VerifyOpening>>(registry, card);
    let registry = with::<ProgramCodec<VerifyProof>>(registry, card);
    let registry = with::<ProgramCodec<Evaluate>>(registry, card);
    let registry = with::<ProgramCodec<RunPrecompile>>(registry, card);
    let registry = with::<ProgramCodec<RunProgram>>(registry, card);
    #[cfg(feature = "ckks")]
    let registry = with_ckks(registry, card);
    with::<EchoCodec>(registry, card)
}

/// Returns the engines of a card with the operations of its executors. An engine that this library
/// does not use has no operations.
pub fn engines(card: &Card, executors: &Registry) -> Vec<Engine> {
    let mut engines = executors.engines();
    let status = card.opening_status();
    for capability in Capability::ALL.into_iter().filter(|engine| status.has(*engine)) {
        if engines.iter().all(|engine| engine.name != capability.name()) {
            engines.push(Engine::new(capability.name()));
        }
    }
    engines
}

/// Returns the engines of an image of the simulated card that has not been started, with the
/// operations of a card's executors. Lists programs, and not the jobs on a card's memory that run
/// them.
pub fn engines_of_image(image: Image, executors: &Registry) -> Vec<Engine> {
    let engine = |capability: Capability| {
        let is_of = |name: &&str| name.split('.').next() == Some(capability.name());
        let operations: Vec<&str> = match capability {
            #[cfg(feature = "ckks")]
            Capability::Ckks => Routine::NAMES.to_vec(),
            _ => executors.operations().filter(is_of).collect(),
        };
        let mut engine = Engine::new(capability.name());
        engine.add(&operations, &Offer::default());
        engine
    };
    image.engines().map(engine).collect()
}

fn with<C: Codec<Operation: Compute>>(registry: Registry, card: &Arc<Card>) -> Registry {
    registry.with::<C::Operation>(CardExecutor::<C>::new(Arc::clone(card)))
}

/// Adds the executors of jobs on the card's memory to a registry and, if the card has the engine,
/// the place that runs programs by such jobs.
#[cfg(feature = "ckks")]
fn with_ckks(registry: Registry, card: &Arc<Card>) -> Registry {
    let registry = with_held::<WriteCodec>(registry, card);
    let registry = with_held::<ReadCodec>(registry, card);
    let registry = with_held::<RunCodec>(registry, card);
    match OnCard::new(card) {
        Some(place) => registry.with_programs(place),
        None => registry,
    }
}

#[cfg(feature = "ckks")]
fn with_held<C: Codec>(registry: Registry, card: &Arc<Card>) -> Registry {
    registry.with::<C::Operation>(CardExecutor::<C>::of_held(Arc::clone(card)))
}
