// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The agreement of the parties before the first message: parameters, a seed, the list of parties,
//! and the threshold.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::PartyError;
use super::offered::{keys, operations_bytes};
use super::session_id::SessionId;
use super::subject::Subject;
use crate::keys::{KeyId, KEY_ID_BYTES};
use crate::operations::Operations;
use crate::params::{Parameters, ParametersError, MOST_PARTIES};
use crate::sampling::{Seed, SEED_BYTES};

/// The largest size of a party's name in bytes.
const MOST_NAME_BYTES: usize = 64;
/// The smallest number of parties.
const FEWEST: usize = 2;

/// A group of parties that share one secret key. Clones share its content.
///
/// Every party creates the session from the same arguments. The seed is the *common reference
/// string*, from which all uniform halves of keys are expanded. It is public. The parties choose it
/// together, for example as a hash of a random contribution of each, and never use it again.
#[derive(Clone, Debug)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    parameters: Parameters,
    seed: Seed,
    names: Vec<String>,
    threshold: usize,
    operations: Operations,
    id: SessionId,
    key: KeyId,
    lineage: Option<Lineage>,
}

/// The session before a re-sharing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lineage {
    /// The number of re-sharings since the first session.
    pub epoch: u32,
    pub parent: SessionId,
    /// The identity of the collective secret key.
    pub key: KeyId,
    /// The parties of the parent that hand their shares over, in its order.
    pub from: Vec<String>,
}

/// The parties that decrypt together: as many as the threshold says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quorum {
    session: SessionId,
    /// The places of the parties in the session's list, in ascending order.
    places: Vec<usize>,
}

impl Session {
    /// Creates a session in which all parties are needed for a decryption (n of n).
    ///
    /// # Errors
    /// As [`Self::with_threshold`].
    pub fn new(
        parameters: &Parameters,
        seed: &Seed,
        names: &[impl AsRef<str>],
    ) -> Result<Self, PartyError> {
        Self::with_threshold(parameters, seed, names, names.len())
    }

    /// Creates a session in which any `threshold` parties decrypt (t of n). Fewer learn nothing.
    /// The parties share their secrets with each other before.
    ///
    /// The order of the names is a part of the agreement.
    ///
    /// # Errors
    /// [`PartyError::Few`], [`PartyError::Name`] and [`PartyError::Threshold`] for invalid
    /// arguments, and [`PartyError::Parameters`] for parameters that parties cannot share: those
    /// with sparse secrets or bootstraps, and more than
    /// [`MOST_PARTIES`] parties.
    pub fn with_threshold(
        parameters: &Parameters,
        seed: &Seed,
        names: &[impl AsRef<str>],
        threshold: usize,
    ) -> Result<Self, PartyError> {
        Self::for_operations(parameters, seed, names, threshold, &Operations::default())
    }

    /// Creates a session as [`Self::with_threshold`], whose parties also agree on the operations
    /// for which they make keys.
    ///
    /// # Errors
    /// As [`Self::with_threshold`], and [`PartyError::NotOffered`] for bootstraps.
    pub fn for_operations(
        parameters: &Parameters,
        seed: &Seed,
        names: &[impl AsRef<str>],
        threshold: usize,
        operations: &Operations,
    ) -> Result<Self, PartyError> {
        let parties = names.len();
        if parties < FEWEST {
            return Err(PartyError::Few { got: parties });
        }
        let parameters = parameters.with_parties(parties)?;
        let names = checked(names, threshold)?;
        keys(&parameters, operations)?;
        let mut hasher = blake3::Hasher::new_derive_key("Halimede CKKS parties 1: session");
        hasher.update(parameters.hash().as_bytes());
        hasher.update(seed);
        [threshold, parties].iter().for_each(|number| update(&mut hasher, *number));
        for name in &names {
            update(&mut hasher, name.len());
            hasher.update(name.as_bytes());
        }
        hasher.update(&operations_bytes(operations));
        let id = SessionId::of_bytes(*hasher.finalize().as_bytes());
        let bytes = derived("Halimede CKKS parties 1: secret key", &[id.as_bytes()]);
        let mut key = [0; KEY_ID_BYTES];
        key.copy_from_slice(&bytes[..KEY_ID_BYTES]);
        let key = KeyId::of_bytes(key);
        let (seed, operations) = (*seed, operations.clone());
        let lineage = None;
        let inner = Inner { parameters, seed, names, threshold, operations, id, key, lineage };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Creates the session after a re-sharing: other parties share the same secret key, any
    /// `threshold` of which decrypt. The public key and the evaluation keys stay valid, and nobody
    /// makes new ones. `quorum` are the parties of this session that hand their shares over
    /// ([`Party::hand_over_messages`](super::Party::hand_over_messages)); a party may belong to
    /// both sessions. The seed is public, and never used before.
    ///
    /// # Errors
    /// [`PartyError::Quorum`] for a quorum of another session, [`PartyError::Few`],
    /// [`PartyError::Name`] and [`PartyError::Threshold`] for invalid arguments, and
    /// [`PartyError::Parameters`] for more than [`MOST_PARTIES`] parties.
    pub fn reshared(
        &self,
        quorum: &Quorum,
        seed: &Seed,
        names: &[impl AsRef<str>],
        threshold: usize,
    ) -> Result<Self, PartyError> {
        quorum.check(self)?;
        let epoch = self.epoch().saturating_add(1);
        let from = self.names_of(quorum.places().iter().copied());
        let lineage = Lineage { epoch, parent: self.id(), key: self.key(), from };
        Self::of_lineage(self.parameters(), seed, names, threshold, self.operations(), lineage)
    }

    /// Creates a session after a re-sharing, for the parameters of the first session.
    pub(super) fn of_lineage(
        parameters: &Parameters,
        seed: &Seed,
        names: &[impl AsRef<str>],
        threshold: usize,
        operations: &Operations,
        lineage: Lineage,
    ) -> Result<Self, PartyError> {
        let parties = names.len();
        if parties < FEWEST {
            return Err(PartyError::Few { got: parties });
        }
        if parties > MOST_PARTIES {
            return Err(ParametersError::Parties { got: parties }.into());
        }
        let names = checked(names, threshold)?;
        checked(&lineage.from, lineage.from.len())?;
        let mut hasher =
            blake3::Hasher::new_derive_key("Halimede CKKS parties 1: session after a re-sharing");
        hasher.update(parameters.hash().as_bytes());
        hasher.update(seed);
        hasher.update(lineage.parent.as_bytes());
        hasher.update(lineage.key.as_bytes());
        update(&mut hasher, lineage.epoch as usize);
        update(&mut hasher, threshold);
        for names in [&names, &lineage.from] {
            update(&mut hasher, names.len());
            for name in names {
                update(&mut hasher, name.len());
                hasher.update(name.as_bytes());
            }
        }
        hasher.update(&operations_bytes(operations));
        let id = SessionId::of_bytes(*hasher.finalize().as_bytes());
        let (parameters, seed, operations) = (parameters.clone(), *seed, operations.clone());
        let (key, lineage) = (lineage.key, Some(lineage));
        let inner = Inner { parameters, seed, names, threshold, operations, id, key, lineage };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The number of re-sharings since the first session of the key.
    pub fn epoch(&self) -> u32 {
        self.lineage().map_or(0, |lineage| lineage.epoch)
    }

    /// The session before the last re-sharing; `None` for the first session.
    pub fn parent(&self) -> Option<SessionId> {
        self.lineage().map(|lineage| lineage.parent)
    }

    /// The session before the last re-sharing, and the parties that hand the key over.
    pub(super) fn lineage(&self) -> Option<&Lineage> {
        self.inner.lineage.as_ref()
    }

    /// The names of the parties that send shares to those of the session.
    pub(super) fn senders(&self) -> &[String] {
        self.lineage().map_or(self.names(), |lineage| &lineage.from)
    }

    /// The parameters, with the number of parties.
    pub fn parameters(&self) -> &Parameters {
        &self.inner.parameters
    }

    /// The names of all parties, in the agreed order.
    pub fn names(&self) -> &[String] {
        &self.inner.names
    }

    /// The seed of the common reference string. It is public.
    pub fn common_seed(&self) -> &Seed {
        &self.inner.seed
    }

    /// The operations for which the parties agreed to make keys.
    pub fn operations(&self) -> &Operations {
        &self.inner.operations
    }

    /// The number of parties that decrypt together.
    pub fn threshold(&self) -> usize {
        self.inner.threshold
    }

    /// Returns `true` if the parties decrypt with shares of the sum of secrets. Without a
    /// threshold, each has a summand.
    pub(super) fn has_shares(&self) -> bool {
        self.lineage().is_some() || self.threshold() < self.names().len()
    }

    /// The identity of the session.
    pub fn id(&self) -> SessionId {
        self.inner.id
    }

    /// The identity of the collective secret key, which its public key, its evaluation keys and
    /// ciphertexts carry.
    pub fn key(&self) -> KeyId {
        self.inner.key
    }

    /// Returns all parties as a quorum, if no fewer can decrypt.
    ///
    /// # Errors
    /// [`PartyError::Quorum`] for a smaller threshold.
    pub fn everyone(&self) -> Result<Quorum, PartyError> {
        self.quorum(self.names())
    }

    /// Returns the parties with these names as a quorum.
    ///
    /// # Errors
    /// [`PartyError::Stranger`] for an unknown name, and [`PartyError::Quorum`] if their number is
    /// not the threshold.
    pub fn quorum(&self, names: &[impl AsRef<str>]) -> Result<Quorum, PartyError> {
        let places = names.iter().map(|name| self.place(name.as_ref()));
        let places: BTreeSet<usize> = places.collect::<Result<_, _>>()?;
        let (got, threshold, session) = (places.len(), self.threshold(), self.id());
        match got == threshold {
            true => Ok(Quorum { session, places: places.into_iter().collect() }),
            false => Err(PartyError::Quorum { got, threshold, session }),
        }
    }

    /// The place of a party in the list.
    pub(super) fn place(&self, name: &str) -> Result<usize, PartyError> {
        self.place_among(self.names(), name)
    }

    /// The place of a name in a list of this session.
    pub(super) fn place_among(&self, names: &[String], name: &str) -> Result<usize, PartyError> {
        let place = names.iter().position(|other| other == name);
        let stranger = || PartyError::Stranger { name: name.to_owned(), session: self.id() };
        place.ok_or_else(stranger)
    }

    /// The names of the parties at these places.
    pub(super) fn names_of(&self, places: impl IntoIterator<Item = usize>) -> Vec<String> {
        places.into_iter().filter_map(|place| self.names().get(place).cloned()).collect()
    }

    /// The seed of the uniform halves of a key. `part` distinguishes those of one subject.
    pub(super) fn seed(&self, subject: Subject, part: u8) -> Seed {
        let what = "Halimede CKKS parties 1: common reference string";
        derived(what, &[self.id().as_bytes(), &subject.to_bytes(), &[part]])
    }
}

impl Quorum {
    /// The places of the parties in the session's list, in ascending order.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Checks that the quorum belongs to a session.
    pub(super) fn check(&self, session: &Session) -> Result<(), PartyError> {
        let (got, threshold, ours) = (self.places.len(), session.threshold(), session.id());
        match self.session == ours {
            true => Ok(()),
            false => Err(PartyError::Quorum { got, threshold, session: ours }),
        }
    }
}

/// Checks names and the threshold of a session.
fn checked(names: &[impl AsRef<str>], threshold: usize) -> Result<Vec<String>, PartyError> {
    let parties = names.len();
    let names: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
    let mut known = BTreeSet::new();
    let is_name = |name: &str| (1..=MOST_NAME_BYTES).contains(&name.len());
    if let Some(name) = names.iter().find(|name| !(is_name(name) && known.insert(*name))) {
        return Err(PartyError::Name { name: name.clone(), most: MOST_NAME_BYTES });
    }
    match (FEWEST..=parties).contains(&threshold) {
        true => Ok(names),
        false => Err(PartyError::Threshold { got: threshold, parties }),
    }
}

/// Hashes a number.
fn update(hasher: &mut blake3::Hasher, number: usize) {
    hasher.update(&(number as u64).to_le_bytes());
}

/// Derives bytes from parts of fixed sizes.
pub(super) fn derived(what: &str, parts: &[&[u8]]) -> [u8; SEED_BYTES] {
    let mut hasher = blake3::Hasher::new_derive_key(what);
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    *hasher.finalize().as_bytes()
}
