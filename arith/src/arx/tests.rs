// SPDX-License-Identifier: Apache-2.0 OR MIT
//! G as the specifications write it, applied sequentially, against the halves of four: on words, on
//! the lanes of every register that this processor has, and on two states in assembly.

use proptest::prelude::*;

use super::*;

/// Random words. Proptest prints the seed when a test fails.
fn words<T: Arbitrary + Clone, const COUNT: usize>() -> impl Strategy<Value = [[T; 16]; COUNT]> {
    proptest::collection::vec(any::<[T; 16]>(), COUNT)
        .prop_filter_map("wrong number of words", |words| words.try_into().ok())
}

/// Repeats one instruction for all 32 registers.
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
macro_rules! registers {
    ($before:literal $between:literal $behind:literal) => {
        registers!($before $between $behind: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                   16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($before:literal $between:literal $behind:literal: $($x:tt)*) => {
        concat!($($before, $x, $between, $x, $behind, "\n"),*)
    };
}

/// The tests of one width: its integer, G's rotations (the first two and the other two), other
/// rotations, and the registers with their instructions.
macro_rules! tests {
    ($width:ident, $letter:literal, $integer:ty, [$first:literal $second:literal],
     [$third:literal $fourth:literal], [$($other:literal)*]) => {
        mod $width {
            use super::*;

            const ROTATIONS: [u32; 4] = [$first, $second, $third, $fourth];

            /// G with two words of a block (RFC 7693, section 3.1).
            fn g(v: &mut Words<$integer>, [a, b, c, d]: [usize; 4], words: [$integer; 2]) {
                for (half, word) in ROTATIONS.chunks_exact(2).zip(words) {
                    v[a] = v[a].wrapping_add(v[b]).wrapping_add(word);
                    v[d] = (v[d] ^ v[a]).rotate_right(half[0]);
                    v[c] = v[c].wrapping_add(v[d]);
                    v[b] = (v[b] ^ v[c]).rotate_right(half[1]);
                }
            }

            /// A round with the block's words in order. Word 5 is replaced by zero.
            fn round_by_the_specification(v: &mut Words<$integer>, block: &Words<$integer>) {
                let mut block = *block;
                block[5] = 0;
                let [columns, diagonals] = [[0, 2, 4, 6], [8, 10, 12, 14]];
                for (column, word) in columns.into_iter().enumerate() {
                    let rows = [column, column + 4, column + 8, column + 12];
                    g(v, rows, [block[word], block[word + 1]]);
                }
                let rows = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
                for (rows, word) in rows.into_iter().zip(diagonals) {
                    g(v, rows, [block[word], block[word + 1]]);
                }
            }

            /// The same round by halves of four.
            #[inline(always)]
            fn round<W: Word>(v: &mut Words<W>, block: &Words<W>) {
                let words = |places: [usize; 4]| {
                    places.map(|place| (place != 5).then_some(block[place]))
                };
                columns::<W, $first, $second>(v, words([0, 2, 4, 6]));
                columns::<W, $third, $fourth>(v, words([1, 3, 5, 7]));
                diagonals::<W, $first, $second>(v, words([8, 10, 12, 14]));
                diagonals::<W, $third, $fourth>(v, words([9, 11, 13, 15]));
            }

            proptest! {
                #[test]
                fn a_round_is_the_specifications([state, block] in words::<$integer, 2>()) {
                    let (mut v, mut expected) = (state, state);
                    round(&mut v, &block);
                    round_by_the_specification(&mut expected, &block);
                    prop_assert_eq!(v, expected);
                }
            }

            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            proptest! {
                #[test]
                fn a_held_state_is_mixed_the_same([state, block] in words::<$integer, 2>()) {
                    let mut v = state;
                    round(&mut v, &block);
                    let words = |places: [usize; 4]| {
                        places.map(|place| (place != 5).then_some(block[place]))
                    };
                    let mut held = Held::new(state);
                    held.columns::<$first, $second>(words([0, 2, 4, 6]));
                    held.columns::<$third, $fourth>(words([1, 3, 5, 7]));
                    held.diagonals::<$first, $second>(words([8, 10, 12, 14]));
                    held.diagonals::<$third, $fourth>(words([9, 11, 13, 15]));
                    prop_assert_eq!(held.words(), v);
                }
            }

            #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
            mod in_registers {
                use std::arch::x86_64::*;

                use super::*;
                use crate::Backend;

                /// The words of up to sixteen lanes, row by row.
                type Rows = [[$integer; 16]; 16];

                /// The result of every operation on two rows of lanes.
                fn operations<W: Word>(a: W, b: W) -> Vec<W> {
                    vec![
                        a.add(b),
                        a.xor(b),
                        a.and(b),
                        a.or(b),
                        a.rotate_right::<$first>(),
                        a.rotate_right::<$second>(),
                        a.rotate_right::<$third>(),
                        a.rotate_right::<$fourth>(),
                        $(a.rotate_right::<$other>(),)*
                    ]
                }

                /// Checks that lanes compute the same as words. The processor must have the
                /// instructions.
                fn check<W: Word>(
                    rows: &Rows,
                    lanes: usize,
                    load: impl Fn(*const $integer) -> W,
                    store: impl Fn(W, *mut $integer),
                ) {
                    let stored = |register: W| {
                        let mut row = [0; 16];
                        store(register, row.as_mut_ptr());
                        row
                    };
                    let registers = rows.each_ref().map(|row| load(row.as_ptr()));
                    let results: Vec<_> =
                        operations(registers[0], registers[1]).into_iter().map(stored).collect();
                    let mut mixed = registers;
                    let mut block = registers;
                    block.reverse();
                    round(&mut mixed, &block);
                    let mixed = mixed.map(stored);
                    for lane in 0..lanes {
                        let expected = operations(rows[0][lane], rows[1][lane]);
                        let got: Vec<_> = results.iter().map(|row| row[lane]).collect();
                        assert_eq!(got, expected, "lane {lane} of {lanes}");
                        let mut expected = rows.map(|row| row[lane]);
                        let mut block = expected;
                        block.reverse();
                        round_by_the_specification(&mut expected, &block);
                        assert_eq!(mixed.map(|row| row[lane]), expected, "lane {lane} of {lanes}");
                    }
                }

                /// Columns with the first rotations, then diagonals with the others, in assembly.
                ///
                /// # Safety
                /// The processor has AVX-512F.
                #[target_feature(enable = "avx512f")]
                unsafe fn half_round(states: &mut [[$integer; 64 / size_of::<$integer>()]; 32]) {
                    // SAFETY: the states have 64 bytes for each of 32 registers.
                    unsafe {
                        assembly::two_states!(
                            registers!("vmovdqu64 zmm" ", [{states} + 64*" "]"),
                            assembly::columns!($letter $first $second),
                            assembly::diagonals!($letter $third $fourth),
                            registers!("vmovdqu64 [{states} + 64*" "], zmm" ""),
                            states = in(reg) states.as_mut_ptr(),
                        );
                    }
                }

                // Loads and stores for `check`.
                fn load_avx2(row: *const $integer) -> Avx2<$integer> {
                    // SAFETY: AVX2 is available, and a row has a register's words.
                    unsafe { Avx2::new(_mm256_loadu_si256(row.cast())) }
                }
                fn store_avx2(register: Avx2<$integer>, row: *mut $integer) {
                    // SAFETY: as above.
                    unsafe { _mm256_storeu_si256(row.cast(), register.register()) }
                }
                fn load_avx512(row: *const $integer) -> Avx512<$integer> {
                    // SAFETY: AVX-512 is available, and a row has a register's words.
                    unsafe { Avx512::new(_mm512_loadu_si512(row.cast())) }
                }
                fn store_avx512(register: Avx512<$integer>, row: *mut $integer) {
                    // SAFETY: as above.
                    unsafe { _mm512_storeu_si512(row.cast(), register.register()) }
                }

                proptest! {
                    #[test]
                    fn lanes_do_what_words_do(rows in words::<$integer, 16>()) {
                        if Backend::Avx2.is_available() {
                            let lanes = 32 / size_of::<$integer>();
                            check::<Avx2<$integer>>(&rows, lanes, load_avx2, store_avx2);
                        }
                        if Backend::Avx512.is_available() {
                            let lanes = 64 / size_of::<$integer>();
                            check::<Avx512<$integer>>(&rows, lanes, load_avx512, store_avx512);
                        }
                    }

                    #[test]
                    fn two_states_are_mixed_side_by_side(rows in words::<$integer, 32>()) {
                        if !Backend::Avx512.is_available() {
                            return Ok(());
                        }
                        const LANES: usize = 64 / size_of::<$integer>();
                        let rows: [[$integer; LANES]; 32] =
                            rows.map(|row| std::array::from_fn(|lane| row[lane]));
                        let mut states = rows;
                        // SAFETY: AVX-512 is available.
                        unsafe { half_round(&mut states) };
                        for (before, after) in rows.chunks_exact(16).zip(states.chunks_exact(16)) {
                            for lane in 0..LANES {
                                let mut v: Words<$integer> =
                                    std::array::from_fn(|word| before[word][lane]);
                                columns::<_, $first, $second>(&mut v, [None; 4]);
                                diagonals::<_, $third, $fourth>(&mut v, [None; 4]);
                                let got: Words<$integer> =
                                    std::array::from_fn(|word| after[word][lane]);
                                prop_assert_eq!(got, v);
                            }
                        }
                    }
                }
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
proptest! {
    #[test]
    fn pairs_do_what_words_do([a, b] in any::<[[u64; 2]; 2]>()) {
        fn operations<W: Word>(a: W, b: W) -> [W; 10] {
            [
                a.add(b),
                a.xor(b),
                a.and(b),
                a.or(b),
                a.rotate_right::<32>(),
                a.rotate_right::<24>(),
                a.rotate_right::<16>(),
                a.rotate_right::<63>(),
                a.rotate_right::<1>(),
                a.rotate_right::<56>(),
            ]
        }
        let both = operations(Sse2::new(a), Sse2::new(b)).map(Sse2::words);
        for lane in 0..2 {
            prop_assert_eq!(both.map(|words| words[lane]), operations(a[lane], b[lane]));
            prop_assert_eq!(Sse2::splat(a[lane]).words(), [a[lane]; 2]);
        }
    }
}

tests!(of_32_bits, "d", u32, [16 12], [8 7], [1 24 31]);
tests!(of_64_bits, "q", u64, [32 24], [16 63], [1 8 40 56 62]);
