// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys and setups in memory. Their memory is known, and charged, before it is allocated.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use halimede_arith::interface::{Object, ObjectKind};
use halimede_blake3::blake3;
use halimede_ckks::files::{expect_end, FileReader, Footprint, Header};
use halimede_ckks::keys::{KeyId, KeyUse, SwitchingKey};
use halimede_ckks::{EvaluationKeys, FileError, Parameters, Server};
use halimede_ckks_nn::NetworkFile;
use halimede_files::read_limited;

use super::cache::{check_wanted, Cache};
use super::content::{self, Kind, NETWORK};
use super::memory::Share;
use super::{unreadable, Hash};
use crate::networks::Network;
use crate::refusal::{Reason, Refusal};

/// The memory per byte of a file with points, which have three coordinates in memory.
const FILE_GROWTH: u64 = 4;
/// The time that the check of an uploaded object waits for memory.
const UPLOAD_PATIENCE: Duration = Duration::from_secs(20);
/// The time that a request waits for memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// The keys and setups in memory.
pub struct Keys(Cache);

/// A CKKS server with the keys of a file.
pub struct CkksKeys {
    /// The parameters, shared by all keys for them.
    pub parameters: Arc<Parameters>,
    /// The secret key that the keys belong to.
    pub owner: KeyId,
    /// The server.
    pub server: Arc<Server>,
}

impl Keys {
    /// Returns an empty cache of `bytes`.
    pub fn new(bytes: u64) -> Self {
        Self(Cache::new(bytes))
    }

    /// Removes an object from memory.
    pub fn forget(&self, hash: &Hash) {
        self.0.forget(hash);
    }

    /// Takes memory for a computation with keys, and waits for other computations.
    ///
    /// # Errors
    /// As for [`Cache::take`].
    pub fn take(&self, bytes: u64, patience: Duration, what: &str) -> Result<Share, Refusal> {
        self.0.take(bytes, patience, what)
    }

    /// Waits a moment for others to return memory. Returns `false` if this thread should stop.
    pub fn wait(&self) -> bool {
        self.0.memory().wait()
    }

    /// Returns the number of bytes in use.
    pub fn used_bytes(&self) -> u64 {
        self.0.memory().used()
    }

    /// Returns the total number of bytes.
    pub fn most_bytes(&self) -> u64 {
        self.0.memory().most()
    }

    /// Returns the object of a file.
    ///
    /// # Errors
    /// [`Reason::Content`]; the errors of memory.
    pub fn object(
        &self,
        kind: &'static ObjectKind,
        hash: &Hash,
        path: &Path,
    ) -> Result<Object, Refusal> {
        self.0.object(hash, || {
            let mut share = self.take_for(kind, path, PATIENCE)?;
            let object = content::read(kind, path)?;
            share.shrink_to((kind.held_bytes)(file_bytes(path)? as usize) as u64);
            Ok((object, share))
        })
    }

    /// Returns the evaluation keys of a file.
    ///
    /// # Errors
    /// As for [`Self::object`].
    pub fn ckks(&self, hash: &Hash, path: &Path) -> Result<Arc<CkksKeys>, Refusal> {
        self.0.get(hash, || {
            let mut all = None;
            let keep = |parameters: &Parameters, (of, key)| {
                all.get_or_insert_with(|| EvaluationKeys::new(parameters)).insert(of, key);
            };
            let needed = |footprint: &Footprint| footprint.keys;
            let (parameters, owner, mut share) = self.read_ckks(path, PATIENCE, needed, keep)?;
            let all = all.unwrap_or_else(|| EvaluationKeys::new(&parameters));
            let server = Arc::new(Server::new(all));
            let (held, taken) = (server.memory_bytes() as u64, share.bytes());
            let matrices = held.checked_sub(taken).filter(|more| *more > 0);
            let matrices =
                matrices.map(|more| self.take(more, PATIENCE, "the matrices of bootstraps"));
            share.merge(matrices.transpose()?);
            share.shrink_to(held);
            Ok((CkksKeys { parameters, owner, server }, share))
        })
    }

    /// Returns the compiled network of a file.
    ///
    /// # Errors
    /// [`Reason::Content`] for a file that cannot be read or compiled; the errors of memory.
    pub fn network(&self, hash: &Hash, path: &Path) -> Result<Arc<Network>, Refusal> {
        self.0.get(hash, || {
            let mut share = self.take_for(NETWORK, path, PATIENCE)?;
            let bytes = read_limited(path, NETWORK.most_bytes as u64);
            let bytes = bytes.map_err(|error| unreadable(&error))?;
            let bad = |error: &dyn std::fmt::Display| {
                Refusal::new(Reason::Content, format!("the network cannot be compiled: {error}"))
            };
            let file = NetworkFile::read(&bytes).map_err(|error| bad(&error))?;
            drop(bytes);
            let header = file.header().map_err(|error| bad(&error))?;
            let footprint = Footprint::new(&header, 0).map_err(|error| bad(&error))?;
            self.check_fits(&footprint)?;
            let parameters = self.parameters(&header, &footprint, PATIENCE)?;
            let network = Network::compile(&file, parameters, footprint.ring as u64);
            let network = network.map_err(|error| bad(&error))?;
            network.parameters.ring().release_memory();
            network.check_fits(self.most_bytes())?;
            let more = network.memory_bytes().saturating_sub(share.bytes());
            let more = (more > 0).then(|| self.take(more, PATIENCE, "the compiled network"));
            share.merge(more.transpose()?);
            share.shrink_to(network.memory_bytes());
            Ok((network, share))
        })
    }

    /// Reads a file of evaluation keys to its end, key by key, after taking the `needed` memory and
    /// that of the ring.
    fn read_ckks(
        &self,
        path: &Path,
        patience: Duration,
        needed: impl FnOnce(&Footprint) -> usize,
        mut keep: impl FnMut(&Parameters, (KeyUse, SwitchingKey)),
    ) -> Result<(Arc<Parameters>, KeyId, Share), Refusal> {
        let bad = |error: FileError| content::not(Kind::CkksKeys, error);
        let bytes = file_bytes(path)?;
        let mut file = BufReader::new(File::open(path).map_err(|error| unreadable(&error))?);
        let reader = FileReader::new(&mut file).map_err(bad)?;
        let footprint = Footprint::new(reader.header(), bytes).map_err(bad)?;
        self.check_fits(&footprint)?;
        let parameters = self.parameters(reader.header(), &footprint, patience)?;
        let share = self.take(needed(&footprint) as u64, patience, "a file of evaluation keys")?;
        let read = || {
            let keys = reader.keys(&parameters).map_err(bad)?;
            let owner = keys.owner();
            for key in keys {
                check_wanted()?;
                keep(&parameters, key.map_err(bad)?);
            }
            Ok(owner)
        };
        let owner: Result<KeyId, Refusal> = read();
        // The ring keeps the memory of polynomials for later ones, which no share covers.
        parameters.ring().release_memory();
        let owner = owner?;
        expect_end(file).map_err(bad)?;
        Ok((parameters, owner, share))
    }

    /// Returns the parameters of a file's header, and creates them if they are not in the cache.
    fn parameters(
        &self,
        header: &Header,
        footprint: &Footprint,
        patience: Duration,
    ) -> Result<Arc<Parameters>, Refusal> {
        let described = (header.shape(), header.security(), header.hash());
        let name = *blake3::hash(format!("{described:?}").as_bytes()).as_bytes();
        self.0.get(&name, || {
            let what = format!(
                "a ring with N = 2^{} and {} primes",
                footprint.log_degree, footprint.primes
            );
            let mut share = self.take(footprint.ring_peak as u64, patience, &what)?;
            // Insecure parameters are the choice of their owner: the server never sees secrets.
            let made = header.insecure_parameters();
            let made = made.map_err(|error| content::not(Kind::CkksKeys, error))?;
            share.shrink_to(footprint.ring as u64);
            Ok((made, share))
        })
    }

    /// Refuses keys that exceed the total memory.
    fn check_fits(&self, footprint: &Footprint) -> Result<(), Refusal> {
        let Footprint { ring, ring_peak, keys, log_degree, primes } = *footprint;
        let most = self.most_bytes();
        if (ring + keys).max(ring_peak) as u64 <= most {
            return Ok(());
        }
        let human = |bytes: usize| super::cache::human(bytes as u64);
        let message = format!(
            "a ring with N = 2^{log_degree} and {primes} primes needs {} of memory while it is \
             created, {} afterwards, and these keys up to {}; the limit for all is {} \
             (--key-memory)",
            human(ring_peak),
            human(ring),
            human(keys),
            super::cache::human(most)
        );
        Err(Refusal::new(Reason::KeyMemory, message))
    }

    /// Refuses an upload whose first piece shows that its keys exceed the total memory.
    ///
    /// # Errors
    /// [`Reason::KeyMemory`].
    pub fn check_beginning(&self, kind: Kind, piece: &[u8], bytes: u64) -> Result<(), Refusal> {
        // A truncated or malformed header is checked when the object is complete.
        match (kind, FileReader::new(piece)) {
            (Kind::CkksKeys, Ok(file)) => match Footprint::new(file.header(), bytes) {
                Ok(footprint) => self.check_fits(&footprint),
                Err(_) => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Refuses a file that is not of its kind.
    ///
    /// # Errors
    /// [`Reason::Content`]; the errors of memory.
    pub fn check(&self, kind: Kind, path: &Path) -> Result<(), Refusal> {
        let Kind::Of(kind) = kind else {
            // One key is in memory at a time: at most one digit per prime, with two halves each,
            // plus the half that is being read.
            let one = |Footprint { primes, log_degree, .. }: &Footprint| {
                ((primes << log_degree) * size_of::<u32>()).saturating_mul(2 * primes + 2)
            };
            let needed = |footprint: &Footprint| footprint.keys.min(one(footprint));
            return self.read_ckks(path, UPLOAD_PATIENCE, needed, |_, _| {}).map(drop);
        };
        let _share = self.take_for(kind, path, UPLOAD_PATIENCE)?;
        content::read(kind, path).map(drop)
    }

    /// Takes the memory for reading an object.
    fn take_for(
        &self,
        kind: &ObjectKind,
        path: &Path,
        patience: Duration,
    ) -> Result<Share, Refusal> {
        let file_bytes = file_bytes(path)?;
        let bytes = file_bytes.saturating_mul(FILE_GROWTH) + (kind.held_bytes)(0) as u64;
        self.take(bytes, patience, &format!("a file of kind {}", kind.name))
    }
}

fn file_bytes(path: &Path) -> Result<u64, Refusal> {
    path.metadata().map(|metadata| metadata.len()).map_err(|error| unreadable(&error))
}
