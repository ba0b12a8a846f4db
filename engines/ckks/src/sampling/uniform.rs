// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Public polynomials from seeds: the uniform half of a ciphertext or a key is stored as 32 bytes.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::ring::{Basis, Form, Polynomial, Ring, UniformSeed};

/// Bytes of a seed.
pub const SEED_BYTES: usize = 32;

/// The seed of a public polynomial.
pub type Seed = [u8; SEED_BYTES];

/// The index of the second part of a fresh ciphertext. Halves of keys have the indices of their
/// digits, which are smaller, so that no half of a key is the second part of a fresh ciphertext.
pub(crate) const FRESH_INDEX: u32 = u32::MAX;

/// Words that are drawn at a time.
const BLOCK_WORDS: usize = 1024;

/// Expands a seed and an index to a uniform polynomial, as values.
///
/// The residues modulo the prime q at position p in the ring's list come from ChaCha20's stream
/// `index`·2¹⁶ + p under the key `seed`: each word is truncated to the bits of q and skipped unless
/// it is below q. The residues do not depend on other primes.
pub fn uniform(ring: &Ring, basis: &Basis, seed: &Seed, index: u32) -> Polynomial {
    let mut polynomial = ring.from_places(basis, Form::Values, |place, modulus, limb| {
        uniform_limb(seed, u64::from(index) << 16 | u64::from(place), modulus.value(), limb);
    });
    polynomial.came_from(UniformSeed { seed: *seed, index });
    polynomial
}

/// Fills a limb with the residues modulo a prime from stream `number` of a seed.
pub(crate) fn uniform_limb(seed: &Seed, number: u64, prime: u32, limb: &mut [u32]) {
    let mut stream = ChaCha20Rng::from_seed(*seed);
    stream.set_stream(number);
    let mask = u32::MAX >> prime.leading_zeros();
    let mut block = [0u8; 4 * BLOCK_WORDS];
    let mut filled = 0;
    while filled < limb.len() {
        stream.fill_bytes(&mut block);
        for word in block.chunks_exact(4) {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) & mask;
            // The next word overwrites a rejected one.
            if filled < limb.len() {
                limb[filled] = word;
                filled += usize::from(word < prime);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::EngineBackend;

    use super::*;
    use crate::ring::{primes_below, LaneBackend};

    #[test]
    fn residues_are_uniform_and_depend_on_seed_index_and_prime_alone() {
        let mut primes: Vec<u32> = primes_below(1 << 30, 13).take(2).collect();
        primes.extend(primes_below(1 << 25, 13).take(1));
        let ring = Ring::new(12, &primes, LaneBackend::active()).unwrap();
        let all = uniform(&ring, &ring.all(), &[7; SEED_BYTES], 3);
        for (limb, prime) in all.limbs().zip(&primes) {
            assert!(limb.iter().all(|residue| residue < prime));
            // Mean q/2, standard deviation of the mean q/√(12·4096).
            let mean = limb.iter().map(|r| f64::from(*r)).sum::<f64>() / 4096.0;
            let deviation = (mean / f64::from(*prime) - 0.5) * (12f64 * 4096.0).sqrt();
            assert!(deviation.abs() < 4.0, "{deviation}");
        }
        let one = uniform(&ring, &Basis::new([2]), &[7; SEED_BYTES], 3);
        assert_eq!(one.limb(0), all.limb(2));
        for (seed, index) in [([7; SEED_BYTES], 4), ([8; SEED_BYTES], 3)] {
            assert_ne!(uniform(&ring, &Basis::new([2]), &seed, index).limb(0), all.limb(2));
        }
        assert_ne!(all.limb(0)[..16], all.limb(1)[..16]);
    }

    #[test]
    fn the_seed_is_known_until_the_residues_change() {
        let primes: Vec<u32> = primes_below(1 << 30, 11).take(2).collect();
        let ring = Ring::new(10, &primes, LaneBackend::active()).unwrap();
        let all = uniform(&ring, &ring.all(), &[7; SEED_BYTES], 3);
        let known = Some(UniformSeed { seed: [7; SEED_BYTES], index: 3 });
        let (part, mut changed) = (ring.restrict(&all, &Basis::new([1])), all.clone());
        assert_eq!([all.seed(), part.seed(), changed.seed()], [known; 3]);
        ring.neg(&mut changed);
        assert_eq!([all.seed(), changed.seed()], [known, None]);
    }

    /// The same numbers are in `engines/ckks/model/tests/test_expansion.py`: the card draws them
    /// too.
    #[test]
    fn residues_are_those_of_the_cards_model() {
        let prime = 537133057; // a little above 2²⁹: half the words are rejected
        let mut primes: Vec<u32> = primes_below(1 << 30, 13).take(2).collect();
        primes.push(prime);
        let ring = Ring::new(12, &primes, LaneBackend::active()).unwrap();
        let seed: Seed = std::array::from_fn(|byte| byte as u8 + 1);
        let limbs = uniform(&ring, &Basis::new([2]), &seed, 3);
        let limb = limbs.limb(0);
        assert_eq!(
            [limb[0], limb[1], limb[2], limb[4095]],
            [475003720, 536403978, 431828875, 4966357]
        );
    }
}
