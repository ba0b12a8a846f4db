// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The messages with which a party shares its secret under a threshold.

use zeroize::Zeroizing;

use super::error::PartyError;
use super::message::{write_secret, Envelope};
use super::party::Party;
use super::shares::share_at;
use super::subject::Subject;
use crate::ring::Polynomial;
use crate::sampling::secret_uniform;
use crate::wiping::with_stack_wiped;

/// A message that only its receiver may read: it contains a share of a secret. It is wiped on drop.
pub struct SecretMessage {
    /// The name of the receiver.
    pub to: String,
    /// The message.
    pub bytes: Zeroizing<Vec<u8>>,
}

impl Party {
    /// Shares the party's secret under the threshold: makes a message for each other party, which
    /// [`receives`](Self::receive) it. The channel of these messages must be *confidential*: who
    /// reads those of t parties knows their secrets.
    ///
    /// # Errors
    /// [`PartyError::NoThreshold`] if all parties decrypt together, and [`PartyError::Reshared`]
    /// after a re-sharing, where parties have shares instead of secrets.
    pub fn share_messages(&mut self) -> Result<Vec<SecretMessage>, PartyError> {
        let (session, own) = (self.session.clone(), self.place);
        let threshold = session.threshold();
        if !session.has_shares() {
            return Err(PartyError::NoThreshold { session: session.id() });
        }
        let mut random = self.random(Subject::Share(own as u16), &[]);
        let Some(secret) = &self.secret else { return Err(self.no_secret()) };
        let ring = session.parameters().ring();
        let all = ring.all();
        let coefficient = |_| secret_uniform(&mut random, ring, &all);
        let coefficients: Vec<Polynomial> = (1..threshold).map(coefficient).collect();
        let share = |place: usize| share_at(ring, secret.values(), &coefficients, place);
        let mut messages = Vec::new();
        for (place, to) in session.names().iter().enumerate() {
            if place == own {
                self.shares.add(&session, place, &share(place));
                continue;
            }
            let seed = &mut self.shares.seeds[place][0];
            with_stack_wiped(|| seed.copy_from_slice(&random.seed()));
            let envelope = Envelope::new(Subject::Share(place as u16));
            let bytes = write_secret(&session, own, &envelope, &share(place), seed)?;
            messages.push(SecretMessage { to: to.clone(), bytes });
        }
        Ok(messages)
    }
}
