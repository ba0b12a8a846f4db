// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pairings, sums, hashes to the groups, and Ethereum's precompiles.

use std::sync::Arc;

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Kind, Plan, Record, Reply, Setting, Settings, Values,
    Visitor, NO_YES,
};

use crate::eip2537::{Precompile, PrecompileError};
use crate::hash::HashError;
use crate::operations::{Call, Evaluate, Hash, PrecompileRequest, RunPrecompile};
use crate::{reduced, Curve, Fr, Point, G1, G2};

/// Points have three coordinates in memory, and one where they are sent.
const GROWTH: usize = 2;
/// Bytes of a product of pairings.
const PRODUCT_BYTES: usize = 576;
/// Most points of an item.
const MOST_POINTS: usize = 1 << 16;
const GROUP: Setting = Setting {
    name: "group",
    about: "The group of the points.",
    values: Values::Choice(&["g1", "g2"]),
    default: Some("g1"),
};
const G1_POINT: Field = Field {
    name: "g1",
    about: "A point of G1, in 48 or 96 bytes.",
    kind: Kind::Bytes { least: 48, most: 96 },
};
const G2_POINT: Field = Field {
    name: "g2",
    about: "A point of G2, in 96 or 192 bytes.",
    kind: Kind::Bytes { least: 96, most: 192 },
};
const POINT: Field = Field {
    name: "point",
    about: "A point of the group, compressed or not.",
    kind: Kind::Bytes { least: 48, most: 192 },
};
const PAIRS: &[Field] = &[Field {
    name: "pairs",
    about: "Points that are paired.",
    kind: Kind::List { of: &[G1_POINT, G2_POINT], least: 0, most: MOST_POINTS },
}];

/// Visits the interfaces of points.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<PairingChecks>();
    visitor.visit::<PairingProducts>();
    visitor.visit::<Sums>();
    visitor.visit::<SumsOfMultiples>();
    visitor.visit::<HashesToCurve>();
    visitor.visit::<Precompiles>();
}

/// `bls12_381.pairing_check`
enum PairingChecks {}

impl Interface for PairingChecks {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.pairing_check",
        path: "/v1/bls12-381/pairing-check",
        summary: "Whether products of pairings are 1",
        settings: &[],
        item: PAIRS,
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"pairs": [{"g1": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "g2": "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"}, {"g1": "b7f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "g2": "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"}]}"#,
                answer: r#"{"valid": true}"#,
                source: "e(P, Q) times e(−P, Q) is 1",
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"pairs": [{"g1": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "g2": "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"}]}"#,
                answer: r#"{"valid": false, "reason": "the product is not 1"}"#,
                source: "the pairing is not degenerate",
            },
        ],
    };

    fn plan(_: &Settings) -> Result<Plan<Evaluate>, String> {
        Ok(plan(|item| pairs(item).map(Call::IsPairingProductOne), truth))
    }
}

/// `bls12_381.pairing_product`
enum PairingProducts {}

impl Interface for PairingProducts {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.pairing_product",
        path: "/v1/bls12-381/pairing-product",
        summary: "Products of pairings",
        settings: &[],
        item: PAIRS,
        reply: Reply::Bytes("product"),
        examples: &[Example {
            settings: &[],
            objects: &[],
            item: r#"{"pairs": []}"#,
            answer: r#"{"product": "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}"#,
            source: "the empty product is 1",
        }],
    };

    fn plan(_: &Settings) -> Result<Plan<Evaluate>, String> {
        Ok(plan(|item| pairs(item).map(Call::PairingProduct), Answer::Bytes))
    }
}

/// `bls12_381.sum`
enum Sums {}

impl Interface for Sums {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.sum",
        path: "/v1/bls12-381/sum",
        summary: "Sums of points of a group",
        settings: &[GROUP],
        item: &[Field {
            name: "points",
            about: "The points.",
            kind: Kind::List { of: &[POINT], least: 0, most: MOST_POINTS },
        }],
        reply: Reply::Bytes("point"),
        examples: &[Example {
            settings: &[("group", "g1")],
            objects: &[],
            item: r#"{"points": ["97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"]}"#,
            answer: r#"{"point": "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e"}"#,
            source: "the crate blst",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<Evaluate>, String> {
        Ok(match settings.get("group") {
            "g2" => plan(|mut item| points::<G2>(item.list()).map(Call::AddG2), Answer::Bytes),
            _ => plan(|mut item| points::<G1>(item.list()).map(Call::AddG1), Answer::Bytes),
        })
    }
}

/// `bls12_381.sum_of_multiples`
enum SumsOfMultiples {}

impl Interface for SumsOfMultiples {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.sum_of_multiples",
        path: "/v1/bls12-381/sum-of-multiples",
        summary: "Sums of multiples of points of a group",
        settings: &[GROUP],
        item: &[Field {
            name: "terms",
            about: "The points and their factors, modulo the order of the groups.",
            kind: Kind::List {
                of: &[POINT, Field { name: "factor", about: "The factor.", kind: Kind::Number }],
                least: 0,
                most: MOST_POINTS,
            },
        }],
        reply: Reply::Bytes("point"),
        examples: &[Example {
            settings: &[("group", "g1")],
            objects: &[],
            item: r#"{"terms": [{"point": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "factor": "0x3"}]}"#,
            answer: r#"{"point": "89ece308f9d1f0131765212deca99697b112d61f9be9a5f1f3780a51335b3ff981747a0b2ca2179b96d2c0c9024e5224"}"#,
            source: "the crate blst",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<Evaluate>, String> {
        Ok(match settings.get("group") {
            "g2" => plan(|mut item| terms::<G2>(item.list()).map(Call::SumG2), Answer::Bytes),
            _ => plan(|mut item| terms::<G1>(item.list()).map(Call::SumG1), Answer::Bytes),
        })
    }
}

/// `bls12_381.hash_to_curve`
enum HashesToCurve {}

impl Interface for HashesToCurve {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.hash_to_curve",
        path: "/v1/bls12-381/hash-to-curve",
        summary: "Messages hashed to a group (RFC 9380)",
        settings: &[
            GROUP,
            Setting {
                name: "domain",
                about: "The domain separation tag.",
                values: Values::Text { most: 1 << 10 },
                default: None,
            },
            Setting {
                name: "encode",
                about: "`encode_to_curve` and not `hash_to_curve`.",
                values: NO_YES,
                default: Some("false"),
            },
        ],
        item: &[Field {
            name: "message",
            about: "The message.",
            kind: Kind::Bytes { least: 0, most: 1 << 20 },
        }],
        reply: Reply::Bytes("point"),
        examples: &[Example {
            settings: &[
                ("group", "g1"),
                ("domain", "QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_"),
            ],
            objects: &[],
            item: r#"{"message": "616263"}"#,
            answer: r#"{"point": "83567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903"}"#,
            source: "RFC 9380, appendix J.9.1",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<Evaluate>, String> {
        let call = match settings.get("group") {
            "g2" => Call::HashG2,
            _ => Call::HashG1,
        };
        let domain: Arc<[u8]> = settings.get("domain").as_bytes().into();
        let encode = settings.is_on("encode");
        let read = move |mut item: Record| {
            Ok(call(Hash { domain: Arc::clone(&domain), message: item.bytes(), encode }))
        };
        Ok(plan(read, Answer::Bytes))
    }
}

/// `bls12_381.precompile`
enum Precompiles {}

impl Interface for Precompiles {
    type Operation = RunPrecompile;
    const ABOUT: &'static About = &About {
        name: "bls12_381.precompile",
        path: "/v1/bls12-381/precompile",
        summary: "Ethereum's precompiles (EIP-2537)",
        settings: &[Setting {
            name: "name",
            about: "The precompile.",
            values: Values::Choice(&[
                "g1add",
                "g1msm",
                "g2add",
                "g2msm",
                "pairing_check",
                "map_fp_to_g1",
                "map_fp2_to_g2",
            ]),
            default: None,
        }],
        item: &[Field {
            name: "input",
            about: "The input.",
            kind: Kind::Bytes { least: 0, most: 1 << 20 },
        }],
        reply: Reply::Bytes("output"),
        examples: &[Example {
            settings: &[("name", "map_fp_to_g1")],
            objects: &[],
            item: r#"{"input": "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007"}"#,
            answer: r#"{"output": "0000000000000000000000000000000007f4f7db3160c952a4611ea09b4d899d880757313b5ce179eb49f5be483f06734378f17ec3a29c057a78d3bcd08505b400000000000000000000000000000000140bfc616d52a0f0e714b64985ecb3effb1f1faaadcefeb1cf72fb2b17b6aaf7d50cde06289c9d4ba937eede3fc43bf2"}"#,
            source: "the crate blst",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<RunPrecompile>, String> {
        let precompile = match settings.get("name") {
            "g1add" => Precompile::G1Add,
            "g1msm" => Precompile::G1Msm,
            "g2add" => Precompile::G2Add,
            "g2msm" => Precompile::G2Msm,
            "pairing_check" => Precompile::PairingCheck,
            "map_fp_to_g1" => Precompile::MapFpToG1,
            _ => Precompile::MapFp2ToG2,
        };
        let read =
            move |mut item: Record| Ok(PrecompileRequest { precompile, input: item.bytes() });
        let answer = |reply: Result<Vec<u8>, PrecompileError>| match reply {
            Ok(output) => Answer::Bytes(output),
            Err(error) => bad(&error),
        };
        Ok(Plan { reply_bytes: PRODUCT_BYTES, ..Plan::new(read, answer) })
    }
}

fn plan(
    read: impl Fn(Record) -> Result<Call, String> + Send + Sync + 'static,
    answer: fn(Vec<u8>) -> Answer,
) -> Plan<Evaluate> {
    let answer = move |reply: Result<Vec<u8>, HashError>| match reply {
        Ok(bytes) => answer(bytes),
        Err(error) => bad(&error),
    };
    Plan { growth: GROWTH, reply_bytes: PRODUCT_BYTES, ..Plan::new(read, answer) }
}

fn bad(error: &impl ToString) -> Answer {
    Answer::Bad(error.to_string())
}

fn truth(byte: Vec<u8>) -> Answer {
    Answer::Verdict(match byte[..] {
        [1] => Ok(()),
        _ => Err("the product is not 1".into()),
    })
}

/// Points of the group, with their numbers in errors.
fn points<C: Curve>(list: Vec<Record>) -> Result<Vec<Point<C>>, String> {
    let point = |(index, mut record): (usize, Record)| {
        point(&record.bytes()).map_err(|error| format!("element {index}: {error}"))
    };
    list.into_iter().enumerate().map(point).collect()
}

fn terms<C: Curve>(list: Vec<Record>) -> Result<Vec<(Point<C>, Fr)>, String> {
    let term = |(index, mut record): (usize, Record)| {
        let point = point(&record.bytes()).map_err(|error| format!("element {index}: {error}"))?;
        let mut factor = record.number();
        factor.reverse();
        Ok((point, reduced(&factor)))
    };
    list.into_iter().enumerate().map(term).collect()
}

/// Points that are paired.
type Pair = (Point<G1>, Point<G2>);

fn pairs(mut item: Record) -> Result<Vec<Pair>, String> {
    let pair = |(index, mut record): (usize, Record)| {
        let at = |error| format!("element {index}: {error}");
        Ok((point(&record.bytes()).map_err(at)?, point(&record.bytes()).map_err(at)?))
    };
    item.list().into_iter().enumerate().map(pair).collect()
}

fn point<C: Curve>(bytes: &[u8]) -> Result<Point<C>, String> {
    Point::from_bytes(bytes).map_err(|error| error.to_string())
}
