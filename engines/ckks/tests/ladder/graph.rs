// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dependencies between files, with their circles and those that go up the ladder.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;

/// Files by their paths, such as `evaluator/sums.rs`, without test files.
pub struct Tree {
    files: BTreeMap<String, Source>,
    /// The file of each module.
    modules: BTreeMap<Vec<String>, String>,
}

/// The names that a file uses from another one.
pub type Edges = BTreeMap<(String, String), BTreeSet<String>>;

fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let parts = if path == "lib" { Vec::new() } else { path.split('/').collect() };
    parts.into_iter().map(str::to_owned).collect()
}

impl Tree {
    pub fn of(texts: &BTreeMap<String, String>) -> Self {
        let read = |(path, text): (&String, &String)| (path.clone(), Source::of(text));
        let mut files: BTreeMap<String, Source> = texts.iter().map(read).collect();
        let tests = |(path, source): (&String, &Source)| {
            let folder = module_of(path);
            let of = move |name: &String| [&folder[..], std::slice::from_ref(name)].concat();
            source.test_modules.iter().map(of).collect::<Vec<_>>()
        };
        let tests: BTreeSet<Vec<String>> = files.iter().flat_map(tests).collect();
        files.retain(|path, _| !tests.contains(&module_of(path)));
        let modules = files.keys().map(|path| (module_of(path), path.clone())).collect();
        Self { files, modules }
    }

    /// Returns the file that defines a path of a file, through all re-exports.
    fn resolve(&self, file: &str, segments: &[String], depth: usize) -> Option<&str> {
        let mut module = module_of(file);
        let mut rest = segments;
        while let Some((first, behind)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => drop(module.pop()),
                name => {
                    module.push(name.to_owned());
                    if !self.modules.contains_key(&module) {
                        module.pop();
                        break;
                    }
                }
            }
            rest = behind;
        }
        let found = self.modules.get(&module)?;
        let Some(name) = rest.first().filter(|_| depth < 8) else { return Some(found) };
        // A name of a folder or the crate may be re-exported.
        let handed_on = |path: &&super::source::Path| {
            path.is_public && (path.name == *name || path.name == "*")
        };
        let mut candidates = self.files[found].paths.iter().filter(handed_on).filter_map(|path| {
            let of = match path.name.as_str() {
                "*" => [&path.segments[..path.segments.len() - 1], rest].concat(),
                _ => path.segments.clone(),
            };
            self.resolve(found, &of, depth + 1)
        });
        candidates.next().or(Some(found))
    }

    /// Returns the names that each file uses from others, by paths and by calls of methods that
    /// another file gives the same type.
    pub fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        let mut add = |from: &str, to: &str, what: &str| {
            if from != to {
                let edge = (from.to_owned(), to.to_owned());
                edges.entry(edge).or_default().insert(what.to_owned());
            }
        };
        for (file, source) in &self.files {
            let is_index = file.ends_with("mod.rs") || file == "lib.rs";
            for path in source.paths.iter().filter(|path| !(is_index && path.is_public)) {
                if let Some(to) = self.resolve(file, &path.segments, 0) {
                    add(file, to, &path.name);
                }
            }
            for (name, methods) in &source.methods {
                let of = self.definition(file, name);
                for (other, others) in &self.files {
                    let Some(theirs) = others.methods.get(name) else { continue };
                    if self.definition(other, name) == of {
                        let called = theirs.defined.intersection(&methods.called);
                        called
                            .filter(|called| !methods.defined.contains(*called))
                            .for_each(|called| add(file, other, &format!("{name}::{called}")));
                    }
                }
            }
        }
        edges
    }

    /// Returns the file that defines a type that a file implements.
    fn definition(&self, file: &str, name: &str) -> Option<&str> {
        let source = &self.files[file];
        if source.types.contains(name) {
            return self.files.get_key_value(file).map(|(file, _)| file.as_str());
        }
        let path = source.paths.iter().find(|path| path.name == name)?;
        self.resolve(file, &path.segments, 0)
    }

    /// Returns inherent methods of types that another folder defines: (file, type, file of the
    /// definition).
    pub fn foreign_methods(&self) -> Vec<(String, String, String)> {
        let of_file = |(file, source): (&String, &Source)| {
            let of_type = |name: &String| {
                let defined = self.definition(file, name)?;
                let is_foreign = folder(defined) != folder(file);
                is_foreign.then(|| (file.clone(), name.clone(), defined.to_owned()))
            };
            source.methods.keys().filter_map(of_type).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    pub fn folders(&self) -> BTreeSet<&str> {
        self.files.keys().map(|file| folder(file)).collect()
    }
}

/// Returns the first part of a path: a folder, or a file next to `lib.rs`.
pub fn folder(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// Returns the sets of files that depend on each other, directly or not.
pub fn circles(edges: &Edges) -> Vec<BTreeSet<String>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let files: BTreeSet<&str> = edges.keys().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
    for start in &files {
        let mut found = BTreeSet::new();
        let mut pending = vec![*start];
        while let Some(next) = pending.pop() {
            let targets = edges.keys().filter(|(from, _)| from == next).map(|(_, to)| to.as_str());
            pending.extend(targets.filter(|to| found.insert(*to)));
        }
        reached.insert(start, found);
    }
    let circle = |file: &&str| -> BTreeSet<String> {
        let both = reached[file].iter().filter(|other| reached[**other].contains(file));
        both.map(|other| (*other).to_owned()).collect()
    };
    let all: BTreeSet<BTreeSet<String>> =
        files.iter().map(circle).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

/// Returns dependencies on a higher rung, or on another folder of the same one.
pub fn upwards(edges: &Edges, rungs: &[&[&str]]) -> Vec<String> {
    let rung = |path: &str| rungs.iter().position(|rung| rung.contains(&folder(path)));
    let is_up = |(from, to): &(String, String)| {
        folder(from) != folder(to) && from != "lib.rs" && rung(from) <= rung(to)
    };
    let up = edges.iter().filter(|(edge, _)| is_up(edge));
    up.map(|((from, to), what)| format!("{from} takes {what:?} from {to}")).collect()
}
