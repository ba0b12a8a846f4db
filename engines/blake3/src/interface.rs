// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: hashes, keyed hashes and derived keys of many messages.

use std::sync::Arc;

#[cfg(feature = "known-answers")]
use halimede_arith::interface::KnownAnswers;
use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Plan, Record, Reply, Setting, Settings, Values,
    Visitor,
};

#[cfg(feature = "known-answers")]
use crate::known_answers;
use crate::operations::{Hash, HashRequest};
use crate::{Mode, KEY_BYTES};

/// The most bytes of a message. The limit of a request's body is lower.
const MOST_BYTES: usize = u32::MAX as usize / 2;
/// The most bytes of an output. With the number of items it bounds the size of an answer.
const MOST_OUTPUT_BYTES: u64 = 1 << 10;
/// The origin of the examples.
const SOURCE: &str = "test_vectors.json of BLAKE3, and the crate blake3";

const MESSAGE: Field = Field::bytes("message", "The message.", 0, MOST_BYTES);
const LENGTH: Setting = Setting {
    name: "length",
    about: "The length of the output in bytes.",
    values: Values::Whole { least: 1, most: MOST_OUTPUT_BYTES },
    default: Some("32"),
};

/// Visits all interfaces of the engine.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Hashes>();
    visitor.visit::<KeyedHashes>();
    visitor.visit::<DerivedKeys>();
}

/// `blake3.hash`
enum Hashes {}

impl Interface for Hashes {
    type Operation = Hash;
    const ABOUT: &'static About = &About {
        name: "blake3.hash",
        path: "/v1/blake3/hash",
        summary: "BLAKE3 hashes of messages",
        settings: &[LENGTH],
        item: &[MESSAGE],
        reply: Reply::Bytes("digest"),
        examples: &[Example {
            settings: &[],
            objects: &[],
            item: r#"{"message": "000102"}"#,
            answer: r#"{"digest": "e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f"}"#,
            source: SOURCE,
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<Hash>>, String> {
        known_answers::group("hash")
    }

    fn plan(settings: &Settings) -> Result<Plan<Hash>, String> {
        Ok(in_mode(Mode::Hash, settings))
    }
}

/// `blake3.keyed_hash`
enum KeyedHashes {}

impl Interface for KeyedHashes {
    type Operation = Hash;
    const ABOUT: &'static About = &About {
        name: "blake3.keyed_hash",
        path: "/v1/blake3/keyed-hash",
        summary: "BLAKE3 hashes of messages under their keys",
        settings: &[LENGTH],
        item: &[Field::bytes("key", "The key.", KEY_BYTES, KEY_BYTES), MESSAGE],
        reply: Reply::Bytes("digest"),
        examples: &[Example {
            settings: &[("length", "16")],
            objects: &[],
            item: r#"{"key": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                      "message": "616263"}"#,
            answer: r#"{"digest": "6da54495d8152f2bcba87bd7282df709"}"#,
            source: SOURCE,
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<Hash>>, String> {
        known_answers::group("keyed_hash")
    }

    fn plan(settings: &Settings) -> Result<Plan<Hash>, String> {
        Ok(plan(settings, |item| {
            let mut key = [0; KEY_BYTES];
            for (to, from) in key.iter_mut().zip(item.bytes()) {
                *to = from;
            }
            Arc::new(Mode::Keyed(key))
        }))
    }
}

/// `blake3.derive_key`
enum DerivedKeys {}

impl Interface for DerivedKeys {
    type Operation = Hash;
    const ABOUT: &'static About = &About {
        name: "blake3.derive_key",
        path: "/v1/blake3/derive-key",
        summary: "Keys that BLAKE3 derives from key material",
        settings: &[
            LENGTH,
            Setting {
                name: "context",
                about: "The context string, which is hard-coded in an application.",
                values: Values::Text { most: 1 << 10 },
                default: None,
            },
        ],
        item: &[Field::bytes("material", "The key material.", 0, MOST_BYTES)],
        reply: Reply::Bytes("key"),
        examples: &[Example {
            settings: &[("context", "example.org 2026-01-01 session tokens")],
            objects: &[],
            item: r#"{"material": "0123456789abcdef"}"#,
            answer: r#"{"key": "e1c9d2a0b3763ae70ebf468ea1588e3299b5b3f5e67b4c9bfcdd555f27235761"}"#,
            source: SOURCE,
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<Hash>>, String> {
        known_answers::group("derive_key")
    }

    fn plan(settings: &Settings) -> Result<Plan<Hash>, String> {
        Ok(in_mode(Mode::derive_key(settings.get("context")), settings))
    }
}

fn in_mode(mode: Mode, settings: &Settings) -> Plan<Hash> {
    let mode = Arc::new(mode);
    plan(settings, move |_| Arc::clone(&mode))
}

fn plan(
    settings: &Settings,
    mode: impl Fn(&mut Record) -> Arc<Mode> + Send + Sync + 'static,
) -> Plan<Hash> {
    let output_bytes = settings.whole("length");
    let read = move |mut item: Record| {
        let mode = mode(&mut item);
        Ok(HashRequest { output_bytes, ..HashRequest::digest(&mode, item.bytes()) })
    };
    Plan { reply_bytes: output_bytes, ..Plan::new(read, Answer::Bytes) }
}
