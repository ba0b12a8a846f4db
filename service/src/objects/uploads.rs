// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Uploads from their first piece to the whole object.

use std::time::SystemTime;

use super::folder::{Folder, State, Upload};
use super::room::{reserved, Short, Wanted, EXPIRY, MOST_OBJECTS, MOST_OF_OWNER, MOST_UPLOADS};
use super::{internal, secrets, Hash, Objects, Piece, Standing};
use crate::refusal::{Reason, Refusal};

/// What a piece comes to.
enum Begun {
    /// The upload that it is of, which is busy, and the last bytes that have come.
    Upload(Upload, Vec<u8>),
    /// It is empty, and begins nothing.
    Nothing(Standing),
}

impl Objects {
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
        let (upload, tail) = match self.begin(folder, hash, piece)? {
            Begun::Upload(upload, tail) => (upload, tail),
            Begun::Nothing(standing) => return Ok(standing),
        };
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
                let coming = upload.received;
                state.uploads.insert(*hash, Upload { is_busy: false, coming, ..upload });
                Ok(standing)
            }
            Err(refusal) => {
                if refusal.reason == Reason::SecretKey || upload.received == 0 {
                    // What came before may be a part of the secret key.
                    state.uploads.remove(hash);
                    folder.remove_upload(hash, &upload).map_err(internal)?;
                } else {
                    rest(&mut state, hash);
                }
                Err(refusal)
            }
        }
    }

    /// Finds the upload that a piece is of, or begins it; it is busy then.
    fn begin(&self, folder: &Folder, hash: &Hash, piece: Piece<'_>) -> Result<Begun, Refusal> {
        let mut state = self.state();
        self.expire(&mut state);
        let known = state.uploads.get(hash).cloned();
        let upload =
            known.clone().unwrap_or_else(|| Upload::new(piece.kind, piece.bytes, piece.owner));
        check_place(known.is_some(), &upload, piece)?;
        let coming = upload.received + piece.content.len() as u64;
        if known.is_none() && piece.content.is_empty() {
            return Ok(Begun::Nothing(upload.standing()));
        }
        let count = |upload: &Upload| reserved(upload.bytes, upload.coming, self.quota_bytes);
        let upload = Upload { coming, is_busy: true, changed: SystemTime::now(), ..upload };
        let wanted = Wanted {
            owner: upload.owner,
            hash: *hash,
            piece: piece.content.len() as u64,
            is_last: coming == upload.bytes,
            bytes: count(&upload) - known.as_ref().map_or(0, count),
            is_first: known.is_none(),
        };
        if known.is_none() {
            self.check_size(&state, piece.bytes)?;
        }
        self.make_room(folder, &mut state, &wanted)?;
        state.uploads.insert(*hash, upload.clone());
        drop(state);
        match folder.tail(hash, &upload, secrets::TAIL_BYTES) {
            Ok(tail) => Ok(Begun::Upload(upload, tail)),
            Err(error) => {
                rest(&mut self.state(), hash);
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
        match piece.content.is_empty() {
            true => Ok(upload.clone()),
            false => folder.add_piece(hash, upload, piece.content),
        }
    }

    /// Refuses what there is no room for beside the objects that are whole.
    fn check_size(&self, state: &State, bytes: u64) -> Result<(), Refusal> {
        let (taken, quota) = (state.object_bytes(), self.quota_bytes);
        match taken.saturating_add(bytes) > quota {
            false => Ok(()),
            true => Err(Refusal::new(
                Reason::Quota,
                format!(
                    "{bytes} bytes more than the {taken} of {quota} that are taken: remove objects"
                ),
            )),
        }
    }

    /// Makes sure that there is room for a piece; other uploads give way where they must.
    fn make_room(
        &self,
        folder: &Folder,
        state: &mut State,
        wanted: &Wanted,
    ) -> Result<(), Refusal> {
        while let Some(short) = state.short(wanted, self.quota_bytes) {
            let now = SystemTime::now();
            let found = state.gives_way(wanted, short, self.quota_bytes, now);
            let Some(hash) = found else {
                return Err(self.no_room(state, wanted, short));
            };
            remove(folder, state, &hash).map_err(internal)?;
            tracing::info!(hash = hex::encode(hash), "an upload has given way to another");
        }
        Ok(())
    }

    fn no_room(&self, state: &State, wanted: &Wanted, short: Short) -> Refusal {
        let message = match short {
            Short::Bytes => {
                let (more, quota) = (wanted.bytes, self.quota_bytes);
                let taken = state.bytes(quota);
                format!(
                    "{more} bytes more than the {taken} of {quota} that are taken: remove objects"
                )
            }
            Short::Objects => format!("there are {MOST_OBJECTS} objects: remove some"),
            Short::Uploads => {
                format!("there are {MOST_UPLOADS} uploads under way: try again later")
            }
            Short::UploadsOfOwner => {
                format!("{MOST_OF_OWNER} uploads of this token are under way: finish or remove one")
            }
        };
        Refusal::new(Reason::Quota, message)
    }

    /// Removes uploads that nothing was added to for too long.
    pub(super) fn expire(&self, state: &mut State) {
        let Some(folder) = &self.folder else { return };
        while let Some(hash) = state.expired(SystemTime::now()) {
            if let Err(error) = remove(folder, state, &hash) {
                tracing::error!(%error, "an upload that has expired cannot be removed");
                return;
            }
            let hours = EXPIRY.as_secs() / 3600;
            tracing::info!(hash = hex::encode(hash), hours, "an upload has expired");
        }
    }
}

fn remove(folder: &Folder, state: &mut State, hash: &Hash) -> std::io::Result<()> {
    if let Some(upload) = state.uploads.get(hash) {
        folder.remove_upload(hash, upload)?;
        state.uploads.remove(hash);
    }
    Ok(())
}

/// No piece of an upload is being stored any more; none was added.
fn rest(state: &mut State, hash: &Hash) {
    if let Some(upload) = state.uploads.get_mut(hash) {
        (upload.is_busy, upload.coming) = (false, upload.received);
    }
}

/// Refuses a piece that does not go on where its upload has ended.
fn check_place(has_begun: bool, upload: &Upload, piece: Piece<'_>) -> Result<(), Refusal> {
    let conflict = |message: String| Err(Refusal::new(Reason::Offset, message));
    let received = upload.received;
    if upload.is_busy {
        return conflict("another piece of it is being stored".into());
    }
    if (upload.kind, upload.bytes) != (piece.kind, piece.bytes) {
        let (kind, bytes) = (upload.kind.name(), upload.bytes);
        return conflict(format!("the upload has begun as {bytes} bytes of {kind}"));
    }
    if piece.offset != received {
        return conflict(match has_begun {
            true => format!("the upload goes on at byte {received}"),
            false => "the upload begins with byte 0".into(),
        });
    }
    if piece.content.len() as u64 > upload.bytes - received {
        return conflict(format!("the piece goes beyond the {} bytes", upload.bytes));
    }
    Ok(())
}
