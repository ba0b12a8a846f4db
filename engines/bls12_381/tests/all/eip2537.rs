// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the precompiles with EIP-2537's published cases and text, and with the crate's
//! arithmetic.

use std::path::Path;

use bls12_381::hash_to_curve::{HashToField, MapToCurve};
use bls12_381::{pairing, G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use halimede_bls12_381::eip2537::{Precompile, PrecompileError};
use halimede_bls12_381::{Curve, CurvePoint, PointError, G1, G2};
use proptest::prelude::*;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use sha2::digest::generic_array::GenericArray;

use crate::common::{cases, generator, peer_g1, peer_g2, random_bytes, random_point, stray_point};

const P: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9\
                 feffffffffaaab";
const R: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

/// Pads elements of 48 bytes to 64.
fn padded<'a>(elements: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    elements.flat_map(|element| [&[0; 16], element].concat()).collect()
}

/// Returns the EIP's encoding of an uncompressed point.
fn encode(uncompressed: &[u8], degree: usize) -> Vec<u8> {
    if uncompressed[0] & 0x40 != 0 {
        return vec![0; uncompressed.len() / 48 * 64];
    }
    let elements: Vec<&[u8]> = uncompressed.chunks(48).collect();
    padded(elements.chunks(degree).flat_map(|coordinate| coordinate.iter().rev().copied()))
}

fn of_g1(point: impl Into<G1Affine>) -> Vec<u8> {
    encode(&point.into().to_uncompressed(), 1)
}

fn of_g2(point: impl Into<G2Affine>) -> Vec<u8> {
    encode(&point.into().to_uncompressed(), 2)
}

fn point_of_g1(rng: &mut ChaCha8Rng) -> G1Affine {
    match rng.gen_range(0..5) {
        0 => G1Affine::identity(),
        1 => G1Affine::generator(),
        _ => peer_g1(&random_point(rng)),
    }
}

fn point_of_g2(rng: &mut ChaCha8Rng) -> G2Affine {
    match rng.gen_range(0..5) {
        0 => G2Affine::identity(),
        1 => G2Affine::generator(),
        _ => peer_g2(&random_point(rng)),
    }
}

/// Returns any 32 bytes, often edge cases, and the crate's scalar modulo r.
fn scalar(rng: &mut ChaCha8Rng) -> ([u8; 32], Scalar) {
    let mut bytes = random_bytes::<32>(rng);
    match rng.gen_range(0..6) {
        0 => bytes = [0; 32],
        1 => hex::decode_to_slice(R, &mut bytes).unwrap(),
        2 => {
            hex::decode_to_slice(R, &mut bytes).unwrap();
            bytes[31] = [0, 2, 5][rng.gen_range(0..3)];
        }
        3 => bytes = [0xff; 32],
        _ => {}
    }
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(&bytes);
    wide[..32].reverse();
    (bytes, Scalar::from_bytes_wide(&wide))
}

/// A published case, which succeeds or fails.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Case {
    input: String,
    name: String,
    expected: Option<String>,
    expected_error: Option<String>,
    gas: Option<u64>,
}

/// The file name suffix of each precompile, and the numbers of its succeeding and failing cases.
const FILES: [(&str, Precompile, [usize; 2]); 7] = [
    ("add_G1_bls.json", Precompile::G1Add, [8, 6]),
    ("msm_G1_bls.json", Precompile::G1Msm, [16, 7]),
    ("add_G2_bls.json", Precompile::G2Add, [8, 6]),
    ("msm_G2_bls.json", Precompile::G2Msm, [11, 8]),
    ("pairing_check_bls.json", Precompile::PairingCheck, [12, 22]),
    ("map_fp_to_G1_bls.json", Precompile::MapFpToG1, [5, 5]),
    ("map_fp2_to_G2_bls.json", Precompile::MapFp2ToG2, [5, 5]),
];

/// Returns `true` if the published cases use this name for an error.
fn is_named(error: &PrecompileError, name: &str) -> bool {
    use PointError::{NotOnCurve, WrongSubgroup};
    use PrecompileError as E;
    match (name, error) {
        ("invalid input length", E::Length { .. } | E::NotMultiple { .. })
        | ("invalid field element top bytes", E::Padding { .. })
        | ("invalid fp.Element encoding", E::NotCanonical { .. })
        | ("invalid point: not on curve", E::Point { error: NotOnCurve, .. }) => true,
        (name, E::Point { group, error: WrongSubgroup, .. }) => {
            name.starts_with(&group.to_lowercase()) && name.ends_with("correct subgroup")
        }
        _ => false,
    }
}

/// The EIP's final gas of a case. Its files of additions and of maps to G2 have the gas of an
/// earlier draft.
fn published_gas(precompile: Precompile, in_file: u64) -> u64 {
    match (precompile, in_file) {
        (Precompile::G1Add, 600) => 375,
        (Precompile::G2Add, 800) => 600,
        (Precompile::MapFp2ToG2, 75_000) => 23_800,
        (_, gas) => gas,
    }
}

#[test]
fn the_published_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/eip2537");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2 * FILES.len());
    let mut priced = 0;
    for (file, precompile, counts) in FILES {
        for (start, count) in ["", "fail-"].iter().zip(counts) {
            let text = std::fs::read_to_string(folder.join(format!("{start}{file}"))).unwrap();
            let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
            assert_eq!(cases.len(), count, "{start}{file}");
            for case in cases {
                let input = hex::decode(&case.input).unwrap();
                let output = precompile.run(&input);
                let name = case.name;
                if let Some(gas) = case.gas {
                    assert_eq!(precompile.gas(input.len()), published_gas(precompile, gas));
                    priced += 1;
                }
                match (case.expected, case.expected_error) {
                    (Some(expected), None) => {
                        assert_eq!(output.map(hex::encode), Ok(expected), "{name}");
                    }
                    (None, Some(expected)) => {
                        let error = output.expect_err(&name);
                        assert!(is_named(&error, &expected), "{name}: {error:?}, not {expected}");
                    }
                    _ => panic!("{name} must have an output or an error"),
                }
            }
        }
    }
    assert_eq!(priced, 65);
}

#[test]
fn sums_of_two() {
    let mut rng = generator();
    for _ in 0..cases(60, 10_000) {
        let (p, mut q) = (point_of_g1(&mut rng), point_of_g1(&mut rng));
        if rng.gen_ratio(1, 4) {
            q = if rng.gen() { p } else { -p };
        }
        let output = Precompile::G1Add.run(&[of_g1(p), of_g1(q)].concat());
        assert_eq!(output, Ok(of_g1(G1Projective::from(p) + q)));
        let (p, q) = (point_of_g2(&mut rng), point_of_g2(&mut rng));
        let output = Precompile::G2Add.run(&[of_g2(p), of_g2(q)].concat());
        assert_eq!(output, Ok(of_g2(G2Projective::from(p) + q)));
    }
    // Points outside the groups are added too.
    let (p, q) = (stray_point::<G1>(&mut rng), stray_point::<G1>(&mut rng));
    let peer = |p: &CurvePoint<G1>| {
        G1Affine::from_compressed_unchecked(&p.to_compressed().try_into().unwrap()).unwrap()
    };
    let input = [encode(&p.to_uncompressed(), 1), encode(&q.to_uncompressed(), 1)].concat();
    let expected = of_g1(G1Projective::from(peer(&p)) + peer(&q));
    assert_eq!(Precompile::G1Add.run(&input), Ok(expected));
    // (0, 2) and (0, −2) have order three.
    let (mut p, mut opposite) = (vec![0; 128], vec![0; 128]);
    p[127] = 2;
    hex::decode_to_slice(P, &mut opposite[80..]).unwrap();
    opposite[127] -= 2;
    assert_eq!(Precompile::G1Add.run(&[&p[..], &p].concat()), Ok(opposite.clone()));
    assert_eq!(Precompile::G1Add.run(&[p, opposite].concat()), Ok(vec![0; 128]));
    let p = stray_point::<G2>(&mut rng);
    let doubled = encode(&p.plus(&p).to_uncompressed(), 2);
    let input = encode(&p.to_uncompressed(), 2);
    assert_eq!(Precompile::G2Add.run(&[&input[..], &input].concat()), Ok(doubled));
}

#[test]
fn sums_of_multiples() {
    let mut rng = generator();
    for round in 0..cases(30, 10_000) {
        // A sweep has a thousand rounds with many points.
        let count = [1, 2, 3, 17, 40][round % if round < 1_000 { 5 } else { 3 }];
        let (mut input, mut sum) = (Vec::new(), G1Projective::identity());
        for _ in 0..count {
            let (p, (bytes, scalar)) = (point_of_g1(&mut rng), scalar(&mut rng));
            input.extend([of_g1(p), bytes.to_vec()].concat());
            sum += p * scalar;
        }
        assert_eq!(Precompile::G1Msm.run(&input), Ok(of_g1(sum)));
        let (mut input, mut sum) = (Vec::new(), G2Projective::identity());
        for _ in 0..count {
            let (p, (bytes, scalar)) = (point_of_g2(&mut rng), scalar(&mut rng));
            input.extend([of_g2(p), bytes.to_vec()].concat());
            sum += p * scalar;
        }
        assert_eq!(Precompile::G2Msm.run(&input), Ok(of_g2(sum)));
    }
}

#[test]
fn pairing_checks() {
    let mut rng = generator();
    let mut seen = [0; 2];
    for round in 0..cases(24, 10_000) {
        let (mut input, mut product) = (Vec::new(), bls12_381::Gt::identity());
        for number in 0..round % 4 + 1 {
            let (p, q) = (point_of_g1(&mut rng), point_of_g2(&mut rng));
            input.extend([of_g1(p), of_g2(q)].concat());
            product += pairing(&p, &q);
            if number % 2 == 0 && round % 2 == 0 {
                input.extend([of_g1(-p), of_g2(q)].concat());
                product += pairing(&-p, &q);
            }
        }
        let expected = product == bls12_381::Gt::identity();
        let output = Precompile::PairingCheck.run(&input).unwrap();
        assert_eq!(output.len(), 32);
        assert!(output[..31].iter().all(|byte| *byte == 0) && output[31] == u8::from(expected));
        seen[usize::from(expected)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0);
}

/// Returns the crate's map of an element. The crate reduces the bytes that it reads.
fn peer_map<C: MapToCurve>(elements: &[&[u8; 48]]) -> C {
    let wide = padded(elements.iter().map(|element| &element[..]));
    C::map_to_curve(&C::Field::from_okm(GenericArray::from_slice(&wide))).clear_h()
}

#[test]
fn maps() {
    let mut rng = generator();
    let mut element = |round: usize| {
        let mut bytes = random_bytes::<48>(&mut rng);
        bytes[0] %= 0x1a;
        match round {
            0 => [0; 48],
            1 => {
                let mut p_minus_1 = [0; 48];
                hex::decode_to_slice(P, &mut p_minus_1).unwrap();
                p_minus_1[47] -= 1;
                p_minus_1
            }
            _ => bytes,
        }
    };
    for round in 0..cases(30, 10_000) {
        let (c0, c1) = (element(round), element(round));
        let output = Precompile::MapFpToG1.run(&padded([&c0[..]].into_iter())).unwrap();
        assert_eq!(output, of_g1(peer_map::<G1Projective>(&[&c0])));
        if round == 0 {
            continue; // the crate maps 0 in Fp2 to infinity
        }
        let output = Precompile::MapFp2ToG2.run(&padded([&c0[..], &c1].into_iter())).unwrap();
        assert_eq!(output, of_g2(peer_map::<G2Projective>(&[&c0, &c1])));
    }
}

/// x of the map of 0 in Fp2, computed with plain big integers by RFC 9380: the curve of section
/// 8.8.2, and the isogeny with the kernel of x = −6 + 6u, by Vélu's formulas.
#[test]
fn the_map_of_zero() {
    let expected = [
        "018320896ec9eef9d5e619848dc29ce266f413d02dd31d9b9d44ec0c79cd61f18b075ddba6d7bd20b7ff27a4b3\
         24bfce",
        "0a67d12118b5a35bb02d2e86b3ebfa7e23410db93de39fb06d7025fa95e96ffa428a7a27c3ae4dd4b40bd251ac\
         658892",
    ];
    let output = Precompile::MapFp2ToG2.run(&[0; 128]).unwrap();
    assert_eq!(
        output[..128],
        padded(expected.map(|text| hex::decode(text).unwrap()).iter().map(|x| &x[..]))
    );
    let one = [&[0; 31][..], &[1]].concat();
    assert_eq!(Precompile::G2Msm.run(&[&output[..], &one].concat()), Ok(output));
}

/// Returns a valid input of each precompile: two points, two items, or an element.
fn good_input(precompile: Precompile, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let (p1, p2) = (peer_g1(&random_point(rng)), peer_g1(&random_point(rng)));
    let (q1, q2) = (peer_g2(&random_point(rng)), peer_g2(&random_point(rng)));
    let [k1, k2] = [random_bytes::<32>(rng).to_vec(), random_bytes::<32>(rng).to_vec()];
    match precompile {
        Precompile::G1Add => [of_g1(p1), of_g1(p2)].concat(),
        Precompile::G1Msm => [of_g1(p1), k1, of_g1(p2), k2].concat(),
        Precompile::G2Add => [of_g2(q1), of_g2(q2)].concat(),
        Precompile::G2Msm => [of_g2(q1), k1, of_g2(q2), k2].concat(),
        Precompile::PairingCheck => [of_g1(p1), of_g2(q1), of_g1(p2), of_g2(q2)].concat(),
        Precompile::MapFpToG1 => vec![0; 64],
        Precompile::MapFp2ToG2 => vec![0; 128],
    }
}

#[test]
fn lengths() {
    let mut rng = generator();
    for precompile in Precompile::ALL {
        let good = good_input(precompile, &mut rng);
        assert!(precompile.run(&good).is_ok());
        // The length of an item, if there may be several.
        let unit = match precompile {
            Precompile::G1Msm => Some(160),
            Precompile::G2Msm => Some(288),
            Precompile::PairingCheck => Some(384),
            _ => None,
        };
        for got in [0, 1, 31, 32, good.len() - 1, good.len() + 1, good.len() / 2, good.len() * 2] {
            let input: Vec<u8> = good.iter().chain(&good).copied().take(got).collect();
            let expected = match unit {
                Some(unit) if got > 0 && got % unit == 0 => {
                    assert!(precompile.run(&input).is_ok());
                    continue;
                }
                Some(unit) => PrecompileError::NotMultiple { unit, got },
                None => PrecompileError::Length { expected: good.len(), got },
            };
            assert_eq!(precompile.run(&input), Err(expected), "{precompile:?}");
        }
    }
}

#[test]
fn elements_out_of_range_and_bad_padding() {
    let mut rng = generator();
    for precompile in Precompile::ALL {
        let good = good_input(precompile, &mut rng);
        let unit = if matches!(precompile, Precompile::G1Msm) { 160 } else { 288 };
        let is_scalar = |offset: usize| match precompile {
            Precompile::G1Msm | Precompile::G2Msm => offset % unit + 64 > unit - 32,
            _ => false,
        };
        let elements = (0..good.len()).step_by(32).filter(|offset| match precompile {
            Precompile::G1Msm | Precompile::G2Msm => offset % unit % 64 == 0,
            _ => offset % 64 == 0,
        });
        for offset in elements.filter(|offset| !is_scalar(*offset)) {
            for place in [0, 7, 15] {
                let mut input = good.clone();
                input[offset + place] = 1;
                assert_eq!(precompile.run(&input), Err(PrecompileError::Padding { offset }));
            }
            let mut input = good.clone();
            hex::decode_to_slice(P, &mut input[offset + 16..][..48]).unwrap();
            assert_eq!(precompile.run(&input), Err(PrecompileError::NotCanonical { offset }));
            input[offset + 16..][..48].fill(0xff);
            assert_eq!(precompile.run(&input), Err(PrecompileError::NotCanonical { offset }));
        }
    }
}

#[test]
fn points_off_the_curve_and_outside_the_groups() {
    let mut rng = generator();
    for precompile in Precompile::ALL {
        let good = good_input(precompile, &mut rng);
        let (first, second): ((&str, usize), (&str, usize)) = match precompile {
            Precompile::G1Add => (("G1", 0), ("G1", 128)),
            Precompile::G1Msm => (("G1", 0), ("G1", 160)),
            Precompile::G2Add => (("G2", 0), ("G2", 256)),
            Precompile::G2Msm => (("G2", 0), ("G2", 288)),
            Precompile::PairingCheck => (("G1", 384), ("G2", 512)),
            Precompile::MapFpToG1 | Precompile::MapFp2ToG2 => continue,
        };
        for (group, offset) in [first, second] {
            let group = if group == "G1" { G1::NAME } else { G2::NAME };
            let (degree, stray) = match group {
                "G1" => (1, stray_point::<G1>(&mut rng).to_uncompressed()),
                _ => (2, stray_point::<G2>(&mut rng).to_uncompressed()),
            };
            let mut input = good.clone();
            // y + 1, or the point (0, 1).
            input[offset + 128 * degree - 1] ^= 1;
            let error = PointError::NotOnCurve;
            let expected = Err(PrecompileError::Point { group, offset, error });
            assert_eq!(precompile.run(&input), expected);
            input[offset..][..128 * degree].fill(0);
            input[offset + 128 * degree - 1] = 1;
            assert_eq!(precompile.run(&input), expected);
            input[offset..][..128 * degree].copy_from_slice(&encode(&stray, degree));
            let error = PointError::WrongSubgroup;
            let takes_any = matches!(precompile, Precompile::G1Add | Precompile::G2Add);
            match takes_any {
                true => assert!(precompile.run(&input).is_ok()),
                false => {
                    let expected = Err(PrecompileError::Point { group, offset, error });
                    assert_eq!(precompile.run(&input), expected);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn mutated_inputs_are_answered(
        number in 0usize..7,
        seed in any::<u64>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut rng = rand::SeedableRng::seed_from_u64(seed);
        let precompile = Precompile::ALL[number];
        let mut input = good_input(precompile, &mut rng);
        for (place, byte) in changes {
            let place = place.index(input.len());
            input[place] = byte;
        }
        if let Some(cut) = cut {
            input.truncate(cut.index(input.len()));
        }
        let _ = precompile.run(&input);
        let _ = precompile.run(&input.repeat(2));
    }
}
