// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Eight 64-bit lanes, and products of their 52-bit limbs.

use super::Procedure;
use crate::serial::Arithmetic;

/// The number of jobs that one vector computes.
pub const LANES: usize = 8;

/// The number of bits of a limb.
pub const LIMB_BITS: u32 = 52;

/// A mask of the bits of a limb.
pub const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// Several integers modulo 2⁶⁴ in parallel.
///
/// Products are of limbs in [0, 2⁵²). The high half is the product divided by 2⁵² and rounded down,
/// or to the nearest integer with [`Self::NEAREST`]; the low half is the rest. Some processors add
/// a constant to each half, the *bias*. Sums of halves begin with [`Self::without_bias`], so that
/// the biases cancel.
pub trait Vector: Copy {
    /// A limb as a factor of a product.
    type Factor: Copy;

    /// `true` if the addition of a half to a sum is so slow that long sums keep low and high halves
    /// separate.
    const SPLIT_SUMS: bool;

    /// `true` if low halves have a sign: they are in [−2⁵¹, 2⁵¹] instead of [0, 2⁵²). The low half
    /// of a product below 2⁵¹ is the product in either case.
    const NEAREST: bool = false;

    /// Copies one value to every lane.
    fn splat(value: u64) -> Self;
    /// self + other mod 2⁶⁴.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// self − other mod 2⁶⁴.
    #[must_use]
    fn sub(self, other: Self) -> Self;
    /// Bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// self · 2^BITS mod 2⁶⁴.
    #[must_use]
    fn shift_left<const BITS: u32>(self) -> Self;
    /// ⌊self / 2^BITS⌋ of unsigned lanes.
    #[must_use]
    fn shift_right<const BITS: u32>(self) -> Self;
    /// ⌊self / 2^BITS⌋ of signed lanes.
    #[must_use]
    fn shift_right_signed<const BITS: u32>(self) -> Self;
    /// Selects `negative` in the lanes where self is negative as a signed number, else `other`.
    #[must_use]
    fn select_by_sign(self, negative: Self, other: Self) -> Self;

    /// Returns the low 52 bits of each lane as a factor. The other bits are ignored.
    fn factor(self) -> Self::Factor;
    /// Returns lanes in [0, 2⁵²) as a factor.
    #[inline(always)]
    fn factor_of_limb(self) -> Self::Factor {
        self.factor()
    }
    /// Returns a limb in [0, 2⁵²), the same in each lane, as a factor.
    fn splat_factor(limb: u64) -> Self::Factor;
    /// Returns the initial value that cancels the biases of `low` low halves and `high` high
    /// halves.
    fn without_bias(low: u64, high: u64) -> Self;
    /// Adds the low half of a product to `low` and its high half to `high`.
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor);
    /// [`Self::multiply_add`] for sums of many products. A compiler may reorder the additions of
    /// such sums, and then keeps all halves in memory; this function keeps the order.
    #[inline(always)]
    fn multiply_add_in_order(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor) {
        Self::multiply_add(low, high, a, b);
    }
    /// Adds the low half of a product.
    #[inline(always)]
    fn multiply_add_low(low: &mut Self, a: Self::Factor, b: Self::Factor) {
        let mut unused = Self::splat(0);
        Self::multiply_add(low, &mut unused, a, b);
    }
    /// Adds the high half of a product.
    fn multiply_add_high(high: &mut Self, a: Self::Factor, b: Self::Factor);
}

/// A row of constant limbs.
pub trait Constants<const N: usize> {
    /// The limbs, each in [0, 2⁵²).
    const LIMBS: [u64; N];
}

/// Returns the source of each lane of [`Lanes::permuted`].
pub(super) const fn sources(digits: u32) -> [u64; LANES] {
    let (mut sources, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        sources[lane] = (digits >> (4 * (LANES - 1 - lane))) as u64 & 7;
        lane += 1;
    }
    sources
}

/// A vector of eight integers, one per job, in one or more registers.
pub trait Lanes: Vector {
    /// The scalar arithmetic of a processor with these lanes.
    type Serial: Arithmetic;
    /// A register. Procedures with many values compute one register after the other.
    type Register: Vector;
    /// The number of registers.
    const REGISTERS: usize;

    /// Runs a procedure that is compiled with the instructions of these lanes and not inlined.
    fn outlined<P: Procedure>(procedure: P) -> P::Output;

    /// Runs a step of a procedure. It is inlined, except in the emulation and in builds with debug
    /// assertions, which compile faster.
    #[inline(always)]
    fn step<P: Procedure>(step: P) -> P::Output {
        if cfg!(debug_assertions) {
            return Self::outlined(step);
        }
        step.call()
    }

    /// Runs a step with hundreds of products: it is inlined only if a product is two instructions.
    #[inline(always)]
    fn large_step<P: Procedure>(step: P) -> P::Output {
        Self::outlined(step)
    }

    /// Loads one value per lane.
    fn load(values: &[u64; LANES]) -> Self;
    /// Loads eight values per lane: register `number` receives value `number` of each lane's row.
    fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES];
    /// Returns the values.
    fn store(self) -> [u64; LANES];

    /// Returns the value of lane `number` in every lane.
    #[inline(always)]
    #[must_use]
    fn broadcast(self, number: usize) -> Self {
        Self::splat(self.store()[number])
    }

    /// Moves values: each hexadecimal digit of SOURCES, the first for lane 0, is the lane from
    /// which a lane takes its value. `0x0123_4567` moves nothing.
    #[inline(always)]
    #[must_use]
    fn permuted<const SOURCES: u32>(self) -> Self {
        let (values, mut moved) = (self.store(), [0; LANES]);
        for (value, source) in moved.iter_mut().zip(sources(SOURCES)) {
            *value = values[source as usize];
        }
        Self::load(&moved)
    }

    /// Returns `other` in the lanes whose bit is set in MASK, and self in the others.
    #[inline(always)]
    #[must_use]
    fn with_lanes<const MASK: u8>(self, other: Self) -> Self {
        let (mut values, others) = (self.store(), other.store());
        for lane in 0..LANES {
            if MASK >> lane & 1 == 1 {
                values[lane] = others[lane];
            }
        }
        Self::load(&values)
    }

    /// Adds the products by all factors of a row: the low half of product j to column j, the high
    /// half to column j + 1.
    #[inline(always)]
    fn add_row<const N: usize>(
        columns: &mut [Self],
        factor: Self::Factor,
        row: &[Self::Factor; N],
    ) {
        for (place, other) in row.iter().enumerate() {
            let (mut low, mut high) = (columns[place], columns[place + 1]);
            Self::multiply_add(&mut low, &mut high, factor, *other);
            (columns[place], columns[place + 1]) = (low, high);
        }
    }

    /// Adds a·b: the low half of the product of limbs i and j to column i + j, the high half to the
    /// next one.
    #[inline(always)]
    fn add_product<const N: usize>(
        columns: &mut [Self],
        a: &[Self::Factor; N],
        b: &[Self::Factor; N],
    ) {
        for (place, factor) in a.iter().enumerate() {
            Self::add_row(&mut columns[place..], *factor, b);
        }
    }

    /// [`Self::add_row`] for a row of constants.
    #[inline(always)]
    fn add_constants<C: Constants<N>, const N: usize>(columns: &mut [Self], factor: Self::Factor) {
        for (place, limb) in C::LIMBS.into_iter().enumerate() {
            let (mut low, mut high) = (columns[place], columns[place + 1]);
            Self::multiply_add(&mut low, &mut high, factor, Self::splat_factor(limb));
            (columns[place], columns[place + 1]) = (low, high);
        }
    }

    /// Returns a register of the lanes.
    fn register(&self, number: usize) -> Self::Register;
    /// Writes a register of lanes, whose memory need not be initialized.
    ///
    /// # Safety
    /// The place is valid for writes, and `number` is below [`Self::REGISTERS`].
    unsafe fn write_register(place: *mut Self, number: usize, value: Self::Register);
    /// Returns a register of a factor.
    fn factor_register(factor: &Self::Factor, number: usize) -> <Self::Register as Vector>::Factor;
}

/// The functions of [`Lanes`] about registers, for lanes in one register.
macro_rules! one_register {
    () => {
        type Register = Self;
        const REGISTERS: usize = 1;

        #[inline(always)]
        fn register(&self, _: usize) -> Self {
            *self
        }
        #[inline(always)]
        unsafe fn write_register(place: *mut Self, _: usize, value: Self) {
            // SAFETY: the caller's.
            unsafe { place.write(value) }
        }
        #[inline(always)]
        fn factor_register(factor: &Self::Factor, _: usize) -> Self::Factor {
            *factor
        }
    };
}

pub(super) use one_register;
