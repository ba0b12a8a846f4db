// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial in residues.

use zeroize::Zeroize;

use super::basis::Basis;
use super::buffer::Buffer;

/// What the residues of a polynomial are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Coefficients, that of Xⁱ in place i.
    Coefficients,
    /// Values at the odd powers of ψ, in bit-reversed order
    /// ([`Kernels::forward`](super::kernels::Kernels::forward)).
    Values,
}

/// An element of ℤ_Q[X]/(X^N + 1): a limb of N residues for each prime of a basis.
#[derive(Clone)]
pub struct Polynomial {
    pub(super) buffer: Buffer,
    pub(super) degree: usize,
    pub(super) basis: Basis,
    pub(super) form: Form,
    /// Its name in traces, another for each polynomial of a ring.
    pub(super) name: u64,
}

impl Polynomial {
    /// N.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The primes that it has residues of.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// What they are.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Its name in traces.
    pub fn name(&self) -> u64 {
        self.name
    }

    /// Overwrites all residues, so that nothing of them stays in memory that is used again.
    pub fn wipe(&mut self) {
        self.buffer.words_mut().zeroize();
    }

    /// The residues of the limb.
    pub fn limb(&self, limb: usize) -> &[u32] {
        &self.buffer.words()[limb * self.degree..][..self.degree]
    }

    /// The residues of the limb.
    pub fn limb_mut(&mut self, limb: usize) -> &mut [u32] {
        &mut self.buffer.words_mut()[limb * self.degree..][..self.degree]
    }

    /// All limbs, in the order of the basis.
    pub fn limbs(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.buffer.words().chunks_exact(self.degree)
    }

    /// All limbs, in the order of the basis.
    pub fn limbs_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [u32]> {
        self.buffer.words_mut().chunks_exact_mut(self.degree)
    }
}
