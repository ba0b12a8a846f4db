// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The halves of products in the columns of a product, a square, and a Montgomery reduction.
//!
//! There are two orders. *By rows*, a factor is multiplied by all limbs, with all sixteen columns
//! in registers: the sums of many columns proceed in parallel, which hides the latency of a fused
//! addition. *By columns*, two sums are enough for one register of lanes, which suits processors
//! with few registers; the factors stay in memory. Lanes with [`Vector::SPLIT_SUMS`] use rows.

use std::mem::MaybeUninit;

use super::super::vector::{Lanes, Vector, LIMB_BITS, LIMB_MASK};
use super::columns::{carried, COLUMNS};
use super::{Columns, Factors, LIMBS, MODULUS_52};

/// The limbs of a factor in one register of the lanes.
type RegisterFactors<V> = [<V as Vector>::Factor; LIMBS];

/// −p⁻¹ mod 2⁵² by Newton's iteration, which doubles the number of correct bits. The initial value
/// p is correct in three bits.
const NEGATIVE_INVERSE: u64 = {
    let mut inverse = MODULUS_52[0];
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(MODULUS_52[0].wrapping_mul(inverse)));
        round += 1;
    }
    inverse.wrapping_neg() & LIMB_MASK
};

/// Unrolls a loop over eight rounds, or over the sixteen columns of a product, of one or more
/// states, interleaved. The compiler would not unroll it and would keep the columns in memory.
macro_rules! in_rounds {
    ($step:ident, $states:tt) => {
        in_rounds!(@ $step $states 0 1 2 3 4 5 6 7);
    };
    (columns: $step:ident, $states:tt) => {
        in_rounds!(@ $step $states 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    };
    (@ $step:ident $states:tt $($round:literal)*) => {
        $(in_rounds!(@round $step $round $states);)*
    };
    (@round $step:ident $round:literal ($($state:ident),*)) => {
        $($state.$step::<$round>();)*
    };
}

/// Returns the number of products aᵢ·bⱼ with i + j = `column`, for numbers of LIMBS limbs.
const fn products_at(column: usize) -> u64 {
    match column {
        0..LIMBS => column as u64 + 1,
        LIMBS..COLUMNS => (COLUMNS - 1 - column) as u64,
        _ => 0,
    }
}

/// Returns the initial value of a column of a product.
#[inline(always)]
fn start_of_product<V: Vector>(column: usize) -> V {
    V::without_bias(products_at(column), products_at(column.wrapping_sub(1)))
}

/// Returns the initial value of a column of a square, which is doubled before the halves of squares
/// are added: half of the biases of all halves.
#[inline(always)]
fn start_of_square<V: Vector>(column: usize) -> V {
    let (low, high) = (products_at(column), products_at(column.wrapping_sub(1)));
    V::without_bias(low, high).shift_right::<1>()
}

/// Returns the initial value of a column that receives halves of a reduction: low halves of all
/// limbs of p except the lowest, and high halves of all.
#[inline(always)]
fn start_of_reduction<V: Vector>(column: usize) -> V {
    let lowest = u64::from(column < LIMBS);
    V::without_bias(products_at(column) - lowest, products_at(column - 1))
}

/// Returns what is added to a result column of a reduction: p, so that the result is not negative,
/// and, if the columns are carried as unsigned numbers, 2⁶³ that is subtracted from the next
/// column: the magnitude of a column is below 127·2⁵⁶.
#[inline(always)]
fn offset_of_result<V: Vector, const UNSIGNED: bool>(column: usize) -> V {
    let mut offset = MODULUS_52[column];
    if UNSIGNED && column + 1 < LIMBS {
        offset += 1 << 63;
    }
    if UNSIGNED && column > 0 {
        offset = offset.wrapping_sub(1 << (63 - LIMB_BITS));
    }
    V::splat(offset)
}

/// Carries columns in [0, 2⁶⁴ − 2⁵⁶) into limbs, except the last column, which may be negative and
/// keeps its overflow.
#[inline(always)]
fn carried_unsigned<V: Vector>(mut columns: [V; LIMBS]) -> [V; LIMBS] {
    for k in 1..LIMBS {
        columns[k] = columns[k].add(columns[k - 1].shift_right::<LIMB_BITS>());
        columns[k - 1] = columns[k - 1].and(V::splat(LIMB_MASK));
    }
    columns
}

/// Returns one register of a factor's limbs.
#[inline(always)]
fn register_of<L: Lanes>(factors: &Factors<L>, number: usize) -> RegisterFactors<L::Register> {
    let [a, b, c, d, e, f, g, h] = factors;
    [
        L::factor_register(a, number),
        L::factor_register(b, number),
        L::factor_register(c, number),
        L::factor_register(d, number),
        L::factor_register(e, number),
        L::factor_register(f, number),
        L::factor_register(g, number),
        L::factor_register(h, number),
    ]
}

/// Writes a register of each of some lanes.
#[inline(always)]
fn write_registers<L: Lanes, const COUNT: usize>(
    places: &mut MaybeUninit<[L; COUNT]>,
    number: usize,
    values: &[L::Register; COUNT],
) {
    debug_assert!(number < L::REGISTERS);
    let first = places.as_mut_ptr().cast::<L>();
    for (place, value) in values.iter().enumerate() {
        // SAFETY: there are COUNT places, and the callers' numbers are below `REGISTERS`.
        unsafe { L::write_register(first.add(place), number, *value) };
    }
}

crate::large_steps! {
    /// The columns of a·b.
    pub(super) fn product_columns<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> [L; COLUMNS] {
        if L::SPLIT_SUMS {
            return product_by_rows(a, b);
        }
        let mut columns = MaybeUninit::uninit();
        for number in 0..L::REGISTERS {
            let (a, b) = (register_of::<L>(a, number), register_of::<L>(b, number));
            let mut product = Product::<L::Register>::new(a, b);
            in_rounds!(columns: column, (product));
            write_registers(&mut columns, number, &product.columns);
        }
        // SAFETY: all registers of all columns are written.
        unsafe { columns.assume_init() }
    }

    /// The columns of a²: products of different limbs once, doubled, then the squares.
    pub(super) fn square_columns<L: Lanes>(a: &Factors<L>) -> [L; COLUMNS] {
        if L::SPLIT_SUMS {
            return square_by_rows(a);
        }
        let mut columns = MaybeUninit::uninit();
        for number in 0..L::REGISTERS {
            let mut square = Square::<L::Register>::new(register_of::<L>(a, number));
            in_rounds!(columns: column, (square));
            write_registers(&mut columns, number, &square.columns);
        }
        // SAFETY: all registers of all columns are written.
        unsafe { columns.assume_init() }
    }

    /// Returns the reduced sum as limbs.
    pub(super) fn reduced_limbs<L: Lanes>(columns: &[L; COLUMNS]) -> Columns<L> {
        if L::SPLIT_SUMS {
            let mut state = ByRows::new(columns);
            in_rounds!(round, (state));
            return carried(&state.finished());
        }
        let mut limbs = MaybeUninit::uninit();
        if L::REGISTERS == 2 {
            let mut a = ByColumns::<L::Register, true, true>::new::<L>(columns, 0);
            let mut b = ByColumns::<L::Register, true, true>::new::<L>(columns, 1);
            in_rounds!(round, (a, b));
            in_rounds!(finish, (a, b));
            a.store_limbs(&mut limbs, 0);
            b.store_limbs(&mut limbs, 1);
            // SAFETY: both registers of all limbs are written.
            return unsafe { limbs.assume_init() };
        }
        for number in 0..L::REGISTERS {
            let mut state = ByColumns::<L::Register, true, true>::new::<L>(columns, number);
            in_rounds!(round, (state));
            in_rounds!(finish, (state));
            state.store_limbs(&mut limbs, number);
        }
        // SAFETY: all registers of all limbs are written.
        unsafe { limbs.assume_init() }
    }

    /// Returns two reduced sums as columns.
    pub(super) fn reduced_columns<L: Lanes>(
        a: &[L; COLUMNS],
        b: &[L; COLUMNS],
    ) -> [Columns<L>; 2] {
        if L::SPLIT_SUMS {
            let (mut a, mut b) = (ByRows::new(a), ByRows::new(b));
            in_rounds!(round, (a, b));
            return [a.finished(), b.finished()];
        }
        let (mut first, mut second) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        for number in 0..L::REGISTERS {
            let mut a = ByColumns::<L::Register, false, false>::new::<L>(a, number);
            let mut b = ByColumns::<L::Register, false, false>::new::<L>(b, number);
            in_rounds!(round, (a, b));
            in_rounds!(finish, (a, b));
            a.store_columns(&mut first, number);
            b.store_columns(&mut second, number);
        }
        // SAFETY: all registers of both results are written.
        unsafe { [first.assume_init(), second.assume_init()] }
    }

    /// Returns two reduced sums as limbs.
    pub(super) fn reduced_pair_of_limbs<L: Lanes>(
        a: &[L; COLUMNS],
        b: &[L; COLUMNS],
    ) -> [Columns<L>; 2] {
        if L::SPLIT_SUMS {
            let (mut a, mut b) = (ByRows::new(a), ByRows::new(b));
            in_rounds!(round, (a, b));
            return [carried(&a.finished()), carried(&b.finished())];
        }
        let (mut first, mut second) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        for number in 0..L::REGISTERS {
            let mut a = ByColumns::<L::Register, true, false>::new::<L>(a, number);
            let mut b = ByColumns::<L::Register, true, false>::new::<L>(b, number);
            in_rounds!(round, (a, b));
            in_rounds!(finish, (a, b));
            a.store_limbs(&mut first, number);
            b.store_limbs(&mut second, number);
        }
        // SAFETY: all registers of both results are written.
        unsafe { [first.assume_init(), second.assume_init()] }
    }
}

#[inline(always)]
fn product_by_rows<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> [L; COLUMNS] {
    let mut columns = [L::splat(0); COLUMNS];
    for (place, column) in columns.iter_mut().enumerate() {
        *column = start_of_product(place);
    }
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            L::multiply_add_low(&mut columns[i + j], a[j], b[i]);
        }
        for j in 0..LIMBS {
            L::multiply_add_high(&mut columns[i + j + 1], a[j], b[i]);
        }
    }
    columns
}

#[inline(always)]
fn square_by_rows<L: Lanes>(a: &Factors<L>) -> [L; COLUMNS] {
    let mut columns = [L::splat(0); COLUMNS];
    for (place, column) in columns.iter_mut().enumerate() {
        *column = start_of_square(place);
    }
    for i in 0..LIMBS {
        for j in i + 1..LIMBS {
            L::multiply_add_low(&mut columns[i + j], a[i], a[j]);
        }
        for j in i + 1..LIMBS {
            L::multiply_add_high(&mut columns[i + j + 1], a[i], a[j]);
        }
    }
    for column in &mut columns {
        *column = column.add(*column);
    }
    for i in 0..LIMBS {
        L::multiply_add_low(&mut columns[2 * i], a[i], a[i]);
        L::multiply_add_high(&mut columns[2 * i + 1], a[i], a[i]);
    }
    columns
}

/// A product by columns, of one register of lanes.
struct Product<V: Vector> {
    factors: [RegisterFactors<V>; 2],
    columns: [V; COLUMNS],
    /// The halves of earlier columns for the next one.
    sum: V,
}

impl<V: Vector> Product<V> {
    #[inline(always)]
    fn new(a: RegisterFactors<V>, b: RegisterFactors<V>) -> Self {
        let columns = [V::splat(0); COLUMNS];
        Self { factors: [a, b], columns, sum: start_of_product(0) }
    }

    #[inline(always)]
    fn column<const COLUMN: usize>(&mut self) {
        let [a, b] = &self.factors;
        let (mut sum, mut next) = (self.sum, start_of_product(COLUMN + 1));
        for i in 0..LIMBS {
            if i <= COLUMN && COLUMN < i + LIMBS {
                V::multiply_add_in_order(&mut sum, &mut next, a[i], b[COLUMN - i]);
            }
        }
        self.columns[COLUMN] = sum;
        self.sum = next;
    }
}

/// A square by columns, of one register of lanes.
struct Square<V: Vector> {
    factor: RegisterFactors<V>,
    columns: [V; COLUMNS],
    /// The halves of earlier columns for the next one, before they are doubled.
    sum: V,
    /// The high half of the square of a limb.
    high: V,
}

impl<V: Vector> Square<V> {
    #[inline(always)]
    fn new(factor: RegisterFactors<V>) -> Self {
        let zero = V::splat(0);
        Self { factor, columns: [zero; COLUMNS], sum: start_of_square(0), high: zero }
    }

    #[inline(always)]
    fn column<const COLUMN: usize>(&mut self) {
        let a = &self.factor;
        let (mut sum, mut next) = (self.sum, start_of_square(COLUMN + 1));
        for i in 0..LIMBS {
            if 2 * i < COLUMN && COLUMN < i + LIMBS {
                V::multiply_add(&mut sum, &mut next, a[i], a[COLUMN - i]);
            }
        }
        sum = sum.add(sum);
        if COLUMN & 1 == 0 {
            self.high = V::splat(0);
            V::multiply_add(&mut sum, &mut self.high, a[COLUMN / 2], a[COLUMN / 2]);
        } else {
            sum = sum.add(self.high);
        }
        self.columns[COLUMN] = sum;
        self.sum = next;
    }
}

/// A Montgomery reduction by rows, one limb per round.
struct ByRows<L> {
    columns: [L; COLUMNS],
    /// The opposite of the carry into the column of the next round.
    negated_carry: L,
}

impl<L: Lanes> ByRows<L> {
    #[inline(always)]
    fn new(columns: &[L; COLUMNS]) -> Self {
        Self { columns: *columns, negated_carry: L::splat(0) }
    }

    /// Adds the multiple of p that makes column `round` 0. The low half of the quotient times the
    /// lowest limb of p makes it a multiple of 2⁵², but is not needed: the carry into the next
    /// column is this column divided by 2⁵² and rounded up, −⌊−t/2⁵²⌋.
    #[inline(always)]
    fn round<const ROUND: usize>(&mut self) {
        debug_assert!(!L::NEAREST, "low halves without a sign");
        const INVERSE: u64 = (1 << LIMB_BITS) - NEGATIVE_INVERSE;
        let t = &mut self.columns;
        let negated = self.negated_carry.sub(t[ROUND]);
        let mut quotient = L::without_bias(1, 0);
        L::multiply_add_low(&mut quotient, negated.factor(), L::splat_factor(INVERSE));
        let quotient = quotient.factor();
        // The values that the next round waits for come first, in two chains.
        let mut high = t[ROUND + 1];
        L::multiply_add_high(&mut high, quotient, L::splat_factor(MODULUS_52[0]));
        let mut low = start_of_reduction(ROUND + 1);
        L::multiply_add_low(&mut low, quotient, L::splat_factor(MODULUS_52[1]));
        t[ROUND + 1] = high.add(low);
        for limb in 2..LIMBS {
            let prime = L::splat_factor(MODULUS_52[limb]);
            L::multiply_add_low(&mut t[ROUND + limb], quotient, prime);
        }
        for limb in 1..LIMBS {
            let prime = L::splat_factor(MODULUS_52[limb]);
            L::multiply_add_high(&mut t[ROUND + limb + 1], quotient, prime);
        }
        self.negated_carry = negated.shift_right_signed::<LIMB_BITS>();
    }

    #[inline(always)]
    fn finished(self) -> Columns<L> {
        let t = self.columns;
        let mut result: Columns<L> =
            [t[8].sub(self.negated_carry), t[9], t[10], t[11], t[12], t[13], t[14], t[15]];
        for (place, column) in result.iter_mut().enumerate() {
            let mut start = offset_of_result::<L, false>(place);
            // The last round began column 8.
            if place > 0 {
                start = start.add(start_of_reduction(LIMBS + place));
            }
            *column = column.add(start);
        }
        result
    }
}

/// A Montgomery reduction by columns, of one register of lanes.
struct ByColumns<V: Vector, const UNSIGNED: bool, const IN_ORDER: bool> {
    columns: [V; COLUMNS],
    quotients: RegisterFactors<V>,
    /// The halves and the carry of earlier columns for the next one.
    sum: V,
}

impl<V: Vector, const UNSIGNED: bool, const IN_ORDER: bool> ByColumns<V, UNSIGNED, IN_ORDER> {
    #[inline(always)]
    fn new<L: Lanes<Register = V>>(columns: &[L; COLUMNS], number: usize) -> Self {
        let mut registers = [V::splat(0); COLUMNS];
        for (register, column) in registers.iter_mut().zip(columns) {
            *register = column.register(number);
        }
        Self { columns: registers, quotients: [V::splat_factor(0); LIMBS], sum: V::splat(0) }
    }

    /// Adds a product, in order if only few reductions are interleaved.
    #[inline(always)]
    fn add(sum: &mut V, next: &mut V, quotient: V::Factor, prime: V::Factor) {
        match IN_ORDER {
            true => V::multiply_add_in_order(sum, next, quotient, prime),
            false => V::multiply_add(sum, next, quotient, prime),
        }
    }

    /// Computes the quotient that makes a column of the lower half 0.
    ///
    /// The low half l of the quotient times the lowest limb p₀ makes the column t a multiple of
    /// 2⁵², but is not needed: if l is not negative, t/2⁵² is rounded up. With a sign, t/2⁵² is
    /// rounded to the nearest integer. In a tie the quotient is 2⁵¹, and half of p₀ is rounded up
    /// to an even number: l is −2⁵¹, and t/2⁵² is rounded down.
    #[inline(always)]
    fn round<const COLUMN: usize>(&mut self) {
        const { assert!(MODULUS_52[0] % 4 == 3, "half of the lowest limb is rounded up") };
        let rounding = if V::NEAREST { (1 << (LIMB_BITS - 1)) - 1 } else { LIMB_MASK };
        let mut sum = self.columns[COLUMN].add(self.sum);
        let mut next = start_of_reduction(COLUMN + 1);
        for i in 0..LIMBS {
            if i < COLUMN {
                let prime = V::splat_factor(MODULUS_52[COLUMN - i]);
                Self::add(&mut sum, &mut next, self.quotients[i], prime);
            }
        }
        let mut quotient = V::without_bias(1, 0);
        V::multiply_add_low(&mut quotient, sum.factor(), V::splat_factor(NEGATIVE_INVERSE));
        let quotient = quotient.factor();
        let carry = sum.add(V::splat(rounding)).shift_right_signed::<LIMB_BITS>();
        next = next.add(carry);
        V::multiply_add_high(&mut next, quotient, V::splat_factor(MODULUS_52[0]));
        self.quotients[COLUMN] = quotient;
        self.sum = next;
    }

    /// Computes a column of the upper half.
    #[inline(always)]
    fn finish<const PLACE: usize>(&mut self) {
        let column = LIMBS + PLACE;
        let mut sum = self.columns[column].add(self.sum);
        if column + 1 < COLUMNS {
            let mut next =
                start_of_reduction::<V>(column + 1).add(offset_of_result::<V, UNSIGNED>(PLACE + 1));
            for i in 0..LIMBS {
                if i > PLACE {
                    let prime = V::splat_factor(MODULUS_52[column - i]);
                    Self::add(&mut sum, &mut next, self.quotients[i], prime);
                }
            }
            self.sum = next;
        }
        if PLACE == 0 {
            sum = sum.add(offset_of_result::<V, UNSIGNED>(0));
        }
        self.columns[column] = sum;
    }

    #[inline(always)]
    fn store_columns<L: Lanes<Register = V>>(
        self,
        results: &mut MaybeUninit<Columns<L>>,
        number: usize,
    ) {
        let [.., a, b, c, d, e, f, g, h] = self.columns;
        write_registers(results, number, &[a, b, c, d, e, f, g, h]);
    }

    #[inline(always)]
    fn store_limbs<L: Lanes<Register = V>>(
        self,
        results: &mut MaybeUninit<Columns<L>>,
        number: usize,
    ) {
        let [.., a, b, c, d, e, f, g, h] = self.columns;
        write_registers(results, number, &carried_unsigned([a, b, c, d, e, f, g, h]));
    }
}
