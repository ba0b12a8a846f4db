// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers of x that a square root of x needs.
//!
//! With r − 1 = 2³²·t, these are x^((t + 1)/2), which is a root up to a factor of order 2³², and
//! x^t, which determines the factor. r is y⁴ − y² + 1 with y = 2¹⁶·v, so t = v²·(y² − 1): powers by
//! v, whose digits are few, replace a window of bits. With p = x^(y²/2), q = p²/x = x^(y² − 1) and
//! s = q^((v² − 1)/2), the powers are s·p and s²·q.

use halimede_arith::Fr;

use crate::roots::{Element, Powers, WINDOW_BITS};

/// A number and its inverse, or two zeros.
pub type Ratio = (Fr, Fr);

/// v, from the parameter y = 2¹⁶·v of BLS12-381.
#[cfg(test)]
pub const V: u64 = 0xd201_0000_0001;

/// Elements whose chains are interleaved: the squarings of one depend on each other.
#[derive(Clone, Copy, Debug)]
pub struct Several<const COUNT: usize>(pub [Fr; COUNT]);

impl<const COUNT: usize> Element for Several<COUNT> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let mut result = *self;
        for number in 0..COUNT {
            result.0[number] = self.0[number] * other.0[number];
        }
        result
    }
    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        let mut result = *self;
        for _ in 0..count {
            for element in &mut result.0 {
                *element = element.square();
            }
        }
        result
    }
}

/// Returns x^0xd201.
#[inline(always)]
fn head<E: Element>(x: &E) -> E {
    let three = x.squared(1).times(x);
    let thirteen = three.squared(2).times(x);
    thirteen.squared(3).times(x).squared(9).times(x)
}

/// Returns x^v, where v = 0xd201·2³² + 1.
#[inline(always)]
fn power_v<E: Element>(x: &E) -> E {
    head(x).squared(32).times(x)
}

/// Returns x^((v + 1)/2) = x^(0xd201·2³¹ + 1).
#[inline(always)]
fn power_half_v<E: Element>(x: &E) -> E {
    head(x).squared(31).times(x)
}

/// Returns the powers of x, given 1/x; zero for zero. 244 squarings and 22 multiplications.
#[inline(always)]
pub fn powers<E: Element>(x: &E, inverse: &E) -> Powers<E> {
    // y² is 2³²·v².
    let p = power_v(&power_v(x)).squared(31);
    let q = p.squared(1).times(inverse);
    // (v² − 1)/2 is (v − 1)·(v + 1)/2, and v − 1 is 0xd201·2³².
    let s = head(&power_half_v(&q)).squared(32);
    let first = s.squared(1).times(&q);
    let second = first.squared(WINDOW_BITS);
    let third = second.squared(WINDOW_BITS);
    let fourth = third.squared(WINDOW_BITS);
    Powers { root: s.times(&p), odd: [first, second, third, fourth] }
}
