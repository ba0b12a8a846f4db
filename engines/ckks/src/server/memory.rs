// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of a server, known before it computes.

use super::server::Server;
use crate::keys::KeyUse;

impl Server {
    /// The bytes that the server takes besides the tables of its ring: its keys, the permutations and
    /// roots that they are used with, and the matrices of all bootstraps that there are keys for,
    /// encoded or not yet. What one computation takes and gives back is
    /// [`Plan::memory_bytes`](crate::Plan::memory_bytes).
    pub fn memory_bytes(&self) -> usize {
        let degree = self.parameters().degree();
        let is_rotation =
            |of: &KeyUse| matches!(of, KeyUse::Automorphism(_) | KeyUse::LowAutomorphism(_));
        let rotations = self.keys().iter().filter(|(of, _)| is_rotation(of)).count();
        // A permutation has a word for each place, and a pair for each vector.
        let permutations = rotations * degree * 3 * size_of::<u32>() / 2;
        // Of each number of slots, the roots of an embedding: as many as all slots have, twice.
        let roots = degree * size_of::<crate::Complex>();
        self.keys().bytes() + permutations + roots + self.bootstrapper().matrix_bytes()
    }
}
