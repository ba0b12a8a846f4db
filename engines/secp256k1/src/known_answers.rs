// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checks of `vectors/checks.json`, bundled: for startup tests and demonstrations. Behind the
//! crate's feature `known-answers`.

use std::fmt::Display;

use serde::Deserialize;

use crate::operations::VerifyRequest;
use crate::Mask;

const VECTORS: &str = include_str!("../vectors/checks.json");

/// The bundled file is not what this build expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bundled checks of signatures do not parse: {reason}")]
pub struct KnownAnswersError {
    reason: String,
}

/// A check whose outcome is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// What is special about it.
    pub name: String,
    /// What is asked.
    pub request: VerifyRequest,
    /// What is found.
    pub mask: Mask,
}

/// A published signature, and every edge of the check as plain arithmetic decides it.
///
/// # Errors
/// [`KnownAnswersError`] where the file that was bundled does not parse.
pub fn known_answers() -> Result<Vec<KnownAnswer>, KnownAnswersError> {
    let vectors: Vectors = serde_json::from_str(VECTORS).map_err(broken)?;
    vectors.checks.into_iter().map(Vector::parse).collect()
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
    use halimede_arith::job::Compute;

    use super::*;
    use crate::operations::Verify;

    #[test]
    fn the_processor_gives_the_known_answers() {
        let answers = known_answers().unwrap();
        assert!(answers.len() > 200 && answers[0].name.contains("block 170"));
        for KnownAnswer { name, request, mask } in answers {
            assert_eq!(Verify::compute(&request), mask, "{name}");
        }
    }
}
