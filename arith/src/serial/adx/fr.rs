// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fifth power in the scalar field of BLS12-381:
//! [`fr::fifth_power`](super::super::fr::fifth_power) in assembly, without the moves and constants
//! that the compiler would add.

use std::arch::asm;

use super::blocks::{line, multiply_row, square, Memory};
use crate::field::{Bls12381Scalar, Modulus};
use crate::serial::limbs::Limbs;

/// The modulus, and minus the inverse of its low limb modulo 2⁶⁴, which is 1 + 2³².
static CONSTANTS: [u64; 5] = {
    let r = Bls12381Scalar::VALUE;
    [r[0], r[1], r[2], r[3], Bls12381Scalar::NEGATIVE_INVERSE]
};

/// One limb of the quotient, for the limb of the product at `[m − t]`: the window w0 to w3 becomes
/// w1, w2, w3, h3. The borrow of the subtraction is the carry of the limb that leaves the window.
macro_rules! reduce_row {
    ($t:literal, $w0:literal $w1:literal $w2:literal $w3:literal,
     $h1:literal $h2:literal $h3:literal $l:literal) => {
        concat!(
            line!("mov rdx, [{m} - ", $t, "]"),
            line!("sub rdx, {", $w0, "}"),
            line!("shlx {", $l, "}, rdx, {m}"),
            line!("lea rdx, [rdx + {", $l, "}]"),
            line!("mulx {", $w0, "}, {", $l, "}, [rip + {k}]"),
            line!("mulx {", $h1, "}, {", $l, "}, [rip + {k} + 8]"),
            line!("adc {", $w1, "}, {", $l, "}"),
            line!("mulx {", $h2, "}, {", $l, "}, [rip + {k} + 16]"),
            line!("adc {", $w2, "}, {", $l, "}"),
            line!("mulx {", $h3, "}, {", $l, "}, [rip + {k} + 24]"),
            line!("adc {", $w3, "}, {", $l, "}"),
            line!("adc {", $h3, "}, 0"),
            line!("add {", $w1, "}, {", $w0, "}"),
            line!("adc {", $w2, "}, {", $h1, "}"),
            line!("adc {", $w3, "}, {", $h2, "}"),
            line!("adc {", $h3, "}, 0"),
        )
    };
}

/// The Montgomery reduction of a product into t4 to t7: see [`fr`](super::super::fr). The low limbs
/// of the product are in `[m−32]`, t1, t2 and t3, the high ones in t4 to t7. The registers t1 and
/// t2 may be among the scratch registers, since they are stored in the memory of `m` first.
macro_rules! reduce {
    ($t4:literal $t5:literal $t6:literal $t7:literal, $t3:literal $t2:literal $t1:literal,
     $f0:literal $f1:literal $f2:literal $f3:literal $f4:literal $f5:literal $f6:literal) => {
        concat!(
            line!("mov [{m} - 24], {", $t1, "}"),
            line!("mov [{m} - 16], {", $t2, "}"),
            line!("mov [{m} - 8], {", $t3, "}"),
            line!("mov rdx, [{m} - 32]"),
            line!("shlx {", $f0, "}, rdx, {m}"),
            line!("add rdx, {", $f0, "}"),
            line!("mulx {", $f0, "}, {", $f1, "}, [rip + {k}]"),
            line!("mulx {", $f4, "}, {", $f1, "}, [rip + {k} + 8]"),
            line!("mulx {", $f5, "}, {", $f2, "}, [rip + {k} + 16]"),
            line!("mulx {", $f6, "}, {", $f3, "}, [rip + {k} + 24]"),
            line!("add {", $f1, "}, {", $f0, "}"),
            line!("adc {", $f2, "}, {", $f4, "}"),
            line!("adc {", $f3, "}, {", $f5, "}"),
            line!("adc {", $f6, "}, 0"),
            reduce_row!("24", $f1 $f2 $f3 $f6, $f4 $f5 $f0 $t3),
            reduce_row!("16", $f2 $f3 $f6 $f0, $f4 $f5 $f1 $t3),
            reduce_row!("8", $f3 $f6 $f0 $f1, $f4 $f5 $f2 $t3),
            line!("sub {", $t4, "}, {", $f6, "}"),
            line!("sbb {", $t5, "}, {", $f0, "}"),
            line!("sbb {", $t6, "}, {", $f1, "}"),
            line!("sbb {", $t7, "}, {", $f2, "}"),
            line!("add {", $t4, "}, [rip + {k}]"),
            line!("adc {", $t5, "}, [rip + {k} + 8]"),
            line!("adc {", $t6, "}, [rip + {k} + 16]"),
            line!("adc {", $t7, "}, [rip + {k} + 24]"),
        )
    };
}

/// Adds a multiple of r that makes the low limb of the window w0 to w4 zero; the window becomes w1
/// to w4.
macro_rules! leave {
    ($w0:literal $w1:literal $w2:literal $w3:literal $w4:literal,
     $h0:literal $h1:literal $h2:literal $l:literal) => {
        concat!(
            line!("mov rdx, {", $w0, "}"),
            line!("imul rdx, [rip + {k} + 32]"),
            line!("mulx {", $h0, "}, {", $l, "}, [rip + {k}]"),
            line!("add {", $w0, "}, {", $l, "}"),
            line!("mulx {", $w0, "}, {", $l, "}, [rip + {k} + 8]"),
            line!("adc {", $w1, "}, {", $l, "}"),
            line!("mulx {", $h1, "}, {", $l, "}, [rip + {k} + 16]"),
            line!("adc {", $w2, "}, {", $l, "}"),
            line!("mulx {", $h2, "}, {", $l, "}, [rip + {k} + 24]"),
            line!("adc {", $w3, "}, {", $l, "}"),
            line!("adc {", $h2, "}, 0"),
            line!("add {", $w1, "}, {", $h0, "}"),
            line!("adc {", $w2, "}, {", $w0, "}"),
            line!("adc {", $w3, "}, {", $h1, "}"),
            line!("adc {", $w4, "}, {", $h2, "}"),
        )
    };
}

/// `a·[m]·2⁻²⁵⁶` mod r of the registers a0 to a3, in place, with product and reduction interleaved.
/// The factor in memory is below 1.2·r, so the window stays below 2²⁵⁶ between two rows. The first
/// row reads the limbs of the factor as b0 to b3; if these are registers, it does not wait for the
/// memory.
macro_rules! multiply {
    ($a0:literal $a1:literal $a2:literal $a3:literal, $f0:literal $f1:literal $f2:literal
     $f3:literal $f4:literal $f5:literal $f6:literal $f7:literal,
     $b0:literal $b1:literal $b2:literal $b3:literal) => {
        concat!(
            line!("mov rdx, {", $a0, "}"),
            line!("mulx {", $f1, "}, {", $f0, "}, ", $b0),
            line!("mulx {", $f2, "}, {", $f5, "}, ", $b1),
            line!("mulx {", $f3, "}, {", $f6, "}, ", $b2),
            line!("mulx {", $a0, "}, {", $f7, "}, ", $b3),
            line!("add {", $f1, "}, {", $f5, "}"),
            line!("adc {", $f2, "}, {", $f6, "}"),
            line!("adc {", $f3, "}, {", $f7, "}"),
            line!("adc {", $a0, "}, 0"),
            leave!($f0 $f1 $f2 $f3 $a0, $f4 $f5 $f6 $f7),
            multiply_row!($a1, $f1 $f2 $f3 $a0 $a1, $f4 $f5 $f6 $f7),
            leave!($f1 $f2 $f3 $a0 $a1, $f4 $f5 $f6 $f7),
            multiply_row!($a2, $f2 $f3 $a0 $a1 $a2, $f4 $f5 $f6 $f7),
            leave!($f2 $f3 $a0 $a1 $a2, $f4 $f5 $f6 $f7),
            multiply_row!($a3, $f3 $a0 $a1 $a2 $a3, $f4 $f5 $f6 $f7),
            leave!($f3 $a0 $a1 $a2 $a3, $f4 $f5 $f6 $f7),
        )
    };
}

/// x⁵·2⁻¹⁰²⁴ mod r, with the ranges of [`fr::fifth_power`](super::super::fr::fifth_power). Only x
/// is small enough as a factor of [`multiply`]; for x⁴, the full square of x² is computed and then
/// reduced.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn fifth_power(x: Limbs) -> Limbs {
    let mut memory = Memory::new(x);
    let (r0, r1, r2, r3): (u64, u64, u64, u64);
    // SAFETY: the processor has BMI2; `m` points into eight limbs and `k` to five, and the code
    // touches no other memory.
    unsafe {
        asm!(
            multiply!(
                "a0" "a1" "a2" "a3", "b0" "b1" "b2" "b3" "c0" "c1" "c2" "c3",
                "{a0}" "{a1}" "{a2}" "{a3}"
            ),
            square!("a0" "a1" "a2" "a3", "b0" "b1" "b2" "b3" "c0" "c1" "c2" "c3"),
            reduce!("b3" "c3" "a1" "a3", "b2" "b1" "b0", "a0" "a2" "b0" "b1" "c0" "c1" "c2"),
            multiply!(
                "b3" "c3" "a1" "a3", "a0" "a2" "b0" "b1" "b2" "c0" "c1" "c2",
                "[{m}]" "[{m} + 8]" "[{m} + 16]" "[{m} + 24]"
            ),
            a0 = inout(reg) x[0] => _, a1 = inout(reg) x[1] => r2,
            a2 = inout(reg) x[2] => _, a3 = inout(reg) x[3] => r3,
            b0 = out(reg) _, b1 = out(reg) _, b2 = out(reg) _, b3 = out(reg) r0,
            c0 = out(reg) _, c1 = out(reg) _, c2 = out(reg) _, c3 = out(reg) r1,
            m = in(reg) memory.factor(), out("rdx") _,
            k = sym CONSTANTS,
            options(nostack),
        );
    }
    [r0, r1, r2, r3]
}
