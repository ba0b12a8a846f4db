// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash (Biryukov, Khovratovich 2016) with the personalisation of Zcash (Zcash protocol
//! specification, section 7.7.1): solutions checked one by one and in bulk.

mod batch;
mod constants;
mod duplicates;
mod encoding;
mod lanes;
mod level;
pub mod operations;
mod params;
mod puzzle;
pub mod reference;
mod verdict;
mod verifier;

pub use batch::{verify_batch, Job};
pub use encoding::{indices_from_minimal, minimal_from_indices, EncodingError};
pub use level::Level;
pub use params::{Params, ParamsError};
pub use puzzle::Puzzle;
pub use verdict::{Check, Mask};
pub use verifier::{Rejection, Verifier};
