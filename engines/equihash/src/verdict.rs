// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verdict on a solution.

halimede_arith::checks! {
    /// A condition that must hold, in the order in which the first failure is reported: cheapest
    /// first. The bits are those of the card's mask (reply of `verify_equihash`).
    pub enum Check names_every_failure: true {
        /// The header's double SHA-256 is at most the target, and the target is valid.
        Difficulty = 0, "difficulty", "the header's hash does not meet its target",
        /// No index occurs twice.
        Duplicate = 4, "duplicate", "an index occurs twice",
        /// In two subtrees that meet, the first index of the left one is the smaller.
        IndexOrder = 2, "index-order", "subtrees are in the wrong order",
        /// The bits of the level collide where two subtrees meet: they XOR to zero.
        Collision = 3, "collision", "hashes do not collide where subtrees meet",
        /// All leaves XOR to zero.
        Xor = 1, "xor", "the hashes do not XOR to zero",
    }
}

/// The failed checks of a solution; 0 is a valid one.
pub type Mask = halimede_arith::verdict::Mask<Check>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_keep_their_bits_and_name_the_first() {
        for bits in 0..32 {
            let mask = Mask::from_bits(bits).expect("five bits");
            let again = Check::ALL.into_iter().filter(|check| mask.has(*check));
            let mut built = Mask::VALID;
            again.for_each(|check| built.set(check));
            assert_eq!((built, built.bits()), (mask, bits));
            assert_eq!(mask.first().is_none(), mask.is_valid());
            let without = mask.without(Check::IndexOrder);
            assert_eq!(without.bits(), bits & !(1 << Check::IndexOrder.bit()));
        }
        assert_eq!(Mask::from_bits(32), None);
        assert_eq!(Mask::from_bits(0b1_1110).and_then(Mask::first), Some(Check::Duplicate));
        assert_eq!(
            Mask::from_bits(0b11).map(|mask| mask.to_string()).as_deref(),
            Some("the header's hash does not meet its target; the hashes do not XOR to zero")
        );
    }
}
