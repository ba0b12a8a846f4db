// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The capabilities of a device.

use std::fmt;

use halimede_arith::job::Operation;
use halimede_arith::Backend;
use halimede_card::Card;
use halimede_places::{processor, Engine};
use serde::Serialize;

/// The capabilities of a device, read when it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// The name of the device, as the user wrote it.
    pub device: String,
    /// The kind of device.
    pub kind: Kind,
    /// The engines of the device.
    pub engines: Vec<Engine>,
    /// The processor and its backends, if the device is a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<ProcessorCapabilities>,
    /// The identity of the card, if the device is a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardIdentity>,
    /// The GPU, if the device is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuIdentity>,
    /// The other GPUs of a device with several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_gpus: Vec<GpuIdentity>,
    /// The reason why the device could not be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The device that takes over what this one cannot answer.
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
    /// An NVIDIA GPU.
    Gpu,
    /// A place that the caller supplied as executors.
    Custom,
}

/// This processor: its backends and cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessorCapabilities {
    /// The active backend, by [`Backend::name`].
    pub backend: String,
    /// The number of threads of a batch.
    pub threads: usize,
}

/// The identity of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardIdentity {
    /// The version of its protocol, `major.minor`.
    pub protocol: String,
    /// The number of the build.
    pub build_id: u32,
    /// The length of the longest frame that it accepts, in bytes.
    pub max_frame_bytes: u32,
    /// The number of bytes of a beat of the stream.
    pub stream_bytes: u32,
}

/// An NVIDIA GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuIdentity {
    /// The name, e.g. `NVIDIA H200`.
    pub name: String,
    /// The compute capability, `major.minor`.
    pub compute_capability: String,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The memory in bytes.
    pub memory_bytes: u64,
    /// The driver's version of CUDA, `major.minor`.
    pub driver: String,
}

/// The state of a GPU of an open device, in this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuStatus {
    /// The driver's number of the GPU.
    pub number: u32,
    /// The name, e.g. `NVIDIA H200`.
    pub name: String,
    /// The condition.
    pub state: GpuCondition,
    /// The reason why it does not work.
    pub reason: Option<String>,
    /// The bytes of its memory that the device uses.
    pub memory_used_bytes: u64,
    /// The most bytes of its memory that the device may use.
    pub memory_limit_bytes: u64,
    /// The number of batches of which it answered a part, and of CKKS programs.
    pub batches: u64,
    /// The number of times that it was lost.
    pub losses: u64,
}

/// The condition of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuCondition {
    /// It works, as far as is known.
    Good,
    /// Its work failed. It is opened again at the next try.
    Lost,
    /// Its work failed, and the last try to open it again failed too.
    Unusable,
}

impl GpuCondition {
    /// All conditions.
    pub const ALL: [Self; 3] = [Self::Good, Self::Lost, Self::Unusable];

    /// The name, e.g. `lost`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Lost => "lost",
            Self::Unusable => "unusable",
        }
    }
}

impl fmt::Display for GpuIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, compute_capability, multiprocessors, memory_bytes, driver } = self;
        let gib = *memory_bytes as f64 / f64::from(1 << 30);
        write!(
            f,
            "{name}, compute capability {compute_capability}, {multiprocessors} multiprocessors, \
             {gib:.1} GiB, driver of CUDA {driver}"
        )
    }
}

impl Capabilities {
    /// Returns `true` if the device itself supports at least one instance of the operation.
    pub fn has<Op: Operation>(&self) -> bool {
        self.engines.iter().flat_map(|engine| &engine.operations).any(|name| name == Op::NAME)
    }

    /// Creates the capabilities of a device of this kind with these engines.
    pub(crate) fn new(device: &str, kind: Kind, engines: Vec<Engine>) -> Self {
        processor::watch_forks();
        let device = device.to_owned();
        Self {
            device,
            kind,
            engines,
            processor: None,
            card: None,
            gpu: None,
            other_gpus: Vec::new(),
            absent: None,
            fallback: None,
        }
    }

    /// Creates the empty capabilities of a device that could not be opened.
    pub(crate) fn of_absent(device: &str, kind: Kind, reason: &str) -> Self {
        let absent = Some(reason.to_owned());
        Self { absent, ..Self::new(device, kind, vec![]) }
    }

    /// Creates the capabilities of this processor with these engines.
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
