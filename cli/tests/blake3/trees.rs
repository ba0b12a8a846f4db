// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trees and slices: proven bytes are written, and bytes that were tampered with are not.

use serde_json::Value;

use crate::sandbox::{random, Sandbox};

/// Creates a folder with the file `data` and its tree. Returns the bytes of the file and the root.
fn stored(length: usize) -> (Sandbox, Vec<u8>, String) {
    let sandbox = Sandbox::new();
    let data = sandbox.random("data", length, length as u64);
    let run = sandbox.halimede(&["tree", "--out", "tree", "data"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (sandbox, data, run.text().trim().to_string())
}

/// Writes the slice of these bytes to the file `slice`, and returns the slice.
fn slice(sandbox: &Sandbox, start: usize, count: usize) -> Vec<u8> {
    let (start, count) = (start.to_string(), count.to_string());
    let arguments = ["slice", "--tree", "tree", "data", "--start", &start, "--count", &count];
    let run = sandbox.halimede(&arguments, b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    sandbox.write("slice", &run.stdout);
    run.stdout
}

#[test]
fn roots_and_trees_are_those_of_bao() {
    for length in [0, 1, 1023, 1024, 1025, 2048, 2049, 65_536, 100_001, 1 << 20] {
        let (sandbox, data, root) = stored(length);
        assert_eq!(sandbox.halimede(&["tree", "data"], b"").text().trim(), root);
        assert_eq!(sandbox.halimede(&["--no-names", "data"], b"").text().trim(), root);
        let (tree, hash) = bao::encode::outboard(&data);
        assert_eq!(std::fs::read(sandbox.path("tree")).unwrap(), tree);
        assert_eq!(hash.to_hex().as_str(), root);
        let piped = sandbox.halimede(&["tree", "-", "--out", "piped"], &data);
        assert_eq!(piped.text().trim(), root);
        assert_eq!(std::fs::read(sandbox.path("piped")).unwrap(), tree);
        let whole = sandbox.halimede(&["slice", "--tree", "tree", "data"], b"");
        assert_eq!(whole.stdout, bao::encode::encode(&data).0);
        let run = sandbox.halimede(&["verify", &root, "-"], &whole.stdout);
        assert_eq!((run.code, run.stdout == data), (Some(0), true), "{}", run.stderr);
    }
}

#[test]
fn any_part_comes_out_of_its_slice() {
    let (sandbox, data, root) = stored(300_007);
    let parts = [
        (0, 0),
        (0, 1),
        (0, 300_007),
        (1023, 2),
        (1024, 1024),
        (5000, 0),
        (100_000, 70_000),
        (299_000, 5000),
        (300_006, 1),
        (300_007, 9),
        (0, usize::MAX),
        (7, usize::MAX),
    ];
    for (start, count) in parts {
        let length = slice(&sandbox, start, count).len();
        let part = &data[start..start.saturating_add(count).min(data.len())];
        assert!(length < part.len() + part.len() / 12 + 3000, "{length} bytes for {start}");
        let (start, count) = (start.to_string(), count.to_string());
        let range = ["--start", &start, "--count", &count];
        for tree in [&["slice"][..], &["data", "--tree", "tree"]] {
            let arguments = [&["verify", &root], tree, &range[..]].concat();
            let run = sandbox.halimede(&arguments, b"");
            assert_eq!((run.code, run.stdout == part), (Some(0), true), "{start}: {}", run.stderr);
            let arguments = [&["--json"][..], &arguments, &["--out", "part"]].concat();
            let arguments = [&arguments[1..2], &arguments[..1], &arguments[2..]].concat();
            let said: Value =
                serde_json::from_str(&sandbox.halimede(&arguments, b"").text()).unwrap();
            assert_eq!((&said["valid"], &said["bytes"]), (&true.into(), &part.len().into()));
            assert_eq!(std::fs::read(sandbox.path("part")).unwrap(), part);
        }
    }
}

/// Verifies a slice on standard input. Checks that this fails with a reason, and writes only first
/// bytes of the part. Returns their number.
fn refused(sandbox: &Sandbox, root: &str, slice: &[u8], part: &[u8], reason: &str) -> usize {
    let arguments = ["verify", root, "-", "--start", "2000", "--count", "3000"];
    let run = sandbox.halimede(&arguments, slice);
    assert_eq!(run.code, Some(1), "{reason}");
    assert!(part.starts_with(&run.stdout), "{reason}: bytes that are not the file's");
    assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
    if !run.stdout.is_empty() {
        let verified = format!("{} bytes", run.stdout.len());
        assert!(run.stderr.contains(&verified), "{verified}: {}", run.stderr);
    }
    let with_out = [&arguments[..], &["--out", "part"]].concat();
    assert_eq!(sandbox.halimede(&with_out, slice).code, Some(1));
    assert!(sandbox.hidden().is_empty() && !sandbox.path("part").exists());
    run.stdout.len()
}

#[test]
fn a_slice_that_was_tampered_with_is_refused() {
    let (sandbox, data, root) = stored(9000);
    let part = &data[2000..5000];
    let good = slice(&sandbox, 2000, 3000);
    let arguments = ["verify", &root, "slice", "--start", "2000", "--count", "3000"];
    assert_eq!(sandbox.halimede(&arguments, b"").stdout, part);

    let from_input = ["verify", &root, "-", "--start", "2000", "--count", "3000"];
    let mut most = 0;
    for place in (0..8).chain((8..good.len()).step_by(97)).chain([good.len() - 1]) {
        let mut changed = good.clone();
        changed[place] ^= 1 << (place % 8);
        if place < 8 {
            // The length of the file. A change that does not affect a needed node is harmless.
            let run = sandbox.halimede(&from_input, &changed);
            let held = run.code == Some(0) && run.stdout == part;
            assert!(held || (run.code == Some(1) && part.starts_with(&run.stdout)), "{place}");
            continue;
        }
        let reason = "does not hash to the root";
        most = most.max(refused(&sandbox, &root, &changed, part, reason));
    }
    assert!((1000..3000).contains(&most), "{most} bytes at most before the end");
    for length in (0..good.len()).step_by(211).chain([good.len() - 1]) {
        refused(&sandbox, &root, &good[..length], part, "it ends before byte");
    }
    let longer = [&good[..], b"x"].concat();
    refused(&sandbox, &root, &longer, part, "more data follows");
    let dropped = [&good[..1500], &good[1501..]].concat();
    refused(&sandbox, &root, &dropped, part, "the proof is invalid");
    refused(&sandbox, &root.replace(&root[..8], "00000000"), &good, part, "nothing was written");
    let other = slice(&sandbox, 6000, 3000);
    refused(&sandbox, &root, &other, part, "the proof is invalid");
    let garbage = random(5000, 3);
    refused(&sandbox, &root, &garbage, part, "the proof is invalid");
}

#[test]
fn files_that_changed_are_not_sliced() {
    let (sandbox, data, root) = stored(50_000);
    let tree = std::fs::read(sandbox.path("tree")).unwrap();
    let slice = |code, reason: &str| {
        let run = sandbox.halimede(&["slice", "--tree", "tree", "data", "--start", "40000"], b"");
        assert_eq!((run.code, run.stdout.len()), (Some(code), 0), "{reason}");
        assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
        let run = sandbox.halimede(&["verify", &root, "--tree", "tree", "data"], b"");
        assert_eq!(run.code, Some(1), "{reason}");
        assert!(data.starts_with(&run.stdout));
    };
    let mut changed = data.clone();
    changed[45_000] ^= 4;
    sandbox.write("data", &changed);
    slice(2, "data is not the file of the tree tree: hash mismatch");
    sandbox.write("data", &data[..49_999]);
    slice(2, "the tree of a file of 50000 bytes, but this one has 49999");
    sandbox.write("data", &data);
    sandbox.write("tree", &tree[..tree.len() - 1]);
    slice(2, "the tree of a file of 50000 bytes, got");
    sandbox.write("tree", &tree[..7]);
    slice(2, "7 bytes are too few");
    let mut damaged = tree.clone();
    damaged[3] = 0xff;
    sandbox.write("tree", &damaged);
    slice(2, "the tree of a file of 42782");
    let mut damaged = tree.clone();
    // The right child of the root, which contains the part.
    damaged[50] ^= 1;
    sandbox.write("tree", &damaged);
    slice(2, "data is not the file of the tree tree");

    // The left child: the part still belongs to a tree, but to a different one.
    let mut damaged = tree.clone();
    damaged[20] ^= 1;
    sandbox.write("tree", &damaged);
    let arguments = ["slice", "--tree", "tree", "data", "--start", "40000"];
    let run = sandbox.halimede(&arguments, b"");
    assert_eq!(run.code, Some(0));
    let run = sandbox.halimede(&["verify", &root, "-", "--start", "40000"], &run.stdout);
    assert_eq!((run.code, run.stdout.len()), (Some(1), 0));
    let with_root = [&arguments[..], &["--root", &root]].concat();
    let run = sandbox.halimede(&with_root, b"");
    assert_eq!((run.code, run.stdout.len()), (Some(2), 0));
    assert!(run.stderr.contains("the stored tree has the root"), "{}", run.stderr);
    sandbox.write("tree", &tree);
    assert_eq!(sandbox.halimede(&with_root, b"").code, Some(0));
}

#[test]
fn the_end_of_the_file_proves_its_length() {
    let (sandbox, data, root) = stored(9000);
    let good = slice(&sandbox, 8900, 500);
    for length in [8999u64, 9001, 9217, u64::MAX] {
        let mut changed = good.clone();
        changed[..8].copy_from_slice(&length.to_le_bytes());
        let arguments = ["verify", &root, "-", "--start", "8900", "--count", "500"];
        let run = sandbox.halimede(&arguments, &changed);
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{length}");
        assert_eq!(sandbox.halimede(&arguments, &good).stdout, &data[8900..]);
    }
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let (sandbox, data, root) = stored(5000);
    for (arguments, code, reason) in [
        ("tree missing", 2, "missing: No such file"),
        ("tree --out data data", 2, "this is an input"),
        ("tree --out no/such/folder data", 4, "no/such/folder: No such file"),
        ("tree --out out .", 2, "directory"),
        ("tree . ", 2, "directory"),
        ("slice --tree tree data --start 5001", 2, "--start 5001: the file has 5000 bytes"),
        ("slice --tree tree data --out data", 2, "this is an input"),
        ("slice --tree tree data --out tree", 2, "this is an input"),
        ("slice --tree missing data", 2, "missing: No such file"),
        ("slice --tree tree missing", 2, "missing: No such file"),
        ("slice --tree tree -", 2, "-: No such file"),
        ("slice --tree data data", 2, "the tree of a file of"),
        ("slice --tree tree data --start x", 2, "--start"),
        ("slice data", 2, "--tree"),
        ("verify ROOT missing", 2, "missing: No such file"),
        ("verify ROOT . ", 2, "directory"),
        ("verify ROOT data --tree tree --start 5001", 2, "the file has 5000 bytes"),
        ("verify ROOT data --tree tree --out tree", 2, "this is an input"),
        ("verify 0123 data", 2, "not 64 hexadecimal digits"),
        ("verify xyz data", 2, "not 64 hexadecimal digits"),
        ("verify", 2, "ROOT"),
    ] {
        let arguments = arguments.replace("ROOT", &root);
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let run = sandbox.halimede(&words, b"");
        assert_eq!((run.code, run.stdout.len()), (Some(code), 0), "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(reason), "{arguments}: {}", run.stderr);
    }
    assert_eq!(std::fs::read(sandbox.path("data")).unwrap(), data);
    assert!(sandbox.hidden().is_empty() && !sandbox.path("out").exists());
    let upper = root.to_uppercase();
    assert_eq!(sandbox.halimede(&["verify", &upper, "--tree", "tree", "data"], b"").stdout, data);
    let run = sandbox.halimede(&["tree", "--json", "--out", "tree", "data"], b"");
    let said: Value = serde_json::from_str(&run.text()).unwrap();
    assert_eq!((&said["root"], &said["bytes"]), (&root.as_str().into(), &5000.into()));
}
