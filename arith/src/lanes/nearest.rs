// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] with AVX2 and FMA: the halves of 52-bit products by fused multiply-adds of doubles
//! that round to the nearest.
//!
//! AVX2 has no rounding mode per instruction, so the high half h of a·b is the nearest integer to
//! a·b/2⁵², and the low half a·b − h·2⁵² has a sign: it is in [−2⁵¹, 2⁵¹]. As in
//! [`doubles`](super::doubles), a·b + 2¹⁰⁴ is rounded to 2¹⁰⁴ + h·2⁵². The low half is exact, and
//! its sum with 1.5·2⁵² is in [2⁵², 2⁵³], where the bits of a double count its units.

use std::arch::asm;
use std::arch::x86_64::*;

use super::emulation::{HIGH_BIAS, LOW_BIAS, SIGNED_LOW_BIAS};
use super::pair::{lane_operations, vector_operations, Pair};
use super::vector::{Constants, Lanes, Vector, LANES, LIMB_MASK};
use super::{Kernel, Procedure};

/// Four lanes of a 256-bit register.
#[derive(Clone, Copy)]
pub(super) struct Nearest(__m256i);

/// A limb as an exact double.
#[derive(Clone, Copy)]
pub(super) struct Factor(__m256d);

/// Runs a kernel, compiled with these instructions.
///
/// # Safety
/// The processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Pair<Nearest>>()
}

/// Runs a procedure, compiled with these instructions, without being inlined.
///
/// # Safety
/// See [`run`].
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn call<P: Procedure>(procedure: P) -> P::Output {
    procedure.call()
}

/// The double with these bits in each lane.
#[inline(always)]
fn double(bits: u64) -> __m256d {
    // SAFETY: values of these types exist only under `run`.
    unsafe { _mm256_castsi256_pd(_mm256_set1_epi64x(bits as i64)) }
}

/// value + the bits of a double.
#[inline(always)]
fn plus_bits(value: __m256i, double: __m256d) -> __m256i {
    // SAFETY: as in `double`.
    unsafe { _mm256_add_epi64(value, _mm256_castpd_si256(double)) }
}

/// Returns the sums of the low and the high half of a product and the given values, by the
/// instructions of [`Vector::multiply_add`].
///
/// # Safety
/// The processor has AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn in_order(low: __m256i, high: __m256i, a: __m256d, b: __m256d) -> (__m256i, __m256i) {
    let (mut low, mut high) = (low, high);
    // SAFETY: the caller's processor has the instructions, which only change registers.
    unsafe {
        asm!(
            "vmovapd {top}, {high_bias}",
            "vfmadd231pd {top}, {a}, {b}",
            "vsubpd {bottom}, {high_bias}, {top}",
            "vfmadd231pd {bottom}, {a}, {b}",
            "vpaddq {high}, {high}, {top}",
            "vaddpd {bottom}, {bottom}, {low_bias}",
            "vpaddq {low}, {low}, {bottom}",
            top = out(ymm_reg) _,
            bottom = out(ymm_reg) _,
            low = inout(ymm_reg) low,
            high = inout(ymm_reg) high,
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            high_bias = in(ymm_reg) double(HIGH_BIAS),
            low_bias = in(ymm_reg) double(SIGNED_LOW_BIAS),
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (low, high)
}

/// The instructions that add the halves of a·b to the columns `low` and `high`, where b is in
/// memory at a distance from `row`. The difference `bottom` is exact: a multiple of 2⁵² below 2¹⁰⁵.
macro_rules! product {
    ($low:literal $high:literal at $distance:literal) => {
        concat!(
            "vmovapd {top}, {high_bias}\n",
            "vfmadd231pd {top}, {a}, ymmword ptr [{row} + ",
            $distance,
            "]\n",
            "vsubpd {bottom}, {high_bias}, {top}\n",
            "vfmadd231pd {bottom}, {a}, ymmword ptr [{row} + ",
            $distance,
            "]\n",
            "vaddpd {bottom}, {bottom}, {low_bias}\n",
            "vpaddq {s",
            $high,
            "}, {s",
            $high,
            "}, {top}\n",
            "vpaddq {s",
            $low,
            "}, {s",
            $low,
            "}, {bottom}\n",
        )
    };
}

/// Declares functions that add the products of a factor and of a row to columns, in one register of
/// pairs.
///
/// In assembly, since a compiler that sees the additions gathers those of one sum: it computes all
/// halves first, and stores them in memory.
macro_rules! rows {
    ($($name:ident: $last:literal $column:ident
        = $($low:literal $high:literal at $distance:literal $low_column:ident),*;)*) => {$(
        /// # Safety
        /// The processor has AVX2 and FMA. `row` points to a pair of factors for each product, and
        /// there is one column more.
        #[inline]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $name<const REGISTER: usize>(
            columns: &mut [Pair<Nearest>],
            a: [Factor; 2],
            row: *const [Factor; 2],
        ) {
            // SAFETY: the block only reads the row and changes its operands.
            unsafe {
                asm!(
                    $(product!($low $high at $distance),)*
                    $($low_column = inout(ymm_reg) columns[$low].0[REGISTER].0,)*
                    $column = inout(ymm_reg) columns[$last].0[REGISTER].0,
                    a = in(ymm_reg) a[REGISTER].0,
                    row = in(reg) row.cast::<Factor>().add(REGISTER),
                    high_bias = in(ymm_reg) double(HIGH_BIAS),
                    low_bias = in(ymm_reg) double(SIGNED_LOW_BIAS),
                    top = out(ymm_reg) _,
                    bottom = out(ymm_reg) _,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
        }
    )*};
}

rows! {
    add_row_1: 1 s1 = 0 1 at 0 s0;
    add_row_2: 2 s2 = 0 1 at 0 s0, 1 2 at 64 s1;
    add_row_3: 3 s3 = 0 1 at 0 s0, 1 2 at 64 s1, 2 3 at 128 s2;
    add_row_4: 4 s4 = 0 1 at 0 s0, 1 2 at 64 s1, 2 3 at 128 s2, 3 4 at 192 s3;
    add_row_5: 5 s5 = 0 1 at 0 s0, 1 2 at 64 s1, 2 3 at 128 s2, 3 4 at 192 s3, 4 5 at 256 s4;
}

/// [`Lanes::add_row`] in one register of pairs.
///
/// # Safety
/// The processor has AVX2 and FMA.
#[inline(always)]
unsafe fn add_row<const REGISTER: usize, const N: usize>(
    columns: &mut [Pair<Nearest>],
    a: [Factor; 2],
    row: &[[Factor; 2]; N],
) {
    let row = row.as_ptr();
    // SAFETY: the caller's; each function reads N pairs at most.
    unsafe {
        match N {
            1 => add_row_1::<REGISTER>(columns, a, row),
            2 => add_row_2::<REGISTER>(columns, a, row),
            3 => add_row_3::<REGISTER>(columns, a, row),
            4 => add_row_4::<REGISTER>(columns, a, row),
            5 => add_row_5::<REGISTER>(columns, a, row),
            _ => const { assert!(matches!(N, 1..=5), "the length of a row") },
        }
    }
}

/// [`Lanes::add_product`] in one register of pairs.
///
/// # Safety
/// See [`add_row`].
#[inline(always)]
unsafe fn add_product<const REGISTER: usize, const N: usize>(
    columns: &mut [Pair<Nearest>],
    a: &[[Factor; 2]; N],
    b: &[[Factor; 2]; N],
) {
    for (place, factor) in a.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { add_row::<REGISTER, N>(&mut columns[place..], *factor, b) };
    }
}

/// Rows of constants in memory.
struct InMemory<C>(std::marker::PhantomData<C>);

impl<C> InMemory<C> {
    /// The limbs in each lane.
    const fn row<const N: usize>(limbs: [u64; N]) -> [[Factor; 2]; N]
    where
        C: Constants<N>,
    {
        // SAFETY: all bits are valid in a register.
        let mut row = [[Factor(unsafe { std::mem::zeroed() }); 2]; N];
        let mut place = 0;
        while place < N {
            let lanes = [limbs[place] as f64; 4];
            // SAFETY: both types have 32 bytes, and all bits are valid in a register.
            row[place] = [Factor(unsafe { std::mem::transmute::<[f64; 4], __m256d>(lanes) }); 2];
            place += 1;
        }
        row
    }
}

impl Vector for Nearest {
    type Factor = Factor;

    // An addition takes one clock.
    const SPLIT_SUMS: bool = false;
    const NEAREST: bool = true;

    vector_operations!();

    #[inline(always)]
    fn factor(self) -> Factor {
        self.and(Self::splat(LIMB_MASK)).factor_of_limb()
    }
    // A limb below 2⁵² is the mantissa of 2⁵² + limb.
    #[inline(always)]
    fn factor_of_limb(self) -> Factor {
        let exponent = double(LOW_BIAS);
        // SAFETY: as in `double`.
        unsafe {
            let sum = _mm256_or_pd(_mm256_castsi256_pd(self.0), exponent);
            Factor(_mm256_sub_pd(sum, exponent))
        }
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Factor {
        // SAFETY: as in `double`.
        unsafe { Factor(_mm256_set1_pd(limb as i64 as f64)) }
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        let bias = low.wrapping_mul(SIGNED_LOW_BIAS).wrapping_add(high.wrapping_mul(HIGH_BIAS));
        Self::splat(bias.wrapping_neg())
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        let (high_bias, low_bias) = (double(HIGH_BIAS), double(SIGNED_LOW_BIAS));
        // SAFETY: as in `double`. The difference is exact: a multiple of 2⁵² below 2¹⁰⁵.
        unsafe {
            let top = _mm256_fmadd_pd(a.0, b.0, high_bias);
            let bottom = _mm256_fmadd_pd(a.0, b.0, _mm256_sub_pd(high_bias, top));
            low.0 = plus_bits(low.0, _mm256_add_pd(bottom, low_bias));
            high.0 = plus_bits(high.0, top);
        }
    }
    #[inline(always)]
    fn multiply_add_in_order(low: &mut Self, high: &mut Self, a: Factor, b: Factor) {
        // SAFETY: as in `double`.
        (low.0, high.0) = unsafe { in_order(low.0, high.0, a.0, b.0) };
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Factor, b: Factor) {
        // SAFETY: as in `double`.
        let top = unsafe { _mm256_fmadd_pd(a.0, b.0, double(HIGH_BIAS)) };
        high.0 = plus_bits(high.0, top);
    }
}

impl Lanes for Pair<Nearest> {
    lane_operations!(Nearest);

    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        // SAFETY: values of this type, which the procedure takes, exist only under `run`.
        unsafe { call(procedure) }
    }
    #[inline(always)]
    fn add_row<const N: usize>(columns: &mut [Self], a: [Factor; 2], row: &[[Factor; 2]; N]) {
        // SAFETY: as in `double`.
        unsafe {
            add_row::<0, N>(columns, a, row);
            add_row::<1, N>(columns, a, row);
        }
    }
    // One register after the other, since the columns of both are more than there are registers.
    #[inline(always)]
    fn add_product<const N: usize>(
        columns: &mut [Self],
        a: &[[Factor; 2]; N],
        b: &[[Factor; 2]; N],
    ) {
        // SAFETY: as in `double`.
        unsafe {
            add_product::<0, N>(columns, a, b);
            add_product::<1, N>(columns, a, b);
        }
    }
    #[inline(always)]
    fn add_constants<C: Constants<N>, const N: usize>(columns: &mut [Self], factor: [Factor; 2]) {
        Self::add_row(columns, factor, const { &InMemory::<C>::row(C::LIMBS) });
    }
}
