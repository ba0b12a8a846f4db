// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `tables`: the published figures of an accelerator next to ours, in all forms.

use std::collections::HashMap;

use serde_json::Value;

use crate::ckks_card;

const README: &str = include_str!("../../../../engines/ckks/card/README.md");
const MARKS: [&str; 5] = ["published", "formula", "model", "synthesis", "estimate"];

fn printed(arguments: &str) -> String {
    let outcome = ckks_card(&format!("tables {arguments}"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.stdout
}

/// The cells of a line of comma-separated values.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    assert!(!is_quoted, "{line}");
    cells
}

/// Checks that tags are nested properly.
fn assert_is_well_formed(document: &str) {
    let mut open = Vec::new();
    for part in document.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect(part);
        assert!(!text.contains('>'), "{part}");
        let name = tag.split(' ').next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn tables_of_the_readme_are_printed() {
    let (_, rest) = README.split_once("<!-- begin card-tables -->\n").unwrap();
    let (written, _) = rest.split_once("<!-- end card-tables -->").unwrap();
    let printed = printed("");
    for part in written.trim_end().split("\n\n") {
        assert!(printed.contains(part), "`ckks-card tables` does not print:\n{part}");
    }
}

#[test]
fn every_cell_has_a_mark_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tables.svg");
    let csv = printed(&format!("--format csv --svg {}", file.display()));
    let mut lines = csv.lines().map(cells);
    let headings = ["table", "published in", "quantity", "unit", "column", "figure", "mark"];
    assert_eq!(lines.next().unwrap(), headings);
    let (mut count, mut figures) = (0, HashMap::new());
    let mut marks = Vec::new();
    for line in lines {
        let [table, _, quantity, _, column, figure, mark] = &line[..] else {
            panic!("{line:?}");
        };
        assert_eq!(MARKS.contains(&&mark[..]), !figure.is_empty(), "{line:?}");
        assert!(!mark.is_empty(), "{line:?}");
        count += 1;
        if !figure.is_empty() {
            // The paper's figures are in columns for them.
            let is_theirs = column.starts_with("published") || column == "U280";
            assert!(mark != "published" || is_theirs, "{line:?}");
            marks.push(mark.clone());
            let of = [table, quantity, column].map(String::as_str).join("/");
            let before = figures.insert(of, figure.parse::<f64>().unwrap());
            assert_eq!(before, None, "{line:?}");
        }
    }
    for mark in MARKS {
        assert!(marks.iter().any(|of| of == mark), "{mark}");
    }
    for column in ["published", "ours"] {
        let of = |row: &str| figures.get(&format!("multipliers/{row}/{column}")).copied();
        let parts =
            ["transforms", "products", "their reductions"].map(|row| of(row).unwrap_or(0.0));
        assert_eq!(of("all"), Some(parts.iter().sum()), "{column}");
    }
    for card in ["ours, 8.4 MB", "ours, 31.5 MB"] {
        let of = |row: &str| figures[&format!("memories/{row}/{card}")];
        let parts = of("BRAM of the scratchpad") + of("BRAM of the transforms' factors");
        assert_eq!(of("all BRAM"), parts);
        assert!(parts <= figures["memories/all BRAM/U280"], "{card}");
        assert!(of("UltraRAM") <= figures["memories/UltraRAM/U280"], "{card}");
    }
    let drawing = std::fs::read_to_string(&file).unwrap();
    assert_is_well_formed(&drawing);
    assert_eq!(drawing.matches("<rect ").count(), 1 + figures.len());
    assert_eq!(drawing.matches("http").count(), 1, "only the name of the format");
    let object: Value = serde_json::from_str(&printed("--json")).unwrap();
    let rows = object["tables"].as_array().unwrap().iter();
    let rows = rows.flat_map(|table| table["rows"].as_array().unwrap());
    let of_json: Vec<&Value> = rows.flat_map(|row| row["cells"].as_array().unwrap()).collect();
    assert_eq!(of_json.len(), count);
    let have_figures = of_json.iter().filter(|cell| cell["figure"].is_number());
    assert_eq!(have_figures.count(), figures.len());
}
