// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the shares of a collective refresh, the interactive bootstrap.

use super::answers::refresh_subject;
use super::collected::Collected;
use super::error::PartyError;
use super::lift::lift;
use super::masking::Mask;
use super::message::Incoming;
use super::refresh_share::{bases, check, half, seed};
use super::session::{Quorum, Session};
use super::subject::Subject;
use crate::estimate::{Noise, Origin};
use crate::evaluator::Ciphertext;
use crate::params::{fresh_error, integer_error};
use crate::ring::{Form, Polynomial};

/// Turns the shares of a quorum into a ciphertext of the same values at the level of fresh ones:
/// the bootstrap of parties, in one round. Anyone can do that: it needs no secret.
pub struct Refresh {
    collected: Collected,
    subject: Subject,
    mask: Mask,
    /// c₀ and the first parts of all shares: m + e − ΣMⱼ in the end.
    low: Polynomial,
    /// The second parts of all shares.
    high: Polynomial,
}

impl Refresh {
    /// Starts to collect the shares for a ciphertext.
    ///
    /// # Errors
    /// [`PartyError::Evaluation`] for a ciphertext of another session or one whose values do not
    /// fit its level, [`PartyError::RefreshScale`] for a scale that is far from usual, and
    /// [`PartyError::Quorum`] for a quorum of another session.
    pub fn new(
        session: &Session,
        ciphertext: &Ciphertext,
        quorum: &Quorum,
    ) -> Result<Self, PartyError> {
        check(session, ciphertext)?;
        let subject = refresh_subject(ciphertext, quorum);
        let collected = Collected::new(session, quorum, ciphertext, subject)?;
        let mask = Mask::of(session, ciphertext)?;
        let [_, high] = bases(session, ciphertext);
        let low = ciphertext.parts()[0].clone();
        let high = session.parameters().ring().zero(&high, Form::Values);
        Ok(Self { collected, subject, mask, low, high })
    }

    /// Receives the message of a party, whose name the caller's channel authenticated.
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The message is ignored then.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<(), PartyError> {
        let session = self.collected.session.clone();
        let incoming = Incoming::open(&session, from, message)?;
        self.collected.check(&incoming)?;
        let place = incoming.place;
        let parts = incoming.polynomials(&bases(&session, &self.collected.ciphertext))?;
        for (sum, part) in [&mut self.low, &mut self.high].into_iter().zip(&parts) {
            session.parameters().ring().add(sum, part);
        }
        self.collected.add(place, 0.0);
        Ok(())
    }

    /// Returns the refreshed ciphertext, on the scale of its level. The refresh adds the error of
    /// an encryption by each party, and [the estimate](Ciphertext::estimate) includes it.
    ///
    /// # Errors
    /// [`PartyError::Missing`], which names the parties whose messages are missing.
    pub fn finish(&self) -> Result<Ciphertext, PartyError> {
        self.collected.check_complete()?;
        let (session, a) = (&self.collected.session, &self.collected.ciphertext);
        let (parameters, subject) = (session.parameters(), self.subject);
        let (ring, level) = (parameters.ring(), parameters.fresh_level());
        let masked = ring.coefficients(&self.low, self.low.basis());
        let mut first = lift(ring, &masked, self.high.basis(), &self.mask);
        ring.forward(&mut first);
        ring.add(&mut first, &self.high);
        let scale = self.mask.scale;
        // The encryption of each party with the rounding of its mask, and the rounding of the sum.
        let parties = (self.collected.heard.len() as f64).sqrt();
        let encryptions = fresh_error(scale, a.slots()) * parties;
        let error = encryptions.hypot(integer_error(scale, a.slots()));
        let seed = seed(session, subject);
        let second = Origin::of_seed(&seed);
        let origins = [Origin::derived("the first part", [second]), second];
        let added = Noise::source(Origin::derived("fresh", [second]), error);
        let noise = a.noise().sum(&added);
        let metadata = a.metadata().clone().restricted(level).read_on(scale, 1.0);
        let metadata = metadata.computed_from(origins, noise);
        Ok(Ciphertext::new([first, half(session, subject)], metadata).with_seed(seed))
    }
}
