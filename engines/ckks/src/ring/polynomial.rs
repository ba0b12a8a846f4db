// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial in RNS form.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use super::basis::Basis;
use super::buffer::Buffer;
use super::form::Form;

/// The next name. It is shared by all rings, so that polynomials of different rings have different
/// names.
static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

/// Returns a name that was never used.
pub(super) fn new_name() -> u64 {
    NEXT_NAME.fetch_add(1, Ordering::Relaxed)
}

/// The identity of a ring: a hash of N and all primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingId(pub(super) u64);

/// The source of a uniform polynomial: a seed, and an index. [`uniform`](crate::sampling::uniform)
/// expands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformSeed {
    /// The seed, which is public.
    pub seed: [u8; 32],
    /// The index.
    pub index: u32,
}

/// An element of `ℤ_Q[X]/(X^N + 1)`: a limb of N residues for each prime of a basis.
///
/// Clones share their residues until one is changed.
///
/// A polynomial that is marked secret is overwritten on drop, and so are all results that are
/// computed from it, unless the mark is [removed](Self::declassify). Remove it from results that an
/// error hides, such as parts of ciphertexts and of keys.
#[derive(Clone)]
pub struct Polynomial {
    pub(super) buffer: Arc<Buffer>,
    pub(super) degree: usize,
    pub(super) basis: Basis,
    pub(super) form: Form,
    pub(super) ring: RingId,
    /// The name of the content in programs. A change assigns a new name. Clones have the same name.
    pub(super) name: u64,
    /// The source of the residues, until they are changed.
    pub(super) seed: Option<UniformSeed>,
}

/// The content of a polynomial at one time.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub name: u64,
    pub basis: Basis,
    pub form: Form,
    /// The number of residues for each prime: fewer than N for a repeated factor.
    pub degree: usize,
}

impl Polynomial {
    /// The degree N of the ring: the number of coefficients.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The primes for which the polynomial has residues.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The identity of the polynomial's ring.
    pub fn ring_id(&self) -> RingId {
        self.ring
    }

    /// The form: coefficients or values.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The name of the content in programs. It changes with the content, and is the same for
    /// clones.
    pub fn name(&self) -> u64 {
        self.name
    }

    /// The source of the residues, if the polynomial is uniform and unchanged.
    pub fn seed(&self) -> Option<UniformSeed> {
        self.seed
    }

    /// Sets the source of the residues.
    pub(crate) fn came_from(&mut self, seed: UniformSeed) {
        self.seed = Some(seed);
    }

    /// The current content, as a value in a program.
    pub(super) fn value(&self) -> Value {
        let (basis, degree) = (self.basis.clone(), self.degree);
        Value { name: self.name, basis, form: self.form, degree }
    }

    /// All words, for changes.
    pub(super) fn words_mut(&mut self) -> &mut [u32] {
        self.name = new_name();
        self.seed = None;
        Arc::make_mut(&mut self.buffer).words_mut()
    }

    /// Returns `true` if the polynomial is marked secret.
    pub fn is_secret(&self) -> bool {
        self.buffer.is_secret()
    }

    /// Marks the residues secret, for all clones that share them.
    pub fn mark_secret(&mut self) {
        self.buffer.mark_secret();
    }

    /// Marks a result secret if one of its inputs is secret.
    pub(super) fn taint(&mut self, is_secret: bool) {
        if is_secret {
            self.buffer.mark_secret();
        }
    }

    /// Removes the mark: the residues may stay in memory, since an error hides their origin. Clones
    /// keep the mark.
    pub fn declassify(&mut self) {
        if self.is_secret() {
            Arc::make_mut(&mut self.buffer).declassify();
        }
    }

    /// The residues of a limb.
    pub fn limb(&self, limb: usize) -> &[u32] {
        &self.buffer.words()[limb * self.degree..][..self.degree]
    }

    /// The residues of a limb, for changes.
    pub fn limb_mut(&mut self, limb: usize) -> &mut [u32] {
        let degree = self.degree;
        &mut self.words_mut()[limb * degree..][..degree]
    }

    /// All limbs, in the order of the basis.
    pub fn limbs(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.buffer.words().chunks_exact(self.degree)
    }

    /// All limbs, in the order of the basis, for changes.
    pub fn limbs_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u32]> {
        let degree = self.degree;
        self.words_mut().chunks_exact_mut(degree)
    }
}
