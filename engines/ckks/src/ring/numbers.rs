// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers as polynomials.
//!
//! X^(N/2) has the value i in every slot, so the Gaussian integer a + b·i is the polynomial a +
//! b·X^(N/2). Among its values modulo a prime, in bit-reversed order, the first half are a + b·I
//! and the second half are a − b·I, where I = ψ^(N/2). A product with it is therefore two products
//! with numbers.

use zeroize::Zeroize;

use super::basis::Basis;
use super::form::Form;
use super::kernels::MAX_TERMS;
use super::modulus::{Gaussian, Modulus};
use super::polynomial::Polynomial;
use super::program::Operation;
use super::ring::{limb_at, Ring};
use super::twiddles::Twiddles;

impl Ring {
    /// Adds a Gaussian integer to a polynomial of values.
    ///
    /// # Panics
    /// Panics for coefficients.
    pub fn add_number(&self, a: &mut Polynomial, number: impl Fn(Modulus) -> Gaussian + Sync) {
        assert_eq!(a.form(), Form::Values, "a number cannot be added to coefficients");
        let before = a.value();
        self.each_limb(a, |_, twiddles, limb| {
            let modulus = twiddles.modulus();
            let numbers = halves(twiddles, number(modulus));
            let half = limb.len() / 2;
            for (residues, number) in limb.chunks_exact_mut(half).zip(numbers) {
                residues.iter_mut().for_each(|residue| *residue = modulus.add(*residue, number));
            }
        });
        self.record(a, || {
            let numbers = self.moduli(a.basis()).into_iter().map(number).collect();
            (Operation::AddNumber { numbers }, vec![before])
        });
    }

    /// Returns Σ aᵢ·nᵢ of values, with Gaussian integers nᵢ, modulo the primes of a basis. The aᵢ
    /// may have more primes.
    ///
    /// # Panics
    /// Panics for coefficients, and if a polynomial lacks one of these primes.
    pub fn combine(
        &self,
        basis: &Basis,
        terms: &[&Polynomial],
        number: impl Fn(usize, Modulus) -> Gaussian + Sync,
    ) -> Polynomial {
        let is_values = terms.iter().all(|term| term.form() == Form::Values);
        assert!(is_values, "a combination of coefficients");
        let mut sum = self.fresh_from(terms, basis, Form::Values);
        let is_secret = sum.is_secret();
        self.each_limb(&mut sum, |place, twiddles, limb| {
            let modulus = twiddles.modulus();
            let half = limb.len() / 2;
            let factors: Vec<Gaussian> = (0..terms.len())
                .map(|index| halves(twiddles, number(index, modulus)))
                .map(|factors| factors.map(|factor| modulus.to_montgomery(factor)))
                .collect();
            let term = |index: usize, side: usize| {
                (&limb_at(terms[index], place)[side * half..][..half], factors[index][side])
            };
            for (side, part) in limb.chunks_exact_mut(half).enumerate() {
                let all: Vec<(&[u32], u32)> = (0..terms.len()).map(|i| term(i, side)).collect();
                self.in_chunks(modulus, part, &all, is_secret, |part, some| {
                    self.kernels.combine(modulus, part, some);
                });
            }
        });
        self.record(&sum, || {
            let moduli = self.moduli(basis);
            let of = |term: usize| moduli.iter().map(|modulus| number(term, *modulus)).collect();
            let numbers = (0..terms.len()).map(of).collect();
            (Operation::Combine { numbers }, terms.iter().map(|term| term.value()).collect())
        });
        sum
    }

    /// Adds terms in chunks of the largest size that needs no reduction. Partial sums of secret
    /// terms are overwritten.
    pub(super) fn in_chunks<T>(
        &self,
        modulus: Modulus,
        sum: &mut [u32],
        terms: &[T],
        is_secret: bool,
        add_up: impl Fn(&mut [u32], &[T]),
    ) {
        let (first, others) = terms.split_at(terms.len().min(MAX_TERMS));
        add_up(sum, first);
        let mut part = vec![0; if others.is_empty() { 0 } else { sum.len() }];
        for some in others.chunks(MAX_TERMS) {
            add_up(&mut part, some);
            self.kernels.add(modulus, sum, &part);
        }
        if is_secret {
            part.zeroize();
        }
    }
}

/// The values of a Gaussian integer in the two halves of a limb.
fn halves(twiddles: &Twiddles, [re, im]: Gaussian) -> Gaussian {
    let modulus = twiddles.modulus();
    let root = modulus.pow(twiddles.root(), twiddles.degree() as u64 / 2);
    let turned = modulus.mul(im, root);
    [modulus.add(re, turned), modulus.sub(re, turned)]
}
