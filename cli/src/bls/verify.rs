// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls verify`: a verdict for each line.

use halimede_bls12_381::operations::{SignatureRequest, VerifySignature};
use halimede_bls12_381::signature::{Group, Scheme, Suite};
use serde::Deserialize;
use serde_json::Value;

use crate::arguments::{BlsVerifyOptions, GroupName, SchemeName};
use crate::error::CommandError;
use crate::json_line::{bytes, object, Text};
use crate::lines::{answer_file, Answer, Verdict};

pub fn run(options: &BlsVerifyOptions, json: bool) -> Result<(), CommandError> {
    let suite = Suite { group: options.group.into(), scheme: options.scheme.into() };
    let parse = |text: &str| {
        let Line { key, message, signature } = Line::parse(text)?;
        Ok(SignatureRequest { suite, key, message, signature })
    };
    let lines = &options.lines;
    let file = lines.file.as_deref();
    let format = |reply: &_| SuiteVerdict { verdict: Verdict::of(reply), suite };
    answer_file::<VerifySignature, _>(&lines.batch, file, parse, format, json)
}

/// A verdict under a suite: another suite would give another verdict.
struct SuiteVerdict {
    verdict: Verdict,
    suite: Suite,
}

impl Answer for SuiteVerdict {
    fn text(&self) -> String {
        self.verdict.text()
    }

    fn json(&self) -> Value {
        let mut answer = self.verdict.json();
        answer["scheme"] = self.suite.scheme.name().into();
        answer["group"] = self.suite.group.name().into();
        answer
    }

    fn is_failure(&self) -> bool {
        self.verdict.is_failure()
    }
}

/// A signature to be checked, its parts of any length and content.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub key: Vec<u8>,
    pub message: Vec<u8>,
    pub signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Fields<'l> {
    #[serde(borrow)]
    key: Text<'l>,
    #[serde(borrow)]
    msg: Text<'l>,
    #[serde(borrow)]
    sig: Text<'l>,
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// The fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Fields { key, msg, sig } = object(text)?;
        let (key, message) = (bytes(text, "key", &key)?, bytes(text, "msg", &msg)?);
        Ok(Self { key, message, signature: bytes(text, "sig", &sig)? })
    }
}

impl From<GroupName> for Group {
    fn from(name: GroupName) -> Self {
        match name {
            GroupName::MinPk => Self::MinPk,
            GroupName::MinSig => Self::MinSig,
        }
    }
}

impl From<SchemeName> for Scheme {
    fn from(name: SchemeName) -> Self {
        match name {
            SchemeName::Basic => Self::Basic,
            SchemeName::Aug => Self::Augmented,
            SchemeName::Pop => Self::ProofOfPossession,
        }
    }
}
