// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The odd multiples of 2⁸ʷ·G up to 255, for w from 0 to 31, and the signed-digit form of scalars.
//!
//! An odd number below 2²⁵⁶ is a sum of 32 such multiples with signs, one for each w. No digit is
//! 0, so that every multiple of G needs exactly 31 additions (Okeya and Takagi, "The width-w NAF
//! method provides small memory and fast elliptic scalar multiplications secure against side
//! channel attacks", 2003, for digits that are never 0; Brickell, Gordon, McCurley and Wilson,
//! "Fast exponentiation with precomputation", 1992, for multiples of powers of G). An even number
//! is the opposite of an odd one modulo n.

use std::sync::OnceLock;

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::{self, Arithmetic, Kernel};
use halimede_arith::Backend;

use super::serial::{affine, Jacobian, Row};
use crate::quotient::{negated, N};

/// The number of digits of a scalar, one byte each.
pub const WINDOWS: usize = 32;

/// The number of odd multiples of each power: 1 to 255.
const MULTIPLES: usize = 128;

/// G (SEC 2, section 2.4.1).
pub const GENERATOR: Row = Row([
    0x59f2_815b_16f8_1798,
    0x029b_fcdb_2dce_28d9,
    0x55a0_6295_ce87_0b07,
    0x79be_667e_f9dc_bbac,
    0x9c47_d08f_fb10_d4b8,
    0xfd17_b448_a685_5419,
    0x5da4_fbfc_0e11_08a8,
    0x483a_da77_26a3_c465,
]);

/// A table of 4,096 points, 256 KiB.
pub struct Table(Box<[Row]>);

impl Table {
    /// Returns the table, which the first call computes.
    pub fn of_generator() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| serial::run(Backend::active(), Making))
    }

    /// Returns the point of a digit; the caller negates it if [`is_negative`] says so.
    #[inline(always)]
    pub fn row(&self, window: usize, digit: u8) -> &Row {
        // Digits 255 and 0 represent 255 and −255, digits 128 and 127 represent 1 and −1.
        let number = (digit ^ (digit >> 7).wrapping_sub(1)) & 0x7f;
        &self.0[window * MULTIPLES + usize::from(number)]
    }
}

/// Returns `true` if a digit represents a negative multiple.
#[inline(always)]
pub fn is_negative(digit: u8) -> bool {
    digit < 0x80
}

/// The digits of a multiple of G: the digit d of window w represents (2d − 255)·2⁸ʷ.
#[derive(Clone, Debug)]
pub struct Digits {
    /// From the lowest window on.
    pub windows: [u8; WINDOWS],
    /// `true` if the digits represent the opposite number, n minus the given one.
    pub is_opposite: bool,
}

impl Digits {
    /// Returns the digits of a number in [0, n).
    ///
    /// Σ (2dᵥ − 255)·2⁸ʷ is 2d − (2²⁵⁶ − 1), where d = Σ dᵥ·2⁸ʷ, so that an odd k has
    /// d = (k − 1)/2 + 2²⁵⁵.
    pub fn of(number: &Limbs) -> Self {
        let is_opposite = number[0] & 1 == 0;
        let [a, b, c, d] = if is_opposite { negated(number) } else { *number };
        let half = [a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1 | 1 << 63];
        let mut windows = [0; WINDOWS];
        for (bytes, word) in windows.chunks_exact_mut(8).zip(half) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self { windows, is_opposite }
    }
}

/// Computes the table: 2⁸ʷ·G and twice that by doublings, then the odd multiples by additions. No
/// addition has two equal or opposite points, since all multiples of G involved are below 255·2²⁴⁸
/// < n.
struct Making;

impl Kernel for Making {
    type Output = Table;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Table {
        let mut powers = Vec::with_capacity(2 * WINDOWS);
        let mut power = Jacobian::of(&GENERATOR);
        for bit in 0..8 * WINDOWS {
            if bit % 8 < 2 {
                powers.push(power);
            }
            power = power.double::<A>();
        }
        let powers = affine::<A>(&powers);
        let mut points = Vec::with_capacity(WINDOWS * MULTIPLES);
        for power in powers.chunks_exact(2) {
            let mut multiple = Jacobian::of(&power[0]);
            points.push(multiple);
            for _ in 1..MULTIPLES {
                multiple = multiple.add::<A>(&power[1]);
                points.push(multiple);
            }
        }
        Table(affine::<A>(&points).into_boxed_slice())
    }
}

/// n is odd: [`Digits::of`] negates an even number, 0 included, to get an odd one (n for 0).
const _: () = assert!(N[0] & 1 == 1);
