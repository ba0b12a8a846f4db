// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: Filecoin's and Starknet's hashes, and the permutation.

use halimede_arith::field::Modulus;
#[cfg(feature = "known-answers")]
use halimede_arith::interface::KnownAnswers;
use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Plan, Record, Reply, Setting, Settings,
    Values, Visitor,
};
use halimede_arith::{Felt, Field as Element, Fr};

use crate::filecoin::{CustomId, HashType, Hasher};
#[cfg(feature = "known-answers")]
use crate::known_answers;
use crate::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use crate::{circom, poseidon2, Instance, State, Strength, MAX_WIDTH};

/// The largest number of elements of a `many` hash.
const MOST_ELEMENTS: usize = 1 << 20;
const ELEMENT: &[Field] = &[Field::number("element", "An element of the field.")];

/// Visits all interfaces of the engine.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<FilecoinHashes>();
    visitor.visit::<StarknetHashes>();
    visitor.visit::<Permutations>();
    circom::interface::visit(visitor);
    poseidon2::interface::visit(visitor);
}

/// `poseidon.filecoin_hash`
enum FilecoinHashes {}

impl Interface for FilecoinHashes {
    type Operation = FilecoinHash;
    const ABOUT: &'static About = &About {
        name: "poseidon.filecoin_hash",
        path: "/v1/poseidon/filecoin-hash",
        summary: "Hashes of Filecoin's Poseidon",
        settings: &[
            Setting {
                name: "arity",
                about: "The number of elements per hash.",
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
        item: &[Field::list(
            "elements",
            "Elements of the scalar field of BLS12-381. Their number is the arity, or 1 to the \
                arity with the tag `constant`.",
            ELEMENT,
            1,
            MAX_WIDTH - 1,
        )],
        reply: Reply::Number("digest"),
        examples: &[Example {
            settings: &[("arity", "2")],
            objects: &[],
            item: r#"{"elements": ["0x1", "0x2"]}"#,
            answer: r#"{"digest": "0x6d6f8106657f1f4d7babcbaf436a9d7669c04e726e5896d89317d9833e5fa9be"}"#,
            source: "the crate neptune of Filecoin",
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<FilecoinHash>>, String> {
        known_answers::filecoin_hashes()
    }

    fn plan(settings: &Settings) -> Result<Plan<FilecoinHash>, String> {
        let strength = match settings.get("strength") {
            "strengthened" => Strength::Strengthened,
            _ => Strength::Standard,
        };
        let hash_type = match settings.get("tag") {
            "constant" => HashType::ConstantLength,
            "encryption" => HashType::Encryption,
            "custom" => {
                let id = CustomId::new(settings.whole("id") as u64);
                HashType::Custom(id.map_err(|error| error.to_string())?)
            }
            _ => HashType::MerkleTree,
        };
        let hasher = Hasher::new(settings.whole("arity"), strength, hash_type);
        let hasher = hasher.map_err(|error| error.to_string())?;
        let read = move |mut item: Record| {
            let preimage = hasher.preimage(&elements(item.numbers())?);
            preimage.map_err(|error| error.to_string().into())
        };
        Ok(Plan::new(read, |digest: Fr| Answer::Numbers(vec![digest.to_le_bytes()])))
    }
}

/// `poseidon.starknet_hash`
enum StarknetHashes {}

impl Interface for StarknetHashes {
    type Operation = StarknetHash;
    const ABOUT: &'static About = &About {
        name: "poseidon.starknet_hash",
        path: "/v1/poseidon/starknet-hash",
        summary: "Hashes of Starknet's Poseidon",
        settings: &[Setting {
            name: "mode",
            about: "Hashes two elements, one, or any number.",
            values: Values::Choice(&["pair", "single", "many"]),
            default: Some("pair"),
        }],
        item: &[Field::list(
            "elements",
            "Elements of StarkWare's field: 2 for `pair`, 1 for `single`.",
            ELEMENT,
            0,
            MOST_ELEMENTS,
        )],
        reply: Reply::Number("digest"),
        examples: &[Example {
            settings: &[("mode", "pair")],
            objects: &[],
            item: r#"{"elements": ["0x1", "0x2"]}"#,
            answer: r#"{"digest": "0x05d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a"}"#,
            source: "the crate starknet-crypto",
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<StarknetHash>>, String> {
        known_answers::starknet_hashes()
    }

    fn plan(settings: &Settings) -> Result<Plan<StarknetHash>, String> {
        let count = match settings.get("mode") {
            "many" => None,
            "single" => Some(1),
            _ => Some(2),
        };
        let read = move |mut item: Record| {
            let elements: Vec<Felt> = elements(item.numbers())?;
            match (count, &elements[..]) {
                (None, _) => Ok(StarknetInput::Many(elements)),
                (Some(1), [x]) => Ok(StarknetInput::Single(*x)),
                (Some(2), [x, y]) => Ok(StarknetInput::Pair(*x, *y)),
                (Some(count), _) => {
                    Err(format!("expected {count} elements, got {}", elements.len()).into())
                }
            }
        };
        Ok(Plan::new(read, |digest: Felt| Answer::Numbers(vec![digest.to_le_bytes()])))
    }
}

/// `poseidon.permute`
enum Permutations {}

impl Interface for Permutations {
    type Operation = Permute;
    const ABOUT: &'static About = &About {
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
        item: &[Field::list(
            "state",
            "The state; its length is the width of the instance.",
            ELEMENT,
            3,
            MAX_WIDTH,
        )],
        reply: Reply::Numbers("state"),
        examples: &[Example {
            settings: &[("instance", "stark-3")],
            objects: &[],
            item: r#"{"state": ["0x0", "0x1", "0x2"]}"#,
            answer: r#"{"state": ["0x05134197931125e849424475aa20cd6ca0ce8603b79177c3f76e2119c8f98c53", "0x030b51bb39c4e74544fc2576ac2a3cf44485ad135802c6ac1246659ad34f241f", "0x003241fe256bea8c2e2fa69098127e17e4020dc42158e61fd3e6dc236e0c0cac"]}"#,
            source: "StarkWare's poseidon3.txt",
        }],
    };

    #[cfg(feature = "known-answers")]
    fn known_answers() -> Result<Vec<KnownAnswers<Permute>>, String> {
        known_answers::permutations()
    }

    fn plan(settings: &Settings) -> Result<Plan<Permute>, String> {
        let instance = settings.get("instance").parse::<Instance>();
        let instance = instance.map_err(|error| error.to_string())?;
        let read = move |mut item: Record| {
            State::from_le_bytes(instance, &item.numbers())
                .map_err(|error| error.to_string().into())
        };
        let answer = |state: State| Answer::Numbers(state.to_le_bytes().to_vec());
        Ok(Plan { reply_bytes: 32 * MAX_WIDTH, ..Plan::new(read, answer) })
    }
}

/// Parses elements; each must be below the modulus.
fn elements<M: Modulus>(numbers: Vec<[u8; 32]>) -> Result<Vec<Element<M>>, Invalid> {
    let element = |(index, number): (usize, [u8; 32])| {
        let element = Element::from_le_bytes(&number);
        element.map_err(|error| format!("element {index}: {error}").into())
    };
    numbers.into_iter().enumerate().map(element).collect()
}
