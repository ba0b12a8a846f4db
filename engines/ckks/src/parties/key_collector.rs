// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the parties' shares of keys, and adds them up.

use std::collections::BTreeMap;

use super::contributions::bases;
use super::error::PartyError;
use super::message::Incoming;
use super::offered::keys;
use super::session::Session;
use super::subject::{Digest, Subject};
use crate::evaluator::EvaluationKeys;
use crate::keys::{KeyUse, PublicKey, SwitchingKey};
use crate::operations::Operations;
use crate::ring::Polynomial;

/// Turns the messages of all parties into the public key and the evaluation keys of their session.
/// Anyone can do that: it needs no secret.
pub struct KeyCollector {
    session: Session,
    sums: BTreeMap<Subject, Sum>,
    keys: BTreeMap<KeyUse, usize>,
}

/// The sum of the shares of one key.
struct Sum {
    halves: Vec<Polynomial>,
    heard: Vec<bool>,
    transcript: Option<Digest>,
}

impl KeyCollector {
    /// Starts to collect the public key and the keys for these operations.
    ///
    /// # Errors
    /// [`PartyError::NotOffered`] for bootstraps, and [`PartyError::Reshared`] after a re-sharing,
    /// since the keys of the first session stay valid.
    pub fn new(session: &Session, operations: &Operations) -> Result<Self, PartyError> {
        if session.lineage().is_some() {
            return Err(PartyError::Reshared { session: session.id() });
        }
        let keys = keys(session.parameters(), operations)?;
        let subjects =
            keys.iter().map(|(of, level)| subject(*of, *level)).collect::<Result<Vec<_>, _>>()?;
        let parties = session.names().len();
        let sum = |subject| {
            let sum = Sum { halves: Vec::new(), heard: vec![false; parties], transcript: None };
            (subject, sum)
        };
        let sums = std::iter::once(Subject::PublicKey).chain(subjects).map(sum).collect();
        Ok(Self { session: session.clone(), sums, keys })
    }

    /// Receives the message of a party, whose name the caller's channel authenticated.
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The collector ignores a message that it refuses.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<(), PartyError> {
        let incoming = Incoming::open(&self.session, from, message)?;
        let (from, envelope, place) = (from.to_owned(), incoming.envelope, incoming.place);
        let (subject, what) = (envelope.subject, envelope.subject.to_string());
        let Some(sum) = self.sums.get_mut(&subject) else {
            return Err(PartyError::Unexpected { from, got: what });
        };
        if sum.is_complete() {
            return Err(PartyError::Late { from, what });
        }
        if sum.heard[place] {
            return Err(PartyError::Repeated { from, what });
        }
        if sum.transcript.is_some_and(|transcript| transcript != envelope.transcript) {
            return Err(PartyError::Transcript { from });
        }
        let parameters = self.session.parameters();
        let halves = incoming.polynomials(&bases(parameters, subject))?;
        match sum.halves.is_empty() {
            true => sum.halves = halves,
            false => {
                for (sum, half) in sum.halves.iter_mut().zip(&halves) {
                    parameters.ring().add(sum, half);
                }
            }
        }
        sum.heard[place] = true;
        sum.transcript = Some(envelope.transcript);
        Ok(())
    }

    /// Returns `true` if all messages have arrived.
    pub fn is_complete(&self) -> bool {
        self.sums.values().all(Sum::is_complete)
    }

    /// Returns the public key, under which anyone can encrypt.
    ///
    /// # Errors
    /// [`PartyError::Missing`], which names the parties whose messages are missing.
    pub fn public_key(&self) -> Result<PublicKey, PartyError> {
        let (halves, session) = (self.complete(Subject::PublicKey)?, &self.session);
        let seed = session.seed(Subject::PublicKey, 0);
        let missing = || self.missing(Subject::PublicKey);
        let b = halves.first().ok_or_else(missing)?.clone();
        Ok(PublicKey::of_half(session.parameters(), session.key(), seed, b))
    }

    /// Returns the evaluation keys, for a [`Server`](crate::Server) or a file.
    ///
    /// # Errors
    /// [`PartyError::Missing`], which names the parties whose messages are missing.
    pub fn evaluation_keys(&self) -> Result<EvaluationKeys, PartyError> {
        let (parameters, owner) = (self.session.parameters(), self.session.key());
        let mut all = EvaluationKeys::new(parameters);
        for (of, level) in &self.keys {
            let subject = subject(*of, *level)?;
            let (halves, seed) = (self.complete(subject)?.to_vec(), self.session.seed(subject, 0));
            all.insert(*of, SwitchingKey::of_halves(parameters, owner, *of, seed, *level, halves));
        }
        Ok(all)
    }

    /// Returns the sums of a subject that all parties contributed to.
    fn complete(&self, subject: Subject) -> Result<&[Polynomial], PartyError> {
        let sum = self.sums.get(&subject).filter(|sum| sum.is_complete());
        sum.map(|sum| &sum.halves[..]).ok_or_else(|| self.missing(subject))
    }

    fn missing(&self, subject: Subject) -> PartyError {
        let heard = self.sums.get(&subject).map_or(&[][..], |sum| &sum.heard);
        let places = (0..heard.len()).filter(|place| !heard[*place]);
        PartyError::Missing { what: subject.to_string(), from: self.session.names_of(places) }
    }
}

impl Sum {
    fn is_complete(&self) -> bool {
        self.heard.iter().all(|heard| *heard)
    }
}

/// The subject of the messages that add up to a key: for products those of the second round.
fn subject(of: KeyUse, level: usize) -> Result<Subject, PartyError> {
    match Subject::of_key(of, level) {
        Some(Subject::Products(level)) => Ok(Subject::Reply(level)),
        Some(other) => Ok(other),
        None => Err(PartyError::NotOffered { what: format!("a key {of}") }),
    }
}
