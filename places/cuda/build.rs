// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Packs the kernels of `make gpu-kernels` into the library, if the folder has any.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::Compression;

/// Names the folder of the kernels.
const FOLDER: &str = "HALIMEDE_GPU_KERNELS";

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let output = PathBuf::from(env::var("OUT_DIR")?);
    let folder =
        env::var_os(FOLDER).map_or_else(|| root.join("../../build/gpu-kernels"), Into::into);
    println!("cargo::rerun-if-env-changed={FOLDER}");
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo compiles this crate, and all that need it, again and again for a path that does not
    // exist. So the tool that compiles the kernels touches this file instead.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let mut table = String::from("&[\n");
    for (name, path) in files(&folder)? {
        println!("cargo::rerun-if-changed={}", path.display());
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(&path)?)?;
        let file = output.join(format!("{name}.gz"));
        fs::write(&file, packed.finish()?)?;
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", file.display().to_string())?;
    }
    table.push_str("]\n");
    fs::write(output.join("kernels.rs"), table)?;
    Ok(())
}

/// Returns the PTX files of a folder with their names, sorted; none for a missing folder.
fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let Ok(entries) = folder.read_dir() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if let Some(name) = name.strip_suffix(".ptx") {
            found.push((name.to_owned(), path.canonicalize()?));
        }
    }
    found.sort();
    Ok(found)
}
