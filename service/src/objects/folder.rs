// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The folder of objects.
//!
//! | path | what it is |
//! |---|---|
//! | `objects/HASH.KIND` | an object |
//! | `uploads/HASH.KIND.BYTES/OFFSET` | a piece of an upload of so many bytes, from this byte on |

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use halimede_blake3::blake3::Hasher;
use halimede_files::Options;

use super::keys::Keys;
use super::{internal, Hash, Kind, Standing};
use crate::refusal::{Reason, Refusal};

const COPY_BYTES: usize = 1 << 18;
/// Digits of an offset in a file's name.
const OFFSET_DIGITS: usize = 20;

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
    bytes: u64,
}

/// An upload under way.
#[derive(Clone, Debug)]
pub struct Upload {
    /// What it is of.
    pub kind: Kind,
    /// The bytes of the whole object.
    pub bytes: u64,
    /// Those that are there.
    pub received: u64,
    /// When the last piece came.
    pub changed: SystemTime,
    /// Whether a piece is being stored.
    pub is_busy: bool,
}

impl State {
    /// The bytes of all objects, and of all uploads once they are whole.
    pub fn bytes(&self) -> u64 {
        let objects: u64 = self.objects.values().map(|object| object.bytes).sum();
        let uploads: u64 = self.uploads.values().map(|upload| upload.bytes).sum();
        objects.saturating_add(uploads)
    }
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
    pub fn new(kind: Kind, bytes: u64) -> Self {
        Self { kind, bytes, received: 0, changed: SystemTime::now(), is_busy: false }
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

    /// What is in it. Uploads of objects that are whole are removed; what was not made here stays
    /// and is not looked at.
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
            let Some((hash, kind, bytes)) = name.to_str().and_then(parse_name) else { continue };
            let Ok(bytes) = bytes.parse() else { continue };
            if state.objects.contains_key(&hash) {
                fs::remove_dir_all(entry.path())?;
                continue;
            }
            let changed = entry.metadata()?.modified()?;
            let mut upload = Upload { changed, ..Upload::new(kind, bytes) };
            upload.received = self.pieces(&hash, &upload)?.last().map_or(0, |piece| piece.end);
            state.uploads.insert(hash, upload);
        }
        Ok(state)
    }

    /// The path of an object.
    pub fn object(&self, hash: &Hash, kind: Kind) -> PathBuf {
        self.objects.join(format!("{}.{}", hex::encode(hash), kind.name()))
    }

    fn upload(&self, hash: &Hash, upload: &Upload) -> PathBuf {
        let Upload { kind, bytes, .. } = upload;
        self.uploads.join(format!("{}.{}.{bytes}", hex::encode(hash), kind.name()))
    }

    /// Adds a piece behind the others.
    ///
    /// # Errors
    /// [`Reason::Internal`] where it cannot be written.
    pub fn add_piece(&self, hash: &Hash, upload: &Upload, piece: &[u8]) -> Result<(), Refusal> {
        let folder = self.upload(hash, upload);
        fs::create_dir_all(&folder).map_err(internal)?;
        let path = folder.join(format!("{:0OFFSET_DIGITS$}", upload.received));
        let mut file = halimede_files::create(&path, &Options::default()).map_err(internal)?;
        file.write_all(piece).map_err(internal)?;
        file.complete().map_err(internal)
    }

    /// The pieces that follow each other without a gap, from byte 0 on.
    fn pieces(&self, hash: &Hash, upload: &Upload) -> io::Result<Vec<Stored>> {
        let folder = self.upload(hash, upload);
        let mut pieces = Vec::new();
        let mut end = 0;
        loop {
            let path = folder.join(format!("{end:0OFFSET_DIGITS$}"));
            match fs::metadata(&path) {
                Ok(metadata) if metadata.len() > 0 => end += metadata.len(),
                Ok(_) => return Ok(pieces),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(pieces),
                Err(error) => return Err(error),
            }
            pieces.push(Stored { path, end });
        }
    }

    /// The last bytes that have come.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn tail(&self, hash: &Hash, upload: &Upload, bytes: usize) -> io::Result<Vec<u8>> {
        let mut tail = Vec::new();
        for piece in self.pieces(hash, upload)?.iter().rev() {
            let content = fs::read(&piece.path)?;
            let wanted = bytes - tail.len();
            tail.splice(0..0, content[content.len().saturating_sub(wanted)..].iter().copied());
            if tail.len() >= bytes {
                break;
            }
        }
        Ok(tail)
    }

    /// Makes an object of its pieces, which are gone then in any case.
    ///
    /// # Errors
    /// [`Reason::Content`] where it has another hash or is not of its kind.
    pub fn finish(&self, hash: &Hash, upload: &Upload, keys: &Keys) -> Result<Object, Refusal> {
        let joined = self.join(hash, upload, keys);
        self.remove_upload(hash, upload).map_err(internal)?;
        joined
    }

    fn join(&self, hash: &Hash, upload: &Upload, keys: &Keys) -> Result<Object, Refusal> {
        let path = self.object(hash, upload.kind);
        // The pieces stand in one file before that has its name, so that what is read of it is
        // checked first.
        let whole = self.upload(hash, upload).join("whole");
        let mut output = halimede_files::create(&whole, &Options::default()).map_err(internal)?;
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; COPY_BYTES];
        for piece in self.pieces(hash, upload).map_err(internal)? {
            let mut file = File::open(piece.path).map_err(internal)?;
            loop {
                let count = file.read(&mut buffer).map_err(internal)?;
                if count == 0 {
                    break;
                }
                hasher.update(&buffer[..count]);
                output.write_all(&buffer[..count]).map_err(internal)?;
            }
        }
        output.complete().map_err(internal)?;
        let got = *hasher.finalize().as_bytes();
        if got != *hash {
            let message = format!("the bytes have the hash {}", hex::encode(got));
            return Err(Refusal::new(Reason::Content, message));
        }
        keys.check(upload.kind, &whole)?;
        fs::rename(&whole, &path).map_err(internal)?;
        File::open(&self.objects).and_then(|folder| folder.sync_all()).map_err(internal)?;
        Ok(Object { kind: upload.kind, bytes: upload.bytes })
    }

    /// Removes an upload.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn remove_upload(&self, hash: &Hash, upload: &Upload) -> io::Result<()> {
        match fs::remove_dir_all(self.upload(hash, upload)) {
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

/// A piece in the folder, and where it ends in the object.
struct Stored {
    path: PathBuf,
    end: u64,
}

/// The hash, the kind, and what follows them in a file's name.
fn parse_name(name: &str) -> Option<(Hash, Kind, &str)> {
    let (digits, rest) = name.split_once('.')?;
    let (kind, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let mut hash = [0; 32];
    hex::decode_to_slice(digits, &mut hash).ok()?;
    Some((hash, Kind::of_name(kind)?, rest))
}
