// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares square roots and decompressed points with blst.

use blst::*;
use halimede_arith::lanes::bls12_381::{Fp, MODULUS};
use halimede_arith::lanes::{Kernel, Lanes, LANES};
use rand::Rng;

use super::super::fp2::Fp2;
use super::super::powers::power;
use super::super::roots::{
    are_negative, kappa, square_roots, uncompress_g1_by, uncompress_g2_by, Two2,
};
use super::super::transfer::{load_fp, load_fp2, store_fp, store_fp2, POINTS_OF_G1};
use super::{all, cases, element, negated, random, Processor};
use crate::lanes::library;
use crate::library::{Curve, G1, G2};

/// Computes powers to (p − 3)/4 of sixteen elements.
struct Powers<'a>(&'a [blst_fp; POINTS_OF_G1]);

impl Kernel for Powers<'_> {
    type Output = Vec<blst_fp>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut a = [Fp::<L, 3>::zero(); 2];
        for (a, elements) in a.iter_mut().zip(self.0.chunks_exact(LANES)) {
            if let [a0, a1, a2, a3, a4, a5, a6, a7] = elements {
                *a = load_fp([a0, a1, a2, a3, a4, a5, a6, a7]);
            }
        }
        power(&a).iter().flat_map(store_fp).collect()
    }
}

/// Computes the roots of sixteen elements of Fp2 that have one.
struct Roots<'a>(&'a [[blst_fp2; LANES]; 2]);

impl Kernel for Roots<'_> {
    type Output = Vec<Option<blst_fp2>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut a: Two2<L> = [Fp2::zero(); 2];
        for (a, elements) in a.iter_mut().zip(self.0) {
            *a = load_fp2(elements.each_ref());
        }
        let (roots, are_roots) = square_roots(&a, &load_fp([kappa(); LANES]));
        let mut results = Vec::new();
        for number in 0..2 {
            let rows = store_fp2(&roots[number]).into_iter().zip(are_negative(are_roots[number]));
            results.extend(rows.map(|(root, is_root)| is_root.then_some(root)));
        }
        results
    }
}

fn product(a: &blst_fp, b: &blst_fp) -> blst_fp {
    let mut result = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst_fp_mul(&mut result, a, b) };
    result
}

#[test]
fn powers_are_reciprocals_of_roots() {
    let mut random = random();
    for _ in 0..cases(2, 200) {
        let elements = [(); POINTS_OF_G1].map(|()| element(&mut random));
        let powers = all(|| Powers(&elements));
        for (element, found) in elements.iter().zip(powers) {
            let mut expected = library::one();
            // (p − 3)/4 is p without its two lowest bits.
            for bit in (2..381).rev() {
                expected = product(&expected, &expected);
                if MODULUS[bit / 64] >> (bit % 64) & 1 == 1 {
                    expected = product(&expected, element);
                }
            }
            assert_eq!(found, expected);
        }
    }
}

/// Returns elements of Fp2 of all kinds: with parts that are 0, 1, −1 and others.
fn elements_of_fp2(random: &mut impl Rng) -> [[blst_fp2; LANES]; 2] {
    [(); 2].map(|()| {
        [(); LANES].map(|()| {
            let mut a = blst_fp2 { fp: [element(random), element(random)] };
            match random.gen_range(0..6) {
                0 => a.fp[0] = blst_fp::default(),
                1 => a.fp[1] = blst_fp::default(),
                2 => {
                    let root = a;
                    // SAFETY: both are valid.
                    unsafe { blst_fp2_sqr(&mut a, &root) };
                }
                _ => {}
            }
            a
        })
    })
}

#[test]
fn roots_of_fp2_are_those_of_squares() {
    let mut random = random();
    for _ in 0..cases(4, 500) {
        let elements = elements_of_fp2(&mut random);
        let roots = all(|| Roots(&elements));
        for (a, root) in elements.as_flattened().iter().zip(roots) {
            let mut expected = blst_fp2::default();
            // SAFETY: both are valid.
            let is_square = unsafe { blst_fp2_sqrt(&mut expected, a) };
            assert_eq!(root.is_some(), is_square, "{a:?}");
            if let Some(root) = root {
                let opposite = blst_fp2 { fp: expected.fp.each_ref().map(negated) };
                assert!(root == expected || root == opposite, "{a:?}");
            }
        }
    }
}

/// Returns the encoding of x; the elements of Fp have the constant term first.
fn encoding(x: &[blst_fp], is_larger: bool) -> Vec<u8> {
    let mut bytes = vec![0; 48 * x.len()];
    for (element, bytes) in x.iter().rev().zip(bytes.chunks_exact_mut(48)) {
        // SAFETY: the element is valid, and the library writes 48 bytes.
        unsafe { blst_bendian_from_fp(bytes.as_mut_ptr(), element) };
    }
    bytes[0] |= if is_larger { 0xa0 } else { 0x80 };
    bytes
}

/// Checks that encodings decompress as in the library, in every lane.
fn compare<C: Curve>(
    encodings: &[Vec<u8>],
    read: impl Fn(&[&[u8]]) -> Vec<Option<C::Affine>>,
) -> usize {
    let encodings: Vec<&[u8]> = encodings.iter().map(Vec::as_slice).collect();
    let expected: Vec<Option<C::Affine>> =
        encodings.iter().map(|bytes| C::uncompress(bytes)).collect();
    let found = read(&encodings);
    assert_eq!(found.len(), expected.len());
    for ((encoding, found), expected) in encodings.iter().zip(found).zip(&expected) {
        assert!(found == *expected, "{}", hex::encode(encoding));
    }
    expected.iter().flatten().count()
}

#[test]
fn points_of_the_curve_are_read_as_by_the_library() {
    let mut random = random();
    let mut edges =
        vec![vec![0; 48], [vec![0; 47], vec![1]].concat(), [vec![0; 47], vec![2]].concat()];
    edges.push(hex::decode("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaa").unwrap());
    for count in [1, 3, 4, 5, 16, 17, cases(40, 10_000)] {
        let encodings: Vec<Vec<u8>> = (0..count)
            .map(|number| {
                // Each edge case occurs in every lane, with either sign.
                let mut bytes = edges
                    .get(number % 17 % 9)
                    .cloned()
                    .unwrap_or_else(|| encoding(&[element(&mut random)], false));
                bytes[0] |= [0x80, 0xa0][usize::from(random.gen::<bool>())];
                bytes
            })
            .collect();
        let points = compare::<G1>(&encodings, |encodings| uncompress_g1_by(&Processor, encodings));
        assert!(count < 16 || (1..count).contains(&points), "{points} of {count}");
    }
    assert!(uncompress_g1_by(&Processor, &[]).is_empty());
}

/// x of points of the twist whose y is 3, 6, 2u and 5u.
const POINTS_WITH_HALF_OF_Y: [[&str; 2]; 4] = [
    [
        "09f1477ff0430ca4808b4b98f3ce959fcb5be667df6ef1073e182a4f887fa0f0b7fdd6105d99e027bba24c6b4e932032",
        "0c2b2b8487f8e8d648e4f7905c0943b14474f62dd4726f98e902923c7fa2518eab1519d0cd9eef39aad762206d086ced",
    ],
    [
        "06e99ef914eed7209b51759c94a6a109ee476e3ca4db49c3182d8d0edf61d6213002db9a55f4b71c1f3be3a372d96323",
        "06ed7257d7405e1ed5c54516c836a4f374fb2dffd1b4e3854ebd0a58f5bd48fb9b07ea16a89d7be9c945a5d6b033a8a5",
    ],
    [
        "06c543499ce9d5f59c6c7c5a392529462a9c9282e21f69657aba6e1270c5fd705c721628b2c1838562dac7e0d653d286",
        "15414f538d4d6ca41391897233e0896e18137560a8f62ed91a8d93548a00eb6e791630f7262344d5f3c6dce86a3de55f",
    ],
    [
        "0b9083c3db4391bea45a8596418fab8f6bca3ca71479c7e061771b35e0ce8c4340c3d97d341aaa7db1771f82963a75bb",
        "11e564ae3f2b18e5603fb786c3423c7aa347b559fc35787d630163ce802f962527c3f9163299c23b599daeeafe84184a",
    ],
];

#[test]
fn points_of_the_twist_are_read_as_by_the_library() {
    let mut random = random();
    for count in [1, 3, 4, 5, 16, 17, cases(40, 10_000)] {
        let encodings: Vec<Vec<u8>> = (0..count)
            .map(|number| {
                let is_larger = random.gen();
                match POINTS_WITH_HALF_OF_Y.get(number % 17 % 9) {
                    Some([real, imaginary]) => {
                        let mut bytes = hex::decode(format!("{imaginary}{real}")).unwrap();
                        bytes[0] |= if is_larger { 0xa0 } else { 0x80 };
                        assert!(G2::uncompress(&bytes).is_some(), "a point of the twist");
                        bytes
                    }
                    None => encoding(&[element(&mut random), element(&mut random)], is_larger),
                }
            })
            .collect();
        let points = compare::<G2>(&encodings, |encodings| uncompress_g2_by(&Processor, encodings));
        assert!(count < 16 || (1..count).contains(&points), "{points} of {count}");
    }
    assert!(uncompress_g2_by(&Processor, &[]).is_empty());
}
