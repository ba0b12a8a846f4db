// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Real blocks of the main and the test network.

use super::report;
use halimede_zcash::{Block, Known, Network, Report, SpentOutputs};

/// A block: see vectors/README.md.
pub struct Real {
    pub network: Network,
    pub height: u32,
    pub bytes: Vec<u8>,
}

impl Real {
    pub fn all() -> Vec<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors");
        let read = |path: &str| hex::decode(std::fs::read_to_string(path).unwrap().trim()).unwrap();
        let bytes = read(&format!("{folder}/zcash_block_346.hex"));
        let mut all = vec![Self { network: Network::Main, height: 346, bytes }];
        for entry in std::fs::read_dir(format!("{folder}/blocks")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (network, height) = name.split_once('_').unwrap();
            all.push(Self {
                network: network.parse().unwrap(),
                height: height.parse().unwrap(),
                bytes: read(path.to_str().unwrap()),
            });
        }
        all.sort_by_key(|real| (real.network.name(), real.height));
        assert_eq!(all.len(), 27);
        all
    }

    pub fn of(height: u32) -> Self {
        Self::all().into_iter().find(|real| real.height == height).unwrap()
    }

    /// Returns the report on these bytes, whose header is this block's; `None` if they are not a
    /// block.
    pub fn report(&self, bytes: &[u8]) -> Option<Report> {
        let block = Block::parse(bytes, self.network).ok()?;
        let known = Known { height: Some(self.height), ..Known::default() };
        let spent = SpentOutputs::default();
        Some(report(&block, &spent, known).0)
    }
}
