// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of parties and of the aggregator, which need no secret.

/// An operation of a party, or of the aggregator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    PublicKey,
    Products,
    Reply,
    Rotation,
    Decrypt,
    Switch,
    Refresh,
    Shares,
    CollectShares,
    DecryptBySome,
    CollectPublicKey,
    CollectProducts,
    CollectReply,
    CollectRotation,
    CollectDecrypt,
    CollectSwitch,
    CollectRefresh,
}

impl Operation {
    /// All operations in the order of the table.
    pub const ALL: [Self; 17] = [
        Self::PublicKey,
        Self::Products,
        Self::Reply,
        Self::Rotation,
        Self::Decrypt,
        Self::Switch,
        Self::Refresh,
        Self::Shares,
        Self::CollectShares,
        Self::DecryptBySome,
        Self::CollectPublicKey,
        Self::CollectProducts,
        Self::CollectReply,
        Self::CollectRotation,
        Self::CollectDecrypt,
        Self::CollectSwitch,
        Self::CollectRefresh,
    ];

    /// The row's name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::PublicKey => "party: public key",
            Self::Products => "party: key for products, first round",
            Self::Reply => "party: key for products, second round",
            Self::Rotation => "party: key for a rotation",
            Self::Decrypt => "party: decryption, n of n",
            Self::Switch => "party: key switch to a public key",
            Self::Refresh => "party: refresh",
            Self::Shares => "party: shares of its secret for all others",
            Self::CollectShares => "party: sum of the shares of all others",
            Self::DecryptBySome => "party: decryption, t of n",
            Self::CollectPublicKey => "aggregator: public key",
            Self::CollectProducts => "aggregator: key for products, first round",
            Self::CollectReply => "aggregator: key for products, second round",
            Self::CollectRotation => "aggregator: key for a rotation",
            Self::CollectDecrypt => "aggregator: values of a decryption",
            Self::CollectSwitch => "aggregator: key switch",
            Self::CollectRefresh => "aggregator: refresh",
        }
    }

    /// The operation at the peer.
    pub fn peer(self) -> &'static str {
        match self {
            Self::PublicKey => "public-key",
            Self::Products => "products",
            Self::Reply => "reply",
            Self::Rotation => "rotation",
            Self::Decrypt => "decrypt",
            Self::Switch => "switch",
            Self::Refresh => "refresh",
            Self::Shares => "shares",
            Self::CollectShares => "collect-shares",
            Self::DecryptBySome => "decrypt-by-some",
            Self::CollectPublicKey => "collect-public-key",
            Self::CollectProducts => "collect-products",
            Self::CollectReply => "collect-reply",
            Self::CollectRotation => "collect-rotation",
            Self::CollectDecrypt => "collect-decrypt",
            Self::CollectSwitch => "collect-switch",
            Self::CollectRefresh => "collect-refresh",
        }
    }

    /// The operation whose messages an aggregation adds up; the operation itself for others.
    pub fn collected(self) -> Self {
        match self {
            Self::CollectPublicKey => Self::PublicKey,
            Self::CollectProducts => Self::Products,
            Self::CollectReply => Self::Reply,
            Self::CollectRotation => Self::Rotation,
            Self::CollectDecrypt => Self::Decrypt,
            Self::CollectSwitch => Self::Switch,
            Self::CollectRefresh => Self::Refresh,
            Self::CollectShares => Self::Shares,
            other => other,
        }
    }

    /// Returns `true` if an operation makes a message, whose bytes are in the table.
    pub fn has_message(self) -> bool {
        self.collected() == self || self == Self::CollectProducts
    }
}
