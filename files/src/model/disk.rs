// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A disk: the state that processes see, and the states that a loss of power can leave.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::system::{Kind, Status};

/// The number of the root folder.
pub const ROOT: usize = 0;

/// Files and folders, by number.
#[derive(Clone, Debug)]
pub struct Disk {
    nodes: Vec<Node>,
    /// True if the file system supports unnamed files.
    pub has_unnamed: bool,
}

/// The names that one operation changes atomically.
type Change = Vec<(String, Option<usize>)>;

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    mode: u32,
    link: PathBuf,
    /// The content of a file, or the bytes written to a stream.
    content: Vec<u8>,
    /// The content that is known to be on disk, and the writes since then.
    durable: Vec<u8>,
    writes: Vec<(usize, Vec<u8>)>,
    /// The names in a folder.
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    changes: Vec<Change>,
}

impl Disk {
    /// Creates a disk with one empty folder.
    pub fn new(has_unnamed: bool) -> Self {
        Self { nodes: vec![Node::new(Kind::Folder, 0o755)], has_unnamed }
    }

    /// Returns a state that a loss of power can leave: each file has its synchronized content, with
    /// any of the later writes, complete or partial; each folder has its synchronized names, with
    /// any of the later changes.
    pub fn after_power_loss(&self, rng: &mut ChaCha8Rng) -> Self {
        let mut disk = self.clone();
        for node in &mut disk.nodes {
            for (at, bytes) in std::mem::take(&mut node.writes) {
                let kept = match rng.gen_range(0..3) {
                    0 => 0,
                    1 => bytes.len(),
                    _ => rng.gen_range(0..=bytes.len()),
                };
                put(&mut node.durable, at, &bytes[..kept]);
            }
            for change in std::mem::take(&mut node.changes) {
                if rng.gen() {
                    apply(&mut node.durable_names, change);
                }
            }
            if node.kind == Kind::Regular {
                node.content = node.durable.clone();
            }
            node.names = node.durable_names.clone();
        }
        disk
    }

    /// Writes everything to disk.
    pub fn settle(&mut self) {
        for node in &mut self.nodes {
            node.sync();
        }
    }

    /// Adds a file, folder or stream at a path.
    pub fn add(&mut self, path: &str, kind: Kind, content: &[u8], mode: u32) -> usize {
        let number = self.create(kind, mode);
        self.nodes[number].content = content.to_vec();
        if kind == Kind::Regular {
            self.nodes[number].writes.push((0, content.to_vec()));
        }
        // Ignores a missing folder: the test that names it then reads the wrong state.
        let _ = self.place(Path::new(path), |name| vec![(name, Some(number))]);
        number
    }

    /// Adds a symbolic link.
    pub fn add_link(&mut self, path: &str, text: &str) {
        let number = self.add(path, Kind::Link, b"", 0o777);
        self.nodes[number].link = text.into();
    }

    /// Returns the content at a path, following links; `None` if it does not exist.
    pub fn content(&self, path: &str) -> Option<&[u8]> {
        self.find(Path::new(path), true).ok().map(|number| &self.nodes[number].content[..])
    }

    /// Returns the kind of a path, following links.
    pub fn kind(&self, path: &str) -> Option<Kind> {
        self.find(Path::new(path), true).ok().map(|number| self.nodes[number].kind)
    }

    /// Returns the files in a folder with their contents; `None` if the folder does not exist.
    pub fn folder(&self, path: &str) -> Option<BTreeMap<String, Vec<u8>>> {
        let folder = &self.nodes[self.find(Path::new(path), true).ok()?];
        let file =
            |(name, number): (&String, &usize)| (name.clone(), self.nodes[*number].content.clone());
        (folder.kind == Kind::Folder).then(|| folder.names.iter().map(file).collect())
    }

    /// Returns all paths.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.paths_in(ROOT, "", &mut paths);
        paths
    }

    fn paths_in(&self, folder: usize, prefix: &str, paths: &mut Vec<String>) {
        for (name, number) in &self.nodes[folder].names {
            let path = format!("{prefix}/{name}");
            paths.push(path.clone());
            self.paths_in(*number, &path, paths);
        }
    }

    /// Returns the state of a file.
    pub fn status(&self, number: usize) -> Status {
        let node = &self.nodes[number];
        Status { kind: node.kind, id: (0, number as u64), mode: node.mode, owner: (0, 0) }
    }

    pub(super) fn find(&self, path: &Path, follow: bool) -> io::Result<usize> {
        let mut at = ROOT;
        for component in path.components() {
            let Component::Normal(name) = component else { continue };
            let name = name.to_string_lossy();
            at = *self.nodes[at].names.get(&*name).ok_or(ErrorKind::NotFound)?;
        }
        if follow && self.nodes[at].kind == Kind::Link {
            let folder = path.parent().unwrap_or(Path::new("/"));
            return self.find(&folder.join(&self.nodes[at].link), true);
        }
        Ok(at)
    }

    pub(super) fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.nodes[self.find(path, false)?].link.clone())
    }

    pub(super) fn create(&mut self, kind: Kind, mode: u32) -> usize {
        self.nodes.push(Node::new(kind, mode));
        self.nodes.len() - 1
    }

    /// Changes names in the folder of a path. The changes get the last component of the path.
    pub(super) fn place(
        &mut self,
        path: &Path,
        change: impl FnOnce(String) -> Change,
    ) -> io::Result<()> {
        let folder = self.find(path.parent().unwrap_or(Path::new("/")), true)?;
        let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
        let change = change(name.to_string_lossy().into_owned());
        let folder = &mut self.nodes[folder];
        apply(&mut folder.names, change.clone());
        folder.changes.push(change);
        Ok(())
    }

    /// Gives a file a name that is free.
    pub(super) fn link(&mut self, number: usize, path: &Path) -> io::Result<()> {
        if self.find(path, false).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.place(path, |name| vec![(name, Some(number))])
    }

    /// Renames within a folder.
    pub(super) fn rename(&mut self, from: &Path, to: &Path, replaces: bool) -> io::Result<()> {
        let number = self.find(from, false)?;
        if from.parent() != to.parent() {
            return Err(ErrorKind::CrossesDevices.into());
        }
        if let Ok(found) = self.find(to, false) {
            let kinds = [&self.nodes[number], &self.nodes[found]].map(|it| it.kind == Kind::Folder);
            match kinds {
                _ if !replaces => return Err(ErrorKind::AlreadyExists.into()),
                [true, true] if !self.nodes[found].names.is_empty() => {
                    return Err(ErrorKind::DirectoryNotEmpty.into());
                }
                [false, true] => return Err(ErrorKind::IsADirectory.into()),
                [true, false] => return Err(ErrorKind::NotADirectory.into()),
                _ => {}
            }
        }
        let old = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.place(to, |name| vec![(old, None), (name, Some(number))])
    }

    pub(super) fn remove(&mut self, path: &Path, is_folder: bool) -> io::Result<()> {
        let node = &self.nodes[self.find(path, false)?];
        match (node.kind == Kind::Folder, is_folder) {
            (true, false) => return Err(ErrorKind::IsADirectory.into()),
            (false, true) => return Err(ErrorKind::NotADirectory.into()),
            _ if !node.names.is_empty() => return Err(ErrorKind::DirectoryNotEmpty.into()),
            _ => {}
        }
        self.place(path, |name| vec![(name, None)])
    }

    pub(super) fn is_empty(&self, folder: &Path) -> io::Result<bool> {
        Ok(self.nodes[self.find(folder, true)?].names.is_empty())
    }

    /// Truncates a file to length 0.
    pub(super) fn cut(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        node.content.clear();
        // A truncation may reach the disk at any time; in this model, at once.
        node.durable.clear();
        node.writes.clear();
    }

    pub(super) fn write(&mut self, number: usize, at: usize, bytes: &[u8]) {
        let node = &mut self.nodes[number];
        if node.kind == Kind::Stream {
            return node.content.extend(bytes);
        }
        put(&mut node.content, at, bytes);
        node.writes.push((at, bytes.to_vec()));
    }

    pub(super) fn read(&self, number: usize, at: usize, buffer: &mut [u8]) -> usize {
        let rest = self.nodes[number].content.get(at..).unwrap_or_default();
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        got
    }

    pub(super) fn length(&self, number: usize) -> usize {
        self.nodes[number].content.len()
    }

    pub(super) fn sync(&mut self, number: usize) {
        self.nodes[number].sync();
    }

    pub(super) fn set_mode(&mut self, number: usize, mode: u32) {
        self.nodes[number].mode = mode;
    }
}

impl Node {
    fn new(kind: Kind, mode: u32) -> Self {
        Self {
            kind,
            mode,
            link: PathBuf::new(),
            content: Vec::new(),
            durable: Vec::new(),
            writes: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
        }
    }

    fn sync(&mut self) {
        self.durable = self.content.clone();
        self.writes.clear();
        self.durable_names = self.names.clone();
        self.changes.clear();
    }
}

fn apply(names: &mut BTreeMap<String, usize>, change: Change) {
    for (name, number) in change {
        match number {
            Some(number) => names.insert(name, number),
            None => names.remove(&name),
        };
    }
}

/// Writes at an offset; fills a gap after the end with zeros.
fn put(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if bytes.is_empty() {
        return;
    }
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}
