// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The capabilities of a device.

use halimede_arith::job::Operation;
use halimede_arith::Backend;
use halimede_card::Card;
use halimede_places::{processor, Engine};
use serde::Serialize;

/// The capabilities of a device, read when it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// The device as the user named it.
    pub device: String,
    /// The kind of device.
    pub kind: Kind,
    /// The engines it has.
    pub engines: Vec<Engine>,
    /// The processor and its backends, where the device is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<ProcessorCapabilities>,
    /// Which card, on a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardIdentity>,
    /// Why the device could not be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The device that answers what this one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// This processor.
    Processor,
    /// A card, simulated or not.
    Card,
    /// A place from elsewhere, by its executors.
    Custom,
}

/// This processor: its backends and cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessorCapabilities {
    /// The arithmetic that was chosen, by [`Backend::name`].
    pub backend: String,
    /// Threads that a batch is spread over.
    pub threads: usize,
}

/// Which card this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardIdentity {
    /// Version of its protocol, `major.minor`.
    pub protocol: String,
    /// The number of the build.
    pub build_id: u32,
    /// Longest frame that it takes, in bytes.
    pub max_frame_bytes: u32,
    /// Bytes of a beat of the stream.
    pub stream_bytes: u32,
}

impl Capabilities {
    /// Whether the device itself supports at least one instance of the operation.
    pub fn has<Op: Operation>(&self) -> bool {
        self.engines.iter().flat_map(|engine| &engine.operations).any(|name| name == Op::NAME)
    }

    /// A device of a kind with these engines.
    pub(crate) fn new(device: &str, kind: Kind, engines: Vec<Engine>) -> Self {
        processor::watch_forks();
        let device = device.to_owned();
        Self { device, kind, engines, processor: None, card: None, absent: None, fallback: None }
    }

    /// The capabilities of a card that could not be opened: none.
    pub(crate) fn of_absent(device: &str, reason: &str) -> Self {
        let absent = Some(reason.to_owned());
        Self { absent, ..Self::new(device, Kind::Card, vec![]) }
    }

    /// This processor's, with these engines.
    pub(crate) fn of_processor(device: &str, engines: Vec<Engine>) -> Self {
        let backend = Backend::active().name().to_owned();
        let processor =
            Some(ProcessorCapabilities { backend, threads: rayon::current_num_threads() });
        Self { processor, ..Self::new(device, Kind::Processor, engines) }
    }
}

impl CardIdentity {
    pub(crate) fn of(card: &Card) -> Self {
        let status = card.opening_status();
        Self {
            protocol: status.protocol(),
            build_id: status.build_id,
            max_frame_bytes: status.max_frame_bytes,
            stream_bytes: status.stream_bytes,
        }
    }
}
