// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Re-sharing: the parties of a quorum hand the key over to the parties of the next session
//! (Desmedt, Jajodia, "Redistributing secret shares to new access structures", 1997).
//!
//! Party j of the quorum has the summand wⱼ of s = Σ wⱼ: its secret, or λⱼ·S(j). It samples a
//! polynomial Wⱼ of degree t' − 1 with Wⱼ(0) = wⱼ and other coefficients uniform modulo each prime,
//! and sends Wⱼ(i) to new party i. The sum of the shares of new party i is S'(i), S' = Σ Wⱼ, with
//! S'(0) = s. S' is independent of S: t − 1 old and t' − 1 new parties together know nothing of s.
//!
//! Each party of the quorum also sends a secret seed for each pair of new parties. The exclusive or
//! of all t is the seed of the pair's masks, which fewer than t old parties do not know.

use zeroize::{Zeroize, Zeroizing};

use super::error::PartyError;
use super::message::{write_secret, Envelope};
use super::party::{HandedOver, Party};
use super::session::Session;
use super::shares::{share_at, Shares, BUDGET_BYTES};
use super::sharing::SecretMessage;
use super::subject::Subject;
use crate::ring::Polynomial;
use crate::sampling::{secret_uniform, Seed, SEED_BYTES};
use crate::wiping::with_stack_wiped;

impl Party {
    /// Hands the party's share over to the parties of the session `next`, a
    /// [re-sharing](Session::reshared) of this one by a quorum to which the party belongs: makes a
    /// message for each new party, which [`receives`](Self::receive) it. The channel of these
    /// messages must be *confidential*: whoever reads those of a whole quorum knows the secret key.
    ///
    /// From now on the party answers no more. The same call returns the same bytes, and after a
    /// failed re-sharing the party may hand its share over to another session after this one. When
    /// all new parties have their shares, call [`Self::retire`].
    ///
    /// # Errors
    /// [`PartyError::NotNext`] for a session that does not follow this one,
    /// [`PartyError::NotInQuorum`] if the party does not hand over in it, and
    /// [`PartyError::NoShare`] if the party has no share yet.
    pub fn hand_over_messages(&mut self, next: &Session) -> Result<Vec<SecretMessage>, PartyError> {
        self.check_follows(next)?;
        let session = self.session.clone();
        let senders = next.senders();
        let sender = senders.iter().position(|name| name == self.name());
        let Some(sender) = sender else {
            return Err(PartyError::NotInQuorum { name: self.name().to_owned() });
        };
        let share = self.share_of_quorum(&session.quorum(senders)?)?;
        let summand = match &share {
            Some(share) => share,
            None => self.own_secret()?.values(),
        };
        let ring = session.parameters().ring();
        let mut random = self.random(Subject::HandOver(0), next.id().as_bytes());
        let coefficient = |_| secret_uniform(&mut random, ring, &ring.all());
        let coefficients: Vec<Polynomial> = (1..next.threshold()).map(coefficient).collect();
        let count = next.names().len();
        // One for each pair, at both places.
        let mut seeds = Zeroizing::new(vec![[0; SEED_BYTES]; count * count]);
        for low in 0..count {
            for high in low + 1..count {
                let pair = [low * count + high, high * count + low];
                with_stack_wiped(|| {
                    let seed: Zeroizing<Seed> = Zeroizing::new(random.seed());
                    pair.iter().for_each(|place| seeds[*place].copy_from_slice(&seed[..]));
                });
            }
        }
        let (made, queries) = (self.budget.made(), self.budget.queries().unwrap_or(0));
        let mut messages = Vec::new();
        for (place, to) in next.names().iter().enumerate() {
            let size = count * SEED_BYTES + BUDGET_BYTES;
            let mut more = Zeroizing::new(Vec::with_capacity(size));
            seeds[place * count..][..count].iter().for_each(|seed| more.extend_from_slice(seed));
            more.extend_from_slice(&made.to_le_bytes());
            more.extend_from_slice(&queries.to_le_bytes());
            let share = share_at(ring, summand, &coefficients, place);
            let envelope = Envelope::new(Subject::HandOver(place as u16));
            let bytes = write_secret(next, sender, &envelope, &share, &more)?;
            messages.push(SecretMessage { to: to.clone(), bytes });
        }
        self.handed = Some(HandedOver { next: next.id(), is_wiped: false });
        Ok(messages)
    }

    /// Wipes the party's share after the re-sharing to the session `next`. From now on it can do
    /// nothing. All parties of the old session call this, whether they handed over or not, once all
    /// new parties [have their shares](Self::missing_shares): without them, the key is lost.
    ///
    /// # Errors
    /// [`PartyError::NotNext`] for a session that does not follow this one.
    pub fn retire(&mut self, next: &Session) -> Result<(), PartyError> {
        self.check_follows(next)?;
        self.secret = None;
        self.seed.zeroize();
        self.shares = Shares::new(&self.session);
        self.rounds.clear();
        self.handed = Some(HandedOver { next: next.id(), is_wiped: true });
        Ok(())
    }

    /// Checks that a session is a re-sharing of this one.
    fn check_follows(&self, next: &Session) -> Result<(), PartyError> {
        let (got, ours) = (next.id(), self.session.id());
        if let Some(HandedOver { next, is_wiped: true }) = self.handed {
            return Err(PartyError::HandedOver { session: ours, next });
        }
        match next.parent() == Some(ours) {
            true => Ok(()),
            false => Err(PartyError::NotNext { got, ours }),
        }
    }
}
