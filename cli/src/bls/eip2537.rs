// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls eip2537`: a precompile's output for each line.

use halimede_bls12_381::eip2537::Precompile;
use halimede_bls12_381::operations::{PrecompileRequest, RunPrecompile};

use super::{digits, Digits};
use crate::arguments::{Eip2537Options, PrecompileName};
use crate::error::CommandError;
use crate::lines::answer_file;

pub fn run(options: &Eip2537Options, json: bool) -> Result<(), CommandError> {
    let precompile = options.precompile.into();
    let parse =
        |line: &str| Ok(PrecompileRequest { precompile, input: digits(line.trim_ascii())? });
    let lines = &options.lines;
    let file = lines.file.as_deref();
    answer_file::<RunPrecompile, _>(&lines.batch, file, parse, Digits::of, json)
}

impl From<PrecompileName> for Precompile {
    fn from(name: PrecompileName) -> Self {
        match name {
            PrecompileName::G1Add => Self::G1Add,
            PrecompileName::G1Msm => Self::G1Msm,
            PrecompileName::G2Add => Self::G2Add,
            PrecompileName::G2Msm => Self::G2Msm,
            PrecompileName::PairingCheck => Self::PairingCheck,
            PrecompileName::MapFpToG1 => Self::MapFpToG1,
            PrecompileName::MapFp2ToG2 => Self::MapFp2ToG2,
        }
    }
}
