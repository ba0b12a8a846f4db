// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of consensus rules: sections 3, 4, 5.4 and 7 of the Zcash protocol specification
//! (version of NU6.1), abbreviated, each with its state here. A test checks that the named tests
//! exist, and that the list and the reports name the same gaps; RULES.md is generated from the
//! list.

mod blocks;
mod encodings;
mod primitives;
mod shielded;
mod transactions;

use crate::gap::Gap;
use crate::state::StatePart;

/// A consensus rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The section of the specification.
    pub section: &'static str,
    /// The abbreviated rule.
    pub text: &'static str,
    /// The state of the rule here.
    pub state: State,
}

/// The state of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The rule is checked.
    Checked {
        /// The input that the check needs: without it, the verdict is incomplete.
        given: Option<Gap>,
        /// The tests of the rule: the file, relative to `engines/`, and the function after `::`.
        tests: &'static [&'static str],
    },
    /// Only the chain decides the rule.
    ChainState {
        /// The chain state that the rule needs.
        needs: &'static str,
        /// The part of a block that the rule applies to.
        of: Part,
        /// The part of a given state that decides the rule, if one does.
        given: Option<StatePart>,
        /// The tests of the rule with that state.
        tests: &'static [&'static str],
    },
    /// The rule is not checked: blocks that it applies to are incomplete, with this gap.
    NotChecked(Gap),
}

/// The part that a block must have for a rule to apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// No condition: the rule applies to every block.
    Block,
    /// The block belongs to a network whose parameters are not in the specification.
    OwnNetwork,
    /// Transparent inputs that spend an output.
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

/// Returns all rules, in the order of their sections; the rules for primitives come last.
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
    Rule { section, text, state: State::ChainState { needs, of, given: None, tests: &[] } }
}

/// A rule that only the chain decides, and a part of its state that the caller may give.
const fn state(rule: Rule, part: StatePart, tests: &'static [&'static str]) -> Rule {
    let state = match rule.state {
        State::ChainState { needs, of, .. } => {
            State::ChainState { needs, of, given: Some(part), tests }
        }
        other => other,
    };
    Rule { state, ..rule }
}

const fn missing(section: &'static str, text: &'static str, gap: Gap) -> Rule {
    Rule { section, text, state: State::NotChecked(gap) }
}
