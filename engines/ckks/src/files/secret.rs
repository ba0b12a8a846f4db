// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Secret keys as bytes.

use std::io::{Read, Write};

use zeroize::Zeroizing;

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::reader::FileReader;
use crate::keys::{KeyId, SecretKey};
use crate::params::{Parameters, SecretKind};
use crate::wiping::with_stack_wiped;

/// The number of coefficients in a byte.
const COEFFICIENTS_PER_BYTE: usize = 4;

impl SecretKey {
    /// Writes the key. Anyone who reads it can decrypt everything: see
    /// `SecretKey::create_file`.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        // The hash function leaves parts of its input on the stack.
        with_stack_wiped(|| self.write(output))
    }

    fn write(&self, output: impl Write) -> Result<(), FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::SecretKey, self.parameters()).write(&mut output)?;
        output.write(self.id().as_bytes())?;
        output.write(&packed(self.coefficients()))?;
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a secret key of these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        FileReader::new(input)?.secret_key(parameters)
    }
}

impl<R: Read> FileReader<R> {
    /// Reads the secret key of the file.
    ///
    /// # Errors
    /// As [`SecretKey::load`].
    pub fn secret_key(mut self, parameters: &Parameters) -> Result<SecretKey, FileError> {
        with_stack_wiped(|| self.read_secret_key(parameters))
    }

    fn read_secret_key(&mut self, parameters: &Parameters) -> Result<SecretKey, FileError> {
        self.check(FileKind::SecretKey, parameters)?;
        let id = KeyId::of_bytes(self.input.array("the key's identifier")?);
        let coefficients = read_secret_coefficients(&mut self.input, parameters)?;
        self.input.checksum()?;
        Ok(SecretKey::of_coefficients(parameters, id, coefficients))
    }
}

/// Returns the coefficients of a secret key as bytes.
pub(crate) fn secret_coefficient_bytes(secret: &SecretKey) -> Zeroizing<Vec<u8>> {
    packed(secret.coefficients())
}

/// Reads the coefficients of a secret key.
pub(crate) fn read_secret_coefficients<R: Read>(
    input: &mut CheckedReader<R>,
    parameters: &Parameters,
) -> Result<Zeroizing<Vec<i8>>, FileError> {
    let degree = parameters.degree();
    let mut bytes = Zeroizing::new(vec![0; degree / COEFFICIENTS_PER_BYTE]);
    input.fill(&mut bytes, "the secret key")?;
    let (coefficients, are_all) = unpacked(&bytes);
    if !are_all {
        return Err(input.malformed(bytes.len(), "a coefficient is not -1, 0 or 1"));
    }
    let weight = coefficients.iter().filter(|number| **number != 0).count();
    let is_possible = match parameters.secret_kind() {
        SecretKind::Ternary => weight > 0,
        SecretKind::Sparse => weight == SecretKey::sparse_weight(degree),
    };
    match is_possible {
        true => Ok(coefficients),
        false => Err(input.malformed(bytes.len(), "the number of ±1 does not fit a secret key")),
    }
}

/// Packs two bits per coefficient: 0, 1, and 2 for −1, in constant time.
fn packed(coefficients: &[i8]) -> Zeroizing<Vec<u8>> {
    let code = |number: &i8| (*number as u8 & 1) << (*number as u8 >> 7);
    let byte = |four: &[i8]| {
        four.iter().enumerate().fold(0, |byte, (index, number)| byte | code(number) << (2 * index))
    };
    let mut bytes = Zeroizing::new(Vec::with_capacity(coefficients.len() / COEFFICIENTS_PER_BYTE));
    bytes.extend(coefficients.chunks_exact(COEFFICIENTS_PER_BYTE).map(byte));
    bytes
}

/// Returns the coefficients, and `true` if no code was 3.
fn unpacked(bytes: &[u8]) -> (Zeroizing<Vec<i8>>, bool) {
    let mut coefficients = Zeroizing::new(Vec::with_capacity(bytes.len() * COEFFICIENTS_PER_BYTE));
    let mut wrong = 0;
    for byte in bytes {
        wrong |= byte & (byte >> 1) & 0x55;
        let code = |index: usize| (byte >> (2 * index)) & 3;
        let number = |index: usize| (code(index) & 1) as i8 - (code(index) >> 1) as i8;
        coefficients.extend((0..COEFFICIENTS_PER_BYTE).map(number));
    }
    (coefficients, wrong == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn secrets_are_packed(numbers in prop::collection::vec(-1i8..=1, 1..50), at in any::<usize>()) {
            let numbers = &numbers.repeat(4)[..];
            let mut bytes = packed(numbers);
            prop_assert_eq!(bytes.len(), numbers.len() / 4);
            let (back, are_all) = unpacked(&bytes);
            prop_assert!(are_all);
            prop_assert_eq!(&back[..], numbers);
            let place = at % numbers.len();
            bytes[place / 4] |= 3 << (2 * (place % 4));
            prop_assert!(!unpacked(&bytes).1);
        }
    }
}
