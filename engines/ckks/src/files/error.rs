// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is wrong with a file.

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
    /// It begins with something else.
    #[error(
        "this is no CKKS file: it does not begin as one; if it was one, it has been sent as text \
         instead of binary"
    )]
    Magic,
    /// It is older.
    #[error(
        "the file has format {got} of an earlier version, and this program \
         reads format {FORMAT}: make parameters and keys anew, and encrypt again"
    )]
    Old { got: u16 },
    /// It is newer.
    #[error("the file has format {got}, and this program reads {FORMAT}: take a newer one")]
    Format { got: u16 },
    /// It is something else.
    #[error("the file holds {got}, where {wanted} should be: give the other file")]
    Kind { got: FileKind, wanted: FileKind },
    /// It was made with other parameters.
    #[error(
        "the file is for the parameters {got} (hash {got_hash}), and {wanted} (hash {wanted_hash}) \
         are in use: keys and ciphertexts go together only if all were made with the same parameters"
    )]
    OtherParameters {
        got: String,
        got_hash: ParameterHash,
        wanted: String,
        wanted_hash: ParameterHash,
    },
    /// Its parameters are not secure.
    #[error(
        "the file's parameters ({name}) do not claim 128 bits of security: they are read only where \
         insecure ones are asked for"
    )]
    Insecure { name: String },
    /// Its parameters are none.
    #[error("the file's parameters cannot be used: {0}")]
    Parameters(#[from] ParametersError),
    /// It ends too soon.
    #[error("the file ends at byte {at}, within {what}: it was not sent or written completely")]
    Truncated { at: u64, what: &'static str },
    /// There is more than there should be.
    #[error("the file goes on after its end: it is several files in one, or damaged")]
    Longer,
    /// What was read is not what was written.
    #[error("the checksum at byte {at} is another: the file is damaged, fetch or make it again")]
    Checksum { at: u64 },
    /// Something is not as the format says.
    #[error("at byte {at}: {what}; the file is damaged, fetch or make it again")]
    Malformed { at: u64, what: String },
    /// It asks for keys that take too much memory.
    #[error(
        "the file asks for {count} keys of {bytes} bytes together, and {most} are the most that are made: \
        whoever wrote it would have this machine's memory filled; allow more where it is to be trusted"
    )]
    KeyBytes { count: usize, bytes: usize, most: usize },
    /// Keys of several clients, where a file holds those of one.
    #[error(
        "a key belongs to the secret key {key}, and the file to {ours}: write the keys of each client to a \
         file of their own"
    )]
    KeyOwner { key: KeyId, ours: KeyId },
    /// Others may read a secret.
    #[error(
        "{path} has the mode {mode:04o}, by which others can read the secret key: make a new key, or, \
         where nobody has, `chmod 600` it", path = path.display()
    )]
    Permissions { path: PathBuf, mode: u32 },
}
