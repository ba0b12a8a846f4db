// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash make-sapling`: makes a transaction for tests from a description.

use std::path::Path;

use halimede_zcash::prover::{Description, MadeTransaction, SaplingProver, MOST_DESCRIPTION_BYTES};
use halimede_zcash::Hash;

use crate::arguments::MakeSaplingOptions;
use crate::error::CommandError;
use crate::files::{read_limited, read_secret, write_whole};
use crate::output::print_line;
use crate::progress::{spinner, steps_bar};

/// The most bytes of a parameter file: twice the longer one.
const PARAMETERS_LIMIT_BYTES: u64 = 100_000_000;
const FILES: [&str; 2] = ["sapling-spend.params", "sapling-output.params"];

/// Runs the command.
pub fn run(options: &MakeSaplingOptions, json: bool) -> Result<(), CommandError> {
    let path = &options.description;
    let text = read_secret(path, MOST_DESCRIPTION_BYTES as u64)?;
    let bad = |reason: &dyn std::fmt::Display| {
        CommandError::BadInput(format!("{}: {reason}", path.display()))
    };
    let description = Description::parse(&text).map_err(|error| bad(&error))?;
    let prover = read_prover(&options.parameters)?;
    let [spends, outputs] = description.counts();
    let bar = steps_bar((spends + outputs) as u64);
    let made = prover.make_transaction(&description, &mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let made = made.map_err(|error| bad(&error))?;
    if let Some(out) = &options.out {
        let files = FILES.map(|name| options.parameters.join(name));
        let inputs = [path, &files[0], &files[1]].map(|path| path.as_path());
        write_whole(out, &inputs, &made.bytes)?;
    }
    match (json, &options.out) {
        (true, _) => print_line(&report(&made).to_string()),
        (false, None) => print_line(&hex::encode(&made.bytes)),
        (false, Some(_)) => Ok(()),
    }
}

fn read_prover(folder: &Path) -> Result<SaplingProver, CommandError> {
    let bar = spinner();
    bar.set_message("reading the parameters");
    let read = |name: &str| read_limited(&folder.join(name), PARAMETERS_LIMIT_BYTES);
    let prover = SaplingProver::new(&read(FILES[0])?, &read(FILES[1])?);
    bar.finish_and_clear();
    prover.map_err(|error| CommandError::BadInput(format!("{}: {error}", folder.display())))
}

fn report(made: &MadeTransaction) -> serde_json::Value {
    serde_json::json!({
        "txid": made.id.to_string(), "anchor": Hash(made.anchor).to_string(), "fee": made.fee,
        "spends": made.counts[0], "outputs": made.counts[1],
        "transaction": hex::encode(&made.bytes),
    })
}
