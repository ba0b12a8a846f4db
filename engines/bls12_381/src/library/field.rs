// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements of Fp as bytes.

use blst::blst_fp;

/// p, big-endian (RFC 9380, section 8.8.1).
const MODULUS: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// Returns `true` if a big-endian number is below p.
pub(crate) fn is_canonical_fp(bytes: &[u8; 48]) -> bool {
    *bytes < MODULUS
}

/// Converts a big-endian number to an element; `None` if it is not below p.
pub(crate) fn fp_from_be(bytes: &[u8; 48]) -> Option<blst_fp> {
    if !is_canonical_fp(bytes) {
        return None;
    }
    let mut element = blst_fp::default();
    // SAFETY: the library reads 48 bytes and writes one element.
    unsafe { blst::blst_fp_from_bendian(&mut element, bytes.as_ptr()) };
    Some(element)
}

/// p, little-endian.
pub(crate) const P_BYTES: [u8; 48] = {
    let (mut bytes, mut place) = (MODULUS, 0);
    while place < 48 {
        bytes[place] = MODULUS[47 - place];
        place += 1;
    }
    bytes
};

/// Converts the Montgomery form x·2³⁸⁴ mod p, little-endian, to the number x, big-endian; `None` if
/// the form is not below p.
pub(crate) fn fp_of_montgomery(bytes: &[u8; 48]) -> Option<[u8; 48]> {
    let mut big_endian = *bytes;
    big_endian.reverse();
    if !is_canonical_fp(&big_endian) {
        return None;
    }
    let mut element = blst_fp::default();
    for (limb, bytes) in element.l.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    let mut number = [0; 48];
    // SAFETY: the library reads one element and writes 48 bytes.
    unsafe { blst::blst_bendian_from_fp(number.as_mut_ptr(), &element) };
    Some(number)
}
