// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Items with known answers.

use super::Object;

/// An item with its known answer.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The settings that differ from their defaults.
    pub settings: &'static [(&'static str, &'static str)],
    /// The objects that settings name.
    pub objects: &'static [(&'static str, MakeObject)],
    /// The item, as JSON.
    pub item: &'static str,
    /// The answer, as JSON.
    pub answer: &'static str,
    /// The origin of the answer.
    pub source: &'static str,
}

/// Makes an object.
pub type MakeObject = fn() -> Result<Object, String>;
