// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The messages of a quorum for one ciphertext: which arrived, and which are refused.

use super::error::PartyError;
use super::message::Incoming;
use super::session::{Quorum, Session};
use super::subject::Subject;
use crate::client::to_slot_bits;
use crate::evaluator::Ciphertext;
use crate::params::{Parameters, Scale};
use crate::ring::Basis;
use crate::sampling::{WIDEST, WIDEST_BITS};

/// The messages of a quorum for one ciphertext.
pub(super) struct Collected {
    pub session: Session,
    pub quorum: Quorum,
    pub ciphertext: Ciphertext,
    subject: Subject,
    /// The places of the parties whose messages arrived.
    pub heard: Vec<usize>,
    /// The sum of the variances of a coefficient's noise.
    variance: f64,
}

impl Collected {
    pub fn new(
        session: &Session,
        quorum: &Quorum,
        ciphertext: &Ciphertext,
        subject: Subject,
    ) -> Result<Self, PartyError> {
        quorum.check(session)?;
        ciphertext.check_parameters(session.parameters())?;
        ciphertext.check_owner(session.key())?;
        ciphertext.metadata().check_decodable(session.parameters())?;
        let (session, quorum) = (session.clone(), quorum.clone());
        let ciphertext = ciphertext.clone();
        Ok(Self { session, quorum, ciphertext, subject, heard: Vec::new(), variance: 0.0 })
    }

    /// Checks that a message is the first one of a party of the quorum for this ciphertext.
    pub fn check(&self, incoming: &Incoming<'_>) -> Result<(), PartyError> {
        let (from, envelope) = (incoming.from.to_owned(), incoming.envelope);
        let what = envelope.subject.to_string();
        if !self.quorum.places().contains(&incoming.place) {
            return Err(PartyError::NotInQuorum { name: from });
        }
        if envelope.subject != self.subject {
            let got = format!("{what} of another ciphertext or quorum");
            return Err(PartyError::Unexpected { from, got });
        }
        if self.is_complete() {
            return Err(PartyError::Late { from, what });
        }
        if self.heard.contains(&incoming.place) {
            return Err(PartyError::Repeated { from, what });
        }
        let modulus_bits = self.parameters().level(self.ciphertext.level()).modulus.log2();
        let most = (modulus_bits - 2.0 - WIDEST.log2()).min(WIDEST_BITS);
        let bits = envelope.noise_bits;
        match bits <= most {
            true => Ok(()),
            false => Err(PartyError::Noise { from, bits, most }),
        }
    }

    pub fn add(&mut self, place: usize, noise_bits: f64) {
        self.heard.push(place);
        self.variance += (2.0 * noise_bits).exp2();
    }

    fn is_complete(&self) -> bool {
        self.heard.len() == self.quorum.places().len()
    }

    pub fn check_complete(&self) -> Result<(), PartyError> {
        let missing = self.quorum.places().iter().filter(|place| !self.heard.contains(place));
        let from = self.session.names_of(missing.copied());
        match from.is_empty() {
            true => Ok(()),
            false => Err(PartyError::Missing { what: "the result".to_owned(), from }),
        }
    }

    pub fn parameters(&self) -> &Parameters {
        self.session.parameters()
    }

    pub fn basis(&self) -> &Basis {
        &self.parameters().level(self.ciphertext.level()).basis
    }

    /// The standard deviation of a slot's value, of the noise of all parties.
    pub fn noise_in_slot(&self) -> f64 {
        Scale::exp2(self.variance.log2() / 2.0 + to_slot_bits(&self.ciphertext)).value()
    }
}
