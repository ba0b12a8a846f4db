// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Predicts the memory of a server.

use super::server::Server;
use crate::keys::KeyUse;

impl Server {
    /// Returns the bytes that the server uses besides the tables of its ring: its keys, their
    /// permutations and roots, and the matrices of all bootstraps that have keys, whether encoded
    /// already or not. A computation temporarily uses
    /// [`Plan::memory_bytes`](crate::Plan::memory_bytes) in addition.
    pub fn memory_bytes(&self) -> usize {
        let degree = self.parameters().degree();
        let is_rotation =
            |of: &KeyUse| matches!(of, KeyUse::Automorphism(_) | KeyUse::LowAutomorphism(_));
        let rotations = self.keys().iter().filter(|(of, _)| is_rotation(of)).count();
        // A permutation has a word for each position, and a pair for each vector.
        let permutations = rotations * degree * 3 * size_of::<u32>() / 2;
        // The roots of an embedding for each number of slots: in total twice those for all slots.
        let roots = degree * size_of::<crate::Complex>();
        self.keys().bytes() + permutations + roots + self.bootstrapper().matrix_bytes()
    }
}
