// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations on ciphertexts: recorded while a server runs them, and replayed.

use std::collections::HashMap;

use super::server::Server;
use crate::circuit::CircuitError;
use crate::encoding::Draft;
use crate::evaluator::{Ciphertext, EvaluationError};
use crate::fhetch::{FhetchError, Port, Trace};
use crate::linear::LinearTransform;
use crate::ring::{Named, Polynomial, Program, ProgramError, Ring};

/// A plaintext to be encoded, with its name in a program.
pub(crate) type NamedDraft = (String, Draft);

impl Server {
    /// Runs `work` on ciphertexts, and returns its results with the recorded program of ring
    /// operations. A [`DryServer`](crate::DryServer) records the same program without arithmetic.
    ///
    /// The parts of the k-th input are named "input k, part 0" and "input k, part 1", and those of
    /// outputs likewise. The server's keys are named "key …, digit k, a", the diagonals of a
    /// bootstrap's matrices "CoeffToSlot k, diagonal giant + baby" (with few slots "n slots,
    /// CoeffToSlot …"), and those of `matrices` "matrix k, …". Plaintexts that the work encodes
    /// itself only have numbers, and a program with such plaintexts cannot be replayed: call
    /// [`prepare_bootstrap_of`](crate::Bootstrapper::prepare_bootstrap_of) before you record a
    /// bootstrap.
    ///
    /// Steps of other threads in the same ring are recorded too. If another thread records in the
    /// same ring meanwhile, its program is lost.
    ///
    /// # Errors
    /// The errors of `work`.
    ///
    /// # Panics
    /// Panics if `work` panics.
    pub fn record(
        &self,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
        work: impl FnOnce(&Self) -> Result<Vec<Ciphertext>, CircuitError>,
    ) -> Result<(Vec<Ciphertext>, Program), CircuitError> {
        self.record_with_drafts(inputs, matrices, work)
            .map(|(results, program, _)| (results, program))
    }

    /// Like [`Self::record`]. Also returns the plaintexts that work without arithmetic would have
    /// encoded, with their names in the program.
    pub(crate) fn record_with_drafts(
        &self,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
        work: impl FnOnce(&Self) -> Result<Vec<Ciphertext>, CircuitError>,
    ) -> Result<(Vec<Ciphertext>, Program, Vec<NamedDraft>), CircuitError> {
        let ring = self.parameters().ring();
        self.encoder().take_drafts();
        let recording = ring.start_recording();
        let results = work(self)?;
        let program = recording.end();
        // Until they are numbered, values have the names of polynomials.
        let external = |draft: &Draft| {
            program.externals.iter().find(|external| external.value == draft.name())
        };
        let named = |draft: Draft| external(&draft).map(|external| (external.name.clone(), draft));
        let drafts = self.encoder().take_drafts().into_iter().filter_map(named).collect();
        let outputs: Vec<&Ciphertext> = results.iter().collect();
        let [inputs, outputs] =
            [("input", inputs), ("output", &outputs)].map(|(name, of)| named_parts(name, of));
        let held = self.named(matrices);
        let program = program.identified(&inputs, held, &outputs).map_err(EvaluationError::from)?;
        Ok((results, program, drafts))
    }

    /// Runs a recorded program with other inputs of the same levels, in `ring`, which must have the
    /// same N and primes, and returns the parts of each output.
    ///
    /// # Errors
    /// [`ProgramError`] for a damaged program or one of other parameters, or if an input, a key or
    /// a matrix is missing.
    pub fn replay(
        &self,
        ring: &Ring,
        program: &Program,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
    ) -> Result<Vec<[Polynomial; 2]>, ProgramError> {
        let held = named_parts("input", inputs).into_iter().chain(self.named(matrices));
        let held: HashMap<String, &Polynomial> = held.collect();
        let polynomials = program.replay(ring, |external| held.get(&external.name).copied())?;
        Ok(in_pairs(polynomials))
    }

    /// Replays the trace of a recorded program ([`Trace::of_program`]) with other inputs, without
    /// the arithmetic of the ring, and returns the limbs of each part of each output, in order.
    ///
    /// # Errors
    /// [`FhetchError`] for a trace that cannot be computed or that belongs to other parameters, and
    /// for a missing input, key or matrix.
    pub fn replay_trace(
        &self,
        trace: &Trace,
        inputs: &[&Ciphertext],
        matrices: &[&LinearTransform],
    ) -> Result<Vec<Vec<u64>>, FhetchError> {
        let held = named_parts("input", inputs).into_iter().chain(self.named(matrices));
        let held: HashMap<String, &Polynomial> = held.collect();
        let ring = self.parameters().ring();
        trace.replay(|Port { modulus, name, .. }| {
            let polynomial = held.get(name)?;
            let modulus = trace.moduli.get(*modulus)?;
            let moduli = ring.moduli(polynomial.basis());
            let limb = moduli.iter().position(|of| u64::from(of.value()) == *modulus)?;
            // The values of plaintexts may repeat.
            let run = trace.degree / polynomial.degree().max(1);
            let limb = polynomial.limb(limb).iter();
            Some(limb.flat_map(|value| std::iter::repeat_n(u64::from(*value), run)).collect())
        })
    }

    /// The polynomials of keys and matrices, with their names in programs.
    pub(crate) fn named<'a>(&'a self, matrices: &[&'a LinearTransform]) -> Vec<Named<'a>> {
        let mut named: Vec<_> = self.keys().iter().flat_map(|(of, key)| key.named(of)).collect();
        named.extend(self.bootstrapper().named());
        for (k, matrix) in matrices.iter().enumerate() {
            named.extend(matrix.named(&format!("matrix {k}")));
        }
        named
    }
}

/// The parts of ciphertexts, with their names in programs.
fn named_parts<'a>(name: &str, of: &[&'a Ciphertext]) -> Vec<Named<'a>> {
    let parts = of.iter().enumerate().flat_map(|(k, ciphertext)| {
        let parts = ciphertext.parts().into_iter().enumerate();
        parts.map(move |(part, polynomial)| (k, part, polynomial))
    });
    parts.map(|(k, part, of)| (format!("{name} {k}, part {part}"), of)).collect()
}

/// Groups the outputs of a program: the first and second parts of consecutive ciphertexts.
pub(crate) fn in_pairs(polynomials: Vec<Polynomial>) -> Vec<[Polynomial; 2]> {
    let mut polynomials = polynomials.into_iter();
    let mut pairs = Vec::new();
    while let (Some(first), Some(second)) = (polynomials.next(), polynomials.next()) {
        pairs.push([first, second]);
    }
    pairs
}
