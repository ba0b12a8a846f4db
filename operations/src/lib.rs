// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of all operations on batches of items, and the forms of items and answers.
//!
//! - [`visit`]: the table. The engines describe their operations ([`halimede_arith::interface`]).
//! - [`json`], [`binary`], [`columns`]: three forms of items and answers.
//! - [`schema`]: JSON Schemas of items, answers and settings.
//! - [`example`]: execution of the table's examples.
//! - [`text`]: line wrapping for the generators of functions.

pub mod binary;
pub mod columns;
pub mod example;
mod form;
pub mod json;
pub mod schema;
pub mod text;

use halimede_arith::interface::{About, Interface, ObjectKind, Visitor};
use halimede_bls12_381::interface::{TRUSTED_SETUP, VERIFYING_KEY};

pub use form::{FormError, Item, Sink};

/// The kinds of objects that operations of the table need.
pub const OBJECT_KINDS: [&ObjectKind; 2] = [VERIFYING_KEY, TRUSTED_SETUP];

/// Visits every operation, engine by engine.
pub fn visit(visitor: &mut impl Visitor) {
    halimede_poseidon::interface::visit(visitor);
    halimede_blake3::interface::visit(visitor);
    halimede_equihash::interface::visit(visitor);
    halimede_secp256k1::interface::visit(visitor);
    halimede_bls12_381::interface::visit(visitor);
}

/// Returns the descriptions of all operations.
pub fn descriptions() -> Vec<&'static About> {
    struct All(Vec<&'static About>);
    impl Visitor for All {
        fn visit<I: Interface>(&mut self) {
            self.0.push(I::ABOUT);
        }
    }
    let mut all = All(Vec::new());
    visit(&mut all);
    all.0
}

/// Returns the description of the operation with this name.
pub fn description(name: &str) -> Option<&'static About> {
    descriptions().into_iter().find(|about| about.name == name)
}

/// The README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
