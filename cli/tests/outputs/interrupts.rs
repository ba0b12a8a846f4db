// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signals during the writing of an output.

use std::io::Write;
use std::process::Child;

use crate::{finish, has_open, send, wait_until, Sandbox};

/// Signals with their numbers, as in `kill -l`.
const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];

/// Starts a command, which waits for input in the middle of an output.
fn waiting(sandbox: &Sandbox, before: &[&str]) -> Child {
    let halimede = env!("CARGO_BIN_EXE_halimede");
    let arguments = ["blake3", "tree", "--out", "tree", "-"];
    let mut command = sandbox.command(&arguments);
    if let [program, rest @ ..] = before {
        let all = [rest, &[halimede], &arguments].concat();
        let mut other = std::process::Command::new(program);
        other.args(all).current_dir(sandbox.path(""));
        other.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command = other;
    }
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&[7; 100_000]).unwrap();
    // The output has no name yet, or a hidden one.
    let folder = sandbox.path("").canonicalize().unwrap();
    let words = folder.to_string_lossy().trim_end_matches('/').to_owned() + "/";
    wait_until("the output is open", || has_open(&child, &words));
    child
}

#[test]
fn an_interrupt_leaves_what_was_there_and_nothing_else() {
    for (name, number) in SIGNALS {
        for is_there in [false, true] {
            let sandbox = Sandbox::new();
            if is_there {
                sandbox.write("tree", b"the old tree");
            }
            let names = sandbox.names();
            let mut child = waiting(&sandbox, &[]);
            // Kept open until the command ends: the end of input could overtake the signal.
            let input = child.stdin.take();
            send(&child, name);
            let run = finish(child);
            drop(input);
            assert_eq!(run.signal, Some(number), "{name}: {run:?}");
            if name != "KILL" || has_unnamed_files() {
                assert_eq!(sandbox.names(), names, "{name}");
            }
            if is_there {
                assert_eq!(sandbox.read("tree"), b"the old tree");
            }
            // A leftover file does not disturb later runs.
            sandbox.random("in", 50_000, 9);
            sandbox.ok(&["blake3", "tree", "--out", "tree", "in"]);
            assert!(sandbox.is_tree_of("tree", "in"));
        }
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let sandbox = Sandbox::new();
    let mut child = waiting(&sandbox, &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]);
    send(&child, "HUP");
    drop(child.stdin.take());
    let run = finish(child);
    assert_eq!((run.code, run.signal), (Some(0), None), "{}", run.stderr);
    assert!(sandbox.path("tree").is_file());
}

#[test]
fn an_interrupted_folder_of_keys_is_not_there() {
    let many: Vec<String> = (1..60).map(|by| by.to_string()).collect();
    let many = many.join(",");
    let arguments = ["ckks", "keygen", "--params", "n14", "--dir", "a/keys", "--rotations", &many];
    for (name, number) in SIGNALS {
        let sandbox = Sandbox::new();
        let child = sandbox.command(&arguments).spawn().unwrap();
        let folder = sandbox.path("a");
        let has_keys = || {
            let staged = std::fs::read_dir(&folder).ok().and_then(|mut all| all.next()?.ok());
            staged.is_some_and(|staged| staged.path().join("evaluation.keys").exists())
        };
        wait_until("keys are written", has_keys);
        send(&child, name);
        let run = finish(child);
        assert_eq!(run.signal, Some(number), "{name}: {run:?}");
        assert!(!sandbox.path("a/keys").exists());
        if name != "KILL" {
            assert!(sandbox.names().is_empty(), "{name}: {:?}", sandbox.names());
        }
        sandbox.ok(&["ckks", "keygen", "--params", "n10-insecure", "--dir", "a/keys"]);
        assert!(sandbox.path("a/keys/secret.key").is_file());
    }
}

/// Returns `true` if the file system supports files without names.
fn has_unnamed_files() -> bool {
    let sandbox = Sandbox::new();
    let child = waiting(&sandbox, &[]);
    let is_so = has_open(&child, "(deleted)");
    drop(finish(child));
    is_so
}
