// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A party's share of a collective refresh.
//!
//! With its summand sⱼ of the secret, the half a from the common reference string and a mask Mⱼ,
//! the party sends c₁·sⱼ − Mⱼ at the level of the ciphertext, and −a·sⱼ + f(Mⱼ) + eⱼ at the level
//! of fresh ones (Mouchet, Troncoso-Pastoriza, Bossuat, Hubaux, PETS 2021, section 4; the masks of
//! [`super::masking`] instead of uniform ones). Whoever knows all other secrets and masks sees m +
//! e − Mⱼ, which the mask hides, and an encryption of f(Mⱼ). So a refresh reveals nothing, and is
//! not counted.

use super::answers::refresh_subject;
use super::error::PartyError;
use super::masking::{Mask, Masking};
use super::message::{write, Envelope};
use super::party::Party;
use super::session::{Quorum, Session};
use super::subject::Subject;
use crate::evaluator::Ciphertext;
use crate::keys::error;
use crate::ring::{Basis, Polynomial};
use crate::sampling::{uniform, Seed, FRESH_INDEX};

impl Party {
    /// Makes the party's share of a collective refresh, for a [`Refresh`](super::Refresh): a
    /// ciphertext of the same values at the level of fresh ones. All parties of the quorum state
    /// the same.
    ///
    /// The parties must know where the ciphertext comes from: the result of a computation that they
    /// agreed on, whose values are within the declared bound. The share hides values beyond it less
    /// well.
    ///
    /// The same call for the same ciphertext returns the same bytes. It is not counted, because it
    /// reveals nothing (`SECURITY.md`).
    ///
    /// # Errors
    /// [`PartyError::MaskRoom`] if the modulus of the level has no room for the mask, which names a
    /// level that has; [`PartyError::ClaimedBound`] for a ciphertext from a file without a bound
    /// that the party knows; [`PartyError::MaskSecurity`] for a statement of 0 or more than 128
    /// bits, [`PartyError::RefreshScale`] for a scale that is far from usual, and other
    /// [`PartyError`]s for a ciphertext or a quorum of another session.
    pub fn refresh_message(
        &self,
        ciphertext: &Ciphertext,
        masking: &Masking,
        quorum: &Quorum,
    ) -> Result<Vec<u8>, PartyError> {
        self.check_quorum(quorum)?;
        let session = &self.session;
        check(session, ciphertext)?;
        let mask = Mask::of(session, ciphertext)?;
        mask.check(session, ciphertext, masking)?;
        let subject = refresh_subject(ciphertext, quorum);
        let share = self.share_of_quorum(quorum)?;
        let summand = match &share {
            Some(share) => share,
            None => self.own_secret()?.values(),
        };
        let (parameters, ring) = (session.parameters(), session.parameters().ring());
        let [low, high] = bases(session, ciphertext);
        let random = &mut self.random(subject, &[]);
        let [mut hidden, mut scaled] = mask.sample(random, ring, &low, &high);
        [&mut hidden, &mut scaled].into_iter().for_each(|mask| ring.forward(mask));
        let mut first = ciphertext.parts()[1].clone();
        ring.mul(&mut first, summand);
        ring.sub(&mut first, &hidden);
        let mut second = half(session, subject);
        ring.mul(&mut second, summand);
        ring.neg(&mut second);
        ring.add(&mut second, &scaled);
        ring.add(&mut second, &error(parameters, &high, random));
        if session.has_shares() {
            for (label, part) in MASKS.iter().zip([&mut first, &mut second]) {
                self.shares.mask(label, session, self.place, quorum, subject, part);
            }
        }
        // The mask hides the first part and the error the second one.
        [&mut first, &mut second].into_iter().for_each(Polynomial::declassify);
        let mut message = write(session, self.place, &Envelope::new(subject), &[&first, &second])?;
        Ok(std::mem::take(&mut *message))
    }
}

/// Domains of the masks of pairs, for both parts of a share.
pub(super) const MASKS: [&str; 2] = [
    "Halimede CKKS parties 1: mask of a refresh at the low level",
    "Halimede CKKS parties 1: mask of a refresh at the high level",
];

/// Checks that a ciphertext can be refreshed by a session.
pub(super) fn check(session: &Session, a: &Ciphertext) -> Result<(), PartyError> {
    let parameters = session.parameters();
    a.check_parameters(parameters)?;
    a.check_owner(session.key())?;
    Ok(a.metadata().check_room(parameters)?)
}

/// The primes of both parts of a share.
pub(super) fn bases(session: &Session, a: &Ciphertext) -> [Basis; 2] {
    let parameters = session.parameters();
    [a.level(), parameters.fresh_level()].map(|level| parameters.level(level).basis.clone())
}

/// The seed of the second part of the refreshed ciphertext.
pub(super) fn seed(session: &Session, subject: Subject) -> Seed {
    session.seed(subject, 0)
}

/// The second part of the refreshed ciphertext.
pub(super) fn half(session: &Session, subject: Subject) -> Polynomial {
    let parameters = session.parameters();
    let basis = &parameters.level(parameters.fresh_level()).basis;
    uniform(parameters.ring(), basis, &seed(session, subject), FRESH_INDEX)
}
