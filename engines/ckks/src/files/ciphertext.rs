// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts in files: fresh ones have half the size, for c₁ is then a seed.

use std::io::{Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::header::{FileKind, Header};
use super::packing::{read_polynomial, write_polynomial};
use super::reader::FileReader;
use crate::ciphertext::Ciphertext;
use crate::estimate::Estimate;
use crate::params::{Parameters, Scale};
use crate::sampling::{uniform, Seed};

impl Ciphertext {
    /// Writes the ciphertext.
    ///
    /// # Errors
    /// Where writing fails.
    ///
    /// # Panics
    /// For a ciphertext of other parameters.
    pub fn save(&self, output: impl Write, parameters: &Parameters) -> Result<(), FileError> {
        let (ring, basis) = (parameters.ring(), &parameters.level(self.level).basis);
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Ciphertext, parameters).write(&mut output)?;
        output.write(&(self.level as u16).to_le_bytes())?;
        output.write(&[self.slots.trailing_zeros() as u8])?;
        let (high, low, exponent) = self.scale.parts();
        output.write(&high.to_le_bytes())?;
        output.write(&low.to_le_bytes())?;
        output.write(&exponent.to_le_bytes())?;
        output.write(&self.estimate.error.to_le_bytes())?;
        output.write(&self.estimate.magnitude.to_le_bytes())?;
        let seed = self.seed_of_second(parameters);
        output.write(&[u8::from(seed.is_some())])?;
        write_polynomial(&mut output, ring, &self.parts[0], basis)?;
        match seed {
            Some(seed) => output.write(&seed)?,
            None => write_polynomial(&mut output, ring, &self.parts[1], basis)?,
        }
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a ciphertext.
    ///
    /// Its estimate is what the file says: who did not compute the ciphertext should not rely on it.
    ///
    /// # Errors
    /// [`FileError`] for what is no ciphertext of these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        FileReader::new(input)?.ciphertext(parameters)
    }

    /// The seed that c₁ is still made from: most operations change it, some do not.
    fn seed_of_second(&self, parameters: &Parameters) -> Option<Seed> {
        let seed = self.seed?;
        let basis = self.parts[1].basis();
        let made = uniform(parameters.ring(), basis, &seed, 0);
        made.limbs().eq(self.parts[1].limbs()).then_some(seed)
    }
}

impl<R: Read> FileReader<R> {
    /// The ciphertext that the file holds.
    ///
    /// # Errors
    /// As [`Ciphertext::load`].
    pub fn ciphertext(mut self, parameters: &Parameters) -> Result<Ciphertext, FileError> {
        self.check(FileKind::Ciphertext, parameters)?;
        let input = &mut self.input;
        let level = usize::from(u16::from_le_bytes(input.array("the level")?));
        let top = parameters.top();
        if level > top {
            return Err(input.malformed(2, format!("level {level}, and the highest is {top}")));
        }
        let [log_slots] = input.array("the number of slots")?;
        if u32::from(log_slots) > parameters.slots().trailing_zeros() {
            let limit = parameters.slots();
            return Err(input.malformed(1, format!("2^{log_slots} slots, of {limit} at most")));
        }
        let scale = read_scale(input, parameters, level)?;
        let estimate = read_estimate(input)?;
        let [has_seed] = input.array("what the second part is")?;
        if has_seed > 1 {
            return Err(input.malformed(1, "the second part is neither a seed nor a polynomial"));
        }
        let (ring, basis) = (parameters.ring(), &parameters.level(level).basis);
        let first = read_polynomial(input, ring, basis, "the ciphertext's first part")?;
        let (second, seed) = if has_seed == 1 {
            let seed = input.array("the seed of the ciphertext's second part")?;
            (uniform(ring, basis, &seed, 0), Some(seed))
        } else {
            (read_polynomial(input, ring, basis, "the ciphertext's second part")?, None)
        };
        input.checksum()?;
        let slots = 1 << log_slots;
        Ok(Ciphertext { parts: [first, second], level, scale, slots, estimate, seed })
    }
}

/// A scale that values can have: from 1 to the modulus.
fn read_scale<R: Read>(
    input: &mut CheckedReader<R>,
    parameters: &Parameters,
    level: usize,
) -> Result<Scale, FileError> {
    let high = f64::from_le_bytes(input.array("the scale")?);
    let low = f64::from_le_bytes(input.array("the scale")?);
    let exponent = i32::from_le_bytes(input.array("the scale")?);
    let most = parameters.level(level).modulus.log2();
    Scale::from_parts(high, low, exponent)
        .filter(|scale| (0.0..=most).contains(&scale.log2()))
        .ok_or_else(|| {
            let what = format!("({high} + {low})·2^{exponent} is no scale of level {level}");
            input.malformed(20, what)
        })
}

fn read_estimate<R: Read>(input: &mut CheckedReader<R>) -> Result<Estimate, FileError> {
    let error = f64::from_le_bytes(input.array("the estimated error")?);
    let magnitude = f64::from_le_bytes(input.array("the values' bound")?);
    // Not a number is not at least 0.
    if !(error >= 0.0 && magnitude >= 0.0) {
        let what = format!("an error of {error} and values up to {magnitude} are no estimate");
        return Err(input.malformed(16, what));
    }
    Ok(Estimate { error, magnitude })
}
