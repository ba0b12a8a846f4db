// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash's networks and their proof-of-work rules.

use std::fmt;
use std::str::FromStr;

use crate::{Params, Target, TargetError};

/// A network of Zcash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Network {
    /// The main network.
    #[default]
    Main,
    /// The public test network.
    Test,
    /// A local network for regression tests.
    Regtest,
}

/// The name of a network is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown network {0:?}, expected main, test or regtest")]
pub struct NetworkError(String);

impl Network {
    /// All networks.
    pub const ALL: [Self; 3] = [Self::Main, Self::Test, Self::Regtest];

    /// `main`, `test` or `regtest`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
            Self::Regtest => "regtest",
        }
    }

    /// The parameters n and k (Zcash protocol specification, section 7.7.1; for regtest as in
    /// nodes).
    pub fn params(self) -> Params {
        match self {
            Self::Main | Self::Test => Params::ZCASH,
            Self::Regtest => Params::REGTEST,
        }
    }

    /// The easiest target that the network allows: 2^243 − 1, 2^251 − 1 (section 5.3, `PoWLimit`),
    /// and for regtest the byte 0f, 32 times.
    pub fn limit(self) -> Target {
        let mut bytes = [0xff; 32];
        match self {
            Self::Main => [bytes[31], bytes[30]] = [0, 0x07],
            Self::Test => bytes[31] = 0x07,
            Self::Regtest => bytes = [0x0f; 32],
        }
        Target::from_le_bytes(bytes)
    }

    /// Decodes a compact target and checks it against the limit of the network.
    ///
    /// # Errors
    /// As for [`Target::from_compact`], and [`TargetError::AboveLimit`].
    pub fn target(self, bits: u32) -> Result<Target, TargetError> {
        let (target, limit) = (Target::from_compact(bits)?, self.limit());
        if target > limit {
            return Err(TargetError::AboveLimit { bits, limit: limit.to_compact() });
        }
        Ok(target)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(name: &str) -> Result<Self, NetworkError> {
        let named = Self::ALL.into_iter().find(|network| network.name() == name);
        named.ok_or_else(|| NetworkError(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_their_compact_forms() {
        let compact = [(0x1f07_ffff, "0007ff"), (0x2007_ffff, "07ffff"), (0x200f_0f0f, "0f0f0f")];
        for (network, (bits, digits)) in Network::ALL.into_iter().zip(compact) {
            let limit = network.limit();
            assert_eq!(limit.to_compact(), bits);
            assert_eq!(limit.to_string()[..6], *digits);
            assert!(network.target(bits).is_ok());
            let above = TargetError::AboveLimit { bits: bits + 1, limit: bits };
            assert_eq!(network.target(bits + 1), Err(above));
            assert_eq!(network.target(0), Err(TargetError::Zero { bits: 0 }));
            assert_eq!(network.name().parse(), Ok(network));
        }
        assert!("mainnet".parse::<Network>().is_err());
    }
}
