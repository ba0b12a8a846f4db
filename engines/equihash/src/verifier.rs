// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Solutions of one puzzle, checked one by one.

use std::cell::RefCell;

use crate::encoding::{check_indices, check_minimal, index_at};
use crate::indices::{are_ordered, Duplicates};
use crate::lanes::{self, Findings, Job};
use crate::{batch, Check, EncodingError, Level, Mask, Params, Puzzle};

/// Why a solution is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// It is not even the form of one.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// This check, the first in the order of [`Check::ALL`], fails.
    #[error("{}", .0.message())]
    Failed(Check),
}

/// Checks solutions of a puzzle.
///
/// ```
/// use halimede_equihash::{Check, Params, Rejection, Verifier};
///
/// let verifier = Verifier::new(Params::REGTEST, b"a header and its nonce");
/// // As many bytes as a solution has, but all indices are 0.
/// assert_eq!(verifier.verify(&[0; 36]), Err(Rejection::Failed(Check::Duplicate)));
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    puzzle: Puzzle,
    level: Level,
}

impl Verifier {
    /// For n, k and an input: all that is hashed before an index' number, in Zcash a block header
    /// with its nonce.
    pub fn new(params: Params, input: &[u8]) -> Self {
        Self { puzzle: Puzzle::new(params, input), level: Level::active() }
    }

    /// As [`Self::new`], with a level of the caller's choice; `None` where this processor or
    /// build does not have it.
    pub fn with_level(params: Params, input: &[u8], level: Level) -> Option<Self> {
        let puzzle = Puzzle::new(params, input);
        level.is_available().then_some(Self { puzzle, level })
    }

    /// n and k.
    pub fn params(&self) -> Params {
        self.puzzle.params()
    }

    /// Which instructions are used.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Whether a solution in its minimal form holds. Checks that need no hash come first, and the
    /// first hashes that do not collide end the work.
    ///
    /// # Errors
    /// [`Rejection`]: why it does not.
    pub fn verify(&self, minimal: &[u8]) -> Result<(), Rejection> {
        let params = self.params();
        check_minimal(params, minimal)?;
        self.first_failure(|number| index_at(params, minimal, number))
    }

    /// As [`Self::verify`], for a solution's indices.
    ///
    /// # Errors
    /// [`Rejection`].
    pub fn verify_indices(&self, indices: &[u32]) -> Result<(), Rejection> {
        check_indices(self.params(), indices)?;
        self.first_failure(|number| indices[number])
    }

    /// Every check of a solution in its minimal form, each whatever the others say, but
    /// [`Check::Difficulty`], which is not the solution's matter.
    ///
    /// # Errors
    /// [`EncodingError::Bytes`].
    pub fn mask(&self, minimal: &[u8]) -> Result<Mask, EncodingError> {
        check_minimal(self.params(), minimal)?;
        Ok(self.mask_of_checked(minimal))
    }

    /// As [`Self::mask`], of a solution that has the right size.
    pub(crate) fn mask_of_checked(&self, minimal: &[u8]) -> Mask {
        let params = self.params();
        self.all_failures(|number| index_at(params, minimal, number))
    }

    /// As [`Self::mask`], for a solution's indices.
    ///
    /// # Errors
    /// [`EncodingError::Indices`] or [`EncodingError::TooLarge`].
    pub fn mask_of_indices(&self, indices: &[u32]) -> Result<Mask, EncodingError> {
        check_indices(self.params(), indices)?;
        Ok(self.all_failures(|number| indices[number]))
    }

    /// As [`Self::verify`], for many solutions over all cores of the current thread pool; the results
    /// stand in the solutions' order.
    pub fn verify_batch<S: AsRef<[u8]> + Sync>(
        &self,
        solutions: &[S],
    ) -> Vec<Result<(), Rejection>> {
        batch::map(solutions, |_| self.params(), |solution| self.verify(solution.as_ref()))
    }

    fn first_failure(&self, index: impl Fn(usize) -> u32) -> Result<(), Rejection> {
        let failure = with_scratch(|scratch| {
            scratch.fill(self, index);
            if scratch.duplicates.any(&scratch.indices) {
                return Some(Check::Duplicate);
            }
            if !are_ordered(&scratch.indices) {
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

    fn all_failures(&self, index: impl Fn(usize) -> u32) -> Mask {
        with_scratch(|scratch| {
            scratch.fill(self, index);
            let findings = scratch.check(self, false);
            let checks = [
                (Check::Duplicate, scratch.duplicates.any(&scratch.indices)),
                (Check::IndexOrder, !are_ordered(&scratch.indices)),
                (Check::Collision, findings.collision),
                (Check::Xor, findings.xor),
            ];
            let mut mask = Mask::VALID;
            checks.iter().filter(|(_, fails)| *fails).for_each(|(check, _)| mask.set(*check));
            mask
        })
    }
}

/// Most indices that a thread keeps room for.
const MOST_KEPT: usize = 1 << 12;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Lends the thread's scratch.
fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => {
            let result = work(&mut scratch);
            if scratch.indices.len() > MOST_KEPT {
                *scratch = Scratch::default();
            }
            result
        }
        Err(_) => work(&mut Scratch::default()),
    })
}

/// A solution's indices, and what is needed to look at them.
#[derive(Default)]
struct Scratch {
    /// In the solution's order.
    indices: Vec<u32>,
    /// In the order of the lanes; of no use with one lane.
    by_lanes: Vec<u32>,
    duplicates: Duplicates,
}

impl Scratch {
    /// Takes in the indices, in both orders.
    #[inline(always)]
    fn fill(&mut self, verifier: &Verifier, index: impl Fn(usize) -> u32) {
        let params = verifier.params();
        let lanes = lanes::lanes(lanes::level_for(params, verifier.level));
        self.indices.clear();
        self.indices.extend((0..params.indices()).map(index));
        if lanes == 1 {
            return;
        }
        self.by_lanes.resize(params.indices(), 0);
        let leaves = lanes::leaves_a_lane(params, lanes);
        let block = leaves * lanes;
        let blocks = self.by_lanes.chunks_exact_mut(block).zip(self.indices.chunks_exact(block));
        for (by_lanes, indices) in blocks {
            for (lane, indices) in indices.chunks_exact(leaves).enumerate() {
                for (number, index) in indices.iter().enumerate() {
                    by_lanes[number * lanes + lane] = *index;
                }
            }
        }
    }

    /// Checks the tree.
    fn check(&self, verifier: &Verifier, stops_early: bool) -> Findings {
        let level = lanes::level_for(verifier.params(), verifier.level);
        let indices = match lanes::lanes(level) {
            1 => &self.indices,
            _ => &self.by_lanes,
        };
        lanes::check(level, Job { puzzle: &verifier.puzzle, indices, stops_early })
    }
}
