// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 tree`: computes the root of a file's tree, and stores the tree in Bao's
//! outboard format.

use std::fs::File;
use std::io::{stdin, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use bao::encode::{outboard_size, Encoder};
use halimede_blake3::blake3::hazmat::{merge_subtrees_root, Mode};
use halimede_blake3::blake3::{self, Hash};
use halimede_blake3::{CHUNK_BYTES, DIGEST_BYTES};

use super::output::Printer;
use super::source::{is_stdin, Sources};
use crate::arguments::StoreTreeOptions;
use crate::error::CommandError;
use crate::file_kind::kind_of_file;
use crate::files::{create_seekable, open_file, open_whole, write_error};
use crate::progress::bytes_bar;

/// The number of bytes of the file's length at the beginning of a stored tree.
const HEADER_BYTES: usize = 8;
/// The number of bytes read at once.
pub const BUFFER_BYTES: usize = 1 << 16;

pub fn run(options: &StoreTreeOptions, json: bool) -> Result<(), CommandError> {
    let start = Instant::now();
    let (root, bytes) = match &options.out {
        Some(out) => store(&options.file, out)?,
        None => hash(&options.file)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = match json {
        true => serde_json::json!({
            "file": options.file.to_string_lossy(), "root": root.to_hex().as_str(), "bytes": bytes,
            "tree": options.out.as_ref().map(|path| path.to_string_lossy()),
            "seconds": seconds, "bytes_per_second": bytes as f64 / seconds,
        })
        .to_string(),
        false => root.to_string(),
    };
    Printer::new().line(&text)
}

fn hash(path: &Path) -> Result<(Hash, u64), CommandError> {
    let hashed = Sources { stdin_is: None }.hash(path, &halimede_blake3::Mode::Hash);
    let (mut hashed, bytes) =
        hashed.map_err(|source| CommandError::File { path: path.into(), source })?;
    let mut root = [0; DIGEST_BYTES];
    hashed.fill(&mut root);
    Ok((root.into(), bytes))
}

fn store(path: &Path, out: &Path) -> Result<(Hash, u64), CommandError> {
    let (mut input, length): (Box<dyn Read>, _) = match is_stdin(path) {
        true => (Box::new(stdin().lock()), None),
        false => open_whole(path).map(|(file, length)| (Box::new(file) as _, length))?,
    };
    let read_error = |source| CommandError::File { path: path.into(), source };
    let write_error = write_error(out);
    let mut encoder = Encoder::new_outboard(create_seekable(out, &[path])?);
    let bar = bytes_bar(length);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    loop {
        let got = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(read_error(error)),
        };
        encoder.write_all(&buffer[..got]).map_err(write_error)?;
        bytes += got as u64;
        bar.set_position(bytes);
    }
    let root = encoder.finalize().map_err(write_error)?;
    bar.finish_and_clear();
    encoder.into_inner().complete()?;
    Ok((root, bytes))
}

/// A file and its stored tree, whose sizes match.
pub struct Stored {
    pub file: BufReader<File>,
    pub tree: BufReader<File>,
    /// The length of the file in bytes.
    pub bytes: u64,
}

impl Stored {
    /// Opens both. An inner `Err` explains why the file and the tree do not match.
    pub fn open(file: &Path, tree: &Path) -> Result<Result<Self, String>, CommandError> {
        let (file, file_bytes) = open_regular(file)?;
        let path = tree;
        let (mut tree, tree_bytes) = open_regular(path)?;
        let other = |reason: String| match kind_of_file(path) {
            Some(kind) => {
                format!("{}: expected a stored tree of BLAKE3, but this is {kind}", path.display())
            }
            None => format!("{}: {reason}", path.display()),
        };
        let tree_error = |source| CommandError::File { path: path.into(), source };
        let mut header = [0; HEADER_BYTES];
        if tree_bytes < HEADER_BYTES as u64 {
            let reason = format!("{tree_bytes} bytes are too few for a stored tree");
            return Ok(Err(other(reason)));
        }
        tree.read_exact(&mut header).and_then(|()| tree.rewind()).map_err(tree_error)?;
        let bytes = u64::from_le_bytes(header);
        if bytes != file_bytes {
            let reason =
                format!("the tree of a file of {bytes} bytes, but this one has {file_bytes}");
            return Ok(Err(other(reason)));
        }
        let wanted = outboard_size(bytes);
        if wanted != u128::from(tree_bytes) {
            let reason = format!(
                "expected {wanted} bytes, the tree of a file of {bytes} bytes, got {tree_bytes}"
            );
            return Ok(Err(other(reason)));
        }
        Ok(Ok(Self { file, tree, bytes }))
    }

    /// Returns the root that the stored tree claims. A file of at most one chunk has no tree: its
    /// root is its hash.
    pub fn root(&mut self) -> std::io::Result<Hash> {
        if self.bytes <= CHUNK_BYTES as u64 {
            let mut chunk = Vec::new();
            (&mut self.file).take(CHUNK_BYTES as u64).read_to_end(&mut chunk)?;
            self.file.rewind()?;
            return Ok(blake3::hash(&chunk));
        }
        let (mut left, mut right) = ([0; 32], [0; 32]);
        self.tree.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
        self.tree.read_exact(&mut left)?;
        self.tree.read_exact(&mut right)?;
        self.tree.rewind()?;
        Ok(merge_subtrees_root(&left, &right, Mode::Hash))
    }
}

fn open_regular(path: &Path) -> Result<(BufReader<File>, u64), CommandError> {
    let (file, length) = open_file(path)?;
    let length = length.ok_or_else(|| {
        CommandError::BadInput(format!("{}: expected a regular file", path.display()))
    })?;
    Ok((BufReader::with_capacity(BUFFER_BYTES, file), length))
}
