// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Items with known answers.

/// An item with its known answer.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The settings that differ from their defaults.
    pub settings: &'static [(&'static str, &'static str)],
    /// The settings that name objects, each with the content of a file.
    pub objects: &'static [(&'static str, Content)],
    /// The item, as JSON.
    pub item: &'static str,
    /// The answer, as JSON.
    pub answer: &'static str,
    /// The origin of the answer.
    pub source: &'static str,
}

/// Makes the content of a file.
pub type Content = fn() -> Vec<u8>;
