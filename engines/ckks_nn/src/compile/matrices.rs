// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The matrices of a circuit. Equal matrices share one object, as those of all steps of a recurrent
//! layer.

use std::collections::HashMap;
use std::sync::Arc;

use halimede_ckks::Diagonals;

use crate::layout::PlacedLayer;

/// The matrices so far, by properties that are cheap to compare.
#[derive(Default)]
pub(super) struct Matrices(HashMap<Key, Vec<Arc<Diagonals>>>);

/// The slots, the steps of diagonals, and the nonzero entries of the first one: their places and
/// bits.
type Key = (usize, Vec<usize>, Vec<(usize, u64)>);

impl Matrices {
    /// Replaces the matrices of a value by equal matrices seen before, and stores new ones.
    pub fn share(&mut self, placed: &mut PlacedLayer) {
        for matrix in placed.matrices.iter_mut().flat_map(|row| row.values_mut()) {
            let alike = self.0.entry(key(matrix)).or_default();
            match alike.iter().find(|other| *other == matrix) {
                Some(equal) => *matrix = Arc::clone(equal),
                None => alike.push(Arc::clone(matrix)),
            }
        }
    }
}

fn key(matrix: &Diagonals) -> Key {
    let steps: Vec<usize> = matrix.steps().collect();
    let first = steps.first().and_then(|step| matrix.diagonal(*step)).unwrap_or_default();
    let bits = first.iter().enumerate().map(|(place, entry)| (place, entry.re.to_bits()));
    (matrix.slots(), steps, bits.filter(|(_, bits)| *bits != 0).collect())
}
