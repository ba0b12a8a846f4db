// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sessions in files. All numbers are little-endian; the header of the file has the parameters and
//! the number of parties n:
//!
//! | content | bytes |
//! |---|---|
//! | the seed of the common reference string | 32 |
//! | threshold; after a re-sharing plus 2¹⁵, and the next four rows follow | 2 |
//! | the number of re-sharings, the session before | 4, 32 |
//! | the identity of the collective secret key | 16 |
//! | the number of parties, which is otherwise n; that of the parties that handed the key over | 2, 2 |
//! | for each of the latter the size of its name, and the name | 1, 1 to 64 |
//! | for each party the size of its name, and the name | 1, 1 to 64 |
//! | operations: 1 for products and 2 for conjugates, added | 1 |
//! | the number of rotations, and each | 4, 8 |
//! | the same for matrices at level 1 | 4, 8 |

use std::io::{Read, Write};

use super::error::PartyError;
use super::offered::{operations_bytes, read_operations};
use super::session::{Lineage, Session};
use super::session_id::SessionId;
use crate::files::{
    expect_end, CheckedReader, CheckedWriter, FileError, FileKind, FileReader, Header,
};
use crate::keys::KeyId;
use crate::params::{Parameters, MOST_PARTIES};
use crate::sampling::SEED_BYTES;

/// The mark of a session after a re-sharing, beside the threshold.
const RESHARED: u16 = 1 << 15;

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
    let lineage = session.lineage();
    let mark = if lineage.is_some() { RESHARED } else { 0 };
    output.write(&(session.threshold() as u16 | mark).to_le_bytes())?;
    if let Some(lineage) = lineage {
        output.write(&lineage.epoch.to_le_bytes())?;
        output.write(lineage.parent.as_bytes())?;
        output.write(lineage.key.as_bytes())?;
        for names in [session.names(), &lineage.from] {
            output.write(&(names.len() as u16).to_le_bytes())?;
        }
        write_names(output, &lineage.from)?;
    }
    write_names(output, session.names())?;
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
        let (count, lineage) = match threshold & RESHARED {
            0 => (parameters.parties(), None),
            _ => read_lineage(input).map(|(count, lineage)| (count, Some(lineage)))?,
        };
        let names = read_names(input, count)?;
        Ok((seed, threshold & !RESHARED, names, read_operations(input)?, lineage))
    };
    let (seed, threshold, names, operations, lineage) = read(input).map_err(PartyError::File)?;
    let threshold = threshold.into();
    match lineage {
        None => Session::for_operations(parameters, &seed, &names, threshold, &operations),
        Some(lineage) => {
            Session::of_lineage(parameters, &seed, &names, threshold, &operations, lineage)
        }
    }
}

/// Reads the number of parties, and the session before a re-sharing.
fn read_lineage<R: Read>(input: &mut CheckedReader<R>) -> Result<(usize, Lineage), FileError> {
    let epoch = u32::from_le_bytes(input.array("the number of re-sharings")?);
    let parent = SessionId::of_bytes(input.array("the session before")?);
    let key = KeyId::of_bytes(input.array("the identity of the key")?);
    let mut counts = [0usize; 2];
    for count in &mut counts {
        *count = u16::from_le_bytes(input.array("the number of parties")?).into();
        if !(2..=MOST_PARTIES).contains(count) {
            return Err(input.malformed(2, format!("{count} parties")));
        }
    }
    if epoch == 0 {
        return Err(input.malformed(56, "a re-sharing with the number 0"));
    }
    let from = read_names(input, counts[1])?;
    Ok((counts[0], Lineage { epoch, parent, key, from }))
}

fn write_names<W: Write>(output: &mut CheckedWriter<W>, names: &[String]) -> Result<(), FileError> {
    names.iter().try_for_each(|name| {
        output.write(&[name.len() as u8])?;
        output.write(name.as_bytes())
    })
}

fn read_names<R: Read>(
    input: &mut CheckedReader<R>,
    count: usize,
) -> Result<Vec<String>, FileError> {
    let mut names = Vec::new();
    for _ in 0..count {
        let [length] = input.array("the name of a party")?;
        let mut name = vec![0; length.into()];
        input.fill(&mut name, "the name of a party")?;
        let text = String::from_utf8(name);
        let not_text = |_| input.malformed(length.into(), "a name is not valid UTF-8");
        names.push(text.map_err(not_text)?);
    }
    Ok(names)
}
