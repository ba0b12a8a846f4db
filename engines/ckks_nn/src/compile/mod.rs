// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Networks compiled to circuits.

mod activation;
mod builder;
mod groups;
mod held;
mod interface;
mod interface_file;
mod matrices;
mod model;
mod options;
mod report;
mod slots;

pub use interface::Interface;
pub use model::Model;
pub use options::{ExactRelu, Options};
pub use report::{Layer, Report};
