// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks compiled to circuits.

mod activation;
mod builder;
mod carried;
mod cost;
mod fields;
mod groups;
mod guard;
mod interface;
mod interface_file;
mod layer_values;
mod matrices;
mod meeting;
mod model;
mod options;
mod post_processing_file;
mod report;
mod sides;
mod slots;

pub(crate) use interface::input_bound;
pub use interface::Interface;
pub use interface_file::MOST_KEY_BYTES;
pub use model::Model;
pub use options::{ExactRelu, Options};
pub use report::{Layer, Report};
