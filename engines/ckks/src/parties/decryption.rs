// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the shares of a decryption, and of a key switch to another public key.

use super::answers::{check_receiver, decryption_subject, switch_subject};
use super::error::PartyError;
use super::message::Incoming;
use super::session::{Quorum, Session};
use super::subject::Subject;
use crate::client::{round, to_slot_bits};
use crate::complex::Complex;
use crate::encoding::{Encoder, Plaintext};
use crate::estimate::{Noise, Origin};
use crate::evaluator::{Ciphertext, Metadata};
use crate::keys::{KeyId, PublicKey};
use crate::params::{public_error, Parameters, Scale};
use crate::ring::{Basis, Form, Polynomial};
use crate::sampling::{WIDEST, WIDEST_BITS};

/// The messages of a quorum for one ciphertext.
struct Shares {
    session: Session,
    quorum: Quorum,
    ciphertext: Ciphertext,
    subject: Subject,
    /// The places of the parties whose messages arrived.
    heard: Vec<usize>,
    /// The sum of the variances of a coefficient's noise.
    variance: f64,
}

impl Shares {
    fn new(
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
    fn check(&self, incoming: &Incoming<'_>) -> Result<(), PartyError> {
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

    fn add(&mut self, place: usize, noise_bits: f64) {
        self.heard.push(place);
        self.variance += (2.0 * noise_bits).exp2();
    }

    fn is_complete(&self) -> bool {
        self.heard.len() == self.quorum.places().len()
    }

    fn check_complete(&self) -> Result<(), PartyError> {
        let missing = self.quorum.places().iter().filter(|place| !self.heard.contains(place));
        let from = self.session.names_of(missing.copied());
        match from.is_empty() {
            true => Ok(()),
            false => Err(PartyError::Missing { what: "the result".to_owned(), from }),
        }
    }

    fn parameters(&self) -> &Parameters {
        self.session.parameters()
    }

    fn basis(&self) -> &Basis {
        &self.parameters().level(self.ciphertext.level()).basis
    }

    /// The standard deviation of a slot's value, of the noise of all parties.
    fn noise_in_slot(&self) -> f64 {
        Scale::exp2(self.variance.log2() / 2.0 + to_slot_bits(&self.ciphertext)).value()
    }
}

/// The result of a collective decryption.
#[derive(Clone, Debug, PartialEq)]
pub struct Decrypted {
    /// The values with the noise of all parties, rounded to a power of two of at most a quarter of
    /// its standard deviation.
    pub values: Vec<Complex>,
    /// The correct bits after the binary point: −log₂ of the standard deviation of a slot's error,
    /// the noise of all parties included.
    pub precision_bits: f64,
}

/// Turns the shares of a quorum into the values of a ciphertext. Anyone who has them can do that.
pub struct Decryption {
    shares: Shares,
    encoder: Encoder,
    /// The sums of the chosen coefficients, one residue for each prime.
    sums: Vec<u32>,
}

impl Decryption {
    /// Starts to collect the shares for a ciphertext.
    ///
    /// # Errors
    /// [`PartyError::Evaluation`] for a ciphertext of another session or one that cannot be
    /// decrypted, and [`PartyError::Quorum`] for a quorum of another session.
    pub fn new(
        session: &Session,
        ciphertext: &Ciphertext,
        quorum: &Quorum,
    ) -> Result<Self, PartyError> {
        let subject = decryption_subject(ciphertext, quorum);
        let shares = Shares::new(session, quorum, ciphertext, subject)?;
        let sums = vec![0; shares.basis().len() * 2 * ciphertext.slots()];
        Ok(Self { shares, encoder: Encoder::new(session.parameters()), sums })
    }

    /// Receives the message of a party, whose name the caller's channel authenticated.
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The message is ignored then.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<(), PartyError> {
        let session = self.shares.session.clone();
        let incoming = Incoming::open(&session, from, message)?;
        self.shares.check(&incoming)?;
        let (place, noise_bits) = (incoming.place, incoming.envelope.noise_bits);
        let (basis, count) = (self.shares.basis().clone(), 2 * self.shares.ciphertext.slots());
        let residues = incoming.residues(&basis, count)?;
        let moduli = session.parameters().ring().moduli(&basis);
        let limbs = self.sums.chunks_exact_mut(count).zip(residues.chunks_exact(count));
        for (modulus, (sums, residues)) in moduli.iter().zip(limbs) {
            for (sum, residue) in sums.iter_mut().zip(residues) {
                *sum = modulus.add(*sum, *residue);
            }
        }
        self.shares.add(place, noise_bits);
        Ok(())
    }

    /// Returns the values.
    ///
    /// # Errors
    /// [`PartyError::Missing`], which names the parties whose messages are missing.
    pub fn finish(&self) -> Result<Decrypted, PartyError> {
        self.shares.check_complete()?;
        let (a, parameters) = (&self.shares.ciphertext, self.shares.parameters());
        let (ring, basis) = (parameters.ring(), self.shares.basis());
        let (count, step) = (2 * a.slots(), parameters.slots() / a.slots());
        let first = ring.coefficients(a.parts()[0], basis);
        let polynomial = ring.from_places(basis, Form::Coefficients, |place, modulus, limb| {
            limb.fill(0);
            let index = basis.limb_of(place).unwrap_or_default();
            let sums = self.sums.chunks_exact(count).nth(index).unwrap_or_default();
            let known = first.limb(index).iter().step_by(step).zip(sums);
            for (residue, (first, sum)) in limb.iter_mut().step_by(step).zip(known) {
                *residue = modulus.add(*first, *sum);
            }
        });
        let (scale, bound) = (a.scale(), a.bound());
        let (slots, length, origin) = (a.slots(), a.length(), Origin::ZERO);
        let plaintext = Plaintext { polynomial, scale, slots, length, bound, origin };
        let mut values = self.encoder.decode(&plaintext);
        let noise = self.shares.noise_in_slot();
        round(&mut values, noise);
        if bound.is_real() {
            values.iter_mut().for_each(|value| value.im = 0.0);
        }
        Ok(Decrypted { values, precision_bits: -noise.hypot(a.estimate().error).log2() })
    }
}

/// Turns the shares of a quorum into a ciphertext of the same values under a receiver's key.
pub struct KeySwitch {
    shares: Shares,
    /// The parameters and the identity of the receiver's secret key.
    receiver: (Parameters, KeyId),
    sums: [Polynomial; 2],
}

impl KeySwitch {
    /// Starts to collect the shares for a ciphertext and a receiver.
    ///
    /// # Errors
    /// [`PartyError::Receiver`] for a key of other moduli; otherwise as [`Decryption::new`].
    pub fn new(
        session: &Session,
        ciphertext: &Ciphertext,
        quorum: &Quorum,
        receiver: &PublicKey,
    ) -> Result<Self, PartyError> {
        check_receiver(session.parameters(), receiver)?;
        let subject = switch_subject(ciphertext, quorum, receiver);
        let shares = Shares::new(session, quorum, ciphertext, subject)?;
        let zero = session.parameters().ring().zero(shares.basis(), Form::Values);
        let sums = [ciphertext.parts()[0].clone(), zero];
        let receiver = (receiver.parameters().clone(), receiver.owner());
        Ok(Self { shares, receiver, sums })
    }

    /// Receives the message of a party, whose name the caller's channel authenticated.
    ///
    /// # Errors
    /// [`PartyError`], which names the sender. The message is ignored then.
    pub fn receive(&mut self, from: &str, message: &[u8]) -> Result<(), PartyError> {
        let session = self.shares.session.clone();
        let incoming = Incoming::open(&session, from, message)?;
        self.shares.check(&incoming)?;
        let (place, noise_bits) = (incoming.place, incoming.envelope.noise_bits);
        let bases = [self.shares.basis(), self.shares.basis()].map(Basis::clone);
        let parts = incoming.polynomials(&bases)?;
        for (sum, part) in self.sums.iter_mut().zip(&parts) {
            session.parameters().ring().add(sum, part);
        }
        self.shares.add(place, noise_bits);
        Ok(())
    }

    /// Returns the ciphertext under the receiver's key. Its estimate includes the noise of all
    /// parties.
    ///
    /// # Errors
    /// [`PartyError::Missing`], which names the parties whose messages are missing.
    pub fn finish(&self) -> Result<Ciphertext, PartyError> {
        self.shares.check_complete()?;
        let a = &self.shares.ciphertext;
        // v·e + e₁·s' of each party, under the receiver's secret s' and the error e of its key.
        let (parties, (parameters, owner)) = (self.shares.heard.len() as f64, &self.receiver);
        let masks = public_error(parameters, a.scale(), a.slots());
        let error = self.shares.noise_in_slot().hypot(masks * parties.sqrt());
        let [first, second] = &self.sums;
        let origin = |part: &Polynomial, what: &str| {
            let words = part.limb(0).iter().take(8).map(|residue| u64::from(*residue));
            Origin::derived(what, [Origin::of_words(words)])
        };
        let origins = [origin(first, "the first part"), origin(second, "the second part")];
        let added = Noise::source(Origin::derived("a collective key switch", [origins[1]]), error);
        let noise = a.noise().sum(&added);
        let metadata: Metadata<2> = a.metadata().clone();
        let metadata = metadata.with_owner(*owner).computed_from(origins, noise);
        Ok(Ciphertext::new(self.sums.clone(), metadata))
    }
}
