// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of leaves or layers from which a tree is built.

use std::io::{stdin, Read};
use std::path::{Path, PathBuf};

use halimede_arith::job::Execute;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{
    leaves_of_length, ColumnTreeBuilder, Keep, TreeBuilder, TreeError, LEAF_BYTES,
};
use halimede_poseidon::Strength;

use crate::error::CommandError;
use crate::files::open_whole;

type Reader = Box<dyn Read + Send>;

/// The inputs of a tree.
pub struct Inputs {
    paths: Vec<PathBuf>,
    readers: Vec<Reader>,
    is_columns: bool,
    /// The number of leaves, if the files are regular and thus have a length.
    pub leaves: Option<u64>,
}

impl Inputs {
    /// Opens the file of leaves, or the layers.
    pub fn open(file: Option<&PathBuf>, columns: &[PathBuf]) -> Result<Self, CommandError> {
        if columns.iter().any(|path| path == Path::new("-")) {
            let reason = "--columns: layers must be files, not standard input";
            return Err(CommandError::BadInput(reason.into()));
        }
        let paths: Vec<PathBuf> = file.into_iter().chain(columns).cloned().collect();
        let mut inputs = Self {
            is_columns: !columns.is_empty(),
            readers: Vec::new(),
            leaves: None,
            paths: Vec::new(),
        };
        for path in paths {
            let (reader, length) = open_reader(&path)?;
            inputs.readers.push(reader);
            inputs.paths.push(path);
            let leaves = length.map(leaves_of_length).transpose();
            let leaves = leaves.map_err(|source| inputs.error(inputs.layer(source)))?;
            inputs.leaves = inputs.leaves.or(leaves);
        }
        Ok(inputs)
    }

    /// Returns the number of bytes of all files, if their lengths are known.
    pub fn bytes(&self) -> Option<u64> {
        self.leaves.map(|leaves| self.bytes_of(leaves))
    }

    /// Returns the number of bytes of this many leaves in all files.
    pub fn bytes_of(&self, leaves: u64) -> u64 {
        leaves.saturating_mul((LEAF_BYTES * self.paths.len()) as u64)
    }

    /// Returns the paths of the files.
    pub fn paths(&self) -> Vec<&Path> {
        self.paths.iter().map(PathBuf::as_path).collect()
    }

    /// Returns the number of labels of a column, if the inputs are layers.
    pub fn labels(&self) -> Option<usize> {
        self.is_columns.then_some(self.paths.len())
    }

    /// Adds all leaves to the tree.
    pub fn feed<'d, D: Execute<FilecoinHash>, K: Keep>(
        &mut self,
        mut tree: TreeBuilder<'d, D, K>,
        strength: Strength,
        progress: impl FnMut(u64),
    ) -> Result<TreeBuilder<'d, D, K>, TreeError> {
        let mut readers = std::mem::take(&mut self.readers);
        if self.is_columns {
            let mut columns = ColumnTreeBuilder::new(tree, readers.len(), strength)?;
            columns.read_layers(readers, progress)?;
            return Ok(columns.into_tree());
        }
        if let Some(reader) = readers.pop() {
            tree.read(reader, progress)?;
        }
        Ok(tree)
    }

    /// Adds the name of the file to an error.
    pub fn error(&self, source: TreeError) -> CommandError {
        let index = match source {
            TreeError::Layer { layer, .. } | TreeError::LayerLength { layer, .. } => layer - 1,
            _ => 0,
        };
        let path = self.paths.get(index).cloned().unwrap_or_default();
        CommandError::Tree { path, source }
    }

    /// Adds the number of the layer that was opened last to an error.
    fn layer(&self, source: TreeError) -> TreeError {
        match self.is_columns {
            true => TreeError::Layer { layer: self.paths.len(), source: Box::new(source) },
            false => source,
        }
    }
}

/// Opens a file. Also returns its length, if it is a regular file.
fn open_reader(path: &Path) -> Result<(Reader, Option<u64>), CommandError> {
    if path == Path::new("-") {
        return Ok((Box::new(stdin()), None));
    }
    let (file, length) = open_whole(path)?;
    Ok((Box::new(file), length))
}
