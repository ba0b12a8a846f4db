// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prime fields of any size: powers, and round constants from the Grain LFSR.

use ff::PrimeField;
use halimede_poseidon::{Grain, GrainSeed, RoundNumbers};

/// Filecoin's generator has this number for x⁵.
const QUINTIC: usize = 1;

/// Returns 2^exponent.
pub fn power_of_two<F: PrimeField>(exponent: u64) -> F {
    F::from(2).pow_vartime([exponent])
}

/// Returns x⁵.
pub fn fifth_power<F: PrimeField>(x: F) -> F {
    x.square().square() * x
}

/// Returns the (R_F + R_P)·t round constants of a width, in the order of use (Poseidon paper,
/// appendix F): candidates have the bit length of the modulus; those at or above it are skipped.
pub fn round_constants<F: PrimeField>(width: usize, rounds: RoundNumbers) -> Vec<F> {
    let field_bits = F::NUM_BITS as usize;
    let mut grain = Grain::new(&GrainSeed { sbox: QUINTIC, field_bits, width, rounds });
    let modulus = modulus_bits::<F>();
    let mut element = || loop {
        let bits: Vec<bool> = (0..field_bits).map(|_| grain.bit()).collect();
        // Both have the most significant bit first.
        if bits < modulus {
            let double_and_add = |sum: F, bit: &bool| sum.double() + F::from(u64::from(*bit));
            break bits.iter().fold(F::ZERO, double_and_add);
        }
    };
    (0..(rounds.full + rounds.partial) * width).map(|_| element()).collect()
}

/// The bits of the modulus, most significant first. `F::MODULUS` is hexadecimal, big-endian.
fn modulus_bits<F: PrimeField>() -> Vec<bool> {
    let digits = F::MODULUS.trim_start_matches("0x").chars();
    let values = digits.filter_map(|digit| digit.to_digit(16));
    let bits = values.flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1));
    bits.skip_while(|bit| !bit).collect()
}
