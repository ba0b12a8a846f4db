// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of the second phase.

use std::io;
use std::path::PathBuf;

use halimede_files::OutputError;
use halimede_poseidon::tree::TreeError;

use crate::proof_type::{SealProof, UnknownProof};

/// Why the output of the first phase is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Phase1Error {
    /// The text is too long.
    #[error("{bytes} bytes; at most {limit} are read")]
    TooLong {
        /// The length in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The text is not base64.
    #[error("not base64: {0}")]
    Base64(Box<dyn std::error::Error + Send + Sync>),
    /// The base64 does not contain the expected JSON.
    #[error("not the JSON of a first phase: {0}")]
    Json(serde_json::Error),
    /// The seal proof has no known name.
    #[error(transparent)]
    Proof(#[from] UnknownProof),
    /// The labels belong to another sector size.
    #[error("labels: expected the single entry {expected} for {proof}, got {got:?}")]
    Variant {
        /// The seal proof.
        proof: SealProof,
        /// The expected entry.
        expected: String,
        /// The first entry found.
        got: String,
    },
    /// There are no sectors of this size.
    #[error("no sectors have {got} bytes")]
    SectorBytes {
        /// The given value.
        got: u64,
    },
    /// The number of layers does not match the sector size.
    #[error("{got} layers, but {proof} has {expected}")]
    LayerCount {
        /// The seal proof.
        proof: SealProof,
        /// The number of layers found.
        got: usize,
        /// The number of layers of this proof.
        expected: usize,
    },
    /// A file has an unexpected identifier.
    #[error("expected the file {expected:?}, got {got:?}")]
    StoreId {
        /// The identifier found.
        got: String,
        /// The expected identifier.
        expected: String,
    },
    /// A file has an unexpected number of nodes.
    #[error("{id}: expected a size of {expected} nodes, got {}", size(*.got))]
    StoreSize {
        /// The identifier of the file.
        id: String,
        /// The number of nodes found.
        got: Option<u64>,
        /// The expected number of nodes.
        expected: u64,
    },
    /// The root of tree D is not a field element.
    #[error("comm_d: 0x{got} (little-endian) is not below the modulus of BLS12-381's scalars")]
    CommD {
        /// The bytes in hexadecimal.
        got: String,
    },
}

fn size(size: Option<u64>) -> String {
    size.map_or("none".into(), |size| size.to_string())
}

/// Why the second phase failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Precommit2Error {
    /// A path is not valid UTF-8, which `t_aux` requires.
    #[error("{}: the path of the cache folder must be valid UTF-8", path.display())]
    PathText {
        /// The path.
        path: PathBuf,
    },
    /// A file cannot be read, or the cache is not a folder.
    #[error("{}: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The replica cannot be written.
    #[error("{}: writing the replica failed: {source}", path.display())]
    Write {
        /// The path of the sealed file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file has the wrong length.
    #[error("{}: expected {what} of {expected} bytes, got {got} bytes", path.display())]
    Length {
        /// The path.
        path: PathBuf,
        /// The expected kind of file.
        what: &'static str,
        /// The length in bytes.
        got: u64,
        /// The expected length in bytes.
        expected: u64,
    },
    /// Tree D belongs to other data.
    #[error(
        "{}: tree D has the root 0x{got}, but comm_d of the first phase is 0x{expected} \
         (little-endian)", path.display()
    )]
    CommD {
        /// The path of tree D.
        path: PathBuf,
        /// The root of tree D.
        got: String,
        /// The root of the first phase.
        expected: String,
    },
    /// The sealed file is one of the other inputs.
    #[error("{} and {} are the same file", sealed.display(), input.display())]
    SameFile {
        /// The path of the sealed file.
        sealed: PathBuf,
        /// The path of the other input.
        input: PathBuf,
    },
    /// Another process works on this sector.
    #[error("{}: locked by another process", path.display())]
    Locked {
        /// The path of the sealed file.
        path: PathBuf,
    },
    /// A disk is too full.
    #[error("{}: {needed} bytes are needed, but only {free} bytes are free", path.display())]
    Space {
        /// The folder or file.
        path: PathBuf,
        /// The needed bytes.
        needed: u64,
        /// The free bytes.
        free: u64,
    },
    /// The sealed file does not contain the data of tree D.
    #[error(
        "{}: differs from the data in {} at byte offset {offset}: the sealed file must contain the \
         unsealed data{}", sealed.display(), tree_d.display(), hint(*.is_sealed)
    )]
    Data {
        /// The path of the sealed file.
        sealed: PathBuf,
        /// The path of tree D.
        tree_d: PathBuf,
        /// The offset of the first difference that was found, in bytes.
        offset: u64,
        /// Set if `p_aux` exists: the sector was probably sealed before.
        is_sealed: bool,
    },
    /// A node of the data is too large.
    #[error(
        "{}: the node at byte offset {offset} is not below 2^254: the data must be padded (fr32)",
        path.display()
    )]
    Node {
        /// The path of the file.
        path: PathBuf,
        /// The offset of the node in bytes.
        offset: u64,
    },
    /// Building a tree failed.
    #[error("{}, from byte offset {start} on: {source}", path.display())]
    Tree {
        /// The path of the input at fault, or of the tree.
        path: PathBuf,
        /// The byte offset in the input from which offsets of the cause are counted.
        start: u64,
        /// The cause.
        source: TreeError,
    },
    /// The caller has stopped the run.
    #[error("stopped; the next run over this sector continues")]
    Stopped,
    /// The journal is damaged.
    #[error(
        "{}: not a journal of this command ({reason}). The sealed file may be partly transformed. \
         Remove the journal, write the unsealed data to the sealed file, and start again",
        path.display()
    )]
    Journal {
        /// The path of the journal.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The journal belongs to another sealed file, which is not finished.
    #[error(
        "{}: {sealed} of the same sector is partly transformed. Finish with that file, or remove \
         the journal", path.display()
    )]
    OtherSealed {
        /// The path of the journal.
        path: PathBuf,
        /// The path of the file that is partly transformed.
        sealed: String,
    },
    /// A worker was called before the run, or with other files than the run.
    #[error("{}: {reason}", path.display())]
    NotBegun {
        /// The path of the journal.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// There is no such subtree, or it is not its turn.
    #[error("subtree {part} of {count}: this step has no such subtree")]
    NoPart {
        /// The number of the subtree.
        part: u64,
        /// The number of subtrees.
        count: u64,
    },
    /// Workers have not computed all subtrees.
    #[error("{left} subtrees are not computed yet")]
    PartsLeft {
        /// Their number.
        left: usize,
    },
    /// The file of a tree lacks what a worker has written.
    #[error(
        "{}: subtree {part} does not have the root 0x{root} (little-endian) that its worker \
         returned: do all machines have the same files?", path.display()
    )]
    LostPart {
        /// The path of the file.
        path: PathBuf,
        /// The number of the subtree.
        part: u64,
        /// The returned root in hexadecimal.
        root: String,
    },
}

fn hint(is_sealed: bool) -> &'static str {
    match is_sealed {
        true => ". The cache has p_aux: this sector has probably been sealed already",
        false => "",
    }
}

impl Precommit2Error {
    /// Returns `true` if a device failed.
    pub fn is_of_device(&self) -> bool {
        matches!(self, Self::Tree { source, .. } if source.is_of_device())
    }

    /// Returns `true` if writing an output failed.
    pub fn is_of_output(&self) -> bool {
        match self {
            Self::Write { .. } | Self::Space { .. } => true,
            Self::Output(error) => !error.is_refusal(),
            Self::Tree { source, .. } => matches!(source, TreeError::Write { .. }),
            _ => false,
        }
    }
}
