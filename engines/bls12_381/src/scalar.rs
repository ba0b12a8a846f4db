// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalars modulo r.

use halimede_arith::Fr;

/// Reduces a big-endian number of 256 bits modulo r.
pub fn reduced(bytes: &[u8; 32]) -> Fr {
    let radix = Fr::from(1 << 32) * Fr::from(1 << 32);
    let limbs = bytes.as_chunks::<8>().0.iter();
    limbs.fold(Fr::from(0), |value, limb| value * radix + Fr::from(u64::from_be_bytes(*limb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reduced() {
        assert_eq!(reduced(&(-Fr::from(1)).to_be_bytes()), -Fr::from(1));
        let r = reduced(&{
            let mut bytes = (-Fr::from(1)).to_be_bytes();
            bytes[31] += 1; // r ends in 01
            bytes
        });
        assert!(r.is_zero());
        assert_eq!(reduced(&[0xff; 32]), Fr::from(2).pow(&[256]) - Fr::from(1));
    }
}
