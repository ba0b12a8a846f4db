// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generates the functions of the table's operations, and their documentation in the header.

use std::fmt::Write;

use halimede_arith::interface::{About, Field, Kind, ObjectKind, Outcome, Reply, Values};
use halimede_operations::columns::names_of;
use halimede_operations::text::wrap;

/// Operations with hand-written functions. Those of Poseidon and BLAKE3 read and write arrays in
/// place; calls through the table copy every number and message, and take several times as long.
/// Those of ECDSA cache keys, and decompress them in lanes; a request of the table has x and y.
pub const BY_HAND: [(&str, &str); 7] = [
    ("poseidon.filecoin_hash", "halimede_filecoin_hash"),
    ("poseidon.starknet_hash", "halimede_starknet_hash"),
    ("poseidon.permute", "halimede_permute"),
    ("blake3.hash", "halimede_blake3_hash_many"),
    ("blake3.keyed_hash", "halimede_blake3_hash_many"),
    ("blake3.derive_key", "halimede_blake3_hash_many"),
    ("secp256k1.verify", "halimede_ecdsa_verify"),
];

/// The maximum length of a line.
const LINE: usize = 99;

/// Returns the operations with generated functions.
pub fn generated() -> impl Iterator<Item = &'static About> {
    let is_by_hand = |about: &&About| BY_HAND.iter().any(|(name, _)| *name == about.name);
    halimede_operations::descriptions().into_iter().filter(move |about| !is_by_hand(about))
}

/// Returns the name of the function of an operation.
pub fn function(about: &About) -> String {
    format!("halimede_{}", about.name.replace('.', "_"))
}

/// Returns the source of `capi/src/operations.rs`.
pub fn source() -> String {
    let mut source = String::from(
        "// SPDX-License-Identifier: Apache-2.0 OR MIT\n\
         //! Generated from the table of operations by `make generate`: do not edit.\n\n\
         use crate::call::{CallArguments, Rows, Setting};\n\
         use crate::device::Device;\n\
         use crate::object::Object;\n\
         use crate::status::Status;\n\
         use crate::verdict::Bytes;\n\n",
    );
    verdicts(&mut source);
    for about in generated() {
        write_function(about, &mut source);
    }
    source
}

fn verdicts(source: &mut String) {
    document(
        source,
        "",
        "The verdict on an item, which the functions of operations write for each item. Unless it \
         is HALIMEDE_VERDICT_VALID, the other outputs of the item are zeros.",
    );
    source.push_str(
        "#[allow(dead_code, reason = \"the header has it\")]\n#[repr(u32)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum Verdict {\n",
    );
    for outcome in Outcome::ALL {
        document(source, "    ", outcome.about());
        let _ = writeln!(source, "    {outcome:?} = {},", outcome as u8);
    }
    source.push_str("}\n\n");
}

/// Writes lines of documentation; the lines of a list's item after its first are indented.
fn document(source: &mut String, indent: &str, text: &str) {
    let hanging = if text.starts_with("- ") { "  " } else { "" };
    let (first, rest) = (format!("{indent}/// "), format!("{indent}/// {hanging}"));
    wrap(source, LINE, &first, &rest, text);
}

/// A parameter: its name, its type and its documentation.
struct Parameter {
    name: String,
    kind: &'static str,
    about: String,
}

/// Returns the parameters of a field, and the expression that reads them.
fn of_field(field: &Field) -> (Vec<Parameter>, String) {
    let mut names = names_of(field);
    let Kind::List { of, .. } = field.kind else {
        let (parameter, read) = of_values(names.remove(0), field, "item");
        return (vec![parameter], read);
    };
    let offsets = format!("{}_offsets", field.name);
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let about = format!(
        "uint64_t[count + 1]: the list of item i is the rows {offsets}[i] to {offsets}[i + 1] - 1 \
         of {}. {}",
        quoted.join(" and "),
        field.about
    );
    let mut parameters = vec![Parameter { name: offsets.clone(), kind: "*const u64", about }];
    let mut rows = Vec::new();
    for (name, record) in names.into_iter().zip(of) {
        let (parameter, read) = of_values(name, record, "row");
        parameters.push(parameter);
        rows.push(read);
    }
    (parameters, format!("Rows::Lists({offsets:?}, {offsets}, &[{}])", rows.join(", ")))
}

fn of_values(name: String, field: &Field, each: &str) -> (Parameter, String) {
    let (kind, form, variant) = match field.kind {
        Kind::Number => {
            ("*const u8", "uint8_t[][32], least significant byte first".to_owned(), "Numbers")
        }
        Kind::Bytes { least, most } if least == most => {
            ("*const Bytes", format!("{most} bytes each"), "Bytes")
        }
        Kind::Bytes { most, .. } if most < 1 << 20 => {
            ("*const Bytes", format!("at most {most} bytes each"), "Bytes")
        }
        Kind::Text { most, .. } => {
            ("*const Bytes", format!("UTF-8, at most {most} bytes each"), "Bytes")
        }
        _ => ("*const Bytes", "any number of bytes each".to_owned(), "Bytes"),
    };
    let about = format!("one per {each}, {form}. {}", field.about);
    let read = format!("Rows::{variant}({name:?}, {name})");
    (Parameter { name, kind, about }, read)
}

/// Returns the settings that are words, and those that are objects.
fn settings(about: &About) -> (Vec<String>, Vec<(&'static str, &'static ObjectKind)>) {
    let (mut words, mut objects) = (Vec::new(), Vec::new());
    for setting in about.settings {
        let values = match setting.values {
            Values::Object(kind) => {
                objects.push((setting.name, kind));
                continue;
            }
            Values::Choice(words) => {
                words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
            }
            Values::Whole { least, most } => format!("{least} to {most}"),
            Values::Positive => "a positive number".to_owned(),
            Values::Text { most } => format!("text of at most {most} bytes"),
        };
        let default = match setting.default {
            Some(default) => format!("{default:?} by default"),
            None => "required".to_owned(),
        };
        words.push(format!("{:?} ({values}; {default}): {}", setting.name, setting.about));
    }
    (words, objects)
}

fn write_function(about: &About, source: &mut String) {
    let (words, objects) = settings(about);
    let (mut columns, mut reads) = (Vec::new(), Vec::new());
    for field in about.item {
        let (parameters, read) = of_field(field);
        columns.extend(parameters);
        reads.push(read);
    }
    let computes = !matches!(about.reply, Reply::Verdict);
    document(source, "", &format!("{}, `count` at once (`{}`).", about.summary, about.name));
    source.push_str("///\n");
    for column in &columns {
        document(source, "", &format!("- `{}`: {}", column.name, column.about));
    }
    for (name, kind) in &objects {
        document(
            source,
            "",
            &format!("- `{name}`: an object of the kind {:?}. {}", kind.name, kind.about),
        );
    }
    for word in &words {
        document(source, "", &format!("- The setting {word}"));
    }
    if computes {
        let order = match about.reply {
            Reply::Number(_) | Reply::Numbers(_) => {
                " A number has 32 bytes, least significant byte first."
            }
            _ => "",
        };
        let text = format!(
            "- `values`: uint8_t[count][value_bytes], receives the value of each item. \
             `value_bytes` depends on the settings; the error of a wrong number says the right \
             one.{order}"
        );
        document(source, "", &text);
    }
    document(source, "", "- `verdicts`: uint8_t[count], receives a halimede_verdict per item.");
    source.push_str("///\n");
    let settings_may =
        if words.is_empty() { "" } else { ", and `settings` if `setting_count` is 0" };
    document(
        source,
        "",
        &format!(
            "`device` may be NULL{settings_may}. A bad item does not affect the others. All inputs \
             are treated as public: the time depends on them."
        ),
    );
    source.push_str("///\n");
    document(
        source,
        "",
        "Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a setting; the statuses of pointers and \
         lengths, whose message names the row; the statuses of devices.",
    );
    let mut parameters = vec![("device".to_owned(), "*const Device")];
    parameters.extend(objects.iter().map(|(name, _)| ((*name).to_owned(), "*const Object")));
    if !words.is_empty() {
        parameters.push(("settings".into(), "*const Setting"));
        parameters.push(("setting_count".into(), "usize"));
    }
    parameters.extend(columns.iter().map(|column| (column.name.clone(), column.kind)));
    parameters.push(("count".into(), "usize"));
    if computes {
        parameters.push(("values".into(), "*mut u8"));
        parameters.push(("value_bytes".into(), "usize"));
    }
    parameters.push(("verdicts".into(), "*mut u8"));
    let parameters: String =
        parameters.iter().map(|(name, kind)| format!("    {name}: {kind},\n")).collect();
    let given = match words.is_empty() {
        true => "settings: std::ptr::null(),\n        setting_count: 0,",
        false => "settings,\n        setting_count,",
    };
    let objects: Vec<String> =
        objects.iter().map(|(name, _)| format!("({name:?}, {name})")).collect();
    let act = match computes {
        true => "compute(values, value_bytes, verdicts)",
        false => "check(verdicts)",
    };
    let _ = writeln!(
        source,
        "#[no_mangle]\npub unsafe extern \"C\" fn {}(\n{parameters}) -> Status {{\n    \
         let given = CallArguments {{\n        operation: {:?},\n        device,\n        {given}\n        \
         objects: &[{}],\n        rows: &[{}],\n        count,\n    }};\n    \
         // SAFETY: as the header requires.\n    unsafe {{ given.{act} }}\n}}\n",
        function(about),
        about.name,
        objects.join(", "),
        reads.join(", "),
    );
}
