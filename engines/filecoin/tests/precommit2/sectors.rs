// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sectors in temporary folders: the files that the first phase leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_filecoin::{Geometry, Job, Outcome, Phase1, Precommit2Error, Sector, StoreConfig};
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The processor, as a device.
pub struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

/// The files of the cache folder that the first phase makes.
const FIRST_PHASE: [&str; 2] = ["layer-", "tree-d"];

/// A sector in a temporary folder.
pub struct Sandbox {
    folder: TempDir,
    pub sector: Sector,
}

impl Sandbox {
    /// Makes a sector of layers and data from BLAKE3 streams, as engines/filecoin/peer does.
    pub fn of_streams(sector_bytes: u64, layers: usize) -> Self {
        let geometry = Geometry::of_bytes(sector_bytes).unwrap().with_layers(layers).unwrap();
        let elements = |name: &str| elements(sector_bytes, name);
        let labels = (1..=layers).map(|layer| elements(&format!("layer-{layer}"))).collect();
        Self::new(geometry, labels, &elements("data"))
    }

    /// Makes a sector with these layers and data.
    pub fn new(geometry: Geometry, layers: Vec<Vec<u8>>, data: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("cache")).unwrap();
        let mut labels = Vec::new();
        for (index, layer) in layers.iter().enumerate() {
            let id = format!("layer-{}", index + 1);
            std::fs::write(folder.path().join(format!("cache/sc-02-data-{id}.dat")), layer)
                .unwrap();
            let size = Some(geometry.nodes());
            labels.push(StoreConfig { path: "elsewhere".into(), id, size, rows_to_discard: 0 });
        }
        let tree_d = tree_d(data);
        std::fs::write(folder.path().join("cache/sc-02-data-tree-d.dat"), &tree_d).unwrap();
        std::fs::write(folder.path().join("sealed"), data).unwrap();
        let comm_d = tree_d[tree_d.len() - 32..].try_into().unwrap();
        Self { folder, sector: Sector { geometry, labels, comm_d } }
    }

    /// Makes a sector of a first phase.
    pub fn of_phase1(phase1: Phase1, layers: Vec<Vec<u8>>, data: &[u8]) -> Self {
        let sector = Sector::try_from(phase1).unwrap();
        let sandbox = Self::new(sector.geometry, layers, data);
        assert_eq!(sandbox.sector.comm_d, sector.comm_d, "tree D of this test");
        Self { sector, ..sandbox }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path in the cache folder.
    pub fn cached(&self, name: &str) -> PathBuf {
        self.path("cache").join(name)
    }

    pub fn job(&self) -> Job<'static, Processor> {
        Job {
            device: &Processor,
            sector: self.sector.clone(),
            cache: self.path("cache"),
            sealed: self.path("sealed"),
        }
    }

    pub fn run(&self) -> Result<Outcome, Precommit2Error> {
        self.job().run(&mut |_| true)
    }

    /// The contents of the sealed file and of all files of the cache folder except those of the
    /// first phase.
    pub fn outputs(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.files();
        files.retain(|name, _| !FIRST_PHASE.iter().any(|word| name.contains(word)));
        files
    }

    /// The contents of all files.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::from([("sealed".into(), read(&self.path("sealed")))]);
        for entry in std::fs::read_dir(self.path("cache")).unwrap() {
            let entry = entry.unwrap();
            files.insert(entry.file_name().into_string().unwrap(), read(&entry.path()));
        }
        files
    }

    /// `t_aux` as if the cache folder had been named `cache`.
    pub fn t_aux_of_cache(&self) -> Vec<u8> {
        let named = |path: &str| [&(path.len() as u64).to_le_bytes(), path.as_bytes()].concat();
        let (ours, theirs) = (named(self.path("cache").to_str().unwrap()), named("cache"));
        let (mut bytes, mut rest) = (Vec::new(), &read(&self.cached("t_aux"))[..]);
        while !rest.is_empty() {
            let (copied, skipped) = match rest.strip_prefix(&ours[..]) {
                Some(_) => (&theirs[..], ours.len()),
                None => (&rest[..1], 1),
            };
            bytes.extend(copied);
            rest = &rest[skipped..];
        }
        bytes
    }
}

pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Elements below 2²⁵⁴ that depend on the size of the sector and on a name.
fn elements(sector_bytes: u64, name: &str) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("halimede filecoin {sector_bytes} {name}").as_bytes());
    let mut bytes = vec![0; sector_bytes as usize];
    hasher.finalize_xof().fill(&mut bytes);
    bytes.chunks_exact_mut(32).for_each(|node| node[31] &= 0x3f);
    bytes
}

/// The rows of tree D: SHA-256 without the top two bits.
fn tree_d(data: &[u8]) -> Vec<u8> {
    let (mut tree, mut row) = (data.to_vec(), data.to_vec());
    while row.len() > 32 {
        let parents = row.chunks_exact(64).flat_map(|pair| {
            let mut node: [u8; 32] = Sha256::digest(pair).into();
            node[31] &= 0x3f;
            node
        });
        row = parents.collect();
        tree.extend(&row);
    }
    tree
}
