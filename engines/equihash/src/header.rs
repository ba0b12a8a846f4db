// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Block headers in the network's format: 140 bytes, the length of the solution, the solution
//! (Zcash protocol specification, section 7.6).

use std::ops::Range;
use std::sync::Arc;

use crate::compact_size::form_of;
use crate::request::{VerifyRequest, HEADER_BYTES};
use crate::target::BITS;
use crate::{BlockHash, EncodingError, Params, Target, TargetError};

/// The positions of the fields: version, hash of the previous block, root of the transactions,
/// block commitment, time, and nonce. The target is at [`BITS`].
const VERSION: Range<usize> = 0..4;
const PREVIOUS: Range<usize> = 4..36;
const MERKLE_ROOT: Range<usize> = 36..68;
const COMMITMENT: Range<usize> = 68..100;
const TIME: Range<usize> = 100..104;
const NONCE: Range<usize> = 108..HEADER_BYTES;
/// The lowest version that consensus accepts (section 7.6).
pub const LEAST_VERSION: i32 = 4;
/// A block header with its solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    request: VerifyRequest,
}

/// Why bytes are not a valid header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The bytes end too early.
    #[error("at byte {at}: unexpected end within {part}")]
    Truncated {
        /// The position of the end.
        at: usize,
        /// The part that is missing or incomplete.
        part: &'static str,
    },
    /// The length is not in its shortest form, which consensus rejects.
    #[error(
        "at byte {at}: the solution's length {value} is encoded in {form} bytes instead of {needed}"
    )]
    LengthForm {
        /// The position of the length.
        at: usize,
        /// The length.
        value: u64,
        /// The number of bytes of its encoding.
        form: usize,
        /// The number of bytes of the shortest encoding.
        needed: usize,
    },
    /// The solution has the wrong length.
    #[error("at byte {at}: a solution of {got} bytes, but {params} needs {expected}")]
    SolutionLength {
        /// The position of the length.
        at: usize,
        /// The length.
        got: u64,
        /// The requested parameters.
        params: Params,
        /// The length of a solution with these parameters.
        expected: usize,
    },
    /// None of the usual parameters has solutions of this length.
    #[error("at byte {at}: a solution of {got} bytes, which fits none of the usual parameters")]
    UnknownLength {
        /// The position of the length.
        at: usize,
        /// The length.
        got: u64,
    },
    /// Bytes follow the header.
    #[error("at byte {at}: {bytes} bytes follow the header")]
    Trailing {
        /// The position of the end of the header.
        at: usize,
        /// The number of bytes that follow.
        bytes: usize,
    },
}

impl HeaderError {
    /// The position of the error in bytes, from 0.
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
    /// Creates a header from its 140 bytes, including the nonce, and a solution.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] if the length of the solution does not fit the parameters.
    pub fn new(
        params: Params,
        fields: [u8; HEADER_BYTES],
        solution: impl Into<Arc<[u8]>>,
    ) -> Result<Self, EncodingError> {
        Ok(Self { request: VerifyRequest::of_header(params, fields, solution)? })
    }

    /// Parses a header. Without parameters, the length of the solution determines them: (200, 9),
    /// (144, 5), (96, 5) or (48, 5).
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

    /// Parses a header at the start of these bytes; returns it with its length in bytes. Parameters
    /// are as in [`Self::parse`].
    ///
    /// # Errors
    /// [`HeaderError`], except [`HeaderError::Trailing`].
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
        // The length fits the parameters.
        match Self::new(params, *fields, solution) {
            Ok(header) => Ok((header, HEADER_BYTES + form + solution.len())),
            Err(_) => Err(HeaderError::UnknownLength { at: HEADER_BYTES, got: length }),
        }
    }

    /// Returns the length in bytes of a header with its solution.
    pub fn bytes(params: Params) -> usize {
        let solution = params.solution_bytes();
        HEADER_BYTES + form_of(solution as u64) + solution
    }

    /// Returns the bytes in the network's format, which [`Self::parse`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.request.to_bytes()
    }

    /// The parameters n and k of the solution.
    pub fn params(&self) -> Params {
        self.request.params()
    }

    /// The 140 bytes without the solution: the input of Equihash.
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

    /// The version; consensus requires at least [`LEAST_VERSION`].
    pub fn version(&self) -> i32 {
        i32::from_le_bytes(self.part(VERSION))
    }

    /// The hash of the previous block.
    pub fn previous(&self) -> BlockHash {
        self.part(PREVIOUS).into()
    }

    /// The root of the Merkle tree of the transaction identifiers.
    pub fn merkle_root(&self) -> [u8; 32] {
        self.part(MERKLE_ROOT)
    }

    /// The block commitment: the root of the Sapling tree, of the chain history, or more, depending
    /// on the network upgrade.
    pub fn commitment(&self) -> [u8; 32] {
        self.part(COMMITMENT)
    }

    /// The time of the block, in seconds since 1970.
    pub fn time(&self) -> u32 {
        u32::from_le_bytes(self.part(TIME))
    }

    /// The target in its compact form, undecoded.
    pub fn bits(&self) -> u32 {
        u32::from_le_bytes(self.part(BITS))
    }

    /// Decodes the target.
    ///
    /// # Errors
    /// As for [`Target::from_compact`].
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

    /// Returns the request that verifies this header, without a copy.
    pub fn into_request(self) -> VerifyRequest {
        self.request
    }

    fn part<const BYTES: usize>(&self, range: Range<usize>) -> [u8; BYTES] {
        let mut part = [0; BYTES];
        part.copy_from_slice(&self.fields()[range]);
        part
    }
}

/// Returns the parameters of a solution of this length.
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

/// Parses a `compactSize`; returns the number and the length of its encoding, or `None` if the
/// bytes end within it. An encoding that is not the shortest is an error.
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
