// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on KZG openings.

use halimede_arith::job::Operation;
use halimede_bls12_381::kzg::{OpeningError, Setup, BLOB_BYTES};
use halimede_bls12_381::operations::{OpeningRequest, OwnedOpening, VerifyOpening};
use halimede_bls12_381::{Fr, Point, PointError, G1, G2};
use halimede_cuda::bls12_381::VerifyOpeningOnGpu;
use rand_chacha::ChaCha8Rng;

use crate::bls12_381::{secret, wrong};
use crate::{agree, bytes, place, random};

/// The opening of a + b·x at z, under a known τ.
fn opening(tau: Fr, [a, b, z]: [Fr; 3]) -> OwnedOpening {
    let generator = Point::<G1>::generator();
    OwnedOpening::Value {
        commitment: generator.times(&(a + b * tau)).to_compressed(),
        z: z.to_be_bytes().to_vec(),
        y: (a + b * z).to_be_bytes().to_vec(),
        proof: generator.times(&b).to_compressed(),
    }
}

/// A blob of a constant polynomial, whose proof is infinity.
fn blob(constant: Fr) -> OwnedOpening {
    OwnedOpening::Blob {
        blob: constant.to_be_bytes().repeat(BLOB_BYTES / 32),
        commitment: Point::<G1>::generator().times(&constant).to_compressed(),
        proof: Point::<G1>::default().to_compressed(),
    }
}

/// Changes a part of an opening: the commitment, z, y or the proof, or the blob.
fn with(opening: &OwnedOpening, part: usize, bytes: Vec<u8>) -> OwnedOpening {
    let mut changed = opening.clone();
    match &mut changed {
        OwnedOpening::Value { commitment, z, y, proof } => {
            *[commitment, z, y, proof][part] = bytes;
        }
        OwnedOpening::Blob { blob, commitment, proof } => {
            let place = match part {
                0 => commitment,
                3 => proof,
                _ => blob,
            };
            *place = bytes;
        }
    }
    changed
}

/// Valid openings, as many as returned, and then others.
fn openings(random: &mut ChaCha8Rng, tau: Fr) -> (Vec<OwnedOpening>, usize) {
    let zero = Fr::from(0);
    let mut next = || secret(random);
    let good = opening(tau, [next(), next(), next()]);
    let mut all = vec![
        good.clone(),
        opening(tau, [next(), next(), tau]),
        opening(tau, [next(), next(), zero]),
        opening(tau, [next(), zero, next()]),
        opening(tau, [zero, zero, next()]),
        // y = 0: a = −b·z.
        opening(tau, [-(next() * Fr::from(3)), Fr::from(3), next()]),
        opening(tau, [-(tau * Fr::from(5)), Fr::from(5), next()]),
        blob(next()),
        blob(zero),
    ];
    let valid = all.len();
    let infinity = Point::<G1>::default().to_compressed();
    let generator = Point::<G1>::generator();
    for part in [0, 3] {
        all.push(with(&good, part, infinity.clone()));
        all.push(with(&good, part, generator.to_compressed()));
        // Uncompressed points are not allowed.
        all.push(with(&good, part, generator.to_uncompressed()));
        all.extend(wrong::<G1>().into_iter().map(|encoding| with(&good, part, encoding)));
    }
    let modulus = (-Fr::from(1)).to_be_bytes();
    for part in [1, 2] {
        let mut above = modulus.to_vec();
        above[31] += 1;
        for scalar in [vec![0; 32], modulus.to_vec(), above, vec![255; 32], vec![1; 31], vec![]] {
            all.push(with(&good, part, scalar));
        }
    }
    let of_blob = blob(next());
    for length in [0, 31, BLOB_BYTES - 1, BLOB_BYTES + 32] {
        all.push(with(&of_blob, 1, vec![1; length]));
    }
    let mut changed = Fr::from(9).to_be_bytes().repeat(BLOB_BYTES / 32);
    all.push(with(&of_blob, 1, changed.clone()));
    changed[32 * 4095] = 255;
    all.push(with(&of_blob, 1, changed.clone()));
    // The points are checked before the blob.
    let bad = with(&of_blob, 1, changed);
    all.push(with(&bad, 0, vec![0; 48]));
    all.push(with(&with(&bad, 3, vec![0; 48]), 0, generator.to_compressed()));
    (all, valid)
}

#[test]
fn openings_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(19);
    let secrets = [secret(&mut random), secret(&mut random)];
    let setups = secrets.map(|tau| Setup::of_tau(Point::<G2>::generator().times(&tau)).unwrap());
    let (openings, valid) = openings(&mut random, secrets[0]);
    let request = |opening: OwnedOpening| OpeningRequest { setup: setups[0].clone(), opening };
    let mut requests: Vec<OpeningRequest> = openings.into_iter().map(request).collect();
    // Another setup.
    for row in [0, 4, 7] {
        requests.push(OpeningRequest { setup: setups[1].clone(), ..requests[row].clone() });
    }
    let scalars = [7, 8, 9].map(Fr::from);
    let opening = opening(secrets[1], scalars);
    requests.insert(valid, OpeningRequest { setup: setups[1].clone(), opening });
    let replies = agree::<VerifyOpeningOnGpu>(&place, VerifyOpening::batch(&requests));
    assert!(replies[..=valid].iter().all(|reply| *reply == Ok(true)), "{:?}", &replies[..=valid]);
    let last = replies.len() - 3;
    // A constant polynomial is the same under each setup.
    assert_eq!(replies[last..], [Ok(false), Ok(true), Ok(true)]);
    for wanted in [
        Ok(false),
        Err(OpeningError::Commitment(PointError::NotOnCurve)),
        Err(OpeningError::Proof(PointError::WrongSubgroup)),
        Err(OpeningError::NotCanonical { name: "z" }),
        Err(OpeningError::NotCanonical { name: "y" }),
        Err(OpeningError::Length { name: "y", expected: 32, got: 31 }),
        Err(OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: 31 }),
        Err(OpeningError::BlobElement { index: 4095 }),
    ] {
        assert!(replies[valid..].contains(&wanted), "{wanted:?}");
    }
    let noise = OwnedOpening::Value {
        commitment: bytes(&mut random, 48),
        z: Vec::new(),
        y: Vec::new(),
        proof: bytes(&mut random, 48),
    };
    let noise = OpeningRequest { setup: setups[0].clone(), opening: noise };
    agree::<VerifyOpeningOnGpu>(&place, VerifyOpening::batch(&[noise][..]));
}
