// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every edge of the check: the engine, libsecp256k1 and the plain arithmetic agree. The same
//! checks are in `vectors/checks.json`; `HALIMEDE_WRITE_VECTORS=1` writes the file.

use std::sync::OnceLock;

use crate::common::cases::{edge_cases, Case};
use crate::common::{bytes, hex, Curve};
use halimede_arith::job::Compute;
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::secp256k1::ecdsa::Signature;
use halimede_secp256k1::secp256k1::{Message, PublicKey};
use halimede_secp256k1::{check, verdict, Check, Mask};
use rayon::prelude::*;
use serde::Serialize;

/// Asks libsecp256k1 through its public interface.
fn library_accepts(request: &VerifyRequest) -> bool {
    let key = [&[4][..], &request.x, &request.y].concat();
    let signature = Signature::from_compact(&[request.r, request.s].concat());
    let (Ok(key), Ok(mut signature)) = (PublicKey::from_slice(&key), signature) else {
        return false;
    };
    signature.normalize_s();
    signature.verify(Message::from_digest(request.digest), &key).is_ok()
}

/// The edge cases, each with the result of the plain arithmetic.
fn checked_cases() -> &'static [(&'static Case, Mask)] {
    static CHECKED: OnceLock<Vec<(&Case, Mask)>> = OnceLock::new();
    let curve = Curve::new();
    CHECKED
        .get_or_init(|| edge_cases().par_iter().map(|case| (case, curve.check(&case.1))).collect())
}

#[test]
fn engine_library_and_reference_agree() {
    let mut seen = std::collections::HashMap::new();
    for ((name, request), expected) in checked_cases() {
        let mask = check(request);
        assert_eq!(mask, *expected, "{name}: {mask}, should be {expected}");
        assert_eq!(library_accepts(request), expected.is_valid(), "{name}");
        *seen.entry(expected.first()).or_insert(0) += 1;
    }
    // Each verdict occurs several times.
    for check in Check::ALL.map(Some).into_iter().chain([None]) {
        assert!(seen.get(&check).is_some_and(|count| *count >= 8), "{check:?}: {seen:?}");
    }
}

#[test]
fn a_batch_is_answered_in_order() {
    let (names, requests): (Vec<_>, Vec<_>) = edge_cases().iter().cloned().unzip();
    let replies = Verify::compute_batch(requests[..].into());
    assert_eq!(replies.len(), names.len());
    for ((name, request), reply) in names.iter().zip(&requests).zip(replies) {
        assert_eq!(reply, verdict(check(request)), "{name}");
    }
}

const ORIGIN: &str = "The first check is of the first payment in Bitcoin, the input of transaction \
f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16 in block 170, whose digest is that of \
its serialization for signing. The others are the edges that tests/common/cases.rs makes, with the \
masks of tests/common/reference.rs. Numbers are hexadecimal and big-endian; the bits of a mask are \
those of the card's reply to verify_secp256k1_sig.";

/// The input of transaction f4184fc5… in Bitcoin's block 170.
fn first_payment() -> VerifyRequest {
    let number = |digits| bytes(&hex(digits));
    VerifyRequest {
        r: number("4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41"),
        s: number("181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d09"),
        digest: number("7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19"),
        x: number("11db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5c"),
        y: number("b2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3"),
    }
}

/// A line of the file.
#[derive(Serialize)]
struct Vector<'c> {
    name: &'c str,
    r: String,
    s: String,
    digest: String,
    x: String,
    y: String,
    mask: u8,
}

fn line(name: &str, request: &VerifyRequest, mask: Mask) -> String {
    let [r, s, digest, x, y] =
        [request.r, request.s, request.digest, request.x, request.y].map(::hex::encode);
    let vector = Vector { name, r, s, digest, x, y, mask: mask.bits() };
    format!("    {}", serde_json::to_string(&vector).unwrap())
}

#[test]
fn the_vectors_are_these_cases() {
    let first = first_payment();
    assert!(Curve::new().check(&first).is_valid());
    let mut lines = vec![line("Bitcoin, block 170: the first payment", &first, Mask::VALID)];
    lines.extend(checked_cases().iter().map(|((name, request), mask)| line(name, request, *mask)));
    let (origin, lines) = (serde_json::to_string(ORIGIN).unwrap(), lines.join(",\n"));
    let file = format!("{{\n  \"origin\": {origin},\n  \"checks\": [\n{lines}\n  ]\n}}\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/checks.json");
    if std::env::var("HALIMEDE_WRITE_VECTORS").is_ok_and(|value| value == "1") {
        std::fs::write(path, &file).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap();
    assert!(stored == file, "{path} differs from the output of these tests");
}
