// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash (Biryukov, Khovratovich 2016) with the personalisation of Zcash (Zcash protocol
//! specification, section 7.7.1): solutions checked one by one and in bulk.

mod encoding;
pub mod operations;
mod params;
mod verdict;

pub use encoding::{indices_from_minimal, minimal_from_indices, EncodingError};
pub use params::{Params, ParamsError};
pub use verdict::{Check, Mask};
