// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tells the command which commit it is built from: that of the checkout, or what `HALIMEDE_COMMIT` says
//! where the source is not one. Builds for tests are not told: each commit would compile them again.

use std::path::Path;
use std::process::Command;

const VARIABLE: &str = "HALIMEDE_COMMIT";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return;
    }
    let named = std::env::var(VARIABLE).ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = named.or_else(commit_of_checkout) {
        println!("cargo:rustc-env=HALIMEDE_BUILT_FROM={commit}");
    }
}

/// The commit that is checked out in the workspace; its log is what tells of a new one. A package that lies
/// in a checkout of something else is not asked.
fn commit_of_checkout() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    if !root.join(".git").exists() {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let file = root.join(git(root, &["rev-parse", "--git-path", name])?);
        if file.exists() {
            println!("cargo:rerun-if-changed={}", file.display());
        }
    }
    git(root, &["rev-parse", "--short=12", "HEAD"])
}

/// What git answers. The folder may be another user's, as under `sudo make install`.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).arg("-c").arg(format!("safe.directory={}", root.display()));
    let output = command.args(arguments).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}
