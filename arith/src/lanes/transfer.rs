// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions of field elements to and from lanes.
//!
//! [`Field`] holds x·2²⁵⁶ and lanes hold x·2²⁶⁰, which is sixteen times as much: a shift by four
//! bits when loading. When storing, the last product has a constant with 2²⁵⁶ instead of 2²⁶⁰,
//! which removes the factor. [`limbs_of_words`] and [`words_of_limbs`] convert numbers without a
//! factor.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use super::element::{carry, Columns, LaneModulus, LIMBS};
use super::vector::{Lanes, LANES, LIMB_MASK};
use crate::Field;

crate::steps! {
    /// Loads one element per lane, as limbs of x·2²⁶⁰ in [0, 16·p).
    pub fn load<L: Lanes; M: LaneModulus>(elements: [&Field<M>; LANES]) -> Columns<L> {
        let mut words = [[0u64; LANES]; 4];
        for lane in 0..LANES {
            let limbs = elements[lane].montgomery_limbs();
            for word in 0..4 {
                words[word][lane] = limbs[word];
            }
        }
        sixteenfold([
            L::load(&words[0]),
            L::load(&words[1]),
            L::load(&words[2]),
            L::load(&words[3]),
        ])
    }
}

/// The limbs of 16·x for numbers x below 2²⁵⁶ in words of 64 bits.
#[inline(always)]
pub fn sixteenfold<L: Lanes>(words: [L; 4]) -> Columns<L> {
    let [w0, w1, w2, w3] = words;
    let mask = L::splat(LIMB_MASK);
    [
        w0.shift_left::<4>().and(mask),
        w0.shift_right::<48>().add(w1.shift_left::<16>()).and(mask),
        w1.shift_right::<36>().add(w2.shift_left::<28>()).and(mask),
        w2.shift_right::<24>().add(w3.shift_left::<40>()).and(mask),
        w3.shift_right::<12>(),
    ]
}

crate::steps! {
    /// Stores the elements whose x·2²⁵⁶, below 4·p, the columns hold.
    pub fn store<L: Lanes; M: LaneModulus>(columns: Columns<L>) -> [Field<M>; LANES] {
        let [w0, w1, w2, w3] = words_of_limbs(canonical::<L, M>(columns));
        let words = [w0.store(), w1.store(), w2.store(), w3.store()];
        let mut elements = [Field::ZERO; LANES];
        for (lane, element) in elements.iter_mut().enumerate() {
            let limbs = [words[0][lane], words[1][lane], words[2][lane], words[3][lane]];
            *element = Field::from_reduced(limbs);
        }
        elements
    }
}

/// Converts numbers below 2²⁵⁶ from words of 64 bits to limbs.
#[inline(always)]
pub fn limbs_of_words<L: Lanes>(words: [L; 4]) -> Columns<L> {
    let [w0, w1, w2, w3] = words;
    let mask = L::splat(LIMB_MASK);
    [
        w0.and(mask),
        w0.shift_right::<52>().add(w1.shift_left::<12>()).and(mask),
        w1.shift_right::<40>().add(w2.shift_left::<24>()).and(mask),
        w2.shift_right::<28>().add(w3.shift_left::<36>()).and(mask),
        w3.shift_right::<16>(),
    ]
}

/// Converts numbers below 2²⁵⁶ from limbs to words of 64 bits.
#[inline(always)]
pub fn words_of_limbs<L: Lanes>(limbs: Columns<L>) -> [L; 4] {
    let [l0, l1, l2, l3, l4] = limbs;
    [
        l0.add(l1.shift_left::<52>()),
        l1.shift_right::<12>().add(l2.shift_left::<40>()),
        l2.shift_right::<24>().add(l3.shift_left::<28>()),
        l3.shift_right::<36>().add(l4.shift_left::<16>()),
    ]
}

/// Returns the number modulo p as limbs, for a number in [0, 4·p).
#[inline(always)]
fn canonical<L: Lanes, M: LaneModulus>(columns: Columns<L>) -> Columns<L> {
    let once = carry(columns);
    let once = subtract_if_larger::<L, M>(once, 1);
    subtract_if_larger::<L, M>(once, 0)
}

/// Returns the number minus p·2^doublings, or the number if the difference is negative.
#[inline(always)]
fn subtract_if_larger<L: Lanes, M: LaneModulus>(limbs: Columns<L>, doublings: u32) -> Columns<L> {
    let mut difference = limbs;
    for limb in 0..LIMBS {
        difference[limb] = limbs[limb].sub(L::splat(M::LIMBS_52[limb] << doublings));
    }
    let difference = carry(difference);
    let sign = difference[LIMBS - 1];
    let mut result = limbs;
    for limb in 0..LIMBS {
        result[limb] = sign.select_by_sign(limbs[limb], difference[limb]);
    }
    result
}
