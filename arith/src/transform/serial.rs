// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Butterflies on one element at a time.
//!
//! Between the levels of a kernel, elements are integers below 2r; the last level reduces them.

use super::roots_of_inverse;
use crate::serial::fr::{add_lazy, canonical, multiply, sub_lazy};
use crate::serial::limbs::Limbs;
use crate::serial::{Arithmetic, Kernel};
use crate::Fr;

/// The levels of one block, down to single values: from the coefficients modulo x^n − ζ² to values.
pub struct EvaluateBlock<'a> {
    pub values: &'a mut [Fr],
    /// The index of the block's root ζ.
    pub block: usize,
    pub roots: &'a [Fr],
}

/// The levels of one block upwards: from values to n times the coefficients modulo x^n − ζ².
pub struct InterpolateBlock<'a> {
    pub values: &'a mut [Fr],
    /// The index of the block's root ζ.
    pub block: usize,
    pub roots: &'a [Fr],
}

/// One level of a part of a block.
pub struct EvaluateLevel<'a> {
    pub low: &'a mut [Fr],
    pub high: &'a mut [Fr],
    pub root: Fr,
}

/// One level upwards of a part of a block.
pub struct InterpolateLevel<'a> {
    pub low: &'a mut [Fr],
    pub high: &'a mut [Fr],
    /// The index of the block's root ζ.
    pub block: usize,
    pub roots: &'a [Fr],
}

/// Wraps an element: an integer below 2r if `LAZY`.
#[inline(always)]
fn wrap<A: Arithmetic, const LAZY: bool>(x: Limbs) -> Fr {
    match LAZY {
        true => Fr::from_reduced(x),
        false => canonical::<A>(x),
    }
}

/// (a, b) becomes (a + ζb, a − ζb).
#[inline(always)]
fn evaluate_level<A: Arithmetic, const LAZY: bool>(low: &mut [Fr], high: &mut [Fr], root: Fr) {
    let root = root.montgomery_limbs();
    for (low, high) in low.iter_mut().zip(high) {
        let (a, b) = (low.montgomery_limbs(), multiply::<A>(high.montgomery_limbs(), root));
        *low = wrap::<A, LAZY>(add_lazy::<A>(a, b));
        *high = wrap::<A, LAZY>(sub_lazy::<A>(a, b));
    }
}

/// (a, b) becomes (a + b, a − b): the level of the root 1.
#[inline(always)]
fn level_of_one<A: Arithmetic, const LAZY: bool>(low: &mut [Fr], high: &mut [Fr]) {
    for (low, high) in low.iter_mut().zip(high) {
        let (a, b) = (low.montgomery_limbs(), high.montgomery_limbs());
        *low = wrap::<A, LAZY>(add_lazy::<A>(a, b));
        *high = wrap::<A, LAZY>(sub_lazy::<A>(a, b));
    }
}

/// (a, b) becomes (a + b, (a − b)/ζ).
#[inline(always)]
fn interpolate_level<A: Arithmetic, const LAZY: bool>(
    low: &mut [Fr],
    high: &mut [Fr],
    block: usize,
    roots: &[Fr],
) {
    if block == 0 {
        return level_of_one::<A, LAZY>(low, high);
    }
    // 1/ζ is minus this root.
    let root = roots[roots_of_inverse(block)].montgomery_limbs();
    for (low, high) in low.iter_mut().zip(high) {
        let (a, b) = (low.montgomery_limbs(), high.montgomery_limbs());
        *low = wrap::<A, LAZY>(add_lazy::<A>(a, b));
        *high = wrap::<A, LAZY>(multiply::<A>(sub_lazy::<A>(b, a), root));
    }
}

impl Kernel for EvaluateBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn compute<A: Arithmetic>(self) {
        let (mut half, mut block) = (self.values.len() / 2, self.block);
        while half > 1 {
            for (number, values) in self.values.chunks_exact_mut(2 * half).enumerate() {
                let (low, high) = values.split_at_mut(half);
                match block + number {
                    0 => level_of_one::<A, true>(low, high),
                    index => evaluate_level::<A, true>(low, high, self.roots[index]),
                }
            }
            (half, block) = (half / 2, 2 * block);
        }
        let (pairs, _) = self.values.as_chunks_mut::<2>();
        for ([low, high], root) in pairs.iter_mut().zip(&self.roots[block..]) {
            let (low, high) = (std::slice::from_mut(low), std::slice::from_mut(high));
            evaluate_level::<A, false>(low, high, *root);
        }
    }
}

impl Kernel for InterpolateBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn compute<A: Arithmetic>(self) {
        let size = self.values.len();
        let mut half = 1;
        while 2 * half < size {
            let block = self.block * (size / (2 * half));
            for (number, values) in self.values.chunks_exact_mut(2 * half).enumerate() {
                let (low, high) = values.split_at_mut(half);
                interpolate_level::<A, true>(low, high, block + number, self.roots);
            }
            half *= 2;
        }
        let (low, high) = self.values.split_at_mut(size / 2);
        interpolate_level::<A, false>(low, high, self.block, self.roots);
    }
}

impl Kernel for EvaluateLevel<'_> {
    type Output = ();

    #[inline(always)]
    fn compute<A: Arithmetic>(self) {
        evaluate_level::<A, false>(self.low, self.high, self.root);
    }
}

impl Kernel for InterpolateLevel<'_> {
    type Output = ();

    #[inline(always)]
    fn compute<A: Arithmetic>(self) {
        interpolate_level::<A, false>(self.low, self.high, self.block, self.roots);
    }
}
