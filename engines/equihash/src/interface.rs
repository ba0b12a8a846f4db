// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of the verification of solutions.

#[cfg(any(test, feature = "known-answers"))]
use halimede_arith::interface::KnownAnswers;
use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Outcome, Plan, Record, Reply, Setting,
    Settings, Values, Verdict, Visitor, NO_YES,
};
use halimede_arith::job::Operation;

#[cfg(any(test, feature = "known-answers"))]
use crate::known_answers;
use crate::operations::{Verify, VerifyRequest, VerifyRow, HEADER_BYTES};
use crate::{Check, Mask, Params};

/// The most bytes of a header, and of a solution.
const MOST_BYTES: usize = 1 << 16;

/// Visits all interfaces of the engine.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Solutions>();
}

/// `equihash.verify`
enum Solutions {}

impl Interface for Solutions {
    type Operation = Verify;
    const ABOUT: &'static About = &About {
        name: "equihash.verify",
        path: "/v1/equihash/verify",
        summary: "Verifies Equihash solutions of block headers, and the difficulty of the headers",
        settings: &[
            Setting {
                name: "n",
                about: "The size of a hash in bits.",
                values: Values::Whole { least: 8, most: 512 },
                default: Some("200"),
            },
            Setting {
                name: "k",
                about: "The number of levels of a solution's tree, which has 2^k indices.",
                values: Values::Whole { least: 3, most: 32 },
                default: Some("9"),
            },
            Setting {
                name: "difficulty",
                about: "Also checks that the header's hash meets its target.",
                values: NO_YES,
                default: Some("true"),
            },
        ],
        item: &[
            Field::bytes(
                "header",
                "The block header with its nonce, without the solution: 140 bytes. If `difficulty` \
                    is false, this processor accepts any input of a puzzle.",
                0,
                MOST_BYTES,
            ),
            Field::bytes(
                "solution",
                "The solution in its minimal form: 1344 bytes for (200, 9), 36 for (48, 5).",
                0,
                MOST_BYTES,
            ),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[("n", "48"), ("k", "5")],
                objects: &[],
                item: ITEM,
                answer: r#"{"valid": true}"#,
                source: "the engine's solver, checked by its reference",
            },
            Example {
                settings: &[("n", "48"), ("k", "5")],
                objects: &[],
                item: OTHER_ITEM,
                answer: r#"{"valid": false, "reason": "the header's hash does not meet its target; hashes do not collide where subtrees meet; the hashes do not XOR to zero"}"#,
                source: "the same solution with another last index",
            },
        ],
    };

    #[cfg(any(test, feature = "known-answers"))]
    fn known_answers() -> Result<Vec<KnownAnswers<Verify>>, String> {
        known_answers::groups()
    }

    fn plan(settings: &Settings) -> Result<Plan<Verify>, String> {
        let number = |name| settings.whole(name) as u32;
        let params = Params::new(number("n"), number("k")).map_err(|error| error.to_string())?;
        let is_header = settings.is_on("difficulty");
        let read = move |mut item: Record| {
            let (input, solution) = (item.bytes(), item.bytes());
            let request = if is_header {
                let header = input.try_into().map_err(|input: Vec<u8>| {
                    Invalid::from(format!(
                        "`header`: expected {HEADER_BYTES} bytes, got {}",
                        input.len()
                    ))
                })?;
                VerifyRequest::of_header(params, header, solution)
            } else {
                VerifyRow::new(params, &input, &solution).map(Verify::keep)
            };
            request.map_err(|error| format!("`solution`: {error}").into())
        };
        Ok(Plan::new(read, |mask: Mask| Answer::Verdict(verdict(mask))))
    }
}

/// The verdict of a mask: the outcome of the first failed check, and the reasons of all failed
/// checks.
pub fn verdict(mask: Mask) -> Verdict {
    let outcome = match mask.first() {
        None => return Ok(()),
        Some(Check::Difficulty) => Outcome::Difficulty,
        Some(Check::Duplicate) => Outcome::Duplicate,
        Some(Check::IndexOrder) => Outcome::IndexOrder,
        Some(Check::Collision) => Outcome::Collision,
        Some(Check::Xor) => Outcome::Xor,
    };
    Err(Invalid { outcome, reason: mask.to_string() })
}

const ITEM: &str = r#"{"header": "040000000b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc01264b7095badf04294e7398bde2072c51769bc0e50a2f54799ec3e80d32577ca1c600f153650f0f0f202500000000000000000000000000000000000000000000000000000000000000", "solution": "0178ccdfc5160973cf0415249367c5bf6de505d111b3b2ec71819b1ad5605d220220ef3c"}"#;

/// The same item with another last index.
const OTHER_ITEM: &str = r#"{"header": "040000000b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc01264b7095badf04294e7398bde2072c51769bc0e50a2f54799ec3e80d32577ca1c600f153650f0f0f202500000000000000000000000000000000000000000000000000000000000000", "solution": "0178ccdfc5160973cf0415249367c5bf6de505d111b3b2ec71819b1ad5605d220220ef3d"}"#;
