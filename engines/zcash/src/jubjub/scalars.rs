// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers modulo the order of Jubjub's prime-order subgroup, 𝑟_𝕁 in the specification.

use halimede_arith::field::Modulus;
use halimede_arith::Field;

use crate::numbers;

/// The order of the subgroup (Zcash protocol specification, section 5.4.9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order;

impl Modulus for Order {
    const VALUE: [u64; 4] = [
        0xd097_0e5e_d6f7_2cb7,
        0xa668_2093_ccc8_1082,
        0x0667_3b01_0134_3b00,
        0x0e7d_b4ea_6533_afa9,
    ];
    const NAME: &'static str = "the order of Jubjub's subgroup";
}

/// A number modulo the order.
pub type Scalar = Field<Order>;

/// The number of bits of the order.
pub const BITS: u32 = Order::BITS;

/// Converts a number.
pub fn from_number(number: u128) -> Scalar {
    numbers::from_number(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(bytes: [u8; 64]) {
        let expected = jubjub::Scalar::from_bytes_wide(&bytes).to_bytes();
        assert_eq!(numbers::reduced::<Order>(&bytes).to_le_bytes(), expected, "{bytes:x?}");
    }

    #[test]
    fn extreme_hashes_are_reduced() {
        check([0; 64]);
        check([0xff; 64]);
        for bit in 0..512 {
            let mut bytes = [0; 64];
            bytes[bit / 8] = 1 << (bit % 8);
            check(bytes);
        }
    }

    proptest! {
        #[test]
        fn hashes_are_reduced(low: [u8; 32], high: [u8; 32]) {
            let mut bytes = [0; 64];
            bytes[..32].copy_from_slice(&low);
            bytes[32..].copy_from_slice(&high);
            check(bytes);
        }

        #[test]
        fn numbers_are_converted(number: u128) {
            let mut bytes = [0; 64];
            bytes[..16].copy_from_slice(&number.to_le_bytes());
            prop_assert_eq!(from_number(number), numbers::reduced(&bytes));
        }
    }
}
