// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE2b's rounds of two registers of eight lanes at once, in assembly, where the block's words
//! but the first two are zero.
//!
//! Zen 5 starts four additions a clock, but each result takes two clocks: the four independent
//! applications of G of one register keep half of it busy. Two registers fill it, and their states
//! fill the 32 registers there are: every instruction works in place, and the two words that are
//! not zero are operands in memory, added where the sum is not waited for. A compiler orders the
//! instructions otherwise and spills; hence assembly.

use std::arch::asm;

use crate::puzzle::Short;

/// `$op x, x, y` for each pair.
macro_rules! pairs {
    ($op:literal: $($x:tt $y:tt),*) => {
        concat!($($op, " zmm", $x, ", zmm", $x, ", zmm", $y, "\n"),*)
    };
}

/// Rotates each register to the right.
macro_rules! rotate {
    ($bits:literal: $($x:tt),*) => {
        concat!($("vprorq zmm", $x, ", zmm", $x, ", ", $bits, "\n"),*)
    };
}

/// Adds the first word of the block to a register of either state, or nothing.
macro_rules! first {
    () => {
        ""
    };
    ($x:tt $y:tt) => {
        concat!(
            "vpaddq zmm",
            $x,
            ", zmm",
            $x,
            ", qword ptr [{first}]{{1to8}}\n",
            "vpaddq zmm",
            $y,
            ", zmm",
            $y,
            ", qword ptr [{first}]{{1to8}}\n",
        )
    };
}

/// Adds the second word of each state's lanes to its register, or nothing.
macro_rules! second {
    () => {
        ""
    };
    ($x:tt $y:tt) => {
        concat!(
            "vpaddq zmm",
            $x,
            ", zmm",
            $x,
            ", zmmword ptr [{second}]\n",
            "vpaddq zmm",
            $y,
            ", zmm",
            $y,
            ", zmmword ptr [{second} + 64]\n",
        )
    };
}

/// The second half of G from behind its sum on, four times in each state.
macro_rules! behind_sum {
    ($a0:tt $a1:tt $a2:tt $a3:tt $b0:tt $b1:tt $b2:tt $b3:tt
     $c0:tt $c1:tt $c2:tt $c3:tt $d0:tt $d1:tt $d2:tt $d3:tt;
     $e0:tt $e1:tt $e2:tt $e3:tt $f0:tt $f1:tt $f2:tt $f3:tt
     $g0:tt $g1:tt $g2:tt $g3:tt $h0:tt $h1:tt $h2:tt $h3:tt;
     $first:literal $second:literal) => {
        concat!(
            pairs!("vpxorq": $d0 $a0, $d1 $a1, $d2 $a2, $d3 $a3,
                             $h0 $e0, $h1 $e1, $h2 $e2, $h3 $e3),
            rotate!($first: $d0, $d1, $d2, $d3, $h0, $h1, $h2, $h3),
            pairs!("vpaddq": $c0 $d0, $c1 $d1, $c2 $d2, $c3 $d3,
                             $g0 $h0, $g1 $h1, $g2 $h2, $g3 $h3),
            pairs!("vpxorq": $b0 $c0, $b1 $c1, $b2 $c2, $b3 $c3,
                             $f0 $g0, $f1 $g1, $f2 $g2, $f3 $g3),
            rotate!($second: $b0, $b1, $b2, $b3, $f0, $f1, $f2, $f3),
        )
    };
}

/// Half of G on the columns of both states, but for the block's words.
macro_rules! columns {
    ($first:literal $second:literal) => {
        concat!(
            pairs!("vpaddq": 0 4, 1 5, 2 6, 3 7, 16 20, 17 21, 18 22, 19 23),
            behind_sum!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
                        16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; $first $second),
        )
    };
}

/// As [`columns`], on the diagonals.
macro_rules! diagonals {
    ($first:literal $second:literal) => {
        concat!(
            pairs!("vpaddq": 0 5, 1 6, 2 7, 3 4, 16 21, 17 22, 18 23, 19 20),
            behind_sum!(0 1 2 3 5 6 7 4 10 11 8 9 15 12 13 14;
                        16 17 18 19 21 22 23 20 26 27 24 25 31 28 29 30; $first $second),
        )
    };
}

/// A round; before each of its four halves stands the register that the first word is added to, and
/// that for the second.
macro_rules! round {
    ([$($f0:tt)*] [$($s0:tt)*], [$($f1:tt)*] [$($s1:tt)*],
     [$($f2:tt)*] [$($s2:tt)*], [$($f3:tt)*] [$($s3:tt)*]) => {
        concat!(
            first!($($f0)*), second!($($s0)*), columns!(32 24),
            first!($($f1)*), second!($($s1)*), columns!(16 63),
            first!($($f2)*), second!($($s2)*), diagonals!(32 24),
            first!($($f3)*), second!($($s3)*), diagonals!(16 63),
        )
    };
}

/// The words of the begun state, in every lane of either state's registers.
macro_rules! load {
    ($($x:tt $y:tt $word:tt),*) => {
        concat!($(
            "vpbroadcastq zmm", $x, ", qword ptr [{begun} + 8*", $word, "]\n",
            "vmovdqa64 zmm", $y, ", zmm", $x, "\n",
        )*)
    };
}

/// XORs the halves of the state and the chaining value (0x96: x ^ y ^ z) and stores the words.
macro_rules! finish {
    ($output:literal: $($x:tt $y:tt $word:tt),*) => {
        concat!($(
            "vpternlogq zmm", $x, ", zmm", $y, ", qword ptr [{state} + 8*", $word,
            "]{{1to8}}, 0x96\n",
            "vmovdqu64 zmmword ptr [{", $output, "} + 64*", $word, "], zmm", $x, "\n",
        )*)
    };
}

/// The hashes of twice eight lanes, whose second words stand at `second_words`, sixteen of them:
/// eight words of eight lanes each at either output.
///
/// # Safety
/// The processor has AVX-512F. The second words can be read and the outputs written, 64 words each.
#[target_feature(enable = "avx512f")]
#[inline(never)]
pub(super) unsafe fn hash_two(short: &Short, second_words: *const u64, outputs: [*mut u64; 2]) {
    // SAFETY: the caller has all the memory there, and the registers are declared.
    unsafe {
        asm!(
            load!(0 16 0, 1 17 1, 2 18 2, 3 19 3, 4 20 4, 5 21 5, 6 22 6, 7 23 7,
                  8 24 8, 9 25 9, 10 26 10, 11 27 11, 12 28 12, 13 29 13, 14 30 14, 15 31 15),
            // The rest of the first round: what `rounds::continue_short` does.
            second!(0 16),
            pairs!("vpxorq": 12 0, 28 16),
            rotate!(16: 12, 28),
            pairs!("vpaddq": 8 12, 24 28),
            pairs!("vpxorq": 4 8, 20 24),
            rotate!(63: 4, 20),
            pairs!("vpaddq": 0 5, 3 4, 16 21, 19 20),
            pairs!("vpxorq": 15 0, 12 1, 14 3, 31 16, 28 17, 30 19),
            rotate!(32: 15, 12, 14, 31, 28, 30),
            pairs!("vpaddq": 10 15, 11 12, 8 13, 9 14, 26 31, 27 28, 24 29, 25 30),
            pairs!("vpxorq": 5 10, 6 11, 7 8, 4 9, 21 26, 22 27, 23 24, 20 25),
            rotate!(24: 5, 6, 7, 4, 21, 22, 23, 20),
            diagonals!(16 63),
            round!([] [], [] [], [1 17] [0 16], [] []),
            round!([] [], [1 17] [], [] [], [] [2 18]),
            round!([] [], [] [1 17], [] [], [2 18] []),
            round!([] [], [0 16] [], [] [], [] [0 16]),
            round!([2 18] [], [] [], [] [3 19], [] []),
            round!([] [1 17], [] [], [0 16] [], [] []),
            round!([] [], [] [2 18], [] [], [0 16] []),
            round!([3 19] [], [] [], [] [2 18], [] []),
            round!([] [3 19], [] [], [] [], [3 19] []),
            round!([0 16] [], [] [0 16], [] [], [] []),
            round!([] [], [] [], [1 17] [0 16], [] []),
            finish!("one": 0 8 0, 1 9 1, 2 10 2, 3 11 3, 4 12 4, 5 13 5, 6 14 6, 7 15 7),
            finish!("other": 16 24 0, 17 25 1, 18 26 2, 19 27 3,
                             20 28 4, 21 29 5, 22 30 6, 23 31 7),
            begun = in(reg) short.begun.as_ptr(),
            state = in(reg) short.state.as_ptr(),
            first = in(reg) &raw const short.first_word,
            second = in(reg) second_words,
            one = in(reg) outputs[0],
            other = in(reg) outputs[1],
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
