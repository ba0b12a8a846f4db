// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash (Biryukov, Khovratovich 2016) with the personalization of Zcash (Zcash protocol
//! specification, section 7.7.1): verification of single solutions and of batches, a solver, and
//! headers with their targets.

mod batch;
mod compact_size;
mod constants;
mod duplicates;
mod encoding;
mod hash;
mod header;
pub mod interface;
#[cfg(any(test, feature = "known-answers"))]
pub mod known_answers;
mod lanes;
mod midstate;
mod network;
pub mod operations;
mod params;
mod puzzle;
pub mod reference;
mod request;
mod solver;
mod target;
mod verdict;
mod verifier;

pub use compact_size::push_compact_size;
pub use encoding::{indices_from_minimal, minimal_from_indices, EncodingError};
pub use halimede_arith::LaneBackend;
pub use hash::BlockHash;
pub use header::{Header, HeaderError, LEAST_VERSION};
pub use network::{Network, NetworkError};
pub use params::{Params, ParamsError};
pub use puzzle::Puzzle;
pub use request::VerifyRow;
pub use solver::{SolveError, Solver, Watch};
pub use target::{meets_target, Target, TargetError};
pub use verdict::{Check, Mask};
pub use verifier::{verify_batch, Rejection, Verifier};
