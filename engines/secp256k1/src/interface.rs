// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: verification of ECDSA and Schnorr signatures, and recovery of keys.

use std::borrow::Cow;

#[cfg(feature = "known-answers")]
use halimede_arith::interface::KnownAnswers;
use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Outcome, Plan, Record, Reply, Setting,
    Settings, Values, Visitor, NO_YES,
};

use crate::digest::Hash;
#[cfg(feature = "known-answers")]
use crate::known_answers;
use crate::operations::{Recover, RecoverRequest, SchnorrRequest, Verify, VerifySchnorr};
use crate::recovery::{self, Numbering, RecoveredKey, ADDRESS_BYTES, KEY_BYTES};
use crate::{Format, Rules, Verifier};

/// The maximum length of a message in bytes. The limit of a request's body is lower.
const MOST_BYTES: usize = u32::MAX as usize / 2;
const DIGEST: Field = Field::bytes(
    "digest",
    "The digest, 32 bytes; or the message, if `hash` is set.",
    0,
    MOST_BYTES,
);
const HASH: Setting = Setting {
    name: "hash",
    about: "The hash function of the message; `none` if a digest is given. A digest of \
        `any-length` may have any number of bytes, of which the leftmost 32 count.",
    values: Values::Choice(&Hash::NAMES),
    default: Some("none"),
};
const LOW_S: Setting = Setting {
    name: "low-s",
    about: "Reject an s above n/2.",
    values: NO_YES,
    default: Some("false"),
};
/// The source of the ECDSA examples.
const SOURCE: &str = "the first payment of Bitcoin, in block 170";

/// Visits all interfaces of the engine.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Signatures>();
    visitor.visit::<RecoveredKeys>();
    visitor.visit::<SchnorrSignatures>();
    crate::half_aggregate::visit(visitor);
}

/// `secp256k1.verify`
enum Signatures {}

impl Interface for Signatures {
    type Operation = Verify;
    const ABOUT: &'static About = &About {
        name: "secp256k1.verify",
        path: "/v1/secp256k1/ecdsa-verify",
        summary: "Verification of ECDSA signatures",
        settings: &[
            Setting {
                name: "format",
                about:
                    "The encoding: DER by the rules of BIP 66, DER as in older blocks, or r and s, \
                    64 bytes.",
                values: Values::Choice(&["der", "der-lax", "compact"]),
                default: Some("der"),
            },
            LOW_S,
            HASH,
        ],
        item: &[
            Field::bytes("key", "The public key, in 33 or 65 bytes.", 0, 65).or(Outcome::Key),
            DIGEST,
            Field::bytes("signature", "The signature.", 0, 256).or(Outcome::Signature),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[("format", "compact")],
                objects: &[],
                item: r#"{"key": "0411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3", "digest": "7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19", "signature": "4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d09"}"#,
                answer: r#"{"valid": true}"#,
                source: SOURCE,
            },
            Example {
                settings: &[("format", "compact")],
                objects: &[],
                item: r#"{"key": "0411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3", "digest": "7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb18", "signature": "4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d09"}"#,
                answer: r#"{"valid": false, "reason": "the signature is not this key's on this digest"}"#,
                source: "the same with another digest",
            },
        ],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<Verify>>, String> {
        known_answers::groups()
    }

    fn plan(settings: &Settings) -> Result<Plan<Verify>, String> {
        let verifier = Verifier::new(rules(settings));
        let hash = hash(settings);
        // A signature that cannot be parsed is an invalid one.
        let read = move |mut item: Record| {
            let (key, signed, signature) = (item.bytes(), item.bytes(), item.bytes());
            Ok(verifier.request(&key, &digest(hash, &signed)?, &signature))
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

/// `secp256k1.recover`
enum RecoveredKeys {}

impl Interface for RecoveredKeys {
    type Operation = Recover;
    const ABOUT: &'static About = &About {
        name: "secp256k1.recover",
        path: "/v1/secp256k1/ecdsa-recover",
        summary: "Recovery of public keys or Ethereum addresses from ECDSA signatures",
        settings: &[
            Setting {
                name: "answer",
                about: "The answer: the public key (x and y), or the address.",
                values: Values::Choice(&["key", "address"]),
                default: Some("key"),
            },
            Setting {
                name: "numbering",
                about: "The recovery ids: 0 to 3, or Ethereum's 27 and 28.",
                values: Values::Choice(&["plain", "ethereum"]),
                default: Some("plain"),
            },
            LOW_S,
            HASH,
        ],
        item: &[
            DIGEST,
            Field::bytes("signature", "r, s and the recovery id.", 65, 65).or(Outcome::Signature),
        ],
        reply: Reply::Bytes("recovered"),
        examples: &[Example {
            settings: &[("answer", "address")],
            objects: &[],
            item: r#"{"digest": "7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19", "signature": "4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901"}"#,
            answer: r#"{"recovered": "3faae4c91c60c9abad40e814ba23fc26dc2a6bce"}"#,
            source: SOURCE,
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<Recover>, String> {
        let numbering = match settings.get("numbering") {
            "ethereum" => Numbering::Ethereum,
            _ => Numbering::Plain,
        };
        let rules = recovery::Rules { numbering, low_s: settings.is_on("low-s") };
        let hash = hash(settings);
        let wants_address = settings.get("answer") == "address";
        let read = move |mut item: Record| {
            let digest = digest(hash, &item.bytes())?.into_owned();
            Ok(RecoverRequest { rules, digest, signature: item.bytes() })
        };
        let answer = move |recovered: Result<RecoveredKey, recovery::Rejection>| {
            Answer::of_bytes(recovered.map(|key| match wants_address {
                true => key.address().to_vec(),
                false => key.0.to_vec(),
            }))
        };
        let reply_bytes = if wants_address { ADDRESS_BYTES } else { KEY_BYTES };
        Ok(Plan { reply_bytes, ..Plan::new(read, answer) })
    }
}

/// `secp256k1.verify_schnorr`
enum SchnorrSignatures {}

impl Interface for SchnorrSignatures {
    type Operation = VerifySchnorr;
    const ABOUT: &'static About = &About {
        name: "secp256k1.verify_schnorr",
        path: "/v1/secp256k1/schnorr-verify",
        summary: "Verification of Schnorr signatures (BIP 340)",
        settings: &[],
        item: &[
            Field::bytes("key", "x of the public key.", 32, 32).or(Outcome::Key),
            Field::bytes("message", "The message.", 0, MOST_BYTES),
            Field::bytes("signature", "r and s.", 64, 64).or(Outcome::Signature),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659", "message": "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89", "signature": "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"}"#,
                answer: r#"{"valid": true}"#,
                source: "test vector 1 of BIP 340",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"key": "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659", "message": "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89", "signature": "1fa62e331edbc21c394792d2ab1100a7b432b013df3f6ff4f99fcb33e0e1515f28890b3edb6e7189b630448b515ce4f8622a954cfe545735aaea5134fccdb2bd"}"#,
                answer: r#"{"valid": false, "reason": "the signature is not this key's on this message"}"#,
                source: "test vector 7 of BIP 340",
            },
        ],
    };

    fn plan(_: &Settings) -> Result<Plan<VerifySchnorr>, String> {
        let read = |mut item: Record| {
            let (key, message) = (item.bytes(), item.bytes());
            Ok(SchnorrRequest { key, message, signature: item.bytes() })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

/// The rules named by the settings of `secp256k1.verify`.
pub fn rules(settings: &Settings) -> Rules {
    let format = match settings.get("format") {
        "compact" => Format::Compact,
        "der-lax" => Format::DerLax,
        _ => Format::Der,
    };
    Rules { format, low_s: settings.is_on("low-s") }
}

/// The hash function named by the setting `hash`.
pub fn hash(settings: &Settings) -> Hash {
    Hash::named(settings.get("hash")).unwrap_or(Hash::None)
}

fn digest(hash: Hash, signed: &[u8]) -> Result<Cow<'_, [u8]>, Invalid> {
    hash.digest(signed).map_err(|error| Invalid::from(format!("`digest`: {error}")))
}
