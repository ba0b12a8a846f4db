// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parameters of payments on the main and the test network: heights (Zcash protocol
//! specification, section 5.3) and funding streams (section 7.10.1, ZIP 214).

use std::ops::Range;

use halimede_equihash::Network;

use super::address::Address;
use super::recipients as to;

/// The parameters of a network.
#[derive(Debug)]
pub struct Parameters {
    /// The height of Blossom, which halves the time between blocks.
    pub blossom: u32,
    /// The height of Canopy, with which funding streams replace the founders' reward.
    pub canopy: u32,
    /// The height of NU6, from which on blocks balance exactly (ZIP 236).
    pub nu6: u32,
    /// The height of NU6.1, whose first block pays out the lockbox (ZIP 271).
    pub nu6_1: u32,
    /// The height of NU7, which changes the rules of payments: they are not implemented.
    pub nu7: u32,
    /// The founders' addresses, one for each period.
    pub founders: &'static [Address; 48],
    /// The funding streams.
    pub streams: &'static [FundingStream],
    /// The recipient of the lockbox.
    pub lockbox: &'static Address,
}

/// A funding stream: a share of the block subsidy, in hundredths.
#[derive(Debug)]
pub struct FundingStream {
    /// The name in the specification.
    pub name: &'static str,
    /// The share in hundredths of the block subsidy.
    pub hundredths: u64,
    /// The heights at which the stream is active.
    pub heights: Range<u32>,
    /// The recipient.
    pub recipient: Recipient,
}

/// The recipient of a funding stream.
#[derive(Debug)]
pub enum Recipient {
    /// Addresses, one for each period, or one for all periods.
    Addresses(&'static [Address]),
    /// The lockbox: no output pays it.
    Deferred,
}

/// Returns the parameters of a network; `None` if the specification does not have them.
pub fn parameters(network: Network) -> Option<&'static Parameters> {
    match network {
        Network::Main => Some(&MAIN),
        Network::Test => Some(&TEST),
        Network::Regtest => None,
    }
}

static MAIN: Parameters = Parameters {
    blossom: 653_600,
    canopy: 1_046_400,
    nu6: 2_726_400,
    nu6_1: 3_146_400,
    nu7: 3_543_405,
    founders: &to::FOUNDERS_MAIN,
    streams: &[
        paying("FS_ZIP214_BP", 7, 1_046_400..2_726_400, &to::BP_MAIN),
        paying("FS_ZIP214_ZF", 5, 1_046_400..2_726_400, &to::ZF_MAIN),
        paying("FS_ZIP214_MG", 8, 1_046_400..2_726_400, &to::MG_MAIN),
        paying("FS_FPF_ZCG", 8, 2_726_400..3_146_400, &to::ZCG_MAIN),
        deferring("FS_DEFERRED", 12, 2_726_400..3_146_400),
        paying("FS_FPF_ZCG_H3", 8, 3_146_400..4_406_400, &to::ZCG_MAIN),
        deferring("FS_CCF_H3", 12, 3_146_400..4_406_400),
    ],
    lockbox: &to::LOCKBOX_MAIN[0],
};

static TEST: Parameters = Parameters {
    blossom: 584_000,
    canopy: 1_028_500,
    nu6: 2_976_000,
    nu6_1: 3_536_500,
    nu7: 4_465_026,
    founders: &to::FOUNDERS_TEST,
    streams: &[
        paying("FS_ZIP214_BP", 7, 1_028_500..2_796_000, &to::BP_TEST),
        paying("FS_ZIP214_ZF", 5, 1_028_500..2_796_000, &to::ZF_TEST),
        paying("FS_ZIP214_MG", 8, 1_028_500..2_796_000, &to::MG_TEST),
        paying("FS_FPF_ZCG", 8, 2_976_000..3_396_000, &to::ZCG_TEST),
        deferring("FS_DEFERRED", 12, 2_976_000..3_396_000),
        paying("FS_FPF_ZCG_H3", 8, 3_536_500..4_476_000, &to::ZCG_TEST),
        deferring("FS_CCF_H3", 12, 3_536_500..4_476_000),
    ],
    lockbox: &to::LOCKBOX_TEST[0],
};

const fn paying(
    name: &'static str,
    hundredths: u64,
    heights: Range<u32>,
    to: &'static [Address],
) -> FundingStream {
    FundingStream { name, hundredths, heights, recipient: Recipient::Addresses(to) }
}

const fn deferring(name: &'static str, hundredths: u64, heights: Range<u32>) -> FundingStream {
    FundingStream { name, hundredths, heights, recipient: Recipient::Deferred }
}

#[cfg(test)]
mod tests {
    use zcash_protocol::consensus::NetworkUpgrade::{Blossom, Canopy, Nu6, Nu6_1, Nu7};
    use zcash_protocol::consensus::{Parameters as _, MAIN_NETWORK, TEST_NETWORK};

    use super::*;

    #[test]
    fn upgrades_have_their_heights() {
        let of_main = |upgrade| MAIN_NETWORK.activation_height(upgrade).map(u32::from);
        let of_test = |upgrade| TEST_NETWORK.activation_height(upgrade).map(u32::from);
        for (of, upgrade) in [(0, Blossom), (1, Canopy), (2, Nu6), (3, Nu6_1), (4, Nu7)].into_iter()
        {
            let here = |of_network: &Parameters| {
                let Parameters { blossom, canopy, nu6, nu6_1, nu7, .. } = *of_network;
                Some([blossom, canopy, nu6, nu6_1, nu7][of])
            };
            assert_eq!(here(&MAIN), of_main(upgrade));
            assert_eq!(here(&TEST), of_test(upgrade));
        }
    }

    #[test]
    fn a_stream_has_an_address_for_each_period() {
        for network in [&MAIN, &TEST] {
            for stream in network.streams {
                let Recipient::Addresses(all) = &stream.recipient else { continue };
                let first = network.funding_period(stream.heights.start);
                let periods = network.funding_period(stream.heights.end - 1) - first + 1;
                assert!(all.len() == 1 || all.len() == periods, "{}: {periods}", stream.name);
            }
        }
    }
}
