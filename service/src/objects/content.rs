// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What objects are, and how they are read.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_bls12_381::kzg::{Setup, SETUP_LIMIT_BYTES};
use halimede_ckks::files::{expect_end, FileKind, FileReader};
use halimede_ckks::keys::{KeyId, KeyUse, SwitchingKey};
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
            Self::CkksKeys => read_ckks_keys(path, |_, _| {}).map(drop),
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
    pub server: Arc<Server>,
}

/// Reads evaluation keys.
///
/// # Errors
/// [`Reason::Content`].
pub fn ckks_keys(path: &Path) -> Result<CkksKeys, Refusal> {
    let mut keys = None;
    let (parameters, owner) = read_ckks_keys(path, |parameters, (of, key)| {
        keys.get_or_insert_with(|| EvaluationKeys::new(parameters)).insert(of, key);
    })?;
    let keys = keys.unwrap_or_else(|| EvaluationKeys::new(&parameters));
    Ok(CkksKeys { parameters, owner, server: Arc::new(Server::new(keys)) })
}

/// Reads a file of evaluation keys to its end, key by key. Insecure parameters are their owner's
/// choice: the keys and the ciphertexts are all that comes here.
fn read_ckks_keys(
    path: &Path,
    mut keep: impl FnMut(&Parameters, (KeyUse, SwitchingKey)),
) -> Result<(Parameters, KeyId), Refusal> {
    let mut read = || {
        let mut file = BufReader::new(File::open(path)?);
        let reader = FileReader::new(&mut file)?;
        let parameters = reader.header().insecure_parameters()?;
        let keys = reader.keys(&parameters)?;
        let owner = keys.owner();
        for key in keys {
            keep(&parameters, key?);
        }
        expect_end(file)?;
        Ok((parameters, owner))
    };
    read().map_err(|error: FileError| not(Kind::CkksKeys, error))
}
