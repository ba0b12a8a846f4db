// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number that a digest stands for (SEC 1, section 4.1.4, step 3; FIPS 186-5, section 6.4.2).

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
}
