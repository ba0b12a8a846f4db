// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generates a C program that passes the examples of every operation to its function: all examples
//! with the same settings at once, and each one separately.

use std::fmt::Write;
use std::path::Path;

use halimede_arith::interface::{
    About, Answer, Example, Field, Kind, Outcome, Part, Record, Reply,
};
use halimede_device::call::{fields_of, prepare, Column};
use halimede_device::Device;
use halimede_operations::{example, json};

use crate::header::operations::{function, generated};

const BEGINNING: &str = r#"#include "check.h"

#define BYTES(array) {array, sizeof array}

/* Objects that the examples need, from their files. */
static halimede_object *object(const char *kind, const char *path)
{
    halimede_object *made = NULL;
    CHECK_OK(halimede_object_open(kind, path, &made));
    return made;
}

static int equal(const uint8_t *found, const uint8_t *expected, size_t length)
{
    return memcmp(found, expected, length) == 0;
}
"#;

/// Returns the source of the program, and its expected output. Writes the files of objects into the
/// folder.
pub fn program(folder: &Path) -> (String, String) {
    let (mut source, mut calls, mut examples) = (BEGINNING.to_owned(), String::new(), 0);
    for about in generated() {
        let mut left: Vec<&Example> = about.examples.iter().collect();
        while let Some(first) = left.first().copied() {
            let same = |example: &&&Example| example.settings == first.settings;
            let batch: Vec<&Example> = left.iter().filter(same).copied().collect();
            left.retain(|example| example.settings != first.settings);
            for part in std::iter::once(&batch[..]).chain(batch.chunks(1)) {
                let name = format!("batch_{examples}");
                write_batch(about, part, &name, folder, &mut source);
                writeln!(calls, "    {name}();").unwrap();
                examples += part.len();
            }
        }
    }
    let printed = format!("{examples} items of {} operations\n", generated().count());
    writeln!(source, "\nint main(void)\n{{\n{calls}    printf({printed:?});\n    return 0;\n}}")
        .unwrap();
    (source, printed)
}

/// Returns the expected verdict and value of an item, from code that is tested elsewhere.
fn expected(about: &'static About, example: &Example, record: &Record) -> (Outcome, Vec<u8>) {
    let settings = example::settings(about, example).unwrap();
    let call = prepare(about.name, &settings).unwrap();
    let parts: Vec<Owned> =
        about.item.iter().zip(&record.0).map(|(field, part)| owned(field, part)).collect();
    let columns: Vec<Column<'_>> = parts.iter().map(Owned::column).collect();
    let answer = call.answer(&Device::open("cpu").unwrap(), &columns, 1).unwrap().remove(0);
    // The answer is the known answer.
    let known: serde_json::Value = serde_json::from_str(example.answer).unwrap();
    assert_eq!(json::answer(0, &answer, about.reply), known, "{}", about.name);
    match answer {
        Answer::Bytes(bytes) => (Outcome::Valid, bytes),
        Answer::Numbers(numbers) => (Outcome::Valid, numbers.into_flattened()),
        Answer::Verdict(verdict) => (Outcome::of(&verdict), vec![]),
        other => panic!("{}: {other:?}", about.name),
    }
}

/// Returns the values of a field of one item: rows of bytes for each column, and `true` for a list.
struct Owned {
    columns: Vec<Vec<Vec<u8>>>,
    is_list: bool,
}

impl Owned {
    fn column(&self) -> Column<'_> {
        fn slices(rows: &[Vec<u8>]) -> Vec<&[u8]> {
            rows.iter().map(Vec::as_slice).collect()
        }
        match self.is_list {
            false => Column::Values(slices(&self.columns[0])),
            true => Column::Lists {
                ends: vec![self.columns[0].len()],
                columns: self.columns.iter().map(|rows| slices(rows)).collect(),
            },
        }
    }
}

fn owned(field: &Field, part: &Part) -> Owned {
    let bytes = |part: &Part| match part {
        Part::Bytes(bytes) => bytes.clone(),
        Part::Text(text) => text.clone().into_bytes(),
        Part::Number(number) => number.to_vec(),
        other => panic!("{other:?}"),
    };
    let (columns, is_list) = match part {
        Part::Numbers(numbers) => {
            (vec![numbers.iter().map(|number| number.to_vec()).collect()], true)
        }
        Part::List(records) => {
            let column =
                |place: usize| records.iter().map(|record| bytes(&record.0[place])).collect();
            ((0..fields_of(field).len()).map(column).collect(), true)
        }
        part => (vec![vec![bytes(part)]], false),
    };
    Owned { columns, is_list }
}

fn array(source: &mut String, name: &str, bytes: &[u8]) {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte}")).collect();
    writeln!(source, "    static const uint8_t {name}[] = {{{}}};", digits.join(",")).unwrap();
}

/// Writes rows of bytes as the array of a column, and returns its name.
fn column(source: &mut String, name: &str, rows: &[&[u8]], is_of_numbers: bool) -> String {
    if rows.is_empty() {
        return "NULL".into();
    }
    if is_of_numbers {
        array(source, name, &rows.concat());
        return name.into();
    }
    let mut entries = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if row.is_empty() {
            entries.push("{NULL, 0}".to_owned());
        } else {
            array(source, &format!("{name}_{number}"), row);
            entries.push(format!("BYTES({name}_{number})"));
        }
    }
    writeln!(source, "    const halimede_bytes {name}[] = {{{}}};", entries.join(", ")).unwrap();
    name.into()
}

fn write_batch(
    about: &'static About,
    examples: &[&Example],
    name: &str,
    folder: &Path,
    source: &mut String,
) {
    let records: Vec<Record> = examples
        .iter()
        .map(|example| json::read_line(example.item, about.item))
        .filter_map(Result::ok)
        .collect();
    let known: Vec<&&Example> = examples
        .iter()
        .filter(|example| json::read_line(example.item, about.item).is_ok())
        .collect();
    writeln!(source, "\n/* {} */\nstatic void {name}(void)\n{{", about.name).unwrap();
    let mut arguments = vec!["NULL".to_owned()];
    for (setting, content) in examples[0].objects {
        let kind = about.settings.iter().find_map(|known| match known.values {
            halimede_arith::interface::Values::Object(kind) if known.name == *setting => {
                Some(kind.name)
            }
            _ => None,
        });
        let kind = kind.unwrap();
        let path = folder.join(format!("{name}_{kind}"));
        std::fs::write(&path, content()).unwrap();
        writeln!(source, "    halimede_object *const {setting} = object({kind:?}, {path:?});")
            .unwrap();
        arguments.push(setting.to_string());
    }
    let words = about
        .settings
        .iter()
        .any(|setting| !matches!(setting.values, halimede_arith::interface::Values::Object(_)));
    if words {
        let given: Vec<String> = examples[0]
            .settings
            .iter()
            .map(|(name, value)| format!("{{{name:?}, {value:?}}}"))
            .collect();
        if given.is_empty() {
            arguments.extend(["NULL".to_owned(), "0".to_owned()]);
        } else {
            writeln!(source, "    const halimede_setting settings[] = {{{}}};", given.join(", "))
                .unwrap();
            arguments.extend(["settings".to_owned(), given.len().to_string()]);
        }
    }
    let items: Vec<Vec<Owned>> = records
        .iter()
        .map(|record| {
            about.item.iter().zip(&record.0).map(|(field, part)| owned(field, part)).collect()
        })
        .collect();
    for (place, field) in about.item.iter().enumerate() {
        let is_list = matches!(field.kind, Kind::List { .. });
        if is_list {
            let mut offsets = vec![0];
            for item in &items {
                offsets.push(offsets[offsets.len() - 1] + item[place].columns[0].len());
            }
            let offsets: Vec<String> = offsets.iter().map(ToString::to_string).collect();
            writeln!(source, "    const uint64_t offsets_{place}[] = {{{}}};", offsets.join(", "))
                .unwrap();
            arguments.push(format!("offsets_{place}"));
        }
        let fields = if is_list { fields_of(field) } else { std::slice::from_ref(field) };
        for (number, field) in fields.iter().enumerate() {
            let rows: Vec<&[u8]> = items
                .iter()
                .flat_map(|item| item[place].columns[number].iter().map(Vec::as_slice))
                .collect();
            let name = format!("column_{place}_{number}");
            arguments.push(column(source, &name, &rows, matches!(field.kind, Kind::Number)));
        }
    }
    let count = records.len();
    arguments.push(count.to_string());
    let found: Vec<(Outcome, Vec<u8>)> = known
        .iter()
        .zip(&records)
        .map(|(example, record)| expected(about, example, record))
        .collect();
    let outcomes: Vec<u8> = found.iter().map(|(outcome, _)| *outcome as u8).collect();
    let values: Vec<u8> = found.iter().flat_map(|(_, value)| value.clone()).collect();
    if count > 0 {
        array(source, "expected", &outcomes);
    }
    writeln!(source, "    uint8_t verdicts[{}] = {{0}};", count + 1).unwrap();
    if !matches!(about.reply, Reply::Verdict) {
        let settings = example::settings(about, examples[0]).unwrap();
        let length = prepare(about.name, &settings).unwrap().reply_bytes();
        if count > 0 {
            array(source, "value", &values);
        }
        writeln!(source, "    uint8_t values[{}];", values.len().max(1)).unwrap();
        arguments.extend(["values".to_owned(), length.to_string()]);
    }
    arguments.push("verdicts".into());
    writeln!(source, "    CHECK_OK({}({}));", function(about), arguments.join(", ")).unwrap();
    if count > 0 {
        writeln!(source, "    CHECK(equal(verdicts, expected, {count}));").unwrap();
    }
    if !matches!(about.reply, Reply::Verdict) && count > 0 {
        writeln!(source, "    CHECK(equal(values, value, {}));", values.len()).unwrap();
    }
    for (setting, _) in examples[0].objects {
        writeln!(source, "    halimede_object_free({setting});").unwrap();
    }
    source.push_str("    CHECK(verdicts[sizeof verdicts - 1] == 0);\n}\n");
}
