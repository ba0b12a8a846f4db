// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a network for its user: values and labels.

use std::fmt;

/// The name of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A number, such as the place of the class.
    Integer(i64),
    /// A text.
    Text(String),
}

/// A network's values and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The values, such as probabilities. For a network that only has labels, its scores.
    pub values: Vec<f64>,
    /// The labels that the network itself states; empty for a network without labels.
    pub labels: Vec<Label>,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}
