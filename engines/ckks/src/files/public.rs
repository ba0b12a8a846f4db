// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Public keys in files.

use std::io::{Read, Write};

use super::checked::CheckedWriter;
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::packing::{read_polynomial, write_polynomial};
use super::reader::FileReader;
use crate::keys::{KeyId, PublicKey};
use crate::params::Parameters;

impl PublicKey {
    /// Writes the key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        let parameters = self.parameters();
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::PublicKey, parameters).write(&mut output)?;
        output.write(self.owner().as_bytes())?;
        output.write(self.seed())?;
        let basis = &parameters.chain().main;
        write_polynomial(&mut output, parameters.ring(), self.halves().0, basis)?;
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a public key of these parameters.
    pub fn load(input: impl Read, parameters: &Parameters) -> Result<Self, FileError> {
        FileReader::new(input)?.public_key(parameters)
    }
}

impl<R: Read> FileReader<R> {
    /// Reads the public key of the file.
    ///
    /// # Errors
    /// As [`PublicKey::load`].
    pub fn public_key(mut self, parameters: &Parameters) -> Result<PublicKey, FileError> {
        self.check(FileKind::PublicKey, parameters)?;
        let owner = KeyId::of_bytes(self.input.array("the key's identifier")?);
        let seed = self.input.array("the public key's seed")?;
        let basis = &parameters.chain().main;
        let b = read_polynomial(&mut self.input, parameters.ring(), basis, "the public key")?;
        self.input.checksum()?;
        Ok(PublicKey::of_half(parameters, owner, seed, b))
    }
}
