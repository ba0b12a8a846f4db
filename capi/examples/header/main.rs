// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generates the functions of the table's operations, `src/operations.rs`, and `include/halimede.h`
//! from the sources of the crate; with `--check`, only checks that both are up to date.

#![allow(clippy::print_stderr, reason = "a generator reports errors")]

pub mod operations;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use cbindgen::{
    Builder, Config, DocumentationStyle, EnumConfig, ExportConfig, Language, Layout, RenameRule,
    Style,
};

/// The sources of the header, in its order.
const SOURCES: [&str; 15] = [
    "status.rs",
    "device.rs",
    "instance.rs",
    "filecoin.rs",
    "starknet.rs",
    "starknet_hasher.rs",
    "blake3.rs",
    "blake3_hasher.rs",
    "verdict.rs",
    "ecdsa.rs",
    "object.rs",
    "call.rs",
    "operations.rs",
    "zcash.rs",
    "engines.rs",
];

/// The public types and their names in C.
const TYPES: [(&str, &str); 23] = [
    ("Status", "halimede_status"),
    ("Device", "halimede_device"),
    ("DeviceOptions", "halimede_device_options"),
    ("Family", "halimede_family"),
    ("InstanceInfo", "halimede_instance_info"),
    ("Strength", "halimede_strength"),
    ("HashType", "halimede_hash_type"),
    ("FilecoinHasher", "halimede_filecoin_hasher"),
    ("StarknetHasher", "halimede_starknet_hasher"),
    ("Blake3Kind", "halimede_blake3_kind"),
    ("Blake3Mode", "halimede_blake3_mode"),
    ("Blake3Hasher", "halimede_blake3_hasher"),
    ("EcdsaVerifier", "halimede_ecdsa_verifier"),
    ("Verdict", "halimede_verdict"),
    ("Bytes", "halimede_bytes"),
    ("Object", "halimede_object"),
    ("Setting", "halimede_setting"),
    ("ZcashNetwork", "halimede_zcash_network"),
    ("ZcashKnown", "halimede_zcash_known"),
    ("ZcashBlockVerdict", "halimede_zcash_block_verdict"),
    ("ZcashVerdict", "halimede_zcash_verdict"),
    ("Interrupt", "halimede_interrupt"),
    ("EngineReport", "halimede_engine_report"),
];

const BEGINNING: &str = "\
// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from capi/src by `make generate`: do not edit.
//
// Poseidon hashes with Filecoin's and StarkWare's parameters, BLAKE3, Equihash, ECDSA and Schnorr
// signatures over secp256k1, signatures, openings and proofs over BLS12-381, and Zcash blocks: in
// batches, on this processor or on a card.
//
// The function of an operation takes columns with one row per item, `count` rows each, and writes
// one verdict per item. Its settings have the same names and values as in `halimede batch` and in
// the HTTP service.
//
// Elements of Poseidon are canonical integers below the modulus of their field, in one of two
// forms: limbs, uint64_t[4] in native byte order, or bytes, uint8_t[32]; both least significant
// first. All other functions use bytes. Arrays have the shapes that the functions state, without
// gaps; an empty array may be NULL. Inputs and outputs must not overlap.
//
// Functions return a status. Unless it is HALIMEDE_STATUS_OK, no output was written, and
// halimede_last_error() returns the reason. Any number of threads may call all functions at once;
// a handle must not be used while it is being freed. A forked process may call all functions, but
// must open cards again. A batch on this processor uses RAYON_NUM_THREADS threads (an environment
// variable; by default one per core).";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let is_check = std::env::args().any(|argument| argument == "--check");
    let mut is_current = true;
    let mut keep = |path: &str, content: Vec<u8>| -> Result<(), Box<dyn Error>> {
        let path = folder().join(path);
        if !is_check {
            std::fs::write(&path, content)?;
        } else if std::fs::read(&path)? != content {
            eprintln!("{} is not up to date: run `make generate`", path.display());
            is_current = false;
        }
        Ok(())
    };
    // The header is generated from the functions.
    keep("src/operations.rs", functions()?)?;
    keep("include/halimede.h", generate()?)?;
    Ok(if is_current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

/// Returns the source of the functions of the table's operations.
pub fn functions() -> Result<Vec<u8>, Box<dyn Error>> {
    formatted(&operations::source())
}

/// Formats a source like `cargo fmt`.
fn formatted(source: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2021", "--config-path"])
        .arg(folder().join("../rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    rustfmt.stdin.take().ok_or("rustfmt has no input")?.write_all(source.as_bytes())?;
    let done = rustfmt.wait_with_output()?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => Err("rustfmt failed".into()),
    }
}

/// Returns the text of the header.
pub fn generate() -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = folder().join("src");
    let mut builder = Builder::new().with_config(configuration());
    for source in SOURCES {
        builder = builder.with_src(folder.join(source));
    }
    let mut header = vec![];
    builder.generate()?.write(&mut header);
    Ok(header)
}

fn configuration() -> Config {
    let version = format!(
        "\n/**\n * The version of this header.\n */\n#define HALIMEDE_VERSION \"{}\"",
        env!("CARGO_PKG_VERSION")
    );
    let rename = TYPES.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into();
    // Functions take numbers instead of these types, so that they can refuse unknown numbers.
    let include = TYPES.map(|(rust, _)| rust.to_owned()).into();
    let mut config = Config {
        language: Language::C,
        header: Some(BEGINNING.into()),
        include_guard: Some("HALIMEDE_H".into()),
        after_includes: Some(version),
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        cpp_compat: true,
        usize_is_size_t: true,
        style: Style::Both,
        documentation_style: DocumentationStyle::Doxy,
        line_length: 100,
        export: ExportConfig { rename, include, ..ExportConfig::default() },
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    config.function.args = Layout::Auto;
    config
}
