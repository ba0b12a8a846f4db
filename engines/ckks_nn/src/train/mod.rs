// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Training on encrypted data: logistic regression.

mod descent;
mod iteration;
mod logistic;
mod place;
mod sharing;
mod sigmoid;
mod table;

pub use logistic::{EncryptedTable, Logistic, LogisticOptions};
pub use sharing::SharedWeights;
pub use table::Table;
