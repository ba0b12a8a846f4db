// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The networks: their proof of work's parameters and, for a height, the rules in force.

use std::fmt;
use std::str::FromStr;

use halimede_equihash::Params;
use zcash_protocol::consensus::{self, BlockHeight, BranchId};

/// A Zcash network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// The main network.
    Main,
    /// The public test network.
    Test,
    /// A private one for regression tests, where upgrades come when its nodes are told so.
    Regtest,
}

impl Network {
    /// All, as they are listed.
    pub const ALL: [Self; 3] = [Self::Main, Self::Test, Self::Regtest];

    /// n and k of its Equihash (Zcash protocol specification, section 7.7.1).
    pub fn params(self) -> Params {
        match self {
            Self::Main | Self::Test => Params::ZCASH,
            Self::Regtest => Params::REGTEST,
        }
    }

    /// The consensus branch at this height; `None` on a network where heights do not tell.
    pub fn branch(self, height: u32) -> Option<BranchId> {
        let height = BlockHeight::from_u32(height);
        match self {
            Self::Main => Some(BranchId::for_height(&consensus::MAIN_NETWORK, height)),
            Self::Test => Some(BranchId::for_height(&consensus::TEST_NETWORK, height)),
            Self::Regtest => None,
        }
    }

    /// As it is named in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
            Self::Regtest => "regtest",
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no network has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network: there are main, test and regtest")]
pub struct UnknownNetwork(String);

impl FromStr for Network {
    type Err = UnknownNetwork;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|network| network.name() == name);
        found.ok_or_else(|| UnknownNetwork(name.to_owned()))
    }
}
