// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon.

use std::sync::Arc;

use halimede_arith::field::Modulus;
use halimede_arith::{Felt, Field as Element, Fr};
use halimede_poseidon::filecoin::{CustomId, HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{Instance, State, Strength, MAX_WIDTH};

use super::{About, Endpoint, Example, Plan, Resources, Table, SAME, SHORT};
use crate::form::{Answer, Field, Kind, Reply};
use crate::refusal::{Reason, Refusal};
use crate::settings::{Setting, Settings, Values};

/// Most elements of a hash of many.
const MOST_ELEMENTS: usize = 1 << 20;
const ELEMENT: &[Field] =
    &[Field { name: "element", about: "An element of the field.", kind: Kind::Number }];

static FILECOIN: About = About {
    name: "poseidon.filecoin_hash",
    path: "/v1/poseidon/filecoin-hash",
    summary: "Hashes of Filecoin's Poseidon",
    settings: &[
        Setting {
            name: "arity",
            about: "Elements that are hashed at once.",
            values: Values::Whole { least: 2, most: 36 },
            default: None,
        },
        Setting {
            name: "strength",
            about: "The number of partial rounds.",
            values: Values::Choice(&["standard", "strengthened"]),
            default: Some("standard"),
        },
        Setting {
            name: "tag",
            about: "The use of the hash.",
            values: Values::Choice(&["merkle", "constant", "encryption", "custom"]),
            default: Some("merkle"),
        },
        Setting {
            name: "id",
            about: "The number of a custom tag.",
            values: Values::Whole { least: 1, most: 256 },
            default: Some("1"),
        },
    ],
    item: &[Field {
        name: "elements",
        about: "Elements of the scalar field of BLS12-381: as many as the arity, or from 1 on \
                with the tag `constant`.",
        kind: Kind::List { of: ELEMENT, least: 1, most: MAX_WIDTH - 1 },
    }],
    reply: Reply::Number("digest"),
    example: Example {
        query: "arity=2",
        item: r#"{"elements": ["0x1", "0x2"]}"#,
        answer: r#"{"digest": "0x6d6f8106657f1f4d7babcbaf436a9d7669c04e726e5896d89317d9833e5fa9be"}"#,
    },
};

static STARKNET: About = About {
    name: "poseidon.starknet_hash",
    path: "/v1/poseidon/starknet-hash",
    summary: "Hashes of Starknet's Poseidon",
    settings: &[Setting {
        name: "mode",
        about: "Of two elements, of one, or of any number.",
        values: Values::Choice(&["pair", "single", "many"]),
        default: Some("pair"),
    }],
    item: &[Field {
        name: "elements",
        about: "Elements of StarkWare's field: 2 of a pair, 1 of a single.",
        kind: Kind::List { of: ELEMENT, least: 0, most: MOST_ELEMENTS },
    }],
    reply: Reply::Number("digest"),
    example: Example {
        query: "mode=pair",
        item: r#"{"elements": ["0x1", "0x2"]}"#,
        answer: r#"{"digest": "0x05d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a"}"#,
    },
};

static PERMUTE: About = About {
    name: "poseidon.permute",
    path: "/v1/poseidon/permute",
    summary: "Poseidon's permutation of any instance",
    settings: &[Setting {
        name: "instance",
        about: "`filecoin-ARITY` or `filecoin-ARITY-strengthened` with an arity from 2 to 36, \
                `stark-3`, `stark-4`, `stark-5` or `stark-9`.",
        values: Values::Text { most: 32 },
        default: None,
    }],
    item: &[Field {
        name: "state",
        about: "As many elements as the instance is wide.",
        kind: Kind::List { of: ELEMENT, least: 3, most: MAX_WIDTH },
    }],
    reply: Reply::Numbers("state"),
    example: Example {
        query: "instance=stark-3",
        item: r#"{"state": ["0x0", "0x1", "0x2"]}"#,
        answer: r#"{"state": ["0x05134197931125e849424475aa20cd6ca0ce8603b79177c3f76e2119c8f98c53", "0x030b51bb39c4e74544fc2576ac2a3cf44485ad135802c6ac1246659ad34f241f", "0x003241fe256bea8c2e2fa69098127e17e4020dc42158e61fd3e6dc236e0c0cac"]}"#,
    },
};

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 3] {
    [
        table.served(&table.queue.lane(), &FILECOIN, filecoin),
        table.served(&table.queue.lane(), &STARKNET, starknet),
        table.served(&table.queue.lane(), &PERMUTE, permute),
    ]
}

fn filecoin(_: &Resources, settings: &Settings) -> Result<Plan<FilecoinHash>, Refusal> {
    let refuse = |error: &dyn ToString| Refusal::new(Reason::Setting, error.to_string());
    let strength = match settings.get("strength") {
        "strengthened" => Strength::Strengthened,
        _ => Strength::Standard,
    };
    let hash_type = match settings.get("tag") {
        "constant" => HashType::ConstantLength,
        "encryption" => HashType::Encryption,
        "custom" => {
            let id = CustomId::new(settings.whole("id") as u64);
            HashType::Custom(id.map_err(|error| refuse(&error))?)
        }
        _ => HashType::MerkleTree,
    };
    let hasher = Hasher::new(settings.whole("arity"), strength, hash_type);
    let hasher = hasher.map_err(|error| refuse(&error))?;
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            hasher.preimage(&elements(item.numbers())?).map_err(|error| error.to_string())
        }),
        answer: Box::new(|digest: Fr| Answer::Numbers(vec![digest.to_le_bytes()])),
    })
}

fn starknet(_: &Resources, settings: &Settings) -> Result<Plan<StarknetHash>, Refusal> {
    let count = match settings.get("mode") {
        "many" => None,
        "single" => Some(1),
        _ => Some(2),
    };
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            let elements: Vec<Felt> = elements(item.numbers())?;
            match (count, &elements[..]) {
                (None, _) => Ok(StarknetInput::Many(elements)),
                (Some(1), [x]) => Ok(StarknetInput::Single(*x)),
                (Some(2), [x, y]) => Ok(StarknetInput::Pair(*x, *y)),
                (Some(count), _) => {
                    Err(format!("expected {count} elements, got {}", elements.len()))
                }
            }
        }),
        answer: Box::new(|digest: Felt| Answer::Numbers(vec![digest.to_le_bytes()])),
    })
}

fn permute(_: &Resources, settings: &Settings) -> Result<Plan<Permute>, Refusal> {
    let instance = settings.get("instance").parse::<Instance>();
    let instance = instance.map_err(|error| Refusal::new(Reason::Setting, error.to_string()))?;
    Ok(Plan {
        growth: SAME,
        reply_bytes: 32 * MAX_WIDTH,
        read: Box::new(move |mut item| {
            State::from_le_bytes(instance, &item.numbers()).map_err(|error| error.to_string())
        }),
        answer: Box::new(|state: State| Answer::Numbers(state.to_le_bytes().to_vec())),
    })
}

/// Elements below the modulus.
fn elements<M: Modulus>(numbers: Vec<[u8; 32]>) -> Result<Vec<Element<M>>, String> {
    let element = |(index, number): (usize, [u8; 32])| {
        let element = Element::from_le_bytes(&number);
        element.map_err(|error| format!("element {index}: {error}"))
    };
    numbers.into_iter().enumerate().map(element).collect()
}
