// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks keygen`: makes a secret key, a public key and evaluation keys.

use std::collections::BTreeMap;

use halimede_ckks::circuit::text::{parse, Action};
use halimede_ckks::circuit::Input;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{Client, EvaluationKeys, FileError, Operations, Parameters};
use halimede_files::{FolderFile, Real};
use serde_json::json;

use super::describe::{print, warn_insecure};
use super::limits::{check_slots, declared_bound};
use super::messages::{bad_input, of_file, NO_BOOTSTRAP};
use super::open::named_parameters;
use super::plan::plan_of;
use super::program;
use crate::arguments::KeygenOptions;
use crate::error::CommandError;
use crate::files::{create_folder, write_error};
use crate::progress::steps_bar;

/// The maximum difference between a function and its polynomial, the default of `eval`.
const FUNCTION_ERROR: f64 = 1e-4;
/// The file that only its owner may read.
const SECRET: &str = "secret.key";

/// A file of the folder of keys.
type KeyFile = FolderFile<'static, Real>;

pub fn run(options: &KeygenOptions, json: bool) -> Result<(), CommandError> {
    let parameters = named_parameters(&options.params)?;
    let top = parameters.top();
    let level = options.level.unwrap_or(parameters.fresh_level());
    if level > top {
        let reason = format!("--level {level}: the highest of {} is {top}", parameters.name());
        return Err(CommandError::BadInput(reason));
    }
    let bootstraps = options.bootstrap || !options.bootstrap_slots.is_empty();
    if bootstraps && parameters.bootstrap().is_none() {
        return Err(bad_input(NO_BOOTSTRAP));
    }
    let mut operations = Operations {
        multiply: options.multiply,
        conjugate: options.conjugate,
        rotations: options.rotations.clone(),
        low_rotations: Vec::new(),
        bootstrap: options.bootstrap,
        bootstrap_slots: options.bootstrap_slots.clone(),
        few_keys: options.few_keys,
    };
    for slots in &options.bootstrap_slots {
        check_slots("--bootstrap-slots", *slots, &parameters)?;
    }
    let inputs = inputs(options, &parameters, level)?;
    for expression in &options.expressions {
        add_needed(&mut operations, expression, &inputs)?;
    }
    if options.few_keys && !operations.bootstrap && operations.bootstrap_slots.is_empty() {
        let reason = "--few-keys is only for bootstraps: add --bootstrap, --bootstrap-slots or \
                      --for with an expression that bootstraps";
        return Err(CommandError::BadInput(reason.into()));
    }
    let keys = operations.keys(&parameters).len();
    if options.level.is_some() && keys == 0 {
        let reason = "--level is only for evaluation keys: add --multiply, --conjugate, \
                      --rotations, --bootstrap, --bootstrap-slots or --for";
        return Err(CommandError::BadInput(reason.into()));
    }
    warn_insecure(&parameters);
    // All keys or none: keys of two runs would not match.
    let mut folder = create_folder(&options.dir)?;
    let mut client = Client::new(&parameters).map_err(bad_input)?;
    let mut written = Vec::new();
    let mut write = |name: &str, save: &mut dyn FnMut(&mut KeyFile) -> Result<(), FileError>| {
        let path = options.dir.join(name);
        // Unbuffered, because a buffer would not be wiped.
        let mut file = folder.file(name, name == SECRET)?;
        save(&mut file).map_err(|error| match error {
            FileError::Io(source) => write_error(&path)(source),
            error => of_file(&path)(error),
        })?;
        file.complete()?;
        written.push(path);
        Ok::<_, CommandError>(())
    };
    write(SECRET, &mut |file| client.secret().save(file))?;
    write("public.key", &mut |file| client.public_key().save(file))?;
    if keys > 0 {
        write("evaluation.keys", &mut |file| {
            write_evaluation_keys(&mut client, &operations, level, file)
        })?;
    }
    folder.complete()?;
    let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    let object = json!({
        "parameters": parameters.name(), "hash": parameters.hash().to_string(),
        "security_bits": parameters.security_bits(),
        "files": names, "evaluation_keys": keys, "level": level,
    });
    let text = match keys {
        0 => names.join("\n"),
        _ => format!("{} ({keys} keys, up to level {level})", names.join("\n")),
    };
    print(&text, &object, json)
}

/// The inputs for which expressions are planned: fresh ciphertexts of real values. Complex values
/// need the same keys.
struct Inputs {
    parameters: Parameters,
    each: Input,
}

fn inputs(
    options: &KeygenOptions,
    parameters: &Parameters,
    level: usize,
) -> Result<Inputs, CommandError> {
    let bound = declared_bound(options.bound, true, parameters)?;
    let length = options.values.unwrap_or(parameters.slots());
    let length = check_slots("--values", length, parameters)?;
    let each = Input { level, length, ..Input::fresh(parameters, bound) };
    Ok(Inputs { parameters: parameters.clone(), each })
}

/// Adds the operations that an expression needs.
fn add_needed(
    operations: &mut Operations,
    expression: &str,
    inputs: &Inputs,
) -> Result<(), CommandError> {
    if program::is_path(expression) {
        for needed in program::operations(expression, &inputs.parameters, &inputs.each)? {
            add(operations, needed);
        }
        return Ok(());
    }
    let steps = parse(expression).map_err(bad_input)?;
    let names = steps.iter().filter_map(|step| match &step.action {
        Action::Name(name) => Some((name.clone(), inputs.each)),
        _ => None,
    });
    let needed =
        plan_of(&steps, FUNCTION_ERROR, &inputs.parameters, &names.collect())?.operations();
    add(operations, needed);
    Ok(())
}

fn add(operations: &mut Operations, needed: Operations) {
    operations.multiply |= needed.multiply;
    operations.conjugate |= needed.conjugate;
    operations.bootstrap |= needed.bootstrap;
    operations.bootstrap_slots.extend(needed.bootstrap_slots);
    operations.rotations.extend(needed.rotations);
}

/// Makes and writes the keys one by one.
fn write_evaluation_keys(
    client: &mut Client,
    operations: &Operations,
    level: usize,
    file: &mut KeyFile,
) -> Result<(), FileError> {
    let bar = steps_bar(operations.keys(client.parameters()).len() as u64);
    bar.set_message("evaluation keys");
    let progress = |done: usize, _| bar.set_position(done as u64);
    let saved = client.save_evaluation_keys(operations, level, file, progress);
    bar.finish_and_clear();
    saved
}

/// Makes the keys of a server one by one, with a progress bar.
pub fn make_keys(client: &mut Client, wanted: BTreeMap<KeyUse, usize>) -> EvaluationKeys {
    let bar = steps_bar(wanted.len() as u64);
    bar.set_message("evaluation keys");
    let mut keys = EvaluationKeys::new(client.parameters());
    for (of, level) in wanted {
        keys.insert(of, client.evaluation_key(of, level));
        bar.inc(1);
    }
    bar.finish_and_clear();
    keys
}
