// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rounds of two states of sixteen lanes at once, in assembly.
//!
//! Zen 5 starts four additions a clock, but each result takes two clocks: the four independent
//! applications of G of one state keep half of it busy. Two states fill it, and they fill the 32
//! registers as well: every instruction works in place, and the message's words are operands in
//! memory. A compiler orders the instructions otherwise and keeps words of the message in registers,
//! which costs half of the gain; hence assembly.

use std::arch::asm;

/// `$op x, x, y` for each pair.
macro_rules! pairs {
    ($op:literal: $($x:tt $y:tt),*) => {
        concat!($($op, " zmm", $x, ", zmm", $x, ", zmm", $y, "\n"),*)
    };
}

/// Rotates each register to the right.
macro_rules! rotate {
    ($bits:literal: $($x:tt),*) => {
        concat!($("vprord zmm", $x, ", zmm", $x, ", ", $bits, "\n"),*)
    };
}

/// Adds a word of a state's message to each register.
macro_rules! words {
    ($message:literal: $($x:tt $word:tt),*) => {
        concat!($("vpaddd zmm", $x, ", zmm", $x, ", [{", $message, "} + 64*", $word, "]\n"),*)
    };
}

/// Half of G, four times in each state: rows a, b, c, d of one state and of the other, then the
/// words and the rotations.
macro_rules! half_mix {
    ($a0:tt $a1:tt $a2:tt $a3:tt $b0:tt $b1:tt $b2:tt $b3:tt
     $c0:tt $c1:tt $c2:tt $c3:tt $d0:tt $d1:tt $d2:tt $d3:tt;
     $e0:tt $e1:tt $e2:tt $e3:tt $f0:tt $f1:tt $f2:tt $f3:tt
     $g0:tt $g1:tt $g2:tt $g3:tt $h0:tt $h1:tt $h2:tt $h3:tt;
     $m0:tt $m1:tt $m2:tt $m3:tt; $first:literal $second:literal) => {
        concat!(
            words!("first": $a0 $m0, $a1 $m1, $a2 $m2, $a3 $m3),
            words!("second": $e0 $m0, $e1 $m1, $e2 $m2, $e3 $m3),
            pairs!("vpaddd": $a0 $b0, $a1 $b1, $a2 $b2, $a3 $b3,
                             $e0 $f0, $e1 $f1, $e2 $f2, $e3 $f3),
            pairs!("vpxord": $d0 $a0, $d1 $a1, $d2 $a2, $d3 $a3,
                             $h0 $e0, $h1 $e1, $h2 $e2, $h3 $e3),
            rotate!($first: $d0, $d1, $d2, $d3, $h0, $h1, $h2, $h3),
            pairs!("vpaddd": $c0 $d0, $c1 $d1, $c2 $d2, $c3 $d3,
                             $g0 $h0, $g1 $h1, $g2 $h2, $g3 $h3),
            pairs!("vpxord": $b0 $c0, $b1 $c1, $b2 $c2, $b3 $c3,
                             $f0 $g0, $f1 $g1, $f2 $g2, $f3 $g3),
            rotate!($second: $b0, $b1, $b2, $b3, $f0, $f1, $f2, $f3),
        )
    };
}

/// A round with the block's words in the order of its schedule.
macro_rules! round {
    ($m0:tt $m1:tt $m2:tt $m3:tt $m4:tt $m5:tt $m6:tt $m7:tt
     $m8:tt $m9:tt $m10:tt $m11:tt $m12:tt $m13:tt $m14:tt $m15:tt) => {
        concat!(
            half_mix!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
                      16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; $m0 $m2 $m4 $m6; 16 12),
            half_mix!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
                      16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; $m1 $m3 $m5 $m7; 8 7),
            half_mix!(0 1 2 3 5 6 7 4 10 11 8 9 15 12 13 14;
                      16 17 18 19 21 22 23 20 26 27 24 25 31 28 29 30; $m8 $m10 $m12 $m14; 16 12),
            half_mix!(0 1 2 3 5 6 7 4 10 11 8 9 15 12 13 14;
                      16 17 18 19 21 22 23 20 26 27 24 25 31 28 29 30; $m9 $m11 $m13 $m15; 8 7),
        )
    };
}

/// Loads the state's words, in order, into the registers, or stores a word.
macro_rules! load {
    ($state:literal: $($x:tt $word:tt),*) => {
        concat!($("vmovdqu64 zmm", $x, ", [{", $state, "} + 64*", $word, "]\n"),*)
    };
}

/// Adds the second half of the state to the first and stores that.
macro_rules! finish {
    ($state:literal: $($x:tt $y:tt $word:tt),*) => {
        concat!($(
            "vpxord zmm", $x, ", zmm", $x, ", zmm", $y, "\n",
            "vmovdqu64 [{", $state, "} + 64*", $word, "], zmm", $x, "\n"
        ),*)
    };
}

/// The seven rounds on two states of 16 words of 16 lanes each, with a block each. The first eight
/// words of a state become its new chaining value; the others stay.
///
/// # Safety
/// The processor has AVX-512F. Each state can be read and written and each block read, 1024 bytes.
#[inline(always)]
pub(super) unsafe fn compress_two(states: [*mut u32; 2], blocks: [*const u32; 2]) {
    // SAFETY: the caller has all the memory there, and the registers are declared.
    unsafe {
        asm!(
            load!("s": 0 0, 1 1, 2 2, 3 3, 4 4, 5 5, 6 6, 7 7,
                       8 8, 9 9, 10 10, 11 11, 12 12, 13 13, 14 14, 15 15),
            load!("t": 16 0, 17 1, 18 2, 19 3, 20 4, 21 5, 22 6, 23 7,
                       24 8, 25 9, 26 10, 27 11, 28 12, 29 13, 30 14, 31 15),
            round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
            round!(2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8),
            round!(3 4 10 12 13 2 7 14 6 5 9 0 11 15 8 1),
            round!(10 7 12 9 14 3 13 15 4 0 11 2 5 8 1 6),
            round!(12 13 9 11 15 10 14 8 7 2 5 3 0 1 6 4),
            round!(9 14 11 5 8 12 15 1 13 3 0 10 2 6 4 7),
            round!(11 15 5 0 1 9 8 6 14 10 2 12 3 4 7 13),
            finish!("s": 0 8 0, 1 9 1, 2 10 2, 3 11 3, 4 12 4, 5 13 5, 6 14 6, 7 15 7),
            finish!("t": 16 24 0, 17 25 1, 18 26 2, 19 27 3,
                         20 28 4, 21 29 5, 22 30 6, 23 31 7),
            s = in(reg) states[0],
            t = in(reg) states[1],
            first = in(reg) blocks[0],
            second = in(reg) blocks[1],
            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack, preserves_flags),
        );
    }
}
