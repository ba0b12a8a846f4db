// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The output of the first phase (`SealPreCommitPhase1Output` of `filecoin-proofs-api` 19), as JSON
//! in base64.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use halimede_arith::Fr;
use serde::Deserialize;
use serde_json::Value;

use crate::error::Phase1Error;
use crate::geometry::Geometry;
use crate::proof_type::SealProof;

/// The maximum length of the base64 text. The output for a sector of 11 layers has 3 kB.
pub const PHASE1_LIMIT_BYTES: usize = 1 << 20;
/// The identifier of tree D.
pub const TREE_D: &str = "tree-d";

/// Describes one file of the cache folder (`StoreConfig` of `merkletree` 0.23).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StoreConfig {
    /// The cache folder when the file was made. The file may have moved since.
    pub path: String,
    /// The identifier, which determines the name of the file.
    pub id: String,
    /// The number of nodes.
    pub size: Option<u64>,
    /// The number of rows that the file lacks.
    pub rows_to_discard: u64,
}

/// The output of the first phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase1 {
    /// The seal proof.
    pub proof: SealProof,
    /// The layers of labels, lowest first.
    pub labels: Vec<StoreConfig>,
    /// Tree D.
    pub tree_d: StoreConfig,
    /// The root of tree D, little-endian.
    pub comm_d: [u8; 32],
}

/// The object in JSON. Other fields are allowed: lotus adds `_lotus_SealRandomness`.
#[derive(Deserialize)]
struct Object {
    registered_proof: String,
    labels: serde_json::Map<String, Value>,
    config: StoreConfig,
    comm_d: [u8; 32],
}

#[derive(Deserialize)]
struct Labels {
    labels: Vec<StoreConfig>,
}

impl Phase1 {
    /// Decodes base64 and parses the JSON in it; white space around the base64 is ignored.
    ///
    /// # Errors
    /// [`Phase1Error`].
    pub fn decode(base64: &str) -> Result<Self, Phase1Error> {
        let text = base64.trim();
        if text.len() > PHASE1_LIMIT_BYTES {
            return Err(Phase1Error::TooLong { bytes: text.len(), limit: PHASE1_LIMIT_BYTES });
        }
        let json = STANDARD.decode(text).map_err(|source| Phase1Error::Base64(source.into()))?;
        Self::parse(&json)
    }

    /// Parses JSON, and checks that the parts agree: the variant of the labels with the proof, the
    /// number, names and lengths of the layers and of tree D with the size of the sector.
    ///
    /// # Errors
    /// [`Phase1Error`].
    pub fn parse(json: &[u8]) -> Result<Self, Phase1Error> {
        if json.len() > PHASE1_LIMIT_BYTES {
            return Err(Phase1Error::TooLong { bytes: json.len(), limit: PHASE1_LIMIT_BYTES });
        }
        let object: Object = serde_json::from_slice(json).map_err(Phase1Error::Json)?;
        let proof: SealProof = object.registered_proof.parse()?;
        let variant = proof.labels_name();
        let labels = match (object.labels.get(&variant), object.labels.len()) {
            (Some(labels), 1) => labels.clone(),
            _ => {
                let got = object.labels.keys().next().cloned().unwrap_or_default();
                return Err(Phase1Error::Variant { proof, expected: variant, got });
            }
        };
        let Labels { labels } = serde_json::from_value(labels).map_err(Phase1Error::Json)?;
        let phase1 = Self { proof, labels, tree_d: object.config, comm_d: object.comm_d };
        let bytes = proof.sector_bytes();
        let geometry = proof.geometry().ok_or(Phase1Error::SectorBytes { got: bytes })?;
        phase1.check(&geometry)?;
        Ok(phase1)
    }

    /// Checks that layers and tree D are those of sectors of a size.
    fn check(&self, geometry: &Geometry) -> Result<(), Phase1Error> {
        let expected = geometry.layers();
        if self.labels.len() != expected {
            let (proof, got) = (self.proof, self.labels.len());
            return Err(Phase1Error::LayerCount { proof, got, expected });
        }
        for (index, layer) in self.labels.iter().enumerate() {
            let id = format!("layer-{}", index + 1);
            check_store(layer, &id, geometry.nodes())?;
        }
        check_store(&self.tree_d, TREE_D, geometry.tree_d_nodes())?;
        if Fr::from_le_bytes(&self.comm_d).is_err() {
            return Err(Phase1Error::CommD { got: hex::encode(self.comm_d) });
        }
        Ok(())
    }
}

/// Checks the identifier and the number of nodes of a store.
fn check_store(store: &StoreConfig, id: &str, nodes: u64) -> Result<(), Phase1Error> {
    if store.id != id {
        let got = store.id.chars().take(80).collect();
        return Err(Phase1Error::StoreId { got, expected: id.into() });
    }
    match store.size {
        Some(size) if size == nodes => Ok(()),
        got => Err(Phase1Error::StoreSize { id: id.into(), got, expected: nodes }),
    }
}
