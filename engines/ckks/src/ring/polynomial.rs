// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial in residues.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use super::basis::Basis;
use super::buffer::Buffer;
use super::form::Form;

/// The next name. One for all rings, so that polynomials of several never have the same.
static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

/// A name that no content of a polynomial has had.
pub(super) fn new_name() -> u64 {
    NEXT_NAME.fetch_add(1, Ordering::Relaxed)
}

/// The identity of a ring: a hash of N and all primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingId(pub(super) u64);

/// What gives a uniform polynomial: a seed, and an index among those of the seed.
/// [`uniform`](crate::sampling::uniform) tells how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformSeed {
    /// The seed, which is public.
    pub seed: [u8; 32],
    /// The index.
    pub index: u32,
}

/// An element of `ℤ_Q[X]/(X^N + 1)`: a limb of N residues for each prime of a basis.
///
/// Copies share their residues until one is changed.
///
/// One that is marked secret is overwritten when it is dropped. So is all that is computed from it,
/// unless the mark is [taken off](Self::declassify): of what an error hides, such as parts of
/// ciphertexts and of keys.
#[derive(Clone)]
pub struct Polynomial {
    pub(super) buffer: Arc<Buffer>,
    pub(super) degree: usize,
    pub(super) basis: Basis,
    pub(super) form: Form,
    pub(super) ring: RingId,
    /// The name of its content in programs. What changes a polynomial gives it another; copies have
    /// the same.
    pub(super) name: u64,
    /// What gives its residues, until it is changed.
    pub(super) seed: Option<UniformSeed>,
}

/// The content of a polynomial at some time.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub name: u64,
    pub basis: Basis,
    pub form: Form,
    /// Its residues a prime, fewer than N for a factor that repeats itself.
    pub degree: usize,
}

impl Polynomial {
    /// The degree N of the ring: the number of coefficients.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The primes that it has residues of.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The ring that it is of.
    pub fn ring_id(&self) -> RingId {
        self.ring
    }

    /// The form: coefficients or values.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The name of its content in programs: another after each change, the same for copies.
    pub fn name(&self) -> u64 {
        self.name
    }

    /// The seed that gives its residues, where it is uniform and has not been changed.
    pub fn seed(&self) -> Option<UniformSeed> {
        self.seed
    }

    /// Says that a seed gives the residues.
    pub(crate) fn came_from(&mut self, seed: UniformSeed) {
        self.seed = Some(seed);
    }

    /// What it is in a program, before it is changed.
    pub(super) fn value(&self) -> Value {
        let (basis, degree) = (self.basis.clone(), self.degree);
        Value { name: self.name, basis, form: self.form, degree }
    }

    /// All words, to be changed.
    pub(super) fn words_mut(&mut self) -> &mut [u32] {
        self.name = new_name();
        self.seed = None;
        Arc::make_mut(&mut self.buffer).words_mut()
    }

    /// Whether it is marked secret.
    pub fn is_secret(&self) -> bool {
        self.buffer.is_secret()
    }

    /// Marks the residues secret, for all copies that share them.
    pub fn mark_secret(&mut self) {
        self.buffer.mark_secret();
    }

    /// Marks what was computed from others secret where one of them is.
    pub(super) fn taint(&mut self, is_secret: bool) {
        if is_secret {
            self.buffer.mark_secret();
        }
    }

    /// Says that the residues may stay in memory: an error hides what they were computed from.
    /// Copies keep the mark.
    pub fn declassify(&mut self) {
        if self.is_secret() {
            Arc::make_mut(&mut self.buffer).declassify();
        }
    }

    /// The residues of the limb.
    pub fn limb(&self, limb: usize) -> &[u32] {
        &self.buffer.words()[limb * self.degree..][..self.degree]
    }

    /// The residues of the limb.
    pub fn limb_mut(&mut self, limb: usize) -> &mut [u32] {
        let degree = self.degree;
        &mut self.words_mut()[limb * degree..][..degree]
    }

    /// All limbs, in the order of the basis.
    pub fn limbs(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.buffer.words().chunks_exact(self.degree)
    }

    /// All limbs, in the order of the basis.
    pub fn limbs_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u32]> {
        let degree = self.degree;
        self.words_mut().chunks_exact_mut(degree)
    }
}
