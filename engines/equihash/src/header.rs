// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Block headers as the network has them: 140 bytes, the solution's length, the solution (Zcash
//! protocol specification, section 7.6).

use std::ops::Range;
use std::sync::Arc;

use crate::compact_size::form_of;
use crate::request::{VerifyRequest, HEADER_BYTES};
use crate::target::BITS;
use crate::{BlockHash, EncodingError, Params, Target, TargetError};

/// Version, the hashes of the block before, of the transactions and of what the block commits to,
/// the time, the target: where they end is where the nonce begins.
const VERSION: Range<usize> = 0..4;
const PREVIOUS: Range<usize> = 4..36;
const MERKLE_ROOT: Range<usize> = 36..68;
const COMMITMENT: Range<usize> = 68..100;
const TIME: Range<usize> = 100..104;
const NONCE: Range<usize> = 108..HEADER_BYTES;
/// The least version that consensus takes (section 7.6).
pub const LEAST_VERSION: i32 = 4;
/// The parameters that a header's solution may be found to have by its length.
/// A block header with its solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    request: VerifyRequest,
}

/// Bytes that are not a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// They end too early.
    #[error("at byte {at}: ends there, within {part}")]
    Truncated {
        /// Where they end.
        at: usize,
        /// The missing part, or a part of which bytes are missing.
        part: &'static str,
    },
    /// A length in more bytes than it takes, which consensus refuses.
    #[error(
        "at byte {at}: the solution's length {value} stands in {form} bytes, where {needed} do"
    )]
    LengthForm {
        /// Where the length begins.
        at: usize,
        /// The length.
        value: u64,
        /// Bytes it stands in.
        form: usize,
        /// Bytes it should stand in.
        needed: usize,
    },
    /// The solution has another length.
    #[error("at byte {at}: a solution of {got} bytes, where {params} has {expected}")]
    SolutionLength {
        /// Where the length begins.
        at: usize,
        /// The length.
        got: u64,
        /// The requested value.
        params: Params,
        /// Its length.
        expected: usize,
    },
    /// No usual parameters have solutions of this length.
    #[error("at byte {at}: a solution of {got} bytes, which no usual parameters have")]
    UnknownLength {
        /// Where the length begins.
        at: usize,
        /// The length.
        got: u64,
    },
    /// More follows.
    #[error("at byte {at}: {bytes} bytes follow the header")]
    Trailing {
        /// Where the header ends.
        at: usize,
        /// How many bytes follow.
        bytes: usize,
    },
}

impl HeaderError {
    /// The byte at which it went wrong, from 0.
    pub fn at(&self) -> usize {
        match self {
            Self::Truncated { at, .. }
            | Self::LengthForm { at, .. }
            | Self::SolutionLength { at, .. }
            | Self::UnknownLength { at, .. }
            | Self::Trailing { at, .. } => *at,
        }
    }
}

impl Header {
    /// A header of 140 bytes, nonce included, and a solution of it.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] for a solution of another length than the parameters want.
    pub fn new(
        params: Params,
        fields: [u8; HEADER_BYTES],
        solution: impl Into<Arc<[u8]>>,
    ) -> Result<Self, EncodingError> {
        Ok(Self { request: VerifyRequest::of_header(params, fields, solution)? })
    }

    /// The header that these bytes are. Without parameters, the solution's length tells them: those
    /// of (200, 9), (144, 5), (96, 5) or (48, 5).
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn parse(bytes: &[u8], params: Option<Params>) -> Result<Self, HeaderError> {
        let (header, at) = Self::read(bytes, params)?;
        match bytes.len() - at {
            0 => Ok(header),
            more => Err(HeaderError::Trailing { at, bytes: more }),
        }
    }

    /// The header that these bytes begin with, and how many are the header's; parameters are as in
    /// [`Self::parse`].
    ///
    /// # Errors
    /// [`HeaderError`], but [`HeaderError::Trailing`].
    pub fn read(bytes: &[u8], params: Option<Params>) -> Result<(Self, usize), HeaderError> {
        let at = bytes.len();
        let part = "the header's 140 bytes";
        let Some((fields, rest)) = bytes.split_first_chunk() else {
            return Err(HeaderError::Truncated { at, part });
        };
        let part = "the solution's length";
        let Some((length, form)) = compact_size(rest)? else {
            return Err(HeaderError::Truncated { at, part });
        };
        let params = params_of(length, params)?;
        let part = "the solution";
        let Some(solution) = rest[form..].get(..params.solution_bytes()) else {
            return Err(HeaderError::Truncated { at, part });
        };
        // The length is that of the parameters.
        match Self::new(params, *fields, solution) {
            Ok(header) => Ok((header, HEADER_BYTES + form + solution.len())),
            Err(_) => Err(HeaderError::UnknownLength { at: HEADER_BYTES, got: length }),
        }
    }

    /// Bytes of a header with its solution.
    pub fn bytes(params: Params) -> usize {
        let solution = params.solution_bytes();
        HEADER_BYTES + form_of(solution as u64) + solution
    }

    /// The bytes of the network's format, which [`Self::parse`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.request.to_bytes()
    }

    /// n and k of its solution.
    pub fn params(&self) -> Params {
        self.request.params()
    }

    /// The 140 bytes without the solution: what Equihash takes.
    pub fn fields(&self) -> &[u8] {
        self.request.input()
    }

    /// The solution in its minimal form.
    pub fn solution(&self) -> &[u8] {
        self.request.solution()
    }

    /// The double SHA-256 of header and solution.
    pub fn hash(&self) -> BlockHash {
        BlockHash::of(&self.to_bytes())
    }

    /// The version; consensus wants [`LEAST_VERSION`] or more.
    pub fn version(&self) -> i32 {
        i32::from_le_bytes(self.part(VERSION))
    }

    /// The hash of the block before.
    pub fn previous(&self) -> BlockHash {
        self.part(PREVIOUS).into()
    }

    /// The root of the tree of the transactions' identifiers.
    pub fn merkle_root(&self) -> [u8; 32] {
        self.part(MERKLE_ROOT)
    }

    /// What the block commits to besides: the Sapling tree's root, the chain history's, or more, as
    /// the network's upgrades have it.
    pub fn commitment(&self) -> [u8; 32] {
        self.part(COMMITMENT)
    }

    /// When the block was made, in seconds since 1970.
    pub fn time(&self) -> u32 {
        u32::from_le_bytes(self.part(TIME))
    }

    /// The target in its compact form, as it stands there.
    pub fn bits(&self) -> u32 {
        u32::from_le_bytes(self.part(BITS))
    }

    /// The target.
    ///
    /// # Errors
    /// As [`Target::from_compact`].
    pub fn target(&self) -> Result<Target, TargetError> {
        Target::from_compact(self.bits())
    }

    /// The nonce.
    pub fn nonce(&self) -> [u8; 32] {
        self.part(NONCE)
    }

    /// The request that verifies this header.
    pub fn request(&self) -> &VerifyRequest {
        &self.request
    }

    /// The same, without a copy.
    pub fn into_request(self) -> VerifyRequest {
        self.request
    }

    fn part<const BYTES: usize>(&self, range: Range<usize>) -> [u8; BYTES] {
        let mut part = [0; BYTES];
        part.copy_from_slice(&self.fields()[range]);
        part
    }
}

/// The parameters of a solution of this length.
fn params_of(length: u64, params: Option<Params>) -> Result<Params, HeaderError> {
    let at = HEADER_BYTES;
    let is_of = |params: &Params| params.solution_bytes() as u64 == length;
    match params {
        Some(params) if is_of(&params) => Ok(params),
        Some(params) => {
            let expected = params.solution_bytes();
            Err(HeaderError::SolutionLength { at, got: length, params, expected })
        }
        None => {
            let usual = Params::USUAL.into_iter().find(is_of);
            usual.ok_or(HeaderError::UnknownLength { at, got: length })
        }
    }
}

/// A number as consensus writes lengths, and the bytes it stands in; `None` where they end before
/// it does. One in more bytes than it takes is refused.
fn compact_size(bytes: &[u8]) -> Result<Option<(u64, usize)>, HeaderError> {
    let Some((&first, rest)) = bytes.split_first() else { return Ok(None) };
    let digits = match first {
        0xfd => 2,
        0xfe => 4,
        0xff => 8,
        value => return Ok(Some((u64::from(value), 1))),
    };
    let Some(digits) = rest.get(..digits) else { return Ok(None) };
    let value = digits.iter().rev().fold(0, |value, digit| value << 8 | u64::from(*digit));
    let (form, needed) = (1 + digits.len(), form_of(value));
    if form != needed {
        return Err(HeaderError::LengthForm { at: HEADER_BYTES, value, form, needed });
    }
    Ok(Some((value, form)))
}
