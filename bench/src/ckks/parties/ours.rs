// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Our side: a group of parties, and a message of each kind of each party.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use halimede_ckks::encoding::Encoder;
use halimede_ckks::keys::{KeyUse, PublicKey};
use halimede_ckks::parties::{
    Decryption, KeyCollector, KeySwitch, Masking, Party, Quorum, Refresh, Session,
};
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Sharing, Values};

use super::operation::Operation;

/// The parameters.
const PRESET: &str = "n15";
/// The level of the ciphertexts that are decrypted, switched and refreshed.
const LOW_LEVEL: usize = 2;
/// The statement of a refresh, in bits.
const MASK_BITS: u32 = 40;
/// The statement of decryptions and key switches.
const SHARING: Sharing =
    Sharing { security_bits: 8, queries: 4, error_at_least: None, expected: None };
/// The place of log₂ of the noise in a message.
const NOISE_AT: std::ops::Range<usize> = 116..124;

/// The parties of a session with messages of all kinds, and the same number of parties of which a
/// majority decrypts.
pub struct Group {
    parties: Vec<Party>,
    quorum: Quorum,
    messages: BTreeMap<Operation, Vec<Vec<u8>>>,
    low: Ciphertext,
    /// The ciphertext of key switches: a party answers once for a ciphertext.
    other: Ciphertext,
    receiver: PublicKey,
    /// `None` for two parties, of which no fewer decrypt.
    majority: Option<Majority>,
}

/// A party of a session in which a majority decrypts.
struct Majority {
    party: Party,
    quorum: Quorum,
    low: Ciphertext,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns the result of a function, and its time.
fn timed<T, E: std::fmt::Display>(
    function: impl FnOnce() -> Result<T, E>,
) -> Result<Duration, String> {
    let start = Instant::now();
    let result = function();
    let time = start.elapsed();
    result.map(|result| drop(black_box(result))).map_err(text)?;
    Ok(time)
}

fn operations(operation: Operation) -> Operations {
    match operation {
        Operation::Products | Operation::Reply | Operation::CollectReply => {
            Operations { multiply: true, ..Operations::default() }
        }
        Operation::Rotation | Operation::CollectRotation => {
            Operations { rotations: vec![1], ..Operations::default() }
        }
        _ => Operations::default(),
    }
}

/// Encrypts values under the collective public key of all parties.
fn encrypted(parties: &[Party], messages: &[Vec<u8>]) -> Result<Ciphertext, String> {
    let session = parties.first().ok_or("no parties")?.session();
    let parameters = session.parameters();
    let mut collector = KeyCollector::new(session, &Operations::default()).map_err(text)?;
    for (party, message) in parties.iter().zip(messages) {
        collector.receive(party.name(), message).map_err(text)?;
    }
    let values: Vec<Complex> = values(parameters.slots());
    let values = Values::from(&values[..]).within(1.0);
    let (encoder, mut random) = (Encoder::new(parameters), Random::new().map_err(text)?);
    let public = collector.public_key().map_err(text)?;
    public.encrypt_at(&encoder, values, LOW_LEVEL, &mut random).map_err(text)
}

/// Values of absolute value below 1, as on the other side.
fn values(count: usize) -> Vec<Complex> {
    let part = |i: usize, modulus: usize| (i % modulus) as f64 / modulus as f64 - 0.5;
    (0..count).map(|i| Complex::new(part(i, 1009), part(i, 769))).collect()
}

fn public_key_messages(parties: &[Party]) -> Result<Vec<Vec<u8>>, String> {
    parties.iter().map(|party| party.public_key_message().map_err(text)).collect()
}

impl Majority {
    /// Lets all parties share their secrets. Returns the first one with the shares of all others,
    /// and those shares; the first of them is for another party.
    fn new(mut parties: Vec<Party>) -> Result<(Self, Vec<Vec<u8>>), String> {
        let low = encrypted(&parties, &public_key_messages(&parties)?)?;
        let mut shares = Vec::new();
        for party in &mut parties {
            let messages = party.share_messages().map_err(text)?;
            shares.extend(messages.into_iter().take(1).map(|message| message.bytes.to_vec()));
        }
        let mut party = parties.swap_remove(0);
        let session = party.session().clone();
        for (name, share) in session.names().iter().zip(&shares).skip(1) {
            party.receive(name, share).map_err(text)?;
        }
        let members = session.names().get(..session.threshold()).ok_or("no members")?;
        let quorum = session.quorum(members).map_err(text)?;
        Ok((Self { party, quorum, low }, shares))
    }

    fn decryption(&mut self) -> Result<Vec<u8>, String> {
        let Self { party, quorum, low } = self;
        party.decryption_message(low, &SHARING, quorum).map_err(text)
    }
}

impl Group {
    /// Creates a group of this number of parties, which have made all messages once, and checks the
    /// errors of their decryption.
    ///
    /// # Errors
    /// If a party refuses something.
    pub fn new(count: usize) -> Result<Self, String> {
        let parameters = Parameters::preset(PRESET).map_err(text)?;
        let names: Vec<String> = (0..count).map(|number| format!("party {number}")).collect();
        let session = Session::new(&parameters, &[7; 32], &names).map_err(text)?;
        let all = |session: &Session| -> Result<Vec<Party>, String> {
            names.iter().map(|name| Party::new(session, name).map_err(text)).collect()
        };
        let parties = all(&session)?;
        let keys = public_key_messages(&parties)?;
        let (low, other) = (encrypted(&parties, &keys)?, encrypted(&parties, &keys)?);
        let receiver = Client::new(&parameters).map_err(text)?.public_key();
        let quorum = parties.first().ok_or("no parties")?.session().everyone().map_err(text)?;
        let mut messages = BTreeMap::from([(Operation::PublicKey, keys)]);
        let majority = match count / 2 + 1 {
            threshold if threshold < count => {
                let session = Session::with_threshold(&parameters, &[8; 32], &names, threshold);
                let (majority, shares) = Majority::new(all(&session.map_err(text)?)?)?;
                messages.insert(Operation::Shares, shares);
                Some(majority)
            }
            _ => None,
        };
        let mut group = Self { parties, quorum, messages, low, other, receiver, majority };
        group.make_messages()?;
        group.check()?;
        Ok(group)
    }

    /// Lets all parties make the other messages.
    fn make_messages(&mut self) -> Result<(), String> {
        let messages = [
            Operation::Products,
            Operation::Rotation,
            Operation::Decrypt,
            Operation::Switch,
            Operation::Refresh,
        ];
        for operation in messages {
            let all = (0..self.parties.len()).map(|place| self.message(place, operation));
            let all = all.collect::<Result<_, _>>()?;
            self.messages.insert(operation, all);
        }
        let replies = (0..self.parties.len()).map(|place| self.reply(place));
        let replies = replies.collect::<Result<_, _>>()?;
        self.messages.insert(Operation::Reply, replies);
        if let Some(majority) = &mut self.majority {
            self.messages.insert(Operation::DecryptBySome, vec![majority.decryption()?]);
        }
        Ok(())
    }

    /// Checks that a decryption is as precise as it says.
    fn check(&self) -> Result<(), String> {
        let decrypted = self.decryption()?.finish().map_err(text)?;
        let wanted = values(decrypted.values.len());
        let errors = decrypted.values.iter().zip(&wanted);
        let squares: f64 = errors.map(|(got, wanted)| (*got - *wanted).abs().powi(2)).sum();
        let error = (squares / wanted.len() as f64).sqrt();
        match error <= 1.5 * (-decrypted.precision_bits).exp2() {
            true => Ok(()),
            false => Err(format!("a decryption has the error {error:e}")),
        }
    }

    /// log₂ QP, log₂ Q of low ciphertexts, and log₂ of the standard deviation of a coefficient's
    /// noise in a decryption.
    pub fn figures(&self) -> Result<[f64; 3], String> {
        let parameters = self.session()?.parameters();
        let noise = self.of(Operation::Decrypt).first().and_then(|message| message.get(NOISE_AT));
        let noise = noise.and_then(|bytes| bytes.try_into().ok()).map(f64::from_le_bytes);
        let low = parameters.level(LOW_LEVEL).modulus.log2();
        Ok([parameters.modulus_bits(), low, noise.ok_or("no noise")?])
    }

    /// Returns `true` if the parties of the group can do an operation. Two parties have no
    /// majority, and the first round of a key for products goes from party to party.
    pub fn has(&self, operation: Operation) -> bool {
        match operation {
            Operation::Shares | Operation::CollectShares | Operation::DecryptBySome => {
                self.majority.is_some()
            }
            other => other != Operation::CollectProducts,
        }
    }

    /// The bytes of the message that one party sends to another; `None` for an aggregation.
    pub fn bytes(&self, operation: Operation) -> Option<usize> {
        self.of(operation).first().map(Vec::len)
    }

    fn of(&self, operation: Operation) -> &[Vec<u8>] {
        self.messages.get(&operation).map_or(&[], Vec::as_slice)
    }

    fn session(&self) -> Result<&Session, String> {
        self.parties.first().map(Party::session).ok_or_else(|| "no parties".to_owned())
    }

    /// The messages of all parties with their names.
    fn sent(&self, operation: Operation) -> impl Iterator<Item = (&str, &Vec<u8>)> {
        self.parties.iter().map(Party::name).zip(self.of(operation))
    }

    /// Makes a message of one party, for the operations that need no other messages.
    fn message(&mut self, place: usize, operation: Operation) -> Result<Vec<u8>, String> {
        let (low, quorum, receiver) = (&self.low, &self.quorum, &self.receiver);
        let party = self.parties.get_mut(place).ok_or("no such party")?;
        let message = match operation {
            Operation::PublicKey => party.public_key_message(),
            Operation::Products | Operation::Rotation => {
                let (of, level) = key(party, operation)?;
                party.key_message(of, level)
            }
            Operation::Decrypt => party.decryption_message(low, &SHARING, quorum),
            Operation::Switch => party.switch_message(&self.other, &SHARING, quorum, receiver),
            Operation::Refresh => party.refresh_message(low, &Masking::new(MASK_BITS), quorum),
            other => return Err(format!("{other:?} is not a message of a party")),
        };
        message.map_err(text)
    }

    /// Makes the message of the second round of the key for products.
    fn reply(&mut self, place: usize) -> Result<Vec<u8>, String> {
        let first = self.messages.get(&Operation::Products).ok_or("no first round")?;
        let names: Vec<String> = self.parties.iter().map(|party| party.name().to_owned()).collect();
        let party = self.parties.get_mut(place).ok_or("no such party")?;
        let mut reply = None;
        for (other, (name, message)) in names.iter().zip(first).enumerate() {
            if other != place {
                reply = party.receive(name, message).map_err(text)?;
            }
        }
        reply.ok_or_else(|| "no second round".to_owned())
    }

    fn decryption(&self) -> Result<Decryption, String> {
        let decryption = Decryption::new(self.session()?, &self.low, &self.quorum);
        let mut decryption = decryption.map_err(text)?;
        for (from, message) in self.sent(Operation::Decrypt) {
            decryption.receive(from, message).map_err(text)?;
        }
        Ok(decryption)
    }

    /// Does an operation once, and returns its time.
    ///
    /// # Errors
    /// If a party or a collector refuses something.
    pub fn time(&mut self, operation: Operation) -> Result<Duration, String> {
        match operation {
            Operation::Reply => {
                // The party begins the round again, which is not timed.
                self.message(0, Operation::Products)?;
                timed(|| self.reply(0))
            }
            Operation::Shares => {
                let majority = self.majority.as_mut().ok_or("no majority")?;
                timed(|| majority.party.share_messages())
            }
            Operation::DecryptBySome => {
                let majority = self.majority.as_mut().ok_or("no majority")?;
                timed(|| majority.decryption())
            }
            Operation::CollectShares => {
                let party = &self.majority.as_ref().ok_or("no majority")?.party;
                let mut party = Party::new(party.session(), party.name()).map_err(text)?;
                timed(|| {
                    let mut sent = self.sent(Operation::Shares).skip(1);
                    sent.try_for_each(|(from, share)| party.receive(from, share).map(drop))
                })
            }
            Operation::CollectDecrypt => timed(|| self.decryption()?.finish().map_err(text)),
            Operation::CollectPublicKey
            | Operation::CollectReply
            | Operation::CollectRotation
            | Operation::CollectSwitch
            | Operation::CollectRefresh => self.collect(operation),
            message => timed(|| self.message(0, message)),
        }
    }

    /// Adds up the messages of all parties, and returns the time.
    fn collect(&self, operation: Operation) -> Result<Duration, String> {
        let (session, low, quorum) = (self.session()?, &self.low, &self.quorum);
        match operation {
            Operation::CollectSwitch => timed(|| {
                let mut switch = KeySwitch::new(session, &self.other, quorum, &self.receiver)?;
                for (from, message) in self.sent(Operation::Switch) {
                    switch.receive(from, message)?;
                }
                switch.finish()
            }),
            Operation::CollectRefresh => timed(|| {
                let mut refresh = Refresh::new(session, low, quorum)?;
                for (from, message) in self.sent(Operation::Refresh) {
                    refresh.receive(from, message)?;
                }
                refresh.finish()
            }),
            _ => {
                let (sent, operations) = (operation.collected(), operations(operation));
                timed(|| {
                    let mut collector = KeyCollector::new(session, &operations)?;
                    for (from, message) in self.sent(sent) {
                        collector.receive(from, message)?;
                    }
                    match sent {
                        Operation::PublicKey => collector.public_key().map(|_| ()),
                        _ => collector.evaluation_keys().map(|_| ()),
                    }
                })
            }
        }
    }
}

/// The key to whose generation an operation belongs, with its level.
fn key(party: &Party, operation: Operation) -> Result<(KeyUse, usize), String> {
    let keys = operations(operation).keys(party.session().parameters());
    keys.into_iter().next().ok_or_else(|| format!("{operation:?} has no key"))
}
