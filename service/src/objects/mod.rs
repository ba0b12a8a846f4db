// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects that operations refer to: uploaded once, named by their BLAKE3 hash, and kept in a
//! folder.
//!
//! An upload consists of pieces, which are stored atomically: after a crash of the client or the
//! server, it resumes after its last piece. When all pieces have been received, their file becomes
//! the object, if the hash and the kind of the content are correct. Each piece is searched for
//! secret keys of CKKS before it is stored.

mod cache;
mod content;
mod folder;
mod keys;
mod memory;
mod room;
mod secrets;
mod uploads;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halimede_arith::interface::{Object, ObjectKind};
use halimede_blake3::blake3;

use crate::networks::Network;
use crate::refusal::{Reason, Refusal};
pub use cache::human;
pub use content::{Kind, CKKS_KEYS, NETWORK};
use folder::{Folder, State, Upload};
pub use keys::CkksKeys;
use keys::Keys;
pub use memory::Share;

/// The hash of an object.
pub type Hash = [u8; 32];

/// The owner of an upload or a run: the hash of the name of a token, or zeros without tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner([u8; 8]);

impl Owner {
    /// Returns the hexadecimal digits of the owner.
    pub fn digits(self) -> String {
        hex::encode(self.0)
    }

    /// Returns the owner of these hexadecimal digits.
    pub fn of_digits(digits: &str) -> Option<Self> {
        let mut owner = Self::default();
        hex::decode_to_slice(digits, &mut owner.0).ok()?;
        Some(owner)
    }

    /// Returns the owner for the token of this name.
    pub fn of(name: Option<&str>) -> Self {
        let mut owner = Self::default();
        if let Some(name) = name {
            let hash = blake3::hash(name.as_bytes());
            owner.0.copy_from_slice(&hash.as_bytes()[..8]);
        }
        owner
    }
}

/// The objects of a server.
pub struct Objects {
    folder: Option<Folder>,
    quota_bytes: u64,
    state: Mutex<State>,
    keys: Keys,
}

/// The state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The kind of the object.
    pub kind: Kind,
    /// The number of bytes of the whole object.
    pub bytes: u64,
    /// The number of bytes received so far.
    pub received: u64,
    /// `true` if the object is complete.
    pub is_complete: bool,
}

/// A piece of an object.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'b> {
    /// The owner of the upload.
    pub owner: Owner,
    /// The kind of the object.
    pub kind: Kind,
    /// The number of bytes of the whole object.
    pub bytes: u64,
    /// The offset of the piece in the object.
    pub offset: u64,
    /// The bytes of the piece.
    pub content: &'b [u8],
}

impl Objects {
    /// Opens the objects of a folder, which is created if it is absent. Without a folder, there can
    /// be no objects.
    ///
    /// # Errors
    /// If the folder cannot be created or read.
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

    /// Returns all objects and uploads, the number of bytes that they use, and the quota.
    pub fn list(&self) -> (Vec<(Hash, Standing)>, u64, u64) {
        let mut state = self.state();
        self.expire(&mut state);
        let whole = state.objects.iter().map(|(hash, object)| (*hash, object.standing()));
        let parts = state.uploads.iter().map(|(hash, upload)| (*hash, upload.standing()));
        (whole.chain(parts).collect(), state.bytes(self.quota_bytes), self.quota_bytes)
    }

    /// Returns the state of an object.
    ///
    /// # Errors
    /// [`Reason::Object`] if the object does not exist.
    pub fn standing(&self, hash: &Hash) -> Result<Standing, Refusal> {
        let mut state = self.state();
        self.expire(&mut state);
        let whole = state.objects.get(hash).map(folder::Object::standing);
        let found = whole.or_else(|| state.uploads.get(hash).map(Upload::standing));
        found.ok_or_else(|| unknown(hash))
    }

    /// Removes an object, or its upload.
    ///
    /// # Errors
    /// [`Reason::Object`] if the object does not exist, [`Reason::Offset`] if a piece is being
    /// stored.
    pub fn remove(&self, hash: &Hash) -> Result<(), Refusal> {
        let folder = self.folder()?;
        let mut state = self.state();
        if let Some(upload) = state.uploads.get(hash) {
            if upload.is_busy {
                return Err(Refusal::new(Reason::Offset, "a piece of the object is being stored"));
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

    /// Returns an object that an operation of the table needs.
    ///
    /// # Errors
    /// [`Reason::Object`]; [`Reason::Memory`] or [`Reason::KeyMemory`] if memory is short.
    pub fn object(&self, kind: &'static ObjectKind, hash: &Hash) -> Result<Object, Refusal> {
        self.keys.object(kind, hash, &self.whole(Kind::Of(kind), hash)?)
    }

    /// Returns evaluation keys.
    ///
    /// # Errors
    /// As for [`Self::object`].
    pub fn ckks_keys(&self, hash: &Hash) -> Result<Arc<CkksKeys>, Refusal> {
        self.keys.ckks(hash, &self.whole(Kind::CkksKeys, hash)?)
    }

    /// Returns an uploaded network, and compiles it if it is not in memory.
    ///
    /// # Errors
    /// As for [`Self::object`], and [`Reason::Content`] if it cannot be compiled.
    pub fn network(&self, hash: &Hash) -> Result<Arc<Network>, Refusal> {
        self.keys.network(hash, &self.whole(Kind::Of(NETWORK), hash)?)
    }

    /// The keys in memory.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns the file of a complete object of this kind.
    fn whole(&self, kind: Kind, hash: &Hash) -> Result<PathBuf, Refusal> {
        match self.standing(hash)? {
            Standing { kind: got, is_complete: true, .. } if got == kind => {
                Ok(self.folder()?.object(hash, kind))
            }
            Standing { is_complete: false, bytes, received, .. } => {
                let message = format!("only {received} of its {bytes} bytes have been received");
                Err(Refusal::new(Reason::Object, message))
            }
            Standing { kind: got, .. } => {
                let message =
                    format!("expected an object of kind {}, got {}", kind.name(), got.name());
                Err(Refusal::new(Reason::Object, message))
            }
        }
    }
}

fn unknown(hash: &Hash) -> Refusal {
    Refusal::new(Reason::Object, format!("unknown object {}", hex::encode(hash)))
}

/// Returns the refusal of an object whose file cannot be read. Another client may have removed the
/// object after it was found.
fn unreadable(error: &std::io::Error) -> Refusal {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Refusal::new(Reason::Object, "the object has been removed meanwhile")
        }
        _ => internal(error),
    }
}

/// Returns the refusal of a fault of the file system, which is not the fault of the client.
fn internal(error: impl std::fmt::Display) -> Refusal {
    tracing::error!(%error, "the folder of objects failed");
    Refusal::new(Reason::Internal, "the folder of objects failed")
}
