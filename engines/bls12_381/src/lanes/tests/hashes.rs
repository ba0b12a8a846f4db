// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares maps and hashes to the groups with blst.

use blst::*;
use halimede_arith::lanes::LANES;
use rand::Rng;

use super::super::groups::psi;
use super::super::hashes::{hashes_g1_by, hashes_g2_by, HashG1, HashG2, Numbers};
use super::super::isogenies::{isogeny_to_e1, isogeny_to_e2};
use super::super::maps::{map_to_e1, map_to_e2};
use super::super::transfer::POINTS_OF_G1;
use super::{all, cases, element, negated, random, Processor};
use crate::lanes::library;
use crate::library::{Curve, G1, G2};

/// Returns the element as 64 big-endian bytes.
fn bytes(element: &blst_fp) -> [u8; 64] {
    let mut bytes = [0; 64];
    // SAFETY: the element is valid, and the library writes 48 bytes.
    unsafe { blst_bendian_from_fp(bytes[16..].as_mut_ptr(), element) };
    bytes
}

/// Returns a root of −1/11, for which the denominator of the map to E1' is 0.
fn exceptional() -> blst_fp {
    let root = library::root_of_minus(11);
    let (inverse, mut product) = (library::inverse(&root), blst_fp::default());
    // SAFETY: all are valid.
    unsafe {
        blst_fp_sqr(&mut product, &inverse);
        let eleven = library::of_words(&[0, 0, 0, 0, 0, 11]);
        let square = product;
        blst_fp_mul(&mut product, &square, &eleven);
    }
    assert_eq!(product, negated(&library::one()));
    inverse
}

#[test]
fn maps_to_g1_are_the_librarys() {
    let mut random = random();
    for round in 0..cases(3, 300) {
        let mut pairs = [[blst_fp::default(); 2]; POINTS_OF_G1];
        for (place, pair) in pairs.iter_mut().enumerate() {
            *pair = [element(&mut random), element(&mut random)];
            match (place + round) % 16 {
                0 => pair[0] = exceptional(),
                1 => pair[1] = negated(&exceptional()),
                2 => pair[1] = pair[0],
                3 => pair[1] = negated(&pair[0]),
                4 => pair[0] = blst_fp::default(),
                5 => *pair = [blst_fp::default(); 2],
                _ => {}
            }
        }
        let mut elements = [[Numbers::ZERO; 2]; 2];
        for (place, pair) in pairs.iter().enumerate() {
            for (elements, u) in elements.iter_mut().zip(pair) {
                elements[place / LANES].set(place % LANES, &bytes(u));
            }
        }
        let (map, isogeny) = (map_to_e1(), isogeny_to_e1());
        let points = all(|| HashG1 { elements: &elements, map, isogeny });
        for (place, ([u, v], point)) in pairs.iter().zip(&points).enumerate() {
            let mut expected = blst_p1::default();
            // SAFETY: all are valid.
            let is_equal = unsafe {
                blst_map_to_g1(&mut expected, u, v);
                blst_p1_is_equal(point, &expected)
            };
            let is_unknown = point.z == blst_fp::default();
            assert!(is_equal || is_unknown, "{u:?} {v:?} in {place}");
            let has_one_x = |u: &blst_fp| {
                *u == blst_fp::default() || *u == exceptional() || *u == negated(&exceptional())
            };
            let is_same_x = *u == *v || *u == negated(v) || has_one_x(u) && has_one_x(v);
            assert_eq!(is_unknown, is_same_x, "{u:?} {v:?} in {place}");
        }
    }
}

#[test]
fn maps_to_g2_are_the_librarys() {
    let mut random = random();
    let mut element_of_fp2 = || {
        let mut u = blst_fp2 { fp: [element(&mut random), element(&mut random)] };
        match random.gen_range(0..6) {
            0 => u.fp[0] = blst_fp::default(),
            1 => u.fp[1] = blst_fp::default(),
            _ => {}
        }
        u
    };
    let opposite = |u: &blst_fp2| blst_fp2 { fp: u.fp.each_ref().map(negated) };
    for round in 0..cases(4, 600) {
        let mut pairs = [[blst_fp2::default(); 2]; LANES];
        for (place, pair) in pairs.iter_mut().enumerate() {
            *pair = [element_of_fp2(), element_of_fp2()];
            match (place + round) % 8 {
                0 => pair[1] = pair[0],
                1 => pair[1] = opposite(&pair[0]),
                2 => pair[0] = blst_fp2::default(),
                3 => *pair = [blst_fp2::default(); 2],
                _ => {}
            }
        }
        let mut elements = [[Numbers::ZERO; 2]; 2];
        for (lane, pair) in pairs.iter().enumerate() {
            for (elements, u) in elements.iter_mut().zip(pair) {
                for (numbers, part) in elements.iter_mut().zip(&u.fp) {
                    numbers.set(lane, &bytes(part));
                }
            }
        }
        let (map, isogeny) = (map_to_e2(), isogeny_to_e2());
        let points = all(|| HashG2 { elements: &elements, map, isogeny, psi: psi() });
        for (lane, ([u, v], point)) in pairs.iter().zip(&points).enumerate() {
            let mut expected = blst_p2::default();
            // SAFETY: all are valid.
            let is_equal = unsafe {
                blst_map_to_g2(&mut expected, u, v);
                blst_p2_is_equal(point, &expected)
            };
            let is_unknown = point.z == blst_fp2::default();
            assert!(is_equal || is_unknown, "{u:?} {v:?} in {lane}");
            assert_eq!(is_unknown, *u == *v || *u == opposite(v), "{u:?} {v:?} in {lane}");
        }
    }
}

/// Returns messages with lengths that end at every position of a block, with or without prefixes.
fn messages(count: usize, random: &mut impl Rng) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut bytes = |length: usize| (0..length).map(|_| random.gen()).collect::<Vec<u8>>();
    (0..count).map(|number| (bytes([0, 48, 96][number % 3]), bytes(number * 7 % 150))).collect()
}

#[test]
fn hashes_equal_the_librarys() {
    let mut random = random();
    let long = [b'd'; 300];
    for (count, domain) in [
        (1, &b"QUUX"[..]),
        (2, b"d"),
        (3, &long),
        (8, b"QUUX-V01"),
        (9, b"x"),
        (cases(18, 3_000), b"long"),
    ] {
        let messages = messages(count, &mut random);
        let messages: Vec<(&[u8], &[u8])> =
            messages.iter().map(|(prefix, message)| (&prefix[..], &message[..])).collect();
        let expected: Vec<blst_p1> =
            messages.iter().map(|(prefix, message)| G1::hash(domain, prefix, message)).collect();
        let found = hashes_g1_by(&Processor, domain, &messages);
        assert_eq!(G1::to_affine(&found), G1::to_affine(&expected), "{count} messages");
        let expected: Vec<blst_p2> =
            messages.iter().map(|(prefix, message)| G2::hash(domain, prefix, message)).collect();
        let found = hashes_g2_by(&Processor, domain, &messages);
        assert_eq!(G2::to_affine(&found), G2::to_affine(&expected), "{count} messages");
    }
    assert!(hashes_g1_by(&Processor, b"d", &[]).is_empty());
    assert!(hashes_g2_by(&Processor, b"d", &[]).is_empty());
}

/// Checks RFC 9380's vectors in every lane. The vectors have the constant term first, encodings
/// last.
fn published<C: Curve>(json: &str, hashes: impl Fn(&[u8], &[(&[u8], &[u8])]) -> Vec<C::Jacobian>) {
    let suite: serde_json::Value = serde_json::from_str(json).unwrap();
    let vectors = suite["vectors"].as_array().unwrap();
    let rows: Vec<&serde_json::Value> = vectors.iter().cycle().take(17).collect();
    let messages: Vec<(&[u8], &[u8])> =
        rows.iter().map(|row| (&[][..], row["msg"].as_str().unwrap().as_bytes())).collect();
    let points = C::to_affine(&hashes(suite["dst"].as_str().unwrap().as_bytes(), &messages));
    assert_eq!((vectors.len(), points.len()), (5, 17));
    for (row, point) in rows.iter().zip(&points) {
        let reversed = |name: &str| -> Vec<u8> {
            let parts = row["P"][name].as_str().unwrap().rsplit(',');
            parts.flat_map(|part| hex::decode(&part[2..]).unwrap()).collect()
        };
        assert_eq!(C::serialize(point), [reversed("x"), reversed("y")].concat());
    }
}

#[test]
fn published_hashes_in_lanes() {
    published::<G1>(include_str!("../../../vectors/h2c/g1_ro.json"), |domain, messages| {
        hashes_g1_by(&Processor, domain, messages)
    });
    published::<G2>(include_str!("../../../vectors/h2c/g2_ro.json"), |domain, messages| {
        hashes_g2_by(&Processor, domain, messages)
    });
}
