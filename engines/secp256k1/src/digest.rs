// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number that a digest stands for (SEC 1, section 4.1.4, step 3; FIPS 186-5, section 6.4.2).

use crate::constants::GROUP_ORDER;

/// The digest's leftmost 256 bits as a big-endian number; a shorter digest is a number as it
/// stands. The number may lie above n.
pub fn leftmost_bits(digest: &[u8]) -> [u8; 32] {
    let mut number = [0; 32];
    match digest.first_chunk::<32>() {
        Some(leftmost) => number = *leftmost,
        None => number[32 - digest.len()..].copy_from_slice(digest),
    }
    number
}

/// The number modulo n: below 2n, so that one subtraction is enough.
pub(crate) fn modulo_n(number: &[u8; 32]) -> [u8; 32] {
    if *number < GROUP_ORDER {
        return *number;
    }
    let mut difference = [0; 32];
    let mut borrow = false;
    for place in (0..32).rev() {
        let (byte, below) = number[place].overflowing_sub(GROUP_ORDER[place]);
        let (byte, below_again) = byte.overflowing_sub(u8::from(borrow));
        difference[place] = byte;
        borrow = below | below_again;
    }
    difference
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn any_length_is_the_number_that_the_standards_say() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for length in 0..=70 {
            let digest: Vec<u8> = (0..length).map(|_| random.gen()).collect();
            let mut expected = BigUint::from_bytes_be(&digest);
            if length > 32 {
                expected >>= 8 * (length - 32);
            }
            assert_eq!(BigUint::from_bytes_be(&leftmost_bits(&digest)), expected, "{length} bytes");
        }
    }

    #[test]
    fn numbers_are_reduced() {
        let n = BigUint::from_bytes_be(&GROUP_ORDER);
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let top = BigUint::from_bytes_be(&[0xff; 32]);
        let mut numbers = vec![n.clone(), &n - 1u8, &n + 1u8, top.clone(), BigUint::default()];
        numbers.extend((0..500).map(|_| &top - BigUint::from(random.gen::<u128>())));
        numbers.extend((0..100).map(|_| BigUint::from_bytes_be(&random.gen::<[u8; 32]>())));
        for number in numbers {
            let reduced = modulo_n(&leftmost_bits(&number.to_bytes_be()));
            assert_eq!(BigUint::from_bytes_be(&reduced), number % &n);
        }
    }
}
