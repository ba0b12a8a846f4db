// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What objects are, and how they are read.

use std::path::Path;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_bls12_381::kzg::{Setup, SETUP_LIMIT_BYTES};
use halimede_ckks::files::FileKind;
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
}

/// That something is not of a kind.
pub fn not(kind: Kind, error: impl std::fmt::Display) -> Refusal {
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
