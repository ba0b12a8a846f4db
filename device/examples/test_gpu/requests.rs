// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests of every operation of the table: known answers, examples, and examples with changed
//! digits, most of which are invalid in some way.

use halimede_arith::interface::Interface;
use halimede_arith::job::Operation;
use halimede_operations::example::{prepare, requests, settings};
use halimede_operations::json;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Requests of one kind.
pub struct Group<Op: Operation> {
    /// The operation, and the instance or the kind.
    pub name: String,
    /// The requests.
    pub requests: Vec<Op::Request>,
    /// The known replies, if the group has any.
    pub replies: Option<Vec<Op::Reply>>,
}

/// Returns the groups of an interface. `changed` is the number of changed items for each example.
///
/// # Errors
/// A message if a known answer cannot be used.
pub fn groups<I: Interface>(changed: usize, seed: u64) -> Result<Vec<Group<I::Operation>>, String> {
    let name = I::ABOUT.name;
    let mut groups = Vec::new();
    for known in I::known_answers()? {
        let (requests, replies): (Vec<_>, Vec<_>) = known.answers.into_iter().unzip();
        let name = format!("{name}: {}, {}", known.name, known.about);
        groups.push(Group { name, requests, replies: Some(replies) });
    }
    let examples = requests(&prepare::<I>()?);
    groups.push(Group { name: format!("{name}: examples"), requests: examples, replies: None });
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut others = Vec::new();
    for example in I::ABOUT.examples {
        let plan = I::plan(&settings(I::ABOUT, example)?)?;
        let item: Value = serde_json::from_str(example.item).map_err(|error| error.to_string())?;
        for _ in 0..changed {
            let mut item = item.clone();
            change(&mut item, &mut random);
            let record = json::read_line(&item.to_string(), I::ABOUT.item);
            // A device never gets an invalid item.
            others.extend(record.and_then(|record| (plan.read)(record)).ok());
        }
    }
    if !others.is_empty() {
        let name = format!("{name}: changed examples");
        groups.push(Group { name, requests: others, replies: None });
    }
    Ok(groups)
}

/// Changes one hexadecimal digit of a value, or a small number.
fn change(value: &mut Value, random: &mut ChaCha8Rng) {
    let count = count(value).max(1);
    let mut chosen = random.gen_range(0..count);
    change_nth(value, &mut chosen, random);
}

/// The number of texts and numbers of a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        Value::String(text) => usize::from(!text.is_empty()),
        Value::Number(_) => 1,
        _ => 0,
    }
}

fn change_nth(value: &mut Value, chosen: &mut usize, random: &mut ChaCha8Rng) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|one| change_nth(one, chosen, random)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|one| change_nth(one, chosen, random));
        }
        Value::String(text) if !text.is_empty() => {
            if *chosen == 0 {
                *text = changed(text, random);
            }
            *chosen = chosen.wrapping_sub(1);
        }
        Value::Number(number) => {
            if *chosen == 0 {
                *number = random.gen_range(0..1000u32).into();
            }
            *chosen = chosen.wrapping_sub(1);
        }
        _ => {}
    }
}

/// A text with another digit at a random place, not in the prefix of a number.
fn changed(text: &str, random: &mut ChaCha8Rng) -> String {
    let prefix = if text.starts_with("0x") { 2 } else { 0 };
    let mut bytes = text.as_bytes().to_vec();
    if bytes.len() > prefix {
        let place = random.gen_range(prefix..bytes.len());
        bytes[place] = b"0123456789abcdef"[random.gen_range(0..16)];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
