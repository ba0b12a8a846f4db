// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The imports, definitions and implementations of a source file, read from its tokens.

use std::collections::{BTreeMap, BTreeSet};

/// A path that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub segments: Vec<String>,
    /// The name in the file.
    pub name: String,
    /// `true` if `pub use` re-exports it.
    pub is_public: bool,
}

/// The inherent methods of a type in a file, and those that they call of the same value.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    pub defined: BTreeSet<String>,
    pub called: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Source {
    pub paths: Vec<Path>,
    /// Types that it defines.
    pub types: BTreeSet<String>,
    /// Inherent implementations, by type.
    pub methods: BTreeMap<String, Methods>,
    /// Modules that only exist for tests.
    pub test_modules: BTreeSet<String>,
}

/// Returns identifiers, `::`, and single characters of everything else, without comments and the
/// contents of literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = character(rest) {
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            end
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of a character literal, where one begins; `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let behind = rest.strip_prefix('\'')?;
    let length = match behind.strip_prefix('\\') {
        Some(escaped) => 1 + escaped.find('\'')?.max(1),
        None => behind.chars().next()?.len_utf8(),
    };
    behind[length..].starts_with('\'').then_some(length + 2)
}

/// Returns the place after the bracket that closes the one at a place.
fn behind(tokens: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        depth += i32::from(token == "{") - i32::from(token == "}");
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

impl Source {
    pub fn of(text: &str) -> Self {
        let mut source = Self::default();
        let tokens = tokens(text);
        let is = |place: usize, what: &str| tokens.get(place).is_some_and(|token| token == what);
        let starts = |place: usize, all: &[&str]| (0..all.len()).all(|k| is(place + k, all[k]));
        let mut place = 0;
        while place < tokens.len() {
            let token = tokens[place].as_str();
            if starts(place, &["#", "[", "cfg", "(", "test", ")", "]", "mod"]) {
                source.test_modules.insert(tokens[place + 8].clone());
                place = if is(place + 9, "{") { behind(&tokens, place + 9) } else { place + 9 };
                continue;
            }
            match token {
                "use" => {
                    let before = place.checked_sub(1).map_or("", |before| tokens[before].as_str());
                    let is_public = before == "pub" || before == ")";
                    place = source.tree(&tokens, place + 1, &mut Vec::new(), is_public);
                }
                "struct" | "enum" | "trait" | "type" => {
                    source.types.insert(tokens[place + 1].clone());
                }
                "impl" => source.implementation(&tokens, place),
                // Paths in the code.
                "crate" | "super" | "self" if is(place + 1, "::") => {
                    let mut segments = vec![token.to_owned()];
                    while is(place + 1, "::") && tokens[place + 2].starts_with(char::is_alphabetic)
                    {
                        segments.push(tokens[place + 2].clone());
                        place += 2;
                    }
                    let name = segments.last().cloned().unwrap_or_default();
                    source.paths.push(Path { segments, name, is_public: false });
                }
                _ => {}
            }
            place += 1;
        }
        source
    }

    /// Returns the paths of a `use` from a place on, and the place after it.
    fn tree(
        &mut self,
        tokens: &[String],
        mut place: usize,
        before: &mut Vec<String>,
        is_public: bool,
    ) -> usize {
        let length = before.len();
        while place < tokens.len() {
            match tokens[place].as_str() {
                "{" => {
                    place += 1;
                    while tokens[place] != "}" {
                        place = self.tree(tokens, place, before, is_public);
                        place += usize::from(tokens[place] == ",");
                    }
                    before.truncate(length);
                    return place + 1;
                }
                "," | ";" | "}" => break,
                "::" => {}
                "as" => {
                    let mut segments = before.clone();
                    self.push(&mut segments, tokens[place + 1].clone(), is_public);
                    before.truncate(length);
                    return place + 2;
                }
                word => before.push(word.to_owned()),
            }
            place += 1;
        }
        let name = before.last().cloned().unwrap_or_default();
        self.push(&mut before.clone(), name, is_public);
        before.truncate(length);
        place
    }

    fn push(&mut self, segments: &mut Vec<String>, name: String, is_public: bool) {
        // `use a::{self}` is a itself.
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        self.paths.push(Path { segments: segments.clone(), name, is_public });
    }

    /// An `impl` at a place, unless it is a trait's.
    fn implementation(&mut self, tokens: &[String], place: usize) {
        let Some(open) = tokens[place..].iter().position(|token| token == "{" || token == ";")
        else {
            return;
        };
        let open = place + open;
        let head = &tokens[place + 1..open];
        let mut depth = 0;
        let mut names = Vec::new();
        for token in head {
            depth += i32::from(token == "<") - i32::from(token == ">");
            if depth == 0 {
                names.push(token.as_str());
            }
        }
        let is_block = place == 0 || ["}", ";", "]"].contains(&tokens[place - 1].as_str());
        let name = names.iter().take_while(|name| **name != "where");
        let name = name.filter(|name| **name != ">").last();
        let (Some(name), false, true) = (name, names.contains(&"for"), is_block) else { return };
        let body = &tokens[open..behind(tokens, open)];
        let methods = self.methods.entry((*name).to_owned()).or_default();
        for window in body.windows(3) {
            match [window[0].as_str(), window[1].as_str(), window[2].as_str()] {
                ["fn", name, _] => drop(methods.defined.insert(name.to_owned())),
                ["self", ".", name] | ["Self", "::", name] => {
                    methods.called.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }
}
