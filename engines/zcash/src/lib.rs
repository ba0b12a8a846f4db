// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks as a node has them: what has to be checked of their proof of work and of their
//! transparent signatures, as requests for the engines. Parsing, scripts and signature hashes from
//! Overwinter on are the work of the crates `zcash_primitives`, `zcash_transparent` and
//! `zcash_script`.

#![forbid(unsafe_code)]

mod amounts;
mod block;
mod checks;
mod coinbase;
mod error;
mod hash;
mod kind;
mod merkle;
mod network;
mod reader;
mod report;
mod script;
mod sighash;
mod sigops;
mod spent;
mod structure;
mod summary;
mod text;
mod verdict;
mod verify;

pub use halimede_equihash::Network;
pub use zcash_protocol::consensus::BranchId;

pub use block::{Block, BlockTransaction, MOST_BLOCK_BYTES};
pub use checks::{AnswerError, Checks, Known};
pub use error::{BlockError, Part};
pub use hash::{Hash, HashError};
pub use kind::Kind;
pub use merkle::{merkle_root, MerkleRoot};
pub use network::parse_branch;
pub use report::{
    branch_name, BlockFault, InputCounts, InputReport, Report, TransactionFault, TransactionReport,
};
pub use sighash::{DigestError, Digests};
pub use sigops::MOST_SIGNATURE_OPERATIONS;
pub use spent::{SpentError, SpentOutputs};
pub use summary::{
    header_reasons, CheckSummary, InputSummary, ProofSummary, Seconds, Summary, TransactionSummary,
};
pub use verdict::{InputFault, InputVerdict, NotChecked, SignatureFault};
pub use verify::{Times, VerifyError};
