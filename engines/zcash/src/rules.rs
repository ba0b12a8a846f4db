// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of consensus rules: sections 3, 4, 5.4 and 7 of the Zcash protocol specification
//! (version of NU6.1), in few words, each with what becomes of it here. A test holds that the tests
//! that it names are there, and that it and the reports name the same gaps; RULES.md is made of it.

mod blocks;
mod encodings;
mod primitives;
mod shielded;
mod transactions;

use crate::gap::Gap;

/// A consensus rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The section of the specification.
    pub section: &'static str,
    /// The rule in few words.
    pub text: &'static str,
    /// What becomes of it here.
    pub state: State,
}

/// What becomes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is checked.
    Checked {
        /// What must be given for it: without that, the verdict is incomplete.
        given: Option<Gap>,
        /// The tests that hold it: the file from `engines/` on, and the function behind `::`.
        tests: &'static [&'static str],
    },
    /// Only the chain decides it, and no option gives what it needs.
    ChainState {
        /// What that is.
        needs: &'static str,
        /// Blocks that it is about.
        of: Part,
    },
    /// It is not checked: blocks that it is about are incomplete, by this name.
    NotChecked(Gap),
}

/// What a block must have for a rule to be about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing: it is about every block.
    Block,
    /// It is of a network whose parameters the specification does not have.
    OwnNetwork,
    /// Transparent inputs that spend something.
    Inputs,
    /// JoinSplits.
    JoinSplits,
    /// Spends of Sapling.
    SaplingSpends,
    /// Spends or outputs of Sapling.
    Sapling,
    /// Actions of Orchard.
    Actions,
}

/// All rules, in the order of their sections but for primitives, which come last.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let all: [&[Rule]; 5] = [
        &shielded::RULES,
        &transactions::RULES,
        &encodings::RULES,
        &blocks::RULES,
        &primitives::RULES,
    ];
    all.into_iter().flatten()
}

const fn checked(
    section: &'static str,
    text: &'static str,
    tests: &'static [&'static str],
) -> Rule {
    Rule { section, text, state: State::Checked { given: None, tests } }
}

const fn given(
    section: &'static str,
    text: &'static str,
    gap: Gap,
    tests: &'static [&'static str],
) -> Rule {
    Rule { section, text, state: State::Checked { given: Some(gap), tests } }
}

const fn chain(section: &'static str, text: &'static str, of: Part, needs: &'static str) -> Rule {
    Rule { section, text, state: State::ChainState { needs, of } }
}

const fn missing(section: &'static str, text: &'static str, gap: Gap) -> Rule {
    Rule { section, text, state: State::NotChecked(gap) }
}
