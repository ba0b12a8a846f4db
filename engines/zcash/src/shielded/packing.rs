// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bit strings as public inputs of a proof: field elements of 254 bits each, the first bit lowest
//! (Zcash protocol specification, section 5.6.2, and A.4 of its Sapling circuits).

use halimede_arith::Fr;

/// The bits of an input: the greatest number that always stays below the order.
const INPUT_BITS: usize = 254;

/// Packs the bits of bytes, the lowest bit of each byte first, as Sapling does.
pub fn pack_low_first(bytes: &[u8]) -> Vec<Fr> {
    pack(bytes, |byte, bit| byte >> bit & 1)
}

/// Packs the bits of bytes, the highest bit of each byte first, as Sprout does.
pub fn pack_high_first(bytes: &[u8]) -> Vec<Fr> {
    pack(bytes, |byte, bit| byte >> (7 - bit) & 1)
}

fn pack(bytes: &[u8], bit_of: impl Fn(u8, usize) -> u8) -> Vec<Fr> {
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).map(|bit| bit_of(*byte, bit))).collect();
    bits.chunks(INPUT_BITS).map(element).collect()
}

/// Returns the number with these bits, the lowest first, at most [`INPUT_BITS`].
fn element(bits: &[u8]) -> Fr {
    let mut bytes = [0; 32];
    for (index, bit) in bits.iter().enumerate() {
        bytes[index / 8] |= bit << (index % 8);
    }
    Fr::from_le_bytes(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_keep_their_places() {
        let mut bytes = [0; 64];
        (bytes[0], bytes[31], bytes[63]) = (0b10, 0b1000_0000, 1);
        // Bits 1, 255 and 504 = 254 + 250.
        let low = pack_low_first(&bytes);
        let power = |bit: usize| Fr::from(2).pow(&[bit as u64]);
        assert_eq!(low, [power(1), power(1) + power(250), Fr::default()]);
        // Bits 6, 248 and 511 = 508 + 3.
        let high = pack_high_first(&bytes);
        assert_eq!(high, [power(6) + power(248), Fr::default(), power(3)]);
        assert_eq!(pack_low_first(&[0xff; 32])[1], Fr::from(3));
        assert!(pack_high_first(&[]).is_empty());
    }
}
