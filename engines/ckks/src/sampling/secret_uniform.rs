// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples uniform polynomials that are secret, in constant time.

use zeroize::Zeroizing;

use super::Random;
use crate::ring::{Basis, Form, Polynomial, Ring};

/// Samples a polynomial of uniform residues, as values. It is marked secret. The distance of each
/// residue from the uniform distribution is below 2⁻⁹⁶.
pub(crate) fn secret_uniform(random: &mut Random, ring: &Ring, basis: &Basis) -> Polynomial {
    let degree = ring.degree();
    let mut words = Zeroizing::new(vec![0u64; 2 * degree]);
    let mut residues = Zeroizing::new(Vec::with_capacity(degree * basis.len()));
    for modulus in ring.moduli(basis) {
        random.words(&mut words);
        let prime = u128::from(modulus.value());
        // ⌊x·q/2¹²⁸⌋ for x of 128 bits.
        let residue = |pair: &[u64]| {
            let low = (u128::from(pair[0]) * prime) >> 64;
            ((u128::from(pair[1]) * prime + low) >> 64) as u32
        };
        residues.extend(words.chunks_exact(2).map(residue));
    }
    let mut polynomial = ring.from_places(basis, Form::Values, |place, _, limb| {
        let index = basis.limb_of(place).unwrap_or_default();
        limb.copy_from_slice(&residues[index * degree..][..degree]);
    });
    polynomial.mark_secret();
    polynomial
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::{primes_below, LaneBackend};

    #[test]
    fn residues_are_uniform_and_marked() {
        let primes: Vec<u32> = primes_below(1 << 30, 13).take(3).collect();
        let ring = Ring::new(12, &primes, LaneBackend::Portable).unwrap();
        let drawn = secret_uniform(&mut Random::of_test(8), &ring, &Basis::new([0, 2]));
        assert!(drawn.is_secret());
        for (limb, prime) in drawn.limbs().zip([primes[0], primes[2]]) {
            let mut seen = [0usize; 16];
            for residue in limb {
                assert!(*residue < prime);
                seen[(u64::from(*residue) * 16 / u64::from(prime)) as usize] += 1;
            }
            // 256 each, with a standard deviation of 15.5.
            assert!(seen.iter().all(|seen| seen.abs_diff(256) < 78), "{seen:?}");
        }
        assert_ne!(drawn.limb(0)[..8], drawn.limb(1)[..8]);
    }
}
