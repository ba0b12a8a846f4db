// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two AVX-512 states at once, in assembly: the instruction text for `asm!`.
//!
//! Zen 5 starts four additions a clock, but each result takes two clocks, so the four independent
//! applications of G in one state keep only half of the units busy. Two states keep all of them
//! busy and use all 32 registers: one state is in registers 0 to 15, the other in 16 to 31. Every
//! instruction works in place, and the words of the block are memory operands. A compiler orders
//! the instructions differently and keeps words of the block in registers, or spills; hence the
//! assembly.
//!
//! `"d"` means words of 32 bits and `"q"` words of 64 bits, as in the names of the instructions.

/// An instruction on words of one width: `x = x op y` for each pair of registers.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_pairs {
    ($op:literal $width:literal: $($x:tt $y:tt),*) => {
        concat!($($op, $width, " zmm", $x, ", zmm", $x, ", zmm", $y, "\n"),*)
    };
}

/// Rotates the words of each register to the right by this number of bits.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_rotate {
    ($width:literal $bits:literal: $($x:tt),*) => {
        concat!($("vpror", $width, " zmm", $x, ", zmm", $x, ", ", $bits, "\n"),*)
    };
}

/// Half of G, four times in each state: the rows a, b, c, d of one state and then of the other.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_half_mix {
    ($w:literal $first:literal $second:literal;
     $a0:tt $a1:tt $a2:tt $a3:tt $b0:tt $b1:tt $b2:tt $b3:tt
     $c0:tt $c1:tt $c2:tt $c3:tt $d0:tt $d1:tt $d2:tt $d3:tt;
     $e0:tt $e1:tt $e2:tt $e3:tt $f0:tt $f1:tt $f2:tt $f3:tt
     $g0:tt $g1:tt $g2:tt $g3:tt $h0:tt $h1:tt $h2:tt $h3:tt) => {
        concat!(
            $crate::__arx_pairs!("vpadd" $w: $a0 $b0, $a1 $b1, $a2 $b2, $a3 $b3,
                                             $e0 $f0, $e1 $f1, $e2 $f2, $e3 $f3),
            $crate::__arx_pairs!("vpxor" $w: $d0 $a0, $d1 $a1, $d2 $a2, $d3 $a3,
                                             $h0 $e0, $h1 $e1, $h2 $e2, $h3 $e3),
            $crate::__arx_rotate!($w $first: $d0, $d1, $d2, $d3, $h0, $h1, $h2, $h3),
            $crate::__arx_pairs!("vpadd" $w: $c0 $d0, $c1 $d1, $c2 $d2, $c3 $d3,
                                             $g0 $h0, $g1 $h1, $g2 $h2, $g3 $h3),
            $crate::__arx_pairs!("vpxor" $w: $b0 $c0, $b1 $c1, $b2 $c2, $b3 $c3,
                                             $f0 $g0, $f1 $g1, $f2 $g2, $f3 $g3),
            $crate::__arx_rotate!($w $second: $b0, $b1, $b2, $b3, $f0, $f1, $f2, $f3),
        )
    };
}

/// Half of G on the columns of both states. The caller has added the words of the block to the
/// first four registers of each state. In `columns!("d" 16 12)` the numbers are the rotations in
/// bits.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_columns {
    ($w:literal $first:literal $second:literal) => {
        $crate::__arx_half_mix!($w $first $second;
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
            16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
}

/// Like [`columns`], on the diagonals.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_diagonals {
    ($w:literal $first:literal $second:literal) => {
        $crate::__arx_half_mix!($w $first $second;
            0 1 2 3 5 6 7 4 10 11 8 9 15 12 13 14;
            16 17 18 19 21 22 23 20 26 27 24 25 31 28 29 30)
    };
}

/// An `asm!` block that uses all 32 registers and no stack. Its operands end with a comma.
#[doc(hidden)]
#[macro_export]
macro_rules! __arx_two_states {
    ($($code_and_operands:tt)*) => {
        ::core::arch::asm!(
            $($code_and_operands)*
            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack, preserves_flags),
        )
    };
}

#[doc(inline)]
pub use __arx_columns as columns;
#[doc(inline)]
pub use __arx_diagonals as diagonals;
#[doc(inline)]
pub use __arx_pairs as pairs;
#[doc(inline)]
pub use __arx_rotate as rotate;
#[doc(inline)]
pub use __arx_two_states as two_states;
