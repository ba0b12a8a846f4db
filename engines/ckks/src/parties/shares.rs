// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shares of the parties' secrets under a threshold t (Shamir, "How to share a secret", CACM 1979;
//! over the ring: Mouchet, Bertrand, Hubaux, "An efficient threshold access-structure for
//! RLWE-based multiparty homomorphic encryption", J. Cryptology 2023, section 4).
//!
//! Party i samples a polynomial Sᵢ of degree t − 1 over the ring with Sᵢ(0) = sᵢ and other
//! coefficients uniform modulo each prime, and sends Sᵢ(j) to party j. The sum of all shares of
//! party j is S(j), S = Σ Sᵢ. In a quorum T the secret is s = Σ λⱼ·S(j) with Lagrange's
//! coefficients λⱼ = Π m/(m − j) over the other m in T. Points differ by less than any prime, so
//! the quotients exist.
//!
//! Party j answers with c₁·λⱼ·S(j), a mask and noise. **The mask is necessary.** Parties outside of
//! the quorum may collude as well: t − 1 colluding parties know S up to s, so for each honest party
//! of the quorum they know μⱼ with λⱼ·S(j) = μⱼ·s + known. Two answers without masks, μ₁·w + x₁ and
//! μ₂·w + x₂ for a coefficient w of c₁·s, reveal p₂·x₁ − p₁·x₂ for the small numbers p₁/p₂ = μ₁/μ₂,
//! and so x₁ + x₂ modulo p₁ + p₂: the error of the ciphertext, however large the noise is
//! (`attacks.rs`). Each pair of parties therefore has a secret seed, and each pair in the quorum
//! adds and subtracts a uniform polynomial that is expanded from it. Only the sum of the answers of
//! all honest parties is left: c₁·s + known, and their noise.

use zeroize::Zeroizing;

use super::error::PartyError;
use super::message::Incoming;
use super::session::{derived, Quorum, Session};
use super::subject::Subject;
use crate::ring::{Form, Modulus, Polynomial, Ring};
use crate::sampling::{secret_uniform, Random, Seed, SEED_BYTES};
use crate::wiping::with_stack_wiped;

/// Bytes of the number of answers, and of the smallest number that was stated, in a message of a
/// party that hands its share over.
pub(super) const BUDGET_BYTES: usize = 8;

/// The shares that a party received, its own included.
pub(super) struct Shares {
    /// The sum of the shares, marked secret.
    pub sum: Option<Polynomial>,
    pub heard: Vec<bool>,
    /// The two halves of the seed of each pair: from this party, and to it.
    pub seeds: Zeroizing<Vec<[Seed; 2]>>,
}

impl Shares {
    pub fn new(session: &Session) -> Self {
        let seeds = Zeroizing::new(vec![[[0; SEED_BYTES]; 2]; session.names().len()]);
        Self { sum: None, heard: vec![false; session.senders().len()], seeds }
    }

    /// Receives the share of another party's secret.
    pub fn receive(&mut self, session: &Session, incoming: Incoming<'_>) -> Result<(), PartyError> {
        self.check(session, &incoming)?;
        let place = incoming.place;
        let (share, seed) = incoming.secret(SEED_BYTES)?;
        self.seeds[place][1].copy_from_slice(&seed);
        self.add(session, place, &share);
        Ok(())
    }

    /// Receives the share of a party that hands its share over. Returns the number of answers that
    /// it knows, and the smallest number that was stated to it, or 0.
    pub fn receive_hand_over(
        &mut self,
        session: &Session,
        incoming: Incoming<'_>,
    ) -> Result<(u32, u32), PartyError> {
        self.check(session, &incoming)?;
        let (from, place) = (incoming.from.to_owned(), incoming.place);
        let count = session.names().len();
        let (share, more) = incoming.secret(count * SEED_BYTES + BUDGET_BYTES)?;
        let (seeds, numbers) = more.split_at(count * SEED_BYTES);
        let number = |at: usize| {
            let bytes = numbers[at..].iter().take(size_of::<u32>());
            bytes.rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let (made, queries) = (number(0), number(size_of::<u32>()));
        if made > queries {
            let (at, what) = (0, format!("{made} answers of {queries}"));
            return Err(PartyError::Malformed { from, at, what });
        }
        for (halves, seed) in self.seeds.iter_mut().zip(seeds.chunks_exact(SEED_BYTES)) {
            for half in halves {
                half.iter_mut().zip(seed).for_each(|(byte, other)| *byte ^= other);
            }
        }
        self.add(session, place, &share);
        Ok((made, queries))
    }

    /// Checks that a message is the first share of its sender.
    pub fn check(&self, session: &Session, incoming: &Incoming<'_>) -> Result<(), PartyError> {
        let (from, place) = (incoming.from.to_owned(), incoming.place);
        let what = incoming.envelope.subject.to_string();
        if !session.has_shares() {
            return Err(PartyError::Unexpected { from, got: what });
        }
        if self.heard.iter().all(|heard| *heard) {
            return Err(PartyError::Late { from, what });
        }
        match self.heard[place] {
            true => Err(PartyError::Repeated { from, what }),
            false => Ok(()),
        }
    }

    /// The names of the parties whose shares are missing.
    pub fn missing(&self, session: &Session) -> Vec<String> {
        let heard = session.senders().iter().zip(&self.heard);
        heard.filter(|(_, heard)| !**heard).map(|(name, _)| name.clone()).collect()
    }

    /// Adds the share of a party, once.
    pub fn add(&mut self, session: &Session, place: usize, share: &Polynomial) {
        if self.heard[place] {
            return;
        }
        match &mut self.sum {
            None => self.sum = Some(share.clone()),
            Some(sum) => session.parameters().ring().add(sum, share),
        }
        self.heard[place] = true;
    }

    /// Returns λⱼ·S(j) for the party at a place, marked secret.
    pub fn summand(
        &self,
        session: &Session,
        place: usize,
        quorum: &Quorum,
    ) -> Result<Polynomial, PartyError> {
        let from = self.missing(session);
        let Some(sum) = self.sum.as_ref().filter(|_| from.is_empty()) else {
            return Err(PartyError::NoShare { from });
        };
        let mut summand = sum.clone();
        let lambda = |modulus| lagrange(modulus, place, quorum.places());
        session.parameters().ring().scale(&mut summand, lambda);
        Ok(summand)
    }

    /// Adds the masks of the pairs of a quorum, which cancel in the sum over the quorum. Call this
    /// only after [`Self::summand`] succeeded. `what` is the domain of the masks.
    pub fn mask(
        &self,
        what: &str,
        session: &Session,
        place: usize,
        quorum: &Quorum,
        subject: Subject,
        answer: &mut Polynomial,
    ) {
        let ring = session.parameters().ring();
        let basis = answer.basis().clone();
        for other in quorum.places().iter().filter(|other| **other != place) {
            let [own, theirs] = &self.seeds[*other];
            let [first, second] = if place < *other { [own, theirs] } else { [theirs, own] };
            let mask = with_stack_wiped(|| {
                let key = Zeroizing::new(derived(what, &[first, second, &subject.to_bytes()]));
                Random::of_key(&key)
            });
            let mut mask = secret_uniform(&mut { mask }, ring, &basis);
            if place > *other {
                ring.neg(&mut mask);
            }
            ring.add(answer, &mask);
        }
    }
}

/// Returns the share of a secret for the party at a place: the value of the polynomial with this
/// constant and these further coefficients, marked secret.
pub(super) fn share_at(
    ring: &Ring,
    constant: &Polynomial,
    coefficients: &[Polynomial],
    place: usize,
) -> Polynomial {
    let mut share = ring.zero(&ring.all(), Form::Values);
    for coefficient in coefficients.iter().rev() {
        ring.add(&mut share, coefficient);
        ring.scale(&mut share, |modulus| modulus.reduce(point(place)));
    }
    ring.add(&mut share, constant);
    share
}

/// The evaluation point of the party at a place.
pub(super) fn point(place: usize) -> u64 {
    place as u64 + 1
}

/// Lagrange's coefficient λⱼ at 0.
pub(super) fn lagrange(modulus: Modulus, place: usize, quorum: &[usize]) -> u32 {
    let of = |place: usize| modulus.reduce(point(place));
    let others = quorum.iter().filter(|other| **other != place);
    others.fold(1, |product, other| {
        let difference = modulus.sub(of(*other), of(place));
        modulus.mul(product, modulus.mul(of(*other), modulus.inverse(difference)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lagrange_coefficients_give_the_value_at_0() {
        let modulus = Modulus::new(1_073_479_681).unwrap();
        // 5 + 7X + 11X² at the points 1, 3, 4, 200.
        let value = |place: usize| {
            let x = modulus.reduce(point(place));
            let square = modulus.mul(x, x);
            let linear = modulus.add(5, modulus.mul(7, x));
            modulus.add(linear, modulus.mul(11, square))
        };
        for quorum in [[0, 2, 3], [2, 3, 199], [0, 1, 255]] {
            let sum = quorum.iter().fold(0, |sum, place| {
                let term = modulus.mul(lagrange(modulus, *place, &quorum), value(*place));
                modulus.add(sum, term)
            });
            assert_eq!(sum, 5);
        }
    }
}
