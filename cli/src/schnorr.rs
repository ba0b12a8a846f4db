// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede schnorr verify`: a verdict for each line.

use halimede_secp256k1::operations::{SchnorrRequest, VerifySchnorr};

use crate::arguments::SchnorrVerifyOptions;
use crate::bls;
use crate::error::CommandError;
use crate::lines::{answer_file, Verdict};

pub fn run(options: &SchnorrVerifyOptions, json: bool) -> Result<(), CommandError> {
    let parse = |text: &str| {
        let bls::Line { key, message, signature } = bls::Line::parse(text)?;
        Ok(SchnorrRequest { key, message, signature })
    };
    answer_file::<VerifySchnorr, _>(
        &options.batch,
        options.file.as_deref(),
        parse,
        Verdict::of,
        json,
    )
}
