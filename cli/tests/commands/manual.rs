// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Completions for shells and pages for `man`, and their installation.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::halimede;

#[test]
fn each_command_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/pages");
    let told = halimede(&["man", pages.to_str().unwrap()], b"");
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let entries = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<String> = entries.map(|name| name.into_string().unwrap()).collect();
    assert!(told.stdout.starts_with(&format!("{} pages in ", names.len())), "{}", told.stdout);
    for name in ["halimede.1", "halimede-ckks.1", "halimede-ckks-eval.1", "halimede-man.1"] {
        assert!(names.contains(name), "{names:?}");
    }
    for name in &names {
        let page = fs::read_to_string(pages.join(name)).unwrap();
        let command = name.trim_end_matches(".1");
        assert!(page.contains(&format!(".TH {command} 1")), "{name}: {page}");
        assert!(page.contains(".SH DESCRIPTION"), "{name}");
    }
    // New pages are not mixed with existing files.
    let again = halimede(&["--json", "man", pages.to_str().unwrap()], b"");
    assert_eq!(again.code, Some(2), "{}", again.stdout);
}

#[test]
fn shells_take_the_completions() {
    for (shell, program) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        let script = halimede(&["completions", shell], b"");
        assert_eq!(script.code, Some(0));
        for word in ["ckks", "verify-block", "--fallback"] {
            assert!(script.stdout.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("halimede");
        fs::write(&file, &script.stdout).unwrap();
        // Only installed shells can check the script.
        if let Ok(judged) = Command::new(program).arg("-n").arg(&file).output() {
            assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr));
        }
    }
    assert_eq!(halimede(&["completions", "sh"], b"").code, Some(2));
}

fn files_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path.is_dir() {
        true => files_below(&path),
        false => vec![path.to_str().unwrap().to_owned()],
    });
    files.collect()
}

#[test]
fn what_is_installed_works_and_leaves_nothing_behind() {
    let Ok(make) = Command::new("make").arg("--version").output() else { return };
    assert!(make.status.success());
    let folder = tempfile::tempdir().unwrap();
    let built = Path::new(env!("CARGO_BIN_EXE_halimede")).parent().unwrap();
    let make = |target: &str| {
        let mut make = Command::new("make");
        make.args([target, "PREFIX=/usr", "VENV_STAMP=none"]);
        make.arg(format!("DESTDIR={}", folder.path().display()));
        make.arg(format!("BUILT={}", built.display()));
        make.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let done = make.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    make("install-built-command");
    let files = files_below(folder.path());
    for end in ["man1/halimede-ckks-eval.1", "completions/halimede", "_halimede", "halimede.fish"] {
        assert!(files.iter().any(|file| file.ends_with(end)), "{end}: {files:#?}");
    }
    let version = Command::new(folder.path().join("usr/bin/halimede")).arg("--version").output();
    assert!(version.unwrap().stdout.starts_with(b"halimede "));
    make("uninstall-command");
    assert_eq!(files_below(folder.path()), [""; 0]);
}
