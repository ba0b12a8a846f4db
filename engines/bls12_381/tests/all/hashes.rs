// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks RFC 9380's vectors, and compares hashes of random messages with the crate's.

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective};
use halimede_bls12_381::hash::{
    all_to_curve, encode_to_curve, hash_to_curve, map_to_curve, HashError,
};
use halimede_bls12_381::{Curve, G1, G2};
use rand::{Rng, RngCore};
use serde::Deserialize;
use sha2::Sha256;

use crate::common::{cases, generator};

#[derive(Deserialize)]
struct Suite {
    dst: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(rename = "P")]
    point: Coordinates,
    msg: String,
    u: Vec<String>,
}

#[derive(Deserialize)]
struct Coordinates {
    x: String,
    y: String,
}

/// Decodes elements of Fp, constant term first, as in the vectors.
fn elements(text: &str) -> Vec<u8> {
    text.split(',').flat_map(|part| hex::decode(&part[2..]).unwrap()).collect()
}

/// Returns the uncompressed encoding, in which the constant term comes last.
fn encoded(point: &Coordinates) -> Vec<u8> {
    let reversed = |text: &str| -> Vec<u8> {
        text.rsplit(',').flat_map(|part| hex::decode(&part[2..]).unwrap()).collect()
    };
    [reversed(&point.x), reversed(&point.y)].concat()
}

fn suite<C: Curve>(random_oracle: bool, json: &str) {
    let suite: Suite = serde_json::from_str(json).unwrap();
    assert_eq!(suite.vectors.len(), 5);
    if random_oracle {
        // Each vector occurs at every position of a batch.
        let vectors: Vec<&Vector> = suite.vectors.iter().cycle().take(83).collect();
        let messages: Vec<&[u8]> = vectors.iter().map(|vector| vector.msg.as_bytes()).collect();
        let points = all_to_curve::<C>(suite.dst.as_bytes(), &messages).unwrap();
        assert_eq!(points.len(), vectors.len());
        for (vector, point) in vectors.iter().zip(points) {
            assert_eq!(point.to_uncompressed(), encoded(&vector.point));
        }
    }
    for vector in suite.vectors {
        let (domain, message) = (suite.dst.as_bytes(), vector.msg.as_bytes());
        let mapped = vector.u.iter().map(|u| map_to_curve::<C>(&elements(u)).unwrap());
        let point = match random_oracle {
            true => hash_to_curve::<C>(domain, message),
            false => encode_to_curve::<C>(domain, message),
        };
        assert_eq!(point.unwrap().to_uncompressed(), encoded(&vector.point));
        let sum = mapped.reduce(|p, q| p.plus(&q)).unwrap();
        assert_eq!(sum.to_uncompressed(), encoded(&vector.point));
    }
}

#[test]
fn published_hashes() {
    suite::<G1>(true, include_str!("../../vectors/h2c/g1_ro.json"));
    suite::<G1>(false, include_str!("../../vectors/h2c/g1_nu.json"));
    suite::<G2>(true, include_str!("../../vectors/h2c/g2_ro.json"));
    suite::<G2>(false, include_str!("../../vectors/h2c/g2_nu.json"));
}

#[test]
fn random_hashes_are_the_crates() {
    let mut rng = generator();
    for _ in 0..cases(60, 10_000) {
        let mut bytes = vec![0; rng.gen_range(1..600)];
        rng.fill_bytes(&mut bytes);
        let (domain, message) = bytes.split_at(rng.gen_range(1..=bytes.len()));
        type Xmd = ExpandMsgXmd<Sha256>;
        let g1 = [
            <G1Projective as HashToCurve<Xmd>>::hash_to_curve([message], domain),
            <G1Projective as HashToCurve<Xmd>>::encode_to_curve([message], domain),
        ];
        let ours = [
            hash_to_curve::<G1>(domain, message).unwrap(),
            encode_to_curve::<G1>(domain, message).unwrap(),
        ];
        let bytes = g1.map(|point| G1Affine::from(point).to_compressed().to_vec());
        assert_eq!(ours.map(|point| point.to_compressed()), bytes);
        let g2 = [
            <G2Projective as HashToCurve<Xmd>>::hash_to_curve([message], domain),
            <G2Projective as HashToCurve<Xmd>>::encode_to_curve([message], domain),
        ];
        let ours = [
            hash_to_curve::<G2>(domain, message).unwrap(),
            encode_to_curve::<G2>(domain, message).unwrap(),
        ];
        let bytes = g2.map(|point| G2Affine::from(point).to_compressed().to_vec());
        assert_eq!(ours.map(|point| point.to_compressed()), bytes);
    }
}

#[test]
fn what_cannot_be_hashed_is_refused() {
    assert_eq!(hash_to_curve::<G1>(b"", b"message").unwrap_err(), HashError::EmptyDomain);
    assert_eq!(encode_to_curve::<G2>(b"", b"message").unwrap_err(), HashError::EmptyDomain);
    assert_eq!(all_to_curve::<G2>(b"", &[]).unwrap_err(), HashError::EmptyDomain);
    assert_eq!(all_to_curve::<G2>(b"d", &[]).unwrap(), []);
    for (length, is_g1, is_g2) in [
        (0, false, false),
        (47, false, false),
        (48, true, false),
        (49, false, false),
        (96, false, true),
        (144, false, false),
    ] {
        assert_eq!(map_to_curve::<G1>(&vec![5; length]).is_ok(), is_g1, "{length}");
        assert_eq!(map_to_curve::<G2>(&vec![5; length]).is_ok(), is_g2, "{length}");
    }
    let mut element = [5; 96];
    element[48] = 0xff;
    let error = map_to_curve::<G2>(&element).unwrap_err();
    assert_eq!(error, HashError::NotCanonical { element: 1 });
}
