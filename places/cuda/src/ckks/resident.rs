// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials in the memory of a GPU.

use std::collections::HashMap;
use std::sync::Arc;

use halimede_ckks::ring::{Basis, Form, Polynomial, Ring};

use crate::context::Context;
use crate::error::CudaError;
use crate::memory::{Argument, Buffer};
use crate::stream::Stream;

/// A polynomial on a GPU: a limb for each prime of its basis.
#[derive(Debug)]
pub(super) struct Limbs {
    pub buffer: Buffer<u32>,
    pub basis: Basis,
    pub form: Form,
    /// The number of residues of a limb.
    pub degree: usize,
}

impl Limbs {
    /// Allocates a polynomial with any residues.
    pub fn new(
        context: &Arc<Context>,
        basis: &Basis,
        form: Form,
        degree: usize,
    ) -> Result<Self, CudaError> {
        let buffer = Buffer::new(context, basis.len() * degree)?;
        Ok(Self { buffer, basis: basis.clone(), form, degree })
    }

    /// Copies the limbs of some primes of a polynomial, which has them, from this machine.
    pub fn upload(stream: &Stream, from: &Polynomial, basis: &Basis) -> Result<Self, CudaError> {
        let degree = from.degree();
        let limbs = Self::new(stream.context(), basis, from.form(), degree)?;
        for (index, place) in basis.places().iter().enumerate() {
            if let Some(limb) = from.basis().limb_of(*place) {
                stream.upload(from.limb(limb), &limbs.buffer, index * degree)?;
            }
        }
        Ok(limbs)
    }

    /// Copies the limbs of some primes of a polynomial on the GPU, which has them.
    pub fn restrict(&self, stream: &Stream, basis: &Basis) -> Result<Self, CudaError> {
        let part = Self::new(stream.context(), basis, self.form, self.degree)?;
        for (index, place) in basis.places().iter().enumerate() {
            if let Some(limb) = self.basis.limb_of(*place) {
                let range = limb * self.degree..(limb + 1) * self.degree;
                stream.copy(&self.buffer, range, &part.buffer, index * self.degree)?;
            }
        }
        Ok(part)
    }

    /// Copies the polynomial to this machine.
    pub fn download(&self, stream: &Stream, ring: &Ring) -> Result<Polynomial, CudaError> {
        let mut words = vec![0; self.buffer.len()];
        stream.download(&self.buffer, 0, &mut words)?;
        Ok(ring.from_places(&self.basis, self.form, |place, _, limb| {
            if let Some(index) = self.basis.limb_of(place) {
                limb.copy_from_slice(&words[index * self.degree..][..self.degree]);
            }
        }))
    }

    /// The address on the GPU.
    pub fn address(&self) -> u64 {
        Argument::from(&self.buffer).value()
    }

    /// Returns `true` if the memory belongs to this context.
    pub fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(self.buffer.context(), context)
    }
}

/// Keys and plaintexts on a GPU, by the names of their polynomials and by their primes. The least
/// recently used ones are evicted.
#[derive(Default)]
pub(super) struct Constants {
    known: HashMap<(u64, Basis), Constant>,
    /// The number of the current use.
    now: u64,
}

struct Constant {
    limbs: Arc<Limbs>,
    used: u64,
}

impl Constants {
    /// Starts a program: what it uses from now on is not evicted before the next one.
    pub fn start(&mut self) {
        self.now += 1;
    }

    /// Returns a polynomial that is on the GPU.
    pub fn get(&mut self, name: u64, basis: &Basis) -> Option<Arc<Limbs>> {
        let constant = self.known.get_mut(&(name, basis.clone()))?;
        constant.used = self.now;
        Some(Arc::clone(&constant.limbs))
    }

    /// Adds a polynomial.
    pub fn insert(&mut self, name: u64, limbs: &Arc<Limbs>) {
        let constant = Constant { limbs: Arc::clone(limbs), used: self.now };
        self.known.insert((name, limbs.basis.clone()), constant);
    }

    /// Frees the least recently used polynomial that this program has not used; returns `false` if
    /// all are in use.
    pub fn evict(&mut self) -> bool {
        let others = self.known.iter().filter(|(_, of)| of.used < self.now);
        let oldest = others.min_by_key(|(_, of)| of.used).map(|(key, _)| key.clone());
        oldest.is_some_and(|key| self.known.remove(&key).is_some())
    }
}
