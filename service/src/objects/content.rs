// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What objects are, and how they are read.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_bls12_381::kzg::{Setup, SETUP_LIMIT_BYTES};
use halimede_ckks::files::{expect_end, FileKind, FileReader};
use halimede_ckks::keys::KeyId;
use halimede_ckks::{EvaluationKeys, FileError, Parameters, Server};
use halimede_files::read_limited;

use crate::refusal::{Reason, Refusal};

/// The kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Evaluation keys of CKKS.
    CkksKeys,
    /// A verifying key of Groth16.
    Groth16Key,
    /// A trusted setup of KZG.
    KzgSetup,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::CkksKeys, Self::Groth16Key, Self::KzgSetup];
    /// Their names.
    pub const NAMES: &'static [&'static str] =
        &[Self::CkksKeys.name(), Self::Groth16Key.name(), Self::KzgSetup.name()];

    /// Its name in requests and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CkksKeys => "ckks-keys",
            Self::Groth16Key => "groth16-key",
            Self::KzgSetup => "kzg-setup",
        }
    }

    /// What a setting says that names such an object.
    pub const fn about(self) -> &'static str {
        match self {
            Self::CkksKeys => "The hash of an uploaded object of kind `ckks-keys`.",
            Self::Groth16Key => "The hash of an uploaded object of kind `groth16-key`.",
            Self::KzgSetup => "The hash of an uploaded object of kind `kzg-setup`.",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Refuses what cannot be of this kind by how it begins.
    ///
    /// # Errors
    /// [`Reason::Content`].
    pub fn check_beginning(self, bytes: &[u8]) -> Result<(), Refusal> {
        match (self, FileKind::of_beginning(bytes)) {
            (Self::CkksKeys, Some(FileKind::EvaluationKeys)) => Ok(()),
            (Self::CkksKeys, None) if bytes.len() < 11 => Ok(()),
            (_, Some(other)) => Err(not(self, other)),
            (Self::CkksKeys, None) => Err(not(self, "no file of CKKS")),
            (_, None) => Ok(()),
        }
    }

    /// Refuses a file that is not of this kind.
    ///
    /// # Errors
    /// [`Reason::Content`].
    pub fn check(self, path: &Path) -> Result<(), Refusal> {
        match self {
            Self::CkksKeys => {
                let (reader, parameters) = ckks_reader(path)?;
                for key in reader.keys(&parameters).map_err(|error| not(self, error))? {
                    key.map_err(|error| not(self, error))?;
                }
                ckks_keys_end(path)
            }
            Self::Groth16Key => groth16_key(path).map(drop),
            Self::KzgSetup => kzg_setup(path).map(drop),
        }
    }
}

fn not(kind: Kind, error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Reason::Content, format!("this is not {}: {error}", kind.name()))
}

/// Reads a verifying key.
///
/// # Errors
/// [`Reason::Content`].
pub fn groth16_key(path: &Path) -> Result<VerifyingKey, Refusal> {
    let refuse = |error: &dyn std::fmt::Display| not(Kind::Groth16Key, error);
    let bytes = read_limited(path, KEY_LIMIT_BYTES as u64).map_err(|error| refuse(&error))?;
    VerifyingKey::read(&bytes).map_err(|error| refuse(&error))
}

/// Reads a trusted setup.
///
/// # Errors
/// [`Reason::Content`].
pub fn kzg_setup(path: &Path) -> Result<Setup, Refusal> {
    let refuse = |error: &dyn std::fmt::Display| not(Kind::KzgSetup, error);
    let bytes = read_limited(path, SETUP_LIMIT_BYTES as u64).map_err(|error| refuse(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| refuse(&error))?;
    Setup::read(&text).map_err(|error| refuse(&error))
}

/// A server of CKKS with the keys of a file.
pub struct CkksKeys {
    /// The parameters.
    pub parameters: Parameters,
    /// The secret key that the keys belong to.
    pub owner: KeyId,
    /// The server.
    pub server: std::sync::Arc<Server>,
}

/// Reads evaluation keys.
///
/// # Errors
/// [`Reason::Content`].
pub fn ckks_keys(path: &Path) -> Result<CkksKeys, Refusal> {
    let refuse = |error: FileError| not(Kind::CkksKeys, error);
    let (reader, parameters) = ckks_reader(path)?;
    let reader = reader.keys(&parameters).map_err(refuse)?;
    let owner = reader.owner();
    let mut keys = EvaluationKeys::new(&parameters);
    for key in reader {
        let (of, key) = key.map_err(refuse)?;
        keys.insert(of, key);
    }
    let server = std::sync::Arc::new(Server::new(keys));
    Ok(CkksKeys { parameters, owner, server })
}

/// Insecure parameters are their owner's choice: the keys and the ciphertexts are all that comes
/// here.
fn ckks_reader(path: &Path) -> Result<(FileReader<BufReader<File>>, Parameters), Refusal> {
    let refuse = |error: FileError| not(Kind::CkksKeys, error);
    let file = File::open(path).map_err(|error| refuse(error.into()))?;
    let reader = FileReader::new(BufReader::new(file)).map_err(refuse)?;
    let parameters = reader.header().insecure_parameters().map_err(refuse)?;
    Ok((reader, parameters))
}

/// That nothing follows the keys.
fn ckks_keys_end(path: &Path) -> Result<(), Refusal> {
    let refuse = |error: FileError| not(Kind::CkksKeys, error);
    // A reader without a buffer stands where the keys end.
    let file = File::open(path).map_err(|error| refuse(error.into()))?;
    let reader = FileReader::new(&file).map_err(refuse)?;
    let parameters = reader.header().insecure_parameters().map_err(refuse)?;
    reader.keys(&parameters).map_err(refuse)?.try_for_each(|key| key.map(drop)).map_err(refuse)?;
    expect_end(&file).map_err(refuse)
}
