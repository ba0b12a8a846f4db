// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon …`

mod generate;
mod params;
mod tree;
mod tree_inputs;
mod tree_proof;

use halimede_poseidon::{Instance, Strength};

use crate::arguments::{PoseidonCommand, StrengthName};
use crate::error::CommandError;

/// Runs one of the Poseidon commands.
pub fn run(command: &PoseidonCommand, json: bool) -> Result<(), CommandError> {
    match command {
        PoseidonCommand::Tree(options) => tree::run(options, json),
        PoseidonCommand::Prove(options) => tree_proof::prove(options, json),
        PoseidonCommand::Verify(options) => tree_proof::verify(options, json),
        PoseidonCommand::Params(options) => params::run(options),
    }
}

impl From<StrengthName> for Strength {
    fn from(name: StrengthName) -> Self {
        match name {
            StrengthName::Standard => Self::Standard,
            StrengthName::Strengthened => Self::Strengthened,
        }
    }
}

/// Parses the name of an instance; Filecoin's instances may have a strength.
fn parse_instance(name: &str, strength: Option<StrengthName>) -> Result<Instance, CommandError> {
    let full_name = match (name, strength) {
        ("starknet", None) => "stark-3".to_string(),
        (name, Some(StrengthName::Strengthened)) if name.starts_with("filecoin-") => {
            format!("{name}-strengthened")
        }
        (name, Some(_)) if !name.starts_with("filecoin-") => {
            return Err(CommandError::BadInput(format!(
                "--strength is for Filecoin's instances, not for {name:?}"
            )));
        }
        (name, _) => name.to_string(),
    };
    full_name.parse().map_err(|error: halimede_poseidon::InstanceError| {
        CommandError::BadInput(error.to_string())
    })
}
