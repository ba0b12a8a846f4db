// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of BLS signatures.

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Outcome, Plan, Record, Reply, Setting, Settings,
    Values, Visitor,
};

use super::MOST_BYTES;
use crate::operations::{
    AggregateRequest, MessagesRequest, PossessionRequest, SignatureRequest, VerifyAggregate,
    VerifyAggregateOfMessages, VerifyPossession, VerifySignature,
};
use crate::signature::{Group, Scheme, Suite};

const GROUP: Setting = Setting {
    name: "group",
    about: "The groups: keys in G1 and signatures in G2 (`min-pk`), or the reverse (`min-sig`).",
    values: Values::Choice(&["min-pk", "min-sig"]),
    default: Some("min-pk"),
};
const SCHEME: Setting = Setting {
    name: "scheme",
    about: "The scheme: basic, message augmentation, or proof of possession, as in Ethereum.",
    values: Values::Choice(&["basic", "aug", "pop"]),
    default: Some("pop"),
};
const KEY: Field = Field::bytes("key", "The public key, compressed.", 0, 192).or(Outcome::Key);
const MESSAGE: Field = Field::bytes("message", "The message.", 0, MOST_BYTES);
const SIGNATURE: Field =
    Field::bytes("signature", "The signature, compressed.", 0, 192).or(Outcome::Signature);
/// The maximum number of keys of an aggregate.
const MOST_KEYS: usize = 1 << 16;

/// Visits the interfaces of signatures.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Signatures>();
    visitor.visit::<AggregateSignatures>();
    visitor.visit::<AggregatesOfMessages>();
    visitor.visit::<Possessions>();
}

/// Returns the group of the keys.
fn group(settings: &Settings) -> Group {
    match settings.get("group") {
        "min-sig" => Group::MinSig,
        _ => Group::MinPk,
    }
}

fn suite(settings: &Settings) -> Suite {
    let scheme = match settings.get("scheme") {
        "basic" => Scheme::Basic,
        "aug" => Scheme::Augmented,
        _ => Scheme::ProofOfPossession,
    };
    Suite { group: group(settings), scheme }
}

/// `bls12_381.verify_signature`
enum Signatures {}

impl Interface for Signatures {
    type Operation = VerifySignature;
    const ABOUT: &'static About = &About {
        name: "bls12_381.verify_signature",
        path: "/v1/bls12-381/verify-signature",
        summary: "Verification of BLS signatures",
        settings: &[GROUP, SCHEME],
        item: &[KEY, MESSAGE, SIGNATURE],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616263", "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": true}"#,
                source: "the crate blst, for the secret key 1",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616264", "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": false, "reason": "the signature does not match"}"#,
                source: "the same with another message",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifySignature>, String> {
        let suite = suite(settings);
        let read = move |mut item: Record| {
            let (key, message) = (item.bytes(), item.bytes());
            Ok(SignatureRequest { suite, key, message, signature: item.bytes() })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

/// `bls12_381.verify_aggregate`
enum AggregateSignatures {}

impl Interface for AggregateSignatures {
    type Operation = VerifyAggregate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.verify_aggregate",
        path: "/v1/bls12-381/verify-aggregate",
        summary: "Verification of aggregate BLS signatures of one message (FastAggregateVerify)",
        settings: &[GROUP],
        item: &[
            Field::list(
                "keys",
                "The public keys, each with a proof of possession that was verified.",
                &[KEY],
                0,
                MOST_KEYS,
            )
            .or(Outcome::Keys),
            MESSAGE,
            Field { about: "The sum of the signatures, compressed.", ..SIGNATURE },
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"keys": ["97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"], "message": "616263", "signature": "847987f80f1ef06d912272cae661015570d9bb4f0318b830927159e01cedaaad27cf50f1c3a1969a4884329cc5335339036e018e227b4982e7e7ed7277f976f74120917a1f5a1348db8217616f4e0e41b07fa8da378200dd0477d5c7457dc806"}"#,
                answer: r#"{"valid": true}"#,
                source: "the crate blst, for the secret key 1 twice",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"keys": ["97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"], "message": "616263", "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": false, "reason": "the signature does not match"}"#,
                source: "the signature of one key alone",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyAggregate>, String> {
        let group = group(settings);
        let read = move |mut item: Record| {
            let keys = item.list().into_iter().map(|mut record| record.bytes()).collect();
            let (message, signature) = (item.bytes(), item.bytes());
            Ok(AggregateRequest { group, keys, message, signature })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

/// `bls12_381.verify_aggregate_of_messages`
enum AggregatesOfMessages {}

impl Interface for AggregatesOfMessages {
    type Operation = VerifyAggregateOfMessages;
    const ABOUT: &'static About = &About {
        name: "bls12_381.verify_aggregate_of_messages",
        path: "/v1/bls12-381/verify-aggregate-of-messages",
        summary: "Verification of aggregate BLS signatures, one message per key (AggregateVerify)",
        settings: &[GROUP, SCHEME],
        item: &[
            Field::list("signers", "The signers.", &[KEY, MESSAGE], 0, MOST_KEYS).or(Outcome::Keys),
            Field { about: "The sum of the signatures, compressed.", ..SIGNATURE },
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"signers": [{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616263"}], "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": true}"#,
                source: "one signature is its own sum",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"signers": [{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616263"}, {"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616264"}], "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": false, "reason": "the signature does not match"}"#,
                source: "the signature of one message alone",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyAggregateOfMessages>, String> {
        let suite = suite(settings);
        let read = move |mut item: Record| {
            let signers = item.list();
            let signers = signers.into_iter().map(|mut signer| (signer.bytes(), signer.bytes()));
            Ok(MessagesRequest { suite, signers: signers.collect(), signature: item.bytes() })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

/// `bls12_381.verify_possession`
enum Possessions {}

impl Interface for Possessions {
    type Operation = VerifyPossession;
    const ABOUT: &'static About = &About {
        name: "bls12_381.verify_possession",
        path: "/v1/bls12-381/verify-possession",
        summary: "Verification of proofs of possession of BLS secret keys (PopVerify)",
        settings: &[GROUP],
        item: &[
            KEY,
            Field { name: "proof", about: "The proof, a signature of the key.", ..SIGNATURE },
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "proof": "abd367bf7fe788f30632c5d7e92a9958da6164eea2f0cc2d4678a1bcc281f1bede7fc92f5624c84718da7c203f8f69cc016b555c691666c80d48dbebdbb5985eff6618683e563660d926ab2e336376e011717f4d35754ba8cac2b33e0ab21f9a"}"#,
                answer: r#"{"valid": true}"#,
                source: "the hash of the key, whose secret key is 1",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "proof": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
                answer: r#"{"valid": false, "reason": "the signature does not match"}"#,
                source: "a signature of another message",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyPossession>, String> {
        let group = group(settings);
        let read = move |mut item: Record| {
            Ok(PossessionRequest { group, key: item.bytes(), proof: item.bytes() })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}
