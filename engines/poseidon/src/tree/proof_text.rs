// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The text form of proofs, through serde (see [`Proof`] for the format). Parsed proofs are checked
//! as in [`Proof::new`].

use halimede_arith::Fr;
use serde::{Deserialize, Serialize};

use super::proof::{Proof, ProofError, Step};
use crate::instance::Strength;

/// The name and version of the format.
const FORMAT: &str = "halimede-poseidon-proof-1";
const STANDARD: &str = "standard";
const STRENGTHENED: &str = "strengthened";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofText {
    format: String,
    strength: String,
    leaf_index: u64,
    leaf: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    column: Vec<String>,
    path: Vec<StepText>,
    root: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    position: usize,
    siblings: Vec<String>,
}

impl Serialize for Proof {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ProofText::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = ProofText::deserialize(deserializer)?;
        Self::try_from(text).map_err(serde::de::Error::custom)
    }
}

impl From<&Proof> for ProofText {
    fn from(proof: &Proof) -> Self {
        let step =
            |step: &Step| StepText { position: step.position, siblings: texts(&step.siblings) };
        let strength = match proof.strength() {
            Strength::Standard => STANDARD,
            Strength::Strengthened => STRENGTHENED,
        };
        Self {
            format: FORMAT.into(),
            strength: strength.into(),
            leaf_index: proof.leaf_index(),
            leaf: proof.leaf().to_string(),
            column: texts(proof.column()),
            path: proof.path().iter().map(step).collect(),
            root: proof.root().to_string(),
        }
    }
}

impl TryFrom<ProofText> for Proof {
    type Error = ProofError;

    fn try_from(text: ProofText) -> Result<Self, ProofError> {
        if text.format != FORMAT {
            return Err(ProofError::Format { got: beginning(&text.format), expected: FORMAT });
        }
        let strength = match text.strength.as_str() {
            STANDARD => Strength::Standard,
            STRENGTHENED => Strength::Strengthened,
            other => return Err(ProofError::Strength { got: beginning(other) }),
        };
        let step = |(level, step): (usize, StepText)| {
            let siblings = elements(&step.siblings, &format!("sibling of level {level}"))?;
            Ok(Step { position: step.position, siblings })
        };
        let path = text.path.into_iter().enumerate().map(step).collect::<Result<_, _>>()?;
        let proof = Self::new(
            strength,
            element(&text.leaf, || "leaf".into())?,
            elements(&text.column, "label of the column")?,
            path,
            element(&text.root, || "root".into())?,
        )?;
        let expected = proof.leaf_index();
        if text.leaf_index != expected {
            return Err(ProofError::Index { got: text.leaf_index, expected });
        }
        Ok(proof)
    }
}

fn texts(elements: &[Fr]) -> Vec<String> {
    elements.iter().map(ToString::to_string).collect()
}

fn elements(texts: &[String], name: &str) -> Result<Vec<Fr>, ProofError> {
    let one = |(index, text): (usize, &String)| element(text, || format!("{name}, {index}"));
    texts.iter().enumerate().map(one).collect()
}

/// Parses an element, which must have its canonical spelling.
fn element(text: &str, place: impl Fn() -> String) -> Result<Fr, ProofError> {
    let value: Fr =
        text.parse().map_err(|source| ProofError::Element { place: place(), source })?;
    if value.to_string() != text {
        return Err(ProofError::Spelling { place: place(), got: beginning(text) });
    }
    Ok(value)
}

/// Truncates a text for an error message.
fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}
