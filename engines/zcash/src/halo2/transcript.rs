// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transcript of a proof: BLAKE2b-512, whose state after each message of the prover gives the
//! verifier's challenges (The Halo 2 Book, section "Proving system"; the bytes are those of the
//! crate `halo2_proofs`).
//!
//! A message begins with a byte: 1 for a point, which follows with both coordinates; 2 for a
//! number; 0 for a challenge, which is the digest of all bytes so far, modulo p.

use blake2b_simd::{Params, State};

use super::elements::Elements;
use crate::numbers::reduced;
use crate::pasta::{Affine, Fp};
use halimede_arith::field::VestaBase;

/// A transcript, and the proof whose elements it reads.
pub struct Transcript<'a> {
    state: State,
    elements: Elements<'a>,
    /// The points of the proof, and how many of them were read.
    points: &'a [Option<Affine<VestaBase>>],
    points_read: usize,
}

impl<'a> Transcript<'a> {
    /// Begins a transcript.
    pub fn new(elements: Elements<'a>, points: &'a [Option<Affine<VestaBase>>]) -> Self {
        let state = Params::new().hash_length(64).personal(b"Halo2-Transcript").to_state();
        Self { state, elements, points, points_read: 0 }
    }

    /// Adds a number that both sides know.
    pub fn absorb_number(&mut self, number: &Fp) {
        self.state.update(&[2]).update(&number.to_le_bytes());
    }

    /// Adds a point that both sides know.
    pub fn absorb_point(&mut self, point: &Affine<VestaBase>) {
        let mut message = [1; 65];
        message[1..33].copy_from_slice(&point.x.to_le_bytes());
        message[33..].copy_from_slice(&point.y.to_le_bytes());
        self.state.update(&message);
    }

    /// Reads a point; returns its number among the points. `None` for an invalid one, and at the
    /// end.
    pub fn point(&mut self) -> Option<usize> {
        let number = self.points_read;
        let point = (*self.points.get(number)?)?;
        self.points_read += 1;
        let encoding = self.elements.next()?;
        let mut message = [1; 65];
        message[1..33].copy_from_slice(encoding);
        message[32] &= 0x7f;
        message[33..].copy_from_slice(&point.y.to_le_bytes());
        self.state.update(&message);
        Some(number)
    }

    /// Reads points.
    pub fn points(&mut self, count: usize) -> Option<Vec<usize>> {
        (0..count).map(|_| self.point()).collect()
    }

    /// Reads a number; `None` for one that is not below p, and at the end.
    pub fn number(&mut self) -> Option<Fp> {
        let encoding = self.elements.next()?;
        let number = Fp::from_le_bytes(encoding).ok()?;
        self.state.update(&[2]).update(encoding);
        Some(number)
    }

    /// Reads numbers.
    pub fn numbers(&mut self, count: usize) -> Option<Vec<Fp>> {
        (0..count).map(|_| self.number()).collect()
    }

    /// Returns a challenge.
    pub fn challenge(&mut self) -> Fp {
        self.state.update(&[0]);
        reduced(self.state.finalize().as_array())
    }
}
