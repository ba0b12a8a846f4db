// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The container of iden3's binary files: a magic word of four letters, the version and the number
//! of sections in four bytes each, and the sections, each with its type in four bytes and its
//! length in eight. All numbers are little-endian.

use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::Fr;

use super::CircomError;

/// The maximum number of sections; files have ten at most.
const MOST_SECTIONS: u32 = 64;

/// The file's sections.
pub struct Sections<'a> {
    kind: &'static str,
    sections: Vec<(u32, &'a [u8])>,
}

impl<'a> Sections<'a> {
    /// Splits a file with this magic word and version.
    pub fn read(bytes: &'a [u8], kind: &'static str, version: u32) -> Result<Self, CircomError> {
        let mut reader = Reader { kind, section: 0, bytes };
        let magic = reader.take(4)?;
        if magic != kind.as_bytes() {
            return Err(CircomError::Magic { expected: kind });
        }
        let got = reader.number()?;
        if got != version {
            return Err(CircomError::Version { kind, expected: version, got });
        }
        let count = reader.number()?;
        if count > MOST_SECTIONS {
            return Err(CircomError::Sections { kind, got: count });
        }
        let mut sections = Vec::new();
        for _ in 0..count {
            let section = reader.number()?;
            reader.section = section;
            let length = reader.long_number()?;
            sections.push((section, reader.take(usize::try_from(length).unwrap_or(usize::MAX))?));
            reader.section = 0;
        }
        reader.finish()?;
        Ok(Self { kind, sections })
    }

    /// Returns a section, which the file must have once.
    pub fn section(&self, number: u32) -> Result<Reader<'a>, CircomError> {
        let mut found = self.sections.iter().filter(|(other, _)| *other == number);
        match (found.next(), found.next()) {
            (Some((_, bytes)), None) => Ok(Reader { kind: self.kind, section: number, bytes }),
            (None, _) => Err(CircomError::Missing { kind: self.kind, section: number }),
            _ => Err(CircomError::Repeated { kind: self.kind, section: number }),
        }
    }

    /// Returns `true` if the file has a section that is not empty.
    pub fn has(&self, number: u32) -> bool {
        self.sections.iter().any(|(other, bytes)| *other == number && !bytes.is_empty())
    }
}

/// Reads a section.
pub struct Reader<'a> {
    kind: &'static str,
    /// The section's type; 0 for the container.
    section: u32,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Returns the next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], CircomError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(CircomError::Truncated {
            kind: self.kind,
            section: self.section,
            expected: count as u64,
            got: self.bytes.len() as u64,
        })?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a number of four bytes.
    pub fn number(&mut self) -> Result<u32, CircomError> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    /// Reads a number of eight bytes.
    pub fn long_number(&mut self) -> Result<u64, CircomError> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads the length of elements and the prime, which must be these.
    pub fn prime(&mut self, expected: &[u8]) -> Result<(), CircomError> {
        let length = self.number()? as usize;
        let is_it = length == expected.len() && self.take(length)? == expected;
        is_it.then_some(()).ok_or(CircomError::Prime { kind: self.kind })
    }

    /// Reads the length of scalars and r.
    pub fn scalar_prime(&mut self) -> Result<(), CircomError> {
        let r: Vec<u8> = Bls12381Scalar::VALUE.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        self.prime(&r)
    }

    /// Reads the canonical form of a scalar.
    pub fn scalar(&mut self) -> Result<Fr, CircomError> {
        let bytes: [u8; 32] = self.take(32)?.try_into().unwrap_or_default();
        Fr::from_le_bytes(&bytes)
            .map_err(|_| CircomError::Scalar { kind: self.kind, section: self.section })
    }

    /// Reads the Montgomery form of a scalar, with R = 2²⁵⁶.
    pub fn montgomery_scalar(&mut self) -> Result<Fr, CircomError> {
        let bytes: [u8; 32] = self.take(32)?.try_into().unwrap_or_default();
        Fr::from_montgomery_le_bytes(&bytes)
            .map_err(|_| CircomError::Scalar { kind: self.kind, section: self.section })
    }

    /// Returns the number of bytes left.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Checks that no bytes are left.
    pub fn finish(self) -> Result<(), CircomError> {
        match self.bytes.len() as u64 {
            0 => Ok(()),
            got => Err(CircomError::Surplus { kind: self.kind, section: self.section, got }),
        }
    }
}
