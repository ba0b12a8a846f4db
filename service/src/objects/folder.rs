// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The folder of objects.
//!
//! | path | content |
//! |---|---|
//! | `objects/HASH.KIND` | an object |
//! | `uploads/HASH.KIND.BYTES.OWNER.RECEIVED` | an upload of BYTES bytes, RECEIVED so far |
//!
//! A piece is appended and synced to the disk before the name of the file counts it. After a crash,
//! bytes beyond the count in the name are cut off.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use halimede_blake3::blake3::Hasher;

use super::keys::Keys;
use super::{internal, Hash, Kind, Owner, Standing};
use crate::refusal::{Reason, Refusal};

const READ_BYTES: usize = 1 << 18;

/// A folder of objects.
pub struct Folder {
    objects: PathBuf,
    uploads: PathBuf,
}

/// The content of the folder.
#[derive(Default)]
pub struct State {
    /// The complete objects.
    pub objects: BTreeMap<Hash, Object>,
    /// The unfinished uploads.
    pub uploads: BTreeMap<Hash, Upload>,
}

/// A complete object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    kind: Kind,
    /// The number of bytes.
    pub bytes: u64,
}

/// An unfinished upload.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The kind of the object.
    pub kind: Kind,
    /// The number of bytes of the whole object.
    pub bytes: u64,
    /// The owner of the upload.
    pub owner: Owner,
    /// The number of bytes stored so far.
    pub received: u64,
    /// The number of bytes including the piece that is being stored.
    pub coming: u64,
    /// The time of the last piece.
    pub changed: SystemTime,
    /// `true` while a piece is being stored.
    pub is_busy: bool,
}

impl Object {
    /// Returns the state for clients.
    pub fn standing(&self) -> Standing {
        let Self { kind, bytes } = *self;
        Standing { kind, bytes, received: bytes, is_complete: true }
    }
}

impl Upload {
    /// Returns an upload without pieces.
    pub fn new(kind: Kind, bytes: u64, owner: Owner) -> Self {
        let changed = SystemTime::now();
        Self { kind, bytes, owner, received: 0, coming: 0, changed, is_busy: false }
    }

    /// Returns the state for clients.
    pub fn standing(&self) -> Standing {
        let Self { kind, bytes, received, .. } = *self;
        Standing { kind, bytes, received, is_complete: false }
    }
}

impl Folder {
    /// Opens a folder, which is created if it is absent.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = Self { objects: path.join("objects"), uploads: path.join("uploads") };
        fs::create_dir_all(&folder.objects)?;
        fs::create_dir_all(&folder.uploads)?;
        Ok(folder)
    }

    /// Reads the content of the folder. Removes empty uploads, and uploads of complete objects.
    /// Ignores foreign files.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn read(&self) -> io::Result<State> {
        let mut state = State::default();
        for entry in fs::read_dir(&self.objects)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some((hash, kind, "")) = name.to_str().and_then(parse_name) else { continue };
            state.objects.insert(hash, Object { kind, bytes: entry.metadata()?.len() });
        }
        for entry in fs::read_dir(&self.uploads)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some((hash, kind, rest)) = name.to_str().and_then(parse_name) else { continue };
            let Some(upload) = parse_upload(kind, rest) else { continue };
            let metadata = entry.metadata()?;
            let is_of_use = (1..=metadata.len()).contains(&upload.received)
                && !state.objects.contains_key(&hash)
                && !state.uploads.contains_key(&hash);
            if !is_of_use {
                fs::remove_file(entry.path())?;
                continue;
            }
            if metadata.len() > upload.received {
                OpenOptions::new().write(true).open(entry.path())?.set_len(upload.received)?;
            }
            let changed = metadata.modified()?;
            state.uploads.insert(hash, Upload { changed, ..upload });
        }
        Ok(state)
    }

    /// Returns the path of an object.
    pub fn object(&self, hash: &Hash, kind: Kind) -> PathBuf {
        self.objects.join(format!("{}.{}", hex::encode(hash), kind.name()))
    }

    fn upload(&self, hash: &Hash, upload: &Upload) -> PathBuf {
        let Upload { kind, bytes, owner, received, .. } = upload;
        let (hash, kind, owner) = (hex::encode(hash), kind.name(), hex::encode(owner.0));
        self.uploads.join(format!("{hash}.{kind}.{bytes}.{owner}.{received}"))
    }

    /// Appends a piece, and returns the upload with it.
    ///
    /// # Errors
    /// [`Reason::Quota`] if the disk is full, [`Reason::Internal`] for other failures of writing.
    /// The upload is unchanged then.
    pub fn add_piece(&self, hash: &Hash, upload: &Upload, piece: &[u8]) -> Result<Upload, Refusal> {
        let path = self.upload(hash, upload);
        let received = upload.received + piece.len() as u64;
        let longer = Upload { received, ..upload.clone() };
        let add = || {
            let (is_first, mut options) = (upload.received == 0, OpenOptions::new());
            let file = options.write(true).create(is_first).truncate(is_first).open(&path)?;
            let written = file.write_all_at(piece, upload.received).and_then(|()| file.sync_data());
            if let Err(error) = written {
                // If this fails too, the name still does not count the rest of the piece.
                let _ = file.set_len(upload.received);
                return Err(error);
            }
            let longer = self.upload(hash, &longer);
            fs::rename(&path, &longer)?;
            // If the new name may be lost, the piece does not count.
            sync_folder(&self.uploads).inspect_err(|_| drop(fs::rename(&longer, &path)))
        };
        add().map_err(|error: io::Error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Refusal::new(Reason::Quota, "the server's disk is full")
            }
            _ => internal(error),
        })?;
        Ok(longer)
    }

    /// Returns the last stored bytes of an upload.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn tail(&self, hash: &Hash, upload: &Upload, bytes: usize) -> io::Result<Vec<u8>> {
        let count = upload.received.min(bytes as u64);
        let mut tail = vec![0; count as usize];
        if count > 0 {
            let file = File::open(self.upload(hash, upload))?;
            file.read_exact_at(&mut tail, upload.received - count)?;
        }
        Ok(tail)
    }

    /// Turns a complete upload into an object. The upload is removed in any case.
    ///
    /// # Errors
    /// [`Reason::Content`] if the hash or the kind does not match.
    pub fn finish(&self, hash: &Hash, upload: &Upload, keys: &Keys) -> Result<Object, Refusal> {
        let from = self.upload(hash, upload);
        let finished = check_content(&from, hash, upload.kind, keys).and_then(|()| {
            let moved = fs::rename(&from, self.object(hash, upload.kind));
            moved.and_then(|()| sync_folder(&self.objects)).map_err(internal)
        });
        match finished {
            Ok(()) => Ok(Object { kind: upload.kind, bytes: upload.bytes }),
            Err(refusal) => {
                self.remove_upload(hash, upload).map_err(internal)?;
                Err(refusal)
            }
        }
    }

    /// Removes an upload.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove_upload(&self, hash: &Hash, upload: &Upload) -> io::Result<()> {
        remove_if_present(&self.upload(hash, upload))
    }

    /// Removes an object.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove_object(&self, hash: &Hash, object: &Object) -> io::Result<()> {
        remove_if_present(&self.object(hash, object.kind))
    }
}

fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Checks that a file has this hash and is of this kind.
fn check_content(path: &Path, hash: &Hash, kind: Kind, keys: &Keys) -> Result<(), Refusal> {
    let mut file = File::open(path).map_err(internal)?;
    let mut hasher = Hasher::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = file.read(&mut buffer).map_err(internal)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
    }
    let got = *hasher.finalize().as_bytes();
    if got != *hash {
        let message = format!("the hash does not match: the content has {}", hex::encode(got));
        return Err(Refusal::new(Reason::Content, message));
    }
    keys.check(kind, path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path).and_then(|folder| folder.sync_all())
}

/// Splits the name of a file into the hash, the kind and the rest.
fn parse_name(name: &str) -> Option<(Hash, Kind, &str)> {
    let (digits, rest) = name.split_once('.')?;
    let (kind, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let mut hash = [0; 32];
    hex::decode_to_slice(digits, &mut hash).ok()?;
    Some((hash, Kind::of_name(kind)?, rest))
}

/// Parses the part of an upload's name after its kind.
fn parse_upload(kind: Kind, rest: &str) -> Option<Upload> {
    let mut parts = rest.split('.');
    let bytes = parts.next()?.parse().ok()?;
    let mut owner = Owner::default();
    hex::decode_to_slice(parts.next()?, &mut owner.0).ok()?;
    let received = parts.next()?.parse().ok().filter(|received| *received <= bytes)?;
    let upload = Upload { received, coming: received, ..Upload::new(kind, bytes, owner) };
    parts.next().is_none().then_some(upload)
}
