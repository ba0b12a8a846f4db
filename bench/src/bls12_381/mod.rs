// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS12-381: fields, Miller loops, final exponentiations, pairings, subgroup checks, multiples and
//! their sums, decodings and hashes in lanes, against blst one at a time; batches of signatures.

pub mod card;
mod signatures;
mod sums;

use std::hint::black_box;
use std::sync::Arc;

use blst::{
    blst_final_exp, blst_fp, blst_fp12, blst_fp12_cyclotomic_sqr, blst_fp12_mul, blst_fp12_one,
    blst_fp12_sqr, blst_fp_mul, blst_hash_to_g1, blst_hash_to_g2, blst_miller_loop,
    blst_miller_loop_n, blst_p1, blst_p1_affine, blst_p1_affine_compress, blst_p1_affine_in_g1,
    blst_p1_from_affine, blst_p1_generator, blst_p1_is_equal, blst_p1_mult, blst_p1_to_affine,
    blst_p1_uncompress, blst_p2, blst_p2_affine, blst_p2_affine_compress, blst_p2_affine_in_g2,
    blst_p2_from_affine, blst_p2_generator, blst_p2_is_equal, blst_p2_mult, blst_p2_to_affine,
    blst_p2_uncompress,
};
use halimede_arith::Backend;
use halimede_bls12_381::lanes::repeated::{self, Operation, FP_ELEMENTS};
use halimede_bls12_381::lanes::{self, Pair};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::comparison::Comparison;

const PEER: &str = "blst 0.3";

/// The domain separation tag of hashes.
const DOMAIN: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/// The number of field operations of a call.
const TIMES: u32 = 64;

/// Pairs of random points of the groups.
fn random_pairs(count: usize) -> Vec<Pair> {
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let mut pair = || {
        let (a, b): ([u8; 32], [u8; 32]) = (random.gen(), random.gen());
        let (mut p, mut q) = (blst_p1::default(), blst_p2::default());
        let mut pair = Pair::default();
        // SAFETY: all are valid, and a scalar of 255 bits has 32 bytes.
        unsafe {
            blst_p1_mult(&mut p, blst_p1_generator(), a.as_ptr(), 255);
            blst_p2_mult(&mut q, blst_p2_generator(), b.as_ptr(), 255);
            blst_p1_to_affine(&mut pair.0, &p);
            blst_p2_to_affine(&mut pair.1, &q);
        }
        pair
    };
    (0..count).map(|_| pair()).collect()
}

fn miller_loop((p, q): &Pair) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: all are valid.
    unsafe { blst_miller_loop(&mut result, q, p) };
    result
}

fn final_exponentiation(number: &blst_fp12) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: both are valid.
    unsafe { blst_final_exp(&mut result, number) };
    result
}

fn pairing(pair: &Pair) -> blst_fp12 {
    final_exponentiation(&miller_loop(pair))
}

/// Returns `true` if the product of the pairings is 1, by one Miller loop of all pairs.
fn is_one(pairs: &[Pair]) -> bool {
    let ps: Vec<*const blst_p1_affine> =
        pairs.iter().map(|pair| std::ptr::from_ref(&pair.0)).collect();
    let qs: Vec<*const blst_p2_affine> =
        pairs.iter().map(|pair| std::ptr::from_ref(&pair.1)).collect();
    let mut product = blst_fp12::default();
    // SAFETY: both lists have `pairs.len()` valid pointers; 1 is a constant.
    unsafe {
        blst_miller_loop_n(&mut product, qs.as_ptr(), ps.as_ptr(), pairs.len());
        final_exponentiation(&product) == *blst_fp12_one()
    }
}

/// A case of `units` units, with the target ratio for full lanes.
fn case(
    name: String,
    units: usize,
    aim: Option<f64>,
    ours: impl FnMut() + 'static,
    theirs: impl FnMut() + 'static,
) -> Comparison {
    in_lanes("bls12-381", PEER, (name, units, aim), ours, theirs)
}

/// A case of an engine against a peer on one thread: its name, the units of a call, and the target
/// ratio on processors with lanes.
pub(crate) fn in_lanes(
    engine: &'static str,
    peer: &'static str,
    (case, units_a_call, aim): (String, usize, Option<f64>),
    ours: impl FnMut() + 'static,
    theirs: impl FnMut() + 'static,
) -> Comparison {
    let has_lanes = Backend::active() == Backend::Avx512Ifma;
    Comparison {
        engine,
        case,
        threads: 1,
        units_a_call,
        unit: "us/item",
        unit_ns: 1000.0,
        backend: Backend::active().name(),
        ours: Box::new(ours),
        peer,
        theirs: Some(Box::new(theirs)),
        theirs_factor: 1.0,
        aim: aim.filter(|_| has_lanes),
    }
}

/// Products of Fp and operations of Fp12, if this processor has lanes for them.
fn fields(comparisons: &mut Vec<Comparison>) {
    let pairs = random_pairs(8);
    let mut elements = [blst_fp::default(); FP_ELEMENTS];
    for (number, element) in elements.iter_mut().enumerate() {
        *element = pairs[number % 8].0.x;
    }
    let factor = pairs[0].0.y;
    if repeated::fp_powers(&elements, &factor, 1).is_none() {
        return;
    }
    comparisons.push(case(
        "fp-product".into(),
        FP_ELEMENTS * TIMES as usize,
        None,
        move || {
            black_box(repeated::fp_powers(black_box(&elements), &factor, TIMES));
        },
        move || {
            let mut products = black_box(elements);
            for _ in 0..TIMES {
                for product in &mut products {
                    let a = *product;
                    // SAFETY: all are valid.
                    unsafe { blst_fp_mul(product, &a, &factor) };
                }
            }
            black_box(products);
        },
    ));
    let mut numbers = [blst_fp12::default(); 8];
    for (number, pair) in numbers.iter_mut().zip(&pairs) {
        *number = pairing(pair);
    }
    for (name, operation) in [
        ("fp12-product", Operation::Product),
        ("fp12-square", Operation::Square),
        ("fp12-cyclotomic-square", Operation::CyclotomicSquare),
    ] {
        comparisons.push(case(
            name.into(),
            8 * TIMES as usize,
            None,
            move || {
                let numbers = [black_box(&numbers); 2];
                black_box(repeated::fp12_operations(operation, numbers, TIMES));
            },
            move || {
                for number in black_box(&numbers) {
                    black_box(repeat_by_library(operation, number));
                }
            },
        ));
    }
}

/// Repeats the operation by the library, as often as in a call.
fn repeat_by_library(operation: Operation, number: &blst_fp12) -> blst_fp12 {
    let mut result = *number;
    for _ in 0..TIMES {
        let a = result;
        // SAFETY: all are valid.
        unsafe {
            match operation {
                Operation::Product => blst_fp12_mul(&mut result, &a, number),
                Operation::Square => blst_fp12_sqr(&mut result, &a),
                Operation::CyclotomicSquare => blst_fp12_cyclotomic_sqr(&mut result, &a),
            }
        }
    }
    result
}

/// Separate Miller loops and final exponentiations.
fn parts(comparisons: &mut Vec<Comparison>) {
    let pairs = Arc::new(random_pairs(64));
    let theirs = Arc::clone(&pairs);
    let numbers: Arc<Vec<blst_fp12>> = Arc::new(pairs.iter().map(miller_loop).collect());
    comparisons.push(case(
        "miller-loop-64".into(),
        64,
        None,
        move || {
            let lists: Vec<&[Pair]> = pairs.iter().map(std::slice::from_ref).collect();
            black_box(lanes::miller_products(black_box(&lists)));
        },
        move || {
            for pair in black_box(&*theirs) {
                black_box(miller_loop(pair));
            }
        },
    ));
    let theirs = Arc::clone(&numbers);
    comparisons.push(case(
        "final-exponentiation-64".into(),
        64,
        None,
        move || {
            black_box(lanes::final_exponentiations(black_box(&numbers)));
        },
        move || {
            for number in black_box(&*theirs) {
                black_box(final_exponentiation(number));
            }
        },
    ));
}

/// Independent pairings, and products of pairings that are compared with 1.
fn pairings(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for batch in [1, 2, 3, 8, 64, 1024] {
        let pairs = Arc::new(random_pairs(batch));
        let (theirs, name) = (Arc::clone(&pairs), format!("pairing-{batch}"));
        if lanes::pairings(&pairs) != pairs.iter().map(pairing).collect::<Vec<_>>() {
            return Err(format!("{name}: the values differ"));
        }
        comparisons.push(case(
            name,
            batch,
            Some(if batch >= 64 { 4.5 } else { 0.97 }),
            move || {
                black_box(lanes::pairings(black_box(&pairs)));
            },
            move || {
                for pair in black_box(&*theirs) {
                    black_box(pairing(pair));
                }
            },
        ));
    }
    for batch in [2, 8, 16, 128, 1024] {
        let mut pairs = random_pairs(batch);
        let name = format!("multi-pairing-{batch}");
        // The products of half the pairs and of their opposites are 1.
        for number in 0..batch / 2 {
            pairs[batch / 2 + number] = pairs[number];
            let y = std::ptr::from_mut(&mut pairs[batch / 2 + number].0.y);
            // SAFETY: it is valid; the library negates in place.
            unsafe { blst::blst_fp_cneg(y, y, true) };
        }
        if !lanes::multi_pairing_check(&pairs) || !is_one(&pairs) {
            return Err(format!("{name}: the product is not 1"));
        }
        let (pairs, theirs) = (Arc::new(pairs.clone()), Arc::new(pairs));
        comparisons.push(case(
            name,
            batch,
            if batch >= 1024 { Some(5.0) } else { Some(0.97) },
            move || {
                black_box(lanes::multi_pairing_check(black_box(&pairs)));
            },
            move || {
                black_box(is_one(black_box(&theirs)));
            },
        ));
    }
    Ok(())
}

/// Checks that points are in the groups.
fn groups(comparisons: &mut Vec<Comparison>) {
    for batch in [1, 64, 1024] {
        let (ps, qs): (Vec<blst_p1_affine>, Vec<blst_p2_affine>) =
            random_pairs(batch).into_iter().unzip();
        let (ps, qs) = (Arc::new(ps), Arc::new(qs));
        let (their_ps, their_qs) = (Arc::clone(&ps), Arc::clone(&qs));
        comparisons.push(case(
            format!("in-g1-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::in_g1(black_box(&ps)));
            },
            move || {
                for point in black_box(&*their_ps) {
                    // SAFETY: it is valid.
                    black_box(unsafe { blst_p1_affine_in_g1(point) });
                }
            },
        ));
        comparisons.push(case(
            format!("in-g2-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::in_g2(black_box(&qs)));
            },
            move || {
                for point in black_box(&*their_qs) {
                    // SAFETY: it is valid.
                    black_box(unsafe { blst_p2_affine_in_g2(point) });
                }
            },
        ));
    }
}

/// Points times numbers of 128 bits, with a separate number for each point.
fn multiples(comparisons: &mut Vec<Comparison>) {
    for batch in [1, 64, 1024] {
        let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
        let numbers: Vec<u128> = (0..batch).map(|_| random.gen()).collect();
        let (ps, qs): (Vec<blst_p1_affine>, Vec<blst_p2_affine>) =
            random_pairs(batch).into_iter().unzip();
        let (numbers, ps, qs) = (Arc::new(numbers), Arc::new(ps), Arc::new(qs));
        let (their_ps, their_numbers) = (Arc::clone(&ps), Arc::clone(&numbers));
        let our_numbers = Arc::clone(&numbers);
        comparisons.push(case(
            format!("multiples-g1-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::multiples_g1(black_box(&ps), &our_numbers));
            },
            move || {
                for (point, number) in black_box(&*their_ps).iter().zip(&*their_numbers) {
                    let (mut p, mut result) = (blst_p1::default(), blst_p1::default());
                    // SAFETY: all are valid, and a scalar of 128 bits has 16 bytes.
                    unsafe {
                        blst_p1_from_affine(&mut p, point);
                        blst_p1_mult(&mut result, &p, number.to_le_bytes().as_ptr(), 128);
                    }
                    black_box(result);
                }
            },
        ));
        let (their_qs, their_numbers) = (Arc::clone(&qs), Arc::clone(&numbers));
        comparisons.push(case(
            format!("multiples-g2-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::multiples_g2(black_box(&qs), &numbers));
            },
            move || {
                for (point, number) in black_box(&*their_qs).iter().zip(&*their_numbers) {
                    let (mut q, mut result) = (blst_p2::default(), blst_p2::default());
                    // SAFETY: as in G1.
                    unsafe {
                        blst_p2_from_affine(&mut q, point);
                        blst_p2_mult(&mut result, &q, number.to_le_bytes().as_ptr(), 128);
                    }
                    black_box(result);
                }
            },
        ));
    }
}

/// Points of both groups from their compressed encodings, without the check that they are in the
/// groups.
fn encodings(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for batch in [1, 2, 4, 8, 64, 1024] {
        let pairs = random_pairs(batch);
        let of_g1: Vec<[u8; 48]> = pairs.iter().map(|(p, _)| compressed_g1(p)).collect();
        let of_g2: Vec<[u8; 96]> = pairs.iter().map(|(_, q)| compressed_g2(q)).collect();
        let is_read = |(p, q): &Pair, found: (Option<blst_p1_affine>, Option<blst_p2_affine>)| {
            found == (Some(*p), Some(*q))
        };
        let found = lanes::uncompress_g1(&slices(&of_g1)).into_iter();
        let found = found.zip(lanes::uncompress_g2(&slices(&of_g2)));
        if !pairs.iter().zip(found).all(|(pair, found)| is_read(pair, found)) {
            return Err(format!("decompress-{batch}: the points differ"));
        }
        let (ours, theirs) = (of_g1.clone(), of_g1);
        comparisons.push(case(
            format!("decompress-g1-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::uncompress_g1(black_box(&slices(&ours))));
            },
            move || {
                for bytes in black_box(&theirs) {
                    let mut point = blst_p1_affine::default();
                    // SAFETY: both are valid, and a compressed point has 48 bytes.
                    black_box(unsafe { blst_p1_uncompress(&mut point, bytes.as_ptr()) });
                    black_box(point);
                }
            },
        ));
        let (ours, theirs) = (of_g2.clone(), of_g2);
        comparisons.push(case(
            format!("decompress-g2-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::uncompress_g2(black_box(&slices(&ours))));
            },
            move || {
                for bytes in black_box(&theirs) {
                    let mut point = blst_p2_affine::default();
                    // SAFETY: as in G1, with 96 bytes.
                    black_box(unsafe { blst_p2_uncompress(&mut point, bytes.as_ptr()) });
                    black_box(point);
                }
            },
        ));
    }
    Ok(())
}

/// Hashes of messages of 32 bytes to both groups, in Jacobian coordinates.
fn hashes(comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for batch in [1, 2, 4, 8, 64, 1024] {
        let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
        let messages: Arc<Vec<[u8; 32]>> = Arc::new((0..batch).map(|_| random.gen()).collect());
        let of_g1 = lanes::hashes_g1(DOMAIN, &contents(&messages));
        let of_g2 = lanes::hashes_g2(DOMAIN, &contents(&messages));
        let are_equal = messages.iter().zip(of_g1).zip(of_g2).all(|((message, p), q)| {
            // SAFETY: all are valid.
            unsafe {
                blst_p1_is_equal(&p, &hash_to_g1(message))
                    && blst_p2_is_equal(&q, &hash_to_g2(message))
            }
        });
        if !are_equal {
            return Err(format!("hash-{batch}: the points differ"));
        }
        let (ours, theirs) = (Arc::clone(&messages), Arc::clone(&messages));
        comparisons.push(case(
            format!("hash-to-g1-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::hashes_g1(DOMAIN, black_box(&contents(&ours))));
            },
            move || {
                for message in black_box(&*theirs) {
                    black_box(hash_to_g1(message));
                }
            },
        ));
        let (ours, theirs) = (Arc::clone(&messages), messages);
        comparisons.push(case(
            format!("hash-to-g2-{batch}"),
            batch,
            None,
            move || {
                black_box(lanes::hashes_g2(DOMAIN, black_box(&contents(&ours))));
            },
            move || {
                for message in black_box(&*theirs) {
                    black_box(hash_to_g2(message));
                }
            },
        ));
    }
    Ok(())
}

fn contents(messages: &[[u8; 32]]) -> Vec<(&[u8], &[u8])> {
    messages.iter().map(|message| (&[][..], &message[..])).collect()
}

fn hash_to_g1(message: &[u8; 32]) -> blst_p1 {
    let mut point = blst_p1::default();
    let (domain, prefix) = (DOMAIN, std::ptr::null());
    // SAFETY: the library reads two byte strings of these lengths, and writes one point.
    unsafe {
        blst_hash_to_g1(
            &mut point,
            message.as_ptr(),
            message.len(),
            domain.as_ptr(),
            domain.len(),
            prefix,
            0,
        );
    }
    point
}

fn hash_to_g2(message: &[u8; 32]) -> blst_p2 {
    let mut point = blst_p2::default();
    let (domain, prefix) = (DOMAIN, std::ptr::null());
    // SAFETY: as for G1.
    unsafe {
        blst_hash_to_g2(
            &mut point,
            message.as_ptr(),
            message.len(),
            domain.as_ptr(),
            domain.len(),
            prefix,
            0,
        );
    }
    point
}

fn slices<const N: usize>(rows: &[[u8; N]]) -> Vec<&[u8]> {
    rows.iter().map(|row| &row[..]).collect()
}

fn compressed_g1(point: &blst_p1_affine) -> [u8; 48] {
    let mut bytes = [0; 48];
    // SAFETY: both are valid, and a compressed point has 48 bytes.
    unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

fn compressed_g2(point: &blst_p2_affine) -> [u8; 96] {
    let mut bytes = [0; 96];
    // SAFETY: both are valid, and a compressed point has 96 bytes.
    unsafe { blst_p2_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

/// All cases, always on one thread.
///
/// # Errors
/// If ours and the peer give different values.
pub fn comparisons(_: usize) -> Result<Vec<Comparison>, String> {
    let mut comparisons = Vec::new();
    fields(&mut comparisons);
    parts(&mut comparisons);
    pairings(&mut comparisons)?;
    groups(&mut comparisons);
    multiples(&mut comparisons);
    sums::comparisons(&mut comparisons)?;
    encodings(&mut comparisons)?;
    hashes(&mut comparisons)?;
    signatures::comparisons(&mut comparisons)?;
    Ok(comparisons)
}
