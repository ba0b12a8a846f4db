// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon hash`: a digest for each line of elements.

use std::io::stdin;

use halimede_arith::{Felt, Fr};
use halimede_device::Device;
use halimede_poseidon::filecoin::{CustomId, HashType, Hasher};
use halimede_poseidon::operations::{FilecoinHash, StarknetHash, StarknetInput};
use halimede_poseidon::Strength;

use super::parse_elements;
use crate::arguments::{HashOptions, StarknetMode};
use crate::devices::open;
use crate::error::CommandError;
use crate::lines::{answer_lines, LineSettings};
use crate::output::standard_output;

pub fn run(options: &HashOptions, json: bool) -> Result<(), CommandError> {
    let settings = LineSettings { json, allow_empty: options.batch.allow_empty };
    if options.instance == "starknet" {
        let mode = starknet_mode(options)?;
        let device = open(&options.batch.device)?;
        return hash_starknet(&device, mode, settings);
    }
    let hasher = filecoin_hasher(options)?;
    let device = open(&options.batch.device)?;
    let parse = |line: &str| {
        let elements = parse_elements(line)?;
        hasher.preimage(&elements).map_err(|error| error.to_string())
    };
    let format = Fr::to_string;
    answer_lines::<FilecoinHash, _>(&device, stdin(), standard_output(), parse, format, settings)
}

fn hash_starknet(
    device: &Device,
    mode: StarknetMode,
    settings: LineSettings,
) -> Result<(), CommandError> {
    let parse = |line: &str| starknet_input(mode, &parse_elements(line)?);
    answer_lines::<StarknetHash, _>(
        device,
        stdin(),
        standard_output(),
        parse,
        Felt::to_string,
        settings,
    )
}

fn starknet_mode(options: &HashOptions) -> Result<StarknetMode, CommandError> {
    if options.tag.is_some() || options.strength.is_some() {
        let reason = "--tag and --strength are for Filecoin's instances; starknet takes --mode";
        return Err(CommandError::BadInput(reason.into()));
    }
    Ok(options.mode.unwrap_or(StarknetMode::Pair))
}

fn starknet_input(mode: StarknetMode, elements: &[Felt]) -> Result<StarknetInput, String> {
    let wrong = |expected: usize| format!("expected {expected} elements, got {}", elements.len());
    match (mode, elements) {
        (StarknetMode::Pair, [x, y]) => Ok(StarknetInput::Pair(*x, *y)),
        (StarknetMode::Single, [x]) => Ok(StarknetInput::Single(*x)),
        (StarknetMode::Many, many) => Ok(StarknetInput::Many(many.to_vec())),
        (StarknetMode::Pair, _) => Err(wrong(2)),
        (StarknetMode::Single, _) => Err(wrong(1)),
    }
}

fn filecoin_hasher(options: &HashOptions) -> Result<Hasher, CommandError> {
    if options.mode.is_some() {
        let reason = "--mode is for starknet; Filecoin's instances take --tag and --strength";
        return Err(CommandError::BadInput(reason.into()));
    }
    let unknown = || {
        CommandError::BadInput(format!(
            "unknown instance {:?}; there are filecoin-ARITY with an arity from 2 to 36 and starknet",
            options.instance
        ))
    };
    let arity = options.instance.strip_prefix("filecoin-").ok_or_else(unknown)?;
    let arity: usize = arity.parse().map_err(|_| unknown())?;
    let hash_type = hash_type(options.tag.as_deref().unwrap_or("merkle"))?;
    let strength = options.strength.map_or(Strength::Standard, Strength::from);
    Hasher::new(arity, strength, hash_type).map_err(|_| unknown())
}

fn hash_type(tag: &str) -> Result<HashType, CommandError> {
    let bad = |reason: String| CommandError::BadInput(format!("--tag {tag}: {reason}"));
    match tag {
        "merkle" => Ok(HashType::MerkleTree),
        "constant" => Ok(HashType::ConstantLength),
        "encryption" => Ok(HashType::Encryption),
        _ => {
            let id = tag
                .strip_prefix("custom:")
                .ok_or_else(|| bad("there are merkle, constant, encryption and custom:N".into()))?;
            let id = id.parse().map_err(|_| bad(format!("{id:?} is not a number")))?;
            CustomId::new(id).map(HashType::Custom).map_err(|error| bad(error.to_string()))
        }
    }
}
