// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blobs: polynomials given by their values at the roots of unity, in bit-reversed order.

use halimede_arith::lanes::{run, LANES};
use halimede_arith::{Backend, Fr};
use sha2::{Digest, Sha256};

use super::evaluation::Evaluation;
use super::roots::{BLOB_BYTES, BLOB_ELEMENTS, COUNT_INVERSE, INVERSE_ROOTS};
use super::OpeningError;
use crate::scalar::reduced;

/// The bytes of a blob's elements.
pub(super) type Elements = [[u8; 32]; BLOB_ELEMENTS];

/// Splits a blob into the bytes of its elements.
///
/// # Errors
/// [`OpeningError::Length`].
pub(super) fn elements(blob: &[u8]) -> Result<&Elements, OpeningError> {
    let length = || OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: blob.len() };
    let (elements, rest) = blob.as_chunks::<32>();
    elements.try_into().ok().filter(|_| rest.is_empty()).ok_or_else(length)
}

/// Decodes a blob's values.
pub(super) fn values(blob: &Elements) -> Result<Vec<Fr>, OpeningError> {
    let read =
        |(index, bytes)| Fr::from_be_bytes(bytes).map_err(|_| OpeningError::BlobElement { index });
    blob.iter().enumerate().map(read).collect()
}

/// `compute_challenge`: the point at which a blob's polynomial is opened.
pub(super) fn challenge(blob: &Elements, commitment: &[u8]) -> Fr {
    let mut hasher = Sha256::new();
    hasher.update(b"FSBLOBVERIFY_V1_");
    hasher.update((BLOB_ELEMENTS as u128).to_be_bytes());
    hasher.update(blob.as_flattened());
    hasher.update(commitment);
    reduced(&hasher.finalize().into())
}

/// Evaluates a blob's polynomial at z.
///
/// # Errors
/// [`OpeningError::BlobElement`].
pub(super) fn value(blob: &Elements, z: Fr) -> Result<Fr, OpeningError> {
    match run(Backend::active(), Evaluation::new(blob, z)) {
        Some(Some(folded)) => Ok(evaluate_folded(&folded, z)),
        // Without lanes, or if an element is not canonical.
        _ => Ok(evaluate(&values(blob)?, z)),
    }
}

/// Returns the value at z, given the values that the lanes have folded, one per lane.
fn evaluate_folded(folded: &[Fr; LANES], z: Fr) -> Fr {
    evaluate(folded, z.pow(&[(BLOB_ELEMENTS / LANES) as u64]))
}

/// Evaluates the polynomial at z.
///
/// With f(x) = e(x²) + x·o(x²), the values at w² are (f(w) + f(−w))/2 for e, and (f(w) − f(−w))/2w
/// for o. So e + z·o, whose value at z² is f(z), has half the number of values, in the same order
/// at the first half of the roots. This is repeated down to a constant; the divisions by 2 are
/// combined at the end.
fn evaluate(values: &[Fr], mut z: Fr) -> Fr {
    let (inverse_roots, mut values) = (&*INVERSE_ROOTS, values.to_vec());
    while values.len() > 1 {
        let pairs = values.as_chunks::<2>().0.iter().zip(inverse_roots);
        let fold = |([plus, minus], inverse): (&[Fr; 2], &Fr)| {
            *plus + *minus + (*plus - *minus) * (z * *inverse)
        };
        values = pairs.map(fold).collect();
        z = z.square();
    }
    values[0] * *COUNT_INVERSE
}

#[cfg(test)]
mod tests {
    use halimede_arith::lanes::{available, emulate};

    use super::super::roots::ROOTS;
    use super::*;

    /// Evaluates in lanes: with each backend, in the emulation and, if this processor has them,
    /// with its instructions.
    fn in_lanes(blob: &Elements, z: Fr) -> Option<Fr> {
        let mut answers = Vec::new();
        for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
            answers.push(emulate(backend, Evaluation::new(blob, z)));
            if available(backend) {
                answers.extend(run(backend, Evaluation::new(blob, z)));
            }
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        answers[0].map(|folded| evaluate_folded(&folded, z))
    }

    /// Returns pseudo-random elements, some of them 0 or r − 1.
    fn random_blob(mut seed: u64) -> Vec<[u8; 32]> {
        let mut word = move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let element = |_| match word() % 16 {
            0 => [0; 32],
            1 => (-Fr::from(1)).to_be_bytes(),
            _ => (0..4)
                .fold(Fr::from(0), |sum, _| sum * Fr::from(u64::MAX) + Fr::from(word()))
                .to_be_bytes(),
        };
        (0..BLOB_ELEMENTS).map(element).collect()
    }

    #[test]
    fn lanes_find_the_same_values() {
        for seed in 0..4 {
            let blob = random_blob(seed);
            let blob: &Elements = blob.as_slice().try_into().unwrap();
            let values = values(blob).unwrap();
            for z in [Fr::from(seed), -Fr::from(1), values[7], ROOTS[77]] {
                assert_eq!(in_lanes(blob, z), Some(evaluate(&values, z)), "seed {seed}, {z:?}");
                assert_eq!(value(blob, z), Ok(evaluate(&values, z)), "seed {seed}, {z:?}");
            }
        }
        let most = [(-Fr::from(1)).to_be_bytes(); BLOB_ELEMENTS];
        assert_eq!(in_lanes(&most, Fr::from(3)), Some(-Fr::from(1)));
        // The largest and smallest possible differences.
        for odd in 0..FOLDED_PAIRS {
            let mut blob = most;
            for (number, element) in blob.iter_mut().enumerate() {
                if number >> odd & 1 == 1 {
                    *element = [0; 32];
                }
            }
            for z in [-Fr::from(1), Fr::from(5).pow(&[1000])] {
                let expected = evaluate(&values(&blob).unwrap(), z);
                assert_eq!(in_lanes(&blob, z), Some(expected), "{odd}");
            }
        }
    }

    /// The number of bits of an element's index.
    const FOLDED_PAIRS: u32 = BLOB_ELEMENTS.ilog2();

    #[test]
    fn elements_that_are_not_canonical_are_named() {
        let blob = random_blob(9);
        let blob: &Elements = blob.as_slice().try_into().unwrap();
        let mut modulus = (-Fr::from(1)).to_be_bytes();
        modulus[31] += 1; // r ends in 01
        for (index, element) in [(0, modulus), (511, [0xff; 32]), (512, modulus), (4095, modulus)] {
            let mut blob = *blob;
            blob[index] = element;
            assert_eq!(in_lanes(&blob, Fr::from(3)), None, "{index}");
            let error = OpeningError::BlobElement { index };
            assert_eq!(value(&blob, Fr::from(3)), Err(error.clone()));
            blob[BLOB_ELEMENTS - 1] = [0xff; 32];
            assert_eq!(value(&blob, Fr::from(3)), Err(error));
        }
        for length in [0, 31, BLOB_BYTES - 32, BLOB_BYTES - 1, BLOB_BYTES + 1, BLOB_BYTES + 32] {
            let error = OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: length };
            assert_eq!(elements(&vec![0; length]).err(), Some(error));
        }
    }

    #[test]
    fn values_are_those_of_the_polynomial() {
        // 3x⁴⁰⁹⁵ − 5x² + 11, evaluated at the roots and elsewhere.
        let polynomial =
            |x: Fr| Fr::from(3) * x.pow(&[4095]) - Fr::from(5) * x.square() + Fr::from(11);
        let values: Vec<Fr> = ROOTS.iter().map(|root| polynomial(*root)).collect();
        for number in [0, 1, 2, 100, 4095] {
            assert_eq!(evaluate(&values, ROOTS[number]), values[number]);
        }
        for z in [Fr::from(0), Fr::from(2), -Fr::from(7), Fr::from(0x1234_5678_9abc_def0)] {
            assert_eq!(evaluate(&values, z), polynomial(z));
        }
        assert_eq!(ROOTS[1], -Fr::from(1));
        assert_eq!(ROOTS[2] * ROOTS[2], -Fr::from(1));
    }
}
