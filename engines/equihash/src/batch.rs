// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Solutions of many puzzles, over all cores.

use rayon::prelude::*;

use crate::{EncodingError, Mask, Params, Rejection, Verifier};

/// A solution and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job<'j> {
    /// n and k.
    pub params: Params,
    /// All that is hashed before an index' number: in Zcash a block header with its nonce.
    pub input: &'j [u8],
    /// The solution in its minimal form.
    pub solution: &'j [u8],
}

/// Whether each of the solutions holds, as [`Verifier::verify`] says; over all cores of the
/// current thread pool. The results stand in the order of the jobs; jobs may be of different
/// parameters, and one that is not even the form of a solution does the others no harm.
///
/// ```
/// use halimede_equihash::{verify_batch, Check, EncodingError, Job, Params, Rejection};
///
/// let input = &[7; 140];
/// let results = verify_batch(&[
///     Job { params: Params::REGTEST, input, solution: &[0; 36] },
///     Job { params: Params::ZCASH, input, solution: b"short" },
/// ]);
/// assert_eq!(results[0], Err(Rejection::Failed(Check::Duplicate)));
/// let error = EncodingError::Bytes { got: 5, expected: 1344 };
/// assert_eq!(results[1], Err(Rejection::Encoding(error)));
/// ```
pub fn verify_batch(jobs: &[Job]) -> Vec<Result<(), Rejection>> {
    let verify = |job: &Job| Verifier::new(job.params, job.input).verify(job.solution);
    map(jobs, |job| job.params, verify)
}

/// Every check of each of the solutions, as [`Verifier::mask`] says; the rest is as for
/// [`verify_batch`].
pub fn mask_batch(jobs: &[Job]) -> Vec<Result<Mask, EncodingError>> {
    let mask = |job: &Job| Verifier::new(job.params, job.input).mask(job.solution);
    map(jobs, |job| job.params, mask)
}

/// Hashes that are worth a turn of a thread, at least.
const HASHES_A_TURN: usize = 512;

/// Maps over all cores, with so many items a turn that handing it out costs little.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    params: impl Fn(&T) -> Params,
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    if rayon::current_num_threads() == 1 {
        return items.iter().map(work).collect();
    }
    let hashes = items.first().map_or(1, |item| params(item).indices());
    let turn = (HASHES_A_TURN / hashes).max(1);
    items.par_iter().with_min_len(turn).map(work).collect()
}
