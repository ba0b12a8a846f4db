// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cube in StarkWare's field: [`felt::cube`](super::super::felt::cube) in assembly, without the
//! moves that the compiler would add.
//!
//! A chain of cubes waits for the fourth limb of each product, from which the last limb of the
//! quotient comes. The products that it needs are therefore first, and each limb is multiplied by C
//! as soon as it is known.

use std::arch::asm;

use super::blocks::Memory;
use crate::field::{Modulus, StarkPrime};
use crate::serial::limbs::Limbs;

/// The top limb C of the modulus, and 2·C.
static CONSTANTS: [u64; 2] = [StarkPrime::VALUE[3], 2 * StarkPrime::VALUE[3]];

/// x³·2⁻⁵¹² mod p, with the ranges of [`felt::cube`](super::super::felt::cube).
///
/// The multiple 2·p that keeps a difference positive is added to the high half of the square and of
/// the product, where it costs nothing: 2 to limb 4, which is 1 before the doubling, and 2·C to
/// limb 7.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn cube(x: Limbs) -> Limbs {
    let mut memory = Memory::new(x);
    let (r0, r1, r2, r3): (u64, u64, u64, u64);
    // SAFETY: the processor has BMI2; `m` points into eight limbs and `k` to two, and the code
    // touches no other memory.
    unsafe {
        asm!(
            // x₀ times the higher limbs, and its square: limb 0 and p5.
            "mov rdx, {x0}",
            "mulx {p1}, {p0}, {x1}",
            "mulx {p2}, {p4}, {x2}",
            "mulx {p3}, {p5}, {x3}",
            "add {p1}, {p4}",
            "adc {p2}, {p5}",
            "adc {p3}, 1",
            "mulx {p5}, {p4}, rdx",
            // x₁.
            "mov rdx, {x1}",
            "mulx {p6}, {x1}, {x2}",
            "mulx {p7}, {x0}, {x3}",
            "add {p2}, {x1}",
            "adc {p3}, {p6}",
            "adc {p7}, 0",
            "mulx {p6}, {x1}, rdx",
            // Limb 0 is known: its product with C, whose high half waits in memory.
            "mov rdx, [rip + {k}]",
            "mulx {x3}, {p4}, {p4}",
            "mov [{m} - 32], {x3}",
            // x₂·x₃; the products off the diagonal are then complete and doubled.
            "mov rdx, {x2}",
            "mulx {x3}, {x2}, [{m} + 24]",
            "add {p3}, {x0}",
            "mov {x0}, [rip + {k} + 8]",
            "adc {p7}, {x2}",
            "adc {x3}, 0",
            "add {p0}, {p0}",
            "adc {p1}, {p1}",
            "adc {p2}, {p2}",
            "adc {p3}, {p3}",
            "adc {p7}, {p7}",
            "adc {x3}, {x3}",
            "adc {x0}, 0",
            // The squares: limbs 1 to 7 are p0 to p3, p7, x3 and x0.
            "add {p0}, {p5}",
            "adc {p1}, {x1}",
            "adc {p2}, {p6}",
            "mulx {x2}, {x1}, rdx",
            "mov rdx, [{m} + 24]",
            "mulx {p6}, {p5}, rdx",
            "adc {p3}, {x1}",
            "adc {p7}, {x2}",
            "adc {x3}, {p5}",
            "adc {x0}, {p6}",
            // Reduction into p3, p7, x3 and x0.
            "mov rdx, [rip + {k}]",
            "mulx {p0}, {x1}, {p0}",
            "mulx {p1}, {x2}, {p1}",
            "sub {p2}, {p4}",
            "adc {x1}, [{m} - 32]",
            "mulx {p5}, {p6}, {p2}",
            "adc {x2}, {p0}",
            "adc {p1}, {p6}",
            "adc {p5}, 0",
            "sub {p3}, {x1}",
            "sbb {p7}, {x2}",
            "sbb {x3}, {p1}",
            "sbb {x0}, {p5}",
            // The square times x, row by row: limbs 0 to 2 are x1, p0 and p1.
            "mov rdx, {p3}",
            "mulx {p0}, {x1}, [{m}]",
            "mulx {p1}, {p4}, [{m} + 8]",
            "mulx {p2}, {p5}, [{m} + 16]",
            "mulx {p3}, {p6}, [{m} + 24]",
            "add {p0}, {p4}",
            "adc {p1}, {p5}",
            "adc {p2}, {p6}",
            "adc {p3}, 2",
            "mov rdx, {p7}",
            "mulx {p4}, {x2}, [{m}]",
            "mulx {p5}, {p6}, [{m} + 8]",
            "add {p0}, {x2}",
            "adc {p1}, {p6}",
            "mulx {p6}, {x2}, [{m} + 16]",
            "adc {p2}, {x2}",
            "mulx {p7}, {x2}, [{m} + 24]",
            "adc {p3}, {x2}",
            "adc {p7}, 0",
            "add {p1}, {p4}",
            "adc {p2}, {p5}",
            "adc {p3}, {p6}",
            "adc {p7}, 0",
            "mov rdx, {x3}",
            "mulx {p4}, {x2}, [{m}]",
            "mulx {p5}, {p6}, [{m} + 8]",
            "add {p1}, {x2}",
            "adc {p2}, {p6}",
            "mulx {p6}, {x2}, [{m} + 16]",
            "adc {p3}, {x2}",
            "mulx {x3}, {x2}, [{m} + 24]",
            "adc {p7}, {x2}",
            "adc {x3}, 0",
            "add {p2}, {p4}",
            "adc {p3}, {p5}",
            "adc {p7}, {p6}",
            "adc {x3}, 0",
            // The last row, with limb 0 times C in between.
            "mov rdx, {x0}",
            "mulx {p4}, {x2}, [{m}]",
            "mulx {p5}, {p6}, [{m} + 8]",
            "add {p2}, {x2}",
            "adc {p3}, {p6}",
            "mulx {p6}, {x2}, [{m} + 16]",
            "adc {p7}, {x2}",
            "mulx {x0}, {x2}, [{m} + 24]",
            "adc {x3}, {x2}",
            "adc {x0}, [rip + {k} + 8]",
            "mov rdx, [rip + {k}]",
            "mulx {x1}, {x2}, {x1}",
            "add {p3}, {p4}",
            "adc {p7}, {p5}",
            "adc {x3}, {p6}",
            "adc {x0}, 0",
            // Reduction.
            "mulx {p0}, {p4}, {p0}",
            "mulx {p1}, {p5}, {p1}",
            "sub {p2}, {x2}",
            "adc {p4}, {x1}",
            "mulx {p6}, {x1}, {p2}",
            "adc {p5}, {p0}",
            "adc {x1}, {p1}",
            "adc {p6}, 0",
            "sub {p3}, {p4}",
            "sbb {p7}, {p5}",
            "sbb {x3}, {x1}",
            "sbb {x0}, {p6}",
            x0 = inout(reg) x[0] => r3, x1 = inout(reg) x[1] => _,
            x2 = inout(reg) x[2] => _, x3 = inout(reg) x[3] => r2,
            p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) r0,
            p4 = out(reg) _, p5 = out(reg) _, p6 = out(reg) _, p7 = out(reg) r1,
            m = in(reg) memory.factor(), out("rdx") _,
            k = sym CONSTANTS,
            options(nostack),
        );
    }
    [r0, r1, r2, r3]
}
