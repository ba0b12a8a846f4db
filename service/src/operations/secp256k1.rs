// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA and Schnorr signatures over secp256k1.

use std::sync::Arc;

use halimede_secp256k1::operations::{
    Recover, RecoverRequest, SchnorrRequest, Verify, VerifySchnorr,
};
use halimede_secp256k1::recovery::{self, Numbering};
use halimede_secp256k1::{Format, Rules, Verifier};

use super::{verdict, About, Endpoint, Example, Plan, Resources, Table, SAME, SHORT, YES_NO};
use crate::form::{Answer, Field, Kind, Reply};
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings, Values};

const DIGEST: Field = Field {
    name: "digest",
    about: "The digest of the message, of which the leftmost 256 bits count.",
    kind: Kind::Bytes { least: 1, most: 64 },
};
const LOW_S: Setting = Setting {
    name: "low-s",
    about: "Whether an s above n/2 is rejected.",
    values: YES_NO,
    default: Some("false"),
};

static ECDSA: About = About {
    name: "secp256k1.verify",
    path: "/v1/secp256k1/ecdsa-verify",
    summary: "Checks of ECDSA signatures",
    settings: &[
        Setting {
            name: "format",
            about: "DER by the rules of BIP 66, as blocks before them have it, or r and s in 64 \
                    bytes.",
            values: Values::Choice(&["der", "der-lax", "compact"]),
            default: Some("der"),
        },
        LOW_S,
    ],
    item: &[
        Field {
            name: "key",
            about: "The public key, in 33 or 65 bytes.",
            kind: Kind::Bytes { least: 0, most: 65 },
        },
        DIGEST,
        Field {
            name: "signature",
            about: "The signature.",
            kind: Kind::Bytes { least: 0, most: 256 },
        },
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "format=compact",
        item: r#"{"key": "0411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3", "digest": "7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19", "signature": "4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d09"}"#,
        answer: r#"{"valid": true}"#,
    },
};

static RECOVER: About = About {
    name: "secp256k1.recover",
    path: "/v1/secp256k1/ecdsa-recover",
    summary: "Public keys, or addresses of Ethereum, that ECDSA signatures were made with",
    settings: &[
        Setting {
            name: "answer",
            about: "The key, x and y, or the address.",
            values: Values::Choice(&["key", "address"]),
            default: Some("key"),
        },
        Setting {
            name: "numbering",
            about: "Recovery ids: 0 to 3, or Ethereum's 27 and 28.",
            values: Values::Choice(&["plain", "ethereum"]),
            default: Some("plain"),
        },
        LOW_S,
    ],
    item: &[
        DIGEST,
        Field {
            name: "signature",
            about: "r, s and the recovery id.",
            kind: Kind::Bytes { least: 65, most: 65 },
        },
    ],
    reply: Reply::Bytes("recovered"),
    example: Example {
        query: "answer=address",
        item: r#"{"digest": "7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19", "signature": "4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901"}"#,
        answer: r#"{"recovered": "3faae4c91c60c9abad40e814ba23fc26dc2a6bce"}"#,
    },
};

static SCHNORR: About = About {
    name: "secp256k1.verify_schnorr",
    path: "/v1/secp256k1/schnorr-verify",
    summary: "Checks of Schnorr signatures (BIP 340)",
    settings: &[],
    item: &[
        Field {
            name: "key",
            about: "x of the public key.",
            kind: Kind::Bytes { least: 32, most: 32 },
        },
        Field {
            name: "message",
            about: "The message.",
            kind: Kind::Bytes { least: 0, most: 1 << 20 },
        },
        Field { name: "signature", about: "r and s.", kind: Kind::Bytes { least: 64, most: 64 } },
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "",
        item: r#"{"key": "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659", "message": "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89", "signature": "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"}"#,
        answer: r#"{"valid": true}"#,
    },
};

/// A verifier, with its cache of keys, for all rules.
pub struct Verifiers(Vec<Arc<Verifier>>);

impl Default for Verifiers {
    fn default() -> Self {
        let formats = [Format::Der, Format::DerLax, Format::Compact];
        let rules = formats.map(|format| [false, true].map(|low_s| Rules { format, low_s }));
        Self(rules.as_flattened().iter().map(|rules| Arc::new(Verifier::new(*rules))).collect())
    }
}

impl Verifiers {
    fn of(&self, rules: Rules) -> Arc<Verifier> {
        let found = self.0.iter().find(|verifier| verifier.rules() == rules);
        found.map_or_else(|| Arc::new(Verifier::new(rules)), Arc::clone)
    }
}

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 3] {
    [
        table.served(&table.queue.lane(), &ECDSA, ecdsa),
        table.served(&table.queue.lane(), &RECOVER, recover),
        table.served(&table.queue.lane(), &SCHNORR, schnorr),
    ]
}

fn ecdsa(resources: &Resources, settings: &Settings) -> Result<Plan<Verify>, Refusal> {
    let format = match settings.get("format") {
        "compact" => Format::Compact,
        "der-lax" => Format::DerLax,
        _ => Format::Der,
    };
    let rules = Rules { format, low_s: settings.get("low-s") == "true" };
    let verifier = resources.verifiers.of(rules);
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        // A signature that cannot be read is one that is not valid.
        read: Box::new(move |mut item| {
            let (key, digest, signature) = (item.bytes(), item.bytes(), item.bytes());
            Ok(verifier.request(&key, &digest, &signature))
        }),
        answer: Box::new(verdict),
    })
}

fn recover(_: &Resources, settings: &Settings) -> Result<Plan<Recover>, Refusal> {
    let numbering = match settings.get("numbering") {
        "ethereum" => Numbering::Ethereum,
        _ => Numbering::Plain,
    };
    let rules = recovery::Rules { numbering, low_s: settings.get("low-s") == "true" };
    let wants_address = settings.get("answer") == "address";
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            Ok(RecoverRequest { rules, digest: item.bytes(), signature: item.bytes() })
        }),
        answer: Box::new(move |recovered| match recovered {
            Ok(key) if wants_address => Answer::Bytes(key.address().to_vec()),
            Ok(key) => Answer::Bytes(key.0.to_vec()),
            Err(rejection) => Answer::Bad(rejection.to_string()),
        }),
    })
}

fn schnorr(_: &Resources, _: &Settings) -> Result<Plan<VerifySchnorr>, Refusal> {
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(|mut item| {
            let (key, message) = (item.bytes(), item.bytes());
            Ok(SchnorrRequest { key, message, signature: item.bytes() })
        }),
        answer: Box::new(verdict),
    })
}
