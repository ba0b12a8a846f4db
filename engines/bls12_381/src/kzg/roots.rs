// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The roots of unity at which a blob's values are given.

use std::sync::LazyLock;

use halimede_arith::field::batch_inverse;
use halimede_arith::Fr;

/// The number of values of a polynomial.
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
pub(super) static ROOTS: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    let root = Fr::from(UNIT_GENERATOR).pow(&ROOT_EXPONENT);
    let mut roots = vec![Fr::from(1); BLOB_ELEMENTS];
    let mut power = Fr::from(1);
    for number in 0..BLOB_ELEMENTS {
        roots[number.reverse_bits() >> (usize::BITS - BLOB_ELEMENTS.ilog2())] = power;
        power *= root;
    }
    roots
});

/// The inverses of the roots at even positions: those at odd positions are their opposites.
pub(super) static INVERSE_ROOTS: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    let mut inverses: Vec<Fr> = ROOTS.iter().step_by(2).copied().collect();
    batch_inverse(&mut inverses);
    inverses
});

/// 1/4096.
pub(super) static COUNT_INVERSE: LazyLock<Fr> =
    LazyLock::new(|| Fr::from(BLOB_ELEMENTS as u64).inverse().unwrap_or_default());
