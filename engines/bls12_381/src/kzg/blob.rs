// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blobs: polynomials by their values at the roots of unity, in bit-reversed order.

use std::sync::LazyLock;

use halimede_arith::field::batch_inverse;
use halimede_arith::Fr;
use sha2::{Digest, Sha256};

use super::OpeningError;
use crate::scalar::reduced;

/// Values of a polynomial.
pub const BLOB_ELEMENTS: usize = 4096;
/// Bytes of a blob.
pub const BLOB_BYTES: usize = 32 * BLOB_ELEMENTS;

/// r is 1 modulo 2³², and 7 generates the field's units.
const UNIT_GENERATOR: u64 = 7;
/// (r − 1) / 4096, little-endian.
const ROOT_EXPONENT: [u64; 4] = {
    let r_minus_1 = [
        0xffff_ffff_0000_0000,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ];
    let (mut shifted, mut limb) = ([0; 4], 0);
    while limb < 4 {
        let above = if limb < 3 { r_minus_1[limb + 1] } else { 0 };
        shifted[limb] = r_minus_1[limb] >> 12 | above << 52;
        limb += 1;
    }
    shifted
};

/// The roots of unity in the order of a blob's values.
static ROOTS: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    let root = Fr::from(UNIT_GENERATOR).pow(&ROOT_EXPONENT);
    let mut roots = vec![Fr::from(1); BLOB_ELEMENTS];
    let mut power = Fr::from(1);
    for number in 0..BLOB_ELEMENTS {
        roots[number.reverse_bits() >> (usize::BITS - BLOB_ELEMENTS.ilog2())] = power;
        power *= root;
    }
    roots
});

/// A blob's values.
pub(super) fn values(blob: &[u8]) -> Result<Vec<Fr>, OpeningError> {
    if blob.len() != BLOB_BYTES {
        return Err(OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: blob.len() });
    }
    let elements = blob.as_chunks::<32>().0.iter().enumerate();
    let read =
        |(index, bytes)| Fr::from_be_bytes(bytes).map_err(|_| OpeningError::BlobElement { index });
    elements.map(read).collect()
}

/// `compute_challenge`: where a blob's polynomial is opened.
pub(super) fn challenge(blob: &[u8], commitment: &[u8]) -> Fr {
    let mut hasher = Sha256::new();
    hasher.update(b"FSBLOBVERIFY_V1_");
    hasher.update((BLOB_ELEMENTS as u128).to_be_bytes());
    hasher.update(blob);
    hasher.update(commitment);
    reduced(&hasher.finalize().into())
}

/// The polynomial's value at z.
///
/// With f(x) = e(x²) + x·o(x²), the values of e and o at w² are (f(w) ± f(−w))/2, that of o divided
/// by w. So e + z·o, whose value at z² is f(z), has half as many values, which lie in the same
/// order at the first half of the roots; and so on, down to a constant. The halves wait for the end.
pub(super) fn evaluate(values: &[Fr], mut z: Fr) -> Fr {
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

/// 1 divided by the roots at even places: the roots at odd ones are their opposites.
static INVERSE_ROOTS: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    let mut inverses: Vec<Fr> = ROOTS.iter().step_by(2).copied().collect();
    batch_inverse(&mut inverses);
    inverses
});

/// 1/4096.
static COUNT_INVERSE: LazyLock<Fr> =
    LazyLock::new(|| Fr::from(BLOB_ELEMENTS as u64).inverse().unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_polynomial() {
        // 3x⁴⁰⁹⁵ − 5x² + 11, at roots and elsewhere.
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
