// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects that operations refer to: uploaded once, named by the BLAKE3 hash of their bytes, kept in
//! a folder.
//!
//! An upload comes in pieces, each a file of its own that appears whole or not at all, so that one
//! that a crash of the client or of the server has ended goes on behind its last piece. When all
//! pieces are there, they become one file, if the hash is right and the content is of its kind.
//! Each piece is searched for secret keys of CKKS before it is stored.

mod cache;
mod content;
mod folder;
mod keys;
mod memory;
mod secrets;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use halimede_bls12_381::groth16::VerifyingKey;
use halimede_bls12_381::kzg::Setup;

use crate::refusal::{Reason, Refusal};
pub use cache::human;
pub use content::Kind;
use folder::{Folder, State, Upload};
pub use keys::CkksKeys;
use keys::Keys;
pub use memory::Share;

/// The hash of an object's bytes.
pub type Hash = [u8; 32];

/// Uploads that nothing was added to for so long make room for others.
const STALE: Duration = Duration::from_secs(3600);
/// Most objects, and most uploads under way.
const MOST_OBJECTS: usize = 10_000;

/// The objects of a server.
pub struct Objects {
    folder: Option<Folder>,
    quota_bytes: u64,
    state: Mutex<State>,
    keys: Keys,
}

/// What there is of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: u64,
    /// Those that have come.
    pub received: u64,
    /// Whether it is whole.
    pub is_complete: bool,
}

/// A piece of an object.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'b> {
    /// What the object is.
    pub kind: Kind,
    /// The bytes of the whole object.
    pub bytes: u64,
    /// Where the piece begins.
    pub offset: u64,
    /// The piece.
    pub content: &'b [u8],
}

impl Objects {
    /// The objects of a folder, which is made where it is absent; without a folder, none.
    ///
    /// # Errors
    /// Where the folder cannot be made or read.
    pub fn open(
        folder: Option<&Path>,
        quota_bytes: u64,
        memory_bytes: u64,
    ) -> std::io::Result<Arc<Self>> {
        let folder = folder.map(Folder::open).transpose()?;
        let state = folder.as_ref().map(Folder::read).transpose()?.unwrap_or_default();
        Ok(Arc::new(Self {
            folder,
            quota_bytes,
            state: Mutex::new(state),
            keys: Keys::new(memory_bytes),
        }))
    }

    fn folder(&self) -> Result<&Folder, Refusal> {
        let absent = || Refusal::new(Reason::Object, "this server keeps no objects (--store)");
        self.folder.as_ref().ok_or_else(absent)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All objects, and the bytes that they and the uploads under way take of how many.
    pub fn list(&self) -> (Vec<(Hash, Standing)>, u64, u64) {
        let state = self.state();
        let whole = state.objects.iter().map(|(hash, object)| (*hash, object.standing()));
        let parts = state.uploads.iter().map(|(hash, upload)| (*hash, upload.standing()));
        (whole.chain(parts).collect(), state.bytes(), self.quota_bytes)
    }

    /// What there is of an object.
    ///
    /// # Errors
    /// [`Reason::Object`] where there is nothing.
    pub fn standing(&self, hash: &Hash) -> Result<Standing, Refusal> {
        let state = self.state();
        let whole = state.objects.get(hash).map(folder::Object::standing);
        let found = whole.or_else(|| state.uploads.get(hash).map(Upload::standing));
        found.ok_or_else(|| unknown(hash))
    }

    /// Removes an object, or its upload.
    ///
    /// # Errors
    /// [`Reason::Object`] where there is nothing, [`Reason::Offset`] where it is being uploaded.
    pub fn remove(&self, hash: &Hash) -> Result<(), Refusal> {
        let folder = self.folder()?;
        let mut state = self.state();
        if let Some(upload) = state.uploads.get(hash) {
            if upload.is_busy {
                return Err(Refusal::new(Reason::Offset, "a piece of it is being stored"));
            }
            folder.remove_upload(hash, upload).map_err(internal)?;
            state.uploads.remove(hash);
        } else {
            let object = state.objects.get(hash).ok_or_else(|| unknown(hash))?;
            folder.remove_object(hash, object).map_err(internal)?;
            state.objects.remove(hash);
        }
        drop(state);
        self.keys.forget(hash);
        Ok(())
    }

    /// Adds a piece to an object.
    ///
    /// # Errors
    /// [`Reason::SecretKey`] where a secret key is in it; [`Reason::Offset`] where it does not
    /// begin where the last one ended; [`Reason::Quota`]; [`Reason::Content`] where the whole has
    /// another hash or is not of its kind, and the upload is gone then.
    pub fn add(&self, hash: &Hash, piece: Piece<'_>) -> Result<Standing, Refusal> {
        let folder = self.folder()?;
        if let Some(object) = self.state().objects.get(hash) {
            return Ok(object.standing());
        }
        let (upload, tail) = self.begin(folder, hash, piece)?;
        let done = self.store(folder, hash, &upload, &tail, piece);
        let mut state = self.state();
        match done {
            Ok(upload) if upload.received == upload.bytes => {
                drop(state);
                let finished = folder.finish(hash, &upload, &self.keys);
                state = self.state();
                state.uploads.remove(hash);
                let object = finished?;
                let standing = object.standing();
                state.objects.insert(*hash, object);
                Ok(standing)
            }
            Ok(upload) => {
                let standing = upload.standing();
                state.uploads.insert(*hash, Upload { is_busy: false, ..upload });
                Ok(standing)
            }
            Err(refusal) => {
                if refusal.reason == Reason::SecretKey || upload.received == 0 {
                    // What came before may be a part of the secret key.
                    state.uploads.remove(hash);
                    folder.remove_upload(hash, &upload).map_err(internal)?;
                } else if let Some(upload) = state.uploads.get_mut(hash) {
                    upload.is_busy = false;
                }
                Err(refusal)
            }
        }
    }

    /// Finds the upload that a piece is of, or begins it; it is busy then. Gives the last bytes
    /// that have come, too.
    fn begin(
        &self,
        folder: &Folder,
        hash: &Hash,
        piece: Piece<'_>,
    ) -> Result<(Upload, Vec<u8>), Refusal> {
        let conflict = |message: String| Refusal::new(Reason::Offset, message);
        let mut state = self.state();
        if !state.uploads.contains_key(hash) {
            if piece.offset != 0 {
                return Err(conflict("the upload begins with byte 0".into()));
            }
            self.make_room(folder, &mut state, piece.bytes)?;
            let upload = Upload::new(piece.kind, piece.bytes);
            state.uploads.insert(*hash, upload);
        }
        let upload = state.uploads.get_mut(hash).ok_or_else(|| unknown(hash))?;
        if upload.is_busy {
            return Err(conflict("another piece of it is being stored".into()));
        }
        if (upload.kind, upload.bytes) != (piece.kind, piece.bytes) {
            let (kind, bytes) = (upload.kind.name(), upload.bytes);
            return Err(conflict(format!("the upload has begun as {bytes} bytes of {kind}")));
        }
        let received = upload.received;
        if piece.offset != received {
            return Err(conflict(format!("the upload goes on at byte {received}")));
        }
        if piece.content.len() as u64 > upload.bytes - received {
            return Err(conflict(format!("the piece goes beyond the {} bytes", upload.bytes)));
        }
        upload.is_busy = true;
        upload.changed = SystemTime::now();
        let upload = upload.clone();
        drop(state);
        match folder.tail(hash, &upload, secrets::TAIL_BYTES) {
            Ok(tail) => Ok((upload, tail)),
            Err(error) => {
                if let Some(upload) = self.state().uploads.get_mut(hash) {
                    upload.is_busy = false;
                }
                Err(internal(error))
            }
        }
    }

    /// Stores a piece behind the others.
    fn store(
        &self,
        folder: &Folder,
        hash: &Hash,
        upload: &Upload,
        tail: &[u8],
        piece: Piece<'_>,
    ) -> Result<Upload, Refusal> {
        if secrets::is_in(tail, piece.content) {
            let message = "this holds a secret key of CKKS, which was not stored: keep it to \
                           yourself, and make new keys if others may have seen it";
            return Err(Refusal::new(Reason::SecretKey, message));
        }
        if piece.offset == 0 {
            piece.kind.check_beginning(piece.content)?;
            self.keys.check_beginning(piece.kind, piece.content, piece.bytes)?;
        }
        if !piece.content.is_empty() {
            folder.add_piece(hash, upload, piece.content)?;
        }
        let received = upload.received + piece.content.len() as u64;
        Ok(Upload { received, ..upload.clone() })
    }

    /// Makes sure that there is room for so many bytes; stale uploads give theirs up.
    fn make_room(&self, folder: &Folder, state: &mut State, bytes: u64) -> Result<(), Refusal> {
        let is_full = |state: &State| {
            state.bytes().saturating_add(bytes) > self.quota_bytes
                || state.objects.len() + state.uploads.len() >= MOST_OBJECTS
        };
        while is_full(state) {
            let now = SystemTime::now();
            let age = |upload: &Upload| now.duration_since(upload.changed).unwrap_or_default();
            let uploads = state.uploads.iter().filter(|(_, upload)| !upload.is_busy);
            let oldest = uploads.max_by_key(|(_, upload)| age(upload));
            match oldest {
                Some((hash, upload)) if age(upload) > STALE => {
                    let hash = *hash;
                    folder.remove_upload(&hash, upload).map_err(internal)?;
                    state.uploads.remove(&hash);
                }
                _ => {
                    let message = format!(
                        "{bytes} bytes more than the {} of {} that are taken: remove objects",
                        state.bytes(),
                        self.quota_bytes
                    );
                    return Err(Refusal::new(Reason::Quota, message));
                }
            }
        }
        Ok(())
    }

    /// A verifying key.
    ///
    /// # Errors
    /// [`Reason::Object`], and where there is no memory for it.
    pub fn groth16_key(&self, hash: &Hash) -> Result<Arc<VerifyingKey>, Refusal> {
        self.keys.groth16(hash, &self.whole(Kind::Groth16Key, hash)?)
    }

    /// A trusted setup.
    ///
    /// # Errors
    /// As [`Self::groth16_key`].
    pub fn kzg_setup(&self, hash: &Hash) -> Result<Arc<Setup>, Refusal> {
        self.keys.kzg(hash, &self.whole(Kind::KzgSetup, hash)?)
    }

    /// Evaluation keys.
    ///
    /// # Errors
    /// As [`Self::groth16_key`].
    pub fn ckks_keys(&self, hash: &Hash) -> Result<Arc<CkksKeys>, Refusal> {
        self.keys.ckks(hash, &self.whole(Kind::CkksKeys, hash)?)
    }

    /// The keys in memory.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The file of an object that is whole, and of this kind.
    fn whole(&self, kind: Kind, hash: &Hash) -> Result<PathBuf, Refusal> {
        match self.standing(hash)? {
            Standing { kind: got, is_complete: true, .. } if got == kind => {
                Ok(self.folder()?.object(hash, kind))
            }
            Standing { is_complete: false, bytes, received, .. } => {
                let message = format!("{received} of its {bytes} bytes have come");
                Err(Refusal::new(Reason::Object, message))
            }
            Standing { kind: got, .. } => {
                let message = format!("the object is {}, not {}", got.name(), kind.name());
                Err(Refusal::new(Reason::Object, message))
            }
        }
    }
}

fn unknown(hash: &Hash) -> Refusal {
    Refusal::new(Reason::Object, format!("there is no object {}", hex::encode(hash)))
}

/// A fault of the file system, which is the server's own.
fn internal(error: impl std::fmt::Display) -> Refusal {
    tracing::error!(%error, "the folder of objects failed");
    Refusal::new(Reason::Internal, "the folder of objects failed")
}
