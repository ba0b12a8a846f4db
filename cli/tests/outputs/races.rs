// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two processes with one output.

use crate::{finish, Sandbox};

const ROUNDS: u64 = 20;

#[test]
fn of_two_trees_one_is_there() {
    let sandbox = Sandbox::new();
    for round in 0..ROUNDS {
        // The lengths vary, so that one process ends before the other.
        let lengths = [400_000 + 3_001 * round, 420_000 - 2_003 * round].map(|it| it as usize);
        sandbox.random("a", lengths[0], 2 * round);
        sandbox.random("b", lengths[1], 2 * round + 1);
        let runs = ["a", "b"].map(|file| {
            sandbox.command(&["blake3", "tree", "--out", "tree", file]).spawn().unwrap()
        });
        let codes = runs.map(|run| finish(run).code);
        assert_eq!(codes, [Some(0), Some(0)], "round {round}");
        let fits = ["a", "b"].map(|file| sandbox.is_tree_of("tree", file));
        assert!(fits[0] ^ fits[1], "round {round}: {fits:?}");
        assert_eq!(sandbox.names(), ["a", "b", "tree"]);
    }
}

#[test]
fn of_two_sets_of_keys_one_is_there() {
    let sandbox = Sandbox::new();
    let arguments = [
        "ckks",
        "keygen",
        "--params",
        "n10-insecure",
        "--dir",
        "keys",
        "--multiply",
        "--rotations",
        "1,2",
    ];
    for round in 0..ROUNDS {
        let is_there = round % 2 == 1;
        if is_there {
            std::fs::create_dir(sandbox.path("keys")).unwrap();
        }
        let runs = [(); 2].map(|()| sandbox.command(&arguments).spawn().unwrap());
        let mut runs = runs.map(finish);
        runs.sort_by_key(|run| run.code);
        let codes = [runs[0].code, runs[1].code];
        assert_eq!(codes, [Some(0), Some(2)], "round {round}: {}", runs[1].stderr);
        assert!(runs[1].stderr.contains("keys: this folder is not empty"), "{}", runs[1].stderr);
        let key = |file: &str| {
            let run = sandbox.ok(&["ckks", "inspect", "--json", &format!("keys/{file}")]);
            serde_json::from_slice::<serde_json::Value>(&run.stdout).unwrap()["key"].clone()
        };
        assert_eq!(key("secret.key"), key("public.key"), "round {round}");
        assert_eq!(key("secret.key"), key("evaluation.keys"), "round {round}");
        assert_eq!(sandbox.names(), ["keys"]);
        std::fs::remove_dir_all(sandbox.path("keys")).unwrap();
    }
}

#[test]
fn keys_are_not_written_over() {
    let sandbox = Sandbox::new();
    let keygen = |dir| ["ckks", "keygen", "--params", "n10-insecure", "--dir", dir];
    sandbox.ok(&keygen("a/b/keys"));
    let before = sandbox.read("a/b/keys/secret.key");
    sandbox.fails(&keygen("a/b/keys"), 2, "keys: this folder is not empty");
    // Keys without a secret key are a set too.
    std::fs::create_dir(sandbox.path("theirs")).unwrap();
    std::fs::copy(sandbox.path("a/b/keys/public.key"), sandbox.path("theirs/public.key")).unwrap();
    sandbox.fails(&keygen("theirs"), 2, "theirs: this folder is not empty");
    assert_eq!(sandbox.path("theirs").read_dir().unwrap().count(), 1);
    sandbox.fails(&keygen("."), 2, "this is the current folder");
    sandbox.fails(&keygen("a/b/keys/public.key"), 4, "Not a directory");
    sandbox.fails(&keygen("a/b/keys/public.key/x"), 4, "Not a directory");
    assert_eq!(sandbox.read("a/b/keys/secret.key"), before);
    assert_eq!(sandbox.names(), ["a", "theirs"]);
    std::os::unix::fs::symlink("a", sandbox.path("link")).unwrap();
    sandbox.ok(&keygen("link/keys"));
    assert!(sandbox.path("a/keys/secret.key").is_file());
}
