// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: permutation, compression and hash of Poseidon2.

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Plan, Record, Reply, Setting, Settings, Values,
    Visitor,
};

use super::instance::NAMES;
use super::{Elements, Instance, Request, RunPoseidon2, Task, MAX_WIDTH};

/// The largest number of elements of a hash.
const MOST_ELEMENTS: usize = 1 << 20;
const ELEMENT: &[Field] = &[Field::number("element", "An element of the instance's field.")];
const HORIZEN: &str = "the crate zkhash of Horizen Labs";
const GNARK: &str = "gnark-crypto 0.19.2";

/// Visits all interfaces of Poseidon2.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Permutations>();
    visitor.visit::<Compressions>();
    visitor.visit::<Hashes>();
}

/// `poseidon2.permute`
enum Permutations {}

impl Interface for Permutations {
    type Operation = RunPoseidon2;
    const ABOUT: &'static About = &About {
        name: "poseidon2.permute",
        path: "/v1/poseidon2/permute",
        summary: "Poseidon2's permutation with published parameters",
        settings: &[Setting {
            name: "instance",
            about: "The field and the width; `gnark-` before them for gnark-crypto's constants.",
            values: Values::Choice(&NAMES),
            default: None,
        }],
        item: &[Field::list(
            "state",
            "The state; its length is the width of the instance.",
            ELEMENT,
            2,
            MAX_WIDTH,
        )],
        reply: Reply::Numbers("state"),
        examples: &[
            Example {
                settings: &[("instance", "bn254-3")],
                objects: &[],
                item: r#"{"state": ["0x0", "0x1", "0x2"]}"#,
                answer: r#"{"state": ["0x0bb61d24daca55eebcb1929a82650f328134334da98ea4f847f760054f4a3033", "0x303b6f7c86d043bfcbcc80214f26a30277a15d3f74ca654992defe7ff8d03570", "0x1ed25194542b12eef8617361c3ba7c52e660b145994427cc86296242cf766ec8"]}"#,
                source: HORIZEN,
            },
            Example {
                settings: &[("instance", "gnark-bls12-381-2")],
                objects: &[],
                item: r#"{"state": ["0x0", "0x1"]}"#,
                answer: r#"{"state": ["0x1cdd6c164add05a319507930b1156434264008ba8b5f523f1e411a63038c7ef3", "0x5dba32f849dc767eeb4429b440b32c775d970a269ba70e821ff6e17b9254c9e3"]}"#,
                source: GNARK,
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<RunPoseidon2>, String> {
        plan(settings, Task::Permute)
    }
}

/// `poseidon2.compress`
enum Compressions {}

impl Interface for Compressions {
    type Operation = RunPoseidon2;
    const ABOUT: &'static About = &About {
        name: "poseidon2.compress",
        path: "/v1/poseidon2/compress",
        summary: "Poseidon2's compression of two elements, for Merkle trees",
        settings: &[Setting {
            name: "instance",
            about: "With width 3, element 0 of the permuted (left, right, 0), as Horizen Labs \
                defines it; with gnark-crypto's constants, element 1 of the permuted (left, right) \
                plus right.",
            values: Values::Choice(&[
                "bn254-3",
                "bls12-381-3",
                "pallas-3",
                "vesta-3",
                "gnark-bn254-2",
                "gnark-bls12-381-2",
            ]),
            default: Some("bn254-3"),
        }],
        item: &[Field::list("elements", "The left and the right element.", ELEMENT, 2, 2)],
        reply: Reply::Number("digest"),
        examples: &[
            Example {
                settings: &[("instance", "bn254-3")],
                objects: &[],
                item: r#"{"elements": ["0x0", "0x1"]}"#,
                answer: r#"{"digest": "0x222816f2669279d4c256ed2f196e8b0d54df83d35d61811bac36ea4e858483fc"}"#,
                source: HORIZEN,
            },
            Example {
                settings: &[("instance", "gnark-bn254-2")],
                objects: &[],
                item: r#"{"elements": ["0x0", "0x1"]}"#,
                answer: r#"{"digest": "0x1ae0efd28c01163c0a58440757ef2339affb17836ad3b1fedacabeaab56ca0e2"}"#,
                source: GNARK,
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<RunPoseidon2>, String> {
        plan(settings, Task::Compress)
    }
}

/// `poseidon2.hash`
enum Hashes {}

impl Interface for Hashes {
    type Operation = RunPoseidon2;
    const ABOUT: &'static About = &About {
        name: "poseidon2.hash",
        path: "/v1/poseidon2/hash",
        summary: "Hashes of Noir's and gnark's Poseidon2",
        settings: &[Setting {
            name: "instance",
            about: "`bn254-4` for the `Poseidon2::hash` of Noir and Barretenberg; `gnark-` for \
                gnark-crypto's Merkle-Damgard hasher, which does not encode the length.",
            values: Values::Choice(&["bn254-4", "gnark-bn254-2", "gnark-bls12-381-2"]),
            default: Some("bn254-4"),
        }],
        item: &[Field::list("elements", "The elements.", ELEMENT, 0, MOST_ELEMENTS)],
        reply: Reply::Number("digest"),
        examples: &[
            Example {
                settings: &[("instance", "bn254-4")],
                objects: &[],
                item: r#"{"elements": ["0x1", "0x2", "0x3"]}"#,
                answer: r#"{"digest": "0x23864adb160dddf590f1d3303683ebcb914f828e2635f6e85a32f0a1aecd3dd8"}"#,
                source: "Noir",
            },
            Example {
                settings: &[("instance", "gnark-bn254-2")],
                objects: &[],
                item: r#"{"elements": ["0x0885f718d0e1c26a29f73f0b21853012aed7a3cb73ca9b98485f6c88eede0ac0", "0x0401ea87542bdd8159362e7fd5f1dfad1ececff0fbdf1d808a4c174a2fd9ba71"]}"#,
                answer: r#"{"digest": "0x079c7d758195e52d875f89d39727a638d6f5e8c606c7875e68e2b5b3fe4ac336"}"#,
                source: GNARK,
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<RunPoseidon2>, String> {
        plan(settings, Task::Hash)
    }
}

fn plan(settings: &Settings, task: Task) -> Result<Plan<RunPoseidon2>, String> {
    let instance = settings.get("instance").parse::<Instance>();
    let instance = instance.map_err(|error| error.to_string())?;
    task.require(instance).map_err(|error| error.to_string())?;
    let read = move |mut item: Record| {
        Request::from_le_bytes(instance, task, &item.numbers())
            .map_err(|error| error.to_string().into())
    };
    let answer = |elements: Elements| Answer::Numbers(elements.to_le_bytes());
    let numbers = match task {
        Task::Permute => instance.width(),
        Task::Compress | Task::Hash => 1,
    };
    Ok(Plan { reply_bytes: 32 * numbers, ..Plan::new(read, answer) })
}
