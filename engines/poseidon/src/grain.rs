// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Grain LFSR in self-shrinking mode (Poseidon paper, appendix F), and Filecoin's round
//! constants, which it generates.

use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::{Field, Fr};

use crate::instance::Instance;
use crate::round_numbers::RoundNumbers;

/// The description of the instance in the initial state of the LFSR.
#[derive(Clone, Copy, Debug)]
pub struct GrainSeed {
    /// 0 for x^α and 1 for x⁻¹ in the authors' script; Filecoin's generator has 1 for x⁵. 4 bits.
    pub sbox: usize,
    /// The bit length of the prime, in 12 bits.
    pub field_bits: usize,
    /// The width of the state in elements, in 12 bits.
    pub width: usize,
    /// The numbers of full and partial rounds, in 10 bits each.
    pub rounds: RoundNumbers,
}

/// The 80-bit LFSR b₍ᵢ₊₈₀₎ = b₍ᵢ₊₆₂₎ ⊕ b₍ᵢ₊₅₁₎ ⊕ b₍ᵢ₊₃₈₎ ⊕ b₍ᵢ₊₂₃₎ ⊕ b₍ᵢ₊₁₃₎ ⊕ bᵢ; the oldest bit
/// is the lowest.
pub struct Grain {
    state: u128,
}

impl Grain {
    /// The initial state is 2 bits of field type (1: prime), the seed, and 30 ones; the first 160
    /// outputs are discarded.
    pub fn new(seed: &GrainSeed) -> Self {
        let fields: [(usize, u32); 7] = [
            (1, 2),
            (seed.sbox, 4),
            (seed.field_bits, 12),
            (seed.width, 12),
            (seed.rounds.full, 10),
            (seed.rounds.partial, 10),
            ((1 << 30) - 1, 30),
        ];
        let mut state = 0;
        let mut position = 0;
        for (value, bits) in fields {
            for bit in (0..bits).rev() {
                state |= (((value >> bit) & 1) as u128) << position;
                position += 1;
            }
        }
        let mut grain = Self { state };
        for _ in 0..160 {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> bool {
        let tap = |bit: u32| self.state >> bit;
        let new = (tap(62) ^ tap(51) ^ tap(38) ^ tap(23) ^ tap(13) ^ tap(0)) & 1;
        self.state = (self.state >> 1) | (new << 79);
        new == 1
    }

    /// Self-shrinking output: in each pair of bits, the second is output if the first is 1.
    pub fn bit(&mut self) -> bool {
        loop {
            let keep = self.step();
            let bit = self.step();
            if keep {
                return bit;
            }
        }
    }

    /// An integer of the prime's bit length, most significant bit first.
    fn integer<M: Modulus>(&mut self) -> [u64; 4] {
        let mut limbs = [0u64; 4];
        for place in (0..M::BITS as usize).rev() {
            limbs[place / 64] |= u64::from(self.bit()) << (place % 64);
        }
        limbs
    }

    /// The next integer below the prime; others are skipped.
    pub fn element<M: Modulus>(&mut self) -> Field<M> {
        loop {
            if let Ok(element) = Field::from_canonical_limbs(self.integer::<M>()) {
                return element;
            }
        }
    }

    /// The next integer modulo the prime.
    pub fn residue<M: Modulus>(&mut self) -> Field<M> {
        Field::from_integer(self.integer::<M>())
    }
}

/// The (R_F + R_P)·t round constants of a Filecoin instance, in the order of use.
pub(crate) fn round_constants(instance: Instance) -> Vec<Fr> {
    let rounds = RoundNumbers { full: instance.full_rounds(), partial: instance.partial_rounds() };
    let width = instance.width();
    let mut grain = Grain::new(&GrainSeed {
        sbox: 1,
        field_bits: Bls12381Scalar::BITS as usize,
        width,
        rounds,
    });
    (0..(rounds.full + rounds.partial) * width).map(|_| grain.element()).collect()
}
