// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiled networks: those that the server starts with, and uploaded ones, compiled at their first
//! use.

mod network;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halimede_blake3::blake3;
use halimede_ckks_nn::network_file::MOST_FILE_BYTES;
use halimede_files::read_limited;

use crate::error::ServeError;
use crate::objects::{Hash, Objects, NETWORK};
use crate::refusal::Refusal;
pub use network::Network;

/// The networks of a server.
pub struct Networks {
    /// The networks of the start. They stay in memory.
    pinned: BTreeMap<Hash, Pinned>,
    objects: Arc<Objects>,
}

struct Pinned {
    network: Arc<Network>,
    bytes: u64,
}

/// A network in the list for clients.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The hash of its file.
    pub hash: Hash,
    /// The size of its file in bytes.
    pub bytes: u64,
    /// `true` if the server started with it.
    pub is_pinned: bool,
}

impl Networks {
    /// Compiles the networks of these files.
    ///
    /// # Errors
    /// [`ServeError::Network`] for a file that cannot be read or compiled, and if the memory for
    /// keys is too small.
    pub fn open(paths: &[PathBuf], objects: &Arc<Objects>) -> Result<Self, ServeError> {
        let mut pinned = BTreeMap::new();
        for path in paths {
            let refuse = |reason: String| ServeError::Network { path: path.clone(), reason };
            let (hash, bytes) = hash_of(path).map_err(refuse)?;
            let network = objects.keys().network(&hash, path);
            let network = network.map_err(|refusal| refuse(refusal.message))?;
            tracing::info!(network = hex::encode(hash), path = %path.display(), "compiled");
            pinned.insert(hash, Pinned { network, bytes });
        }
        Ok(Self { pinned, objects: Arc::clone(objects) })
    }

    /// Returns all networks.
    pub fn list(&self) -> Vec<Listed> {
        let pinned = self.pinned.iter().map(|(hash, pinned)| Listed {
            hash: *hash,
            bytes: pinned.bytes,
            is_pinned: true,
        });
        let (objects, ..) = self.objects.list();
        let uploaded = objects.into_iter().filter(|(hash, standing)| {
            let is_network = standing.is_complete && standing.kind.name() == NETWORK.name;
            is_network && !self.pinned.contains_key(hash)
        });
        let uploaded = uploaded.map(|(hash, standing)| Listed {
            hash,
            bytes: standing.bytes,
            is_pinned: false,
        });
        pinned.chain(uploaded).collect()
    }

    /// Returns a network, and compiles it if it is not in memory.
    ///
    /// # Errors
    /// [`Reason::Object`](crate::refusal::Reason::Object) if it does not exist,
    /// [`Reason::Content`](crate::refusal::Reason::Content) if it cannot be compiled; the errors of
    /// memory.
    pub fn get(&self, hash: &Hash) -> Result<Arc<Network>, Refusal> {
        match self.pinned.get(hash) {
            Some(pinned) => Ok(Arc::clone(&pinned.network)),
            None => self.objects.network(hash),
        }
    }
}

fn hash_of(path: &Path) -> Result<(Hash, u64), String> {
    let bytes = read_limited(path, MOST_FILE_BYTES as u64).map_err(|error| error.to_string())?;
    Ok((*blake3::hash(&bytes).as_bytes(), bytes.len() as u64))
}
