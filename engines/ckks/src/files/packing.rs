// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials as bytes, each residue with the bit length of its prime.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use crate::ring::{Basis, Form, Modulus, Polynomial, Ring};

/// Marks an absent prime.
const NO_PLACE: u16 = u16::MAX;

/// The number of bytes that a limb is read beyond its end, for the last residue.
const SLACK_BYTES: usize = 8;

/// Returns the bit length of a residue.
fn bits(modulus: Modulus) -> u32 {
    u32::BITS - modulus.value().leading_zeros()
}

/// Returns the size of a limb in bytes. N is a multiple of 32, so that no bits remain.
fn packed_bytes(degree: usize, bits: u32) -> usize {
    degree / 8 * bits as usize
}

/// Returns the size of a polynomial in bytes.
pub(crate) fn packed_bytes_of(ring: &Ring, basis: &Basis) -> usize {
    ring.moduli(basis).into_iter().map(|modulus| packed_bytes(ring.degree(), bits(modulus))).sum()
}

/// Packs residues without branches: every residue writes a word, and the word is kept once 32 bits
/// are complete.
fn pack(limb: &[u32], bits: u32) -> Vec<u8> {
    let length = packed_bytes(limb.len(), bits);
    let mut bytes = vec![0; length + size_of::<u32>()];
    let (mut waiting, mut count, mut at) = (0u64, 0, 0);
    for residue in limb {
        waiting |= u64::from(*residue) << count;
        count += bits;
        bytes[at..at + 4].copy_from_slice(&(waiting as u32).to_le_bytes());
        let is_full = count >> 5;
        waiting >>= 32 * is_full;
        count -= 32 * is_full;
        at += 4 * is_full as usize;
    }
    bytes.truncate(length);
    bytes
}

/// Unpacks residues. Returns `true` if all are below the modulus. [`SLACK_BYTES`] more bytes must
/// follow the packed ones.
fn unpack(bytes: &[u8], modulus: Modulus, limb: &mut [u32]) -> bool {
    // Shifts by constants take less time. Most primes have 30 bits.
    match bits(modulus) as usize {
        29 => unpack_bits(bytes, 29, modulus, limb),
        30 => unpack_bits(bytes, 30, modulus, limb),
        31 => unpack_bits(bytes, 31, modulus, limb),
        bits => unpack_bits(bytes, bits, modulus, limb),
    }
}

#[inline(always)]
fn unpack_bits(bytes: &[u8], bits: usize, modulus: Modulus, limb: &mut [u32]) -> bool {
    let mask = (1u64 << bits) - 1;
    let mut are_residues = true;
    // Every eighth residue starts at a byte boundary. Each residue lies within eight bytes,
    // preceded by at most seven bits.
    for (index, eight) in limb.chunks_exact_mut(8).enumerate() {
        let group = &bytes[index * bits..][..bits + SLACK_BYTES];
        for (place, residue) in eight.iter_mut().enumerate() {
            let from = place * bits;
            let mut word = [0; 8];
            word.copy_from_slice(&group[from / 8..][..8]);
            *residue = (u64::from_le_bytes(word) >> (from % 8) & mask) as u32;
            are_residues &= *residue < modulus.value();
        }
    }
    are_residues
}

/// Writes the residues of a polynomial in value form modulo the primes of a basis.
pub(crate) fn write_polynomial<W: Write>(
    output: &mut CheckedWriter<W>,
    ring: &Ring,
    polynomial: &Polynomial,
    basis: &Basis,
) -> Result<(), FileError> {
    assert_eq!(polynomial.form(), Form::Values, "files hold polynomials in value form");
    assert!(polynomial.basis().contains(basis), "the polynomial lacks a prime of the basis");
    let limb = |place: &u16| {
        let limb = polynomial.limb(polynomial.basis().limb_of(*place).unwrap_or_default());
        pack(limb, bits(ring.modulus(*place)))
    };
    let mut packed: Vec<Vec<u8>> = basis.places().par_iter().map(limb).collect();
    let written = packed.iter().try_for_each(|limb| output.write(limb));
    if polynomial.is_secret() {
        packed.iter_mut().for_each(Zeroize::zeroize);
    }
    written
}

/// Reads a polynomial in value form that is secret, and wipes the bytes that were read.
pub(crate) fn read_secret_polynomial<R: Read>(
    input: &mut CheckedReader<R>,
    ring: &Ring,
    basis: &Basis,
    what: &'static str,
) -> Result<Polynomial, FileError> {
    let mut packed = Zeroizing::new(Vec::with_capacity(basis.len()));
    let mut polynomial = read_into(input, ring, basis, what, &mut packed)?;
    polynomial.mark_secret();
    Ok(polynomial)
}

/// Reads a polynomial in value form. It is constructed once all of it is read.
pub(crate) fn read_polynomial<R: Read>(
    input: &mut CheckedReader<R>,
    ring: &Ring,
    basis: &Basis,
    what: &'static str,
) -> Result<Polynomial, FileError> {
    read_into(input, ring, basis, what, &mut Vec::with_capacity(basis.len()))
}

/// Reads the bytes of each limb into `packed`, and returns their polynomial.
fn read_into<R: Read>(
    input: &mut CheckedReader<R>,
    ring: &Ring,
    basis: &Basis,
    what: &'static str,
    packed: &mut Vec<Vec<u8>>,
) -> Result<Polynomial, FileError> {
    let start = input.at();
    for modulus in ring.moduli(basis) {
        let length = packed_bytes(ring.degree(), bits(modulus));
        packed.push(vec![0; length + SLACK_BYTES]);
        let limb = packed.last_mut().map_or(&mut [][..], |limb| &mut limb[..length]);
        input.fill(limb, what)?;
    }
    unpacked(ring, basis, what, start, packed)
}

/// Reads a polynomial in value form from a slice, as [`read_polynomial`] does, without a copy of
/// its bytes. At least [`SLACK_BYTES`] more bytes, such as a checksum, must follow.
pub(crate) fn slice_polynomial(
    input: &mut CheckedReader<&[u8]>,
    ring: &Ring,
    basis: &Basis,
    what: &'static str,
) -> Result<Polynomial, FileError> {
    let start = input.at();
    let mut limb =
        |modulus| input.slice(packed_bytes(ring.degree(), bits(modulus)), SLACK_BYTES, what);
    let packed = ring.moduli(basis).into_iter().map(&mut limb).collect::<Result<Vec<_>, _>>()?;
    unpacked(ring, basis, what, start, &packed)
}

/// Returns the polynomial of packed limbs, each followed by [`SLACK_BYTES`] more bytes. They begin
/// at a place of the file that errors name.
fn unpacked<Bytes: AsRef<[u8]> + Sync>(
    ring: &Ring,
    basis: &Basis,
    what: &'static str,
    start: u64,
    packed: &[Bytes],
) -> Result<Polynomial, FileError> {
    let wrong = AtomicU16::new(NO_PLACE);
    let polynomial = ring.from_places(basis, Form::Values, |place, modulus, limb| {
        let bytes = basis.limb_of(place).map_or(&[][..], |index| packed[index].as_ref());
        if !unpack(bytes, modulus, limb) {
            wrong.fetch_min(place, Ordering::Relaxed);
        }
    });
    match wrong.into_inner() {
        NO_PLACE => Ok(polynomial),
        place => {
            let before = basis.limb_of(place).unwrap_or_default();
            let length = |limb: &Bytes| (limb.as_ref().len() - SLACK_BYTES) as u64;
            let at = start + packed[..before].iter().map(length).sum::<u64>();
            let modulus = ring.modulus(place).value();
            let what = format!("{what} has a residue that is not below its prime {modulus}");
            Err(FileError::Malformed { at, what })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::{primes_below, LaneBackend};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(size in 7u32..=30, seed in any::<u64>()) {
            let prime = primes_below(1 << size, 6).next().unwrap_or(193);
            let modulus = Modulus::new(prime).unwrap();
            let ring = Ring::new(5, &[prime], LaneBackend::Portable).unwrap();
            let residue = |seed: &mut u64| {
                *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((*seed >> 33) % u64::from(prime)) as u32
            };
            let mut state = seed;
            let mut limb: Vec<u32> = (0..ring.degree()).map(|_| residue(&mut state)).collect();
            limb[usize::try_from(seed % 32).unwrap()] = prime - 1;
            let mut bytes = pack(&limb, bits(modulus));
            prop_assert_eq!(bytes.len(), 4 * bits(modulus) as usize);
            bytes.extend([0xff; SLACK_BYTES]);
            let mut back = vec![0; limb.len()];
            prop_assert!(unpack(&bytes, modulus, &mut back));
            prop_assert_eq!(&back, &limb);
            // Sets the last residue to the largest number of its bit length, which exceeds every
            // prime.
            let last = bytes.len() - SLACK_BYTES - 1;
            bytes[last] = 0xff;
            bytes[last - 1] = 0xff;
            bytes[last - 2] = 0xff;
            bytes[last - 3] = 0xff;
            prop_assert!(!unpack(&bytes, modulus, &mut back));
        }
    }
}
