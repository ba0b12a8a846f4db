// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block's header (Zcash protocol specification, section 7.6).

use halimede_equihash::operations::{VerifyRequest, HEADER_BYTES};
use halimede_equihash::Params;

use crate::error::{BlockError, Part};
use crate::hash::{double_sha256, Hash};
use crate::reader::Reader;

/// Where the parts of the first 140 bytes begin.
const PREVIOUS_AT: usize = 4;
const MERKLE_ROOT_AT: usize = 36;
const BITS_AT: usize = 104;

/// A header with its solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    hash: Hash,
    request: VerifyRequest,
}

impl Header {
    /// Reads the 140 bytes, and the solution of the length that these parameters want.
    pub(crate) fn read(reader: &mut Reader<'_>, params: Params) -> Result<Self, BlockError> {
        let begins = reader.at();
        let bytes: [u8; HEADER_BYTES] = reader.array(Part::Header)?;
        let at = reader.at();
        let got = reader.compact_size(Part::Solution)?;
        let wrong = |expected| BlockError::Solution { at, got, params, expected };
        if got != params.solution_bytes() {
            return Err(wrong(params.solution_bytes()));
        }
        let solution = reader.take(got, Part::Solution)?;
        let hash = double_sha256(reader.since(begins));
        let request = VerifyRequest::new(params, bytes, solution)
            .map_err(|_| wrong(params.solution_bytes()))?;
        Ok(Self { hash, request })
    }

    /// The block's hash: the header's, with the solution.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// What a device is asked about its proof of work.
    pub fn proof_of_work(&self) -> &VerifyRequest {
        &self.request
    }

    /// Its version, which consensus wants to be 4 at least.
    pub fn version(&self) -> i32 {
        i32::from_le_bytes(self.part(0))
    }

    /// The hash of the block before; all zeros in the first one.
    pub fn previous(&self) -> Hash {
        Hash(self.part(PREVIOUS_AT))
    }

    /// The root of the transactions' tree.
    pub fn merkle_root(&self) -> Hash {
        Hash(self.part(MERKLE_ROOT_AT))
    }

    /// Its target in the compact form.
    pub fn bits(&self) -> u32 {
        u32::from_le_bytes(self.part(BITS_AT))
    }

    fn part<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut part = [0; N];
        part.copy_from_slice(&self.request.header()[at..at + N]);
        part
    }
}
