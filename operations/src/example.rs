// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Execution of the table's examples: tests and the self-test compare their answers.

use halimede_arith::interface::{
    About, Answer, Example, Interface, Invalid, Plan, Reply, Settings, Values,
};
use halimede_arith::job::Operation;
use serde_json::Value;

use crate::json;

/// The request of an example, and its expected answer.
pub struct Prepared<Op: Operation> {
    example: &'static Example,
    reply: Reply,
    plan: Plan<Op>,
    /// The request, or the reason why the item is bad.
    request: Result<Op::Request, Invalid>,
}

/// Prepares all examples of an interface.
///
/// # Errors
/// A message if an example does not match its description.
pub fn prepare<I: Interface>() -> Result<Vec<Prepared<I::Operation>>, String> {
    I::ABOUT.examples.iter().map(|example| prepare_one::<I>(example)).collect()
}

fn prepare_one<I: Interface>(example: &'static Example) -> Result<Prepared<I::Operation>, String> {
    let settings = settings(I::ABOUT, example)?;
    let plan = I::plan(&settings)?;
    let body = format!("{{\"items\": [{}]}}", example.item);
    let mut items = Vec::new();
    json::read(body.as_bytes(), I::ABOUT.item, 1, &mut items).map_err(|error| error.to_string())?;
    let item = items.pop().ok_or("the example has no item")?;
    let request = item.and_then(|record| (plan.read)(record));
    Ok(Prepared { example, reply: I::ABOUT.reply, plan, request })
}

/// Returns the settings of an example, with their objects attached.
///
/// # Errors
/// A message if a setting is invalid.
pub fn settings(about: &'static About, example: &Example) -> Result<Settings, String> {
    let mut settings = Settings::of(about.settings);
    for (name, value) in example.settings {
        settings.set(name, (*value).to_owned())?;
    }
    for (name, content) in example.objects {
        let object = (settings.named_kind(name)?.read)(&content())?;
        settings.attach(name, object)?;
    }
    settings.complete()
}

/// Returns the settings of an example as the query of a URL, without defaults. Objects are named by
/// the hash 0, which no object has.
pub fn query(about: &About, example: &Example) -> String {
    let named = about.settings.iter().filter(|setting| matches!(setting.values, Values::Object(_)));
    let objects = named.map(|setting| format!("{}={}", setting.name, "0".repeat(64)));
    let words = example.settings.iter().map(|(name, value)| format!("{name}={}", escaped(value)));
    objects.chain(words).collect::<Vec<_>>().join("&")
}

/// Escapes a value of a query (URL standard, application/x-www-form-urlencoded).
fn escaped(value: &str) -> String {
    let escape = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b',' => {
            char::from(byte).to_string()
        }
        b' ' => "+".to_owned(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(escape).collect()
}

/// Returns the requests of examples, as one batch.
pub fn requests<Op: Operation>(examples: &[Prepared<Op>]) -> Vec<Op::Request> {
    examples.iter().filter_map(Prepared::request).cloned().collect()
}

/// Checks the replies to [`requests`]. Returns a message for each example with a wrong answer.
pub fn faults<Op: Operation>(examples: &[Prepared<Op>], replies: Op::Replies) -> Vec<String> {
    let mut replies = replies.into_iter();
    let fault = |(number, example): (usize, &Prepared<Op>)| {
        let reply = example.request().and_then(|_| replies.next());
        example.check(reply).err().map(|error| format!("example {}: {error}", number + 1))
    };
    examples.iter().enumerate().filter_map(fault).collect()
}

impl<Op: Operation> Prepared<Op> {
    /// Returns the request; `None` for a bad item.
    pub fn request(&self) -> Option<&Op::Request> {
        self.request.as_ref().ok()
    }

    /// Compares the answer to the request's reply with the known one.
    ///
    /// # Errors
    /// A message with both answers.
    pub fn check(&self, reply: Option<Op::Reply>) -> Result<(), String> {
        let answer = match (&self.request, reply) {
            (Err(reason), _) => Answer::Bad(reason.clone()),
            (Ok(_), Some(reply)) => (self.plan.answer)(reply),
            (Ok(_), None) => return Err("no reply".into()),
        };
        let got = json::answer(0, &answer, self.reply);
        let expected: Value = serde_json::from_str(self.example.answer)
            .map_err(|error| format!("the known answer is not JSON: {error}"))?;
        match got == expected {
            true => Ok(()),
            false => Err(format!("expected {expected}, got {got}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use halimede_arith::interface::Visitor;
    use halimede_arith::job::Compute;

    use super::*;

    /// Checks the examples with bad items, which need no place.
    struct ExampleCheck;

    impl Visitor for ExampleCheck {
        fn visit<I: Interface>(&mut self) {
            let prepared = prepare::<I>().unwrap();
            for prepared in prepared.iter().filter(|prepared| prepared.request().is_none()) {
                prepared.check(None).unwrap();
            }
        }
    }

    #[test]
    fn every_operation_has_examples_of_its_own_description() {
        crate::visit(&mut ExampleCheck);
        let all = crate::descriptions();
        for about in &all {
            assert!(!about.examples.is_empty(), "{}", about.name);
            assert!(about.examples.iter().all(|known| !known.source.is_empty()), "{}", about.name);
        }
        let paths: BTreeSet<_> = all.iter().map(|about| about.path).collect();
        let names: BTreeSet<_> = all.iter().map(|about| about.name).collect();
        assert!(paths.len() == all.len() && names.len() == all.len() && all.len() >= 20);
        let settings = all.iter().flat_map(|about| about.settings);
        let needed: BTreeSet<_> = settings
            .filter_map(|setting| match setting.values {
                Values::Object(kind) => Some(kind.name),
                _ => None,
            })
            .collect();
        assert_eq!(needed, crate::OBJECT_KINDS.iter().map(|kind| kind.name).collect());
    }

    #[test]
    fn a_wrong_reply_is_told_from_the_right_one() {
        struct Hashes;
        impl Visitor for Hashes {
            fn visit<I: Interface>(&mut self) {
                use halimede_blake3::operations::Hash;
                use std::any::Any;
                for prepared in prepare::<I>().unwrap() {
                    let prepared: Box<dyn Any> = Box::new(prepared);
                    let Ok(prepared) = prepared.downcast::<Prepared<Hash>>() else { continue };
                    let right = Hash::compute(Hash::row(prepared.request().unwrap()));
                    prepared.check(Some(right.clone())).unwrap();
                    let mut wrong = right;
                    wrong[3] ^= 1;
                    assert!(prepared.check(Some(wrong)).unwrap_err().contains("expected "));
                    assert!(prepared.check(None).is_err());
                }
            }
        }
        crate::visit(&mut Hashes);
    }

    #[test]
    fn values_of_queries_are_escaped() {
        assert_eq!(escaped("a b+c_RO-1,2%"), "a+b%2Bc_RO-1,2%25");
    }
}
