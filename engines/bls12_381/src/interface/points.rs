// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pairings, sums, hashing to the groups, and Ethereum's precompiles.

use std::sync::Arc;

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Outcome, Plan, Record, Reply, Setting,
    Settings, Values, Visitor, NO_YES,
};

use super::MOST_BYTES;
use crate::eip2537::Precompile;
use crate::hash::HashError;
use crate::operations::{Call, Evaluate, Hash, PrecompileRequest, RunPrecompile};
use crate::pairing::GT_BYTES;
use crate::{reduced, Curve, Fr, Point, G1, G2};

/// Points have three coordinates in memory, but one in a request.
const GROWTH: usize = 2;
/// Bytes of a compressed point of G1.
const G1_BYTES: usize = 48;
/// Bytes of a compressed point of G2.
const G2_BYTES: usize = 96;
/// The maximum number of points of an item.
const MOST_POINTS: usize = 1 << 20;
const GROUP: Setting = Setting {
    name: "group",
    about: "The group of the points.",
    values: Values::Choice(&["g1", "g2"]),
    default: Some("g1"),
};
const G1_POINT: Field = Field::bytes("g1", "A point of G1, in 48 or 96 bytes.", 48, 96);
const G2_POINT: Field = Field::bytes("g2", "A point of G2, in 96 or 192 bytes.", 96, 192);
const POINT: Field = Field::bytes("point", "A point of the group, compressed or not.", 48, 192);
const PAIRS: &[Field] =
    &[Field::list("pairs", "The points to pair.", &[G1_POINT, G2_POINT], 0, MOST_POINTS)];

/// Visits the interfaces of points.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<PairingChecks>();
    visitor.visit::<PairingProducts>();
    visitor.visit::<Sums>();
    visitor.visit::<SumsOfMultiples>();
    visitor.visit::<HashesToCurve>();
    visitor.visit::<MapsToCurve>();
    visitor.visit::<Precompiles>();
}

/// `bls12_381.pairing_check`
enum PairingChecks {}

impl Interface for PairingChecks {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.pairing_check",
        path: "/v1/bls12-381/pairing-check",
        summary: "Checks that products of pairings are 1",
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
        Ok(plan(Plan::<Evaluate>::SHORT, |item| pairs(item).map(Call::IsPairingProductOne), truth))
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
        Ok(plan(GT_BYTES, |item| pairs(item).map(Call::PairingProduct), Answer::Bytes))
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
        item: &[Field::list("points", "The points.", &[POINT], 0, MOST_POINTS)],
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
        let g1 = |item| listed::<G1>(item).map(Call::AddG1);
        Ok(to_point(settings, [g1, |item| listed::<G2>(item).map(Call::AddG2)]))
    }
}

/// `bls12_381.sum_of_multiples`
enum SumsOfMultiples {}

impl Interface for SumsOfMultiples {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.sum_of_multiples",
        path: "/v1/bls12-381/sum-of-multiples",
        summary: "Multi-scalar multiplications in a group",
        settings: &[GROUP],
        item: &[Field::list(
            "terms",
            "The points and their factors, modulo the order of the groups.",
            &[POINT, Field::number("factor", "The factor.")],
            0,
            MOST_POINTS,
        )],
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
        let g1 = |item| terms::<G1>(item).map(Call::SumG1);
        Ok(to_point(settings, [g1, |item| terms::<G2>(item).map(Call::SumG2)]))
    }
}

/// `bls12_381.hash_to_curve`
enum HashesToCurve {}

impl Interface for HashesToCurve {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.hash_to_curve",
        path: "/v1/bls12-381/hash-to-curve",
        summary: "Hashing of messages to a group (RFC 9380)",
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
                about: "Use `encode_to_curve` instead of `hash_to_curve`.",
                values: NO_YES,
                default: Some("false"),
            },
        ],
        item: &[Field::bytes("message", "The message.", 0, MOST_BYTES)],
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
        let (call, bytes): (fn(Hash) -> Call, usize) = match settings.get("group") {
            "g2" => (Call::HashG2, G2_BYTES),
            _ => (Call::HashG1, G1_BYTES),
        };
        let domain: Arc<[u8]> = settings.get("domain").as_bytes().into();
        if domain.is_empty() {
            return Err("`domain`: the tag is empty".into());
        }
        let encode = settings.is_on("encode");
        let read = move |mut item: Record| {
            Ok(call(Hash { domain: Arc::clone(&domain), message: item.bytes(), encode }))
        };
        Ok(plan(bytes, read, Answer::Bytes))
    }
}

/// `bls12_381.map_to_curve`
enum MapsToCurve {}

impl Interface for MapsToCurve {
    type Operation = Evaluate;
    const ABOUT: &'static About = &About {
        name: "bls12_381.map_to_curve",
        path: "/v1/bls12-381/map-to-curve",
        summary: "Mapping of elements of the coordinate field to a group (RFC 9380)",
        settings: &[GROUP],
        item: &[Field::bytes(
            "element",
            "The element, most significant byte first; for G2 two, constant term first.",
            0,
            96,
        )],
        reply: Reply::Bytes("point"),
        examples: &[Example {
            settings: &[("group", "g1")],
            objects: &[],
            item: r#"{"element": "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007"}"#,
            answer: r#"{"point": "a7f4f7db3160c952a4611ea09b4d899d880757313b5ce179eb49f5be483f06734378f17ec3a29c057a78d3bcd08505b4"}"#,
            source: "x of the answer of Ethereum's precompile to the same element",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<Evaluate>, String> {
        let g1 = |mut item: Record| Ok(Call::MapG1(item.bytes()));
        Ok(to_point(settings, [g1, |mut item| Ok(Call::MapG2(item.bytes()))]))
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
        item: &[Field::bytes("input", "The input.", 0, MOST_BYTES)],
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
        let (precompile, reply_bytes) = match settings.get("name") {
            "g1add" => (Precompile::G1Add, 128),
            "g1msm" => (Precompile::G1Msm, 128),
            "g2add" => (Precompile::G2Add, 256),
            "g2msm" => (Precompile::G2Msm, 256),
            "pairing_check" => (Precompile::PairingCheck, 32),
            "map_fp_to_g1" => (Precompile::MapFpToG1, 128),
            _ => (Precompile::MapFp2ToG2, 256),
        };
        let read =
            move |mut item: Record| Ok(PrecompileRequest { precompile, input: item.bytes() });
        Ok(Plan { reply_bytes, ..Plan::new(read, Answer::of_bytes) })
    }
}

/// Returns the plan of a call that replies with `reply_bytes` bytes, or with a verdict.
fn plan(
    reply_bytes: usize,
    read: impl Fn(Record) -> Result<Call, Invalid> + Send + Sync + 'static,
    answer: fn(Vec<u8>) -> Answer,
) -> Plan<Evaluate> {
    let answer = move |reply: Result<Vec<u8>, HashError>| match reply {
        Ok(bytes) => answer(bytes),
        Err(error) => Answer::Bad(Invalid::of(error)),
    };
    Plan { growth: GROWTH, reply_bytes, ..Plan::new(read, answer) }
}

/// Returns the plan of a call that replies with a point of the group.
fn to_point(
    settings: &Settings,
    calls: [fn(Record) -> Result<Call, Invalid>; 2],
) -> Plan<Evaluate> {
    match settings.get("group") {
        "g2" => plan(G2_BYTES, calls[1], Answer::Bytes),
        _ => plan(G1_BYTES, calls[0], Answer::Bytes),
    }
}

fn truth(byte: Vec<u8>) -> Answer {
    let reason = || Invalid { outcome: Outcome::Mismatch, reason: "the product is not 1".into() };
    Answer::Verdict(if byte == [1] { Ok(()) } else { Err(reason()) })
}

/// Parses points of the group together; errors name the index of the point.
fn points<C: Curve>(bytes: &[Vec<u8>]) -> Result<Vec<Point<C>>, Invalid> {
    let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let read = Point::all_from_bytes(&bytes).into_iter().enumerate();
    let named = |(index, error)| Invalid::from(format!("element {index}: {error}"));
    read.map(|(index, point)| point.map_err(|error| named((index, error)))).collect()
}

/// Parses the first field of each of an item's records as a point of the group.
fn listed<C: Curve>(mut item: Record) -> Result<Vec<Point<C>>, Invalid> {
    points(&item.list().iter_mut().map(Record::bytes).collect::<Vec<_>>())
}

fn terms<C: Curve>(mut item: Record) -> Result<Vec<(Point<C>, Fr)>, Invalid> {
    let (bytes, factors): (Vec<_>, Vec<_>) =
        item.list().iter_mut().map(|record| (record.bytes(), record.number())).unzip();
    let factor = |mut factor: [u8; 32]| {
        factor.reverse();
        reduced(&factor)
    };
    Ok(points(&bytes)?.into_iter().zip(factors.into_iter().map(factor)).collect())
}

/// The points of one pairing.
type Pair = (Point<G1>, Point<G2>);

fn pairs(mut item: Record) -> Result<Vec<Pair>, Invalid> {
    let (g1, g2): (Vec<_>, Vec<_>) =
        item.list().iter_mut().map(|record| (record.bytes(), record.bytes())).unzip();
    Ok(points(&g1)?.into_iter().zip(points(&g2)?).collect())
}
