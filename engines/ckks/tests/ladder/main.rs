// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The crate's folders are a ladder: each folder only knows those below it, and no files depend on
//! each other in a circle.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

mod graph;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use graph::{circles, upwards, Tree};

/// The rungs from the bottom up. Folders of one rung do not know each other.
const RUNGS: [&[&str]; 16] = [
    &["complex", "pool", "wiping"],
    &["difference", "estimate", "ring"],
    &["sampling"],
    &["card", "fhetch", "params"],
    &["encoding", "keys"],
    &["evaluator"],
    &["files", "linear", "polynomial"],
    &["functions"],
    &["bootstrap"],
    &["operations"],
    &["circuit"],
    &["server"],
    &["executor"],
    &["client"],
    &["parties"],
    &["lib"],
];

/// The files that are still in a circle. It must become empty.
const CIRCULAR: &[&str] = &[];

/// The folders that give methods to types of others: bytes of anything, files of types from rungs
/// above `files`, encryption by a public key, and the operations of a rung to the evaluator.
const FOREIGN_METHODS: [(&str, &[&str]); 7] = [
    ("circuit", &["Bootstrapper"]),
    ("client", &["PublicKey"]),
    ("functions", &["Evaluator"]),
    ("linear", &["Evaluator"]),
    ("parties", &["FileReader"]),
    ("polynomial", &["Evaluator"]),
    ("files", &["Ciphertext", "EvaluationKeys", "Parameters", "PublicKey", "SecretKey"]),
];

fn read(folder: &Path, root: &Path, texts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, root, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            texts.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn crate_tree() -> Tree {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut texts = BTreeMap::new();
    read(&root, &root, &mut texts);
    assert!(texts.len() > 100, "{} files", texts.len());
    Tree::of(&texts)
}

fn made_up(files: &[(&str, &str)]) -> Tree {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    Tree::of(&files.iter().map(own).collect())
}

#[test]
fn no_files_know_each_other_in_a_circle() {
    let edges = crate_tree().edges();
    let mut circular = BTreeSet::new();
    for circle in circles(&edges) {
        let folders: BTreeSet<&str> = circle.iter().map(|file| graph::folder(file)).collect();
        let ties = edges.iter().filter(|((a, b), _)| circle.contains(a) && circle.contains(b));
        let ties: Vec<_> = ties.collect();
        assert!(folders.iter().all(|folder| CIRCULAR.contains(folder)), "{circle:?}: {ties:#?}");
        circular.extend(folders.into_iter().map(str::to_owned));
    }
    assert!(circular.iter().eq(CIRCULAR), "no circle is left in all of {CIRCULAR:?}: {circular:?}");
}

#[test]
fn each_folder_knows_only_those_below() {
    let tree = crate_tree();
    let on_a_rung: BTreeSet<&str> = RUNGS.iter().flat_map(|rung| rung.iter().copied()).collect();
    assert_eq!(tree.folders(), on_a_rung, "each folder is on one rung");
    let edges = tree.edges();
    assert!(edges.len() > 300, "{} edges", edges.len());
    let up = upwards(&edges, &RUNGS);
    assert!(up.is_empty(), "{up:#?}");
}

#[test]
fn methods_stand_in_the_folder_of_their_type() {
    for (file, name, defined) in crate_tree().foreign_methods() {
        let allowed = FOREIGN_METHODS.iter().find(|(folder, _)| *folder == graph::folder(&file));
        let is_allowed = allowed.is_some_and(|(_, types)| types.contains(&name.as_str()));
        assert!(is_allowed, "{file} gives methods to {name} of {defined}");
    }
}

#[test]
fn circles_are_found() {
    let direct =
        [("a.rs", "use crate::b::B;\npub struct A;"), ("b.rs", "pub struct B(crate::a::A);")];
    assert_eq!(circles(&made_up(&direct).edges()).len(), 1);
    // Through re-exports of folders, under another name, and by super.
    let handed_on = [
        ("lib.rs", "mod a;\nmod b;\npub use a::A;"),
        ("a/mod.rs", "mod x;\nmod y;\npub use x::A;\npub(crate) use self::y::*;"),
        ("a/x.rs", "use super::y::{self, Y as Z};\npub struct A(Z);"),
        ("a/y.rs", "use std::fmt;\nuse crate::{\n    b::B,\n};\npub struct Y(B);"),
        ("b.rs", "use crate::A;\npub struct B;"),
    ];
    let found = circles(&made_up(&handed_on).edges());
    let expected = ["a/x.rs", "a/y.rs", "b.rs"].map(str::to_owned);
    assert_eq!(found, [BTreeSet::from(expected)]);
    // Without its last tie.
    let mut cut = handed_on;
    cut[4].1 = "// use crate::A;\nconst TEXT: &str = \"crate::A\";\npub struct B;\n\
        #[cfg(test)]\nmod tests {\n    use crate::A;\n}";
    assert!(circles(&made_up(&cut).edges()).is_empty());
    cut[4].1 = "use crate::A;\npub struct B;";
    cut[0].1 = "mod a;\n#[cfg(test)]\nmod b;";
    assert!(circles(&made_up(&cut).edges()).is_empty());
}

#[test]
fn circles_of_methods_are_found() {
    let first = "pub struct T;\nimpl T {\n    fn one(&self) { self.two() }\n}";
    let second = "use super::a::T;\nimpl T {\n    fn two(&self) { Self::NAME }\n}";
    assert_eq!(circles(&made_up(&[("x/a.rs", first), ("x/b.rs", second)]).edges()).len(), 1);
    // A method of the type itself, and one of another type.
    let own = first.replace("self.two()", "self.one()");
    assert!(circles(&made_up(&[("x/a.rs", &own), ("x/b.rs", second)]).edges()).is_empty());
    let other = "pub struct T;\nimpl T {\n    fn two(&self) {}\n}";
    assert!(circles(&made_up(&[("x/a.rs", first), ("x/b.rs", other)]).edges()).is_empty());
}

#[test]
fn imports_up_the_ladder_are_found() {
    let files = [
        ("lib.rs", "pub use server::Server;"),
        ("ring/mod.rs", "mod ring;\npub use ring::Ring;"),
        ("ring/ring.rs", "pub struct Ring;"),
        ("server/mod.rs", "mod server;\npub use server::Server;"),
        ("server/server.rs", "use crate::ring::Ring;\npub struct Server(Ring);"),
    ];
    let rungs: [&[&str]; 2] = [&["ring", "keys"], &["server"]];
    assert!(upwards(&made_up(&files).edges(), &rungs).is_empty());
    let mut up = files;
    up[2].1 = "pub struct Ring(crate::Server);";
    assert_eq!(upwards(&made_up(&up).edges(), &rungs).len(), 1);
    let mut beside = files.to_vec();
    beside.push(("keys.rs", "use super::ring::Ring;"));
    assert_eq!(upwards(&made_up(&beside).edges(), &rungs).len(), 1);
    assert!(made_up(&files).foreign_methods().is_empty());
    let mut foreign = files;
    foreign[4].1 = "use crate::ring::Ring;\nimpl Ring {\n    fn serve(&self) {}\n}";
    assert_eq!(made_up(&foreign).foreign_methods().len(), 1);
}
