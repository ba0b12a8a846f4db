// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs that are truncated, have additional data, or change.

use std::fs::File;

use crate::{finish, has_open, wait_until, Sandbox};

#[test]
fn nothing_may_stand_behind_the_end_of_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("x.csv", b"0.25\n-0.5\n");
    sandbox.ok(&["ckks", "params", "n10-insecure", "--out", "p"]);
    sandbox.ok(&["ckks", "keygen", "--params", "p", "--dir", "k", "--multiply"]);
    let encrypt = ["ckks", "encrypt", "--in", "x.csv", "--out", "x.ct"];
    let by_key = [&encrypt[..], &["--key", "k/secret.key"]].concat();
    let by_public = [&encrypt[..], &["--public", "k/public.key"]].concat();
    sandbox.ok(&by_key);
    sandbox.ok(&by_public);
    let eval = ["ckks", "eval", "--keys", "k/evaluation.keys", "x*x", "x=x.ct", "--out", "y.ct"];
    let decrypt = ["ckks", "decrypt", "--key", "k/secret.key", "x.ct"];
    let keygen = ["ckks", "keygen", "--params", "p", "--dir", "other"];
    for (file, arguments) in [
        ("k/secret.key", &by_key[..]),
        ("k/secret.key", &decrypt),
        ("k/public.key", &by_public),
        ("k/evaluation.keys", &eval),
        ("x.ct", &eval),
        ("x.ct", &decrypt),
        ("p", &keygen),
    ] {
        let whole = sandbox.read(file);
        for behind in [&b"\0"[..], b"\n", &whole] {
            let longer = [&whole, behind].concat();
            // Written in place, to keep the permissions.
            std::fs::write(sandbox.path(file), longer).unwrap();
            sandbox.fails(arguments, 2, "has bytes after its end");
            sandbox.fails(&["ckks", "inspect", file], 2, "has bytes after its end");
        }
        std::fs::write(sandbox.path(file), whole).unwrap();
    }
    sandbox.ok(&eval);
    sandbox.ok(&decrypt);
}

#[test]
fn inputs_without_an_end_are_refused() {
    let sandbox = Sandbox::new();
    let block = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/zcash/tests");
    sandbox.write("x.csv", b"0.25\n");
    sandbox.ok(&["ckks", "keygen", "--params", "n10-insecure", "--dir", "k"]);
    assert!(std::path::Path::new(block).exists());
    sandbox.write("raw", b"00");
    for (arguments, words) in [
        (
            &["zcash", "verify-block", "raw", "--spent", "/dev/zero"][..],
            "longer than 4065536 bytes",
        ),
        (&["zcash", "verify-block", "/dev/zero"], "more than 6000000 bytes"),
        (&["zcash", "solve", "--header", "/dev/zero"], "more than 4096 bytes"),
        (
            &["ckks", "encrypt", "--key", "k/secret.key", "--in", "/dev/zero", "--out", "x.ct"],
            "more than 16 MiB",
        ),
        (&["ckks", "inspect", "/dev/zero"], "not a CKKS file"),
        (&["poseidon", "verify", "/dev/zero", "--root", "0x1"], "longer than 1048576 bytes"),
    ] {
        sandbox.fails(arguments, 2, words);
    }
}

/// A file that shrinks or grows while it is hashed: after it was opened, and long before its end.
#[test]
fn files_that_change_are_told() {
    for (arguments, code) in [
        (&["blake3", "big"][..], 1),
        (&["blake3", "--no-mmap", "big"], 1),
        (&["blake3", "tree", "big"], 2),
        (&["blake3", "tree", "--out", "tree", "big"], 2),
    ] {
        for cut in [true, false] {
            let length: u64 = 2 << 30;
            let sandbox = Sandbox::new();
            let file = File::create(sandbox.path("big")).unwrap();
            file.set_len(length).unwrap();
            // With one thread, there is time for the change even on a busy machine.
            let one_thread = ("RAYON_NUM_THREADS", "1");
            let child = sandbox.command(arguments).envs([one_thread]).spawn().unwrap();
            wait_until("the file is open", || has_open(&child, "/big"));
            file.set_len(if cut { 1 << 20 } else { length + 1 }).unwrap();
            let run = finish(child);
            assert_eq!((run.code, run.signal), (Some(code), None), "{arguments:?}: {}", run.stderr);
            assert!(run.stderr.contains("the file changed while it was read"), "{}", run.stderr);
            assert_eq!(sandbox.names(), ["big"]);
        }
    }
}
