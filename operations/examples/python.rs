// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the Python modules of the operations table, one module for each prefix of the operations'
//! names (the part before the dot). With `--check`, only checks that the modules are up to date.

#![allow(clippy::print_stderr, reason = "a generator says what is wrong")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use halimede_arith::interface::{About, Field, Kind, Reply, Setting, Values, NO_YES};
use halimede_operations::columns::names_of;
use halimede_operations::text;

/// Operations whose Python functions are written by hand. The functions of Poseidon and BLAKE3 read
/// an array in place and write their results into an array; calls through the table copy every
/// number and message and take several times as long. The functions of ECDSA cache keys and
/// decompress them in lanes; a request of the table has x and y.
pub const BY_HAND: [(&str, &str); 7] = [
    ("poseidon.filecoin_hash", "halimede.poseidon.hash"),
    ("poseidon.starknet_hash", "halimede.starknet.hash"),
    ("poseidon.permute", "halimede.poseidon.permute"),
    ("blake3.hash", "halimede.blake3.hash_many"),
    ("blake3.keyed_hash", "halimede.blake3.hash_many"),
    ("blake3.derive_key", "halimede.blake3.hash_many"),
    ("secp256k1.verify", "halimede.ecdsa.verify_many"),
];

/// Further names of a generated module. They come from the handwritten module `_NAME`.
const BESIDE: [(&str, &[&str]); 2] =
    [("equihash", &["Header", "indices", "minimal", "solve"]), ("groth16", &["ProvingKey"])];

/// The largest number of columns of a line.
const LINE: usize = 100;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let is_check = std::env::args().any(|argument| argument == "--check");
    let mut is_current = true;
    for (path, content) in modules() {
        if !is_check {
            std::fs::write(&path, content)?;
        } else if std::fs::read(&path)? != content.into_bytes() {
            eprintln!("{} is not what `make generate` writes", path.display());
            is_current = false;
        }
    }
    Ok(if is_current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The modules' paths and sources.
pub fn modules() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/halimede");
    let mut modules: BTreeMap<&str, Vec<&'static About>> = BTreeMap::new();
    for about in halimede_operations::descriptions() {
        let is_by_hand = BY_HAND.iter().any(|(name, _)| *name == about.name);
        if let (false, Some((module, _))) = (is_by_hand, about.name.split_once('.')) {
            modules.entry(module).or_default().push(about);
        }
    }
    let path = |module: &str| folder.join(format!("{module}.py"));
    modules.into_iter().map(|(module, all)| (path(module), source(module, &all))).collect()
}

fn source(module: &str, all: &[&'static About]) -> String {
    let mut functions = String::new();
    for about in all {
        write_function(about, &mut functions);
    }
    let summary: Vec<String> =
        all.iter().map(|about| format!("- `{}`: {}.", function(about), about.summary)).collect();
    let mut source = format!(
        "# SPDX-License-Identifier: Apache-2.0 OR MIT\n\
         # Generated from the table of operations by `make generate`: do not edit.\n\
         \"\"\"Operations `{module}`, each of many items at once.\n\n"
    );
    for line in &summary {
        wrap(&mut source, "", "  ", line);
    }
    source.push('\n');
    wrap(
        &mut source,
        "",
        "",
        "A column has one row per item: a list of buffers, or the rows of an array of two axes. \
         All inputs are treated as public: running times depend on them. A bad item gets a \
         verdict with the reason and does not affect the other items. Ctrl-C ends long work \
         between pieces. Raises ValueError if columns differ in length or a setting is invalid.",
    );
    source.push_str("\"\"\"\n\nfrom __future__ import annotations\n\n");
    let uses = |word: &str| functions.contains(word);
    let beside = BESIDE.into_iter().find(|(known, _)| *known == module);
    let beside = beside.map_or(&[][..], |(_, names)| names);
    if uses("Literal[") {
        source.push_str("from typing import Literal\n\n");
    }
    if !beside.is_empty() {
        let _ = writeln!(source, "from halimede._{module} import {}", beside.join(", "));
    }
    source.push_str("from halimede._native import Device");
    if uses("Object,") {
        source.push_str(", Object");
    }
    let imported: Vec<&str> = ["Column", "Lists", "Numbers", "check", "compute"]
        .into_iter()
        .filter(|name| uses(&format!("{name}(")) || uses(&format!(": {name},")))
        .collect();
    let _ = writeln!(source, "\nfrom halimede._operations import {}", imported.join(", "));
    let verdicts: Vec<&str> =
        ["Values", "Verdicts"].into_iter().filter(|name| uses(&format!("-> {name}:"))).collect();
    let _ = writeln!(source, "from halimede._verdicts import {}\n", verdicts.join(", "));
    let mut names: Vec<String> = all
        .iter()
        .map(|about| function(about))
        .chain(beside.iter().copied())
        .map(|name| format!("{name:?}"))
        .collect();
    names.sort();
    let mut list = String::new();
    wrap(&mut list, "    ", "    ", &format!("{},", names.join(", ")));
    let _ = write!(source, "__all__ = [\n{list}]\n");
    source + &functions
}

fn function(about: &About) -> &'static str {
    about.name.split_once('.').map_or(about.name, |(_, function)| function)
}

fn wrap(source: &mut String, first: &str, rest: &str, text: &str) {
    text::wrap(source, LINE, first, rest, text);
}

/// A parameter: its name, type, default and description.
struct Parameter {
    name: String,
    kind: String,
    default: Option<String>,
    about: String,
}

fn of_field(field: &Field) -> Vec<Parameter> {
    let names = names_of(field).into_iter();
    let parameter = |name, kind: &str, about: String| {
        let (kind, default) = (kind.to_owned(), None);
        Parameter { name, kind, default, about }
    };
    match field.kind {
        Kind::List { of, .. } => names
            .zip(of)
            .map(|(name, record)| {
                let (kind, of_each) = match record.kind {
                    Kind::Number => {
                        ("Numbers", "integers, or 32 bytes each, most significant byte first")
                    }
                    _ => ("Lists", "a column for each item"),
                };
                let own = if record.about == field.about { "" } else { record.about };
                parameter(name, kind, format!("{of_each}. {} {own}", field.about))
            })
            .collect(),
        _ => names.map(|name| parameter(name, "Column", column(field))).collect(),
    }
}

/// The description of a column.
fn column(field: &Field) -> String {
    match field.kind {
        Kind::Bytes { least, most } if least == most => {
            format!("{most} bytes each. {}", field.about)
        }
        _ => field.about.to_owned(),
    }
}

fn of_setting(setting: &Setting) -> Parameter {
    let quoted = |word: &str| format!("{word:?}");
    let is_truth = matches!((setting.values, NO_YES), (Values::Choice(own), Values::Choice(words)) if own == words);
    let (kind, default) = match setting.values {
        Values::Choice(_) if is_truth => {
            let default = setting.default.map(|word| if word == "true" { "True" } else { "False" });
            ("bool".to_owned(), default.map(str::to_owned))
        }
        Values::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            (format!("Literal[{}]", words.join(", ")), setting.default.map(quoted))
        }
        Values::Whole { .. } => ("int".to_owned(), setting.default.map(str::to_owned)),
        Values::Positive => ("float".to_owned(), setting.default.map(str::to_owned)),
        Values::Text { .. } => ("str".to_owned(), setting.default.map(quoted)),
        Values::Object(_) => ("Object".to_owned(), None),
    };
    let about = match setting.values {
        Values::Object(kind) => format!("an object of the kind {:?}. {}", kind.name, kind.about),
        _ => setting.about.to_owned(),
    };
    Parameter { name: setting.name.replace('-', "_"), kind, default, about }
}

fn write_function(about: &About, source: &mut String) {
    let is_object = |setting: &&Setting| matches!(setting.values, Values::Object(_));
    let (objects, words): (Vec<&Setting>, Vec<&Setting>) =
        about.settings.iter().partition(is_object);
    let columns: Vec<Parameter> = about.item.iter().flat_map(of_field).collect();
    let objects: Vec<(&str, Parameter)> =
        objects.into_iter().map(|setting| (setting.name, of_setting(setting))).collect();
    let words: Vec<(&str, Parameter)> =
        words.into_iter().map(|setting| (setting.name, of_setting(setting))).collect();
    let computes = !matches!(about.reply, Reply::Verdict);
    let (act, answer) = if computes { ("compute", "Values") } else { ("check", "Verdicts") };
    let _ = write!(source, "\n\ndef {}(\n", function(about));
    for parameter in objects.iter().map(|(_, object)| object).chain(&columns) {
        let _ = writeln!(source, "    {}: {},", parameter.name, parameter.kind);
    }
    source.push_str("    *,\n");
    for (_, Parameter { name, kind, default, .. }) in &words {
        let default = default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        let line = format!("    {name}: {kind}{default},");
        match (line.chars().count() > LINE, kind.strip_prefix("Literal[")) {
            (true, Some(choices)) => {
                let choices = choices.trim_end_matches(']');
                let _ = writeln!(source, "    {name}: Literal[");
                wrap(source, "        ", "        ", &format!("{choices},"));
                let _ = writeln!(source, "    ]{default},");
            }
            _ => {
                let _ = writeln!(source, "{line}");
            }
        }
    }
    let _ = writeln!(source, "    device: Device | None = None,\n) -> {answer}:");
    wrap(source, "    \"\"\"", "    ", &format!("{}, many at once.", about.summary));
    source.push('\n');
    let described = objects.iter().chain(&words).map(|(_, parameter)| parameter);
    for Parameter { name, about, .. } in columns.iter().chain(described) {
        wrap(source, "    ", "        ", &format!("{name}: {about}"));
    }
    wrap(source, "    ", "        ", "device: where the work runs; this processor by default.");
    if computes {
        source.push('\n');
        wrap(source, "    ", "    ", "An item without a value gets a verdict with the reason.");
        if matches!(about.reply, Reply::Number(_) | Reply::Numbers(_)) {
            wrap(source, "    ", "    ", "A number has 32 bytes, least significant byte first.");
        }
    }
    source.push_str("    \"\"\"\n");
    let pairs = |of: &[(&str, Parameter)]| {
        let pairs: Vec<String> =
            of.iter().map(|(name, parameter)| format!("({name:?}, {})", parameter.name)).collect();
        format!("[{}]", pairs.join(", "))
    };
    let columns: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
    let _ = write!(
        source,
        "    return {act}(\n        {:?},\n        {},\n        {},\n        [{}],\n        device,\n    )\n",
        about.name,
        pairs(&words),
        pairs(&objects),
        columns.join(", "),
    );
}
