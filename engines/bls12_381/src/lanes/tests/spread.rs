// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One number of Fp12 over all lanes, compared with blst.

use halimede_arith::lanes::run_with_ifma;

use super::super::spread::{FinalExponentiation, MillerProduct, MillerProductAtLines};
use super::*;

/// Returns the kernel's answer, after checking that the lanes and the emulation agree.
fn answer<K: Kernel<Output: PartialEq + std::fmt::Debug>>(kernel: impl Fn() -> K) -> K::Output {
    let emulated = emulate(Backend::Avx512Ifma, kernel());
    if let Some(fast) = run_with_ifma(Backend::Avx512Ifma, kernel()) {
        assert_eq!(fast, emulated);
    }
    emulated
}

fn exponentiated(number: &blst_fp12) -> blst_fp12 {
    let inverse = library::inverse_12(number);
    let constants = frobenius_constants();
    answer(|| FinalExponentiation { number, inverse: &inverse, constants })
}

#[test]
fn final_exponentiations_of_one_number_are_those_of_the_library() {
    let mut random = random();
    let one = library::one_12();
    assert_eq!(exponentiated(&one), one);
    for _ in 0..cases(2, 200) {
        let mut number = blst_fp12::default();
        for part in number.fp6.iter_mut().flat_map(|half| &mut half.fp2) {
            part.fp = [element(&mut random), element(&mut random)];
        }
        if number != blst_fp12::default() {
            assert_eq!(exponentiated(&number), library::final_exponentiation(&number));
        }
    }
}

#[test]
fn products_of_few_pairs_are_those_of_the_library() {
    let mut random = random();
    let filler = library::filler();
    for count in 1..=cases(2, LANES) {
        let pairs: Vec<Pair> = (0..count).map(|_| random_pair(&mut random)).collect();
        let pairs: Vec<&Pair> = pairs.iter().collect();
        let product = answer(|| MillerProduct { pairs: &pairs, filler: &filler });
        let expected = library::final_exponentiation(&library::miller_product(&pairs));
        assert_eq!(library::final_exponentiation(&product), expected, "{count} pairs");
        let lines: Vec<_> = pairs.iter().map(|(_, q)| library::lines_of(q)).collect();
        let points = pairs.iter().map(|(p, _)| library::doubled_coordinates(p));
        let pairs: Vec<LinesAt> = lines.iter().map(|lines| &lines[..]).zip(points).collect();
        let product = answer(|| MillerProductAtLines { pairs: &pairs });
        assert_eq!(library::final_exponentiation(&product), expected, "{count} pairs at lines");
    }
}
