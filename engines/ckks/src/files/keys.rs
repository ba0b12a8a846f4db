// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluation keys in files, one key in memory at a time.

use std::collections::HashSet;
use std::io::{Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::packing::{read_polynomial, write_polynomial};
use super::reader::FileReader;
use crate::evaluator::EvaluationKeys;
use crate::keys::{Gadget, KeyId, KeyUse, SwitchingKey, LOW_LEVEL};
use crate::params::Parameters;
use crate::ring::{Basis, Form, Polynomial};
use crate::sampling::Seed;

const END: u8 = 0;
const MULTIPLY: u8 = 1;
const AUTOMORPHISM: u8 = 2;
const TO_SPARSE: u8 = 3;
const FROM_SPARSE: u8 = 4;
const LOW_AUTOMORPHISM: u8 = 5;

/// Writes evaluation keys one by one.
pub struct KeyWriter<W> {
    output: CheckedWriter<W>,
    parameters: Parameters,
    owner: KeyId,
}

/// Reads evaluation keys one by one.
pub struct KeyReader<R> {
    input: CheckedReader<R>,
    parameters: Parameters,
    owner: KeyId,
    seen: HashSet<KeyUse>,
    has_ended: bool,
}

/// A key as stored in a file.
struct ReadKey {
    of: KeyUse,
    level: usize,
    seed: Seed,
    halves: Vec<Polynomial>,
}

impl<W: Write> KeyWriter<W> {
    /// Starts a file of keys that belong to a secret key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(output: W, parameters: &Parameters, owner: KeyId) -> Result<Self, FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::EvaluationKeys, parameters).write(&mut output)?;
        output.write(owner.as_bytes())?;
        Ok(Self { output, parameters: parameters.clone(), owner })
    }

    /// Writes the part of a key that ciphertexts up to a level need, or the whole key if it has
    /// fewer levels.
    ///
    /// # Errors
    /// [`FileError::KeyOwner`] for a key of another owner. Also if writing fails.
    ///
    /// # Panics
    /// For a key of other parameters, and for a level above the highest.
    pub fn write(&mut self, of: KeyUse, key: &SwitchingKey, level: usize) -> Result<(), FileError> {
        let shapes = [key.parameters().shape(), self.parameters.shape()];
        assert_eq!(shapes[0], shapes[1], "the key must have the parameters of the file");
        if key.owner() != self.owner {
            return Err(FileError::KeyOwner { key: key.owner(), ours: self.owner });
        }
        let level = level.min(key.level());
        let (tag, exponent) = match of {
            KeyUse::Multiply => (MULTIPLY, 0),
            KeyUse::Automorphism(exponent) => (AUTOMORPHISM, exponent as u32),
            KeyUse::LowAutomorphism(exponent) => (LOW_AUTOMORPHISM, exponent as u32),
            KeyUse::ToSparse => (TO_SPARSE, 0),
            KeyUse::FromSparse => (FROM_SPARSE, 0),
        };
        self.output.write(&[tag])?;
        self.output.write(&exponent.to_le_bytes())?;
        self.output.write(&(level as u16).to_le_bytes())?;
        self.output.write(key.seed())?;
        let ring = self.parameters.ring();
        for (basis, b) in key_bases(&self.parameters, of, level).iter().zip(key.first_halves()) {
            write_polynomial(&mut self.output, ring, b, basis)?;
        }
        self.output.checksum()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<W, FileError> {
        self.output.write(&[END])?;
        self.output.checksum()?;
        self.output.finish()
    }
}

impl<R: Read> KeyReader<R> {
    /// Returns the parameters of the keys.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the secret key to which the keys belong.
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// Returns the next key and its use; `None` after the last key.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a key of these parameters, for a second key with the
    /// same use, and for a file that ends without an end mark.
    pub fn next_key(&mut self) -> Result<Option<(KeyUse, SwitchingKey)>, FileError> {
        let Some(ReadKey { of, level, seed, halves }) = self.read()? else { return Ok(None) };
        let key = SwitchingKey::of_halves(&self.parameters, self.owner, of, seed, level, halves);
        Ok(Some((of, key)))
    }

    /// Returns the use of the next key and the highest level of its ciphertexts. The key is read
    /// and checked, but not kept.
    ///
    /// # Errors
    /// As [`Self::next_key`].
    pub fn next_use(&mut self) -> Result<Option<(KeyUse, usize)>, FileError> {
        Ok(self.read()?.map(|key| (key.of, key.level)))
    }

    fn read(&mut self) -> Result<Option<ReadKey>, FileError> {
        if self.has_ended {
            return Ok(None);
        }
        let input = &mut self.input;
        let [tag] = input.array("the evaluation keys: the end mark is missing")?;
        if tag == END {
            input.checksum()?;
            self.has_ended = true;
            return Ok(None);
        }
        let of = read_use(input, &self.parameters, tag)?;
        if !self.seen.insert(of) {
            return Err(input.malformed(5, format!("duplicate key {of}")));
        }
        let level = usize::from(u16::from_le_bytes(input.array("the level of a key")?));
        let top = match of {
            KeyUse::LowAutomorphism(_) => LOW_LEVEL,
            _ => self.parameters.top(),
        };
        if level > top {
            let what = format!("a key for level {level} is above the top, {top}");
            return Err(input.malformed(2, what));
        }
        let seed = input.array("the seed of a key")?;
        let ring = self.parameters.ring();
        let mut halves = Vec::new();
        for basis in key_bases(&self.parameters, of, level) {
            halves.push(if basis.is_empty() {
                ring.zero(&basis, Form::Values)
            } else {
                read_polynomial(input, ring, &basis, "an evaluation key")?
            });
        }
        input.checksum()?;
        Ok(Some(ReadKey { of, level, seed, halves }))
    }
}

impl<R: Read> Iterator for KeyReader<R> {
    type Item = Result<(KeyUse, SwitchingKey), FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_key().transpose();
        // After an error the position in the file is not defined.
        self.has_ended |= matches!(next, Some(Err(_)));
        next
    }
}

impl<R: Read> FileReader<R> {
    /// Returns a reader of the file's evaluation keys, one at a time.
    ///
    /// # Errors
    /// [`FileError`] if the file is of another kind or for other parameters.
    pub fn keys(mut self, parameters: &Parameters) -> Result<KeyReader<R>, FileError> {
        self.check(FileKind::EvaluationKeys, parameters)?;
        let owner = KeyId::of_bytes(self.input.array("the key's identifier")?);
        let (input, parameters, seen) = (self.input, parameters.clone(), HashSet::new());
        Ok(KeyReader { input, parameters, owner, seen, has_ended: false })
    }
}

impl EvaluationKeys {
    /// Writes all keys with all of their levels.
    ///
    /// # Errors
    /// [`FileError::KeyOwner`] if the keys belong to several clients. Also if writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        self.save_to_level(output, self.parameters().top())
    }

    /// Writes the parts of all keys that ciphertexts up to a level need.
    ///
    /// # Errors
    /// As [`Self::save`].
    ///
    /// # Panics
    /// For a level above the highest.
    pub fn save_to_level(&self, output: impl Write, level: usize) -> Result<(), FileError> {
        // An empty set of keys has no owner.
        let owner = self.owner().unwrap_or(KeyId::NOBODY);
        let mut writer = KeyWriter::new(output, self.parameters(), owner)?;
        for (of, key) in self.iter() {
            writer.write(of, key, level)?;
        }
        writer.finish().map(drop)
    }

    /// Returns the size in bytes of the file that [`Self::save`] writes. The file is written
    /// without being stored.
    ///
    /// # Errors
    /// [`FileError::KeyOwner`] if the keys belong to several clients.
    pub fn file_bytes(&self) -> Result<u64, FileError> {
        let mut count = Count(0);
        self.save(&mut count)?;
        Ok(count.0)
    }

    /// Reads all keys.
    ///
    /// # Errors
    /// [`FileError`] for an input that does not hold evaluation keys of these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        let mut keys = Self::new(parameters);
        for key in FileReader::new(input)?.keys(parameters)? {
            let (of, key) = key?;
            keys.insert(of, key);
        }
        Ok(keys)
    }
}

/// Counts the bytes written.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reads the use of a key.
fn read_use<R: Read>(
    input: &mut CheckedReader<R>,
    parameters: &Parameters,
    tag: u8,
) -> Result<KeyUse, FileError> {
    let exponent = u32::from_le_bytes(input.array("the use of a key")?);
    let order = 2 * parameters.degree() as u64;
    match (tag, u64::from(exponent)) {
        (MULTIPLY, 0) => Ok(KeyUse::Multiply),
        (TO_SPARSE, 0) => Ok(KeyUse::ToSparse),
        (FROM_SPARSE, 0) => Ok(KeyUse::FromSparse),
        (AUTOMORPHISM, exponent) if exponent % 2 == 1 && (3..order).contains(&exponent) => {
            Ok(KeyUse::Automorphism(exponent))
        }
        (LOW_AUTOMORPHISM, exponent) if exponent % 2 == 1 && (3..order).contains(&exponent) => {
            Ok(KeyUse::LowAutomorphism(exponent))
        }
        (AUTOMORPHISM | LOW_AUTOMORPHISM, exponent) => {
            let what = format!("X^{exponent} is not an automorphism: odd, from 3 to {}", order - 1);
            Err(input.malformed(4, what))
        }
        _ => Err(input.malformed(5, "unknown use of a key")),
    }
}

/// Returns the primes of each digit of a key for ciphertexts up to a level.
fn key_bases(parameters: &Parameters, of: KeyUse, level: usize) -> Vec<Basis> {
    Gadget::of_use(parameters, of).key_bases(&parameters.primes_to_level(level))
}
