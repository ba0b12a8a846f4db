// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of this crate, and the one list of the engines' operations that they have.

use std::sync::Arc;
use std::time::Instant;

use halimede_arith::job::{
    interrupt, Answered, AtOnce, Attempts, Columns, Compute, DeviceError, Executor, Limits, Timing,
    Unsupported,
};
use halimede_arith::Backend;
use halimede_blake3_wire::HashCodec;
use halimede_bls12_381::operations::{
    Evaluate, RunPrecompile, RunProgram, VerifyAggregate, VerifyAggregateOfMessages, VerifyOpening,
    VerifyPossession, VerifyProof, VerifySignature as VerifyBlsSignature,
};
use halimede_bls12_381_wire::ProgramCodec;
use halimede_card::codec::Codec;
use halimede_card::{Card, CardExecutor};
#[cfg(feature = "ckks")]
use halimede_ckks_wire::{ReadCodec, RunCodec, WriteCodec};
use halimede_equihash_wire::VerifyCodec as VerifySolutionCodec;
use halimede_loopback_wire::EchoCodec;
use halimede_poseidon_wire::{FilecoinHashCodec, PermuteCodec, StarknetHashCodec};
use halimede_secp256k1::operations::{Recover, VerifySchnorr};
use halimede_secp256k1_wire::VerifyCodec as VerifySignatureCodec;

use crate::fork;
#[cfg(feature = "ckks")]
use crate::programs::OnCard;
use crate::registry::Registry;

/// Executors of a place: a line an operation, by its codec where it has frames.
fn registry(place: &impl Place) -> Registry {
    let mut registry = Registry::default();
    registry = place.with::<HashCodec>(registry);
    registry = place.with::<PermuteCodec>(registry);
    registry = place.with::<FilecoinHashCodec>(registry);
    registry = place.with::<StarknetHashCodec>(registry);
    registry = place.with::<VerifySolutionCodec>(registry);
    registry = place.with::<VerifySignatureCodec>(registry);
    registry = place.with::<EchoCodec>(registry);
    registry = place.computed::<VerifySchnorr>(registry);
    registry = place.computed::<Recover>(registry);
    registry = place.computed::<VerifyAggregate>(registry);
    registry = place.computed::<VerifyAggregateOfMessages>(registry);
    registry = place.computed::<VerifyPossession>(registry);
    registry = place.with::<ProgramCodec<VerifyBlsSignature>>(registry);
    registry = place.with::<ProgramCodec<VerifyOpening>>(registry);
    registry = place.with::<ProgramCodec<VerifyProof>>(registry);
    registry = place.with::<ProgramCodec<Evaluate>>(registry);
    registry = place.with::<ProgramCodec<RunPrecompile>>(registry);
    registry = place.with::<ProgramCodec<RunProgram>>(registry);
    #[cfg(feature = "ckks")]
    {
        registry = place.held::<WriteCodec>(registry);
        registry = place.held::<ReadCodec>(registry);
        registry = place.held::<RunCodec>(registry);
    }
    place.with_programs(registry)
}

/// A place that has every operation which can be computed and can travel.
trait Place {
    /// The registry with this place's executor of the codec's operation.
    fn with<C: Codec<Operation: Compute>>(&self, registry: Registry) -> Registry;

    /// The registry with this place's executor of an operation that has no frames, if the place
    /// computes it.
    fn computed<Op: Compute>(&self, registry: Registry) -> Registry {
        registry
    }

    /// The registry with this place's executor of an operation on what a card holds, if the place
    /// is a card.
    #[cfg(feature = "ckks")]
    fn held<C: Codec>(&self, registry: Registry) -> Registry {
        registry
    }

    /// The registry with this place's executors of CKKS programs, if it has such.
    fn with_programs(&self, registry: Registry) -> Registry {
        registry
    }
}

/// This processor's executors.
pub(crate) fn processor() -> Registry {
    registry(&Processor)
}

/// A card's executors, those included whose engine the card lacks: they support no request. Programs
/// of CKKS are tried again this number of times.
pub(crate) fn card(card: &Arc<Card>, retries: usize) -> Registry {
    registry(&CardPlace { card, retries })
}

/// A card.
struct CardPlace<'c> {
    card: &'c Arc<Card>,
    #[cfg_attr(not(feature = "ckks"), allow(dead_code, reason = "of CKKS programs"))]
    retries: usize,
}

impl Place for CardPlace<'_> {
    fn with<C: Codec<Operation: Compute>>(&self, registry: Registry) -> Registry {
        registry.with::<C::Operation>(CardExecutor::<C>::new(Arc::clone(self.card)))
    }

    #[cfg(feature = "ckks")]
    fn held<C: Codec>(&self, registry: Registry) -> Registry {
        registry.with::<C::Operation>(CardExecutor::<C>::of_held(Arc::clone(self.card)))
    }

    #[cfg(feature = "ckks")]
    fn with_programs(&self, registry: Registry) -> Registry {
        match OnCard::new(self.card, self.retries) {
            Some(place) => registry.with_programs(place),
            None => registry,
        }
    }
}

impl Place for Processor {
    fn with<C: Codec<Operation: Compute>>(&self, registry: Registry) -> Registry {
        registry.with::<C::Operation>(Self)
    }

    fn computed<Op: Compute>(&self, registry: Registry) -> Registry {
        registry.with::<Op>(Self)
    }

    #[cfg(feature = "ckks")]
    fn with_programs(&self, registry: Registry) -> Registry {
        registry.with_programs(Self)
    }
}

/// This processor: all cores of the current thread pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processor;

impl<Op: Compute> Executor<Op> for Processor {
    fn limits(&self) -> Limits {
        Limits {
            brief: Op::BRIEF,
            piece: Op::PIECE,
            batch: None,
            may_fail: false,
            interruptible: Op::INTERRUPTIBLE,
        }
    }

    fn supports(&self, _: Op::Batch<'_>) -> Result<(), Vec<Unsupported>> {
        Ok(())
    }

    /// Where the environment asks for a backend that is not here, this processor computes nothing.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        if let Err(error) = Backend::chosen() {
            return Err(DeviceError::of_backend("cpu", &error));
        }
        if let Some(replies) = Op::compute_at_once(batch) {
            return Ok(Answered { replies, timing: Timing::default() });
        }
        let start = Instant::now();
        let replies = fork::in_pool(|| Op::compute_batch(batch));
        if Op::INTERRUPTIBLE && interrupt::is_requested() == Some(true) {
            let (device, reason) = ("cpu".into(), "interrupted".into());
            let requests = batch.len();
            return Err(DeviceError::Failed { device, request_index: 0, requests, reason });
        }
        let timing = Timing { compute: start.elapsed(), ..Timing::default() };
        Ok(Answered { replies, timing })
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<Op> + '_> {
        Box::new(AtOnce::new(self))
    }
}
