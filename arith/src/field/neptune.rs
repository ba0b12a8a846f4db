// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions to and from the scalars of `neptune` and Filecoin's proofs.
//!
//! Both sides hold x·2²⁵⁶ mod r in four limbs, least significant first, so a conversion computes
//! nothing.

use blst::blst_fr;
use blstrs::Scalar;

use super::Fr;

impl From<Scalar> for Fr {
    fn from(scalar: Scalar) -> Self {
        Self::from_reduced(blst_fr::from(scalar).l)
    }
}

impl From<Fr> for Scalar {
    fn from(element: Fr) -> Self {
        Self::from(blst_fr { l: element.montgomery_limbs() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::field::{Bls12381Scalar, Modulus};

    /// Checks that the canonical integers are the same on both sides, in both directions.
    fn agree(element: Fr) {
        let scalar = Scalar::from_bytes_le(&element.to_le_bytes()).unwrap();
        assert_eq!(Scalar::from(element), scalar);
        assert_eq!(Fr::from(scalar), element);
        assert_eq!(Scalar::from(element).to_bytes_le(), element.to_le_bytes());
    }

    #[test]
    fn edges_convert() {
        let mut last = Bls12381Scalar::VALUE;
        last[0] -= 1;
        agree(Fr::from_canonical_limbs(last).unwrap());
        (0..255).for_each(|bit| agree(Fr::from(2).pow(&[bit])));
        assert_eq!((Fr::from(Scalar::from(0)), Fr::from(Scalar::from(1))), (Fr::ZERO, Fr::ONE));
    }

    proptest! {
        #[test]
        fn any_element_converts_and_products_agree(a in any::<[u64; 4]>(), b in any::<[u64; 4]>()) {
            let element = |mut limbs: [u64; 4]| {
                limbs[3] >>= 2; // below 2^254, so below r
                Fr::from_canonical_limbs(limbs).unwrap()
            };
            let (a, b) = (element(a), element(b));
            agree(a);
            prop_assert_eq!(Fr::from(Scalar::from(a) * Scalar::from(b)), a * b);
        }
    }
}
