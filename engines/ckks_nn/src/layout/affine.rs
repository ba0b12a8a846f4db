// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A layer's values as affine functions of ciphertexts.

use std::collections::BTreeMap;
use std::ops::Range;

use super::matrix::Matrix;
use super::operators::matrix_of;
use crate::error::NetworkError;
use crate::graph::{Graph, Node, Operator};

/// A ciphertext from which layers take values: the input, or the result of an activation.
pub type Base = usize;

/// Σ Mₖ·xₖ + b for the vectors xₖ of some ciphertexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// The matrices Mₖ by ciphertext.
    pub terms: BTreeMap<Base, Matrix>,
    /// The constants b.
    pub constants: Vec<f64>,
}

impl Affine {
    /// Returns zeros.
    pub fn zeros(size: usize) -> Self {
        Self { terms: BTreeMap::new(), constants: vec![0.0; size] }
    }

    /// Returns the values of a ciphertext times a factor.
    pub fn of_base(base: Base, size: usize, factor: f64) -> Self {
        let terms = BTreeMap::from([(base, Matrix::scaled_identity(size, factor))]);
        Self { terms, constants: vec![0.0; size] }
    }

    /// Returns the values of a node that is not an activation.
    ///
    /// # Errors
    /// [`NetworkError::Limit`] for too many entries.
    pub fn of_node(graph: &Graph, node: &Node, operands: &[&Self]) -> Result<Self, NetworkError> {
        let shape = &graph.node(node.inputs[0]).shape;
        match &node.operator {
            Operator::Add => Ok(operands[0].plus(operands[1])),
            Operator::Subtract => Ok(operands[0].plus(&operands[1].times(-1.0))),
            Operator::Concat => Ok(Self::concat(operands)),
            Operator::Reshape(_) => Ok(operands[0].clone()),
            operator => {
                let (matrix, constants) = matrix_of(operator, shape);
                operands[0].mapped(&matrix, &constants)
            }
        }
    }

    /// Returns M·self + b.
    fn mapped(&self, matrix: &Matrix, constants: &[f64]) -> Result<Self, NetworkError> {
        let product = |(base, term): (&Base, &Matrix)| Ok((*base, matrix.times(term)?));
        let products = self.terms.iter().map(product).collect::<Result<Vec<_>, NetworkError>>()?;
        // A ciphertext whose matrix is 0 needs no term.
        let terms = products.into_iter().filter(|(_, matrix)| !matrix.is_zero()).collect();
        let own = matrix.apply(&self.constants);
        let constants = own.iter().zip(constants).map(|(own, more)| own + more).collect();
        Ok(Self { terms, constants })
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (base, matrix) in &other.terms {
            let own = sum.terms.get(base).map_or_else(|| matrix.clone(), |own| own.plus(matrix));
            sum.terms.insert(*base, own);
        }
        sum.constants.iter_mut().zip(&other.constants).for_each(|(sum, more)| *sum += more);
        sum
    }

    /// Returns the values of a range.
    pub fn rows(&self, range: Range<usize>) -> Self {
        if range == (0..self.constants.len()) {
            return self.clone();
        }
        let of_range = |(base, matrix): (&Base, &Matrix)| (*base, matrix.rows(range.clone()));
        let terms = self.terms.iter().map(of_range).filter(|(_, matrix)| !matrix.is_zero());
        Self { terms: terms.collect(), constants: self.constants[range.clone()].to_vec() }
    }

    /// Returns the concatenated values of parts.
    pub fn concat(parts: &[&Self]) -> Self {
        if let [only] = parts {
            return (*only).clone();
        }
        let size: usize = parts.iter().map(|part| part.constants.len()).sum();
        let mut all = Self { terms: BTreeMap::new(), constants: Vec::with_capacity(size) };
        for part in parts {
            let (above, own) = (all.constants.len(), part.constants.len());
            for (base, matrix) in &part.terms {
                let placed = matrix.clone().between(above, size - above - own);
                let sum =
                    all.terms.get(base).map_or_else(|| placed.clone(), |sum| sum.plus(&placed));
                all.terms.insert(*base, sum);
            }
            all.constants.extend(&part.constants);
        }
        all
    }

    /// Returns the same values after `zeros` zeros.
    pub fn below(self, zeros: usize) -> Self {
        let place = |(base, matrix): (Base, Matrix)| (base, matrix.between(zeros, 0));
        let mut constants = vec![0.0; zeros];
        constants.extend(self.constants);
        Self { terms: self.terms.into_iter().map(place).collect(), constants }
    }

    /// Returns (self − middle)/radius.
    pub fn normalized(mut self, middle: f64, radius: f64) -> Self {
        self.constants.iter_mut().for_each(|constant| *constant -= middle);
        self.times(1.0 / radius)
    }

    /// Returns all values times a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let mut product = self.clone();
        product.terms.values_mut().for_each(|matrix| matrix.scale(factor));
        product.constants.iter_mut().for_each(|constant| *constant *= factor);
        product
    }

    /// Returns the ciphertexts and their numbers if the values are Σ kₖ·xₖ + b, where each matrix
    /// is a number times the identity. `size` returns the number of values of a ciphertext.
    pub fn scalars(&self, size: impl Fn(Base) -> usize) -> Option<Vec<(Base, f64)>> {
        let rows = self.constants.len();
        let of_term = |(base, matrix): (&Base, &Matrix)| {
            matrix.scalar().filter(|_| size(*base) == rows).map(|number| (*base, number))
        };
        self.terms.iter().map(of_term).collect()
    }

    /// Returns consecutive ranges of the values, and the first ciphertext in each, if all values
    /// are numbers times ciphertexts.
    pub fn scalar_parts(&self, size: impl Fn(Base) -> usize) -> Option<Vec<(Range<usize>, Base)>> {
        let of_term = |(base, matrix): (&Base, &Matrix)| {
            let (range, _) =
                matrix.scalar_block().filter(|(range, _)| range.len() == size(*base))?;
            Some((range, *base))
        };
        let mut parts = self.terms.iter().map(of_term).collect::<Option<Vec<_>>>()?;
        parts.sort_by_key(|(range, base)| (range.start, range.end, *base));
        parts.dedup_by(|(range, _), (before, _)| range == before);
        let ends = std::iter::once(0).chain(parts.iter().map(|(range, _)| range.end));
        let follow = parts.iter().zip(ends).all(|((range, _), end)| range.start == end);
        let is_whole = parts.last()?.0.end == self.constants.len();
        (follow && is_whole).then_some(parts)
    }

    /// Returns the largest absolute value for bounded ciphertexts.
    pub fn largest(&self, bound: impl Fn(Base) -> f64) -> f64 {
        let mut sums: Vec<f64> = self.constants.iter().map(|constant| constant.abs()).collect();
        for (base, matrix) in &self.terms {
            let bound = bound(*base);
            matrix.entries().for_each(|(row, _, x)| sums[row] += x.abs() * bound);
        }
        sums.into_iter().fold(0.0, f64::max)
    }
}
