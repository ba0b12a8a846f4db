// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Derives the error of a result, which the owner of the secret key can trust, by evaluating its
//! expression without arithmetic.

use std::collections::BTreeMap;
use std::path::Path;

use halimede_ckks::circuit::text::parse;
use halimede_ckks::circuit::Input;
use halimede_ckks::evaluator::conjugation_exponent;
use halimede_ckks::files::expect_end;
use halimede_ckks::keys::{KeyId, KeyUse};
use halimede_ckks::{Ciphertext, DryServer, Expected, Parameters, Plan};

use super::eval::check_names;
use super::messages::{bad_input, circuit_text, of_file};
use super::open::{open_ciphertext, reader_and_parameters};
use super::plan::plan_of;
use crate::arguments::NamedFile;
use crate::error::CommandError;
use crate::files::open_file;

/// An expression, and the ciphertexts and keys that it was evaluated with.
pub struct ExpressionInputs<'a> {
    pub expression: &'a str,
    pub keys: &'a Path,
    pub inputs: &'a [NamedFile],
    /// The maximum difference between a function and its polynomial.
    pub error: f64,
    /// Inputs without a seed were encrypted with the public key.
    pub are_public: bool,
    pub parameters: &'a Parameters,
    pub owner: KeyId,
}

/// Returns the expected result of an expression.
pub fn expected(options: &ExpressionInputs<'_>) -> Result<Option<Expected>, CommandError> {
    let &ExpressionInputs { expression, keys, parameters, owner, .. } = options;
    let steps = parse(expression).map_err(bad_input)?;
    check_names(&steps, options.inputs)?;
    let mut inputs: Vec<(&str, Ciphertext)> = Vec::new();
    for input in options.inputs {
        let ciphertext = open_ciphertext(&input.path, parameters)?;
        let path = input.path.display();
        if ciphertext.owner() != owner {
            return Err(bad_input(format!("{path} is not under the secret key of the result")));
        }
        inputs.push((
            &input.name,
            match (ciphertext.has_claimed_error(), options.are_public) {
                (false, _) => ciphertext,
                (true, true) => ciphertext.encrypted_by_public_key(parameters),
                (true, false) => {
                    return Err(bad_input(format!(
                    "{path} was not encrypted with the secret key, so that its error is only a \
                     claim: give --public-inputs if it was encrypted with the public key, \
                     otherwise --error-at-least instead of --expression"
                )))
                }
            },
        ));
    }
    let described: BTreeMap<String, Input> =
        inputs.iter().map(|(name, a)| ((*name).to_owned(), Input::from(a))).collect();
    let plan = plan_of(&steps, options.error, parameters, &described)?;
    let dry = DryServer::new(parameters, &uses(keys, &plan, owner)?);
    let given: Vec<(&str, &Ciphertext)> = inputs.iter().map(|(name, a)| (*name, a)).collect();
    let results = dry.results_of_plan(&plan, &given);
    let results = results.map_err(|error| bad_input(circuit_text(&error)))?;
    results.first().map(Expected::of).transpose().map_err(bad_input)
}

/// Returns the evaluation keys that a server uses for a plan: those that the plan needs, and, if
/// one of them is missing, all keys that rotations can be composed of.
fn uses(path: &Path, plan: &Plan, owner: KeyId) -> Result<BTreeMap<KeyUse, usize>, CommandError> {
    let parameters: &Parameters = plan.parameters();
    let (file, _) = open_file(path)?;
    let (reader, _) = reader_and_parameters(&file, path)?;
    let mut reader = reader.keys(parameters).map_err(of_file(path))?;
    if reader.owner() != owner {
        let (got, path) = (reader.owner(), path.display());
        return Err(bad_input(format!("{path} belongs to the secret key {got}, not to {owner}")));
    }
    let mut all = BTreeMap::new();
    while let Some((of, level)) = reader.next_use().map_err(of_file(path))? {
        all.insert(of, level);
    }
    expect_end(&file).map_err(of_file(path))?;
    let needed = plan.operations().keys(parameters);
    let has_all = needed.keys().all(|of| all.contains_key(of));
    let conjugation = KeyUse::Automorphism(conjugation_exponent(parameters));
    let may_turn = |of: &KeyUse| matches!(of, KeyUse::Automorphism(_)) && *of != conjugation;
    all.retain(|of, _| needed.contains_key(of) || !has_all && may_turn(of));
    Ok(all)
}
