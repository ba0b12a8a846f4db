// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions to and from the field elements of `starknet-types-core`.

use starknet_types_core::felt::Felt as StarknetFelt;

use super::arithmetic::multiply_montgomery;
use super::{Felt, Modulus, StarkPrime};

impl From<StarknetFelt> for Felt {
    fn from(element: StarknetFelt) -> Self {
        // A product with R² mod p is reduced, whatever the digits.
        Self::from_reduced(multiply_montgomery::<StarkPrime>(
            element.to_le_digits(),
            StarkPrime::R_SQUARED,
        ))
    }
}

impl From<Felt> for StarknetFelt {
    fn from(element: Felt) -> Self {
        Self::from_bytes_le(&element.to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that the canonical integers are the same on both sides, in both directions.
    fn agree(element: Felt) {
        let peer = StarknetFelt::from(element);
        assert_eq!(peer.to_bytes_be(), element.to_be_bytes());
        assert_eq!(Felt::from(peer), element);
    }

    #[test]
    fn edges_convert() {
        (0..252).for_each(|bit| agree(Felt::from(2).pow(&[bit])));
        agree(Felt::ZERO);
        agree(Felt::ZERO - Felt::ONE);
        assert_eq!(Felt::from(StarknetFelt::MAX), Felt::ZERO - Felt::ONE);
        assert_eq!(Felt::from(StarknetFelt::from(5)), Felt::from(5));
    }

    proptest! {
        #[test]
        fn any_element_converts_and_products_agree(a in any::<[u64; 4]>(), b in any::<[u64; 4]>()) {
            let element = |mut limbs: [u64; 4]| {
                limbs[3] >>= 5; // below 2^251, so below p
                Felt::from_canonical_limbs(limbs).unwrap()
            };
            let (a, b) = (element(a), element(b));
            agree(a);
            prop_assert_eq!(Felt::from(StarknetFelt::from(a) * StarknetFelt::from(b)), a * b);
        }
    }
}
