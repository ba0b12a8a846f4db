// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rounds for two states of sixteen lanes at once, in assembly (see
//! [`halimede_arith::arx::assembly`]).

use halimede_arith::arx::assembly::{columns, diagonals, two_states};

/// Adds one word of a state's message to each register.
macro_rules! words {
    ($message:literal: $($x:tt $word:tt),*) => {
        concat!($("vpaddd zmm", $x, ", zmm", $x, ", [{", $message, "} + 64*", $word, "]\n"),*)
    };
}

/// Adds four words of their messages to the first registers of both states.
macro_rules! four_words {
    ($m0:tt $m1:tt $m2:tt $m3:tt) => {
        concat!(
            words!("first": 0 $m0, 1 $m1, 2 $m2, 3 $m3),
            words!("second": 16 $m0, 17 $m1, 18 $m2, 19 $m3),
        )
    };
}

/// A round with the block's words in the order of its schedule.
macro_rules! round {
    ($m0:tt $m1:tt $m2:tt $m3:tt $m4:tt $m5:tt $m6:tt $m7:tt
     $m8:tt $m9:tt $m10:tt $m11:tt $m12:tt $m13:tt $m14:tt $m15:tt) => {
        concat!(
            four_words!($m0 $m2 $m4 $m6),
            columns!("d" 16 12),
            four_words!($m1 $m3 $m5 $m7),
            columns!("d" 8 7),
            four_words!($m8 $m10 $m12 $m14),
            diagonals!("d" 16 12),
            four_words!($m9 $m11 $m13 $m15),
            diagonals!("d" 8 7),
        )
    };
}

/// Loads the state's words into the registers, in order.
macro_rules! load {
    ($state:literal: $($x:tt $word:tt),*) => {
        concat!($("vmovdqu64 zmm", $x, ", [{", $state, "} + 64*", $word, "]\n"),*)
    };
}

/// XORs the second half of the state into the first and stores the first.
macro_rules! finish {
    ($state:literal: $($x:tt $y:tt $word:tt),*) => {
        concat!($(
            "vpxord zmm", $x, ", zmm", $x, ", zmm", $y, "\n",
            "vmovdqu64 [{", $state, "} + 64*", $word, "], zmm", $x, "\n"
        ),*)
    };
}

/// Computes the seven rounds on two states of 16 words of 16 lanes each, with a block each. The
/// first eight words of a state become its new chaining value; the others are unchanged.
///
/// # Safety
/// The processor has AVX-512F. Each state must be readable and writable and each block readable,
/// 1024 bytes.
#[inline(always)]
pub(super) unsafe fn compress_two(states: [*mut u32; 2], blocks: [*const u32; 2]) {
    // SAFETY: the caller guarantees the memory, and the registers are declared.
    unsafe {
        two_states!(
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
        );
    }
}
