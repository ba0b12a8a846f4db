// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Items with known answers.

use crate::job::Operation;

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

/// Requests with known replies beyond the examples, for one instance, mode or parameter set.
pub struct KnownAnswers<Op: Operation> {
    /// The instance, mode or parameter set, e.g. `poseidon stark-3`.
    pub name: String,
    /// The kind of the requests, e.g. `published permutations`.
    pub about: &'static str,
    /// The requests, each with its reply.
    pub answers: Vec<(Op::Request, Op::Reply)>,
    /// The number of answers, from the first on, that a startup test checks on a place that may be
    /// slow.
    pub brief: usize,
}

impl<Op: Operation> KnownAnswers<Op> {
    /// Known answers of which a startup test checks all.
    pub fn new(
        name: impl Into<String>,
        about: &'static str,
        answers: Vec<(Op::Request, Op::Reply)>,
    ) -> Self {
        Self { name: name.into(), about, brief: answers.len(), answers }
    }
}
