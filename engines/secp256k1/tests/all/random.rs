// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 10,000 random signatures, valid and changed in several ways. All are compared with the verdict
//! that follows from their construction, and a sample with the plain arithmetic.

use crate::common::{bytes, number, random, random_bytes, Curve};
use halimede_arith::job::Compute;
use halimede_secp256k1::constants::GROUP_ORDER;
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::secp256k1::{ecdsa, Message, PublicKey, SecretKey};
use halimede_secp256k1::{verdict, Mask};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const REQUESTS: usize = 10_000;
/// The plain arithmetic checks the signatures whose index is divisible by this number; all with
/// `HALIMEDE_SWEEP=1`.
const SAMPLE: usize = 67;

fn signed(random: &mut ChaCha8Rng) -> VerifyRequest {
    let secret = SecretKey::from_secret_bytes(random_bytes(random)).unwrap();
    let digest = random_bytes(random);
    let signature = ecdsa::sign(Message::from_digest(digest), &secret).serialize_compact();
    let key = PublicKey::from_secret_key(&secret).serialize_uncompressed();
    let half = |bytes: &[u8]| bytes.try_into().unwrap();
    VerifyRequest {
        r: half(&signature[..32]),
        s: half(&signature[32..]),
        digest,
        x: half(&key[1..33]),
        y: half(&key[33..]),
    }
}

/// Changes a signature in one of twelve ways; returns `true` if it is still valid.
fn change(request: &mut VerifyRequest, other: &VerifyRequest, way: usize, bit: usize) -> bool {
    let flip = |bytes: &mut [u8; 32]| bytes[bit / 8] ^= 1 << (bit % 8);
    match way {
        0 => return true,
        1 => {
            request.s = bytes(&(number(&GROUP_ORDER) - number(&request.s)));
            return true;
        }
        2 => flip(&mut request.r),
        3 => flip(&mut request.s),
        4 => flip(&mut request.digest),
        5 => flip(&mut request.x),
        6 => flip(&mut request.y),
        7 => std::mem::swap(&mut request.r, &mut request.s),
        8 => (request.x, request.y) = (other.x, other.y),
        9 => request.digest = other.digest,
        10 => request.r = other.r,
        _ => request.y = bytes(&(number(&crate::common::FIELD_ORDER) - number(&request.y))),
    }
    false
}

#[test]
fn what_is_changed_is_rejected_and_nothing_else() {
    let mut random = random(12);
    let mut requests: Vec<VerifyRequest> = (0..REQUESTS).map(|_| signed(&mut random)).collect();
    let originals = requests.clone();
    let mut valid = Vec::new();
    for (number, request) in requests.iter_mut().enumerate() {
        let other = &originals[(number + 1) % REQUESTS];
        valid.push(change(request, other, number % 12, random.gen_range(0..256)));
    }
    let replies = Verify::compute_batch(requests[..].into());
    for (number, reply) in replies.iter().enumerate() {
        let way = number % 12;
        assert_eq!(reply.is_ok(), valid[number], "way {way}: {:?}", requests[number]);
    }
    assert_eq!(valid.iter().filter(|valid| **valid).count(), REQUESTS.div_ceil(12) * 2);
    let sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let step = if sweep { 1 } else { SAMPLE };
    let curve = Curve::new();
    let check = |number: usize| (number, curve.check(&requests[number]));
    let sample: Vec<(usize, Mask)> =
        (0..REQUESTS).into_par_iter().step_by(step).map(check).collect();
    for (number, expected) in sample {
        assert_eq!(
            replies[number],
            verdict(expected),
            "way {}: {:?}",
            number % 12,
            requests[number]
        );
    }
}
