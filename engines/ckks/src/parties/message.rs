// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages as bytes. All numbers are little-endian:
//!
//! | field | bytes |
//! |---|---|
//! | 0x89 `CKPM` CR LF 0x1a | 8 |
//! | version, 1 | 2 |
//! | the session | 32 |
//! | the sender's place in the session's list | 2 |
//! | the [`Subject`] | 40 |
//! | in a second round the hash of the first round, otherwise 0 | 32 |
//! | in shares of decryptions and key switches log₂ of the noise, otherwise 0 | 8 |
//! | the residues, of a size that follows from the subject | |
//! | BLAKE3 hash of all that | 32 |
//!
//! A message is read as far as its subject says, and no memory is allocated beyond its bytes and
//! one limb. The hash detects accidents: the caller's channel authenticates the sender.

use zeroize::Zeroizing;

use super::error::PartyError;
use super::session::Session;
use super::session_id::SessionId;
use super::subject::{Digest, Subject, SUBJECT_BYTES};
use crate::files::{
    packed_bytes_of, read_secret_polynomial, slice_polynomial, write_polynomial, CheckedReader,
    CheckedWriter, FileError,
};
use crate::ring::{Basis, Form, Polynomial};
use crate::wiping::with_stack_wiped;

const MAGIC: [u8; 8] = *b"\x89CKPM\r\n\x1a";
/// The version of messages.
pub const MESSAGE_VERSION: u16 = 1;
/// Bytes of a message apart from its residues.
const ENVELOPE_BYTES: usize = 8 + 2 + 32 + 2 + SUBJECT_BYTES + 32 + 8 + 32;

/// The fields of a message before its residues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    pub subject: Subject,
    /// The hash of the first round, in a second round.
    pub transcript: Digest,
    /// log₂ of the standard deviation of the noise, in shares.
    pub noise_bits: f64,
}

impl Envelope {
    pub fn new(subject: Subject) -> Self {
        Self { subject, transcript: [0; 32], noise_bits: 0.0 }
    }

    /// Returns `true` if the fields fit the subject.
    fn is_valid(&self) -> bool {
        let is_noise = self.noise_bits.is_finite() && self.noise_bits >= 0.0;
        let (has_noise, has_transcript) = match self.subject {
            Subject::Decryption(_) | Subject::Switch(_) => (is_noise, false),
            Subject::Reply(_) => (self.noise_bits.to_bits() == 0, true),
            _ => (self.noise_bits.to_bits() == 0, false),
        };
        has_noise && (has_transcript || self.transcript == [0; 32])
    }
}

/// Writes a message of the party at `sender` with polynomials of values.
pub(super) fn write(
    session: &Session,
    sender: usize,
    envelope: &Envelope,
    polynomials: &[&Polynomial],
) -> Result<Zeroizing<Vec<u8>>, PartyError> {
    let ring = session.parameters().ring();
    let bytes: usize =
        polynomials.iter().map(|polynomial| packed_bytes_of(ring, polynomial.basis())).sum();
    write_with(session, sender, envelope, bytes, |output| {
        let write = |polynomial: &&Polynomial| {
            write_polynomial(output, ring, polynomial, polynomial.basis())
        };
        polynomials.iter().try_for_each(write)
    })
}

/// Writes a message of the party at `sender` with a secret polynomial and more secret bytes.
pub(super) fn write_secret(
    session: &Session,
    sender: usize,
    envelope: &Envelope,
    secret: &Polynomial,
    more: &[u8],
) -> Result<Zeroizing<Vec<u8>>, PartyError> {
    let ring = session.parameters().ring();
    let bytes = packed_bytes_of(ring, secret.basis()) + more.len();
    write_with(session, sender, envelope, bytes, |output| {
        write_polynomial(output, ring, secret, secret.basis())?;
        output.write(more)
    })
}

/// Writes a message of the party at `sender` with residues.
pub(super) fn write_residues(
    session: &Session,
    sender: usize,
    envelope: &Envelope,
    residues: &[u32],
) -> Result<Zeroizing<Vec<u8>>, PartyError> {
    write_with(session, sender, envelope, size_of_val(residues), |output| {
        residues.iter().try_for_each(|residue| output.write(&residue.to_le_bytes()))
    })
}

fn write_with(
    session: &Session,
    sender: usize,
    envelope: &Envelope,
    bytes: usize,
    body: impl FnOnce(&mut CheckedWriter<&mut Vec<u8>>) -> Result<(), FileError>,
) -> Result<Zeroizing<Vec<u8>>, PartyError> {
    // A vector that grows would leave copies behind.
    let mut message = Zeroizing::new(Vec::with_capacity(ENVELOPE_BYTES + bytes));
    let written = with_stack_wiped(|| {
        let mut output = CheckedWriter::new(&mut *message);
        output.write(&MAGIC)?;
        output.write(&MESSAGE_VERSION.to_le_bytes())?;
        output.write(session.id().as_bytes())?;
        output.write(&(sender as u16).to_le_bytes())?;
        output.write(&envelope.subject.to_bytes())?;
        output.write(&envelope.transcript)?;
        output.write(&envelope.noise_bits.to_le_bytes())?;
        body(&mut output)?;
        output.checksum()?;
        output.finish().map(drop)
    });
    written.map_err(PartyError::File)?;
    Ok(message)
}

/// Returns the hash of all bytes of a message but the last ones, which are that hash. Those of a
/// message that another party sent must have been checked.
pub(super) fn checksum(message: &[u8]) -> Digest {
    message.last_chunk().copied().unwrap_or_default()
}

/// A message whose envelope was read and checked.
pub(super) struct Incoming<'a> {
    /// The authenticated name of the sender.
    pub from: &'a str,
    /// The sender's place.
    pub place: usize,
    pub envelope: Envelope,
    session: &'a Session,
    message: &'a [u8],
    input: CheckedReader<&'a [u8]>,
}

impl<'a> Incoming<'a> {
    /// Reads the envelope of a message that the caller's channel received from the party `from`.
    pub fn open(
        session: &'a Session,
        from: &'a str,
        message: &'a [u8],
    ) -> Result<Self, PartyError> {
        Self::open_of(session, session.names(), from, message)
    }

    /// Reads the envelope of a message to a party of the session, from one of the senders of
    /// shares: after a re-sharing they are the parties that handed the key over.
    pub fn open_share(
        session: &'a Session,
        from: &'a str,
        message: &'a [u8],
    ) -> Result<Self, PartyError> {
        Self::open_of(session, session.senders(), from, message)
    }

    /// Reads the envelope of a message of one of these parties.
    fn open_of(
        session: &'a Session,
        names: &[String],
        from: &'a str,
        message: &'a [u8],
    ) -> Result<Self, PartyError> {
        let place = session.place_among(names, from)?;
        let mut input = CheckedReader::new(message);
        let failed = |error| PartyError::of_message(from, error);
        let sender = || from.to_owned();
        if input.array("the magic number").map_err(failed)? != MAGIC {
            return Err(PartyError::Magic { from: sender() });
        }
        let got = u16::from_le_bytes(input.array("the version").map_err(failed)?);
        if got != MESSAGE_VERSION {
            return Err(PartyError::Version { from: sender(), got, ours: MESSAGE_VERSION });
        }
        let got = SessionId::of_bytes(input.array("the session").map_err(failed)?);
        if got != session.id() {
            return Err(PartyError::Foreign { from: sender(), got, ours: session.id() });
        }
        let claimed = usize::from(u16::from_le_bytes(input.array("the sender").map_err(failed)?));
        if claimed != place {
            let claimed = names
                .get(claimed)
                .map_or("an unknown party".to_owned(), |name| format!("{name:?}"));
            return Err(PartyError::Forged { from: sender(), claimed });
        }
        let bytes = input.array("the subject").map_err(failed)?;
        let subject = Subject::from_bytes(&bytes);
        let unknown = || failed(input.malformed(SUBJECT_BYTES, "the subject is not valid"));
        let subject = subject.ok_or_else(unknown)?;
        let transcript = input.array("the hash of the first round").map_err(failed)?;
        let noise_bits = f64::from_le_bytes(input.array("the noise").map_err(failed)?);
        let envelope = Envelope { subject, transcript, noise_bits };
        if !envelope.is_valid() {
            return Err(failed(input.malformed(40, "the fields do not fit the subject")));
        }
        Ok(Self { from, place, envelope, session, message, input })
    }

    /// Reads polynomials modulo these primes, and the end of the message.
    pub fn polynomials(mut self, bases: &[Basis]) -> Result<Vec<Polynomial>, PartyError> {
        let from = self.from;
        let failed = |error| PartyError::of_message(from, error);
        let ring = self.session.parameters().ring();
        let mut polynomials = Vec::with_capacity(bases.len());
        for basis in bases {
            polynomials.push(match basis.is_empty() {
                true => ring.zero(basis, Form::Values),
                false => slice_polynomial(&mut self.input, ring, basis, "the residues")
                    .map_err(failed)?,
            });
        }
        self.finish()?;
        Ok(polynomials)
    }

    /// Reads a secret polynomial modulo all primes, `more` secret bytes, and the end of the
    /// message.
    pub fn secret(mut self, more: usize) -> Result<(Polynomial, Zeroizing<Vec<u8>>), PartyError> {
        let from = self.from;
        let failed = |error| PartyError::of_message(from, error);
        let ring = self.session.parameters().ring();
        let mut rest = Zeroizing::new(vec![0; more]);
        let secret = with_stack_wiped(|| {
            let all = ring.all();
            let secret = read_secret_polynomial(&mut self.input, ring, &all, "the residues");
            self.input.fill(&mut rest, "the seeds")?;
            secret
        });
        let secret = secret.map_err(failed)?;
        with_stack_wiped(|| self.finish())?;
        Ok((secret, rest))
    }

    /// Reads `count` residues modulo each prime of a basis, and the end of the message.
    pub fn residues(mut self, basis: &Basis, count: usize) -> Result<Vec<u32>, PartyError> {
        let from = self.from;
        let failed = |error| PartyError::of_message(from, error);
        let mut residues = Vec::new();
        let mut bytes = vec![0; size_of::<u32>() * count];
        for modulus in self.session.parameters().ring().moduli(basis) {
            self.input.fill(&mut bytes, "the residues").map_err(failed)?;
            let word = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            let start = residues.len();
            residues.extend(bytes.chunks_exact(size_of::<u32>()).map(word));
            let prime = modulus.value();
            if residues[start..].iter().any(|residue| *residue >= prime) {
                let what = format!("a residue is not below its prime {prime}");
                return Err(failed(self.input.malformed(bytes.len(), what)));
            }
        }
        self.finish()?;
        Ok(residues)
    }

    /// Reads the checksum and checks that the message ends.
    fn finish(&mut self) -> Result<(), PartyError> {
        let from = self.from;
        let failed = |error| PartyError::of_message(from, error);
        self.input.checksum().map_err(failed)?;
        match self.input.at() == self.message.len() as u64 {
            true => Ok(()),
            false => Err(failed(FileError::Longer)),
        }
    }
}
