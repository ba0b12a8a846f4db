// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The terms of a coinbase transaction: the outputs that it must have, and the amounts that it may
//! pay out.

use std::fmt;

use halimede_equihash::Network;

use super::address::Address;
use super::networks::{parameters, FundingStream, Parameters, Recipient};

/// `ZIP271DisbursementChunks`: the number of outputs that pay out the lockbox.
const DISBURSEMENTS: usize = 10;
/// The value of each of these outputs in zatoshi: 78,750 ZEC in total.
const DISBURSEMENT: u64 = 787_500_000_000;

/// The terms of the coinbase transaction at a height. Amounts are in zatoshi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoinbaseTerms {
    /// The block subsidy (section 7.8).
    pub subsidy: u64,
    /// The required outputs, each of which is a distinct one (sections 7.9 and 7.10).
    pub required: Vec<Payment>,
    /// `totalDeferredOutput(height)`: the amount that goes to the lockbox (ZIP 2001).
    pub deferred: u64,
    /// `totalDeferredInput(height)`: the amount that the lockbox pays out (ZIP 271).
    pub disbursed: u64,
    /// Set if nothing may remain of subsidy and fees: from NU6 on (ZIP 236).
    pub is_exact: bool,
}

/// A required output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The reason for the payment.
    pub kind: PaymentKind,
    /// The value in zatoshi.
    pub value: u64,
    to: &'static Address,
}

/// The reason for a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PaymentKind {
    /// The founders' reward.
    FoundersReward,
    /// The funding stream of this name.
    FundingStream(&'static str),
    /// A part of the lockbox's one-time disbursement.
    Disbursement,
}

impl Payment {
    /// The P2SH address in Base58Check.
    pub fn address(&self) -> &'static str {
        self.to.text
    }

    /// The script of the output.
    pub fn script(&self) -> Vec<u8> {
        self.to.script().to_vec()
    }
}

impl fmt::Display for PaymentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FoundersReward => f.write_str("founders' reward"),
            Self::FundingStream(name) => write!(f, "funding stream {name}"),
            Self::Disbursement => f.write_str("lockbox disbursement"),
        }
    }
}

impl CoinbaseTerms {
    /// Returns the terms at a height of a network; `None` for the genesis block, which has none,
    /// for networks whose parameters are not in the specification, and from NU7 on.
    pub fn at(network: Network, height: u32) -> Option<Self> {
        let of = parameters(network).filter(|of| height > 0 && height < of.nu7)?;
        let subsidy = of.block_subsidy(height);
        let mut required = Vec::new();
        if let Some((value, index)) = of.founders_reward(height) {
            let to = of.founders.get(index)?;
            required.push(Payment { kind: PaymentKind::FoundersReward, value, to });
        }
        let mut deferred = 0;
        for stream in of.streams.iter().filter(|stream| stream.heights.contains(&height)) {
            let value = subsidy * stream.hundredths / 100;
            match address(of, stream, height)? {
                None => deferred += value,
                Some(to) => {
                    let kind = PaymentKind::FundingStream(stream.name);
                    required.push(Payment { kind, value, to });
                }
            }
        }
        let mut disbursed = 0;
        if height == of.nu6_1 {
            let (kind, value) = (PaymentKind::Disbursement, DISBURSEMENT);
            required.extend([Payment { kind, value, to: of.lockbox }; DISBURSEMENTS]);
            disbursed = DISBURSEMENT * DISBURSEMENTS as u64;
        }
        Some(Self { subsidy, required, deferred, disbursed, is_exact: height >= of.nu6 })
    }
}

/// Returns the address of a stream at a height, `Some(None)` for the lockbox.
fn address(
    of: &Parameters,
    stream: &FundingStream,
    height: u32,
) -> Option<Option<&'static Address>> {
    match stream.recipient {
        Recipient::Deferred => Some(None),
        Recipient::Addresses([one]) => Some(Some(one)),
        Recipient::Addresses(all) => {
            let first = of.funding_period(stream.heights.start);
            let index = of.funding_period(height).checked_sub(first)?;
            all.get(index).map(Some)
        }
    }
}
