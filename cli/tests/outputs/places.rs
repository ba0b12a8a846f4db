// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs at places where something exists: files, links, folders, devices.

use std::io::Read;
use std::os::unix::fs::{symlink, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::{finish, Sandbox};

const LEAF: &str = "in";

/// Returns commands that write to a file, each with its inputs.
fn writers(sandbox: &Sandbox) -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let leaves: Vec<u8> = (0..32 * 64u32).map(|at| (at % 31) as u8).collect();
    sandbox.write(LEAF, &leaves);
    sandbox.ok(&["blake3", "tree", "--out", "stored", LEAF]);
    sandbox.write("x.csv", b"0.25\n-0.5\n");
    let keygen = ["ckks", "keygen", "--params", "n10-insecure", "--dir", "keys", "--multiply"];
    sandbox.ok(&keygen);
    sandbox.ok(&["ckks", "encrypt", "--key", "keys/secret.key", "--in", "x.csv", "--out", "x.ct"]);
    let eval = vec!["ckks", "eval", "--keys", "keys/evaluation.keys", "x * x", "x=x.ct"];
    vec![
        (vec!["blake3", "tree", LEAF], vec![LEAF]),
        (vec!["blake3", "slice", "--tree", "stored", LEAF], vec![LEAF, "stored"]),
        (vec!["poseidon", "tree", "--arity", "2", LEAF], vec![LEAF]),
        (vec!["zcash", "solve", "--n", "48", "--k", "5"], vec![]),
        (vec!["ckks", "params", "n10-insecure"], vec![]),
        (
            vec!["ckks", "encrypt", "--key", "keys/secret.key", "--in", "x.csv"],
            vec!["x.csv", "keys/secret.key"],
        ),
        (eval, vec!["x.ct", "keys/evaluation.keys"]),
        (vec!["ckks", "decrypt", "--key", "keys/secret.key", "x.ct"], vec!["x.ct"]),
    ]
}

fn with_out<'a>(arguments: &[&'a str], out: &'a str) -> Vec<&'a str> {
    [arguments, &["--out", out]].concat()
}

#[test]
fn no_command_writes_over_its_input() {
    let sandbox = Sandbox::new();
    for (arguments, inputs) in writers(&sandbox) {
        for input in inputs {
            let before = sandbox.read(input);
            let _ = std::fs::remove_file(sandbox.path("hard"));
            let _ = std::fs::remove_file(sandbox.path("soft"));
            std::fs::hard_link(sandbox.path(input), sandbox.path("hard")).unwrap();
            symlink(input, sandbox.path("soft")).unwrap();
            for name in [input, "hard", "soft"] {
                sandbox.fails(&with_out(&arguments, name), 2, "this is an input");
                assert_eq!(sandbox.read(input), before, "{arguments:?}");
            }
        }
    }
    let mut redirected = sandbox.command(&["blake3", "tree", "--out", LEAF, "-"]);
    redirected.stdin(std::fs::File::open(sandbox.path(LEAF)).unwrap());
    let run = finish(redirected.spawn().unwrap());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn no_name_is_special() {
    let sandbox = Sandbox::new();
    let bytes = sandbox.random("m.partial", 100_000, 1);
    sandbox.ok(&["blake3", "tree", "--out", "m", "m.partial"]);
    assert_eq!(sandbox.read("m.partial"), bytes);
    assert!(sandbox.is_tree_of("m", "m.partial"));
    assert_eq!(sandbox.names(), ["m", "m.partial"]);
}

#[test]
fn links_lead_to_what_is_replaced_and_permissions_are_kept() {
    for (arguments, _) in writers(&Sandbox::new()) {
        let sandbox = Sandbox::new();
        drop(writers(&sandbox));
        std::fs::create_dir(sandbox.path("d")).unwrap();
        symlink("d/real", sandbox.path("link")).unwrap();
        // Whoever has made a link to nothing does not choose what is made.
        sandbox.fails(
            &with_out(&arguments, "link"),
            2,
            "link is a link to d/real, which does not exist",
        );
        assert_eq!(sandbox.path("d").read_dir().unwrap().count(), 0, "{arguments:?}");
        for mode in [0o640, 0o604] {
            sandbox.write("d/real", b"the old content");
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(sandbox.path("d/real"), permissions).unwrap();
            sandbox.ok(&with_out(&arguments, "link"));
            let is_link = sandbox.path("link").symlink_metadata().unwrap().is_symlink();
            assert!(is_link, "{arguments:?}");
            let real = sandbox.path("d/real").metadata().unwrap();
            assert!(real.is_file() && sandbox.read("d/real") != b"the old content");
            // Decrypted values are only for their owner, whoever could read the old file.
            let kept = if arguments.contains(&"decrypt") { 0o600 } else { mode };
            assert_eq!(real.mode() & 0o777, kept, "{arguments:?}");
            assert_eq!(sandbox.path("d").read_dir().unwrap().count(), 1);
        }
    }
}

#[test]
fn devices_and_fifos_are_written_to() {
    let sandbox = Sandbox::new();
    let made = Command::new("mkfifo").arg(sandbox.path("fifo")).status().unwrap();
    assert!(made.success());
    // Through a link, so that a command that replaces it does no harm.
    symlink("/dev/full", sandbox.path("full")).unwrap();
    symlink("/dev/null", sandbox.path("null")).unwrap();
    for (arguments, _) in writers(&sandbox) {
        sandbox.ok(&with_out(&arguments, "null"));
        sandbox.fails(&with_out(&arguments, "full"), 4, "full: No space left");
        for name in ["null", "full"] {
            assert!(sandbox.path(name).symlink_metadata().unwrap().is_symlink(), "{arguments:?}");
        }
        let fifo = sandbox.path("fifo");
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            std::fs::File::open(fifo).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        });
        sandbox.ok(&with_out(&arguments, "fifo"));
        assert!(!reader.join().unwrap().is_empty(), "{arguments:?}");
        assert!(sandbox.path("fifo").symlink_metadata().unwrap().file_type().is_fifo());
    }
    sandbox.ok(&["blake3", "tree", "--out", "again", LEAF]);
    assert_eq!(sandbox.read("again"), sandbox.read("stored"));
}

#[test]
fn an_output_that_cannot_be_is_told_by_its_own_code() {
    let sandbox = Sandbox::new();
    let all = writers(&sandbox);
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("socket")).unwrap();
    for (arguments, _) in &all {
        let names = sandbox.names();
        for (out, words) in [
            ("none/out", "No such file"),
            ("folder", "Is a directory"),
            ("new/", "s a directory"),
            ("socket", "socket"),
            ("x.csv/out", "Not a directory"),
        ] {
            sandbox.fails(&with_out(arguments, out), 4, words);
            assert_eq!(sandbox.names(), names, "{arguments:?}");
        }
    }
}

#[test]
fn what_may_not_be_written_to_stays() {
    let sandbox = Sandbox::new();
    sandbox.random(LEAF, 5_000, 4);
    sandbox.write("kept", b"kept");
    let is_root = sandbox.path("kept").metadata().unwrap().uid() == 0;
    let mode = |name: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.path(name), permissions).unwrap();
    };
    mode("kept", 0o444);
    // Even if others may write to the folder, a file may not be replaced.
    for (folder, out) in [(0o777, "kept"), (0o555, "new")] {
        mode("", folder);
        let mut command = sandbox.command(&["blake3", "tree", "--out", out, LEAF]);
        if is_root {
            command.uid(65534);
        }
        let run = finish(command.spawn().unwrap());
        assert_eq!(run.code, Some(4), "{}", run.stderr);
        assert!(run.stderr.contains("Permission denied"), "{}", run.stderr);
        assert_eq!(sandbox.read("kept"), b"kept");
        assert_eq!(sandbox.names(), [LEAF, "kept"]);
    }
    mode("", 0o755);
}

#[test]
fn standard_output_fails_by_the_same_code_in_silence_if_its_reader_has_gone() {
    let sandbox = Sandbox::new();
    sandbox.random("a", 10_000, 5);
    let arguments = ["blake3", "a", "a", "a"];
    let mut full = sandbox.command(&arguments);
    full.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let run = finish(full.spawn().unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("standard output"), "{}", run.stderr);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut closed = sandbox.command(&arguments);
    closed.stdout(Stdio::from(writer));
    let run = finish(closed.spawn().unwrap());
    assert_eq!((run.code, &run.stderr[..]), (Some(4), ""));
    // An output that names the file of standard output is written there.
    let mut named =
        sandbox.command(&["blake3", "slice", "--tree", "t", "a", "--out", "/dev/stdout"]);
    sandbox.ok(&["blake3", "tree", "--out", "t", "a"]);
    sandbox.ok(&["blake3", "slice", "--tree", "t", "a", "--out", "slice"]);
    named.stdout(std::fs::File::create(sandbox.path("shell")).unwrap());
    assert_eq!(finish(named.spawn().unwrap()).code, Some(0));
    assert_eq!(sandbox.read("shell"), sandbox.read("slice"));
}
