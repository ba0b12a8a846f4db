// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels in vectors of residues, for any vector width.
//!
//! Every function is inlined into one that has the vector's instructions (`target_feature`).

use super::super::modulus::{Modulus, Shoup};

/// A vector of 32-bit words.
///
/// # Safety
/// The processor must have the vector's instructions.
pub(super) trait Vector: Copy {
    /// The number of words in a vector.
    const LANES: usize;
    /// log₂ of the number of vectors that a transform holds in registers at a time.
    const LOG_RADIX: u32;
    /// Products of the even words and of the odd words, 64 bits each.
    type Wide: Copy;

    /// Reads `LANES` words.
    unsafe fn load(from: *const u32) -> Self;
    /// Reads words that each apply to `RUN` consecutive lanes, where RUN is a power of two from 2
    /// to `LANES`. Each even lane gets its word. The odd lanes may hold anything.
    unsafe fn load_runs<const RUN: usize>(from: *const u32) -> Self;
    /// Writes `LANES` words.
    unsafe fn store(self, to: *mut u32);
    /// Writes `LANES` words past the caches, to an address aligned to their size. [`Self::fence`]
    /// must follow such writes.
    unsafe fn stream(self, to: *mut u32);
    /// Makes streamed words visible to other threads before all later writes.
    unsafe fn fence();
    /// Reorders the lanes: lane i gets lane `order`ᵢ.
    unsafe fn permute(self, order: Self) -> Self;
    /// The same word in all lanes.
    unsafe fn splat(word: u32) -> Self;
    /// self + other mod 2³².
    unsafe fn add(self, other: Self) -> Self;
    /// self − other mod 2³².
    unsafe fn sub(self, other: Self) -> Self;
    /// The smaller of unsigned words.
    unsafe fn min(self, other: Self) -> Self;
    /// self · 2^`count` mod 2³².
    unsafe fn shift_left(self, count: u32) -> Self;
    /// ⌊self / 2^`count`⌋.
    unsafe fn shift_right_words(self, count: u32) -> Self;
    /// self · other mod 2³².
    unsafe fn mul_low(self, other: Self) -> Self;
    /// The odd words in the even lanes. The odd lanes may hold anything.
    unsafe fn odd(self) -> Self;
    /// Products of the even words of `self` and `other`, and of the even words of `odd` and
    /// `other_odd`.
    unsafe fn mul_wide(self, odd: Self, other: Self, other_odd: Self) -> Self::Wide;
    /// 0.
    unsafe fn zero_wide() -> Self::Wide;
    /// The even words · 2³², twice.
    unsafe fn wide_from_high(high: Self) -> Self::Wide;
    /// a + b mod 2⁶⁴.
    unsafe fn add_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The low words of both halves as even words.
    unsafe fn halves(wide: Self::Wide) -> (Self, Self);
    /// The high words, in the lanes of the factors' words.
    unsafe fn high(wide: Self::Wide) -> Self;
    /// Both halves shifted right by `count`. Their low words are in the lanes of the factors'
    /// words.
    unsafe fn shift_right(wide: Self::Wide, count: u32) -> Self;
    /// Transposes the square matrix of the first `LANES` vectors.
    unsafe fn transpose(square: &mut [Self; MAX_LANES]);
}

/// Defines functions of [`Vector`] that are one expression of the processor's intrinsics.
macro_rules! intrinsics {
    ($(fn $name:ident($($arguments:tt)*) $(-> $result:ty)? = $body:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arguments)*) $(-> $result)? {
            // SAFETY: the trait requires these instructions.
            unsafe { $body }
        }
    )*};
}
pub(super) use intrinsics;

/// The largest number of lanes.
pub(super) const MAX_LANES: usize = 16;

/// A factor for each lane, with its quotients (`Shoup`).
#[derive(Clone, Copy)]
pub(super) struct Factor<V> {
    pub factor: V,
    pub quotient: V,
    pub quotient_odd: V,
}

impl<V: Vector> Factor<V> {
    /// The same factor in all lanes.
    #[inline(always)]
    pub unsafe fn splat(by: Shoup) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let quotient = V::splat(by.quotient);
            Self { factor: V::splat(by.factor), quotient, quotient_odd: quotient }
        }
    }

    /// Loads `LANES` factors and their quotients.
    #[inline(always)]
    pub unsafe fn load(factors: *const u32, quotients: *const u32) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let quotient = V::load(quotients);
            Self { factor: V::load(factors), quotient, quotient_odd: quotient.odd() }
        }
    }
}

/// q and 2q in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Bounds<V> {
    pub once: V,
    pub twice: V,
}

impl<V: Vector> Bounds<V> {
    #[inline(always)]
    pub unsafe fn new(modulus: Modulus) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self { once: V::splat(modulus.value()), twice: V::splat(2 * modulus.value()) } }
    }

    /// Reduces x from [0, 4q) to [0, 2q).
    #[inline(always)]
    pub unsafe fn below_twice(self, x: V) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe { x.min(x.sub(self.twice)) }
    }

    /// Reduces x from [0, 2q) to [0, q).
    #[inline(always)]
    pub unsafe fn below_once(self, x: V) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe { x.min(x.sub(self.once)) }
    }

    /// Reduces x from [0, 4q) to [0, q).
    #[inline(always)]
    pub unsafe fn reduce(self, x: V) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe { self.below_once(self.below_twice(x)) }
    }

    /// x · factor in [0, 2q), for any x.
    #[inline(always)]
    pub unsafe fn mul(self, x: V, by: Factor<V>) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let quotient = V::high(x.mul_wide(x.odd(), by.quotient, by.quotient_odd));
            x.mul_low(by.factor).sub(quotient.mul_low(self.once))
        }
    }
}

/// Constants for products of two residues and sums of products.
#[derive(Clone, Copy)]
pub(super) struct Reducer<V> {
    pub bounds: Bounds<V>,
    negated_inverse: V,
    barrett: V,
    bits: u32,
}

impl<V: Vector> Reducer<V> {
    #[inline(always)]
    pub unsafe fn new(modulus: Modulus) -> Self {
        let (bits, barrett) = modulus.barrett();
        // SAFETY: guaranteed by the caller.
        unsafe {
            let negated_inverse = V::splat(modulus.negated_inverse());
            Self { bounds: Bounds::new(modulus), negated_inverse, barrett: V::splat(barrett), bits }
        }
    }

    /// a · b in [0, 3q) (Barrett).
    #[inline(always)]
    pub unsafe fn mul(self, a: V, b: V) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let high = V::shift_right(a.mul_wide(a.odd(), b, b.odd()), self.bits - 1);
            let product = high.mul_wide(high.odd(), self.barrett, self.barrett);
            let quotient = V::shift_right(product, self.bits + 1);
            a.mul_low(b).sub(quotient.mul_low(self.bounds.once))
        }
    }

    /// sum · 2⁻³² mod q, for sums below 2⁶⁴ − 2³²·q of at most 12·2⁶⁰.
    #[inline(always)]
    pub unsafe fn montgomery(self, sum: V::Wide) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (even, odd) = V::halves(sum);
            let by = self.negated_inverse;
            let (even, odd) = V::halves(even.mul_wide(odd, by, by));
            let multiple = even.mul_wide(odd, self.bounds.once, self.bounds.once);
            // Below 12·2⁶⁰ / 2³² + q, which is less than 2³².
            V::high(V::add_wide(sum, multiple))
        }
    }
}
