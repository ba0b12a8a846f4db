// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A party: the holder of one share of the secret key.

use std::collections::{BTreeMap, BTreeSet};

use super::contributions::{automorphism, bases, products, reply};
use super::error::PartyError;
use super::message::{write, Envelope, Incoming};
use super::session::{Quorum, Session};
use super::shares::Shares;
use super::subject::{Digest, Subject};
use crate::client::Budget;
use crate::keys::{ternary_values, KeyUse, PublicKey, SecretKey};
use crate::operations::Operations;
use crate::params::Parameters;
use crate::ring::Polynomial;
use crate::sampling::{ternary, Random};

/// A party of a session: a state machine that holds one share of the secret key. It makes messages
/// and receives those of other parties, as bytes.
///
/// The caller's channel delivers the messages and *authenticates their senders*. Each message is
/// made once: a second one with other errors would reveal something about the secret. The caller
/// keeps the bytes if they must be sent again.
pub struct Party {
    pub(super) session: Session,
    pub(super) place: usize,
    pub(super) secret: SecretKey,
    pub(super) random: Random,
    /// Counts the decryptions and key switches to which the party contributed.
    pub(super) budget: Budget,
    /// The second parts of the ciphertexts for which the party answered.
    pub(super) answered: BTreeSet<Digest>,
    is_resumed: bool,
    pub(super) sent: BTreeSet<Subject>,
    /// The rounds of keys for products that have begun, by level.
    rounds: BTreeMap<u16, Round>,
    /// The shares of the secrets of all parties, under a threshold.
    pub(super) shares: Shares,
}

/// The first round of a key for products.
struct Round {
    /// The mask u of this party, marked secret.
    mask: Polynomial,
    /// The sums of the polynomials of all messages.
    sums: Vec<Polynomial>,
    /// The hash of each party's message.
    heard: Vec<Option<Digest>>,
}

impl Party {
    /// Creates a party with a new share of the secret key.
    ///
    /// # Errors
    /// [`PartyError::Stranger`] if the session has no party of this name, and
    /// [`PartyError::Random`] if the operating system returns no random bytes.
    pub fn new(session: &Session, name: &str) -> Result<Self, PartyError> {
        Self::with_random(session, name, Random::new()?)
    }

    /// Creates a deterministic party for tests: the same for equal numbers.
    ///
    /// # Errors
    /// [`PartyError::Stranger`] if the session has no party of this name.
    #[cfg(any(test, feature = "test"))]
    pub fn of_test(session: &Session, name: &str, number: u64) -> Result<Self, PartyError> {
        Self::with_random(session, name, Random::of_test(number))
    }

    fn with_random(session: &Session, name: &str, mut random: Random) -> Result<Self, PartyError> {
        let parameters = session.parameters();
        let coefficients = ternary(&mut random, parameters.degree());
        let secret = SecretKey::of_coefficients(parameters, session.key(), coefficients);
        Self::of_parts(session, name, secret, random, false)
    }

    /// Creates a party that continues a session with its [secret](Self::secret) from a file. It no
    /// longer makes keys, and counts decryptions from 0 again: the caller counts those before.
    ///
    /// # Errors
    /// [`PartyError::OtherSecret`] for a secret of another session; otherwise as [`Self::new`].
    pub fn resume(session: &Session, name: &str, secret: SecretKey) -> Result<Self, PartyError> {
        let hashes = [secret.parameters(), session.parameters()].map(Parameters::hash);
        if secret.id() != session.key() || hashes[0] != hashes[1] {
            return Err(PartyError::OtherSecret { session: session.id() });
        }
        Self::of_parts(session, name, secret, Random::new()?, true)
    }

    fn of_parts(
        session: &Session,
        name: &str,
        secret: SecretKey,
        random: Random,
        is_resumed: bool,
    ) -> Result<Self, PartyError> {
        Ok(Self {
            place: session.place(name)?,
            session: session.clone(),
            secret,
            random,
            budget: Budget::default(),
            answered: BTreeSet::new(),
            is_resumed,
            sent: BTreeSet::new(),
            rounds: BTreeMap::new(),
            shares: Shares::new(session),
        })
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The name of the party.
    pub fn name(&self) -> &str {
        &self.session.names()[self.place]
    }

    /// The party's share of the secret key, for a file that only the party can read
    /// ([`SecretKey::create_file`]). The shares of all parties add up to the secret key.
    pub fn secret(&self) -> &SecretKey {
        &self.secret
    }

    /// The sum of the secrets of all parties, which nobody has outside of tests.
    #[cfg(any(test, feature = "test"))]
    pub fn collective_secret(parties: &[Self]) -> Option<SecretKey> {
        let session = parties.first()?.session();
        let degree = session.parameters().degree();
        let mut sum = zeroize::Zeroizing::new(vec![0; degree]);
        for party in parties {
            let numbers = sum.iter_mut().zip(party.secret.coefficients());
            numbers.for_each(|(sum, number): (&mut i8, _)| *sum += number);
        }
        Some(SecretKey::of_coefficients(session.parameters(), session.key(), sum))
    }

    /// Makes the party's share of the public key, for a [`KeyCollector`](super::KeyCollector).
    ///
    /// # Errors
    /// [`PartyError::Sent`] for a second share.
    pub fn public_key_message(&mut self) -> Result<Vec<u8>, PartyError> {
        let subject = Subject::PublicKey;
        self.check_new(subject)?;
        let b = PublicKey::half(&self.secret, &self.session.seed(subject, 0), &mut self.random);
        self.send(&Envelope::new(subject), &[&b])
    }

    /// Makes the party's share of an evaluation key for ciphertexts up to `level`. That of a key
    /// for products is the message of the first round, for all other parties: see
    /// [`Self::receive`]. All others are for a [`KeyCollector`](super::KeyCollector).
    ///
    /// # Errors
    /// [`PartyError::NotOffered`] for a key of bootstraps, an even exponent or one of 2N or more,
    /// and a level above the highest; [`PartyError::Sent`] for a second share.
    pub fn key_message(&mut self, of: KeyUse, level: usize) -> Result<Vec<u8>, PartyError> {
        let parameters = self.session.parameters().clone();
        let subject = offered(&parameters, of, level)?;
        self.check_new(subject)?;
        let (session, secret) = (&self.session, &self.secret);
        let polynomials = match of {
            KeyUse::Automorphism(exponent) | KeyUse::LowAutomorphism(exponent) => {
                let random = &mut self.random;
                automorphism(session, secret, of, (exponent, level), subject, random)
            }
            _ => {
                let all = parameters.ring().all();
                let mask = ternary_values(&parameters, &all, &mut self.random);
                let sums = products(session, secret, &mask, level, &mut self.random);
                let heard = vec![None; session.names().len()];
                let round = Round { mask, sums: sums.clone(), heard };
                self.rounds.insert(level as u16, round);
                sums
            }
        };
        let message =
            self.send(&Envelope::new(subject), &polynomials.iter().collect::<Vec<_>>())?;
        if let Subject::Products(level) = subject {
            if let Some(round) = self.rounds.get_mut(&level) {
                round.heard[self.place] = Some(hash(&message));
            }
        }
        Ok(message)
    }

    /// Makes the party's shares of the public key and of all keys for these operations.
    ///
    /// # Errors
    /// As [`Self::public_key_message`] and [`Self::key_message`].
    pub fn key_messages(&mut self, operations: &Operations) -> Result<Vec<Vec<u8>>, PartyError> {
        let keys = keys(self.session.parameters(), operations)?;
        let mut messages = vec![self.public_key_message()?];
        for (of, level) in keys {
            messages.push(self.key_message(of, level)?);
        }
        Ok(messages)
    }

    /// Receives the message of another party, whose name the caller's channel authenticated: of the
    /// first round for a key for products, or a share of a secret under a threshold. After
    /// the last message of the first round for a key for products it returns the message of the
    /// second round, for a [`KeyCollector`](super::KeyCollector).
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The party ignores a message that it refuses.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<Option<Vec<u8>>, PartyError> {
        let session = self.session.clone();
        let incoming = Incoming::open(&session, from, message)?;
        match incoming.envelope.subject {
            Subject::Products(level) => self.receive_products(incoming, level, message),
            Subject::Share(to) if usize::from(to) == self.place => {
                self.shares.receive(&session, incoming).map(|()| None)
            }
            other => Err(PartyError::Unexpected { from: from.to_owned(), got: other.to_string() }),
        }
    }

    fn receive_products(
        &mut self,
        incoming: Incoming<'_>,
        level: u16,
        message: &[u8],
    ) -> Result<Option<Vec<u8>>, PartyError> {
        let (from, subject) = (incoming.from.to_owned(), incoming.envelope.subject);
        let (what, place) = (subject.to_string(), incoming.place);
        if self.sent.contains(&Subject::Reply(level)) {
            return Err(PartyError::Late { from, what });
        }
        let parameters = self.session.parameters().clone();
        let Some(round) = self.rounds.get_mut(&level) else {
            return Err(PartyError::Early { from, what });
        };
        if round.heard[place].is_some() {
            return Err(PartyError::Repeated { from, what });
        }
        let polynomials = incoming.polynomials(&bases(&parameters, subject))?;
        for (sum, polynomial) in round.sums.iter_mut().zip(&polynomials) {
            parameters.ring().add(sum, polynomial);
        }
        round.heard[place] = Some(hash(message));
        match round.heard.iter().all(Option::is_some) {
            true => self.reply(level).map(Some),
            false => Ok(None),
        }
    }

    /// Makes the message of the second round, and forgets the mask.
    fn reply(&mut self, level: u16) -> Result<Vec<u8>, PartyError> {
        let subject = Subject::Reply(level);
        self.check_new(subject)?;
        let Some(Round { mask, sums, heard }) = self.rounds.remove(&level) else {
            return Err(PartyError::Sent { what: subject.to_string() });
        };
        let (session, secret, random) = (&self.session, &self.secret, &mut self.random);
        let halves = reply(session, secret, &mask, level.into(), &sums, random);
        let mut hasher = blake3::Hasher::new();
        heard.iter().flatten().for_each(|digest| {
            hasher.update(digest);
        });
        let transcript = *hasher.finalize().as_bytes();
        let envelope = Envelope { transcript, ..Envelope::new(subject) };
        self.send(&envelope, &halves.iter().collect::<Vec<_>>())
    }

    /// Checks that the party has not made this message.
    pub(super) fn check_new(&self, subject: Subject) -> Result<(), PartyError> {
        let what = || subject.to_string();
        match (self.is_resumed, self.sent.contains(&subject)) {
            (true, _) => Err(PartyError::Resumed { what: what() }),
            (_, true) => Err(PartyError::Sent { what: what() }),
            _ => Ok(()),
        }
    }

    /// Makes a message, once.
    fn send(
        &mut self,
        envelope: &Envelope,
        polynomials: &[&Polynomial],
    ) -> Result<Vec<u8>, PartyError> {
        self.sent.insert(envelope.subject);
        let mut message = write(&self.session, self.place, envelope, polynomials)?;
        Ok(std::mem::take(&mut *message))
    }

    /// Checks that the party belongs to a quorum of its session.
    pub(super) fn check_quorum(&self, quorum: &Quorum) -> Result<(), PartyError> {
        quorum.check(&self.session)?;
        match quorum.places().contains(&self.place) {
            true => Ok(()),
            false => Err(PartyError::NotInQuorum { name: self.name().to_owned() }),
        }
    }
}

/// Returns the keys for operations, with their levels.
pub(super) fn keys(
    parameters: &Parameters,
    operations: &Operations,
) -> Result<BTreeMap<KeyUse, usize>, PartyError> {
    if operations.bootstrap || !operations.bootstrap_slots.is_empty() {
        return Err(PartyError::NotOffered { what: "keys for bootstraps".to_owned() });
    }
    Ok(operations.keys(parameters))
}

/// Returns the subject of a key that parties make.
fn offered(parameters: &Parameters, of: KeyUse, level: usize) -> Result<Subject, PartyError> {
    let exponent = match of {
        KeyUse::Automorphism(exponent) | KeyUse::LowAutomorphism(exponent) => exponent,
        _ => 1,
    };
    let is_odd = exponent % 2 == 1 && exponent < 2 * parameters.degree() as u64;
    let fits = is_odd && level <= parameters.top();
    let subject = Subject::of_key(of, level).filter(|_| fits);
    subject.ok_or_else(|| PartyError::NotOffered { what: format!("a key {of} to level {level}") })
}

fn hash(message: &[u8]) -> Digest {
    *blake3::hash(message).as_bytes()
}
