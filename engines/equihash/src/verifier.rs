// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of solutions of one puzzle.

use std::cell::RefCell;

use halimede_arith::EngineBackend;

use crate::duplicates::Duplicates;
use crate::encoding::{check_indices, check_minimal};
use crate::lanes::job::{Findings, Job};
use crate::lanes::shares::{backend_for, Shares};
use crate::lanes::{self, arrange};
use crate::request::{VerifyBatch, VerifyRow};
use crate::{batch, Check, EncodingError, LaneBackend, Mask, Params, Puzzle};

/// Why a solution is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The bytes do not encode a solution.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// A check fails; the first in the order of [`Check::ALL`].
    #[error("{}", .0.message())]
    Failed(Check),
}

/// Verifies solutions of a puzzle.
///
/// ```
/// use halimede_equihash::{Check, Params, Rejection, Verifier};
///
/// let verifier = Verifier::new(Params::REGTEST, b"a header and its nonce");
/// // The length is that of a solution, but all indices are 0.
/// assert_eq!(verifier.verify(&[0; 36]), Err(Rejection::Failed(Check::Duplicate)));
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    puzzle: Puzzle,
    backend: LaneBackend,
}

impl Verifier {
    /// Creates a verifier for n, k and an input: everything that is hashed before an index' number.
    /// In Zcash, the input is a block header with its nonce.
    pub fn new(params: Params, input: &[u8]) -> Self {
        Self { puzzle: Puzzle::new(params, input), backend: LaneBackend::active() }
    }

    /// As [`Self::new`], with a chosen backend; `None` if this processor or build does not have it.
    pub fn with_backend(params: Params, input: &[u8], backend: LaneBackend) -> Option<Self> {
        let puzzle = Puzzle::new(params, input);
        backend.is_available().then_some(Self { puzzle, backend })
    }

    /// The parameters n and k.
    pub fn params(&self) -> Params {
        self.puzzle.params()
    }

    /// The backend in use.
    pub fn backend(&self) -> LaneBackend {
        self.backend
    }

    /// Verifies a solution in its minimal form. Checks without hashes come first, and the first
    /// missing collision ends the work.
    ///
    /// # Errors
    /// [`Rejection`], with the reason.
    pub fn verify(&self, minimal: &[u8]) -> Result<(), Rejection> {
        check_minimal(self.params(), minimal)?;
        self.first_failure(SolutionForm::Minimal(minimal))
    }

    /// As [`Self::verify`], for a solution's indices.
    ///
    /// # Errors
    /// [`Rejection`].
    pub fn verify_indices(&self, indices: &[u32]) -> Result<(), Rejection> {
        check_indices(self.params(), indices)?;
        self.first_failure(SolutionForm::Indices(indices))
    }

    /// Performs every check of a solution in its minimal form independently, except
    /// [`Check::Difficulty`], which does not depend on the solution alone.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`].
    pub fn mask(&self, minimal: &[u8]) -> Result<Mask, EncodingError> {
        check_minimal(self.params(), minimal)?;
        Ok(self.mask_of_checked(minimal))
    }

    /// As [`Self::mask`], for a solution that has the right size.
    pub(crate) fn mask_of_checked(&self, minimal: &[u8]) -> Mask {
        self.all_failures(SolutionForm::Minimal(minimal))
    }

    /// As [`Self::mask`], for a solution's indices.
    ///
    /// # Errors
    /// [`EncodingError::Indices`] or [`EncodingError::TooLarge`].
    pub fn mask_of_indices(&self, indices: &[u32]) -> Result<Mask, EncodingError> {
        check_indices(self.params(), indices)?;
        Ok(self.all_failures(SolutionForm::Indices(indices)))
    }

    /// As [`Self::verify`], for many solutions, over all cores of the current thread pool; the
    /// results are in the order of the solutions.
    pub fn verify_batch<S: AsRef<[u8]> + Sync>(
        &self,
        solutions: &[S],
    ) -> Vec<Result<(), Rejection>> {
        batch::map(solutions, |_| self.params(), |solution: &S| self.verify(solution.as_ref()))
    }

    /// The backend that checks trees of these parameters.
    fn tree_backend(&self) -> LaneBackend {
        backend_for(self.params(), self.backend)
    }

    fn first_failure(&self, form: SolutionForm) -> Result<(), Rejection> {
        let failure = with_scratch(|scratch| {
            scratch.take_in(self, form);
            if scratch.duplicates.any(&scratch.by_lanes) {
                return Some(Check::Duplicate);
            }
            if !scratch.are_ordered(self) {
                return Some(Check::IndexOrder);
            }
            match scratch.check(self, true) {
                Findings { collision: true, .. } => Some(Check::Collision),
                Findings { xor: true, .. } => Some(Check::Xor),
                _ => None,
            }
        });
        failure.map_or(Ok(()), |check| Err(Rejection::Failed(check)))
    }

    fn all_failures(&self, form: SolutionForm) -> Mask {
        with_scratch(|scratch| {
            scratch.take_in(self, form);
            let findings = scratch.check(self, false);
            let checks = [
                (Check::Duplicate, scratch.duplicates.any(&scratch.by_lanes)),
                (Check::IndexOrder, !scratch.are_ordered(self)),
                (Check::Collision, findings.collision),
                (Check::Xor, findings.xor),
            ];
            let mut mask = Mask::VALID;
            checks.iter().filter(|(_, fails)| *fails).for_each(|(check, _)| mask.set(*check));
            mask
        })
    }
}

/// A solution of the right size, in one of its forms.
#[derive(Clone, Copy)]
enum SolutionForm<'f> {
    Minimal(&'f [u8]),
    Indices(&'f [u32]),
}

/// The most indices for which a thread keeps its buffers.
const MOST_KEPT: usize = 1 << 12;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Calls `work` with the thread's scratch.
fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => {
            let result = work(&mut scratch);
            if scratch.by_lanes.len() > MOST_KEPT {
                *scratch = Scratch::default();
            }
            result
        }
        Err(_) => work(&mut Scratch::default()),
    })
}

/// The indices of a solution, and buffers for checking them.
#[derive(Default)]
struct Scratch {
    /// The indices in the order of the lanes.
    by_lanes: Vec<u32>,
    heads: Vec<u32>,
    duplicates: Duplicates,
}

impl Scratch {
    /// Loads the indices.
    fn take_in(&mut self, verifier: &Verifier, form: SolutionForm) {
        let (params, backend) = (verifier.params(), verifier.tree_backend());
        match form {
            SolutionForm::Minimal(bytes) => {
                arrange::from_minimal(params, backend, bytes, &mut self.by_lanes);
            }
            SolutionForm::Indices(indices) => {
                arrange::from_indices(params, backend, indices, &mut self.by_lanes);
            }
        }
    }

    fn are_ordered(&mut self, verifier: &Verifier) -> bool {
        let shares = Shares::of(verifier.params(), verifier.tree_backend());
        arrange::are_ordered(&self.by_lanes, shares, &mut self.heads)
    }

    /// Checks the tree.
    fn check(&self, verifier: &Verifier, stops_early: bool) -> Findings {
        let (puzzle, indices) = (&verifier.puzzle, &self.by_lanes);
        lanes::check(verifier.tree_backend(), Job { puzzle, indices, stops_early })
    }
}

/// Verifies each of the solutions as [`Verifier::verify`] does, without difficulty, over all cores
/// of the current thread pool. The results are in the order of the rows, which may have different
/// parameters.
///
/// ```
/// use halimede_equihash::{verify_batch, Check, Params, Rejection, VerifyRow};
///
/// let input = &[7; 140];
/// let results = verify_batch(&[VerifyRow::new(Params::REGTEST, input, &[0; 36])?]);
/// assert_eq!(results[0], Err(Rejection::Failed(Check::Duplicate)));
/// # Ok::<(), halimede_equihash::EncodingError>(())
/// ```
pub fn verify_batch(rows: &[VerifyRow<'_>]) -> Vec<Result<(), Rejection>> {
    let verify =
        |row: VerifyRow<'_>| Verifier::new(row.params(), row.input()).verify(row.solution());
    batch::map(VerifyBatch::Rows(rows), |row| row.params(), verify)
}
