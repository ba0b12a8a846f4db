// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to verify a solution, one by one and in batches.

use std::ops::Range;
use std::sync::Arc;

use halimede_arith::job::Columns;

use crate::compact_size::header_bytes;
use crate::encoding::check_minimal;
use crate::{EncodingError, Params};

/// The length in bytes of a block header without its solution: version, three hashes, time, target,
/// nonce.
pub const HEADER_BYTES: usize = 140;

/// A solution in its minimal form, of the right size, with its input. The bytes are borrowed
/// ([`VerifyRow`]) or shared by the owners of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyRequest<B = Arc<[u8]>> {
    params: Params,
    input: B,
    solution: B,
    is_header: bool,
}

/// A borrowed request of [`Verify`](crate::operations::Verify).
pub type VerifyRow<'a> = VerifyRequest<&'a [u8]>;

impl<'a> VerifyRow<'a> {
    /// Creates a request from the solution and its input, everything that is hashed before an
    /// index: in Zcash, a block header with its nonce. The difficulty is not checked.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] if the length of the solution does not fit the parameters.
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
    /// Creates a request from a header, including the nonce, and its solution; the difficulty is
    /// checked too.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`] if the length of the solution does not fit the parameters.
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
    /// The request, borrowed.
    pub fn row(&self) -> VerifyRow<'_> {
        let Self { params, input, solution, is_header } = self;
        let (input, solution) = (input.as_ref(), solution.as_ref());
        VerifyRequest { params: *params, input, solution, is_header: *is_header }
    }

    /// The parameters n and k.
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

    /// Returns `true` if the input is a block header whose difficulty is checked too.
    pub fn is_header(&self) -> bool {
        self.is_header
    }

    /// Returns the header, the length of the solution and the solution, in the network's format.
    pub fn to_bytes(&self) -> Vec<u8> {
        header_bytes(self.input(), self.solution())
    }
}

/// A batch of [`Verify`](crate::operations::Verify).
#[derive(Clone, Copy, Debug)]
pub enum VerifyBatch<'a> {
    /// Requests of any parameters.
    Kept(&'a [VerifyRequest]),
    /// Borrowed requests of any parameters.
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
