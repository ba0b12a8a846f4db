// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase of sealing a Filecoin sector (*pre-commit phase 2*), with the files that
//! `filecoin-proofs` 19 writes, byte for byte.
//!
//! The first phase leaves layers of labels and the tree of the data (tree D) in the cache folder of
//! the sector. The second phase, [`Job::run`], makes
//!
//! - tree C, whose leaves are the hashes of the columns of all layers;
//! - the replica: data plus labels of the last layer, written over the data;
//! - the upper rows of tree R, whose leaves are the nodes of the replica;
//! - `p_aux` and `t_aux`, which have the roots and describe the files.
//!
//! A run that ends at any moment continues when it is started again: see [`journal`].

#![forbid(unsafe_code)]

mod aux_files;
mod background;
mod base_tree;
mod cid;
mod column_tree;
mod compare;
mod error;
mod files;
mod geometry;
mod inputs;
mod job;
pub mod journal;
mod phase1;
mod proof_type;
mod ranges;
mod replica;
mod sector;
mod spread;

pub use cid::{data_cid, replica_cid};
pub use error::{Phase1Error, Precommit2Error};
pub use geometry::Geometry;
pub use job::{Job, Outcome};
pub use phase1::{Phase1, StoreConfig, PHASE1_LIMIT_BYTES};
pub use proof_type::{SealProof, UnknownProof};
pub use sector::{Commitments, Sector};
pub use spread::{Spread, Stage};
