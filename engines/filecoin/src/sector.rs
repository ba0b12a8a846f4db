// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sector after its first phase, and its roots after the second.

use crate::error::Phase1Error;
use crate::geometry::Geometry;
use crate::phase1::{Phase1, StoreConfig};

/// The properties of a sector that the second phase needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sector {
    /// Layers and trees.
    pub geometry: Geometry,
    /// The layers, lowest first; written to `t_aux`.
    pub labels: Vec<StoreConfig>,
    /// The root of tree D, little-endian.
    pub comm_d: [u8; 32],
}

impl TryFrom<Phase1> for Sector {
    type Error = Phase1Error;

    fn try_from(phase1: Phase1) -> Result<Self, Phase1Error> {
        let got = phase1.proof.sector_bytes();
        let geometry = phase1.proof.geometry().ok_or(Phase1Error::SectorBytes { got })?;
        Ok(Self { geometry, labels: phase1.labels, comm_d: phase1.comm_d })
    }
}

/// The roots of a sealed sector, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitments {
    /// The root of tree D.
    pub comm_d: [u8; 32],
    /// The root of tree C.
    pub comm_c: [u8; 32],
    /// The root of tree R.
    pub comm_r_last: [u8; 32],
    /// The hash of comm_c and comm_r_last.
    pub comm_r: [u8; 32],
}
