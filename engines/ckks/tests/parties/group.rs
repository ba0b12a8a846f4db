// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session with all its parties and keys.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use halimede_ckks::encoding::Encoder;
use halimede_ckks::keys::PublicKey;
use halimede_ckks::parties::{Decryption, KeyCollector, Party, PartyError, Quorum, Session};
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server, Sharing, Values};

pub struct Group {
    pub session: Session,
    pub parties: Vec<Party>,
    pub public: PublicKey,
    pub server: Server,
    pub random: Random,
}

pub fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("party {number}")).collect()
}

pub fn session(parameters: &Parameters, count: usize) -> Session {
    Session::new(parameters, &[count as u8 + 1; 32], &names(count)).unwrap()
}

/// Lets all parties make keys for the operations.
pub fn keys(parties: &mut [Party], operations: &Operations) -> KeyCollector {
    let session = parties[0].session().clone();
    let mut collector = KeyCollector::new(&session, operations).unwrap();
    let all: Vec<(String, Vec<u8>)> = parties
        .iter_mut()
        .flat_map(|party| {
            let name = party.name().to_owned();
            let messages = party.key_messages(operations).unwrap();
            messages.into_iter().map(move |message| (name.clone(), message))
        })
        .collect();
    for (from, message) in &all {
        match collector.receive(from, message) {
            Err(PartyError::Unexpected { .. }) => {}
            received => {
                received.unwrap();
                continue;
            }
        }
        // The first round of the key for products.
        for party in parties.iter_mut().filter(|party| party.name() != from) {
            if let Some(reply) = party.receive(from, message).unwrap() {
                collector.receive(party.name(), &reply).unwrap();
            }
        }
    }
    collector
}

impl Group {
    pub fn new(parameters: &Parameters, count: usize, operations: &Operations) -> Self {
        Self::of_session(session(parameters, count), operations)
    }

    pub fn of_session(session: Session, operations: &Operations) -> Self {
        let party =
            |(number, name): (u64, &String)| Party::of_test(&session, name, 1000 + number).unwrap();
        let mut parties: Vec<Party> = (0..).zip(session.names()).map(party).collect();
        let collector = keys(&mut parties, operations);
        let public = collector.public_key().unwrap();
        let server = Server::new(collector.evaluation_keys().unwrap());
        Self {
            parties,
            public,
            server,
            random: Random::of_test(session.names().len() as u64),
            session,
        }
    }

    pub fn everyone(&self) -> Quorum {
        self.session.everyone().unwrap()
    }

    /// Encrypts with the public key, at the level of fresh ciphertexts.
    pub fn encrypt(&mut self, values: &[Complex], bound: f64) -> Ciphertext {
        let parameters = self.session.parameters();
        let (encoder, level) = (Encoder::new(parameters), parameters.fresh_level());
        let values = Values::from(values).within(bound);
        self.public.encrypt_at(&encoder, values, level, &mut self.random).unwrap()
    }

    /// A client with the sum of all secrets, which nobody has outside of tests.
    pub fn oracle(&self) -> Client {
        Client::with_secret(Party::collective_secret(&self.parties).unwrap()).unwrap()
    }

    /// Lets all parties make their shares of a decryption.
    pub fn decryption_messages(
        &mut self,
        ciphertext: &Ciphertext,
        sharing: &Sharing,
    ) -> Vec<(String, Vec<u8>)> {
        let quorum = self.everyone();
        let message = |party: &mut Party| {
            let message = party.decryption_message(ciphertext, sharing, &quorum).unwrap();
            (party.name().to_owned(), message)
        };
        self.parties.iter_mut().map(message).collect()
    }

    /// Decrypts a ciphertext.
    pub fn decrypt(&mut self, ciphertext: &Ciphertext, sharing: &Sharing) -> (Vec<Complex>, f64) {
        let quorum = self.everyone();
        let mut decryption = Decryption::new(&self.session, ciphertext, &quorum).unwrap();
        for (from, message) in self.decryption_messages(ciphertext, sharing) {
            decryption.receive(&from, &message).unwrap();
        }
        let decrypted = decryption.finish().unwrap();
        (decrypted.values, decrypted.precision_bits)
    }
}

/// Values that look random, of absolute value up to 1.
pub fn values(count: usize, seed: usize) -> Vec<Complex> {
    let value = |index: usize| {
        let angle = (index * index + 31 * seed * index + seed) as f64 * 0.7;
        Complex::new(angle.sin() * 0.7, (angle * 1.3).cos() * 0.7)
    };
    (0..count).map(value).collect()
}

/// The root of the mean square of the errors.
pub fn error(got: &[Complex], wanted: &[Complex]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let square = |(got, wanted): (&Complex, &Complex)| (*got - *wanted).abs().powi(2);
    let squares = got.iter().zip(wanted).map(square).sum::<f64>();
    (squares / got.len() as f64).sqrt()
}
