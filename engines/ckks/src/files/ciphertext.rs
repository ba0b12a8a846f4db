// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts in files. Fresh ciphertexts have half the size, since c₁ is stored as its seed.

use std::io::{Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::packing::{read_polynomial, write_polynomial};
use super::reader::FileReader;
use crate::estimate::{Bound, Noise, Origin};
use crate::evaluator::{check_room, Ciphertext, Metadata};
use crate::keys::KeyId;
use crate::params::{fresh_error, Parameters, Scale};
use crate::sampling::{uniform, Seed, FRESH_INDEX};

/// Marks a second part that is a polynomial.
const POLYNOMIAL: u8 = 0;
/// Marks the seed of earlier versions, whose second parts were also halves of keys.
const EARLIER_SEED: u8 = 1;
/// Marks the seed of a second part that only a fresh ciphertext has.
const FRESH_SEED: u8 = 2;

impl Ciphertext {
    /// Writes the ciphertext.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// For a ciphertext of other parameters.
    pub fn save(&self, output: impl Write, parameters: &Parameters) -> Result<(), FileError> {
        let (ring, basis) = (parameters.ring(), &parameters.level(self.level()).basis);
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Ciphertext, parameters).write(&mut output)?;
        output.write(self.owner().as_bytes())?;
        output.write(&(self.level() as u16).to_le_bytes())?;
        output.write(&(self.length() as u32).to_le_bytes())?;
        let (high, low, exponent) = self.scale().parts();
        output.write(&high.to_le_bytes())?;
        output.write(&low.to_le_bytes())?;
        output.write(&exponent.to_le_bytes())?;
        let seed = self.seed_of_second(parameters);
        // A reader without a seed takes the error as one claim for the ciphertext's slots, not as a
        // new source: the totals for these slots are written.
        let errors = match seed {
            Some(_) => [self.noise().deviation(); 2],
            None => [self.noise().total(self.length()), self.noise().total_anywhere(self.length())],
        };
        for error in errors {
            output.write(&error.to_le_bytes())?;
        }
        let (low, high) = self.bound().interval().unwrap_or((0.0, self.bound().magnitude()));
        output.write(&[u8::from(self.bound().is_real())])?;
        output.write(&low.to_le_bytes())?;
        output.write(&high.to_le_bytes())?;
        output.write(&[seed.map_or(POLYNOMIAL, |_| FRESH_SEED)])?;
        write_polynomial(&mut output, ring, self.parts()[0], basis)?;
        match seed {
            Some(seed) => output.write(&seed)?,
            None => write_polynomial(&mut output, ring, self.parts()[1], basis)?,
        }
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a ciphertext.
    ///
    /// The estimate of the ciphertext, and of all results computed with it, is a claim of the file
    /// ([`has_claimed_error`](Self::has_claimed_error)). A fresh ciphertext, whose second part is
    /// expanded from its seed, is the exception: its error is known to be at least that of an
    /// encryption, unless parties share the secret key.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a ciphertext of these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        FileReader::new(input)?.ciphertext(parameters)
    }

    /// Returns the seed that expands to c₁, if c₁ is unchanged: most operations change it.
    fn seed_of_second(&self, parameters: &Parameters) -> Option<Seed> {
        let seed = *self.seed()?;
        let basis = self.parts()[1].basis();
        let made = uniform(parameters.ring(), basis, &seed, FRESH_INDEX);
        made.limbs().eq(self.parts()[1].limbs()).then_some(seed)
    }
}

impl<R: Read> FileReader<R> {
    /// Reads the ciphertext of the file.
    ///
    /// # Errors
    /// As [`Ciphertext::load`].
    pub fn ciphertext(mut self, parameters: &Parameters) -> Result<Ciphertext, FileError> {
        self.check(FileKind::Ciphertext, parameters)?;
        let input = &mut self.input;
        let owner = KeyId::of_bytes(input.array("the key's identifier")?);
        let level = usize::from(u16::from_le_bytes(input.array("the level")?));
        let top = parameters.top();
        if level > top {
            return Err(input.malformed(2, format!("level {level} is above the top, {top}")));
        }
        let length = u32::from_le_bytes(input.array("the number of values")?) as usize;
        let limit = parameters.slots();
        if !(1..=limit).contains(&length) {
            return Err(input.malformed(4, format!("{length} values, of {limit} at most")));
        }
        let scale = read_scale(input, parameters, level)?;
        let (error, anywhere) = (read_error(input)?, read_error(input)?);
        let bound = read_bound(input)?;
        if check_room(parameters, level, scale, bound).is_err() {
            let what = format!("level {level} has no room for {bound} on a scale of {scale}");
            return Err(input.malformed(17, what));
        }
        let [mark] = input.array("the kind of the second part")?;
        let index = match mark {
            POLYNOMIAL => None,
            EARLIER_SEED => Some(0),
            FRESH_SEED => Some(FRESH_INDEX),
            _ => {
                return Err(input.malformed(1, "the second part is neither a seed nor a polynomial"))
            }
        };
        let (ring, basis) = (parameters.ring(), &parameters.level(level).basis);
        let first = read_polynomial(input, ring, basis, "the ciphertext's first part")?;
        let (second_part, seed) = if let Some(index) = index {
            let seed = input.array("the seed of the ciphertext's second part")?;
            // An earlier seed may be that of a key: it proves nothing.
            (uniform(ring, basis, &seed, index), Some(seed).filter(|_| mark == FRESH_SEED))
        } else {
            (read_polynomial(input, ring, basis, "the ciphertext's second part")?, None)
        };
        let checksum = input.checksum()?;
        let second = match seed {
            Some(seed) => Origin::of_seed(&seed),
            None => Origin::of_seed(&checksum),
        };
        let origins = [Origin::derived("a file", [Origin::of_seed(&checksum)]), second];
        // A ciphertext from a computation can share errors with other ciphertexts. The errors of a
        // fresh one are independent and at least those of an encryption: only fresh ciphertexts
        // have a second part that is expanded from a seed.
        let slots = length.next_power_of_two();
        // Parties have no secret key to encrypt with: there a second part from a seed proves
        // nothing.
        let noise = match seed {
            Some(_) if parameters.parties() == 1 => {
                let error = error.max(anywhere).max(fresh_error(scale, slots));
                Noise::source(Origin::derived("fresh", [second]), error)
            }
            _ => Noise::claimed(error, anywhere),
        };
        let parts = [first, second_part];
        let metadata = Metadata::declared(level, scale, length, owner, bound);
        let read = Ciphertext::new(parts, metadata.computed_from(origins, noise));
        Ok(match seed {
            Some(seed) => read.with_seed(seed),
            None => read,
        })
    }
}

/// Reads a scale, which lies between 1 and the modulus.
pub(super) fn read_scale<R: Read>(
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
            let what =
                format!("({high} + {low})·2^{exponent} is not a valid scale at level {level}");
            input.malformed(20, what)
        })
}

fn read_error<R: Read>(input: &mut CheckedReader<R>) -> Result<f64, FileError> {
    let error = f64::from_le_bytes(input.array("the estimated error")?);
    // A comparison with NaN is false.
    match error >= 0.0 && error.is_finite() {
        true => Ok(error),
        false => Err(input.malformed(8, format!("{error} is not a valid estimated error"))),
    }
}

/// Reads the declared bound of values.
pub(super) fn read_bound<R: Read>(input: &mut CheckedReader<R>) -> Result<Bound, FileError> {
    let [is_real] = input.array("whether values are real")?;
    let low = f64::from_le_bytes(input.array("the values' bound")?);
    let high = f64::from_le_bytes(input.array("the values' bound")?);
    let bound = match is_real {
        0 if low == 0.0 => Bound::complex(high),
        1 => Bound::between(low, high),
        _ => return Err(input.malformed(17, "expected a mark of real (1) or complex (0) values")),
    };
    match bound.is_valid() {
        true => Ok(bound),
        false => Err(input.malformed(16, format!("{bound} is not a valid bound"))),
    }
}
