// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of solutions of many puzzles, over all cores.

use halimede_arith::job::Columns;
use rayon::prelude::*;

use crate::Params;

/// The fewest hashes that are worth a task of a thread.
const HASHES_A_TURN: usize = 512;

/// Maps over all cores, in chunks large enough that distributing them costs little.
pub(crate) fn map<C: Columns, R: Send>(
    items: C,
    params: impl Fn(C::Row) -> Params,
    work: impl Fn(C::Row) -> R + Sync + Send,
) -> Vec<R> {
    if rayon::current_num_threads() == 1 {
        return items.rows().map(work).collect();
    }
    let hashes = items.rows().next().map_or(1, |item| params(item).indices());
    let turn = (HASHES_A_TURN / hashes).max(1);
    let rows = (0..items.len()).into_par_iter().with_min_len(turn);
    rows.map(|row| work(items.row(row))).collect()
}
