// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of rules: its tests exist, its gaps are those of reports, and the page is current.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use halimede_zcash::{rules, Gap, RuleState};

#[path = "../../examples/rules.rs"]
mod page;

/// The functions of a file that are tests.
fn tests_of(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut tests = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
            Some((name, _)) if is_test => drop(tests.insert(name.to_owned())),
            _ => {}
        }
        is_test = line == "#[test]" || is_test && line.starts_with(['#', '/']);
    }
    tests
}

#[test]
fn each_rule_has_its_tests() {
    let engines = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = BTreeMap::new();
    let mut count = 0;
    for rule in rules() {
        let tests = match rule.state {
            RuleState::Checked { tests, .. } => tests,
            RuleState::ChainState { given: Some(_), tests, .. } => tests,
            _ => continue,
        };
        assert!(!tests.is_empty(), "{rule:?}");
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let known = files.entry(file).or_insert_with(|| tests_of(&engines.join(file)));
            assert!(known.contains(name), "{} {}: no test {test}", rule.section, rule.text);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
    let none = tests_of(&engines.join("zcash/tests/all/rule_list.rs"));
    assert!(none.contains("each_rule_has_its_tests") && !none.contains("tests_of"));
}

#[test]
fn the_list_names_what_reports_name() {
    let named = rules().filter_map(|rule| match rule.state {
        RuleState::Checked { given, .. } => given,
        RuleState::NotChecked(gap) => Some(gap),
        RuleState::ChainState { .. } => None,
    });
    let (named, all): (BTreeSet<_>, BTreeSet<_>) =
        (named.collect(), Gap::ALL.into_iter().collect());
    assert_eq!(all.len(), Gap::ALL.len());
    assert_eq!(named, all);
    let names: BTreeSet<_> = Gap::ALL.iter().map(|gap| gap.name()).collect();
    assert_eq!(names.len(), Gap::ALL.len());
    let texts: BTreeSet<_> = rules().map(|rule| (rule.section, rule.text)).collect();
    assert_eq!(texts.len(), rules().count());
    let is_known =
        |section: &str| ["3.", "4.", "5.4.", "7.", "7,"].iter().any(|of| section.starts_with(of));
    assert!(rules().all(|rule| is_known(rule.section)));
}

#[test]
fn the_page_is_made_of_the_list() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/RULES.md");
    let there = std::fs::read_to_string(path).unwrap();
    assert!(there == page::page(), "run `cargo run -p halimede-zcash --example rules` again");
}
