// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The gas of a call (EIP-2537, section "Gas schedule").

use super::{point_bytes, Precompile, SCALAR_BYTES};
use crate::{G1, G2};

/// The gas of a product of a point of G1 and a scalar.
const PRODUCT_G1: u64 = 12_000;
const PRODUCT_G2: u64 = 22_500;
const PAIRING_BASE: u64 = 37_700;
const PAIRING_PAIR: u64 = 32_600;

/// A sum of k products costs `DISCOUNTS[k - 1]` thousandths of k products, and the last entry's for
/// more of them.
const DISCOUNTS_G1: [u16; 128] = [
    1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665,
    661, 658, 654, 651, 648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615,
    613, 611, 609, 608, 606, 604, 603, 601, 599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585,
    584, 582, 581, 580, 579, 577, 576, 575, 574, 573, 572, 570, 569, 568, 567, 566, 565, 564, 563,
    562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545,
    544, 543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531, 530, 529,
    528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
];
const DISCOUNTS_G2: [u16; 128] = [
    1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704,
    699, 693, 688, 683, 679, 674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632,
    629, 627, 624, 622, 620, 618, 615, 613, 611, 609, 607, 606, 604, 602, 600, 598, 597, 595, 593,
    592, 590, 589, 587, 586, 584, 583, 582, 580, 579, 578, 576, 575, 574, 573, 571, 570, 569, 568,
    567, 566, 565, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551, 550, 549,
    548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535, 534,
    533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
];

impl Precompile {
    /// Returns the gas of a call with an input of this many bytes, which is charged before the call
    /// runs. Of a length that the precompile refuses, the whole items are charged; the failed call
    /// then burns all gas that it was given.
    pub fn gas(self, input_bytes: usize) -> u64 {
        let items = |unit: usize| (input_bytes / unit) as u64;
        match self {
            Self::G1Add => 375,
            Self::G2Add => 600,
            Self::G1Msm => {
                products(items(point_bytes::<G1>() + SCALAR_BYTES), PRODUCT_G1, &DISCOUNTS_G1)
            }
            Self::G2Msm => {
                products(items(point_bytes::<G2>() + SCALAR_BYTES), PRODUCT_G2, &DISCOUNTS_G2)
            }
            Self::PairingCheck => {
                let pairs = items(point_bytes::<G1>() + point_bytes::<G2>());
                PAIRING_BASE + PAIRING_PAIR * pairs
            }
            Self::MapFpToG1 => 5_500,
            Self::MapFp2ToG2 => 23_800,
        }
    }
}

/// The gas of a sum of k products.
fn products(k: u64, product: u64, discounts: &[u16; 128]) -> u64 {
    let place = k.min(discounts.len() as u64) as usize;
    let discount = place.checked_sub(1).map_or(0, |place| u64::from(discounts[place]));
    // Exact for all lengths of memory: below 2⁶⁴ for fewer than 8·10¹¹ products.
    (u128::from(k) * u128::from(product) * u128::from(discount) / 1_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_cost_less_the_more_products_they_have() {
        for (precompile, unit, product, discounts) in [
            (Precompile::G1Msm, 160, PRODUCT_G1, &DISCOUNTS_G1),
            (Precompile::G2Msm, 288, PRODUCT_G2, &DISCOUNTS_G2),
        ] {
            assert_eq!(precompile.gas(0), 0);
            assert_eq!(precompile.gas(unit), product);
            assert_eq!(precompile.gas(2 * unit - 1), product);
            for k in 1..300 {
                let (gas, next) = (precompile.gas(k * unit), precompile.gas((k + 1) * unit));
                assert!(gas < next && next - gas <= product, "{k}");
            }
            assert!(discounts.windows(2).all(|pair| pair[0] >= pair[1]));
            let last = u64::from(discounts[127]);
            assert_eq!(precompile.gas(1_000 * unit), product * last);
        }
        assert_eq!(Precompile::PairingCheck.gas(2 * 384), 37_700 + 2 * 32_600);
        assert_eq!(Precompile::PairingCheck.gas(64), 37_700);
    }
}
