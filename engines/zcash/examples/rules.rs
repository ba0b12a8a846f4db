// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints RULES.md, made of the list of consensus rules:
//! `cargo run -p halimede-zcash --example rules > engines/zcash/RULES.md`

#![allow(dead_code, missing_docs, clippy::print_stdout)]

use halimede_zcash::{rules, Gap, Rule, RuleState};

const HEAD: &str = "\
# Rules of consensus

Made by `engines/zcash/examples/rules.rs` from the list in `src/rules/`; do not edit.

The list has the consensus rules of sections 3, 4, 5.4 and 7 of the Zcash protocol specification,
version of NU6.1, in few words. \"Bitcoin\" marks rules that the specification inherits without a
text of its own. The statements of section 4.18 are rules for proofs. Sections 3.1, 3.2, 3.10, 4.1,
4.2, 4.7 to 4.9, 4.12, 4.15, 4.16 and 4.19 on define terms or concern wallets: rules that consensus takes from
them stand where the specification asks for them.

| state | meaning | verdict |
|---|---|---|
| checked | the tests in the last column hold it | a failure is `invalid` |
| checked, given `option` | it is checked where the caller gives that; `--option` of the command, a member of this name in Rust, Python and C | `incomplete` without it |
| needs chain state | only earlier blocks decide it, and no option gives them | outside of the verdict; reports list it as `needs_chain_state` |
| not checked | reports count it by this name | `incomplete` |
";

fn main() {
    print!("{}", page());
}

/// The page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut part = "";
    for rule in rules() {
        let of = part_of(rule);
        if of != part {
            part = of;
            page += &format!(
                "\n## {part}\n\n| section | rule | state | held by |\n|---|---|---|---|\n"
            );
        }
        let (state, tests) = state(rule);
        page += &format!("| {} | {} | {state} | {tests} |\n", rule.section, rule.text);
    }
    page += "\n## What may be unchecked\n\n| name in reports | closed by |\n|---|---|\n";
    for gap in Gap::ALL {
        let option = gap.option().map_or_else(String::new, |option| format!("`{option}`: "));
        page += &format!("| {} | {option}{} |\n", gap.name(), gap.remedy());
    }
    page
}

fn part_of(rule: &Rule) -> &'static str {
    match rule.section.split(['.', ',']).next() {
        Some("3") => "3. Concepts",
        Some("4") => "4. Abstract protocol",
        Some("5") => "5.4 Concrete schemes",
        _ => "7. Changes from Bitcoin",
    }
}

fn state(rule: &Rule) -> (String, String) {
    match rule.state {
        RuleState::Checked { given, tests } => {
            let given = given.map_or_else(String::new, |gap| match gap.option() {
                Some(option) => format!(", given `{option}`"),
                None => format!(", but: {}", gap.name()),
            });
            let tests: Vec<_> = tests.iter().map(|test| format!("`{test}`")).collect();
            (format!("checked{given}"), tests.join(", "))
        }
        RuleState::ChainState { needs, .. } => {
            (format!("needs chain state: {needs}"), String::new())
        }
        RuleState::NotChecked(gap) => (format!("not checked: {}", gap.name()), String::new()),
    }
}
