// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks: checks of their proof of work, transparent signatures and Groth16 proofs, as
//! requests for the engines. Parsing, scripts and signature hashes from Overwinter on are done by
//! the crates `zcash_primitives`, `zcash_transparent` and `zcash_script`; Orchard's proofs and
//! signatures are checked with `orchard`, RedJubjub signatures by [`jubjub`].

#![forbid(unsafe_code)]

mod amounts;
mod block;
mod buckets;
mod chain;
mod checks;
mod coinbase;
mod columns;
mod commitment;
mod digits;
mod error;
mod fault;
mod gap;
mod halo2;
mod hash;
mod headers;
pub mod jubjub;
mod kind;
mod known;
mod merkle;
mod network;
mod nullifiers;
mod numbers;
mod pasta;
mod payments;
mod pool;
#[cfg(feature = "prover")]
pub mod prover;
mod reader;
mod reddsa;
mod report;
mod roots;
mod rules;
mod script;
mod shielded;
mod sighash;
mod sigops;
mod spent;
mod state;
mod stream;
mod structure;
mod summary;
mod text;
mod unchecked;
mod verdict;
mod verify;

pub use halimede_bls12_381::operations::VerifyProof;
pub use halimede_equihash::interface::verdict as proof_verdict;
pub use halimede_equihash::operations::{Verify as VerifyHeader, HEADER_BYTES};
pub use halimede_equihash::{Header, HeaderError, Network};
pub use zcash_protocol::consensus::BranchId;

pub use block::{Block, BlockTransaction, MOST_BLOCK_BYTES};
pub use chain::{Chain, Link, LinkError, RECENT_OUTPUTS};
pub use checks::{AnswerError, Checks, Submission};
pub use error::{BlockError, Part};
pub use fault::{branch_name, BlockFault, TransactionFault};
pub use gap::{Gap, Unchecked};
pub use hash::{Hash, HashError};
pub use headers::{verify_headers, HeaderVerdict};
pub use kind::Kind;
pub use known::Known;
pub use merkle::{merkle_root, MerkleRoot};
pub use network::parse_branch;
pub use payments::{CoinbaseTerms, Payment, PaymentKind};
pub use pool::Pool;
pub use report::{InputCounts, InputReport, Report, TransactionReport};
pub use rules::{rules, Part as RulePart, Rule, State as RuleState};
pub use shielded::{ShieldedFault, Subject};
pub use sighash::{DigestError, Digests};
pub use sigops::MOST_SIGNATURE_OPERATIONS;
pub use spent::{SpentError, SpentOutputs};
pub use state::{ChainState, StateError, StatePart};
pub use stream::{BlockStream, StreamError};
pub use summary::{
    CheckSummary, FaultSummary, InputSummary, ProofSummary, RuleSummary, Seconds, Summary,
    TransactionSummary, UncheckedSummary,
};
pub use unchecked::header_needs_chain_state;
pub use verdict::{InputFault, InputVerdict, NotChecked, SignatureFault, Verdict};
pub use verify::{verify_blocks, verify_shielded, ShieldedVerdict, Times, VerifyError};
