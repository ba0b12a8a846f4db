// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede --version --verbose`: the details of this build, for bug reports.

use halimede_arith::Backend;
use halimede_card::spec;
use serde_json::{json, Value};

use crate::error::CommandError;
use crate::output::{print_line, print_table};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
/// The commit, set by `build.rs` if the source is a checkout and the build is not for tests.
const COMMIT: Option<&str> = option_env!("HALIMEDE_BUILT_FROM");

/// Prints the version with the commit, the backends, the features, the card's protocol and the
/// license.
pub fn run(json: bool) -> Result<(), CommandError> {
    let names = |backend: Backend| backend.name();
    let backends: Vec<&str> = Backend::available().map(names).collect();
    // An invalid HALIMEDE_BACKEND is reported in its row; the other rows are still printed.
    let chosen = Backend::chosen().map(Backend::name).map_err(|error| error.to_string());
    let card = format!("{}.{}", spec::VERSION_MAJOR, spec::VERSION_MINOR);
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    if json {
        let object = json!({
            "version": VERSION,
            "commit": COMMIT,
            "target": target,
            "backends": backends,
            "backend": chosen.as_ref().map_or(Value::Null, |name| json!(name)),
            "features": features(),
            "card_protocol": card,
            "license": LICENSE,
        });
        return print_line(&object.to_string());
    }
    let in_use = chosen.map_or_else(|error| error, |name| format!("in use: {name}"));
    let license = format!(
        "{LICENSE}; for the licenses of dependencies, see THIRD-PARTY-NOTICES.txt in the package"
    );
    let rows = [
        ("commit", COMMIT.unwrap_or("not known").to_owned()),
        ("target", target),
        ("backends", format!("{}; {in_use}", backends.join(", "))),
        ("features", features().join(", ")),
        ("card protocol", card),
        ("license", license),
    ];
    let rows: Vec<Vec<String>> = rows.map(|(name, text)| vec![name.to_owned(), text]).into();
    print_table(&["halimede", VERSION], &rows)
}

/// Returns the optional features of this build, and the settings that make it slow.
fn features() -> Vec<&'static str> {
    let all = [("serve", cfg!(feature = "serve")), ("debug-assertions", cfg!(debug_assertions))];
    all.into_iter().filter(|(_, is_in)| *is_in).map(|(name, _)| name).collect()
}
