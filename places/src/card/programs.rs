// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card as a place of CKKS programs.

use std::sync::{Arc, OnceLock};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation};
use halimede_card::spec::Capability;
use halimede_card::{Card, CardError};
use halimede_ckks::card::{ReadMemory, RunJob, WriteMemory};
use halimede_ckks::executor::{
    CardLink, CardPlace, CardSize, CardTraffic, ExecutorError, ProgramExecutor, ProgramPlace,
};
use halimede_ckks::Parameters;
use halimede_ckks_wire::{ReadCodec, RunCodec, WriteCodec};

/// A card that runs programs. Its size is read at the first use.
pub(crate) struct OnCard {
    card: Arc<Card>,
    place: OnceLock<CardPlace<Link>>,
}

/// The link to a card.
struct Link(Arc<Card>);

impl OnCard {
    /// Returns the place of a card, if the card has the engine.
    pub fn new(card: &Arc<Card>) -> Option<Self> {
        let has_engine = card.opening_status().has(Capability::Ckks);
        has_engine.then(|| Self { card: Arc::clone(card), place: OnceLock::new() })
    }

    fn place(&self) -> Result<&CardPlace<Link>, CardError> {
        if let Some(place) = self.place.get() {
            return Ok(place);
        }
        let shape = self.card.engine_shape(Capability::Ckks)?;
        let word = |name| {
            let found = shape.iter().find(|(other, _)| *other == name);
            found.map_or(0, |(_, word)| *word)
        };
        let size = CardSize::of_shape(word("units"), word("memory"));
        let place = CardPlace::new(Link(Arc::clone(&self.card)), size);
        Ok(self.place.get_or_init(|| place))
    }
}

impl ProgramPlace for OnCard {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        let failed = |error: CardError| ExecutorError::Failed {
            executor: self.card.name().to_owned(),
            reason: error.to_string(),
        };
        self.place().map_err(failed)?.executor(parameters)
    }

    fn takes(&self, log_degree: u32) -> bool {
        self.place().is_ok_and(|place| place.takes(log_degree))
    }

    fn traffic(&self) -> Option<CardTraffic> {
        self.place.get()?.traffic()
    }
}

impl CardLink for Link {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn resets(&self) -> u64 {
        self.0.resets()
    }
}

/// The replies to a batch, or the error.
type BatchResult<Op> = Result<Answered<<Op as Operation>::Replies>, DeviceError>;

impl Execute<WriteMemory> for Link {
    fn execute(&self, batch: <WriteMemory as Operation>::Batch<'_>) -> BatchResult<WriteMemory> {
        self.0.execute::<WriteCodec>(batch)
    }
}

impl Execute<ReadMemory> for Link {
    fn execute(&self, batch: <ReadMemory as Operation>::Batch<'_>) -> BatchResult<ReadMemory> {
        self.0.execute::<ReadCodec>(batch)
    }
}

impl Execute<RunJob> for Link {
    fn execute(&self, batch: <RunJob as Operation>::Batch<'_>) -> BatchResult<RunJob> {
        self.0.execute::<RunCodec>(batch)
    }
}
