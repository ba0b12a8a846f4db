// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answers of a party for a ciphertext: its shares of a decryption, and of a key switch to
//! another public key.
//!
//! The share of a decryption is c₁·sᵢ + xᵢ, with the party's summand sᵢ of the secret. Whoever
//! knows all other summands and their noise sees m + e + xᵢ: the decryption with *one* noise.
//! So the noise of each party hides the error alone. `SECURITY.md` derives its size.

use zeroize::Zeroizing;

use super::answer::Answer;
use super::error::PartyError;
use super::message::{write, write_residues, Envelope};
use super::party::Party;
use super::session::{derived, Quorum};
use super::subject::{Digest, Subject};
use crate::client::{Flooding, Sharing, SharingError};
use crate::evaluator::Ciphertext;
use crate::keys::{error, ternary_values, PublicKey};
use crate::params::Parameters;
use crate::ring::{Basis, Polynomial};
use crate::sampling::{wide_gaussian, Random};

/// Domain of the masks of pairs.
const ANSWER_MASK: &str = "Halimede CKKS parties 1: mask";

impl Party {
    /// Makes the party's share of the decryption of a ciphertext, for a
    /// [`Decryption`](super::Decryption), and counts it. It adds noise as
    /// [`Client::decrypt_for_sharing`](crate::Client::decrypt_for_sharing) does, under the same
    /// conditions. All parties of the quorum state the same.
    ///
    /// The parties must know where the ciphertext comes from: the result of a computation that
    /// they agreed on.
    ///
    /// The same call for the same ciphertext returns the same bytes, and is counted once.
    ///
    /// # Errors
    /// [`PartyError::Sharing`] if the decryption may not be shared under this statement,
    /// [`PartyError::Answered`] if the party has answered for a ciphertext with the same second
    /// part, and other [`PartyError`]s for a ciphertext or a quorum of another session.
    pub fn decryption_message(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
        quorum: &Quorum,
    ) -> Result<Vec<u8>, PartyError> {
        let subject = decryption_subject(ciphertext, quorum);
        let (noise, product, mut random) = self.answer(ciphertext, sharing, quorum, subject)?;
        let parameters = self.session.parameters().clone();
        let (ring, step) = (parameters.ring(), parameters.slots() / ciphertext.slots());
        // The other coefficients do not belong to the vector, and stay here.
        let places = (0..parameters.degree()).step_by(step);
        let drawn = wide_gaussian(&mut random, noise.deviation, places.len());
        let mut numbers = Zeroizing::new(vec![0; parameters.degree()]);
        for (place, number) in places.clone().zip(drawn.iter()) {
            numbers[place] = *number;
        }
        let mut share = product;
        ring.inverse(&mut share);
        ring.add(&mut share, &ring.from_wide(ciphertext.parts()[1].basis(), &numbers));
        let chosen = share.limbs().flat_map(|limb| limb.iter().step_by(step).copied());
        let residues: Vec<u32> = chosen.collect();
        let envelope = Envelope { noise_bits: noise.deviation.log2(), ..Envelope::new(subject) };
        let mut message = write_residues(&self.session, self.place, &envelope, &residues)?;
        Ok(std::mem::take(&mut *message))
    }

    /// Makes the party's share of a key switch, for a [`KeySwitch`](super::KeySwitch), and counts
    /// it: a ciphertext with the same values under the receiver's key. The receiver may know the
    /// secrets of all other parties, so the noise is that of a decryption.
    ///
    /// # Errors
    /// [`PartyError::Receiver`] for a key of other moduli; otherwise as
    /// [`Self::decryption_message`].
    pub fn switch_message(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
        quorum: &Quorum,
        receiver: &PublicKey,
    ) -> Result<Vec<u8>, PartyError> {
        let parameters = self.session.parameters().clone();
        check_receiver(&parameters, receiver)?;
        let subject = switch_subject(ciphertext, quorum, receiver);
        let (noise, product, mut random) = self.answer(ciphertext, sharing, quorum, subject)?;
        let (ring, basis) = (parameters.ring(), &parameters.level(ciphertext.level()).basis);
        let random = &mut random;
        let mask = ternary_values(&parameters, basis, random);
        let (b, a) = receiver.halves();
        let numbers = wide_gaussian(random, noise.deviation, parameters.degree());
        let mut wide = ring.from_wide(basis, &numbers);
        ring.forward(&mut wide);
        let mut first = product;
        ring.mul_add(&mut first, &ring.restrict(b, basis), &mask);
        ring.add(&mut first, &wide);
        let mut second = ring.restrict(a, basis);
        ring.mul(&mut second, &mask);
        ring.add(&mut second, &error(&parameters, basis, random));
        // The noise, the mask and the error hide the secret.
        [&mut first, &mut second].into_iter().for_each(Polynomial::declassify);
        let envelope = Envelope { noise_bits: noise.deviation.log2(), ..Envelope::new(subject) };
        let mut message = write(&self.session, self.place, &envelope, &[&first, &second])?;
        Ok(std::mem::take(&mut *message))
    }

    /// Returns the bits of precision that a decryption would leave, without making or counting it.
    ///
    /// # Errors
    /// As [`Self::decryption_message`], except for the number of decryptions.
    pub fn precision_for_sharing(
        &self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Result<f64, PartyError> {
        Ok(-self.flooding(ciphertext, sharing)?.in_slot.log2())
    }

    fn flooding(&self, a: &Ciphertext, sharing: &Sharing) -> Result<Flooding, SharingError> {
        let session = &self.session;
        Flooding::new(session.parameters(), session.key(), a, sharing, session.threshold())
    }

    /// Checks an answer, and counts it unless it was given before. Returns its noise, c₁ times the
    /// party's summand of the secret, marked secret, and random numbers that are the same for the
    /// same answer. Under a threshold the product is masked.
    fn answer(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
        quorum: &Quorum,
        subject: Subject,
    ) -> Result<(Flooding, Polynomial, Random), PartyError> {
        self.check_quorum(quorum)?;
        let noise = self.flooding(ciphertext, sharing)?;
        let second = ciphertext.parts()[1];
        let digest = digest_of("Halimede CKKS parties 1: second part", &[second], &[]);
        let answer = Answer { subject, deviation: noise.deviation.to_bits() };
        let before = self.answered.get(&digest);
        if before.is_some_and(|before| *before != answer) {
            return Err(PartyError::Answered);
        }
        let is_new = before.is_none();
        let (session, place) = (&self.session, self.place);
        let share = self.share_of_quorum(quorum)?;
        let summand = match &share {
            Some(share) => share,
            None => self.own_secret()?.values(),
        };
        let budget = match is_new {
            true => Some(self.budget.after(sharing)?),
            false => None,
        };
        let mut product = second.clone();
        session.parameters().ring().mul(&mut product, summand);
        if session.has_shares() {
            self.shares.mask(ANSWER_MASK, session, place, quorum, subject, &mut product);
        }
        if let Some(budget) = budget {
            self.budget = budget;
            self.answered.insert(digest, answer);
        }
        Ok((noise, product, self.random(subject, &answer.deviation.to_le_bytes())))
    }
}

/// Checks that a receiver's key has the moduli of the session.
pub(super) fn check_receiver(
    parameters: &Parameters,
    receiver: &PublicKey,
) -> Result<(), PartyError> {
    let theirs = receiver.parameters();
    if parameters.is_compatible(theirs) {
        return Ok(());
    }
    let [got, ours] = [theirs, parameters].map(|of| of.name().to_owned());
    Err(PartyError::Receiver { got, ours })
}

/// The subject of the shares of a decryption.
pub(super) fn decryption_subject(a: &Ciphertext, quorum: &Quorum) -> Subject {
    Subject::Decryption(of_ciphertext("Halimede CKKS parties 1: decryption", a, quorum, &[]))
}

/// The subject of the shares of a key switch.
pub(super) fn switch_subject(a: &Ciphertext, quorum: &Quorum, receiver: &PublicKey) -> Subject {
    let key = digest_of(
        "Halimede CKKS parties 1: receiver",
        &[receiver.halves().0],
        &[receiver.owner().as_bytes(), receiver.seed()],
    );
    Subject::Switch(of_ciphertext("Halimede CKKS parties 1: key switch", a, quorum, &[&key]))
}

/// The subject of the shares of a refresh.
pub(super) fn refresh_subject(a: &Ciphertext, quorum: &Quorum) -> Subject {
    Subject::Refresh(of_ciphertext("Halimede CKKS parties 1: refresh", a, quorum, &[]))
}

/// Hashes a ciphertext, the quorum, and more.
fn of_ciphertext(what: &str, a: &Ciphertext, quorum: &Quorum, more: &[&[u8]]) -> Digest {
    let (high, low, exponent) = a.scale().parts();
    let scale = [high.to_le_bytes(), low.to_le_bytes(), i64::from(exponent).to_le_bytes()];
    let numbers = [a.level(), a.length(), a.slots(), quorum.places().len()];
    let numbers = numbers.iter().chain(quorum.places());
    let numbers: Vec<u8> = numbers.flat_map(|number| (*number as u64).to_le_bytes()).collect();
    let owner = a.owner();
    let mut fields: Vec<&[u8]> = vec![owner.as_bytes(), &numbers];
    fields.extend(scale.iter().map(|bytes| &bytes[..]));
    fields.extend(more);
    digest_of(what, &a.parts(), &fields)
}

/// Hashes the residues of polynomials, and fields.
fn digest_of(what: &str, polynomials: &[&Polynomial], fields: &[&[u8]]) -> Digest {
    let mut hashes: Vec<Digest> = Vec::new();
    for polynomial in polynomials {
        let mut hasher = blake3::Hasher::new();
        hash_basis(&mut hasher, polynomial.basis());
        for limb in polynomial.limbs() {
            let bytes: Vec<u8> = limb.iter().flat_map(|residue| residue.to_le_bytes()).collect();
            hasher.update(&bytes);
        }
        hashes.push(*hasher.finalize().as_bytes());
    }
    let parts = hashes.iter().map(|hash| &hash[..]).chain(fields.iter().copied());
    derived(what, &parts.collect::<Vec<_>>())
}

fn hash_basis(hasher: &mut blake3::Hasher, basis: &Basis) {
    basis.places().iter().for_each(|place| {
        hasher.update(&place.to_le_bytes());
    });
}
