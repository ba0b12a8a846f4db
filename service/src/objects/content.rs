// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kinds of objects, and how they are read.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use halimede_arith::interface::{Object, ObjectKind};
use halimede_ckks::files::FileKind;
use halimede_ckks_nn::network_file::MOST_FILE_BYTES;
use halimede_ckks_nn::NetworkFile;
use halimede_files::read_limited;
use halimede_operations::OBJECT_KINDS;

use super::unreadable;
use crate::refusal::{Reason, Refusal};

/// The kinds of objects.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Evaluation keys of CKKS.
    CkksKeys,
    /// A kind that an operation of the table needs.
    Of(&'static ObjectKind),
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Kind {}

/// Evaluation keys of CKKS, which have a separate reader.
pub const CKKS_KEYS: &ObjectKind = &ObjectKind {
    name: "ckks-keys",
    about: "Evaluation keys of CKKS.",
    most_bytes: 0,
    held_bytes: |bytes| bytes,
    read: |_| Err("evaluation keys are read from their file".into()),
    facts: |_| Vec::new(),
};

/// Networks, which are compiled when they are used.
pub const NETWORK: &ObjectKind = &ObjectKind {
    name: "network",
    about: "A network, as `halimede ckks compile` writes it.",
    most_bytes: MOST_FILE_BYTES,
    held_bytes: |bytes| bytes,
    read: |bytes| {
        let file = NetworkFile::read(bytes).map_err(|error| error.to_string())?;
        file.header().map_err(|error| error.to_string())?;
        Ok(Arc::new(file))
    },
    facts: |_| Vec::new(),
};

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] =
        [Self::CkksKeys, Self::Of(OBJECT_KINDS[0]), Self::Of(OBJECT_KINDS[1]), Self::Of(NETWORK)];
    /// The names of all kinds.
    pub const NAMES: &'static [&'static str] =
        &[CKKS_KEYS.name, OBJECT_KINDS[0].name, OBJECT_KINDS[1].name, NETWORK.name];

    /// Returns the name of the kind in requests and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CkksKeys => CKKS_KEYS.name,
            Self::Of(kind) => kind.name,
        }
    }

    /// Returns the kind with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Refuses content whose first bytes do not match the kind.
    ///
    /// # Errors
    /// [`Reason::Content`].
    pub fn check_beginning(self, bytes: &[u8]) -> Result<(), Refusal> {
        match (self, FileKind::of_beginning(bytes)) {
            (Self::CkksKeys, Some(FileKind::EvaluationKeys)) => Ok(()),
            (Self::CkksKeys, None) if bytes.len() < 11 => Ok(()),
            (_, Some(other)) => Err(not(self, other)),
            (Self::CkksKeys, None) => Err(not(self, "not a file of CKKS")),
            (_, None) => Ok(()),
        }
    }
}

/// Returns the refusal of content that is not of a kind.
pub fn not(kind: Kind, error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Reason::Content, format!("this is not {}: {error}", kind.name()))
}

/// Reads an object of the table.
///
/// # Errors
/// [`Reason::Content`]; [`Reason::Object`] if the file has been removed.
pub fn read(kind: &'static ObjectKind, path: &Path) -> Result<Object, Refusal> {
    let refuse = |error: &dyn std::fmt::Display| not(Kind::Of(kind), error);
    let bytes = read_limited(path, kind.most_bytes as u64).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => refuse(&error),
        _ => unreadable(&error),
    })?;
    (kind.read)(&bytes).map_err(|error| refuse(&error))
}
