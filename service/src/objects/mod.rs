// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects that operations refer to: uploaded once, named by the BLAKE3 hash of their bytes, kept in
//! a folder.
//!
//! An upload comes in pieces, each of which is there whole or not at all, so that an upload that a
//! crash of the client or of the server has ended goes on behind its last piece. When all pieces are
//! there, their file becomes the object, if the hash is right and the content is of its kind. Each
//! piece is searched for secret keys of CKKS before it is stored.

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

use crate::refusal::{Reason, Refusal};
pub use cache::human;
pub use content::{Kind, CKKS_KEYS};
use folder::{Folder, State, Upload};
pub use keys::CkksKeys;
use keys::Keys;
pub use memory::Share;

/// The hash of an object's bytes.
pub type Hash = [u8; 32];

/// Who has begun an upload: the hash of a token's name, or nobody where there are no tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner([u8; 8]);

impl Owner {
    /// The owner of a token of this name.
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
    /// Who sends it.
    pub owner: Owner,
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
        let mut state = self.state();
        self.expire(&mut state);
        let whole = state.objects.iter().map(|(hash, object)| (*hash, object.standing()));
        let parts = state.uploads.iter().map(|(hash, upload)| (*hash, upload.standing()));
        (whole.chain(parts).collect(), state.bytes(self.quota_bytes), self.quota_bytes)
    }

    /// What there is of an object.
    ///
    /// # Errors
    /// [`Reason::Object`] where there is nothing.
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

    /// An object that an operation of the table needs.
    ///
    /// # Errors
    /// [`Reason::Object`], and where there is no memory for it.
    pub fn object(&self, kind: &'static ObjectKind, hash: &Hash) -> Result<Object, Refusal> {
        self.keys.object(kind, hash, &self.whole(Kind::Of(kind), hash)?)
    }

    /// Evaluation keys.
    ///
    /// # Errors
    /// As [`Self::object`].
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
