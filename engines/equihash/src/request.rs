// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to verify a solution, one by one and in batches.

use std::ops::Range;
use std::sync::Arc;

use halimede_arith::job::Columns;

use crate::compact_size::header_bytes;
use crate::encoding::check_minimal;
use crate::{EncodingError, Params};

/// Bytes of a block header without its solution: version, three hashes, time, target, nonce.
pub const HEADER_BYTES: usize = 140;

/// A solution in its minimal form, of the right size, and what it is for: the bytes borrowed
/// ([`VerifyRow`]), or shared by whoever keeps the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyRequest<B = Arc<[u8]>> {
    params: Params,
    input: B,
    solution: B,
    is_header: bool,
}

/// A request of [`Verify`], borrowed.
pub type VerifyRow<'a> = VerifyRequest<&'a [u8]>;

impl<'a> VerifyRow<'a> {
    /// A solution and all that is hashed before an index's number: in Zcash a block header with its
    /// nonce, whose difficulty is not checked.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] for a solution of another length than the parameters want.
    pub fn new(params: Params, input: &'a [u8], solution: &'a [u8]) -> Result<Self, EncodingError> {
        check_minimal(params, solution)?;
        Ok(Self { params, input, solution, is_header: false })
    }

    /// The same request with its own copy of the bytes.
    pub(crate) fn keep(self) -> VerifyRequest {
        let Self { params, input, solution, is_header } = self;
        VerifyRequest { params, input: input.into(), solution: solution.into(), is_header }
    }
}

impl VerifyRequest {
    /// A header, nonce included, and its solution; the difficulty is checked too.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] for a solution of another length than the parameters want.
    pub fn of_header(
        params: Params,
        header: [u8; HEADER_BYTES],
        solution: impl Into<Arc<[u8]>>,
    ) -> Result<Self, EncodingError> {
        let (input, solution) = (Arc::new(header), solution.into());
        check_minimal(params, &solution)?;
        Ok(Self { params, input, solution, is_header: true })
    }
}

impl<B: AsRef<[u8]>> VerifyRequest<B> {
    /// The same, borrowed.
    pub fn row(&self) -> VerifyRow<'_> {
        let Self { params, input, solution, is_header } = self;
        let (input, solution) = (input.as_ref(), solution.as_ref());
        VerifyRequest { params: *params, input, solution, is_header: *is_header }
    }

    /// n and k.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The bytes that are hashed before an index: a header without its solution.
    pub fn input(&self) -> &[u8] {
        self.input.as_ref()
    }

    /// The solution in its minimal form.
    pub fn solution(&self) -> &[u8] {
        self.solution.as_ref()
    }

    /// Whether the input is a block header whose difficulty is checked too.
    pub fn is_header(&self) -> bool {
        self.is_header
    }

    /// The header, the solution's length and the solution, as the network has them.
    pub fn to_bytes(&self) -> Vec<u8> {
        header_bytes(self.input(), self.solution())
    }
}

/// A batch of [`Verify`].
#[derive(Clone, Copy, Debug)]
pub enum VerifyBatch<'a> {
    /// Requests of any parameters.
    Kept(&'a [VerifyRequest]),
    /// The same, borrowed.
    Rows(&'a [VerifyRow<'a>]),
}

impl<'a> Columns for VerifyBatch<'a> {
    type Row = VerifyRow<'a>;

    fn len(self) -> usize {
        match self {
            Self::Kept(requests) => requests.len(),
            Self::Rows(rows) => rows.len(),
        }
    }

    fn row(self, number: usize) -> VerifyRow<'a> {
        match self {
            Self::Kept(requests) => requests[number].row(),
            Self::Rows(rows) => rows[number],
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Kept(requests) => Self::Kept(&requests[range]),
            Self::Rows(rows) => Self::Rows(&rows[range]),
        }
    }
}
