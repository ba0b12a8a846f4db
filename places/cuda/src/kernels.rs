// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels as PTX, one file for each engine and compute capability:
//! `poseidon.compute_90.ptx`.
//!
//! They come from the folder that `HALIMEDE_GPU_KERNELS` names, or from this library, if they had
//! been made (`make gpu-kernels`) when it was built.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;

use crate::error::CudaError;

/// Names the folder of the kernels.
pub const FOLDER: &str = "HALIMEDE_GPU_KERNELS";

/// The compute capabilities that kernels are compiled for. A GPU runs kernels for its own or a
/// lower capability.
pub const CAPABILITIES: [(u32, u32); 3] = [(8, 0), (9, 0), (12, 0)];

/// The largest PTX file.
const MOST_BYTES: u64 = 64 << 20;

/// The packed kernels: the names without `.ptx`, and the compressed contents.
const PACKED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Kernels of an engine, ready for the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// The name of the file.
    pub file: String,
    /// The text, without a final zero byte.
    pub text: Vec<u8>,
}

/// Where kernels come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This library.
    Packed,
    /// A folder.
    Folder(PathBuf),
}

impl Source {
    /// Returns the folder that the environment names, or this library.
    pub fn from_environment() -> Self {
        match std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
            Some(folder) => Self::Folder(folder.into()),
            None => Self::Packed,
        }
    }

    /// Returns the engines with kernels, sorted.
    pub fn engines(&self) -> Vec<String> {
        let names: Vec<String> = match self {
            Self::Packed => PACKED.iter().map(|(name, _)| (*name).to_owned()).collect(),
            Self::Folder(folder) => {
                let entries = folder.read_dir().into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                names.filter_map(|name| name.strip_suffix(".ptx").map(str::to_owned)).collect()
            }
        };
        let engine = |name: &String| Some(name.split_once('.')?.0.to_owned());
        let mut engines: Vec<String> = names.iter().filter_map(engine).collect();
        engines.sort();
        engines.dedup();
        engines
    }

    /// Returns an engine's kernels for the highest capability that the GPU has.
    ///
    /// # Errors
    /// [`CudaError::NoKernels`] if the file is missing or cannot be read.
    pub fn read(&self, engine: &'static str, capability: (u32, u32)) -> Result<Ptx, CudaError> {
        let fitting = CAPABILITIES.iter().rev().filter(|other| **other <= capability);
        for (major, minor) in fitting {
            let name = format!("{engine}.compute_{major}{minor}");
            if let Some(text) = self.text(&name).transpose() {
                let text = text.map_err(|error| CudaError::NoKernels {
                    engine: Some(engine),
                    advice: format!("cannot read {name}.ptx: {error}"),
                })?;
                return Ok(Ptx { file: format!("{name}.ptx"), text });
            }
        }
        Err(self.none(Some(engine)))
    }

    /// The error for missing kernels.
    fn none(&self, engine: Option<&'static str>) -> CudaError {
        let has_others = !self.engines().is_empty();
        let advice = match self {
            Self::Folder(folder) => format!(
                "{FOLDER}={} has no such PTX files; run `make gpu-kernels` and name its folder \
                 build/gpu-kernels",
                folder.display()
            ),
            Self::Packed => format!(
                "this build has none; run `make gpu-kernels`, then build again or set {FOLDER} to \
                 its folder build/gpu-kernels"
            ),
        };
        CudaError::NoKernels { engine: engine.filter(|_| has_others), advice }
    }

    /// Checks that at least one engine has kernels.
    ///
    /// # Errors
    /// [`CudaError::NoKernels`].
    pub fn check(&self) -> Result<(), CudaError> {
        match self.engines().is_empty() {
            true => Err(self.none(None)),
            false => Ok(()),
        }
    }

    /// The text of a file, `None` if it does not exist.
    fn text(&self, name: &str) -> std::io::Result<Option<Vec<u8>>> {
        let mut text = Vec::new();
        let read = match self {
            Self::Packed => {
                let Some((_, packed)) = PACKED.iter().find(|(other, _)| *other == name) else {
                    return Ok(None);
                };
                GzDecoder::new(*packed).take(MOST_BYTES + 1).read_to_end(&mut text)?
            }
            Self::Folder(folder) => {
                let path = folder.join(format!("{name}.ptx"));
                let file = match File::open(path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                    other => other?,
                };
                file.take(MOST_BYTES + 1).read_to_end(&mut text)?
            }
        };
        if read as u64 > MOST_BYTES {
            return Err(std::io::Error::other(format!("it is larger than {MOST_BYTES} bytes")));
        }
        if text.contains(&0) {
            return Err(std::io::Error::other("it is not text"));
        }
        Ok(Some(text))
    }
}
