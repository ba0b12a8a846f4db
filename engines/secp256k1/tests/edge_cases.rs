// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every edge of the check: the engine, libsecp256k1 and the plain arithmetic agree.

#![allow(clippy::unwrap_used)] // tests

mod common;

use common::cases::{edge_cases, Case};
use common::Curve;
use halimede_arith::job::Compute;
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::secp256k1::ecdsa::Signature;
use halimede_secp256k1::secp256k1::{Message, PublicKey};
use halimede_secp256k1::{Check, Mask};
use rayon::prelude::*;

/// What libsecp256k1 says, asked as its users ask it.
fn library_accepts(request: &VerifyRequest) -> bool {
    let key = [&[4][..], &request.x, &request.y].concat();
    let signature = Signature::from_compact(&[request.r, request.s].concat());
    let (Ok(key), Ok(mut signature)) = (PublicKey::from_slice(&key), signature) else {
        return false;
    };
    signature.normalize_s();
    signature.verify(Message::from_digest(request.digest), &key).is_ok()
}

#[test]
fn engine_library_and_reference_agree() {
    let curve = Curve::new();
    let mut seen = std::collections::HashMap::new();
    let check = |(_, request): &Case| curve.check(request);
    let expected: Vec<Mask> = edge_cases().par_iter().map(check).collect();
    for ((name, request), expected) in edge_cases().iter().zip(expected) {
        let mask = Verify::compute(request);
        assert_eq!(mask, expected, "{name}: {mask}, should be {expected}");
        assert_eq!(library_accepts(request), expected.is_valid(), "{name}");
        *seen.entry(expected.first()).or_insert(0) += 1;
    }
    // Each verdict is there in numbers.
    for check in Check::ALL.map(Some).into_iter().chain([None]) {
        assert!(seen.get(&check).is_some_and(|count| *count >= 8), "{check:?}: {seen:?}");
    }
}

#[test]
fn a_batch_is_answered_in_order() {
    let (names, requests): (Vec<_>, Vec<_>) = edge_cases().iter().cloned().unzip();
    let replies = Verify::compute_batch(&requests);
    assert_eq!(replies.len(), names.len());
    for ((name, request), reply) in names.iter().zip(&requests).zip(replies) {
        assert_eq!(reply, Verify::compute(request), "{name}");
    }
}
