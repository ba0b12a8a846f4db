// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on polynomials: the kernels over all limbs, on all cores.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::bases::Division;
use super::basis::Basis;
use super::buffer::Pool;
use super::conversion::Conversion;
use super::kernels::{self, Kernels};
use super::level::Level;
use super::modulus::{reduce_once, Modulus, ModulusError};
use super::permutation::Permutation;
use super::polynomial::{Form, Polynomial};
use super::trace::{Operation, Recorder, Trace};
use super::twiddles::Twiddles;

/// log₂ of the least and the greatest N.
pub const LOG_DEGREES: std::ops::RangeInclusive<u32> = 5..=17;

/// Words of which inner products are taken at a time: with a dozen factors they fit in a core's second
/// cache.
const PRODUCT_BLOCK: usize = 2048;

/// ℤ[X]/(X^N + 1) modulo the products of some primes, and how to compute in it.
pub struct Ring {
    log_degree: u32,
    primes: Vec<Twiddles>,
    level: Level,
    pub(super) kernels: &'static dyn Kernels,
    permutations: Cache<u64, Permutation>,
    /// By the primes that are converted from, those that stay, and those that are added.
    pub(super) conversions: Cache<(Basis, Basis, Basis), Conversion>,
    pub(super) divisions: Cache<(Basis, Basis, Basis), Division>,
    pool: Arc<Pool>,
    pub(super) recorder: Recorder,
    names: AtomicU64,
}

/// What was made for a key, to be used again.
pub(super) type Cache<K, V> = Mutex<HashMap<K, Arc<V>>>;

/// Why there is no such ring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// N is too small or too large.
    #[error("log2 of the ring's degree must lie in {LOG_DEGREES:?}; got {got}")]
    Degree {
        /// What was given.
        got: u32,
    },
    /// A modulus cannot be used.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// A modulus stands twice in the list.
    #[error("the modulus {modulus} stands twice in the list")]
    Repeated {
        /// It.
        modulus: u32,
    },
}

impl Ring {
    /// The ring with N = 2^`log_degree` and these primes, computed with by a level's instructions.
    ///
    /// # Errors
    /// [`RingError`] for N outside [`LOG_DEGREES`], and for what is no list of different primes that
    /// are 1 modulo 2N.
    pub fn new(log_degree: u32, primes: &[u32], level: Level) -> Result<Self, RingError> {
        if !LOG_DEGREES.contains(&log_degree) {
            return Err(RingError::Degree { got: log_degree });
        }
        let mut sorted = primes.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(RingError::Repeated { modulus: pair[0] });
        }
        let kernels = kernels::of(level);
        let twiddles =
            |prime: &u32| Ok(Twiddles::new(Modulus::new(*prime)?, log_degree, kernels.lanes())?);
        let mut primes = primes.par_iter().map(twiddles).collect::<Result<Vec<_>, RingError>>()?;
        Twiddles::gather(&mut primes);
        Ok(Self {
            log_degree,
            primes,
            level,
            kernels,
            permutations: Mutex::default(),
            conversions: Mutex::default(),
            divisions: Mutex::default(),
            pool: Arc::default(),
            recorder: Recorder::default(),
            names: AtomicU64::new(0),
        })
    }

    /// N.
    pub fn degree(&self) -> usize {
        1 << self.log_degree
    }

    /// log₂ N.
    pub fn log_degree(&self) -> u32 {
        self.log_degree
    }

    /// The instructions that it computes with.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The prime at a place.
    ///
    /// # Panics
    /// Where there are not as many.
    pub fn modulus(&self, place: u16) -> Modulus {
        self.primes[usize::from(place)].modulus()
    }

    /// The primes of a basis.
    pub fn moduli(&self, basis: &Basis) -> Vec<Modulus> {
        basis.places().iter().map(|place| self.modulus(*place)).collect()
    }

    /// All primes.
    pub fn all(&self) -> Basis {
        Basis::new(0..self.primes.len() as u16)
    }

    /// Gives the memory that no polynomial uses back to the system.
    pub fn release_memory(&self) {
        self.pool.clear();
    }

    /// From now on steps are recorded; what was recorded before is dropped.
    pub fn start_trace(&self) {
        self.recorder.start();
    }

    /// Ends the recording.
    pub fn end_trace(&self) -> Trace {
        self.recorder.end(self.degree())
    }

    /// A polynomial with any residues.
    pub(super) fn fresh(&self, basis: &Basis, form: Form) -> Polynomial {
        let buffer = self.pool.take(basis.len() << self.log_degree);
        let name = self.names.fetch_add(1, Ordering::Relaxed);
        Polynomial { buffer, degree: self.degree(), basis: basis.clone(), form, name }
    }

    /// 0.
    pub fn zero(&self, basis: &Basis, form: Form) -> Polynomial {
        let mut zero = self.fresh(basis, form);
        zero.buffer.words_mut().fill(0);
        zero
    }

    /// The polynomial whose residues a function writes, limb by limb on any thread.
    pub fn from_limbs(
        &self,
        basis: &Basis,
        form: Form,
        write: impl Fn(Modulus, &mut [u32]) + Sync,
    ) -> Polynomial {
        self.from_places(basis, form, |_, modulus, limb| write(modulus, limb))
    }

    /// As [`Self::from_limbs`]; the function is told the prime's place as well.
    pub fn from_places(
        &self,
        basis: &Basis,
        form: Form,
        write: impl Fn(u16, Modulus, &mut [u32]) + Sync,
    ) -> Polynomial {
        let mut polynomial = self.fresh(basis, form);
        self.each_limb(&mut polynomial, |place, twiddles, limb| {
            write(place, twiddles.modulus(), limb);
        });
        polynomial
    }

    /// The polynomial with these small coefficients, in time that does not depend on them.
    ///
    /// # Panics
    /// Where there are not N.
    pub fn from_small(&self, basis: &Basis, coefficients: &[i8]) -> Polynomial {
        assert_eq!(coefficients.len(), self.degree(), "other than N coefficients");
        self.from_limbs(basis, Form::Coefficients, |modulus, limb| {
            for (residue, coefficient) in limb.iter_mut().zip(coefficients) {
                let shifted = modulus.value().wrapping_add_signed(i32::from(*coefficient));
                *residue = reduce_once(shifted, modulus.value());
            }
        })
    }

    /// The polynomial with these coefficients, each below 2⁶² in absolute value, times 2^`exponent`,
    /// in time that does not depend on the coefficients.
    ///
    /// # Panics
    /// Where there are not N.
    pub fn from_coefficients(
        &self,
        basis: &Basis,
        coefficients: &[i64],
        exponent: u32,
    ) -> Polynomial {
        assert_eq!(coefficients.len(), self.degree(), "other than N coefficients");
        // Digits of 30 bits of coefficient + 2⁶².
        let digit = |index: u32| -> Vec<u32> {
            let digit = |number: &i64| (number.wrapping_add(1 << 62) as u64 >> (30 * index)) as u32;
            coefficients.iter().map(|number| digit(number) & ((1 << 30) - 1)).collect()
        };
        let (digits, ones) = ([digit(0), digit(1), digit(2)], vec![1; self.degree()]);
        self.from_limbs(basis, Form::Coefficients, |modulus, limb| {
            let power = |bits: u32| modulus.pow(2, u64::from(bits) + u64::from(exponent));
            let mut terms: Vec<(&[u32], u32)> = Vec::with_capacity(4);
            for (index, digit) in (0..).zip(&digits) {
                terms.push((digit, modulus.to_montgomery(power(30 * index))));
            }
            terms.push((&ones, modulus.to_montgomery(modulus.neg(power(62)))));
            self.kernels.combine(modulus, limb, &terms);
        })
    }

    /// The coefficients at some places, of least absolute value modulo the product of the primes.
    ///
    /// # Panics
    /// For values, and for more primes than 126 bits hold.
    pub fn centred(&self, a: &Polynomial, places: &[usize]) -> Vec<i128> {
        assert_eq!(a.form, Form::Coefficients, "coefficients of values");
        let moduli = self.moduli(&a.basis);
        let bits: f64 = moduli.iter().map(|modulus| f64::from(modulus.value()).log2()).sum();
        assert!(bits < 126.5, "primes of {bits} bits for numbers of 128");
        let whole: i128 = moduli.iter().map(|by| i128::from(by.value())).product();
        // Mixed radix (Garner): x = d₀ + q₀·(d₁ + q₁·(d₂ + …)), each dᵢ in [0, qᵢ).
        let mut radix = vec![1i128; moduli.len()];
        let mut inverses = Vec::with_capacity(moduli.len());
        for (index, modulus) in moduli.iter().enumerate() {
            let below = &moduli[..index];
            inverses.push(modulus.inverse(modulus.product(below)));
            radix[index] = below.iter().map(|by| i128::from(by.value())).product();
        }
        let centred = |place: &usize| {
            let mut number = 0i128;
            for (index, modulus) in moduli.iter().enumerate() {
                let so_far = (number % i128::from(modulus.value())) as u32;
                let digit = modulus.sub(a.limb(index)[*place], so_far);
                number += i128::from(modulus.mul(digit, inverses[index])) * radix[index];
            }
            if number > whole / 2 {
                number - whole
            } else {
                number
            }
        };
        places.par_iter().map(centred).collect()
    }

    /// Coefficients to values.
    pub fn forward(&self, a: &mut Polynomial) {
        assert_eq!(a.form, Form::Coefficients, "values are values already");
        self.each_limb(a, |_, twiddles, limb| self.kernels.forward(twiddles, limb));
        a.form = Form::Values;
        self.record(Operation::Forward, a.basis.len(), &[a], a);
    }

    /// Values to coefficients.
    pub fn inverse(&self, a: &mut Polynomial) {
        assert_eq!(a.form, Form::Values, "coefficients are coefficients already");
        self.each_limb(a, |_, twiddles, limb| self.kernels.inverse(twiddles, limb));
        a.form = Form::Coefficients;
        self.record(Operation::Inverse, a.basis.len(), &[a], a);
    }

    /// a + b; b may have more primes.
    pub fn add(&self, a: &mut Polynomial, b: &Polynomial) {
        self.with(a, b, |modulus, a, b| self.kernels.add(modulus, a, b));
        self.record(Operation::Add, a.basis.len(), &[a, b], a);
    }

    /// a + b for a b with fewer primes: it is 0 modulo the others.
    pub fn add_part(&self, a: &mut Polynomial, b: &Polynomial) {
        assert_eq!(a.form, b.form, "values and coefficients");
        assert!(a.basis.contains(&b.basis), "a prime is added that is not there");
        self.each_limb(a, |place, twiddles, limb| {
            if b.basis.limb_of(place).is_some() {
                self.kernels.add(twiddles.modulus(), limb, limb_at(b, place));
            }
        });
        self.record(Operation::Add, b.basis.len(), &[a, b], a);
    }

    /// a − b; b may have more primes.
    pub fn sub(&self, a: &mut Polynomial, b: &Polynomial) {
        self.with(a, b, |modulus, a, b| self.kernels.sub(modulus, a, b));
        self.record(Operation::Add, a.basis.len(), &[a, b], a);
    }

    /// −a.
    pub fn neg(&self, a: &mut Polynomial) {
        self.each_limb(a, |_, twiddles, limb| self.kernels.neg(twiddles.modulus(), limb));
        self.record(Operation::Add, a.basis.len(), &[a], a);
    }

    /// a · b of values; b may have more primes.
    pub fn mul(&self, a: &mut Polynomial, b: &Polynomial) {
        assert_eq!(a.form, Form::Values, "a product of coefficients");
        self.with(a, b, |modulus, a, b| self.kernels.mul(modulus, a, b));
        self.record(Operation::Multiply, a.basis.len(), &[a, b], a);
    }

    /// sum + a · b of values; a and b may have more primes.
    pub fn mul_add(&self, sum: &mut Polynomial, a: &Polynomial, b: &Polynomial) {
        assert_eq!([sum.form, a.form, b.form], [Form::Values; 3], "a product of coefficients");
        self.each_limb(sum, |place, twiddles, limb| {
            let (a, b) = (limb_at(a, place), limb_at(b, place));
            self.kernels.mul_add(twiddles.modulus(), limb, a, b);
        });
        self.record(Operation::Multiply, sum.basis.len(), &[sum, a, b], sum);
    }

    /// a · factor, a number for each prime, in [0, q).
    pub fn scale(&self, a: &mut Polynomial, factor: impl Fn(Modulus) -> u32 + Sync) {
        self.each_limb(a, |_, twiddles, limb| {
            let modulus = twiddles.modulus();
            self.kernels.scale(modulus, limb, modulus.shoup(factor(modulus)));
        });
        self.record(Operation::Scale, a.basis.len(), &[a], a);
    }

    /// What X → X^`exponent` makes of values, for an odd exponent.
    ///
    /// # Panics
    /// For coefficients and for an even exponent.
    pub fn automorphism(&self, a: &Polynomial, exponent: u64) -> Polynomial {
        assert_eq!(a.form, Form::Values, "an automorphism of coefficients");
        let permutation = self.permutation(exponent);
        let mut image = self.fresh(&a.basis, Form::Values);
        self.each_limb(&mut image, |place, _, limb| {
            self.kernels.permute(limb, limb_at(a, place), &permutation);
        });
        self.record(Operation::Permute, image.basis.len(), &[a], &image);
        image
    }

    fn permutation(&self, exponent: u64) -> Arc<Permutation> {
        let exponent = exponent % (2 << self.log_degree);
        cached(&self.permutations, exponent, || {
            let permutation =
                Permutation::automorphism(self.log_degree, exponent, self.kernels.lanes());
            assert!(permutation.is_some(), "X^{exponent} is no image of an automorphism");
            permutation.unwrap_or_default()
        })
    }

    /// The residues of some of a polynomial's primes.
    pub fn restrict(&self, a: &Polynomial, basis: &Basis) -> Polynomial {
        let mut part = self.fresh(basis, a.form);
        self.each_limb(&mut part, |place, _, limb| limb.copy_from_slice(limb_at(a, place)));
        part
    }

    /// Σ aᵢ·bᵢ·2⁻³² and Σ aᵢ·cᵢ·2⁻³² of values in a basis, of terms (aᵢ, bᵢ, cᵢ); the factors may have
    /// more primes, and b and c are a key's, in Montgomery form.
    ///
    /// # Panics
    /// For more than [`MAX_TERMS`](kernels::MAX_TERMS) terms.
    pub fn inner_products(
        &self,
        basis: &Basis,
        terms: &[[&Polynomial; 3]],
    ) -> (Polynomial, Polynomial) {
        assert!(terms.len() <= kernels::MAX_TERMS, "a sum of {} products", terms.len());
        let mut sums = [self.fresh(basis, Form::Values), self.fresh(basis, Form::Values)];
        let [first, second] = &mut sums;
        let degree = self.degree();
        let limbs = first.buffer.words_mut().par_chunks_exact_mut(degree);
        let limbs = limbs.zip(second.buffer.words_mut().par_chunks_exact_mut(degree));
        limbs.zip(basis.places()).for_each(|((first, second), place)| {
            let modulus = self.modulus(*place);
            let limbs: Vec<[&[u32]; 3]> =
                terms.iter().map(|term| term.map(|factor| limb_at(factor, *place))).collect();
            // In parts, so that both sums find the first factors in the cache.
            let parts = first.chunks_mut(PRODUCT_BLOCK).zip(second.chunks_mut(PRODUCT_BLOCK));
            for (block, (first, second)) in parts.enumerate() {
                let start = block * PRODUCT_BLOCK;
                let part = |limb: &'_ [u32]| start..limb.len().min(start + PRODUCT_BLOCK);
                for (sum, other) in [(first, 1), (second, 2)] {
                    let pairs: Vec<(&[u32], &[u32])> = limbs
                        .iter()
                        .map(|limbs| (&limbs[0][part(limbs[0])], &limbs[other][part(limbs[0])]))
                        .collect();
                    self.kernels.inner_product(modulus, sum, &pairs);
                }
            }
        });
        let operation = Operation::KeyProduct { terms: terms.len() as u16 };
        for (sum, other) in sums.iter().zip(1..) {
            let inputs: Vec<&Polynomial> =
                terms.iter().flat_map(|term| [term[0], term[other]]).collect();
            self.record(operation, basis.len(), &inputs, sum);
        }
        let [first, second] = sums;
        (first, second)
    }

    /// Calls `work` for each limb with its prime's place and factors, on all cores.
    pub(super) fn each_limb(
        &self,
        a: &mut Polynomial,
        work: impl Fn(u16, &Twiddles, &mut [u32]) + Sync,
    ) {
        let (basis, degree) = (a.basis.clone(), a.degree);
        let limbs = a.buffer.words_mut().par_chunks_exact_mut(degree);
        limbs.zip(basis.places()).for_each(|(limb, place)| {
            work(*place, &self.primes[usize::from(*place)], limb);
        });
    }

    /// As [`Self::each_limb`] for several polynomials of the same primes: a prime's limbs of all of
    /// them one after the other, since they share its factors.
    pub(super) fn each_limb_of(
        &self,
        all: &mut [Polynomial],
        work: impl Fn(usize, u16, &Twiddles, &mut [u32]) + Sync,
    ) {
        let Some(first) = all.first() else { return };
        let (basis, degree) = (first.basis.clone(), first.degree);
        let mut limbs: Vec<Vec<&mut [u32]>> = Vec::new();
        limbs.resize_with(basis.len(), Vec::new);
        for a in all {
            for (limbs, limb) in limbs.iter_mut().zip(a.buffer.words_mut().chunks_exact_mut(degree))
            {
                limbs.push(limb);
            }
        }
        limbs.into_par_iter().zip(basis.places()).for_each(|(limbs, place)| {
            for (index, limb) in limbs.into_iter().enumerate() {
                work(index, *place, &self.primes[usize::from(*place)], limb);
            }
        });
    }

    fn with(
        &self,
        a: &mut Polynomial,
        b: &Polynomial,
        work: impl Fn(Modulus, &mut [u32], &[u32]) + Sync,
    ) {
        assert_eq!(a.form, b.form, "values and coefficients");
        self.each_limb(a, |place, twiddles, limb| {
            work(twiddles.modulus(), limb, limb_at(b, place));
        });
    }

    pub(super) fn record(
        &self,
        step: Operation,
        limbs: usize,
        inputs: &[&Polynomial],
        output: &Polynomial,
    ) {
        let inputs: Vec<u64> = inputs.iter().map(|input| input.name).collect();
        self.recorder.record(step, limbs, &inputs, &[output.name]);
    }
}

/// The limb of the prime at `place`.
///
/// # Panics
/// Where the polynomial has none.
pub(super) fn limb_at(a: &Polynomial, place: u16) -> &[u32] {
    let limb = a.basis.limb_of(place);
    assert!(limb.is_some(), "the polynomial has no residues of prime {place}");
    a.limb(limb.unwrap_or_default())
}

/// What a cache has for a key; it is made where there is none.
pub(super) fn cached<K: Eq + Hash, V>(
    cache: &Cache<K, V>,
    key: K,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(cache.entry(key).or_insert_with(|| Arc::new(make())))
}
