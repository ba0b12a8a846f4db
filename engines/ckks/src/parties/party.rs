// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A party: the holder of one share of the secret key.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use super::answer::Answer;
use super::contributions::{automorphism, bases, products, reply};
use super::error::PartyError;
use super::message::{checksum, write, Envelope, Incoming};
use super::offered::keys;
use super::session::{derived, Quorum, Session};
use super::session_id::SessionId;
use super::shares::Shares;
use super::subject::{Digest, Subject};
use crate::client::Budget;
use crate::keys::{ternary_values, KeyUse, PublicKey, SecretKey};
use crate::operations::Operations;
use crate::params::Parameters;
use crate::ring::Polynomial;
use crate::sampling::{ternary, Random, Seed, SEED_BYTES};
use crate::wiping::with_stack_wiped;

/// A party of a session: a state machine that holds one share of the secret key. It makes messages
/// and receives those of other parties, as bytes. [`Self::save`] stores its state in a file, from
/// which [`Self::load`] continues in any round.
///
/// The caller's channel delivers the messages and *authenticates their senders*. The noise of each
/// message follows from a secret seed and from everything that the message depends on. A message
/// that is made again has the same bytes, so that a lost one can be replaced: two messages with
/// different noise would reveal something about the secret.
pub struct Party {
    pub(super) session: Session,
    pub(super) place: usize,
    /// The party's secret; `None` after a re-sharing, or if it was wiped.
    pub(super) secret: Option<SecretKey>,
    /// The secret seed of all noise.
    pub(super) seed: Box<Zeroizing<Seed>>,
    /// Counts the decryptions and key switches to which the party contributed.
    pub(super) budget: Budget,
    /// The answers before the last re-sharing, which are in the budget.
    pub(super) carried: u32,
    /// The answers of the party, by the second parts of their ciphertexts.
    pub(super) answered: BTreeMap<Digest, Answer>,
    /// The rounds of keys for products that have begun, by level.
    pub(super) rounds: BTreeMap<u16, Round>,
    /// The hashes of the first rounds to which the party replied, by level.
    pub(super) replied: BTreeMap<u16, Digest>,
    /// The shares of the secrets of all parties, under a threshold.
    pub(super) shares: Shares,
    /// The session to which the party handed its share over.
    pub(super) handed: Option<HandedOver>,
}

/// The session to which a party handed its share over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandedOver {
    pub next: SessionId,
    /// The party's secrets were wiped.
    pub is_wiped: bool,
}

/// The first round of a key for products.
pub(super) struct Round {
    /// The sums of the polynomials of all messages.
    pub sums: Vec<Polynomial>,
    /// The hash of each party's message.
    pub heard: Vec<Option<Digest>>,
}

impl Party {
    /// Creates a party with a new share of the secret key, or without one in a session [after a
    /// re-sharing](Session::reshared), where it [receives](Self::receive) its share.
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
        let secret = session.lineage().is_none().then(|| {
            let coefficients = ternary(&mut random, parameters.degree());
            SecretKey::of_coefficients(parameters, session.key(), coefficients)
        });
        let mut seed = Box::new(Zeroizing::new([0; SEED_BYTES]));
        with_stack_wiped(|| seed.copy_from_slice(&random.seed()));
        Ok(Self::of_parts(session, session.place(name)?, secret, seed))
    }

    /// Returns a party that has sent and received nothing.
    pub(super) fn of_parts(
        session: &Session,
        place: usize,
        secret: Option<SecretKey>,
        seed: Box<Zeroizing<Seed>>,
    ) -> Self {
        Self {
            place,
            session: session.clone(),
            secret,
            seed,
            budget: Budget::default(),
            carried: 0,
            answered: BTreeMap::new(),
            rounds: BTreeMap::new(),
            replied: BTreeMap::new(),
            shares: Shares::new(session),
            handed: None,
        }
    }

    /// Returns the random numbers of a message: the same for the same subject and `more`.
    pub(super) fn random(&self, subject: Subject, more: &[u8]) -> Random {
        with_stack_wiped(|| {
            let what = "Halimede CKKS parties 1: noise";
            let key = Zeroizing::new(derived(what, &[&self.seed[..], &subject.to_bytes(), more]));
            Random::of_key(&key)
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

    /// The party's share of the secret key; `None` after a re-sharing.
    #[cfg(any(test, feature = "test"))]
    pub fn secret(&self) -> Option<&SecretKey> {
        self.secret.as_ref()
    }

    /// The party's secret.
    pub(super) fn own_secret(&self) -> Result<&SecretKey, PartyError> {
        self.secret.as_ref().ok_or_else(|| self.no_secret())
    }

    /// The reason why the party has no secret.
    pub(super) fn no_secret(&self) -> PartyError {
        let session = self.session.id();
        match self.handed {
            Some(HandedOver { next, .. }) => PartyError::HandedOver { session, next },
            None => PartyError::Reshared { session },
        }
    }

    /// Returns the party's summand of the secret in a quorum, marked secret; `None` if that is its
    /// own secret.
    pub(super) fn share_of_quorum(
        &self,
        quorum: &Quorum,
    ) -> Result<Option<Polynomial>, PartyError> {
        match self.session.has_shares() {
            true => self.shares.summand(&self.session, self.place, quorum).map(Some),
            false => Ok(None),
        }
    }

    /// The number of decryptions and key switches to which the party contributed, with those before
    /// a re-sharing.
    pub fn answers(&self) -> usize {
        self.budget.made() as usize
    }

    /// The names of the parties whose shares of secrets are missing: none without a threshold.
    pub fn missing_shares(&self) -> Vec<String> {
        match self.session.has_shares() {
            true => self.shares.missing(&self.session),
            false => Vec::new(),
        }
    }

    /// The session to which the party handed its share over: the party answers no more. `None`
    /// before.
    pub fn next_session(&self) -> Option<SessionId> {
        self.handed.map(|handed| handed.next)
    }

    /// The smallest number of answers that a statement has allowed; `None` before the first.
    pub fn most_answers(&self) -> Option<u32> {
        self.budget.queries()
    }

    /// The sum of the secrets of all parties, which nobody has outside of tests.
    #[cfg(any(test, feature = "test"))]
    pub fn collective_secret(parties: &[Self]) -> Option<SecretKey> {
        let session = parties.first()?.session();
        let degree = session.parameters().degree();
        let mut sum = Zeroizing::new(vec![0; degree]);
        for party in parties {
            let numbers = sum.iter_mut().zip(party.secret()?.coefficients());
            numbers.for_each(|(sum, number): (&mut i8, _)| *sum += number);
        }
        Some(SecretKey::of_coefficients(session.parameters(), session.key(), sum))
    }

    /// Makes the party's share of the public key, for a [`KeyCollector`](super::KeyCollector).
    ///
    /// # Errors
    /// [`PartyError::Reshared`] after a re-sharing, since the keys of the first session stay valid.
    pub fn public_key_message(&self) -> Result<Vec<u8>, PartyError> {
        let secret = self.own_secret()?;
        let subject = Subject::PublicKey;
        let (seed, mut random) = (self.session.seed(subject, 0), self.random(subject, &[]));
        let b = PublicKey::half(secret, &seed, &mut random);
        self.message(&Envelope::new(subject), &[&b])
    }

    /// Makes the party's share of an evaluation key for ciphertexts up to `level`. That of a key
    /// for products is the message of the first round, for all other parties: see
    /// [`Self::receive`]. All others are for a [`KeyCollector`](super::KeyCollector).
    ///
    /// # Errors
    /// [`PartyError::NotOffered`] for a key of bootstraps, an even exponent or one of 2N or more,
    /// and a level above the highest.
    pub fn key_message(&mut self, of: KeyUse, level: usize) -> Result<Vec<u8>, PartyError> {
        let subject = offered(self.session.parameters(), of, level)?;
        let envelope = Envelope::new(subject);
        if let Subject::Products(level) = subject {
            let polynomials = self.products(level)?;
            let message = self.message(&envelope, &polynomials.iter().collect::<Vec<_>>())?;
            let (place, parties) = (self.place, self.session.names().len());
            let mut heard = vec![None; parties];
            heard[place] = Some(checksum(&message));
            self.rounds.entry(level).or_insert(Round { sums: polynomials, heard });
            return Ok(message);
        }
        let (session, secret) = (&self.session, self.own_secret()?);
        let (KeyUse::Automorphism(exponent) | KeyUse::LowAutomorphism(exponent)) = of else {
            return Err(PartyError::NotOffered { what: format!("a key {of}") });
        };
        let random = &mut self.random(subject, &[]);
        let halves = automorphism(session, secret, of, (exponent, level), subject, random);
        self.message(&envelope, &halves.iter().collect::<Vec<_>>())
    }

    /// Returns the polynomials of the first round of a key for products.
    fn products(&self, level: u16) -> Result<Vec<Polynomial>, PartyError> {
        let (secret, (mask, mut random)) = (self.own_secret()?, self.mask(level));
        Ok(products(&self.session, secret, &mask, level.into(), &mut random))
    }

    /// Returns the mask u of the first round of a key for products, marked secret, and the random
    /// numbers that follow.
    fn mask(&self, level: u16) -> (Polynomial, Random) {
        let parameters = self.session.parameters();
        let mut random = self.random(Subject::Products(level), &[]);
        (ternary_values(parameters, &parameters.ring().all(), &mut random), random)
    }

    /// Makes the party's shares of the public key and of all keys for these operations.
    ///
    /// # Errors
    /// As [`Self::key_message`].
    pub fn key_messages(&mut self, operations: &Operations) -> Result<Vec<Vec<u8>>, PartyError> {
        let keys = keys(self.session.parameters(), operations)?;
        let mut messages = vec![self.public_key_message()?];
        for (of, level) in keys {
            messages.push(self.key_message(of, level)?);
        }
        Ok(messages)
    }

    /// Receives the message of another party, whose name the caller's channel authenticated: of the
    /// first round for a key for products, a share of a secret under a threshold, or a share of the
    /// key from a party of the session before a re-sharing. After
    /// the last message of the first round for a key for products it returns the message of the
    /// second round, for a [`KeyCollector`](super::KeyCollector). If that is lost, begin the round
    /// again by [`Self::key_message`], and pass the same messages.
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The party ignores a message that it refuses.
    /// [`PartyError::OtherRound`] if the party replied to other messages before.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<Option<Vec<u8>>, PartyError> {
        let session = self.session.clone();
        if let Some(HandedOver { next, is_wiped: true }) = self.handed {
            return Err(PartyError::HandedOver { session: session.id(), next });
        }
        let incoming = Incoming::open_share(&session, from, message)?;
        match incoming.envelope.subject {
            Subject::HandOver(to) if usize::from(to) == self.place => {
                let (made, queries) = self.shares.receive_hand_over(&session, incoming)?;
                self.carry_over(made, queries);
                Ok(None)
            }
            Subject::Products(level) => self.receive_products(incoming, level, message),
            Subject::Share(to) if usize::from(to) == self.place => {
                self.shares.receive(&session, incoming).map(|()| None)
            }
            other => Err(PartyError::Unexpected { from: from.to_owned(), got: other.to_string() }),
        }
    }

    /// Takes over the budget of answers of a party that hands its share over: the smallest that is
    /// left of any of these parties.
    fn carry_over(&mut self, made: u32, queries: u32) {
        self.carried = self.carried.max(made);
        let stated = [self.budget.queries(), Some(queries).filter(|queries| *queries > 0)];
        let queries = stated.into_iter().flatten().min().map(|least| least.max(self.carried));
        self.budget = Budget::of_parts(self.carried, queries);
    }

    fn receive_products(
        &mut self,
        incoming: Incoming<'_>,
        level: u16,
        message: &[u8],
    ) -> Result<Option<Vec<u8>>, PartyError> {
        let (from, subject) = (incoming.from.to_owned(), incoming.envelope.subject);
        let (what, place) = (subject.to_string(), incoming.place);
        let parameters = self.session.parameters().clone();
        let has_replied = self.replied.contains_key(&level);
        let Some(round) = self.rounds.get_mut(&level) else {
            return Err(match has_replied {
                true => PartyError::Late { from, what },
                false => PartyError::Early { from, what },
            });
        };
        if round.heard[place].is_some() {
            return Err(PartyError::Repeated { from, what });
        }
        let polynomials = incoming.polynomials(&bases(&parameters, subject))?;
        for (sum, polynomial) in round.sums.iter_mut().zip(&polynomials) {
            parameters.ring().add(sum, polynomial);
        }
        round.heard[place] = Some(checksum(message));
        match round.heard.iter().all(Option::is_some) {
            true => self.reply(level),
            false => Ok(None),
        }
    }

    /// Makes the message of the second round. A party replies to one first round only: replies to
    /// two of them with different noise would reveal something about the secret.
    fn reply(&mut self, level: u16) -> Result<Option<Vec<u8>>, PartyError> {
        let subject = Subject::Reply(level);
        let Some(Round { sums, heard }) = self.rounds.remove(&level) else { return Ok(None) };
        let mut hasher = blake3::Hasher::new();
        heard.iter().flatten().for_each(|digest| {
            hasher.update(digest);
        });
        let transcript = *hasher.finalize().as_bytes();
        if self.replied.get(&level).is_some_and(|before| *before != transcript) {
            return Err(PartyError::OtherRound { level });
        }
        self.replied.insert(level, transcript);
        let (mask, _) = self.mask(level);
        let random = &mut self.random(subject, &transcript);
        let secret = self.own_secret()?;
        let halves = reply(&self.session, secret, &mask, level.into(), &sums, random);
        let envelope = Envelope { transcript, ..Envelope::new(subject) };
        self.message(&envelope, &halves.iter().collect::<Vec<_>>()).map(Some)
    }

    fn message(
        &self,
        envelope: &Envelope,
        polynomials: &[&Polynomial],
    ) -> Result<Vec<u8>, PartyError> {
        let mut message = write(&self.session, self.place, envelope, polynomials)?;
        Ok(std::mem::take(&mut *message))
    }

    /// Checks that the party belongs to a quorum of its session, and still has its share.
    pub(super) fn check_quorum(&self, quorum: &Quorum) -> Result<(), PartyError> {
        if let Some(HandedOver { next, .. }) = self.handed {
            return Err(PartyError::HandedOver { session: self.session.id(), next });
        }
        quorum.check(&self.session)?;
        match quorum.places().contains(&self.place) {
            true => Ok(()),
            false => Err(PartyError::NotInQuorum { name: self.name().to_owned() }),
        }
    }
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
