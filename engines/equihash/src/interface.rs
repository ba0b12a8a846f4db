// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of checks of solutions.

#[cfg(any(test, feature = "known-answers"))]
use halimede_arith::interface::KnownAnswers;
use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Outcome, Plan, Record, Reply, Setting,
    Settings, Values, Visitor,
};

#[cfg(any(test, feature = "known-answers"))]
use crate::known_answers;
use crate::operations::{Verify, VerifyRequest, HEADER_BYTES};
use crate::{Mask, Params};

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
        summary: "Checks of Equihash solutions of block headers, and of the headers' difficulty",
        settings: &[Setting {
            name: "parameters",
            about: "n and k.",
            values: Values::Choice(&["200,9", "144,5", "96,5", "48,5"]),
            default: Some("200,9"),
        }],
        item: &[
            Field::bytes(
                "header",
                "The block header with its nonce, without the solution.",
                HEADER_BYTES,
                HEADER_BYTES,
            ),
            Field::bytes(
                "solution",
                "The solution in its minimal form, e.g. of 1344 bytes for (200, 9).",
                0,
                1 << 12,
            ),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[("parameters", "48,5")],
                objects: &[],
                item: ITEM,
                answer: r#"{"valid": true}"#,
                source: "the engine's solver, checked by its reference",
            },
            Example {
                settings: &[("parameters", "48,5")],
                objects: &[],
                item: OTHER_ITEM,
                answer: r#"{"valid": false, "reason": "the header's hash does not meet its target; hashes do not collide where subtrees meet; the hashes do not XOR to zero"}"#,
                source: "the same with another last index",
            },
        ],
    };

    #[cfg(any(test, feature = "known-answers"))]
    fn known_answers() -> Result<Vec<KnownAnswers<Verify>>, String> {
        known_answers::groups()
    }

    fn plan(settings: &Settings) -> Result<Plan<Verify>, String> {
        let params = match settings.get("parameters") {
            "144,5" => Params::N144_K5,
            "96,5" => Params::N96_K5,
            "48,5" => Params::REGTEST,
            _ => Params::ZCASH,
        };
        let read = move |mut item: Record| {
            let header: [u8; HEADER_BYTES] =
                item.bytes().try_into().map_err(|_| Invalid::from("a header has 140 bytes"))?;
            let request = VerifyRequest::of_header(params, header, item.bytes());
            request.map_err(|error| error.to_string().into())
        };
        let answer = |mask: Mask| {
            Answer::Verdict(match mask.is_valid() {
                true => Ok(()),
                false => Err(Invalid { outcome: Outcome::Mismatch, reason: mask.to_string() }),
            })
        };
        Ok(Plan::new(read, answer))
    }
}

const ITEM: &str = r#"{"header": "040000000b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc01264b7095badf04294e7398bde2072c51769bc0e50a2f54799ec3e80d32577ca1c600f153650f0f0f202500000000000000000000000000000000000000000000000000000000000000", "solution": "0178ccdfc5160973cf0415249367c5bf6de505d111b3b2ec71819b1ad5605d220220ef3c"}"#;

/// The last index is another one.
const OTHER_ITEM: &str = r#"{"header": "040000000b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc01264b7095badf04294e7398bde2072c51769bc0e50a2f54799ec3e80d32577ca1c600f153650f0f0f202500000000000000000000000000000000000000000000000000000000000000", "solution": "0178ccdfc5160973cf0415249367c5bf6de505d111b3b2ec71819b1ad5605d220220ef3d"}"#;
