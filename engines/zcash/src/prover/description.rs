// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The description of a transaction for tests, in JSON.

use bech32::primitives::decode::CheckedHrpstring;
use bech32::Bech32;
use halimede_equihash::Network;
use sapling_crypto::PaymentAddress;
use serde::Deserialize;
use zcash_protocol::consensus::BranchId;
use zcash_protocol::value::MAX_MONEY;

use crate::network::{branch_at, is_before_nu5, parse_branch};

/// The most bytes of a description.
pub const MOST_DESCRIPTION_BYTES: usize = 1 << 20;
/// The most spends, and the most outputs. Their transaction is shorter than the longest block.
pub const MOST_NOTES: usize = 1000;
/// The length of a memo in bytes (Zcash protocol specification, section 4.1.7).
const MEMO_BYTES: usize = 512;
/// The first byte of a memo that is not text (ZIP 302).
const NO_MEMO: u8 = 0xf6;

/// Why a description is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The text is too long.
    #[error("the description has {bytes} bytes, more than {MOST_DESCRIPTION_BYTES}")]
    Long {
        /// The length of the text.
        bytes: usize,
    },
    /// The text is not JSON of the expected form.
    #[error("the description: {0}")]
    Json(#[from] serde_json::Error),
    /// The network or the branch is invalid.
    #[error("{0}")]
    Network(String),
    /// The heights of regtest do not determine a branch.
    #[error("the heights of regtest do not determine a branch: give it as \"branch\"")]
    NoBranch,
    /// Transactions of version 5 begin with NU5.
    #[error("height {height} of {network} is before NU5, where transactions of version 5 begin")]
    BeforeNu5 {
        /// The height.
        height: u32,
        /// The network.
        network: &'static str,
    },
    /// Too many spends or outputs, or none of both.
    #[error(
        "{spends} spends and {outputs} outputs; expected 1 to {MOST_NOTES} spends, and at most \
             {MOST_NOTES} outputs"
    )]
    Counts {
        /// The number of spends.
        spends: usize,
        /// The number of outputs.
        outputs: usize,
    },
    /// The amounts are not those of a transaction.
    #[error(
        "the spends are {spends} zatoshi, the outputs {outputs}; expected at most {MAX_MONEY} \
             each, and outputs of at most the spends"
    )]
    Amounts {
        /// The sum of the spends.
        spends: u128,
        /// The sum of the outputs.
        outputs: u128,
    },
    /// The seed is not 32 bytes in hexadecimal.
    #[error("seed: {0}; expected 32 bytes in hexadecimal")]
    Seed(hex::FromHexError),
    /// The address of an output is not a Sapling address of the network.
    #[error("output {output}: {reason}; expected a Sapling address that begins with {prefix}1")]
    Address {
        /// The index of the output.
        output: usize,
        /// The reason.
        reason: String,
        /// The human-readable part of the network's addresses.
        prefix: &'static str,
    },
    /// The memo of an output is too long.
    #[error("output {output}: the memo has {bytes} bytes, more than {MEMO_BYTES}")]
    Memo {
        /// The index of the output.
        output: usize,
        /// The length of the memo.
        bytes: usize,
    },
}

/// The object, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with network, height and spends")]
struct Object {
    network: String,
    height: u32,
    branch: Option<String>,
    seed: Option<String>,
    spends: Vec<SpendObject>,
    #[serde(default)]
    outputs: Vec<OutputObject>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpendObject {
    value: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputObject {
    value: u64,
    address: Option<String>,
    memo: Option<String>,
}

/// A transaction of version 5 with only Sapling parts, to be made for tests.
///
/// Its notes are invented: they are the only ones of their tree, and the chain does not know its
/// anchor. The JSON object:
///
/// | member | value |
/// |---|---|
/// | `network`, `height` | the network and height whose rules apply |
/// | `branch` | the consensus branch in hexadecimal, only needed on regtest |
/// | `seed` | 32 bytes in hexadecimal that determine the spending key; random without |
/// | `spends` | a list of `{"value"}`, in zatoshi |
/// | `outputs` | a list of `{"value", "address", "memo"}`; without an address to the spender |
#[derive(Clone, Debug)]
pub struct Description {
    pub(super) branch: BranchId,
    pub(super) seed: Option<[u8; 32]>,
    /// The values of the notes that are spent, in zatoshi.
    pub(super) spends: Vec<u64>,
    pub(super) outputs: Vec<OutputDescription>,
}

/// An output to be made.
#[derive(Clone, Debug)]
pub(super) struct OutputDescription {
    pub value: u64,
    pub address: Option<PaymentAddress>,
    pub memo: [u8; MEMO_BYTES],
}

impl Description {
    /// Parses a description.
    ///
    /// # Errors
    /// [`DescriptionError`], with the place in the text or the index of the output.
    pub fn parse(text: &[u8]) -> Result<Self, DescriptionError> {
        if text.len() > MOST_DESCRIPTION_BYTES {
            return Err(DescriptionError::Long { bytes: text.len() });
        }
        let object: Object = serde_json::from_slice(text)?;
        let network: Network = object
            .network
            .parse()
            .map_err(|error| DescriptionError::Network(format!("network: {error}")))?;
        let branch = branch_of(network, &object)?;
        check_amounts(&object)?;
        let mut seed = None;
        if let Some(digits) = &object.seed {
            let mut bytes = [0; 32];
            hex::decode_to_slice(digits, &mut bytes).map_err(DescriptionError::Seed)?;
            seed = Some(bytes);
        }
        let outputs = object.outputs.iter().enumerate();
        let outputs = outputs.map(|(index, output)| output_of(network, index, output));
        let spends = object.spends.iter().map(|spend| spend.value).collect();
        Ok(Self { branch, seed, spends, outputs: outputs.collect::<Result<_, _>>()? })
    }

    /// The numbers of spends and of outputs in the description. The transaction has at least two
    /// outputs.
    pub fn counts(&self) -> [usize; 2] {
        [self.spends.len(), self.outputs.len()]
    }
}

fn branch_of(network: Network, object: &Object) -> Result<BranchId, DescriptionError> {
    let given = object.branch.as_deref().map(parse_branch).transpose();
    let given = given.map_err(|reason| DescriptionError::Network(format!("branch: {reason}")))?;
    let branch = given.or_else(|| branch_at(network, object.height));
    let branch = branch.ok_or(DescriptionError::NoBranch)?;
    match is_before_nu5(branch) {
        true => Err(DescriptionError::BeforeNu5 { height: object.height, network: network.name() }),
        false => Ok(branch),
    }
}

fn check_amounts(object: &Object) -> Result<(), DescriptionError> {
    let (spends, outputs) = (object.spends.len(), object.outputs.len());
    if spends == 0 || spends.max(outputs) > MOST_NOTES {
        return Err(DescriptionError::Counts { spends, outputs });
    }
    let spends = object.spends.iter().map(|spend| u128::from(spend.value)).sum();
    let outputs = object.outputs.iter().map(|output| u128::from(output.value)).sum();
    match spends <= u128::from(MAX_MONEY) && outputs <= spends {
        true => Ok(()),
        false => Err(DescriptionError::Amounts { spends, outputs }),
    }
}

fn output_of(
    network: Network,
    output: usize,
    object: &OutputObject,
) -> Result<OutputDescription, DescriptionError> {
    let address = object.address.as_deref().map(|text| address_of(network, output, text));
    let mut memo = [0; MEMO_BYTES];
    match object.memo.as_deref().map(str::as_bytes) {
        Some(text) if text.len() <= MEMO_BYTES => memo[..text.len()].copy_from_slice(text),
        Some(text) => return Err(DescriptionError::Memo { output, bytes: text.len() }),
        None => memo[0] = NO_MEMO,
    }
    Ok(OutputDescription { value: object.value, address: address.transpose()?, memo })
}

/// Decodes an address (section 5.6.3.1).
fn address_of(
    network: Network,
    output: usize,
    text: &str,
) -> Result<PaymentAddress, DescriptionError> {
    let prefix = match network {
        Network::Main => "zs",
        Network::Test => "ztestsapling",
        Network::Regtest => "zregtestsapling",
    };
    let wrong = |reason: String| DescriptionError::Address { output, reason, prefix };
    let decoded =
        CheckedHrpstring::new::<Bech32>(text).map_err(|error| wrong(error.to_string()))?;
    if decoded.hrp().as_str() != prefix {
        return Err(wrong(format!("the address begins with {}1", decoded.hrp())));
    }
    let bytes: Vec<u8> = decoded.byte_iter().collect();
    let bytes = <[u8; 43]>::try_from(&bytes[..]);
    let bytes = bytes.map_err(|_| wrong("the address does not have 43 bytes".to_owned()))?;
    PaymentAddress::from_bytes(&bytes)
        .ok_or_else(|| wrong("the diversifier or key of the address is invalid".to_owned()))
}
