// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon params --field …` and `--prime …`: generates parameters for any prime field.

use halimede_poseidon::generate::{
    Convention, NamedField, PartialRounds, Sbox, Specification, NAMED_FIELDS,
};
use halimede_poseidon::RoundNumbers;
use num_bigint::BigUint;

use crate::arguments::{ConventionName, GeneratedOptions, PartialRule};
use crate::error::CommandError;
use crate::output::note;

/// The width from which on the checks of the matrix take more than a second.
const SLOW_WIDTH: usize = 36;

/// Generates parameters as JSON.
pub fn generated_json(options: &GeneratedOptions) -> Result<String, CommandError> {
    let specification = specification(options)?;
    if specification.width >= SLOW_WIDTH && specification.round_numbers().is_ok() {
        let width = specification.width;
        note(format_args!("checking a {width} × {width} matrix for subspace trails …"));
    }
    let parameters = specification.generate().map_err(bad_input)?;
    parameters.to_json().map_err(bad_input)
}

fn specification(options: &GeneratedOptions) -> Result<Specification, CommandError> {
    let width = options.width.ok_or_else(|| bad_input("--width is missing"))?;
    let (prime, usual_rule) = prime(options)?;
    let sbox = match options.alpha.as_deref() {
        None => Specification::smallest_exponent(&prime).map_err(bad_input)?,
        Some("inverse") => Sbox::Inverse,
        Some(alpha) => {
            let wrong = |_| bad_input(format!("--alpha {alpha}: expected a number or `inverse`"));
            Sbox::Power(alpha.parse().map_err(wrong)?)
        }
    };
    Ok(Specification {
        security_bits: options.security,
        partial_rounds: match options.partial {
            None => usual_rule,
            Some(PartialRule::Fewest) => PartialRounds::Fewest,
            Some(PartialRule::Multiple) => PartialRounds::MultipleOfWidth,
        },
        rounds: options.rounds.as_deref().map(rounds).transpose()?,
        convention: match options.convention {
            ConventionName::Reference => Convention::Reference,
            ConventionName::Filecoin => Convention::Filecoin,
        },
        ..Specification::new(prime, width, sbox)
    })
}

/// Returns the prime, and how published instances over it choose their partial rounds.
fn prime(options: &GeneratedOptions) -> Result<(BigUint, PartialRounds), CommandError> {
    if let Some(name) = &options.field {
        let field = NamedField::find(name).ok_or_else(|| {
            let names: Vec<&str> = NAMED_FIELDS.iter().map(|field| field.name).collect();
            bad_input(format!("unknown field {name:?}; the fields are {}", names.join(", ")))
        })?;
        return Ok((field.prime(), field.partial_rounds));
    }
    let text = options.prime.as_deref().unwrap_or_default();
    let digits = text.strip_prefix("0x").unwrap_or_default();
    let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let prime = if is_hex { BigUint::parse_bytes(digits.as_bytes(), 16) } else { None };
    let wrong = || bad_input(format!("--prime {text:?}: expected 0x and hexadecimal digits"));
    Ok((prime.ok_or_else(wrong)?, PartialRounds::Fewest))
}

/// Parses `RF,RP`.
fn rounds(text: &str) -> Result<RoundNumbers, CommandError> {
    let numbers = text.split_once(',').and_then(|(full, partial)| {
        Some(RoundNumbers { full: full.parse().ok()?, partial: partial.parse().ok()? })
    });
    numbers
        .ok_or_else(|| bad_input(format!("--rounds {text:?}: expected two numbers, such as 8,57")))
}

fn bad_input(reason: impl ToString) -> CommandError {
    CommandError::BadInput(reason.to_string())
}
