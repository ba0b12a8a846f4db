// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sets the commit that `halimede --version --verbose` prints: the value of `HALIMEDE_COMMIT`, or
//! else the commit of the checkout. Builds for tests do not have it: they would be compiled again
//! for each commit.

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

/// Returns the commit that is checked out in the workspace; a change of its log triggers a new
/// build. Returns `None` for a package inside the checkout of another project.
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

/// Runs git, and returns its output. The folder may belong to another user, as in `sudo make
/// install`.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).arg("-c").arg(format!("safe.directory={}", root.display()));
    let output = command.args(arguments).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}
