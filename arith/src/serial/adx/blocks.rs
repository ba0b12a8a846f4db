// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The building blocks of this backend's assembly.
//!
//! The arguments of a block name the registers that it uses. `m` points to the four limbs of a
//! factor ([`Memory`]); the low limbs of a square are in the four limbs before them.

/// Eight limbs. `m` is the address of the fifth, 32 bytes beyond a multiple of 64. A shift count in
/// a register is taken modulo 64, so `m` also serves as a shift by 32 (SHLX), which leaves the
/// flags unchanged.
#[repr(align(64))]
pub(super) struct Memory(pub [u64; 8]);

impl Memory {
    #[inline(always)]
    pub fn new(factor: [u64; 4]) -> Self {
        Self([0, 0, 0, 0, factor[0], factor[1], factor[2], factor[3]])
    }

    /// Returns `m`.
    #[inline(always)]
    pub fn factor(&mut self) -> *mut u64 {
        self.0[4..].as_mut_ptr()
    }
}

/// One line of assembly from its parts.
macro_rules! line {
    ($($part:expr),+) => { concat!($($part,)+ "\n") };
}

/// x² of the registers x0 to x3. Limb 0 is stored at `[m−32]`, limbs 1 to 3 are in p0 to p2, and
/// limbs 4 to 7 in p3, p7, x1 and x3. The other registers are free afterwards.
macro_rules! square {
    ($x0:literal $x1:literal $x2:literal $x3:literal, $p0:literal $p1:literal $p2:literal
     $p3:literal $p4:literal $p5:literal $p6:literal $p7:literal) => {
        concat!(
            line!("mov rdx, {", $x0, "}"),
            line!("mulx {", $p1, "}, {", $p0, "}, {", $x1, "}"),
            line!("mulx {", $p2, "}, {", $p4, "}, {", $x2, "}"),
            line!("mulx {", $p3, "}, {", $p5, "}, {", $x3, "}"),
            line!("add {", $p1, "}, {", $p4, "}"),
            line!("adc {", $p2, "}, {", $p5, "}"),
            line!("adc {", $p3, "}, 0"),
            line!("mulx {", $p5, "}, {", $p4, "}, rdx"),
            line!("mov [{m} - 32], {", $p4, "}"),
            line!("mov rdx, {", $x1, "}"),
            line!("mulx {", $p6, "}, {", $p4, "}, {", $x2, "}"),
            line!("mulx {", $p7, "}, {", $x0, "}, {", $x3, "}"),
            line!("add {", $p2, "}, {", $p4, "}"),
            line!("adc {", $p3, "}, {", $p6, "}"),
            line!("adc {", $p7, "}, 0"),
            line!("mulx {", $p6, "}, {", $p4, "}, rdx"),
            line!("mov rdx, {", $x2, "}"),
            line!("mulx {", $x1, "}, {", $x2, "}, {", $x3, "}"),
            line!("add {", $p3, "}, {", $x0, "}"),
            line!("adc {", $p7, "}, {", $x2, "}"),
            line!("adc {", $x1, "}, 0"),
            line!("mulx {", $x2, "}, {", $x0, "}, rdx"),
            line!("mov rdx, {", $x3, "}"),
            line!("mulx {", $x3, "}, rdx, rdx"),
            // Double the products off the diagonal, then add the squares.
            line!("add {", $p0, "}, {", $p0, "}"),
            line!("adc {", $p1, "}, {", $p1, "}"),
            line!("adc {", $p2, "}, {", $p2, "}"),
            line!("adc {", $p3, "}, {", $p3, "}"),
            line!("adc {", $p7, "}, {", $p7, "}"),
            line!("adc {", $x1, "}, {", $x1, "}"),
            line!("adc {", $x3, "}, 0"),
            line!("add {", $p0, "}, {", $p5, "}"),
            line!("adc {", $p1, "}, {", $p4, "}"),
            line!("adc {", $p2, "}, {", $p6, "}"),
            line!("adc {", $p3, "}, {", $x0, "}"),
            line!("adc {", $p7, "}, {", $x2, "}"),
            line!("adc {", $x1, "}, rdx"),
            line!("adc {", $x3, "}, 0"),
        )
    };
}

/// One row of a product: `w += r·[m]` on w0 … w3 and the new w4, with h0, h1, h2 and l as scratch
/// registers.
macro_rules! multiply_row {
    ($r:literal, $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal,
     $h0:literal $h1:literal $h2:literal $l:literal) => {
        concat!(
            line!("mov rdx, {", $r, "}"),
            line!("mulx {", $h0, "}, {", $l, "}, [{m}]"),
            line!("add {", $w0, "}, {", $l, "}"),
            line!("mulx {", $h1, "}, {", $l, "}, [{m} + 8]"),
            line!("adc {", $w1, "}, {", $l, "}"),
            line!("mulx {", $h2, "}, {", $l, "}, [{m} + 16]"),
            line!("adc {", $w2, "}, {", $l, "}"),
            line!("mulx {", $w4, "}, {", $l, "}, [{m} + 24]"),
            line!("adc {", $w3, "}, {", $l, "}"),
            line!("adc {", $w4, "}, 0"),
            line!("add {", $w1, "}, {", $h0, "}"),
            line!("adc {", $w2, "}, {", $h1, "}"),
            line!("adc {", $w3, "}, {", $h2, "}"),
            line!("adc {", $w4, "}, 0"),
        )
    };
}

pub(super) use {line, multiply_row, square};
