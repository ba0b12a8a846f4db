// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE2b's rounds for two registers of eight lanes at once, in assembly (see
//! [`halimede_arith::arx::assembly`]), for a block whose words except the first two are zero.

use halimede_arith::arx::assembly::{columns, diagonals, pairs, rotate, two_states};

use crate::midstate::Short;

/// Adds an operand, or nothing, to a register of each state. This precedes the sum of G, whose
/// inputs may not be ready yet.
macro_rules! add {
    ($one:literal $other:literal: $($x:tt $y:tt)?) => {
        concat!($(
            "vpaddq zmm", $x, ", zmm", $x, ", ", $one, "\n",
            "vpaddq zmm", $y, ", zmm", $y, ", ", $other, "\n",
        )?)
    };
}

/// Adds the first word of the block to a register of each state, or nothing.
macro_rules! first {
    ($($x:tt $y:tt)?) => {
        add!("qword ptr [{first}]{{1to8}}" "qword ptr [{first}]{{1to8}}": $($x $y)?)
    };
}

/// Adds the second word of each state's lanes to its register, or nothing.
macro_rules! second {
    ($($x:tt $y:tt)?) => {
        add!("zmmword ptr [{second}]" "zmmword ptr [{second} + 64]": $($x $y)?)
    };
}

/// A round. Each of its four halves is preceded by the register that the first word is added to,
/// and by the register for the second word.
macro_rules! round {
    ([$($f0:tt)*] [$($s0:tt)*], [$($f1:tt)*] [$($s1:tt)*],
     [$($f2:tt)*] [$($s2:tt)*], [$($f3:tt)*] [$($s3:tt)*]) => {
        concat!(
            first!($($f0)*), second!($($s0)*), columns!("q" 32 24),
            first!($($f1)*), second!($($s1)*), columns!("q" 16 63),
            first!($($f2)*), second!($($s2)*), diagonals!("q" 32 24),
            first!($($f3)*), second!($($s3)*), diagonals!("q" 16 63),
        )
    };
}

/// Broadcasts the words of the begun state to the registers of both states.
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

/// Computes the hashes of two groups of eight lanes. `second_words` points to their sixteen second
/// words; each output is eight words of eight lanes.
///
/// # Safety
/// The processor has AVX-512F. The second words must be readable and the outputs writable, 64 words
/// each.
#[target_feature(enable = "avx512f")]
#[inline(never)]
pub(super) unsafe fn hash_two(short: &Short, second_words: *const u64, outputs: [*mut u64; 2]) {
    // SAFETY: the caller guarantees the memory, and the registers are declared.
    unsafe {
        two_states!(
            load!(0 16 0, 1 17 1, 2 18 2, 3 19 3, 4 20 4, 5 21 5, 6 22 6, 7 23 7,
                  8 24 8, 9 25 9, 10 26 10, 11 27 11, 12 28 12, 13 29 13, 14 30 14, 15 31 15),
            // The rest of the first round: what `rounds::continue_short` does.
            second!(0 16),
            pairs!("vpxor" "q": 12 0, 28 16),
            rotate!("q" 16: 12, 28),
            pairs!("vpadd" "q": 8 12, 24 28),
            pairs!("vpxor" "q": 4 8, 20 24),
            rotate!("q" 63: 4, 20),
            pairs!("vpadd" "q": 0 5, 3 4, 16 21, 19 20),
            pairs!("vpxor" "q": 15 0, 12 1, 14 3, 31 16, 28 17, 30 19),
            rotate!("q" 32: 15, 12, 14, 31, 28, 30),
            pairs!("vpadd" "q": 10 15, 11 12, 8 13, 9 14, 26 31, 27 28, 24 29, 25 30),
            pairs!("vpxor" "q": 5 10, 6 11, 7 8, 4 9, 21 26, 22 27, 23 24, 20 25),
            rotate!("q" 24: 5, 6, 7, 4, 21, 22, 23, 20),
            diagonals!("q" 16 63),
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
        );
    }
}
