// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sector after its first phase, and its roots after the second.

use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::tree::TreeError;
use halimede_poseidon::Strength;

use crate::aux_files::{TREE_C, TREE_R};
use crate::error::{Phase1Error, Precommit2Error};
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

impl Commitments {
    /// Joins the base trees, and hashes both roots.
    pub(crate) fn of_base_trees(
        sector: &Sector,
        tree_c: &[Fr],
        tree_r: &[Fr],
    ) -> Result<Self, Precommit2Error> {
        let top = sector.geometry.top_arities();
        let tree_error = |id: &'static str| {
            move |source| Precommit2Error::Tree { path: id.into(), start: 0, source }
        };
        let comm_c = join(tree_c, top).map_err(tree_error(TREE_C))?;
        let comm_r_last = join(tree_r, top).map_err(tree_error(TREE_R))?;
        let comm_r = join(&[comm_c, comm_r_last], &[2]).map_err(tree_error(TREE_R))?;
        Ok(Self {
            comm_d: sector.comm_d,
            comm_c: comm_c.to_le_bytes(),
            comm_r_last: comm_r_last.to_le_bytes(),
            comm_r: comm_r.to_le_bytes(),
        })
    }
}

/// Returns the root of a tree with these leaves and the arities of its levels.
fn join(leaves: &[Fr], arities: &[usize]) -> Result<Fr, TreeError> {
    let mut nodes = leaves.to_vec();
    for &arity in arities {
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree)?;
        nodes = hasher.hash_batch(&nodes)?;
    }
    match nodes[..] {
        [root] => Ok(root),
        _ => Err(TreeError::Replies { got: nodes.len(), expected: 1 }),
    }
}
