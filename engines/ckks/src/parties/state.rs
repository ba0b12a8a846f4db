// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a party in a file, from which it continues in any round. The file is secret. All
//! numbers are little-endian, and the header has the parameters and the number of parties:
//!
//! | content | bytes |
//! |---|---|
//! | the [session](super::session_file) | |
//! | the place of the party, plus 2¹⁵ if it handed its share over | 2 |
//! | in that case the next session, and 1 if the secrets were wiped | 32, 1 |
//! | after a re-sharing the number of answers before it | 4 |
//! | the seed of its noise | 32 |
//! | its share of the secret key, as in the file of a secret key; nothing after a re-sharing, or if it was wiped | N/4 |
//! | the number of answers, and the smallest number that was stated, or 0 | 4, 4 |
//! | for each answer: the hash of the second part, the [`Subject`], the deviation of the noise | 32, 40, 8 |
//! | the number of replies; the level of each, and the hash of its first round | 2, 2, 32 |
//! | the number of first rounds that have begun; for each: level, messages, sums | 2, … |
//! | for each party 1 if its share of its secret is here | n |
//! | for each party both halves of the seed of its pair with this one | 64·n |
//! | the sum of the shares, if there are any | |

use std::collections::BTreeMap;
use std::io::{Read, Write};

use zeroize::Zeroizing;

use super::answer::Answer;
use super::contributions::bases;
use super::error::PartyError;
use super::party::{HandedOver, Party, Round};
use super::session::Session;
use super::session_file::{read_session, write_session};
use super::session_id::SessionId;
use super::subject::{Digest, Subject};
use crate::client::Budget;
use crate::files::{
    expect_end, read_polynomial, read_secret_coefficients, read_secret_polynomial,
    secret_coefficient_bytes, write_polynomial, CheckedReader, CheckedWriter, FileError, FileKind,
    FileReader, Header,
};
use crate::keys::SecretKey;
use crate::params::Parameters;
use crate::ring::{Form, Polynomial};
use crate::sampling::SEED_BYTES;
use crate::wiping::with_stack_wiped;

/// The mark of a party that handed its share over, beside its place.
const HANDED_OVER: u16 = 1 << 15;

impl Party {
    /// Writes the state of the party. The file is secret: whoever reads it has the party's share of
    /// the secret key.
    ///
    /// Save the state after each call that changes it, **before** its message leaves. An older copy
    /// of the file must not be used again: it would answer twice for a ciphertext, and count from a
    /// smaller number.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        // The hash function leaves parts of its input on the stack.
        with_stack_wiped(|| self.write(output))
    }

    fn write(&self, output: impl Write) -> Result<(), FileError> {
        let parameters = self.session.parameters();
        let ring = parameters.ring();
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Party, parameters).write(&mut output)?;
        write_session(&mut output, &self.session)?;
        let mark = if self.handed.is_some() { HANDED_OVER } else { 0 };
        output.write(&(self.place as u16 | mark).to_le_bytes())?;
        if let Some(HandedOver { next, is_wiped }) = self.handed {
            output.write(next.as_bytes())?;
            output.write(&[u8::from(is_wiped)])?;
        }
        if self.session.lineage().is_some() {
            output.write(&self.carried.to_le_bytes())?;
        }
        output.write(&self.seed[..])?;
        if let Some(secret) = &self.secret {
            output.write(&secret_coefficient_bytes(secret))?;
        }
        output.write(&self.budget.made().to_le_bytes())?;
        output.write(&self.budget.queries().unwrap_or(0).to_le_bytes())?;
        for (second, answer) in &self.answered {
            output.write(second)?;
            output.write(&answer.subject.to_bytes())?;
            output.write(&answer.deviation.to_le_bytes())?;
        }
        output.write(&(self.replied.len() as u16).to_le_bytes())?;
        for (level, transcript) in &self.replied {
            output.write(&level.to_le_bytes())?;
            output.write(transcript)?;
        }
        output.write(&(self.rounds.len() as u16).to_le_bytes())?;
        for (level, round) in &self.rounds {
            output.write(&level.to_le_bytes())?;
            for heard in &round.heard {
                output.write(&[u8::from(heard.is_some())])?;
                output.write(&heard.unwrap_or_default())?;
            }
            for sum in &round.sums {
                write_polynomial(&mut output, ring, sum, sum.basis())?;
            }
        }
        for heard in &self.shares.heard {
            output.write(&[u8::from(*heard)])?;
        }
        for half in self.shares.seeds.iter().flatten() {
            output.write(half)?;
        }
        if let Some(sum) = &self.shares.sum {
            write_polynomial(&mut output, ring, sum, &ring.all())?;
        }
        output.checksum()?;
        output.finish().map(drop)
    }

    /// Reads the state of a party of this session.
    ///
    /// # Errors
    /// [`PartyError::OtherSession`] for a file of another session, and [`PartyError::File`] for an
    /// input that is not the state of a party.
    pub fn load(mut input: impl Read, session: &Session) -> Result<Self, PartyError> {
        let reader = FileReader::new(&mut input).map_err(PartyError::File)?;
        let party = reader.party(session.parameters())?;
        expect_end(input).map_err(PartyError::File)?;
        let (got, ours) = (party.session.id(), session.id());
        match got == ours {
            true => Ok(party),
            false => Err(PartyError::OtherSession { got, ours }),
        }
    }
}

impl<R: Read> FileReader<R> {
    /// Reads the party of the file. Its header has the parameters.
    ///
    /// # Errors
    /// [`PartyError`] for an input that is not the state of a party for these parameters.
    pub fn party(mut self, parameters: &Parameters) -> Result<Party, PartyError> {
        self.check(FileKind::Party, parameters).map_err(PartyError::File)?;
        with_stack_wiped(|| {
            let session = read_session(&mut self.input, parameters)?;
            read_party(&mut self.input, &session).map_err(PartyError::File)
        })
    }
}

/// Reads all content that follows the session.
fn read_party<R: Read>(
    input: &mut CheckedReader<R>,
    session: &Session,
) -> Result<Party, FileError> {
    let parties = session.names().len();
    let mark = u16::from_le_bytes(input.array("the place of the party")?);
    let place = usize::from(mark & !HANDED_OVER);
    if place >= parties {
        return Err(input.malformed(2, format!("place {place} of {parties} parties")));
    }
    let handed = match mark & HANDED_OVER {
        0 => None,
        _ => {
            let next = SessionId::of_bytes(input.array("the next session")?);
            Some(HandedOver { next, is_wiped: read_flag(input)? })
        }
    };
    let carried = match session.lineage() {
        Some(_) => u32::from_le_bytes(input.array("the number of earlier answers")?),
        None => 0,
    };
    let mut seed = Box::new(Zeroizing::new([0; SEED_BYTES]));
    input.fill(&mut seed[..], "the seed of the noise")?;
    let is_wiped = handed.is_some_and(|handed| handed.is_wiped);
    let secret = match is_wiped || session.lineage().is_some() {
        true => None,
        false => {
            let coefficients = read_secret_coefficients(input, session.parameters())?;
            let parameters = session.parameters();
            Some(SecretKey::of_coefficients(parameters, session.key(), coefficients))
        }
    };
    let mut party = Party::of_parts(session, place, secret, seed);
    (party.handed, party.carried) = (handed, carried);
    read_answers(input, &mut party)?;
    for _ in 0..u16::from_le_bytes(input.array("the number of replies")?) {
        let level = u16::from_le_bytes(input.array("the level of a reply")?);
        let transcript = input.array("the hash of a first round")?;
        if party.replied.insert(level, transcript).is_some() {
            return Err(input.malformed(34, format!("two replies for level {level}")));
        }
    }
    read_rounds(input, &mut party)?;
    read_shares(input, &mut party)?;
    input.checksum()?;
    Ok(party)
}

fn read_answers<R: Read>(input: &mut CheckedReader<R>, party: &mut Party) -> Result<(), FileError> {
    let made = u32::from_le_bytes(input.array("the number of answers")?);
    let queries = u32::from_le_bytes(input.array("the budget of answers")?);
    let own = made.checked_sub(party.carried);
    let Some(own) = own.filter(|_| made <= queries) else {
        return Err(input.malformed(8, format!("{made} answers of {queries}")));
    };
    for _ in 0..own {
        let second: Digest = input.array("the hash of a second part")?;
        let subject = Subject::from_bytes(&input.array("the subject of an answer")?);
        let deviation = u64::from_le_bytes(input.array("the noise of an answer")?);
        let Some(subject @ (Subject::Decryption(_) | Subject::Switch(_))) = subject else {
            return Err(input.malformed(48, "the subject of an answer is not valid"));
        };
        if party.answered.insert(second, Answer { subject, deviation }).is_some() {
            return Err(input.malformed(80, "two answers for one second part"));
        }
    }
    party.budget = Budget::of_parts(made, Some(queries).filter(|queries| *queries > 0));
    Ok(())
}

fn read_rounds<R: Read>(input: &mut CheckedReader<R>, party: &mut Party) -> Result<(), FileError> {
    let session = party.session.clone();
    let parameters: &Parameters = session.parameters();
    let mut rounds = BTreeMap::new();
    for _ in 0..u16::from_le_bytes(input.array("the number of rounds")?) {
        let level = u16::from_le_bytes(input.array("the level of a round")?);
        if usize::from(level) > parameters.top() {
            return Err(input.malformed(2, format!("a round for level {level}")));
        }
        let mut heard = Vec::new();
        for _ in session.names() {
            let is_heard = read_flag(input)?;
            let digest: Digest = input.array("the hash of a message")?;
            heard.push(Some(digest).filter(|_| is_heard));
        }
        let mut sums = Vec::new();
        for basis in bases(parameters, Subject::Products(level)) {
            sums.push(match basis.is_empty() {
                true => parameters.ring().zero(&basis, Form::Values),
                false => read_polynomial(input, parameters.ring(), &basis, "the sums of a round")?,
            });
        }
        if rounds.insert(level, Round { sums, heard }).is_some() {
            return Err(input.malformed(2, format!("two rounds for level {level}")));
        }
    }
    party.rounds = rounds;
    Ok(())
}

fn read_shares<R: Read>(input: &mut CheckedReader<R>, party: &mut Party) -> Result<(), FileError> {
    for place in 0..party.shares.heard.len() {
        party.shares.heard[place] = read_flag(input)?;
    }
    for half in party.shares.seeds.iter_mut().flatten() {
        input.fill(half, "the seed of a pair")?;
    }
    if !party.shares.heard.contains(&true) {
        return Ok(());
    }
    if !party.session.has_shares() {
        return Err(input.malformed(1, "shares of secrets without a threshold"));
    }
    let ring = party.session.parameters().ring();
    let sum: Polynomial = read_secret_polynomial(input, ring, &ring.all(), "the shares")?;
    party.shares.sum = Some(sum);
    Ok(())
}

fn read_flag<R: Read>(input: &mut CheckedReader<R>) -> Result<bool, FileError> {
    match input.array("a mark")? {
        [0] => Ok(false),
        [1] => Ok(true),
        [_] => Err(input.malformed(1, "expected a mark of 0 or 1")),
    }
}
