// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs and results of several ciphertexts.

use std::io::{Read, Write};

use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, FileError, Parameters};

use crate::error::NetworkError;
use crate::layout::MOST_INPUT_CIPHERTEXTS;

/// The first bytes of a part in a file.
const MAGIC: [u8; 8] = *b"\x89CNNP\r\n\x1a";
/// The size of an identifier in bytes.
const ID_BYTES: usize = 16;

/// An identifier that distinguishes the ciphertexts of one input from those of others.
type Id = [u8; ID_BYTES];

/// An encrypted input or result: the ciphertexts of its parts, in order.
///
/// In a file, one ciphertext is written by [`Ciphertext::save`]. Of several ciphertexts, each part
/// is
///
/// | bytes | |
/// |---|---|
/// | 8 | 0x89 `CNNP` CR LF 0x1a |
/// | 16 | a random number, which all parts of an input and of its result share |
/// | 4, 4 | its place, from 0, and the number of parts, little-endian |
/// | | the file of the ciphertext |
///
/// and the parts follow each other, so that they may be sent one by one. Parts in another order, or
/// mixed with parts of another input, are rejected.
#[derive(Clone, Debug)]
pub struct Ciphertexts {
    id: Id,
    parts: Vec<Ciphertext>,
}

impl Ciphertexts {
    /// Returns the parts of an input.
    ///
    /// # Errors
    /// [`NetworkError::Random`] if the operating system gives no random bytes.
    pub(crate) fn new(parts: Vec<Ciphertext>) -> Result<Self, NetworkError> {
        let mut id = Id::default();
        id.copy_from_slice(&Random::new()?.seed()[..ID_BYTES]);
        Ok(Self { id, parts })
    }

    /// Returns the result for an input.
    pub(crate) fn result_of(input: &Self, parts: Vec<Ciphertext>) -> Self {
        Self { id: input.id, parts }
    }

    /// Returns the ciphertexts, in order.
    pub fn parts(&self) -> &[Ciphertext] {
        &self.parts
    }

    /// Returns `true` if this is the result for an input, or both belong to one input, according to
    /// their identifiers. A single ciphertext keeps no identifier in a file.
    pub fn belongs_to(&self, input: &Self) -> bool {
        self.id == input.id
    }

    /// Checks the number of ciphertexts.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] if the number is wrong.
    pub(crate) fn check_count(
        &self,
        what: &'static str,
        wanted: usize,
    ) -> Result<(), NetworkError> {
        match self.parts.len() {
            got if got == wanted => Ok(()),
            got => {
                let reason = format!("expected {wanted}, got {got}");
                Err(NetworkError::Ciphertexts { what, reason })
            }
        }
    }

    /// Writes all parts.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// For ciphertexts of other parameters.
    pub fn save(&self, mut output: impl Write, parameters: &Parameters) -> Result<(), FileError> {
        (0..self.parts.len()).try_for_each(|part| self.save_part(part, &mut output, parameters))
    }

    /// Writes one part.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// # Panics
    /// For a part that does not exist, and for ciphertexts of other parameters.
    pub fn save_part(
        &self,
        part: usize,
        mut output: impl Write,
        parameters: &Parameters,
    ) -> Result<(), FileError> {
        let count = self.parts.len();
        assert!(part < count, "part {part} of {count}");
        if count > 1 {
            output.write_all(&MAGIC)?;
            output.write_all(&self.id)?;
            for number in [part, count] {
                output.write_all(&(number as u32).to_le_bytes())?;
            }
        }
        self.parts[part].save(output, parameters)
    }

    /// Reads all parts.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a ciphertext of these parameters, for missing parts,
    /// parts in another order or of another input, and for more parts than an input may have.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        let mut input = Counted { inner: input, at: 0 };
        let mut parts = Vec::new();
        let mut first: Option<(Id, u32)> = None;
        loop {
            let wanted = parts.len();
            let mut magic = [0; MAGIC.len()];
            fill(&mut input, &mut magic, wanted)?;
            if magic != MAGIC && first.is_none() {
                // A single ciphertext has its own format.
                let encrypted = Ciphertext::load(magic.chain(input), parameters)?;
                return Ok(Self { id: Id::default(), parts: vec![encrypted] });
            }
            let (mut id, mut place, mut count) = (Id::default(), [0; 4], [0; 4]);
            for field in [&mut id[..], &mut place, &mut count] {
                fill(&mut input, field, wanted)?;
            }
            let (place, count) = (u32::from_le_bytes(place), u32::from_le_bytes(count));
            check(magic, (id, place, count), first, wanted)
                .map_err(|what| FileError::Malformed { at: input.at, what })?;
            first = Some((id, count));
            parts.push(Ciphertext::load(&mut input, parameters)?);
            if parts.len() == count as usize {
                return Ok(Self { id, parts });
            }
        }
    }
}

/// One ciphertext.
impl From<Ciphertext> for Ciphertexts {
    fn from(ciphertext: Ciphertext) -> Self {
        Self { id: Id::default(), parts: vec![ciphertext] }
    }
}

/// Checks the header of a part against the identifier and count of the first part, and its place.
fn check(
    magic: [u8; MAGIC.len()],
    (id, place, count): (Id, u32, u32),
    first: Option<(Id, u32)>,
    wanted: usize,
) -> Result<(), String> {
    let part = wanted + 1;
    if magic != MAGIC {
        return Err(format!("part {part} is not one of several ciphertexts"));
    }
    if !(2..=MOST_INPUT_CIPHERTEXTS as u32).contains(&count) {
        return Err(format!("{count} ciphertexts, expected 2 to {MOST_INPUT_CIPHERTEXTS}"));
    }
    if first.is_some_and(|first| first != (id, count)) {
        return Err(format!("part {part} belongs to another input"));
    }
    if place as usize != wanted {
        let got = u64::from(place) + 1;
        return Err(format!("expected part {part}, got part {got} of {count}: the order is wrong"));
    }
    Ok(())
}

/// Fills a field of a part's header.
fn fill(input: &mut Counted<impl Read>, field: &mut [u8], wanted: usize) -> Result<(), FileError> {
    input.read_exact(field).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            let what = format!("the file ends before part {} of several ciphertexts", wanted + 1);
            FileError::Malformed { at: input.at, what }
        }
        _ => error.into(),
    })
}

/// An input with the number of bytes read.
struct Counted<R> {
    inner: R,
    at: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}
