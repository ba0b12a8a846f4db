// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's round constants: the Grain LFSR in self-shrinking mode (Poseidon paper, appendix F).

use halimede_arith::Fr;

use crate::instance::Instance;

const FIELD_BITS: u32 = 255;

/// The 80-bit LFSR b₍ᵢ₊₈₀₎ = b₍ᵢ₊₆₂₎ ⊕ b₍ᵢ₊₅₁₎ ⊕ b₍ᵢ₊₃₈₎ ⊕ b₍ᵢ₊₂₃₎ ⊕ b₍ᵢ₊₁₃₎ ⊕ bᵢ; the oldest bit is the
/// lowest.
struct Grain {
    state: u128,
}

impl Grain {
    /// The initial state names the instance: 2 bits field type (1: prime), 4 bits S-box (1: x^α in
    /// Filecoin's generator), 12 bits field size, 12 bits width, 10 bits R_F, 10 bits R_P, 30 ones;
    /// the first 160 outputs are thrown away.
    fn new(instance: Instance) -> Self {
        let fields: [(usize, u32); 7] = [
            (1, 2),
            (1, 4),
            (FIELD_BITS as usize, 12),
            (instance.width(), 12),
            (instance.full_rounds(), 10),
            (instance.partial_rounds(), 10),
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

    /// Self-shrinking: of each pair of bits, the second counts if the first is 1.
    fn bit(&mut self) -> bool {
        loop {
            let keep = self.step();
            let bit = self.step();
            if keep {
                return bit;
            }
        }
    }

    /// 255 bits, most significant first; candidates at or above the modulus are skipped.
    fn element(&mut self) -> Fr {
        loop {
            let mut limbs = [0u64; 4];
            for place in (0..FIELD_BITS as usize).rev() {
                limbs[place / 64] |= u64::from(self.bit()) << (place % 64);
            }
            if let Ok(element) = Fr::from_canonical_limbs(limbs) {
                return element;
            }
        }
    }
}

/// The (R_F + R_P)·t round constants, in the order of use.
pub(crate) fn round_constants(instance: Instance) -> Vec<Fr> {
    let rounds = instance.full_rounds() + instance.partial_rounds();
    let mut grain = Grain::new(instance);
    (0..rounds * instance.width()).map(|_| grain.element()).collect()
}
