// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the shares of a decryption, and of a key switch to another public key.

use super::answers::{check_receiver, decryption_subject, switch_subject};
use super::collected::Collected;
use super::error::PartyError;
use super::message::Incoming;
use super::session::{Quorum, Session};
use crate::client::round;
use crate::complex::Complex;
use crate::encoding::{Encoder, Plaintext};
use crate::estimate::{Noise, Origin};
use crate::evaluator::{Ciphertext, Metadata};
use crate::keys::{KeyId, PublicKey};
use crate::params::{public_error, Parameters};
use crate::ring::{Basis, Form, Polynomial};

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
    shares: Collected,
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
        let shares = Collected::new(session, quorum, ciphertext, subject)?;
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
    shares: Collected,
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
        let shares = Collected::new(session, quorum, ciphertext, subject)?;
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
