// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on polynomials in one basis: transforms, sums, products, automorphisms.

use super::basis::Basis;
use super::form::Form;
use super::modulus::Modulus;
use super::polynomial::Polynomial;
use super::program::Operation;
use super::ring::{limb_at, Ring};

impl Ring {
    /// The zero polynomial.
    pub fn zero(&self, basis: &Basis, form: Form) -> Polynomial {
        let mut zero = self.fresh(basis, form);
        self.each_limb(&mut zero, |_, _, limb| limb.fill(0));
        self.record(&zero, || (Operation::Zero, Vec::new()));
        zero
    }

    /// Transforms coefficients to values.
    pub fn forward(&self, a: &mut Polynomial) {
        assert_eq!(a.form, Form::Coefficients, "the polynomial already has values");
        let before = a.value();
        self.each_limb(a, |_, twiddles, limb| self.kernels.forward(twiddles, limb));
        a.form = Form::Values;
        self.record(a, || (Operation::Forward, vec![before]));
    }

    /// Transforms values to coefficients.
    pub fn inverse(&self, a: &mut Polynomial) {
        assert_eq!(a.form, Form::Values, "the polynomial already has coefficients");
        let before = a.value();
        self.each_limb(a, |_, twiddles, limb| self.kernels.inverse(twiddles, limb));
        a.form = Form::Coefficients;
        self.record(a, || (Operation::Inverse, vec![before]));
    }

    /// Returns the coefficients of a polynomial of values, modulo some of its primes.
    ///
    /// # Panics
    /// Panics for coefficients, and if the polynomial lacks one of the primes.
    pub fn coefficients(&self, a: &Polynomial, basis: &Basis) -> Polynomial {
        assert_eq!(a.form, Form::Values, "the polynomial already has coefficients");
        let mut coefficients = self.fresh_from(&[a], basis, Form::Coefficients);
        self.each_limb(&mut coefficients, |place, twiddles, limb| {
            limb.copy_from_slice(limb_at(a, place));
            self.kernels.inverse(twiddles, limb);
        });
        self.record(&coefficients, || (Operation::Inverse, vec![self.selected(a, basis)]));
        coefficients
    }

    /// a + b. `b` may have more primes.
    pub fn add(&self, a: &mut Polynomial, b: &Polynomial) {
        let before = a.value();
        self.with(a, b, |modulus, a, b| self.kernels.add(modulus, a, b));
        self.record(a, || (Operation::Add, vec![before, b.value()]));
    }

    /// a + b, where `b` may have fewer primes. It is 0 modulo the others.
    pub fn add_part(&self, a: &mut Polynomial, b: &Polynomial) {
        assert_eq!(a.form, b.form, "one polynomial has values and the other coefficients");
        assert!(a.basis.contains(&b.basis), "the sum lacks a prime of the summand");
        let before = a.value();
        let is_secret = b.is_secret();
        self.each_limb_with(a, is_secret, |place, _, limb| self.add_limb(place, limb, b));
        if self.recorder.is_on() {
            self.record_sum(before, b, a.value());
        }
    }

    /// Adds the limb of a prime of `b`, if `b` has one.
    pub(super) fn add_limb(&self, place: u16, limb: &mut [u32], b: &Polynomial) {
        if b.basis.limb_of(place).is_some() {
            self.kernels.add(self.modulus(place), limb, limb_at(b, place));
        }
    }

    /// a − b. `b` may have more primes.
    pub fn sub(&self, a: &mut Polynomial, b: &Polynomial) {
        let before = a.value();
        self.with(a, b, |modulus, a, b| self.kernels.sub(modulus, a, b));
        self.record(a, || (Operation::Subtract, vec![before, b.value()]));
    }

    /// −a.
    pub fn neg(&self, a: &mut Polynomial) {
        let before = a.value();
        self.each_limb(a, |_, twiddles, limb| self.kernels.neg(twiddles.modulus(), limb));
        self.record(a, || (Operation::Negate, vec![before]));
    }

    /// a · b, of values. `b` may have more primes.
    pub fn mul(&self, a: &mut Polynomial, b: &Polynomial) {
        assert_eq!(a.form, Form::Values, "a product of coefficients");
        let before = a.value();
        self.with(a, b, |modulus, a, b| self.kernels.mul(modulus, a, b));
        self.record(a, || (Operation::Multiply, vec![before, b.value()]));
    }

    /// sum + a · b, of values. `a` and `b` may have more primes.
    pub fn mul_add(&self, sum: &mut Polynomial, a: &Polynomial, b: &Polynomial) {
        assert_eq!([sum.form, a.form, b.form], [Form::Values; 3], "a product of coefficients");
        let before = sum.value();
        let is_secret = a.is_secret() || b.is_secret();
        self.each_limb_with(sum, is_secret, |place, twiddles, limb| {
            let (a, b) = (limb_at(a, place), limb_at(b, place));
            self.kernels.mul_add(twiddles.modulus(), limb, a, b);
        });
        self.record(sum, || (Operation::MultiplyAdd, vec![before, a.value(), b.value()]));
    }

    /// a · factor, where `factor` returns a number in [0, q) for each prime.
    pub fn scale(&self, a: &mut Polynomial, factor: impl Fn(Modulus) -> u32 + Sync) {
        let before = a.value();
        self.each_limb(a, |_, twiddles, limb| {
            let modulus = twiddles.modulus();
            self.kernels.scale(modulus, limb, modulus.shoup(factor(modulus)));
        });
        self.record(a, || {
            let factors = self.moduli(&a.basis).into_iter().map(factor).collect();
            (Operation::Scale { factors }, vec![before])
        });
    }

    /// (a − b) · factor, where `factor` returns a number in [0, q) for each prime. `b` may have
    /// more primes.
    pub(super) fn sub_scale(
        &self,
        a: &mut Polynomial,
        b: &Polynomial,
        factor: impl Fn(Modulus) -> u32 + Sync,
    ) {
        let before = a.value();
        self.with(a, b, |modulus, a, b| {
            self.kernels.sub_scale(modulus, a, b, modulus.shoup(factor(modulus)));
        });
        self.record(a, || {
            let factors = self.moduli(&a.basis).into_iter().map(factor).collect();
            (Operation::SubtractScale { factors }, vec![before, b.value()])
        });
    }

    /// Applies the automorphism X → X^`exponent` to values.
    ///
    /// # Panics
    /// Panics for coefficients and for an even exponent.
    pub fn automorphism(&self, a: &Polynomial, exponent: u64) -> Polynomial {
        assert_eq!(a.form, Form::Values, "an automorphism of coefficients");
        let permutation = self.permutation(exponent);
        let mut image = self.fresh_from(&[a], &a.basis, Form::Values);
        self.each_limb(&mut image, |place, _, limb| {
            self.kernels.permute(limb, limb_at(a, place), &permutation);
        });
        let exponent = self.reduced(exponent);
        self.record(&image, || (Operation::Permute { exponent }, vec![a.value()]));
        image
    }

    /// Returns the residues of a polynomial for some of its primes.
    pub fn restrict(&self, a: &Polynomial, basis: &Basis) -> Polynomial {
        let mut part = self.fresh_from(&[a], basis, a.form);
        self.each_limb(&mut part, |place, _, limb| limb.copy_from_slice(limb_at(a, place)));
        part.seed = a.seed;
        if part.basis == a.basis {
            part.name = a.name;
        } else {
            self.record(&part, || (Operation::Select, vec![a.value()]));
        }
        part
    }

    fn with(
        &self,
        a: &mut Polynomial,
        b: &Polynomial,
        work: impl Fn(Modulus, &mut [u32], &[u32]) + Sync,
    ) {
        assert_eq!(a.form, b.form, "one polynomial has values and the other coefficients");
        self.each_limb_with(a, b.is_secret(), |place, twiddles, limb| {
            work(twiddles.modulus(), limb, limb_at(b, place));
        });
    }
}
