// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sessions in files. All numbers are little-endian; the header of the file has the parameters and
//! the number of parties n:
//!
//! | content | bytes |
//! |---|---|
//! | the seed of the common reference string | 32 |
//! | threshold | 2 |
//! | for each party the size of its name, and the name | 1, 1 to 64 |
//! | operations: 1 for products and 2 for conjugates, added | 1 |
//! | the number of rotations, and each | 4, 8 |
//! | the same for matrices at level 1 | 4, 8 |

use std::io::{Read, Write};

use super::error::PartyError;
use super::offered::{operations_bytes, read_operations};
use super::session::Session;
use crate::files::{
    expect_end, CheckedReader, CheckedWriter, FileError, FileKind, FileReader, Header,
};
use crate::params::Parameters;
use crate::sampling::SEED_BYTES;

impl Session {
    /// Writes the session, for all parties and the collector of their messages. It contains no
    /// secret.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Session, self.parameters()).write(&mut output)?;
        write_session(&mut output, self)?;
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads a session whose parameters have 128 bits of security or more.
    ///
    /// # Errors
    /// [`PartyError::File`] for an input that is not a file of a session, and for insecure
    /// parameters.
    pub fn load(mut input: impl Read) -> Result<Self, PartyError> {
        let reader = FileReader::new(&mut input).map_err(PartyError::File)?;
        let parameters = reader.header().parameters().map_err(PartyError::File)?;
        let session = reader.session(&parameters)?;
        expect_end(input).map_err(PartyError::File)?;
        Ok(session)
    }
}

impl<R: Read> FileReader<R> {
    /// Reads the session of the file. Its header has the parameters.
    ///
    /// # Errors
    /// [`PartyError`] for an input that is not a session for these parameters.
    pub fn session(mut self, parameters: &Parameters) -> Result<Session, PartyError> {
        self.check(FileKind::Session, parameters).map_err(PartyError::File)?;
        let session = read_session(&mut self.input, parameters)?;
        self.input.checksum().map_err(PartyError::File)?;
        Ok(session)
    }
}

/// Writes what the parties agreed on, apart from the parameters.
pub(super) fn write_session<W: Write>(
    output: &mut CheckedWriter<W>,
    session: &Session,
) -> Result<(), FileError> {
    output.write(session.common_seed())?;
    output.write(&(session.threshold() as u16).to_le_bytes())?;
    for name in session.names() {
        output.write(&[name.len() as u8])?;
        output.write(name.as_bytes())?;
    }
    output.write(&operations_bytes(session.operations()))
}

/// Reads what [`write_session`] wrote.
pub(super) fn read_session<R: Read>(
    input: &mut CheckedReader<R>,
    parameters: &Parameters,
) -> Result<Session, PartyError> {
    let read = |input: &mut CheckedReader<R>| {
        let seed = input.array::<SEED_BYTES>("the seed of the session")?;
        let threshold = u16::from_le_bytes(input.array("the threshold")?);
        let mut names = Vec::new();
        for _ in 0..parameters.parties() {
            let [length] = input.array("the name of a party")?;
            let mut name = vec![0; length.into()];
            input.fill(&mut name, "the name of a party")?;
            let text = String::from_utf8(name);
            let not_text = |_| input.malformed(length.into(), "a name is not valid UTF-8");
            names.push(text.map_err(not_text)?);
        }
        Ok((seed, threshold, names, read_operations(input)?))
    };
    let (seed, threshold, names, operations) = read(input).map_err(PartyError::File)?;
    Session::for_operations(parameters, &seed, &names, threshold.into(), &operations)
}
