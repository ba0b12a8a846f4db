// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks …`

mod bootstrap_demo;
mod compile;
mod describe;
mod encrypt;
mod eval;
mod expected;
mod inspect;
mod kept;
mod keygen;
mod limits;
mod messages;
mod npy;
mod open;
mod params;
mod party;
mod plan;
mod program;
mod run;
mod sharing;
mod table;
mod train;
mod vectors;
mod write;

#[cfg(test)]
pub use halimede_ckks::circuit::text::parse as parse_expression;

#[cfg(test)]
pub use self::program::accepts as accepts_program;

#[cfg(test)]
pub use self::{npy::read as read_npy, table::parse_table, vectors::parse_csv};

use crate::arguments::CkksCommand;
use crate::error::CommandError;

/// Returns an NPY file.
#[cfg(test)]
pub fn npy_seed() -> Vec<u8> {
    npy::write(
        &[halimede_ckks::Complex::new(0.5, 0.0), halimede_ckks::Complex::new(-3.0, 0.0)],
        true,
    )
}

/// Runs one of the CKKS commands.
pub fn run(command: &CkksCommand, json: bool) -> Result<(), CommandError> {
    match command {
        CkksCommand::Params(options) => params::run(options, json),
        CkksCommand::Keygen(options) => keygen::run(options, json),
        CkksCommand::Encrypt(options) => encrypt::encrypt(options, json),
        CkksCommand::Eval(options) => eval::run(options, json),
        CkksCommand::Decrypt(options) => encrypt::decrypt(options, json),
        CkksCommand::Inspect(options) => inspect::run(options, json),
        CkksCommand::Run(options) => run::run(options, json),
        CkksCommand::Compile(options) => compile::run(options, json),
        CkksCommand::Party(command) => party::run(command, json),
        CkksCommand::TrainLogistic(options) => train::run(options, json),
        CkksCommand::BootstrapDemo(options) => bootstrap_demo::run(options, json),
    }
}
