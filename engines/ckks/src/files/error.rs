// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of files.

use std::path::PathBuf;

use super::kind::{FileKind, ParameterHash, FORMAT};
use crate::keys::KeyId;
use crate::params::ParametersError;

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum FileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file does not begin with the magic number.
    #[error(
        "not a CKKS file: it does not begin with the magic number; a file that was sent as \
         text instead of binary looks like this"
    )]
    Magic,
    /// The format is older.
    #[error(
        "the file has format {got} of an earlier version, and this program \
         reads format {FORMAT}: create new parameters and keys, and encrypt again"
    )]
    Old { got: u16 },
    /// The format is newer.
    #[error("the file has format {got}, and this program reads {FORMAT}: use a newer version")]
    Format { got: u16 },
    /// The file is of another kind.
    #[error("expected {wanted}, but the file holds {got}")]
    Kind { got: FileKind, wanted: FileKind },
    /// The file was made with other parameters.
    #[error(
        "the file is for the parameters {got} (hash {got_hash}), but {wanted} (hash {wanted_hash}) \
         are in use: keys and ciphertexts work together only if they have the same parameters"
    )]
    OtherParameters {
        got: String,
        got_hash: ParameterHash,
        wanted: String,
        wanted_hash: ParameterHash,
    },
    /// The parameters claim less than 128 bits of security.
    #[error(
        "the file's parameters ({name}) do not claim 128 bits of security: they are accepted \
         only if insecure parameters are explicitly allowed"
    )]
    Insecure { name: String },
    /// The parameters are not valid.
    #[error("the file's parameters cannot be used: {0}")]
    Parameters(#[from] ParametersError),
    /// The file is truncated.
    #[error("the file ends at byte {at}, within {what}: it was not completely sent or written")]
    Truncated { at: u64, what: &'static str },
    /// The file has bytes after its end.
    #[error("the file has bytes after its end: it holds several files, or is damaged")]
    Longer,
    /// A checksum does not match.
    #[error(
        "the checksum at byte {at} does not match: the file is damaged, fetch or create it again"
    )]
    Checksum { at: u64 },
    /// The content violates the format.
    #[error("at byte {at}: {what}; the file is damaged, fetch or create it again")]
    Malformed { at: u64, what: String },
    /// The file requests keys that need too much memory.
    #[error(
        "the file requests {count} keys of {bytes} bytes in total, and the limit is {most}: \
        such a file could fill the memory of this machine; raise the limit if you trust its author"
    )]
    KeyBytes { count: usize, bytes: usize, most: usize },
    /// Keys of several clients, where a file holds the keys of one client.
    #[error(
        "a key belongs to the secret key {key}, and the file to {ours}: write the keys \
         of each client to a separate file"
    )]
    KeyOwner { key: KeyId, ours: KeyId },
    /// Other users can read a secret.
    #[error(
        "{path} has the mode {mode:04o}, so others can read the secret key: create a new key or, \
         if nobody has read it, run `chmod 600` on it", path = path.display()
    )]
    Permissions { path: PathBuf, mode: u32 },
}
