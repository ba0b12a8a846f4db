// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The journal of a sector: what a run that ended early has finished.
//!
//! # Why no data is lost
//! The sealed file is transformed in place, so a run that ends early leaves nodes of data and nodes
//! of the replica. Tree D has the data as its leaves and is never written. A run therefore
//!
//! 1. compares the whole sealed file with the leaves of tree D; a difference is an error;
//! 2. writes tree D, the last layer and the journal with `replica_started` to disk;
//! 3. removes `p_aux` and `t_aux`, and writes the folder to disk;
//! 4. writes each node of the replica as leaf of tree D plus label of the last layer, whatever the
//!    sealed file contains, and then writes the sealed file to disk;
//! 5. writes `t_aux`, then `p_aux`, and removes the journal.
//!
//! After step 2 the sealed file is not an input any more, and steps 3 to 5 can be repeated from
//! their beginning at any time. A sealed file without `p_aux` is not complete. The result is the
//! same if the caller has written the data to the sealed file again, as lotus does.
//!
//! The files of tree C are written under temporary names. The journal has the roots of those that
//! are complete, with a fingerprint of the layers: lengths, times of modification and samples.
//! Other files of tree C in the cache are replaced.
//!
//! If several machines share the work ([`crate::Spread`]), the journal also has the roots of the
//! subtrees of tree C that are on disk, and it tells workers what has begun.
//!
//! The journal is in the cache folder, and not beside the sealed file, because lotus expects only
//! sectors in the folder of sealed files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Precommit2Error;

/// The name of the journal in the cache folder.
pub const NAME: &str = "halimede-precommit2.journal";
/// The maximum length of a journal.
pub const LIMIT_BYTES: u64 = 1 << 20;
const MAGIC: &str = "halimede filecoin precommit2";
const VERSION: u32 = 1;
/// The most base trees that a sector has.
const MOST_TREES: usize = 16;
/// The most subtrees into which tree C or tree R is divided.
pub const MOST_PARTS: u64 = 1 << 12;

/// The subtrees of tree C that several machines compute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartsOfTreeC {
    /// The number of rows of a subtree above its leaves.
    pub height: usize,
    /// The roots of the subtrees that are on disk, by number, as [`Journal::tree_c`].
    pub roots: BTreeMap<u64, String>,
}

/// The progress of a sector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    journal: String,
    version: u32,
    /// The length of the sector in bytes.
    pub sector_bytes: u64,
    /// The root of tree D in hexadecimal, little-endian.
    pub comm_d: String,
    /// The SHA-256 of samples of tree D.
    pub data: String,
    /// The absolute path of the sealed file.
    pub sealed: String,
    /// The SHA-256 of lengths, times and samples of the layers.
    pub layers: String,
    /// The roots of the base trees of tree C that are complete, in hexadecimal, little-endian.
    pub tree_c: Vec<String>,
    /// Set before the first node of the replica is written.
    pub replica_started: bool,
    /// The subtrees of tree C, if several machines share the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartsOfTreeC>,
}

/// The identity of the inputs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// See [`Journal::sector_bytes`].
    pub sector_bytes: u64,
    /// See [`Journal::comm_d`].
    pub comm_d: String,
    /// See [`Journal::data`].
    pub data: String,
    /// See [`Journal::sealed`].
    pub sealed: String,
    /// See [`Journal::layers`].
    pub layers: String,
}

impl Journal {
    /// The journal of a run that begins.
    pub fn begin(identity: Identity) -> Self {
        let Identity { sector_bytes, comm_d, data, sealed, layers } = identity;
        let (journal, version) = (MAGIC.into(), VERSION);
        let (tree_c, replica_started) = (Vec::new(), false);
        Self {
            journal,
            version,
            sector_bytes,
            comm_d,
            data,
            sealed,
            layers,
            tree_c,
            replica_started,
            parts: None,
        }
    }

    /// Returns the journal of a run over these inputs, with the progress of `self` as far as it
    /// belongs to them.
    ///
    /// # Errors
    /// [`Precommit2Error::OtherSealed`] if another sealed file of this sector is not finished.
    pub fn continued(self, identity: Identity, path: &Path) -> Result<Self, Precommit2Error> {
        let begun = Self::begin(identity);
        let is_same_data = self.sector_bytes == begun.sector_bytes
            && self.comm_d == begun.comm_d
            && self.data == begun.data;
        if !is_same_data {
            return Ok(begun);
        }
        if self.replica_started && self.sealed != begun.sealed {
            return Err(Precommit2Error::OtherSealed { path: path.into(), sealed: self.sealed });
        }
        let (tree_c, parts) = match self.layers == begun.layers {
            true => (self.tree_c, self.parts),
            false => (Vec::new(), None),
        };
        Ok(Self { tree_c, parts, replica_started: self.replica_started, ..begun })
    }

    /// Returns `true` if this is the journal of a run over these inputs.
    pub fn is_of(&self, identity: &Identity) -> bool {
        let Identity { sector_bytes, comm_d, data, sealed, layers } = identity;
        self.sector_bytes == *sector_bytes
            && [&self.comm_d, &self.data, &self.sealed, &self.layers]
                == [comm_d, data, sealed, layers]
    }

    /// Parses a journal.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let journal: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if journal.journal != MAGIC || journal.version != VERSION {
            return Err(format!("version {}; expected version {VERSION}", journal.version));
        }
        if journal.tree_c.len() > MOST_TREES {
            return Err(format!("{} base trees; at most {MOST_TREES}", journal.tree_c.len()));
        }
        let roots = journal.parts.as_ref().map(|parts| &parts.roots).into_iter().flatten();
        if let Some(part) = roots.clone().map(|(part, _)| part).find(|part| **part >= MOST_PARTS) {
            return Err(format!("subtree {part}; at most {MOST_PARTS}"));
        }
        let hashes = [&journal.comm_d, &journal.data, &journal.layers];
        let is_hash = |text: &String| {
            text.len() == 64 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        };
        let roots = roots.map(|(_, root)| root);
        if !hashes.into_iter().chain(&journal.tree_c).chain(roots).all(is_hash) {
            return Err("a hash is not 64 hexadecimal digits".into());
        }
        Ok(journal)
    }

    /// Encodes the journal as a line of JSON.
    pub fn encode(&self) -> String {
        // A structure of texts and numbers always has a JSON form.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads the journal of a cache folder; `None` if it has no journal.
    ///
    /// # Errors
    /// [`Precommit2Error::Journal`] or [`Precommit2Error::Read`].
    pub fn load(path: &Path) -> Result<Option<Self>, Precommit2Error> {
        let bytes = match halimede_files::read_limited(path, LIMIT_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Precommit2Error::Read { path: path.into(), source }),
        };
        let refused = |reason| Precommit2Error::Journal { path: path.into(), reason };
        Self::parse(&bytes).map(Some).map_err(refused)
    }

    /// Writes the journal to disk; the old one is replaced in one step.
    ///
    /// # Errors
    /// [`Precommit2Error::Output`].
    pub fn save(&self, path: &Path) -> Result<(), Precommit2Error> {
        crate::aux_files::write_whole(path, self.encode().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identity(byte: u8, sealed: &str) -> Identity {
        let hash = || hex::encode([byte; 32]);
        let sealed = sealed.into();
        Identity { sector_bytes: 2048, comm_d: hash(), data: hash(), sealed, layers: hash() }
    }

    #[test]
    fn progress_is_kept_only_for_the_same_inputs() {
        let path = Path::new("j");
        let mut old = Journal::begin(identity(1, "/a"));
        old.tree_c = vec![hex::encode([9; 32])];
        old.replica_started = true;
        let roots = BTreeMap::from([(3, hex::encode([8; 32]))]);
        old.parts = Some(PartsOfTreeC { height: 2, roots });
        let same = old.clone().continued(identity(1, "/a"), path).unwrap();
        assert_eq!(same, old);
        let other_data = old.clone().continued(identity(2, "/b"), path).unwrap();
        assert_eq!(other_data, Journal::begin(identity(2, "/b")));
        let layers = Identity { layers: hex::encode([3; 32]), ..identity(1, "/a") };
        let other_layers = old.clone().continued(layers, path).unwrap();
        assert!(other_layers.tree_c.is_empty() && other_layers.replica_started);
        assert_eq!(other_layers.parts, None);
        let error = old.clone().continued(identity(1, "/b"), path).unwrap_err();
        assert!(error.to_string().contains("/a of the same sector"), "{error}");
        old.replica_started = false;
        assert_eq!(old.continued(identity(1, "/b"), path).unwrap().sealed, "/b");
    }

    /// A journal with the root of one subtree.
    fn with_part(number: u64, root: &str) -> String {
        let mut journal = Journal::begin(identity(1, "/a"));
        let roots = BTreeMap::from([(number, root.into())]);
        journal.parts = Some(PartsOfTreeC { height: 1, roots });
        journal.encode()
    }

    #[test]
    fn damaged_journals_are_refused_with_a_reason() {
        let good = Journal::begin(identity(1, "/a")).encode();
        assert!(Journal::parse(good.as_bytes()).is_ok());
        let cases = [
            (good.replace("\"version\":1", "\"version\":2"), "version 2"),
            (good.replace("0101", "01"), "64 hexadecimal digits"),
            (good.replace("\"tree_c\":[]", "\"tree_c\":[\"zz\"]"), "64 hexadecimal digits"),
            (good.replace("\"replica_started\":false", "\"other\":1"), "unknown field"),
            (with_part(4096, &hex::encode([1; 32])), "subtree 4096"),
            (with_part(1, "zz"), "64 hexadecimal digits"),
            (good[..good.len() / 2].into(), "EOF"),
            (String::new(), "EOF"),
        ];
        for (text, reason) in cases {
            let error = Journal::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    proptest! {
        #[test]
        fn journals_round_trip(
            bytes in any::<u64>(), roots in prop::collection::vec(any::<[u8; 32]>(), 0..=16),
            sealed in ".{0,40}", replica_started: bool, height in 0usize..11,
            parts in prop::option::of(prop::collection::btree_map(0..MOST_PARTS, any::<[u8; 32]>(), 0..9)),
        ) {
            let mut journal = Journal::begin(identity(7, &sealed));
            journal.sector_bytes = bytes;
            journal.tree_c = roots.iter().map(hex::encode).collect();
            journal.replica_started = replica_started;
            journal.parts = parts.map(|parts| {
                let roots = parts.into_iter().map(|(part, root)| (part, hex::encode(root))).collect();
                PartsOfTreeC { height, roots }
            });
            prop_assert_eq!(Journal::parse(journal.encode().as_bytes()).unwrap(), journal);
        }

        #[test]
        fn any_change_is_refused_or_read_as_written(at in 0usize..400, byte in any::<u8>()) {
            let mut bytes = Journal::begin(identity(1, "/a")).encode().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(journal) = Journal::parse(&bytes) {
                prop_assert_eq!(Journal::parse(journal.encode().as_bytes()).unwrap(), journal);
            }
        }
    }
}
