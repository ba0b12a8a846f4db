// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bundled checks of `vectors/checks.json`, for startup tests and demonstrations. Requires the
//! crate feature `known-answers`.

use std::collections::BTreeMap;
use std::fmt::Display;

use halimede_arith::interface::KnownAnswers as Group;
use serde::Deserialize;

use crate::operations::{Verify, VerifyRequest};
use crate::{verdict, Mask};

const VECTORS: &str = include_str!("../vectors/checks.json");

/// The number of checks per outcome in a startup test. With the eight outcomes they fit into one
/// core of a card at once, and take hardly longer there than a single check.
const OF_EACH_OUTCOME: usize = 6;

/// The bundled file does not have the format that this build expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bundled checks of signatures do not parse: {reason}")]
pub struct KnownAnswersError {
    reason: String,
}

/// A check with a known outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The property that makes the case an edge case.
    pub name: String,
    /// The request.
    pub request: VerifyRequest,
    /// The expected result.
    pub mask: Mask,
}

/// Returns a published signature, and every edge case of the check with the result of plain
/// big-integer arithmetic.
///
/// # Errors
/// [`KnownAnswersError`] if the bundled file does not parse.
pub fn known_answers() -> Result<Vec<KnownAnswer>, KnownAnswersError> {
    let vectors: Vectors = serde_json::from_str(VECTORS).map_err(broken)?;
    vectors.checks.into_iter().map(Vector::parse).collect()
}

/// Returns a part of [`known_answers`] for a startup test: some of each outcome, evenly spread.
///
/// # Errors
/// As [`known_answers`].
pub fn startup_answers() -> Result<Vec<KnownAnswer>, KnownAnswersError> {
    let mut by_outcome = BTreeMap::<u8, Vec<KnownAnswer>>::new();
    for answer in known_answers()? {
        by_outcome.entry(answer.mask.bits()).or_default().push(answer);
    }
    Ok(by_outcome.into_values().flat_map(|answers| spread(answers, OF_EACH_OUTCOME)).collect())
}

/// Signatures at every edge of the check; those of [`startup_answers`] come first.
pub(crate) fn groups() -> Result<Vec<Group<Verify>>, String> {
    let words = |error: KnownAnswersError| error.to_string();
    let mut answers = startup_answers().map_err(words)?;
    let brief = answers.len();
    let rest = known_answers().map_err(words)?.into_iter();
    let rest = rest.filter(|answer| !answers.contains(answer)).collect::<Vec<_>>();
    answers.extend(rest);
    let pair = |answer: KnownAnswer| (Ok(answer.request), verdict(answer.mask));
    let answers = answers.into_iter().map(pair).collect();
    Ok(vec![Group { brief, ..Group::new("secp256k1", "signatures at every edge", answers) }])
}

/// Selects at most this many items, evenly spread, starting with the first.
fn spread<T>(items: Vec<T>, count: usize) -> impl Iterator<Item = T> {
    let known = items.len().max(1);
    let is_chosen = move |at: usize| (at * count) % known < count;
    items.into_iter().enumerate().filter(move |(at, _)| is_chosen(*at)).map(|(_, item)| item)
}

#[derive(Deserialize)]
struct Vectors {
    checks: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    r: String,
    s: String,
    digest: String,
    x: String,
    y: String,
    mask: u8,
}

impl Vector {
    fn parse(self) -> Result<KnownAnswer, KnownAnswersError> {
        let number = |digits: &str| {
            let mut number = [0; 32];
            hex::decode_to_slice(digits, &mut number).map_err(broken)?;
            Ok(number)
        };
        let request = VerifyRequest {
            r: number(&self.r)?,
            s: number(&self.s)?,
            digest: number(&self.digest)?,
            x: number(&self.x)?,
            y: number(&self.y)?,
        };
        let mask = Mask::from_bits(self.mask).ok_or_else(|| broken("a mask without meaning"))?;
        Ok(KnownAnswer { name: self.name, request, mask })
    }
}

fn broken(reason: impl Display) -> KnownAnswersError {
    KnownAnswersError { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    #[test]
    fn a_startup_test_has_every_outcome_and_fits_into_a_core() {
        let (all, some) = (known_answers().unwrap(), startup_answers().unwrap());
        let count = |answers: &[KnownAnswer], mask: Mask| {
            answers.iter().filter(|answer| answer.mask == mask).count()
        };
        assert!(some.len() <= 48, "{} checks", some.len());
        assert!(some.iter().all(|answer| all.contains(answer)));
        for KnownAnswer { name, mask, .. } in &all {
            let expected = count(&all, *mask).min(OF_EACH_OUTCOME);
            assert_eq!(count(&some, *mask), expected, "{name}");
        }
        assert!(some.iter().any(|answer| answer.name.contains("block 170")));
        let different = |at: usize| !some[..at].contains(&some[at]);
        assert!((0..some.len()).all(different));
    }

    #[test]
    fn the_processor_gives_the_known_answers() {
        let answers = known_answers().unwrap();
        assert!(answers.len() > 200 && answers[0].name.contains("block 170"));
        for KnownAnswer { name, request, mask } in answers {
            assert_eq!(check(&request), mask, "{name}");
        }
    }
}
