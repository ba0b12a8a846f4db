// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a session, a party or a collector refuses a request or a message.

use super::session_id::SessionId;
use crate::client::SharingError;
use crate::encoding::EncodingError;
use crate::evaluator::EvaluationError;
use crate::files::FileError;
use crate::params::{ParametersError, Scale};
use crate::sampling::RandomError;

/// The reason why a session, a party or a collector refuses a request or a message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum PartyError {
    /// A name of a party is empty, too long or a duplicate.
    #[error("{name:?} cannot name a party: names are different and have 1 to {most} bytes")]
    Name { name: String, most: usize },
    /// The session has too few parties.
    #[error("a session of {got} parties: a secret key is shared by 2 or more")]
    Few { got: usize },
    /// The threshold is outside the range.
    #[error("a threshold of {got}: {parties} parties have one from 2 to {parties}")]
    Threshold { got: usize, parties: usize },
    /// The party does not belong to the session.
    #[error("{name:?} is not a party of the session {session}")]
    Stranger { name: String, session: SessionId },
    /// The number of parties in a quorum is not the threshold.
    #[error("a quorum of {got} parties: the session {session} decrypts with exactly {threshold}")]
    Quorum { got: usize, threshold: usize, session: SessionId },
    /// The party does not belong to the quorum.
    #[error("{name:?} is not in the quorum of this decryption")]
    NotInQuorum { name: String },
    /// The session does not offer the operation.
    #[error("parties do not make {what}: use operations without it")]
    NotOffered { what: String },
    /// The file belongs to another session.
    #[error("the file belongs to the session {got}, and this one is {ours}: open the file of it")]
    OtherSession { got: SessionId, ours: SessionId },
    /// The party has replied to other messages of the first round.
    #[error(
        "this party has replied to other messages of the first round of the key for products up to \
        level {level}: a second reply would reveal something about its secret; pass the same \
        messages, or start a new session"
    )]
    OtherRound { level: u16 },
    /// The party has answered for this ciphertext.
    #[error(
        "this party has answered for a ciphertext with the same second part already: answers with \
        different noise would reveal something about its secret; give the same ciphertext, quorum and \
        statement for the same bytes, or add an encryption of 0 to the ciphertext"
    )]
    Answered,
    /// The party has no share of the secret under the threshold yet.
    #[error("the shares of {} are missing: this party cannot decrypt before", names(.from))]
    NoShare { from: Vec<String> },
    /// The secrets are shared already, or never are.
    #[error("the session {session} has no shares of secrets: all its parties decrypt together")]
    NoThreshold { session: SessionId },
    /// The session comes from a re-sharing.
    #[error(
        "the session {session} comes from a re-sharing: its parties have shares instead of \
        secrets, and make no keys; the public key and the evaluation keys of the first session stay valid"
    )]
    Reshared { session: SessionId },
    /// The party handed its share over to the next session.
    #[error(
        "this party of the session {session} has handed its share over to the session {next}, and \
        answers no more: ask the parties of that session"
    )]
    HandedOver { session: SessionId, next: SessionId },
    /// The session does not follow this one.
    #[error("the session {got} is not a re-sharing of the session {ours}")]
    NotNext { got: SessionId, ours: SessionId },
    /// The security of a mask cannot be stated.
    #[error("{got} bits of security of a refresh: state between 1 and {most} bits")]
    MaskSecurity { got: u32, most: u32 },
    /// The bound of the values is invalid.
    #[error("the bound of the values is {got}: give a finite number above 0")]
    ValuesAtMost { got: f64 },
    /// The bound of the values is a claim in a file.
    #[error(
        "the bound of the ciphertext's values, {bound:e}, is only a claim of the writer of its file, \
        and a mask for too small a bound hides too little: give a bound of the values that you know"
    )]
    ClaimedBound { bound: f64 },
    /// The modulus has no room for the mask.
    #[error(
        "a mask of {bits:.1} bits is needed, but only {most:.1} fit the modulus at level {level}: \
        {advice}"
    )]
    MaskRoom { bits: f64, most: f64, level: usize, advice: String },
    /// The scale is too far from that of a fresh ciphertext.
    #[error(
        "a ciphertext with the scale {got} cannot be refreshed to the scale {wanted}: rescale it \
        before"
    )]
    RefreshScale { got: Scale, wanted: Scale },
    /// A message is not a message of a party.
    #[error("the message of {from:?} does not begin like a message of a party")]
    Magic { from: String },
    /// A message has another version.
    #[error("the message of {from:?} has version {got}, and this program reads version {ours}")]
    Version { from: String, got: u16, ours: u16 },
    /// A message belongs to another session.
    #[error(
        "the message of {from:?} belongs to the session {got}, and this one is {ours}: the parties \
        must agree on parameters, seed, names and threshold"
    )]
    Foreign { from: String, got: SessionId, ours: SessionId },
    /// A message claims another sender than the channel authenticated.
    #[error("{from:?} sent a message in the name of {claimed}: it is forged")]
    Forged { from: String, claimed: String },
    /// A message is not expected here.
    #[error("the message of {from:?} contains {got}, which is not expected here")]
    Unexpected { from: String, got: String },
    /// A message arrived before its round began.
    #[error("the message of {from:?} contains {what} for a round that has not begun here")]
    Early { from: String, what: String },
    /// A message arrived after its round ended.
    #[error("the message of {from:?} contains {what} for a round that has ended")]
    Late { from: String, what: String },
    /// A party sent a second message for the same round.
    #[error("{from:?} sent {what} a second time")]
    Repeated { from: String, what: String },
    /// The parties saw different messages in the first round.
    #[error(
        "{from:?} saw other messages in the first round for the key for products than the other \
        parties: a party or a channel sent different ones; start a new session"
    )]
    Transcript { from: String },
    /// A message claims noise that cannot be.
    #[error("the message of {from:?} states noise of 2^{bits}, and at most 2^{most:.1} fits")]
    Noise { from: String, bits: f64, most: f64 },
    /// A message is truncated.
    #[error("the message of {from:?} ends at byte {at}, within {what}")]
    Truncated { from: String, at: u64, what: &'static str },
    /// A message is too long.
    #[error("the message of {from:?} has bytes after its end")]
    Longer { from: String },
    /// A message was changed.
    #[error("the checksum of the message of {from:?} does not match at byte {at}: it was changed")]
    Checksum { from: String, at: u64 },
    /// The content of a message violates the format.
    #[error("the message of {from:?} at byte {at}: {what}")]
    Malformed { from: String, at: u64, what: String },
    /// Messages are missing.
    #[error("{what} needs messages that are missing: those of {}", names(.from))]
    Missing { what: String, from: Vec<String> },
    /// The key of the receiver has other moduli.
    #[error("the receiver's public key is for {got}, and the ciphertext for {ours}")]
    Receiver { got: String, ours: String },
    /// The decryption is refused.
    #[error(transparent)]
    Sharing(#[from] SharingError),
    /// The ciphertext does not belong to the session.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The values cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// The parameters cannot be used by parties.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// The operating system returned no random bytes.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// Writing a message, or reading or writing a file failed.
    #[error(transparent)]
    File(FileError),
}

impl PartyError {
    /// Returns the error of reading a message of a party.
    pub(super) fn of_message(from: &str, error: FileError) -> Self {
        let from = from.to_owned();
        match error {
            FileError::Truncated { at, what } => Self::Truncated { from, at, what },
            FileError::Longer => Self::Longer { from },
            FileError::Checksum { at } => Self::Checksum { from, at },
            FileError::Malformed { at, what } => Self::Malformed { from, at, what },
            other => Self::File(other),
        }
    }
}

/// Lists names.
fn names(names: &[String]) -> String {
    names.join(", ")
}
