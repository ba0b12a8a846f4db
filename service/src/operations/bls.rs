// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381: signatures, pairings, sums, hashes to the groups, Ethereum's precompiles.

use std::sync::Arc;

use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::operations::{
    Call, Evaluate, Hash, PrecompileRequest, RunPrecompile, SignatureRequest, VerifySignature,
};
use halimede_bls12_381::signature::{Group, Scheme, Suite};
use halimede_bls12_381::{reduced, Curve, Fr, Point, G1, G2};

use super::{verdict, About, Endpoint, Example, Plan, Resources, Table, SAME, SHORT, YES_NO};
use crate::form::{Answer, Field, Kind, Record, Reply};
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings, Values};

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

static SIGNATURE: About = About {
    name: "bls12_381.verify_signature",
    path: "/v1/bls12-381/verify-signature",
    summary: "Checks of BLS signatures",
    settings: &[
        Setting {
            name: "keys",
            about: "Keys in G1 and signatures in G2, or the other way round.",
            values: Values::Choice(&["min-pk", "min-sig"]),
            default: Some("min-pk"),
        },
        Setting {
            name: "scheme",
            about: "Basic, message augmentation, or proof of possession, as Ethereum has it.",
            values: Values::Choice(&["basic", "aug", "pop"]),
            default: Some("pop"),
        },
    ],
    item: &[
        Field {
            name: "key",
            about: "The public key, compressed.",
            kind: Kind::Bytes { least: 0, most: 192 },
        },
        Field {
            name: "message",
            about: "The message.",
            kind: Kind::Bytes { least: 0, most: 1 << 20 },
        },
        Field {
            name: "signature",
            about: "The signature, compressed.",
            kind: Kind::Bytes { least: 0, most: 192 },
        },
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "",
        item: r#"{"key": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "message": "616263", "signature": "94b38e10fd6d2d63dfe704c3f0b1741474dfeaef88d6cdca4334413320701c74e5df8c7859947f6901c0a3c30dba23c91400ddb63494b2f3717d8706a834f928323cef590dd1f2bc8edaf857889e82c9b4cf242324526c9045bc8fec05f98fe9"}"#,
        answer: r#"{"valid": true}"#,
    },
};

static PAIRING_CHECK: About = About {
    name: "bls12_381.pairing_check",
    path: "/v1/bls12-381/pairing-check",
    summary: "Whether products of pairings are 1",
    settings: &[],
    item: PAIRS,
    reply: Reply::Verdict,
    example: Example {
        query: "",
        item: r#"{"pairs": [{"g1": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "g2": "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"}, {"g1": "b7f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "g2": "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"}]}"#,
        answer: r#"{"valid": true}"#,
    },
};

static PAIRING: About = About {
    name: "bls12_381.pairing_product",
    path: "/v1/bls12-381/pairing-product",
    summary: "Products of pairings",
    settings: &[],
    item: PAIRS,
    reply: Reply::Bytes("product"),
    example: Example {
        query: "",
        item: r#"{"pairs": []}"#,
        answer: r#"{"product": "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}"#,
    },
};

static SUM: About = About {
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
    example: Example {
        query: "group=g1",
        item: r#"{"points": ["97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"]}"#,
        answer: r#"{"point": "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e"}"#,
    },
};

static MULTIPLES: About = About {
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
    example: Example {
        query: "group=g1",
        item: r#"{"terms": [{"point": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "factor": "0x3"}]}"#,
        answer: r#"{"point": "89ece308f9d1f0131765212deca99697b112d61f9be9a5f1f3780a51335b3ff981747a0b2ca2179b96d2c0c9024e5224"}"#,
    },
};

static HASH: About = About {
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
            values: YES_NO,
            default: Some("false"),
        },
    ],
    item: &[Field {
        name: "message",
        about: "The message.",
        kind: Kind::Bytes { least: 0, most: 1 << 20 },
    }],
    reply: Reply::Bytes("point"),
    example: Example {
        query: "group=g1&domain=QUUX-V01-CS02-with-BLS12381G1_XMD%3ASHA-256_SSWU_RO_",
        item: r#"{"message": "616263"}"#,
        answer: r#"{"point": "83567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903"}"#,
    },
};

static PRECOMPILE: About = About {
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
    example: Example {
        query: "name=map_fp_to_g1",
        item: r#"{"input": "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000007"}"#,
        answer: r#"{"output": "0000000000000000000000000000000007f4f7db3160c952a4611ea09b4d899d880757313b5ce179eb49f5be483f06734378f17ec3a29c057a78d3bcd08505b400000000000000000000000000000000140bfc616d52a0f0e714b64985ecb3effb1f1faaadcefeb1cf72fb2b17b6aaf7d50cde06289c9d4ba937eede3fc43bf2"}"#,
    },
};

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 7] {
    let evaluate = table.queue.lane::<Evaluate>();
    [
        table.served(&table.queue.lane(), &SIGNATURE, signature),
        table.served(&evaluate, &PAIRING_CHECK, |_, _| {
            Ok(plan(|item| pairs(item).map(Call::IsPairingProductOne), truth))
        }),
        table.served(&evaluate, &PAIRING, |_, _| {
            Ok(plan(|item| pairs(item).map(Call::PairingProduct), Answer::Bytes))
        }),
        table.served(&evaluate, &SUM, sum),
        table.served(&evaluate, &MULTIPLES, multiples),
        table.served(&evaluate, &HASH, hash),
        table.served(&table.queue.lane(), &PRECOMPILE, precompile),
    ]
}

fn signature(_: &Resources, settings: &Settings) -> Result<Plan<VerifySignature>, Refusal> {
    let group = match settings.get("keys") {
        "min-sig" => Group::MinSig,
        _ => Group::MinPk,
    };
    let scheme = match settings.get("scheme") {
        "basic" => Scheme::Basic,
        "aug" => Scheme::Augmented,
        _ => Scheme::ProofOfPossession,
    };
    let suite = Suite { group, scheme };
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            let (key, message) = (item.bytes(), item.bytes());
            Ok(SignatureRequest { suite, key, message, signature: item.bytes() })
        }),
        answer: Box::new(verdict),
    })
}

fn plan(
    read: impl Fn(Record) -> Result<Call, String> + Send + Sync + 'static,
    answer: fn(Vec<u8>) -> Answer,
) -> Plan<Evaluate> {
    Plan {
        growth: GROWTH,
        reply_bytes: PRODUCT_BYTES,
        read: Box::new(read),
        answer: Box::new(move |reply| match reply {
            Ok(bytes) => answer(bytes),
            Err(error) => Answer::Bad(error.to_string()),
        }),
    }
}

fn truth(byte: Vec<u8>) -> Answer {
    Answer::Verdict(match byte[..] {
        [1] => Ok(()),
        _ => Err("the product is not 1".into()),
    })
}

fn sum(_: &Resources, settings: &Settings) -> Result<Plan<Evaluate>, Refusal> {
    Ok(match settings.get("group") {
        "g2" => plan(|mut item| points::<G2>(item.list()).map(Call::AddG2), Answer::Bytes),
        _ => plan(|mut item| points::<G1>(item.list()).map(Call::AddG1), Answer::Bytes),
    })
}

fn multiples(_: &Resources, settings: &Settings) -> Result<Plan<Evaluate>, Refusal> {
    Ok(match settings.get("group") {
        "g2" => plan(|mut item| terms::<G2>(item.list()).map(Call::SumG2), Answer::Bytes),
        _ => plan(|mut item| terms::<G1>(item.list()).map(Call::SumG1), Answer::Bytes),
    })
}

fn hash(_: &Resources, settings: &Settings) -> Result<Plan<Evaluate>, Refusal> {
    let call = match settings.get("group") {
        "g2" => Call::HashG2,
        _ => Call::HashG1,
    };
    let domain: Arc<[u8]> = settings.get("domain").as_bytes().into();
    let encode = settings.get("encode") == "true";
    let read = move |mut item: Record| {
        Ok(call(Hash { domain: Arc::clone(&domain), message: item.bytes(), encode }))
    };
    Ok(plan(read, Answer::Bytes))
}

fn precompile(_: &Resources, settings: &Settings) -> Result<Plan<RunPrecompile>, Refusal> {
    let precompile = match settings.get("name") {
        "g1add" => Precompile::G1Add,
        "g1msm" => Precompile::G1Msm,
        "g2add" => Precompile::G2Add,
        "g2msm" => Precompile::G2Msm,
        "pairing_check" => Precompile::PairingCheck,
        "map_fp_to_g1" => Precompile::MapFpToG1,
        _ => Precompile::MapFp2ToG2,
    };
    Ok(Plan {
        growth: SAME,
        reply_bytes: PRODUCT_BYTES,
        read: Box::new(move |mut item| Ok(PrecompileRequest { precompile, input: item.bytes() })),
        answer: Box::new(|reply| match reply {
            Ok(output) => Answer::Bytes(output),
            Err(error) => Answer::Bad(error.to_string()),
        }),
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
