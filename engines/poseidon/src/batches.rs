// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Division of batches into chunks for the cores and groups for the lanes.

use halimede_arith::{lanes, Backend};
use rayon::prelude::*;

/// The number of requests that fill the lanes of four groups of eight, at which lanes are fastest.
const FULL_LANES: usize = 32;
/// The fewest requests that are worth a separate thread on a backend without lanes.
const FEWEST: usize = 4;
/// The most requests that one thread answers at a time; their states fit in its caches.
const MOST: usize = 256;

/// Answers chunks of the requests over all cores of the current thread pool, in request order.
pub(crate) fn in_chunks<Request: Sync, Reply: Send>(
    requests: &[Request],
    answer: impl Fn(&[Request]) -> Vec<Reply> + Send + Sync,
) -> Vec<Reply> {
    // Four chunks per thread balance the load near the end.
    let share = requests.len().div_ceil(4 * rayon::current_num_threads());
    let unit = if lanes::available(Backend::active()) { FULL_LANES } else { FEWEST };
    let length = share.min(MOST).next_multiple_of(unit);
    if requests.len() <= length {
        return answer(requests);
    }
    requests.par_chunks(length).flat_map_iter(answer).collect()
}

/// Answers requests grouped by a key; the replies are in the order of the requests.
pub(crate) fn by_key<Request, Reply, Key: Ord>(
    requests: &[Request],
    key: impl Fn(&Request) -> Key,
    answer: impl Fn(&[&Request]) -> Vec<Reply>,
) -> Vec<Reply> {
    let mut sorted: Vec<(usize, &Request)> = requests.iter().enumerate().collect();
    sorted.sort_by_key(|(_, request)| key(request));
    let (places, sorted): (Vec<usize>, Vec<&Request>) = sorted.into_iter().unzip();
    let runs = sorted.chunk_by(|a, b| key(a) == key(b));
    let mut replies: Vec<(usize, Reply)> = places.into_iter().zip(runs.flat_map(answer)).collect();
    replies.sort_unstable_by_key(|(place, _)| *place);
    replies.into_iter().map(|(_, reply)| reply).collect()
}
