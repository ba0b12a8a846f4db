// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts with all their metadata, as parts of files that a server keeps for itself. A
//! ciphertext that is read back has the same bits and the same estimates.

use std::io::{sink, Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::ciphertext::{read_bound, read_scale};
use super::error::FileError;
use super::packing::{read_polynomial, write_polynomial};
use crate::estimate::{Merged, Noise, NoiseParts, Origin, Parts};
use crate::evaluator::{check_room, Ciphertext, Metadata};
use crate::keys::KeyId;
use crate::params::Parameters;

/// The largest number of noise sources of a value in a file.
const MOST_SOURCES: u32 = 1 << 16;

impl Ciphertext {
    /// Returns a hash of both polynomials and all metadata.
    pub(crate) fn digest(&self, parameters: &Parameters) -> [u8; 32] {
        let mut output = CheckedWriter::new(sink());
        // Writes to a sink never fail.
        let _ = write_whole(&mut output, self, parameters);
        output.hash()
    }
}

/// Writes the metadata of a ciphertext and its polynomials.
///
/// # Errors
/// If writing fails.
pub(crate) fn write_whole<W: Write>(
    output: &mut CheckedWriter<W>,
    value: &Ciphertext,
    parameters: &Parameters,
) -> Result<(), FileError> {
    output.write(value.owner().as_bytes())?;
    output.write(&(value.level() as u16).to_le_bytes())?;
    output.write(&(value.length() as u32).to_le_bytes())?;
    output.write(&(value.slots() as u32).to_le_bytes())?;
    let (high, low, exponent) = value.scale().parts();
    output.write(&high.to_le_bytes())?;
    output.write(&low.to_le_bytes())?;
    output.write(&exponent.to_le_bytes())?;
    let (low, high) = value.bound().interval().unwrap_or((0.0, value.bound().magnitude()));
    output.write(&[u8::from(value.bound().is_real())])?;
    output.write(&low.to_le_bytes())?;
    output.write(&high.to_le_bytes())?;
    for word in value.metadata().origins().into_iter().flat_map(Origin::words) {
        output.write(&word.to_le_bytes())?;
    }
    write_noise(output, &value.noise().parts())?;
    output.write(&[u8::from(value.seed().is_some())])?;
    output.write(value.seed().unwrap_or(&[0; 32]))?;
    let (ring, basis) = (parameters.ring(), &parameters.level(value.level()).basis);
    value.parts().into_iter().try_for_each(|part| write_polynomial(output, ring, part, basis))
}

/// Reads a ciphertext that [`write_whole`] wrote.
///
/// # Errors
/// [`FileError`] for an input that is not a ciphertext of these parameters.
pub(crate) fn read_whole<R: Read>(
    input: &mut CheckedReader<R>,
    parameters: &Parameters,
) -> Result<Ciphertext, FileError> {
    let owner = KeyId::of_bytes(input.array("the key's identifier")?);
    let level = usize::from(u16::from_le_bytes(input.array("the level")?));
    let top = parameters.top();
    if level > top {
        return Err(input.malformed(2, format!("level {level} is above the top, {top}")));
    }
    let length = u32::from_le_bytes(input.array("the number of values")?) as usize;
    let slots = u32::from_le_bytes(input.array("the number of slots")?) as usize;
    let limit = parameters.slots();
    if !(1..=limit).contains(&slots) || !slots.is_power_of_two() || !(1..=slots).contains(&length) {
        let what = format!("{length} values in {slots} slots do not fit into {limit} slots");
        return Err(input.malformed(8, what));
    }
    let scale = read_scale(input, parameters, level)?;
    let bound = read_bound(input)?;
    if check_room(parameters, level, scale, bound).is_err() {
        let what = format!("level {level} has no room for {bound} on a scale of {scale}");
        return Err(input.malformed(17, what));
    }
    let mut origin = || {
        let words = [0, 1].map(|_| input.array("the origin of a value").map(u64::from_le_bytes));
        let [first, second] = words;
        Origin::from_words([first?, second?])
            .ok_or_else(|| input.malformed(16, "the origin of a value is not valid"))
    };
    let origins = [origin()?, origin()?];
    let noise = read_noise(input)?;
    let [has_seed] = input.array("the mark of a seed")?;
    let seed = input.array("a seed")?;
    let (ring, basis) = (parameters.ring(), &parameters.level(level).basis);
    let mut part = || read_polynomial(input, ring, basis, "a value's polynomial");
    let parts = [part()?, part()?];
    let metadata = Metadata::declared(level, scale, length, owner, bound).standing_in(slots);
    let value = Ciphertext::new(parts, metadata.computed_from(origins, noise));
    match has_seed {
        0 => Ok(value),
        1 => Ok(value.with_seed(seed)),
        _ => Err(input.malformed(33, "expected a mark of a seed (1) or none (0)")),
    }
}

fn write_noise<W: Write>(
    output: &mut CheckedWriter<W>,
    noise: &NoiseParts,
) -> Result<(), FileError> {
    output.write(&[u8::from(noise.is_claimed), u8::from(noise.anywhere.is_some())])?;
    for Parts { sources, merged, rest } in [&noise.usual].into_iter().chain(&noise.anywhere) {
        for size in [merged.deviation, merged.largest, *rest] {
            output.write(&size.to_le_bytes())?;
        }
        output.write(&(sources.len() as u32).to_le_bytes())?;
        for (base, image, deviation) in sources {
            output.write(&base.to_le_bytes())?;
            output.write(&image.to_le_bytes())?;
            output.write(&deviation.to_le_bytes())?;
        }
    }
    Ok(())
}

fn read_noise<R: Read>(input: &mut CheckedReader<R>) -> Result<Noise, FileError> {
    let [is_claimed, has_anywhere] = input.array("the kind of the estimated error")?;
    if is_claimed > 1 || has_anywhere > 1 {
        return Err(input.malformed(2, "the kind of the estimated error is neither 0 nor 1"));
    }
    let usual = read_shares(input)?;
    let anywhere = if has_anywhere == 1 { Some(read_shares(input)?) } else { None };
    let noise = NoiseParts { usual, anywhere, is_claimed: is_claimed == 1 };
    Noise::from_parts(&noise).ok_or_else(|| input.malformed(0, "the estimated error is not valid"))
}

fn read_shares<R: Read>(input: &mut CheckedReader<R>) -> Result<Parts, FileError> {
    let mut size = || input.array("the estimated error").map(f64::from_le_bytes);
    let merged = Merged { deviation: size()?, largest: size()? };
    let rest = size()?;
    let count = read_count(input, "the sources of the error", MOST_SOURCES)?;
    let mut sources = Vec::new();
    for _ in 0..count {
        let base = u64::from_le_bytes(input.array("a source of the error")?);
        let image = u32::from_le_bytes(input.array("a source of the error")?);
        sources.push((base, image, f64::from_le_bytes(input.array("a source of the error")?)));
    }
    Ok(Parts { sources, merged, rest })
}

/// Reads a count of 32 bits.
///
/// # Errors
/// [`FileError`] for a count above `most`.
pub(crate) fn read_count<R: Read>(
    input: &mut CheckedReader<R>,
    what: &'static str,
    most: u32,
) -> Result<usize, FileError> {
    let count = u32::from_le_bytes(input.array(what)?);
    match count <= most {
        true => Ok(count as usize),
        false => Err(input.malformed(4, format!("{what}: {count} is above the limit of {most}"))),
    }
}
