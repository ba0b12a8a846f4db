// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The constants of a permutation, and those of its optimized rounds (Filecoin specification,
//! Poseidon, "Optimized round constants", "Sparse MDS matrices").

use std::marker::PhantomData;

use ff::PrimeField;
use halimede_poseidon::RoundNumbers;

use crate::arity::Arity;
use crate::field::round_constants;
use crate::hash_type::HashType;
use crate::matrix::{cauchy, from_fn, inverse, minor, multiply, row_times, transpose, Matrix};
use crate::native;
use crate::Strength;

const DEFAULT_STRENGTH: Strength = Strength::Standard;

/// The constants of one width, strength and hash type. Create them once: it takes milliseconds.
///
/// The fields are for reading. The hashes of the constants of [`Self::new`] and its relatives do
/// not depend on a field that is changed afterwards.
#[derive(Debug, PartialEq, Eq)]
pub struct PoseidonConstants<F: PrimeField, A: Arity<F>> {
    /// The linear layer, and matrices that follow from it.
    pub mds_matrices: MdsMatrices<F>,
    /// The round constants of the plain rounds, t per round.
    pub round_constants: Option<Vec<F>>,
    /// The constants of the optimized rounds: t before the first round, t after each full round
    /// except the last one, one after each partial round.
    pub compressed_round_constants: Vec<F>,
    /// The linear layer of the last full round before the partial rounds.
    pub pre_sparse_matrix: Matrix<F>,
    /// The linear layers of the partial rounds.
    pub sparse_matrixes: Vec<SparseMatrix<F>>,
    /// The security margin.
    pub strength: Strength,
    /// The first element of the state.
    pub domain_tag: F,
    /// The number R_F of full rounds.
    pub full_rounds: usize,
    /// Half of the number of full rounds.
    pub half_full_rounds: usize,
    /// The number R_P of partial rounds.
    pub partial_rounds: usize,
    /// The use of the hash.
    pub hash_type: HashType<F, A>,
    /// Set if halimede-poseidon has the permutation.
    pub(crate) is_native: bool,
    pub(crate) _a: PhantomData<A>,
}

/// A linear layer M and its parts: M = M′·M″ with a sparse M″.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdsMatrices<F: PrimeField> {
    /// M, by rows.
    pub m: Matrix<F>,
    /// The inverse of M.
    pub m_inv: Matrix<F>,
    /// M without its first row and column.
    pub m_hat: Matrix<F>,
    /// The inverse of `m_hat`.
    pub m_hat_inv: Matrix<F>,
    /// M′: `m_hat` with a first row and column of the identity.
    pub m_prime: Matrix<F>,
    /// M″: the identity, except for its first row and column.
    pub m_double_prime: Matrix<F>,
}

/// A matrix that is the identity, except for its first column and row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparseMatrix<F: PrimeField> {
    /// The first column, t elements.
    pub w_hat: Vec<F>,
    /// The first row without its first element.
    pub v_rest: Vec<F>,
}

impl<F: PrimeField> MdsMatrices<F> {
    /// # Panics
    /// `m` or its minor is singular.
    fn new(m: Matrix<F>) -> Self {
        const REGULAR: &str = "the linear layer and its minor are regular";
        let (size, m_hat) = (m.len(), minor(&m));
        let m_hat_inv = inverse(&m_hat).expect(REGULAR);
        let unit = |i, j| if i == j { F::ONE } else { F::ZERO };
        let m_prime = from_fn(size, |i, j| match i * j {
            0 => unit(i, j),
            _ => m[i][j],
        });
        let below = |i: usize| -> F { (1..size).map(|k| m_hat_inv[i - 1][k - 1] * m[k][0]).sum() };
        let m_double_prime = from_fn(size, |i, j| match (i, j) {
            (0, _) => m[0][j],
            (_, 0) => below(i),
            _ => unit(i, j),
        });
        let m_inv = inverse(&m).expect(REGULAR);
        Self { m, m_inv, m_hat, m_hat_inv, m_prime, m_double_prime }
    }

    fn sparse(&self) -> SparseMatrix<F> {
        let m = &self.m_double_prime;
        SparseMatrix { w_hat: m.iter().map(|row| row[0]).collect(), v_rest: m[0][1..].to_vec() }
    }
}

/// Returns the numbers of full and partial rounds of an arity.
///
/// # Panics
/// No round numbers are secure, which no arity up to 36 meets.
pub fn round_numbers(arity: usize, strength: Strength) -> (usize, usize) {
    let rounds = RoundNumbers::filecoin(arity + 1, strength.into());
    let rounds = rounds.expect("no round numbers are secure for this arity");
    (rounds.full, rounds.partial)
}

impl<F: PrimeField, A: Arity<F>> PoseidonConstants<F, A> {
    /// Returns the constants of a Merkle tree, of standard strength.
    pub fn new() -> Self {
        Self::new_with_strength(DEFAULT_STRENGTH)
    }

    /// Returns the constants of preimages of `length` elements, of standard strength.
    pub fn new_constant_length(length: usize) -> Self {
        Self::new_with_strength_and_type(DEFAULT_STRENGTH, HashType::ConstantLength(length))
    }

    /// Returns these constants for another length.
    ///
    /// # Panics
    /// The length exceeds the arity, or the constants have another type than
    /// [`HashType::ConstantLength`].
    pub fn with_length(&self, length: usize) -> Self {
        let (arity, is_constant) =
            (A::to_usize(), matches!(self.hash_type, HashType::ConstantLength(_)));
        assert!(length <= arity, "length {length} exceeds the arity {arity}");
        assert!(is_constant, "the hash type must be ConstantLength");
        let hash_type = HashType::ConstantLength(length);
        Self { domain_tag: hash_type.domain_tag(), hash_type, ..self.clone() }
    }

    /// Returns the constants of a Merkle tree.
    pub fn new_with_strength(strength: Strength) -> Self {
        Self::new_with_strength_and_type(strength, HashType::MerkleTree)
    }

    /// Returns the constants of a strength and a use.
    ///
    /// # Panics
    /// The use is not supported ([`HashType::is_supported`]).
    pub fn new_with_strength_and_type(strength: Strength, hash_type: HashType<F, A>) -> Self {
        assert!(hash_type.is_supported(), "this hash type is not supported");
        let width = A::to_usize() + 1;
        let (full, partial) = round_numbers(A::to_usize(), strength);
        let constants = round_constants(width, RoundNumbers { full, partial });
        let m = cauchy(width);
        let is_native = native::has::<F>(width);
        let general =
            Self::new_from_parameters(width, m, constants, full, partial, hash_type, strength);
        Self { is_native, ..general }
    }

    /// Returns the constants of any linear layer `m` (by rows; the state is a column) and any
    /// round constants.
    ///
    /// # Panics
    /// There are fewer than t·(R_F + R_P) round constants, the matrix does not have t rows and
    /// columns, R_F is odd or zero, or a matrix that must be inverted is singular.
    pub fn new_from_parameters(
        width: usize,
        m: Matrix<F>,
        round_constants: Vec<F>,
        full_rounds: usize,
        partial_rounds: usize,
        hash_type: HashType<F, A>,
        strength: Strength,
    ) -> Self {
        let is_square = m.len() == width && m.iter().all(|row| row.len() == width);
        assert!(is_square, "the linear layer must have {width} rows and columns");
        let is_even = full_rounds > 0 && full_rounds.is_multiple_of(2);
        assert!(is_even, "the number of full rounds must be even, got {full_rounds}");
        let (got, expected) = (round_constants.len(), width * (full_rounds + partial_rounds));
        assert!(got >= expected, "expected {expected} round constants, got {got}");
        // The specification multiplies rows of a state by the matrix from the right.
        let layer = transpose(&m);
        let rounds = RoundNumbers { full: full_rounds, partial: partial_rounds };
        let (pre_sparse_matrix, sparse_matrixes) = factorize(&layer, partial_rounds);
        let mds_matrices = MdsMatrices::new(m);
        let inverse_layer = transpose(&mds_matrices.m_inv);
        Self {
            compressed_round_constants: compress(&round_constants, &inverse_layer, rounds),
            mds_matrices,
            round_constants: Some(round_constants),
            pre_sparse_matrix,
            sparse_matrixes,
            strength,
            domain_tag: hash_type.domain_tag(),
            full_rounds,
            half_full_rounds: full_rounds / 2,
            partial_rounds,
            hash_type,
            is_native: false,
            _a: PhantomData,
        }
    }

    /// The number of elements per hash.
    pub fn arity(&self) -> usize {
        A::to_usize()
    }

    /// The number of elements of the state: the arity plus one.
    pub fn width(&self) -> usize {
        A::to_usize() + 1
    }
}

impl<F: PrimeField, A: Arity<F>> Default for PoseidonConstants<F, A> {
    fn default() -> Self {
        Self::new()
    }
}

// A derived clone would require `A: Clone`.
impl<F: PrimeField, A: Arity<F>> Clone for PoseidonConstants<F, A> {
    fn clone(&self) -> Self {
        Self {
            mds_matrices: self.mds_matrices.clone(),
            round_constants: self.round_constants.clone(),
            compressed_round_constants: self.compressed_round_constants.clone(),
            pre_sparse_matrix: self.pre_sparse_matrix.clone(),
            sparse_matrixes: self.sparse_matrixes.clone(),
            hash_type: self.hash_type.clone(),
            ..*self
        }
    }
}

/// Moves the round constants through the inverse linear layer, so that partial rounds need one each
/// ("Optimized round constants").
fn compress<F: PrimeField>(constants: &[F], inverse: &Matrix<F>, rounds: RoundNumbers) -> Vec<F> {
    let (width, half) = (inverse.len(), rounds.full / 2);
    let of_round = |round: usize| &constants[round * width..][..width];
    let mut compressed = of_round(0).to_vec();
    for round in 1..half {
        compressed.extend(row_times(of_round(round), inverse));
    }
    let mut accumulated = of_round(half + rounds.partial).to_vec();
    let mut partial = Vec::with_capacity(rounds.partial);
    for round in (half..half + rounds.partial).rev() {
        accumulated = row_times(&accumulated, inverse);
        partial.push(accumulated[0]);
        accumulated[0] = F::ZERO;
        accumulated.iter_mut().zip(of_round(round)).for_each(|(sum, constant)| *sum += constant);
    }
    compressed.extend(row_times(&accumulated, inverse));
    compressed.extend(partial.iter().rev());
    for round in half + rounds.partial + 1..rounds.full + rounds.partial {
        compressed.extend(row_times(of_round(round), inverse));
    }
    compressed
}

/// Factorizes the linear layers of the partial rounds into one dense matrix and a sparse one per
/// round ("Sparse MDS matrices").
fn factorize<F: PrimeField>(
    layer: &Matrix<F>,
    partial_rounds: usize,
) -> (Matrix<F>, Vec<SparseMatrix<F>>) {
    let mut sparse = Vec::with_capacity(partial_rounds);
    let mut dense = layer.clone();
    for _ in 0..partial_rounds {
        let factors = MdsMatrices::new(dense);
        sparse.push(factors.sparse());
        dense = multiply(layer, &factors.m_prime);
    }
    sparse.reverse();
    (dense, sparse)
}
