// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Infinitely long subspace trails: checks whether a subspace of states passes through any number
//! of partial rounds (Grassi, Rechberger, Schofnegger, "Proving Resistance Against Infinitely Long
//! Subspace Trails", eprint 2020/500), for one S-box per partial round, which acts on element 0.
//!
//! With one S-box the paper's three algorithms reduce to ranks of Krylov spaces; e₀ is the first
//! unit vector.
//!
//! - Algorithm 1 looks for a trail that never activates the S-box: a subspace S of {x : x₀ = 0}
//!   that every power of M maps into {x : x₀ = 0}. The largest is {x : e₀ᵀ·Mʲ·x = 0 for all j},
//!   which is 0 if and only if the vectors e₀ᵀ·Mʲ, j < t, span the space. The candidates of the
//!   algorithm at each length (Mⁱ a multiple of the identity, eigenvectors of Mⁱ in the space, an
//!   invariant space) lie in it, and if it is not 0 it is itself an invariant space.
//! - Algorithm 2 looks for an invariant space that contains e₀: the smallest is spanned by Mʲ·e₀,
//!   so only the whole space is invariant if and only if those vectors span it.
//! - Algorithm 3 looks for trails that repeat after 2 to 4t rounds: spaces V invariant under Mʳ
//!   that contain e₀, such that each intermediate image Mʲ·V either contains e₀ too (the S-box is
//!   active) or has x₀ = 0 throughout (the S-box is inactive).

use num_bigint::BigUint;

use super::field::RuntimeField;
use super::matrix::{multiply, multiply_vector, rank, Rows};

/// A kind of subspace trail of any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trail {
    /// The S-boxes never become active (algorithm 1).
    Inactive,
    /// An invariant subspace with active S-boxes (algorithm 2).
    Invariant,
    /// A trail that repeats after this many rounds (algorithm 3).
    Iterative {
        /// The number of rounds until the trail repeats.
        rounds: usize,
    },
}

/// Returns a trail that an invertible matrix lets through, if there is one.
pub(super) fn find_trail(field: &RuntimeField, matrix: &Rows) -> Option<Trail> {
    let width = matrix.len();
    if krylov_rank(field, &transpose(matrix)) < width {
        return Some(Trail::Inactive);
    }
    if krylov_rank(field, matrix) < width {
        return Some(Trail::Invariant);
    }
    let mut power = matrix.clone();
    for rounds in 2..=4 * width {
        power = multiply(field, &power, matrix);
        if krylov_rank(field, &power) < width && is_trail(field, matrix, &power, rounds) {
            return Some(Trail::Iterative { rounds });
        }
    }
    None
}

/// The dimension of the space spanned by Mʲ·e₀, j < t.
fn krylov_rank(field: &RuntimeField, matrix: &Rows) -> usize {
    rank(field, krylov_space(field, matrix))
}

/// The vectors Mʲ·e₀, j < t.
fn krylov_space(field: &RuntimeField, matrix: &Rows) -> Rows {
    let mut vectors = vec![unit_vector(matrix.len())];
    for _ in 1..matrix.len() {
        let next = vectors.last().map(|last| multiply_vector(field, matrix, last));
        vectors.extend(next);
    }
    vectors
}

/// Returns `true` if the smallest space that contains e₀ and is invariant under `power` = Mʳ also
/// passes through the partial rounds at each intermediate step M, M², ….
fn is_trail(field: &RuntimeField, matrix: &Rows, power: &Rows, rounds: usize) -> bool {
    let mut space = krylov_space(field, power);
    let dimension = rank(field, space.clone());
    (1..rounds).all(|_| {
        for vector in &mut space {
            *vector = multiply_vector(field, matrix, vector);
        }
        let inactive = space.iter().all(|vector| vector[0] == BigUint::ZERO);
        inactive || {
            let mut extended = space.clone();
            extended.push(unit_vector(matrix.len()));
            rank(field, extended) == dimension
        }
    })
}

fn unit_vector(size: usize) -> Vec<BigUint> {
    (0..size).map(|index| BigUint::from(u32::from(index == 0))).collect()
}

fn transpose(matrix: &Rows) -> Rows {
    (0..matrix.len()).map(|j| matrix.iter().map(|row| row[j].clone()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::matrix::sequential_cauchy;
    use super::*;

    fn field() -> RuntimeField {
        RuntimeField::new(BigUint::from(2_147_483_647u32))
    }

    fn rows<const N: usize>(entries: [[u32; N]; N]) -> Rows {
        entries.iter().map(|row| row.map(BigUint::from).to_vec()).collect()
    }

    #[test]
    fn matrices_with_each_kind_of_trail_are_found_out() {
        // Element 0 does not depend on the others.
        let deaf = rows([[1, 0, 0], [1, 1, 1], [1, 1, 2]]);
        assert_eq!(find_trail(&field(), &deaf), Some(Trail::Inactive));
        // The others do not depend on element 0; element 0 depends on them.
        let silent = rows([[1, 1, 2], [0, 1, 1], [0, 1, 2]]);
        assert_eq!(find_trail(&field(), &silent), Some(Trail::Invariant));
        // Elements 1 and 2 act alike: their difference never reaches element 0.
        let twins = rows([[1, 1, 1], [1, 2, 3], [1, 3, 2]]);
        assert_eq!(find_trail(&field(), &twins), Some(Trail::Inactive));
        // A cyclic shift brings e₀ back after 3 rounds; until then the S-box is inactive.
        let shift = rows([[0, 0, 1], [1, 0, 0], [0, 1, 0]]);
        assert_eq!(find_trail(&field(), &shift), Some(Trail::Iterative { rounds: 3 }));
        // With 4 elements, the space of elements 0 and 2 comes back after 2 rounds, scaled or not.
        let scaled = rows([[0, 0, 0, 3], [5, 0, 0, 0], [0, 7, 0, 0], [0, 0, 2, 0]]);
        assert_eq!(find_trail(&field(), &scaled), Some(Trail::Iterative { rounds: 2 }));
    }

    #[test]
    fn mds_matrices_can_have_trails() {
        // A circulant MDS matrix. Besides the eigenvector (1, 1, …, 1), the reversal of elements
        // 1.. commutes with it if the circulant is symmetric, which makes a trail.
        let symmetric = rows([[2, 3, 3], [3, 2, 3], [3, 3, 2]]);
        assert_eq!(find_trail(&field(), &symmetric), Some(Trail::Inactive));
    }

    #[test]
    fn cauchy_matrices_have_none() {
        for width in 2..=12 {
            let matrix = sequential_cauchy(&field(), width).unwrap();
            assert_eq!(find_trail(&field(), &matrix), None, "width {width}");
        }
    }

    /// Compares the shortcut for algorithm 1 with its definition, in a field small enough to try
    /// every vector.
    #[test]
    fn inactive_trails_are_those_that_trying_every_vector_finds() {
        let field = RuntimeField::new(BigUint::from(3u32));
        for number in 0..3u32.pow(9) {
            let entry = |index: usize| BigUint::from(number / 3u32.pow(index as u32) % 3);
            let matrix: Rows = (0..3).map(|i| (0..3).map(|j| entry(3 * i + j)).collect()).collect();
            if rank(&field, matrix.clone()) < 3 {
                continue;
            }
            let never_seen = (1..27u32).any(|vector| {
                let mut vector: Vec<BigUint> =
                    [1, 3, 9].map(|place| BigUint::from(vector / place % 3)).to_vec();
                // The order of a matrix of this size is at most 26.
                (0..26).all(|_| {
                    let unseen = vector[0] == BigUint::ZERO;
                    vector = multiply_vector(&field, &matrix, &vector);
                    unseen
                })
            });
            let found = find_trail(&field, &matrix) == Some(Trail::Inactive);
            assert_eq!(found, never_seen, "{matrix:?}");
        }
    }
}
