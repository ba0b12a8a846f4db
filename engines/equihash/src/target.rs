// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Difficulty: targets in the compact form of a header, and a check of a header's hash against its
//! target.
//!
//! The compact form is one byte of size, a sign bit and a mantissa of 23 bits (Zcash protocol
//! specification, section 7.7.4, `ToCompact` and `ToTarget`). Values that consensus does not accept
//! as targets (negative, too large, or zero) are rejected here.

use std::fmt;
use std::ops::Range;

use crate::hash::BlockHash;

/// The length in bytes of a hash and of a target.
const HASH_BYTES: usize = 32;
/// The length of the mantissa in bytes.
const MANTISSA_BYTES: usize = 3;
/// The mantissa's bits in the compact form.
const MANTISSA: u32 = 0x007f_ffff;
/// The sign bit in the compact form.
const SIGN: u32 = 0x0080_0000;
/// The position of the compact target in a header, little-endian.
pub(crate) const BITS: Range<usize> = 104..108;

/// The target: the largest allowed hash of a header, from 1 to 2^256 − 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    high: u128,
    low: u128,
}

/// Why a compact form is not a valid target for consensus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The sign bit is set, and the mantissa is not zero.
    #[error("the compact target {bits:#010x} is negative")]
    Negative {
        /// The compact form.
        bits: u32,
    },
    /// The value is 2^256 or more.
    #[error("the compact target {bits:#010x} has more than 256 bits")]
    Overflow {
        /// The compact form.
        bits: u32,
    },
    /// The value is zero, which only the hash 0 could meet.
    #[error("the compact target {bits:#010x} is zero")]
    Zero {
        /// The compact form.
        bits: u32,
    },
    /// The target is easier than the network allows.
    #[error("the compact target {bits:#010x} is above the network's limit, {limit:#010x}")]
    AboveLimit {
        /// The compact form.
        bits: u32,
        /// The compact form of the limit.
        limit: u32,
    },
}

impl Target {
    /// Decodes a compact form: mantissa · 256^(size − 3), rounded down.
    ///
    /// # Errors
    /// [`TargetError::Negative`], [`TargetError::Overflow`] or [`TargetError::Zero`], the first
    /// that applies.
    pub fn from_compact(bits: u32) -> Result<Self, TargetError> {
        let size = (bits >> 24) as usize;
        let mantissa = (bits & MANTISSA).to_le_bytes();
        let mut bytes = [0; HASH_BYTES];
        let (mut zero, mut overflow) = (true, false);
        for (place, byte) in mantissa.into_iter().take(MANTISSA_BYTES).enumerate() {
            // Digits below the number's last are dropped, before the test for zero too.
            let Some(place) = (size + place).checked_sub(MANTISSA_BYTES) else { continue };
            zero &= byte == 0;
            match bytes.get_mut(place) {
                Some(target) => *target = byte,
                None => overflow |= byte != 0,
            }
        }
        match () {
            () if !zero && bits & SIGN != 0 => Err(TargetError::Negative { bits }),
            () if overflow => Err(TargetError::Overflow { bits }),
            () if zero => Err(TargetError::Zero { bits }),
            () => Ok(Self::from_le_bytes(bytes)),
        }
    }

    /// Encodes the target in the compact form, which keeps only the leading bits.
    pub fn to_compact(self) -> u32 {
        let bytes = self.to_le_bytes();
        let mut size = HASH_BYTES - bytes.iter().rev().take_while(|byte| **byte == 0).count();
        let digit = |place: usize| place.checked_sub(1).map_or(0, |place| u32::from(bytes[place]));
        let below = |places| size.checked_sub(places).map_or(0, digit);
        let mut mantissa = below(0) << 16 | below(1) << 8 | below(2);
        if mantissa & SIGN != 0 {
            mantissa >>= 8;
            size += 1;
        }
        (size as u32) << 24 | mantissa
    }

    /// Creates a target from 32 bytes, the least significant first.
    pub const fn from_le_bytes(bytes: [u8; HASH_BYTES]) -> Self {
        let (mut high, mut low) = ([0; 16], [0; 16]);
        let mut place = 0;
        while place < 16 {
            low[place] = bytes[place];
            high[place] = bytes[place + 16];
            place += 1;
        }
        Self { high: u128::from_le_bytes(high), low: u128::from_le_bytes(low) }
    }

    /// Returns 32 bytes, the least significant first.
    pub fn to_le_bytes(self) -> [u8; HASH_BYTES] {
        let mut bytes = [0; HASH_BYTES];
        bytes[..16].copy_from_slice(&self.low.to_le_bytes());
        bytes[16..].copy_from_slice(&self.high.to_le_bytes());
        bytes
    }

    /// Returns `true` if a hash, as a number with its least significant byte first, does not exceed
    /// the target.
    pub fn is_met_by(self, hash: &[u8; HASH_BYTES]) -> bool {
        Self::from_le_bytes(*hash) <= self
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}{:032x}", self.high, self.low)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self})")
    }
}

/// Returns `true` if a header's double SHA-256 meets the header's own target. `header` is the 140
/// bytes, the length of the solution and the solution; a network's limit is not checked.
///
/// Returns `false` if the header is too short or has no valid target.
pub fn meets_target(header: &[u8]) -> bool {
    let Some(bits) = header.get(BITS).and_then(|bits| bits.try_into().ok()) else { return false };
    Target::from_compact(u32::from_le_bytes(bits))
        .is_ok_and(|target| target.is_met_by(BlockHash::of(header).as_bytes()))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The compact form by its definition with big integers, as consensus interprets it.
    fn defined(bits: u32) -> Result<BigUint, TargetError> {
        let (size, mantissa) = (bits >> 24, BigUint::from(bits & 0x7f_ffff));
        let (value, shown) = match size {
            0..=3 => (&mantissa >> (8 * (3 - size)), &mantissa >> (8 * (3 - size))),
            _ => (&mantissa << (8 * (size - 3)), mantissa.clone()),
        };
        let zero = shown == BigUint::ZERO;
        if !zero && bits >> 23 & 1 == 1 {
            return Err(TargetError::Negative { bits });
        }
        if value.bits() > 256 {
            return Err(TargetError::Overflow { bits });
        }
        if zero {
            return Err(TargetError::Zero { bits });
        }
        Ok(value)
    }

    fn number(target: Target) -> BigUint {
        BigUint::from_bytes_le(&target.to_le_bytes())
    }

    #[test]
    fn compact_forms_of_every_size_are_what_they_are_defined_to_be() {
        let mut rng = ChaCha8Rng::seed_from_u64(0x7a26e7);
        let edges = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 0x7f_ffff, SIGN, SIGN + 1];
        for size in 0..=255 {
            let random: [u32; 16] = std::array::from_fn(|_| rng.gen_range(0..1 << 24));
            for mantissa in edges.into_iter().chain(random) {
                let bits = size << 24 | mantissa;
                assert_eq!(Target::from_compact(bits).map(number), defined(bits), "{bits:#010x}");
            }
        }
    }

    #[test]
    fn published_targets() {
        let of = |bits| Target::from_compact(bits).map(|target| target.to_string());
        let hex = |digits: &str, bytes: usize| Ok(digits.to_owned() + &"00".repeat(bytes));
        let small = |digits: &str| Ok(format!("{digits:0>64}"));
        assert_eq!(of(0x0112_3456), small("12"));
        assert_eq!(of(0x0200_8000), small("80"));
        assert_eq!(of(0x0500_9234), small("92340000"));
        assert_eq!(of(0x2012_3456), hex("123456", 29));
        assert_eq!(of(0x0492_3456), Err(TargetError::Negative { bits: 0x0492_3456 }));
        assert_eq!(of(0x01fe_dcba), Err(TargetError::Negative { bits: 0x01fe_dcba }));
        assert_eq!(of(0xff12_3456), Err(TargetError::Overflow { bits: 0xff12_3456 }));
        for bits in [0, 0x0100_3456, 0x0092_3456, 0x0180_3456, 0x0480_0000, 0xff80_0000] {
            assert_eq!(of(bits), Err(TargetError::Zero { bits }));
        }
        assert!(TargetError::Zero { bits: 0x92_3456 }.to_string().contains("0x00923456"));
    }

    /// The byte of the size is not part of the mantissa; otherwise block 346's target would be
    /// 2,041 times too large.
    #[test]
    fn the_mantissa_is_masked() {
        let target = number(Target::from_compact(0x1e03_c3bf).unwrap());
        assert_eq!(target, BigUint::from(0x03_c3bfu32) << (8 * (0x1e - 3)));
        let unmasked = BigUint::from(0x1e03_c3bfu32) << (8 * (0x1e - 3));
        assert_eq!(unmasked / target, 2_041u32.into());
    }

    /// The sign is bit 23; bit 24 is the lowest bit of the size, which is set for every odd size.
    #[test]
    fn the_sign_stands_below_the_size() {
        for size in 3..32 {
            assert!(Target::from_compact(size << 24 | 0x12_3456).is_ok(), "{size}");
            let bits = size << 24 | 0x92_3456;
            assert_eq!(Target::from_compact(bits), Err(TargetError::Negative { bits }));
        }
    }

    #[test]
    fn targets_have_one_compact_form_and_keep_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(0xc0ac7);
        for round in 0..4_000 {
            let mut bytes: [u8; HASH_BYTES] = rng.gen();
            bytes[rng.gen_range(0..=HASH_BYTES)..].fill(0);
            let target = Target::from_le_bytes(bytes);
            assert_eq!(target.to_le_bytes(), bytes);
            let bits = target.to_compact();
            if bytes == [0; HASH_BYTES] {
                assert_eq!(bits, 0);
                continue;
            }
            let cut = Target::from_compact(bits).unwrap();
            assert_eq!(cut.to_compact(), bits, "round {round}");
            // The truncated part is less than a unit of a mantissa of at least 16 bits.
            assert!(cut <= target && (number(target) - number(cut)) << 15 < number(target));
        }
        // A leading digit that would set the sign bit needs a larger size.
        assert_eq!(Target::from_compact(0x0500_9234).unwrap().to_compact(), 0x0500_9234);
        assert_eq!(Target::from_le_bytes([0xff; 32]).to_compact(), 0x2100_ffff);
    }

    #[test]
    fn a_hash_is_compared_from_its_last_byte() {
        let mut rng = ChaCha8Rng::seed_from_u64(0xba5e);
        for _ in 0..1_000 {
            let mut hash: [u8; HASH_BYTES] = rng.gen();
            let target = Target::from_le_bytes(hash);
            assert!(target.is_met_by(&hash));
            let place = rng.gen_range(0..HASH_BYTES);
            // One more or less in a byte, whatever the lower bytes are.
            rng.fill(&mut hash[..place]);
            let met = hash[place] != 0;
            hash[place] = hash[place].saturating_sub(1);
            assert!(!met || target.is_met_by(&hash));
            let digit = target.to_le_bytes()[place];
            if let Some(more) = digit.checked_add(1) {
                hash[place] = more;
                assert!(!target.is_met_by(&hash));
            }
        }
    }

    #[test]
    fn what_names_no_target_meets_none() {
        for bytes in [0, 1, 107] {
            assert!(!meets_target(&vec![0; bytes]));
        }
        let mut header = [7; 108];
        for bits in [0x2107_ffff_u32, 0x2092_3456, 0] {
            header[BITS].copy_from_slice(&bits.to_le_bytes());
            assert!(!meets_target(&header));
        }
    }
}
