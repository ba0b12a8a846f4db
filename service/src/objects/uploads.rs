// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Uploads, from their first piece to the complete object.

use std::time::SystemTime;

use super::folder::{Folder, State, Upload};
use super::room::{reserved, Short, Wanted, EXPIRY, MOST_OBJECTS, MOST_OF_OWNER, MOST_UPLOADS};
use super::{internal, secrets, Hash, Objects, Piece, Standing};
use crate::refusal::{Reason, Refusal};

/// The start of storing a piece.
enum Begun {
    /// The upload of the piece, which is now busy, and its last stored bytes.
    Upload(Upload, Vec<u8>),
    /// The piece is empty, and does not start an upload.
    Nothing(Standing),
}

impl Objects {
    /// Adds a piece to an object.
    ///
    /// # Errors
    /// [`Reason::SecretKey`] if the piece contains a secret key; [`Reason::Offset`] if it does not
    /// begin where the previous piece ended; [`Reason::Quota`]; [`Reason::Content`] if the hash or
    /// the kind of the complete content does not match, in which case the upload is removed.
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
                    // Earlier pieces may contain a part of the secret key.
                    state.uploads.remove(hash);
                    folder.remove_upload(hash, &upload).map_err(internal)?;
                } else {
                    rest(&mut state, hash);
                }
                Err(refusal)
            }
        }
    }

    /// Finds or starts the upload of a piece, and marks it as busy.
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

    /// Checks and stores a piece.
    fn store(
        &self,
        folder: &Folder,
        hash: &Hash,
        upload: &Upload,
        tail: &[u8],
        piece: Piece<'_>,
    ) -> Result<Upload, Refusal> {
        if secrets::is_in(tail, piece.content) {
            let message =
                "the upload contains a secret key of CKKS, and was not stored: keep the key \
                           to yourself, and make new keys if others may have seen it";
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

    /// Refuses an object that does not fit into the quota next to the complete objects.
    fn check_size(&self, state: &State, bytes: u64) -> Result<(), Refusal> {
        let (taken, quota) = (state.object_bytes(), self.quota_bytes);
        match taken.saturating_add(bytes) > quota {
            false => Ok(()),
            true => Err(Refusal::new(
                Reason::Quota,
                format!(
                    "{bytes} bytes do not fit: {taken} of {quota} bytes are in use; remove objects"
                ),
            )),
        }
    }

    /// Ensures that the quotas have room for a piece, and evicts other uploads if necessary.
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
            tracing::info!(hash = hex::encode(hash), "an upload was evicted for another");
        }
        Ok(())
    }

    fn no_room(&self, state: &State, wanted: &Wanted, short: Short) -> Refusal {
        let message = match short {
            Short::Bytes => {
                let (more, quota) = (wanted.bytes, self.quota_bytes);
                let taken = state.bytes(quota);
                format!(
                    "{more} bytes do not fit: {taken} of {quota} bytes are in use; remove objects"
                )
            }
            Short::Objects => {
                format!("the maximum of {MOST_OBJECTS} objects is reached: remove some")
            }
            Short::Uploads => {
                format!(
                    "the maximum of {MOST_UPLOADS} unfinished uploads is reached: try again later"
                )
            }
            Short::UploadsOfOwner => {
                format!("this token has {MOST_OF_OWNER} unfinished uploads: finish or remove one")
            }
        };
        Refusal::new(Reason::Quota, message)
    }

    /// Removes uploads that have expired.
    pub(super) fn expire(&self, state: &mut State) {
        let Some(folder) = &self.folder else { return };
        while let Some(hash) = state.expired(SystemTime::now()) {
            if let Err(error) = remove(folder, state, &hash) {
                tracing::error!(%error, "an expired upload cannot be removed");
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

/// Marks an upload as no longer busy, after a piece was not stored.
fn rest(state: &mut State, hash: &Hash) {
    if let Some(upload) = state.uploads.get_mut(hash) {
        (upload.is_busy, upload.coming) = (false, upload.received);
    }
}

/// Refuses a piece that does not start where its upload ended.
fn check_place(has_begun: bool, upload: &Upload, piece: Piece<'_>) -> Result<(), Refusal> {
    let conflict = |message: String| Err(Refusal::new(Reason::Offset, message));
    let received = upload.received;
    if upload.is_busy {
        return conflict("another piece of the object is being stored".into());
    }
    if (upload.kind, upload.bytes) != (piece.kind, piece.bytes) {
        let (kind, bytes) = (upload.kind.name(), upload.bytes);
        return conflict(format!("the upload was started as {bytes} bytes of {kind}"));
    }
    if piece.offset != received {
        return conflict(match has_begun {
            true => format!("the upload continues at byte {received}"),
            false => "the upload must begin at byte 0".into(),
        });
    }
    if piece.content.len() as u64 > upload.bytes - received {
        return conflict(format!("the piece exceeds the {} bytes of the object", upload.bytes));
    }
    Ok(())
}
