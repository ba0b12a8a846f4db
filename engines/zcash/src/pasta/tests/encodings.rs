// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodings of points, valid ones and others.

use super::*;

/// Returns encodings: canonical or not, of both signs, with x at the edges of the field.
fn encodings<M: Reference>() -> Vec<[u8; 32]> {
    let bytes = |limbs: [u64; 4]| {
        let mut bytes = [0; 32];
        for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        bytes
    };
    let p = M::VALUE;
    let mut all: Vec<[u8; 32]> = (0..40).map(|x| bytes([x, 0, 0, 0])).collect();
    for offset in 0..24u64 {
        all.push(bytes([p[0] - 1 + offset, p[1], p[2], p[3]]));
        all.push(bytes([p[0] - 1 - offset, p[1], p[2], p[3]]));
    }
    all.push([0xff; 32]);
    all.push(bytes([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]));
    let mut random = random(0xc0de);
    all.extend((0..120).map(|_| random.gen::<[u8; 32]>()));
    all.extend((0..40).map(|_| point::<M>(&mut random).to_bytes()));
    let flipped = all.clone().into_iter().map(|mut bytes| {
        bytes[31] ^= 0x80;
        bytes
    });
    all.extend(flipped);
    all
}

fn check_encodings<M: Reference>() {
    let encodings = encodings::<M>();
    let mut points = 0;
    for machine in machines() {
        let decoded = decode::<M>(machine, &encodings).unwrap();
        for (encoding, got) in encodings.iter().zip(decoded) {
            let expected: Option<M::Curve> = M::Curve::from_bytes(encoding).into();
            let expected = expected.map(|point| affine::<M>(&point));
            match got {
                Decoded::Invalid => assert_eq!(expected, None, "{encoding:x?}, {machine:?}"),
                Decoded::Identity => assert_eq!(expected, Some(None), "{encoding:x?}"),
                Decoded::Point(point) => {
                    assert_eq!(expected, Some(Some(point)), "{encoding:x?}, {machine:?}");
                    assert_eq!(encode(Some(&point)), *encoding);
                    points += 1;
                }
            }
        }
    }
    assert!(points > 200, "{points}");
    assert_eq!(encode::<M>(None), [0; 32]);
}

#[test]
fn points_of_pallas_are_those_of_the_reference() {
    check_encodings::<PallasBase>();
}

#[test]
fn points_of_vesta_are_those_of_the_reference() {
    check_encodings::<VestaBase>();
}

#[test]
fn any_number_of_encodings_is_decoded() {
    for machine in machines() {
        for count in [0, 1, 15, 16, 17] {
            let zeros = vec![[0; 32]; count];
            let decoded = decode::<VestaBase>(machine, &zeros).unwrap();
            assert_eq!(decoded, vec![Decoded::Identity; count]);
        }
    }
}
