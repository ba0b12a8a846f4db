// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3.

use std::sync::Arc;

use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::{Mode, KEY_BYTES};

use super::{About, Endpoint, Example, Plan, Resources, Table, SAME};
use crate::form::{Answer, Field, Kind, Record, Reply};
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings, Values};

/// Most bytes of a message: the limit of a body is what counts.
const MOST_BYTES: usize = u32::MAX as usize / 2;
/// Most bytes of an output; with the items of a batch it bounds what an answer takes.
const MOST_OUTPUT_BYTES: u64 = 1 << 10;

const MESSAGE: Field = Field {
    name: "message",
    about: "The message.",
    kind: Kind::Bytes { least: 0, most: MOST_BYTES },
};
const LENGTH: Setting = Setting {
    name: "length",
    about: "Bytes of the output.",
    values: Values::Whole { least: 1, most: MOST_OUTPUT_BYTES },
    default: Some("32"),
};

static HASH: About = About {
    name: "blake3.hash",
    path: "/v1/blake3/hash",
    summary: "BLAKE3 hashes of messages",
    settings: &[LENGTH],
    item: &[MESSAGE],
    reply: Reply::Bytes("digest"),
    example: Example {
        query: "",
        item: r#"{"message": "000102"}"#,
        answer: r#"{"digest": "e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f"}"#,
    },
};

static KEYED: About = About {
    name: "blake3.keyed_hash",
    path: "/v1/blake3/keyed-hash",
    summary: "BLAKE3 hashes of messages under their keys",
    settings: &[LENGTH],
    item: &[
        Field {
            name: "key",
            about: "The key.",
            kind: Kind::Bytes { least: KEY_BYTES, most: KEY_BYTES },
        },
        MESSAGE,
    ],
    reply: Reply::Bytes("digest"),
    example: Example {
        query: "length=16",
        item: r#"{"key": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                  "message": "616263"}"#,
        answer: r#"{"digest": "6da54495d8152f2bcba87bd7282df709"}"#,
    },
};

static DERIVE: About = About {
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
    item: &[Field {
        name: "material",
        about: "The key material.",
        kind: Kind::Bytes { least: 0, most: MOST_BYTES },
    }],
    reply: Reply::Bytes("key"),
    example: Example {
        query: "context=example.org+2026-01-01+session+tokens",
        item: r#"{"material": "0123456789abcdef"}"#,
        answer: r#"{"key": "e1c9d2a0b3763ae70ebf468ea1588e3299b5b3f5e67b4c9bfcdd555f27235761"}"#,
    },
};

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 3] {
    let lane = table.queue.lane();
    [
        table.served(&lane, &HASH, |_, settings| Ok(of_mode(Mode::Hash, settings))),
        table.served(&lane, &KEYED, keyed),
        table.served(&lane, &DERIVE, |_, settings| {
            Ok(of_mode(Mode::derive_key(settings.get("context")), settings))
        }),
    ]
}

fn of_mode(mode: Mode, settings: &Settings) -> Plan<Hash> {
    let mode = Arc::new(mode);
    plan(settings, move |_| Arc::clone(&mode))
}

fn keyed(_: &Resources, settings: &Settings) -> Result<Plan<Hash>, Refusal> {
    Ok(plan(settings, |item| {
        let mut key = [0; KEY_BYTES];
        for (to, from) in key.iter_mut().zip(item.bytes()) {
            *to = from;
        }
        Arc::new(Mode::Keyed(key))
    }))
}

fn plan(
    settings: &Settings,
    mode: impl Fn(&mut Record) -> Arc<Mode> + Send + Sync + 'static,
) -> Plan<Hash> {
    let output_bytes = settings.whole("length");
    Plan {
        growth: SAME,
        reply_bytes: output_bytes,
        read: Box::new(move |mut item| {
            let mode = mode(&mut item);
            Ok(HashRequest { output_bytes, ..HashRequest::digest(&mode, item.bytes()) })
        }),
        answer: Box::new(Answer::Bytes),
    }
}
