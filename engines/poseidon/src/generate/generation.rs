// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generation of an instance's constants and matrix.

use num_bigint::BigUint;

use super::error::SpecificationError;
use super::field::RuntimeField;
use super::matrix::{draw_bits, draw_cauchy, sequential_cauchy, Rows};
use super::parameters::GeneratedParameters;
use super::sbox::Sbox;
use super::specification::{Convention, Specification};
use super::trails::find_trail;
use crate::grain::{Grain, GrainSeed};

/// The number of matrices drawn before giving up; the first is nearly always good.
const MAX_MATRICES: usize = 100;

impl Specification {
    /// Generates rounds, constants and matrix; the matrix is MDS and free of infinitely long
    /// subspace trails. Over 255 bits, a width of 12 takes 0.04 seconds, a width of 37 one second,
    /// and a width of 64 ten seconds.
    ///
    /// # Errors
    /// [`SpecificationError`] if a field of the specification is out of range or no good matrix is
    /// found.
    pub fn generate(&self) -> Result<GeneratedParameters, SpecificationError> {
        let field = self.checked_field()?;
        let rounds = self.round_numbers_over(&field)?;
        let sbox = match (self.convention, self.sbox) {
            (Convention::Reference, Sbox::Power(_)) => 0,
            (Convention::Filecoin, Sbox::Power(_)) | (_, Sbox::Inverse) => 1,
        };
        let width = self.width;
        let mut grain = Grain::new(&GrainSeed { sbox, field_bits: field.bits(), width, rounds });
        let count = (rounds.full + rounds.partial) * width;
        let round_constants = (0..count).map(|_| draw_element(&field, &mut grain)).collect();
        let mds = self.trail_free_matrix(&field, &mut grain)?;
        Ok(GeneratedParameters {
            specification: Self { rounds: Some(rounds), ..self.clone() },
            field,
            rounds,
            round_constants,
            mds,
        })
    }

    /// Returns the first matrix without a subspace trail. All candidates are Cauchy matrices, which
    /// are MDS.
    fn trail_free_matrix(
        &self,
        field: &RuntimeField,
        grain: &mut Grain,
    ) -> Result<Rows, SpecificationError> {
        if self.convention == Convention::Filecoin {
            // Every prime of 31 bits is above 3t, so no denominator is 0.
            let matrix = sequential_cauchy(field, self.width);
            let matrix = matrix.ok_or(SpecificationError::Width { width: self.width })?;
            return match find_trail(field, &matrix) {
                Some(trail) => Err(SpecificationError::Trail { trail }),
                None => Ok(matrix),
            };
        }
        let mut candidates = (0..MAX_MATRICES).map(|_| draw_cauchy(field, self.width, grain));
        candidates
            .find(|matrix| find_trail(field, matrix).is_none())
            .ok_or(SpecificationError::NoMatrix { drawn: MAX_MATRICES })
    }
}

/// Draws an element of the bit length of p; candidates at or above p are skipped.
fn draw_element(field: &RuntimeField, grain: &mut Grain) -> BigUint {
    loop {
        let candidate = draw_bits(field.bits(), grain);
        if candidate < *field.modulus() {
            return candidate;
        }
    }
}
