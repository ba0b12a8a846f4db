// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The folder of objects.
//!
//! | path | what it is |
//! |---|---|
//! | `objects/HASH.KIND` | an object |
//! | `uploads/HASH.KIND.BYTES.OWNER.RECEIVED` | an upload of so many bytes, of which so many have come |
//!
//! A piece is written behind the others and brought to the disk before the file's name says that it
//! has come. What a crash leaves behind the bytes that the name counts is cut off.

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

/// What is in the folder.
#[derive(Default)]
pub struct State {
    /// Whole objects.
    pub objects: BTreeMap<Hash, Object>,
    /// Uploads under way.
    pub uploads: BTreeMap<Hash, Upload>,
}

/// A whole object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    kind: Kind,
    /// Its bytes.
    pub bytes: u64,
}

/// An upload under way.
#[derive(Clone, Debug)]
pub struct Upload {
    /// What it is of.
    pub kind: Kind,
    /// The bytes of the whole object.
    pub bytes: u64,
    /// Who has begun it.
    pub owner: Owner,
    /// The bytes that are there.
    pub received: u64,
    /// The same with the piece that is being stored.
    pub coming: u64,
    /// When the last piece came.
    pub changed: SystemTime,
    /// Whether a piece is being stored.
    pub is_busy: bool,
}

impl Object {
    /// As clients see it.
    pub fn standing(&self) -> Standing {
        let Self { kind, bytes } = *self;
        Standing { kind, bytes, received: bytes, is_complete: true }
    }
}

impl Upload {
    /// An upload without a piece.
    pub fn new(kind: Kind, bytes: u64, owner: Owner) -> Self {
        let changed = SystemTime::now();
        Self { kind, bytes, owner, received: 0, coming: 0, changed, is_busy: false }
    }

    /// As clients see it.
    pub fn standing(&self) -> Standing {
        let Self { kind, bytes, received, .. } = *self;
        Standing { kind, bytes, received, is_complete: false }
    }
}

impl Folder {
    /// A folder, which is made where it is absent.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = Self { objects: path.join("objects"), uploads: path.join("uploads") };
        fs::create_dir_all(&folder.objects)?;
        fs::create_dir_all(&folder.uploads)?;
        Ok(folder)
    }

    /// What is in it. Uploads of objects that are whole are removed, and those of which nothing has
    /// come; what was not made here stays and is not looked at.
    ///
    /// # Errors
    /// Those of the file system.
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

    /// The path of an object.
    pub fn object(&self, hash: &Hash, kind: Kind) -> PathBuf {
        self.objects.join(format!("{}.{}", hex::encode(hash), kind.name()))
    }

    fn upload(&self, hash: &Hash, upload: &Upload) -> PathBuf {
        let Upload { kind, bytes, owner, received, .. } = upload;
        let (hash, kind, owner) = (hex::encode(hash), kind.name(), hex::encode(owner.0));
        self.uploads.join(format!("{hash}.{kind}.{bytes}.{owner}.{received}"))
    }

    /// Adds a piece behind the others; gives the upload with it.
    ///
    /// # Errors
    /// [`Reason::Quota`] where the disk is full, [`Reason::Internal`] where the piece cannot be
    /// written otherwise; the upload is as it was then.
    pub fn add_piece(&self, hash: &Hash, upload: &Upload, piece: &[u8]) -> Result<Upload, Refusal> {
        let path = self.upload(hash, upload);
        let received = upload.received + piece.len() as u64;
        let longer = Upload { received, ..upload.clone() };
        let add = || {
            let (is_first, mut options) = (upload.received == 0, OpenOptions::new());
            let file = options.write(true).create(is_first).truncate(is_first).open(&path)?;
            let written = file.write_all_at(piece, upload.received).and_then(|()| file.sync_data());
            if let Err(error) = written {
                // What is left of the piece counts for nothing either way.
                let _ = file.set_len(upload.received);
                return Err(error);
            }
            let longer = self.upload(hash, &longer);
            fs::rename(&path, &longer)?;
            // Where the name may be lost, the piece has not come.
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

    /// The last bytes that have come.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn tail(&self, hash: &Hash, upload: &Upload, bytes: usize) -> io::Result<Vec<u8>> {
        let count = upload.received.min(bytes as u64);
        let mut tail = vec![0; count as usize];
        if count > 0 {
            let file = File::open(self.upload(hash, upload))?;
            file.read_exact_at(&mut tail, upload.received - count)?;
        }
        Ok(tail)
    }

    /// Makes an object of an upload that is whole, which is gone then in any case.
    ///
    /// # Errors
    /// [`Reason::Content`] where it has another hash or is not of its kind.
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
    /// Those of the file system.
    pub fn remove_upload(&self, hash: &Hash, upload: &Upload) -> io::Result<()> {
        match fs::remove_file(self.upload(hash, upload)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Removes an object.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn remove_object(&self, hash: &Hash, object: &Object) -> io::Result<()> {
        fs::remove_file(self.object(hash, object.kind))
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
        let message = format!("the bytes have the hash {}", hex::encode(got));
        return Err(Refusal::new(Reason::Content, message));
    }
    keys.check(kind, path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path).and_then(|folder| folder.sync_all())
}

/// The hash, the kind, and what follows them in a file's name.
fn parse_name(name: &str) -> Option<(Hash, Kind, &str)> {
    let (digits, rest) = name.split_once('.')?;
    let (kind, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let mut hash = [0; 32];
    hex::decode_to_slice(digits, &mut hash).ok()?;
    Some((hash, Kind::of_name(kind)?, rest))
}

/// The upload whose name has this behind its kind.
fn parse_upload(kind: Kind, rest: &str) -> Option<Upload> {
    let mut parts = rest.split('.');
    let bytes = parts.next()?.parse().ok()?;
    let mut owner = Owner::default();
    hex::decode_to_slice(parts.next()?, &mut owner.0).ok()?;
    let received = parts.next()?.parse().ok().filter(|received| *received <= bytes)?;
    let upload = Upload { received, coming: received, ..Upload::new(kind, bytes, owner) };
    parts.next().is_none().then_some(upload)
}
