// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies KZG openings of EIP-4844 (consensus specifications, Deneb, polynomial commitments) with
//! the crate `bls12_381`.
//!
//! Verdicts are those of `halimede_bls12_381::kzg`, which needs a C compiler and is not for
//! WebAssembly. The setup is that of Ethereum's ceremony, of which a verifier needs only \[τ\]G2.

use std::sync::LazyLock;

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Prepared, Scalar};
use halimede_arith::Fr;
use sha2::{Digest, Sha256};

use crate::signature::is_product_one;

/// The elements of a blob.
pub const BLOB_ELEMENTS: usize = 4096;
/// The bytes of an element.
const ELEMENT_BYTES: usize = 32;
/// \[τ\]G2 of Ethereum's ceremony: the second G2 point of its `trusted_setup.txt`.
const TAU_G2: [u8; 96] = [
    0xb5, 0xbf, 0xd7, 0xdd, 0x8c, 0xde, 0xb1, 0x28, 0x84, 0x3b, 0xc2, 0x87, 0x23, 0x0a, 0xf3, 0x89,
    0x26, 0x18, 0x70, 0x75, 0xcb, 0xfb, 0xef, 0xa8, 0x10, 0x09, 0xa2, 0xce, 0x61, 0x5a, 0xc5, 0x3d,
    0x29, 0x14, 0xe5, 0x87, 0x0c, 0xb4, 0x52, 0xd2, 0xaf, 0xaa, 0xab, 0x24, 0xf3, 0x49, 0x9f, 0x72,
    0x18, 0x5c, 0xbf, 0xee, 0x53, 0x49, 0x27, 0x14, 0x73, 0x44, 0x29, 0xb7, 0xb3, 0x86, 0x08, 0xe2,
    0x39, 0x26, 0xc9, 0x11, 0xcc, 0xec, 0xea, 0xc9, 0xa3, 0x68, 0x51, 0x47, 0x7b, 0xa4, 0xc6, 0x0b,
    0x08, 0x70, 0x41, 0xde, 0x62, 0x10, 0x00, 0xed, 0xc9, 0x8e, 0xda, 0xda, 0x20, 0xc1, 0xde, 0xf2,
];
/// A generator of the multiplicative group of the scalar field (consensus specifications,
/// `PRIMITIVE_ROOT_OF_UNITY`).
const PRIMITIVE_ROOT: u64 = 7;

/// Why an opening cannot be verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// An argument has the wrong length.
    #[error("`{name}`: expected {expected} bytes, got {got}")]
    Length {
        /// The argument.
        name: &'static str,
        /// The length in bytes.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A scalar is not below the modulus.
    #[error("`{name}` is not below the modulus of the scalar field")]
    NotCanonical {
        /// The argument.
        name: &'static str,
    },
    /// An element of a blob is not below the modulus.
    #[error("element {index} of the blob is not below the modulus of the scalar field")]
    BlobElement {
        /// The place of the element, from 0.
        index: usize,
    },
    /// A commitment or proof is not a compressed point of G1.
    #[error("`{name}` is not a compressed point of G1")]
    Point {
        /// The argument.
        name: &'static str,
    },
}

/// Verifies an opening at a point: `verify_kzg_proof`. z and y have 32 bytes, big-endian.
///
/// # Errors
/// [`OpeningError`].
pub fn verify_kzg_proof(
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, OpeningError> {
    let (z, y) = (scalar("z", z)?, scalar("y", y)?);
    verify(point("commitment", commitment)?, z, y, point("proof", proof)?)
}

/// Verifies the opening of a blob: `verify_blob_kzg_proof`.
///
/// # Errors
/// [`OpeningError`].
pub fn verify_blob_kzg_proof(
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<bool, OpeningError> {
    let expected = BLOB_ELEMENTS * ELEMENT_BYTES;
    if blob.len() != expected {
        return Err(OpeningError::Length { name: "blob", expected, got: blob.len() });
    }
    let [point_of_commitment, point_of_proof] =
        [point("commitment", commitment)?, point("proof", proof)?];
    let read =
        |(index, bytes)| Fr::from_be_bytes(bytes).map_err(|_| OpeningError::BlobElement { index });
    let (elements, _) = blob.as_chunks::<ELEMENT_BYTES>();
    let values = elements.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let z = challenge(blob, commitment);
    verify(point_of_commitment, z, evaluate(&values, z), point_of_proof)
}

/// Checks e(C − y·G1 + z·π, G2) = e(π, τ·G2).
fn verify(commitment: G1Affine, z: Fr, y: Fr, proof: G1Affine) -> Result<bool, OpeningError> {
    static TAU: LazyLock<Option<G2Affine>> =
        LazyLock::new(|| G2Affine::from_compressed(&TAU_G2).into_option());
    let Some(tau) = *TAU else { return Err(OpeningError::Point { name: "setup" }) };
    let left =
        G1Projective::from(commitment) - G1Affine::generator() * of_field(y) + proof * of_field(z);
    Ok(is_product_one(&[
        (left.into(), G2Prepared::from(G2Affine::generator())),
        (-proof, G2Prepared::from(tau)),
    ]))
}

/// `compute_challenge`: the point at which a blob's polynomial is opened.
fn challenge(blob: &[u8], commitment: &[u8]) -> Fr {
    let mut hasher = Sha256::new();
    hasher.update(b"FSBLOBVERIFY_V1_");
    hasher.update((BLOB_ELEMENTS as u128).to_be_bytes());
    hasher.update(blob);
    hasher.update(commitment);
    let mut digest: [u8; ELEMENT_BYTES] = hasher.finalize().into();
    digest.reverse();
    let (words, _) = digest.as_chunks::<8>();
    Fr::from_integer([0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at])))
}

/// The inverses of half of the roots of unity in bit-reversed order: of one of each pair w, −w.
static INVERSE_ROOTS: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    // (r − 1)/4096, from −1 = r − 1.
    let last = (-Fr::from(1)).canonical_limbs();
    let bits = BLOB_ELEMENTS.trailing_zeros();
    let limb =
        |at: usize| last[at] >> bits | last.get(at + 1).map_or(0, |next| next << (64 - bits));
    let root = Fr::from(PRIMITIVE_ROOT).pow(&[limb(0), limb(1), limb(2), limb(3)]);
    // The inverse of the root generates the inverses.
    let inverse = root.pow(&[BLOB_ELEMENTS as u64 - 1]);
    let mut powers = vec![Fr::from(1)];
    for at in 1..BLOB_ELEMENTS / 2 {
        powers.push(powers[at - 1] * inverse);
    }
    let bits = usize::BITS - (bits - 1);
    (0..powers.len()).map(|at| powers[at.reverse_bits() >> bits]).collect()
});

/// Evaluates the polynomial with these values at the roots of unity, in bit-reversed order, at z.
///
/// f(x) = e(x²) + x·o(x²). The pair f(w), f(−w) gives 2·e(w²) and 2·o(w²), so a fold gives twice
/// the values of e + z·o, whose value at z² is f(z), at half the roots. The last factor is 1/4096.
fn evaluate(values: &[Fr], mut z: Fr) -> Fr {
    let mut values = values.to_vec();
    while values.len() > 1 {
        let (pairs, _) = values.as_chunks::<2>();
        let fold = |([plus, minus], inverse): (&[Fr; 2], &Fr)| {
            *plus + *minus + (*plus - *minus) * (z * *inverse)
        };
        values = pairs.iter().zip(INVERSE_ROOTS.iter()).map(fold).collect();
        z = z.square();
    }
    let count = Fr::from(BLOB_ELEMENTS as u64).inverse();
    values[0] * count.unwrap_or(Fr::from(0))
}

fn scalar(name: &'static str, bytes: &[u8]) -> Result<Fr, OpeningError> {
    let bytes = sized(name, bytes)?;
    Fr::from_be_bytes(bytes).map_err(|_| OpeningError::NotCanonical { name })
}

fn point(name: &'static str, bytes: &[u8]) -> Result<G1Affine, OpeningError> {
    let read = G1Affine::from_compressed(sized(name, bytes)?);
    read.into_option().ok_or(OpeningError::Point { name })
}

fn sized<'a, const BYTES: usize>(
    name: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8; BYTES], OpeningError> {
    let length = |_| OpeningError::Length { name, expected: BYTES, got: bytes.len() };
    bytes.try_into().map_err(length)
}

/// Returns the scalar of the crate `bls12_381`.
fn of_field(x: Fr) -> Scalar {
    // Elements are below the modulus.
    Scalar::from_bytes(&x.to_le_bytes()).into_option().unwrap_or_default()
}
