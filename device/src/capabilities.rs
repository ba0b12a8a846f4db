// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The capabilities of a device.

use halimede_arith::job::Operation;
use halimede_arith::Backend;
use halimede_blake3::operations::Hash;
use halimede_blake3_wire::pipelines;
use halimede_bls12_381::operations::{
    Evaluate, RunPrecompile, RunProgram, VerifyOpening, VerifyProof,
    VerifySignature as VerifyBlsSignature,
};
use halimede_card::command::Status;
use halimede_card::spec::Capability;
use halimede_card::Card;
use halimede_equihash::operations::Verify;
use halimede_equihash::Params;
use halimede_equihash_wire::{equihash_sets, EQUIHASH_SETS};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_poseidon::starknet::STARKNET_WIDTH;
use halimede_poseidon::{Family, Instance};
use halimede_poseidon_wire::{cores, poseidon_instances};
use halimede_secp256k1::operations::{Recover, Verify as VerifySignature, VerifySchnorr};
use serde::Serialize;

use crate::fork;
use crate::registry::Registry;

/// BLAKE3's modes by name (paper, section 2.3).
pub(crate) const BLAKE3_MODES: [&str; 3] = ["hash", "keyed_hash", "derive_key"];

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
    pub processor: Option<Processor>,
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

/// An engine and what it does on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Engine {
    /// The name, e.g. `poseidon`.
    pub name: String,
    /// Operations by [`Operation::NAME`]; none where the library has no use of the engine yet.
    pub operations: Vec<String>,
    /// Instances or modes by name, for engines that have such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
}

/// This processor: its backends and cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Processor {
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
    /// Field cores of the Poseidon engine over BLS12-381 Fr.
    pub poseidon_cores_fr: u32,
    /// Field cores of the Poseidon engine over the Stark field.
    pub poseidon_cores_felt: u32,
    /// Pipelines of the BLAKE3 engine.
    pub blake3_pipelines: u32,
    /// Stages of such a pipeline, in clocks.
    pub blake3_stages: u32,
}

impl Capabilities {
    /// Whether the device itself supports at least one instance of the operation.
    pub fn has<Op: Operation>(&self) -> bool {
        self.engines.iter().flat_map(|engine| &engine.operations).any(|name| name == Op::NAME)
    }

    /// A device of a kind with these engines.
    fn new(device: &str, kind: Kind, engines: Vec<Engine>) -> Self {
        fork::watch();
        let device = device.to_owned();
        Self { device, kind, engines, processor: None, card: None, absent: None, fallback: None }
    }

    /// The capabilities of a card that could not be opened: none.
    pub(crate) fn of_absent(device: &str, reason: &str) -> Self {
        let absent = Some(reason.to_owned());
        Self { absent, ..Self::new(device, Kind::Card, vec![]) }
    }

    /// The capabilities of a registered place outside this crate.
    pub(crate) fn of_executors(device: &str, executors: &Registry) -> Self {
        let mut engines: Vec<Engine> = Vec::new();
        for operation in executors.operations() {
            let name = operation.split('.').next().unwrap_or(operation);
            match engines.iter_mut().find(|engine| engine.name == name) {
                Some(engine) => engine.operations.push(operation.into()),
                None => engines.push(Engine {
                    name: name.into(),
                    operations: vec![operation.into()],
                    instances: vec![],
                }),
            }
        }
        Self::new(device, Kind::Custom, engines)
    }

    /// This processor's.
    pub(crate) fn of_processor(device: &str) -> Self {
        let backend = Backend::active().name().to_owned();
        let processor = Some(Processor { backend, threads: rayon::current_num_threads() });
        let engines = vec![
            poseidon(Instance::all()),
            blake3(),
            equihash(EQUIHASH_SETS),
            secp256k1([VerifySignature::NAME, VerifySchnorr::NAME, Recover::NAME]),
            bls12_381(),
        ];
        Self { processor, ..Self::new(device, Kind::Processor, engines) }
    }

    /// A card's.
    pub(crate) fn of_card(card: &Card) -> Self {
        let status = card.opening_status();
        let engines = Capability::ALL.iter().filter(|engine| status.has(**engine));
        let engines = engines.map(|engine| card_engine(*engine, status)).collect();
        Self { card: Some(identity(card)), ..Self::new(card.name(), Kind::Card, engines) }
    }
}

fn card_engine(engine: Capability, status: &Status) -> Engine {
    match engine {
        Capability::Poseidon => poseidon(poseidon_instances(status)),
        Capability::Blake3 => blake3(),
        Capability::Equihash => equihash(equihash_sets(status)),
        Capability::Secp256k1 => secp256k1([VerifySignature::NAME]),
        Capability::Bls12381 => bls12_381(),
        other => Engine { name: other.name().into(), operations: vec![], instances: vec![] },
    }
}

/// The Poseidon engine with these instances.
fn poseidon(instances: impl IntoIterator<Item = Instance>) -> Engine {
    let instances: Vec<Instance> = instances.into_iter().collect();
    let is_filecoin = |instance: &Instance| matches!(instance.family(), Family::Filecoin(_));
    let is_starknet = |instance: &Instance| {
        instance.family() == Family::Stark && instance.width() == STARKNET_WIDTH
    };
    let mut operations = vec![Permute::NAME.to_owned()];
    if instances.iter().any(is_filecoin) {
        operations.push(FilecoinHash::NAME.into());
    }
    if instances.iter().any(is_starknet) {
        operations.push(StarknetHash::NAME.into());
    }
    let instances = instances.iter().map(ToString::to_string).collect();
    Engine { name: Capability::Poseidon.name().into(), operations, instances }
}

/// The BLAKE3 engine, which has every mode.
fn blake3() -> Engine {
    let name = Capability::Blake3.name().into();
    let instances = BLAKE3_MODES.map(Into::into).into();
    Engine { name, operations: vec![Hash::NAME.into()], instances }
}

/// The Equihash engine with these parameter sets: all that it has on a card, the usual ones on a
/// processor, which takes any.
fn equihash(sets: impl IntoIterator<Item = Params>) -> Engine {
    let name = Capability::Equihash.name().into();
    let instances = sets.into_iter().map(|set| set.to_string()).collect();
    Engine { name, operations: vec![Verify::NAME.into()], instances }
}

/// The engine of signatures over secp256k1 with these operations: a card has that of ECDSA alone.
fn secp256k1<const N: usize>(operations: [&str; N]) -> Engine {
    let name = Capability::Secp256k1.name().into();
    Engine { name, operations: operations.map(str::to_owned).into(), instances: vec![] }
}

/// The engine of BLS12-381; a card has programs for most requests of each operation.
fn bls12_381() -> Engine {
    let names = [
        VerifyBlsSignature::NAME,
        VerifyOpening::NAME,
        VerifyProof::NAME,
        Evaluate::NAME,
        RunPrecompile::NAME,
        RunProgram::NAME,
    ];
    let name = Capability::Bls12381.name().into();
    Engine { name, operations: names.map(str::to_owned).into(), instances: vec![] }
}

fn identity(card: &Card) -> CardIdentity {
    let status = card.opening_status();
    let (cores, pipelines) = (cores(card), pipelines(card));
    CardIdentity {
        protocol: status.protocol(),
        build_id: status.build_id,
        max_frame_bytes: status.max_frame_bytes,
        stream_bytes: status.stream_bytes,
        poseidon_cores_fr: cores.fr,
        poseidon_cores_felt: cores.felt,
        blake3_pipelines: pipelines.count,
        blake3_stages: pipelines.stages,
    }
}
