// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Block subsidy and periods by height (Zcash protocol specification, sections 7.8 to 7.10).

use super::networks::Parameters;

/// `MaxBlockSubsidy` in zatoshi.
const MAX_BLOCK_SUBSIDY: u64 = 1_250_000_000;
/// `SlowStartInterval` in blocks: the subsidy rises from 0.
const SLOW_START_INTERVAL: u32 = 20_000;
const SLOW_START_SHIFT: u32 = SLOW_START_INTERVAL / 2;
const SLOW_START_RATE: u64 = MAX_BLOCK_SUBSIDY / SLOW_START_INTERVAL as u64;
/// `PreBlossomHalvingInterval` in blocks.
const PRE_BLOSSOM_HALVING_INTERVAL: u32 = 840_000;
/// `BlossomPoWTargetSpacingRatio`: blocks of Blossom in the time of one before.
const BLOSSOM_RATIO: u32 = 2;
/// `PostBlossomHalvingInterval` in blocks.
const POST_BLOSSOM_HALVING_INTERVAL: u32 = PRE_BLOSSOM_HALVING_INTERVAL * BLOSSOM_RATIO;
/// `FoundersFraction` is one fifth.
const FOUNDERS_PART: u64 = 5;
/// `NumFounderAddresses`.
const FOUNDER_ADDRESSES: u32 = 48;
/// `FSRecipientChangeInterval` in blocks.
const FUNDING_PERIOD: u32 = POST_BLOSSOM_HALVING_INTERVAL / 48;

impl Parameters {
    /// `Halving(height)`: the number of halvings up to this height (section 7.8).
    pub fn halving(&self, height: u32) -> u32 {
        if height < SLOW_START_SHIFT {
            return 0;
        }
        if height < self.blossom {
            return (height - SLOW_START_SHIFT) / PRE_BLOSSOM_HALVING_INTERVAL;
        }
        // In blocks of Blossom, of which each one before counts as two.
        let before = u64::from(self.blossom - SLOW_START_SHIFT) * u64::from(BLOSSOM_RATIO);
        let blocks = before + u64::from(height - self.blossom);
        let halvings = blocks / u64::from(POST_BLOSSOM_HALVING_INTERVAL);
        u32::try_from(halvings).unwrap_or(u32::MAX)
    }

    /// `BlockSubsidy(height)` in zatoshi (section 7.8).
    pub fn block_subsidy(&self, height: u32) -> u64 {
        if height < SLOW_START_SHIFT {
            return SLOW_START_RATE * u64::from(height);
        }
        if height < SLOW_START_INTERVAL {
            return SLOW_START_RATE * (u64::from(height) + 1);
        }
        let full = match height < self.blossom {
            true => MAX_BLOCK_SUBSIDY,
            false => MAX_BLOCK_SUBSIDY / u64::from(BLOSSOM_RATIO),
        };
        full.checked_shr(self.halving(height)).unwrap_or(0)
    }

    /// The founders' reward in zatoshi, and the index of its address, from 0; `None` if none is
    /// required: in the genesis block, after the first halving, and from Canopy on (sections 7.8
    /// and 7.9).
    pub fn founders_reward(&self, height: u32) -> Option<(u64, usize)> {
        if height == 0 || height >= self.canopy || self.halving(height) > 0 {
            return None;
        }
        let adjusted = match height < self.blossom {
            true => height,
            false => self.blossom + (height - self.blossom) / BLOSSOM_RATIO,
        };
        let last = SLOW_START_SHIFT + PRE_BLOSSOM_HALVING_INTERVAL;
        let index = adjusted / last.div_ceil(FOUNDER_ADDRESSES);
        Some((self.block_subsidy(height) / FOUNDERS_PART, usize::try_from(index).ok()?))
    }

    /// `FSRecipientPeriod(height)`: the number of the period, in which each funding stream has one
    /// recipient, for heights from Canopy on (section 7.10).
    pub fn funding_period(&self, height: u32) -> usize {
        // The first halving is the first height with enough blocks of Blossom.
        let before = (self.blossom - SLOW_START_SHIFT) * BLOSSOM_RATIO;
        let first_halving = self.blossom + (POST_BLOSSOM_HALVING_INTERVAL - before);
        let blocks = height.saturating_add(POST_BLOSSOM_HALVING_INTERVAL) - first_halving;
        (blocks / FUNDING_PERIOD) as usize
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use halimede_equihash::Network;

    use super::super::networks::parameters;

    /// Heights and subsidies in zatoshi, of both networks.
    const SUBSIDIES: [(Network, u32, u64); 30] = [
        (Network::Main, 0, 0),
        (Network::Main, 1, 62_500),
        (Network::Main, 9_999, 624_937_500),
        (Network::Main, 10_000, 625_062_500),
        (Network::Main, 19_999, 1_250_000_000),
        (Network::Main, 20_000, 1_250_000_000),
        (Network::Main, 653_599, 1_250_000_000),
        (Network::Main, 653_600, 625_000_000),
        (Network::Main, 1_046_399, 625_000_000),
        (Network::Main, 1_046_400, 312_500_000),
        (Network::Main, 2_726_399, 312_500_000),
        (Network::Main, 2_726_400, 156_250_000),
        (Network::Main, 4_406_399, 156_250_000),
        (Network::Main, 4_406_400, 78_125_000),
        (Network::Main, u32::MAX, 0),
        (Network::Test, 0, 0),
        (Network::Test, 1, 62_500),
        (Network::Test, 9_999, 624_937_500),
        (Network::Test, 10_000, 625_062_500),
        (Network::Test, 19_999, 1_250_000_000),
        (Network::Test, 583_999, 1_250_000_000),
        (Network::Test, 584_000, 625_000_000),
        (Network::Test, 1_028_500, 625_000_000),
        (Network::Test, 1_115_999, 625_000_000),
        (Network::Test, 1_116_000, 312_500_000),
        (Network::Test, 2_795_999, 312_500_000),
        (Network::Test, 2_796_000, 156_250_000),
        (Network::Test, 4_475_999, 156_250_000),
        (Network::Test, 4_476_000, 78_125_000),
        (Network::Test, u32::MAX, 0),
    ];

    #[test]
    fn subsidies_of_the_heights_at_each_boundary() {
        for (network, height, subsidy) in SUBSIDIES {
            let of = parameters(network).unwrap();
            assert_eq!(of.block_subsidy(height), subsidy, "{} {height}", network.name());
        }
        assert!(parameters(Network::Regtest).is_none());
    }

    #[test]
    fn founders_have_a_period_of_17709_blocks_of_before_blossom() {
        let main = parameters(Network::Main).unwrap();
        let test = parameters(Network::Test).unwrap();
        for (of, height, expected) in [
            (main, 0, None),
            (main, 1, Some((12_500, 0))),
            (main, 17_708, Some((221_362_500, 0))),
            (main, 17_709, Some((221_375_000, 1))),
            (main, 35_417, Some((250_000_000, 1))),
            (main, 35_418, Some((250_000_000, 2))),
            (main, 653_599, Some((250_000_000, 36))),
            (main, 653_600, Some((125_000_000, 36))),
            // 37 · 17,709 = 655,233, and two blocks of Blossom count as one.
            (main, 656_865, Some((125_000_000, 36))),
            (main, 656_866, Some((125_000_000, 37))),
            (main, 1_046_399, Some((125_000_000, 47))),
            (main, 1_046_400, None),
            (test, 583_999, Some((250_000_000, 32))),
            (test, 1_028_499, Some((125_000_000, 45))),
            (test, 1_028_500, None),
            (test, 1_115_999, None),
        ] {
            assert_eq!(of.founders_reward(height), expected, "{height}");
        }
    }

    #[test]
    fn funding_periods_are_aligned_with_the_first_halving() {
        let main = parameters(Network::Main).unwrap();
        let test = parameters(Network::Test).unwrap();
        for (of, height, expected) in [
            (main, 1_046_400, 48),
            (main, 1_081_399, 48),
            (main, 1_081_400, 49),
            (main, 2_726_399, 95),
            (main, 2_726_400, 96),
            (test, 1_028_500, 45),
            (test, 1_045_999, 45),
            (test, 1_046_000, 46),
            (test, 1_116_000, 48),
            (test, 2_795_999, 95),
        ] {
            assert_eq!(of.funding_period(height), expected, "{height}");
        }
    }
}
