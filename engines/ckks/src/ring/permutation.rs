// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Automorphisms of the ring, which permute the output of the forward transform.
//!
//! Index i has the value at ψ^e with e = 2·rev(i) + 1, and X → X^g takes it from the index of e·g.
//! The last bits of i are the first ones of e: indices that differ only in the last bits have
//! exponents e + 2^m·t. Their images e·g + 2^m·t·g also differ only in the first bits. Therefore
//! whole vectors are moved, and their lanes are reordered in one of a few orders: one for each
//! possible carry into the first bits.

use super::twiddles::reverse_bits;

/// A permutation of N words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    /// The source index of each word. All are below the number of words.
    places: Vec<u32>,
    vectors: Vectors,
}

/// The permutation as moves of whole vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Vectors {
    /// The number of words in a vector, or 0 if vectors are not moved as a whole.
    pub lanes: usize,
    /// The source vector of each vector, and the index of its order of lanes.
    pub moves: Vec<(u32, u32)>,
    /// Orders of lanes, with `lanes` words each, all below `lanes`.
    pub orders: Vec<u32>,
}

impl Permutation {
    /// The permutation by X → X^`exponent` of the values of a polynomial in bit-reversed order, for
    /// vectors of `lanes` words: index i gets the value of index `places()[i]`. `None` for an even
    /// exponent, which does not define an automorphism, and for N below 2 or above 2³¹.
    pub fn automorphism(log_degree: u32, exponent: u64, lanes: usize) -> Option<Self> {
        if exponent.is_multiple_of(2) || !(1..=31).contains(&log_degree) {
            return None;
        }
        let mask = (2u64 << log_degree) - 1;
        let place = |i: usize| {
            let power = (2 * reverse_bits(i, log_degree) as u64 + 1).wrapping_mul(exponent) & mask;
            reverse_bits((power >> 1) as usize, log_degree) as u32
        };
        let places: Vec<u32> = (0..1 << log_degree).map(place).collect();
        let vectors = Vectors::new(&places, lanes).unwrap_or_default();
        Some(Self { places, vectors })
    }

    /// The source index of each word.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The moves of whole vectors.
    #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
    pub(super) fn vectors(&self) -> &Vectors {
        &self.vectors
    }
}

impl Vectors {
    /// Returns `None` if the words of one vector come from several vectors.
    fn new(places: &[u32], lanes: usize) -> Option<Self> {
        if lanes < 2 || !places.len().is_multiple_of(lanes) {
            return None;
        }
        let (mut moves, mut orders) = (Vec::with_capacity(places.len() / lanes), Vec::new());
        for vector in places.chunks_exact(lanes) {
            let source = vector[0] / lanes as u32;
            if vector.iter().any(|place| place / lanes as u32 != source) {
                return None;
            }
            let order: Vec<u32> = vector.iter().map(|place| place % lanes as u32).collect();
            let known = orders.chunks_exact(lanes).position(|known| known == order);
            let number = known.unwrap_or_else(|| {
                orders.extend(&order);
                orders.len() / lanes - 1
            });
            moves.push((source, number as u32));
        }
        Some(Self { lanes, moves, orders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn automorphisms_move_whole_vectors_in_few_orders() {
        for log_degree in [5, 9, 13] {
            for exponent in [1, 3, 5, 125, 2047, (2 << log_degree) - 1] {
                for lanes in [8, 16] {
                    let permutation =
                        Permutation::automorphism(log_degree, exponent, lanes).unwrap();
                    let Vectors { moves, orders, lanes: of } = &permutation.vectors;
                    assert_eq!((*of, moves.len()), (lanes, (1 << log_degree) / lanes));
                    assert!(
                        orders.len() <= lanes * lanes,
                        "{} words of orders are too many",
                        orders.len()
                    );
                    for (place, from) in permutation.places().iter().enumerate() {
                        let (source, order) = moves[place / lanes];
                        let lane = orders[order as usize * lanes + place % lanes];
                        assert_eq!(source * lanes as u32 + lane, *from);
                    }
                }
            }
        }
        let alone = Permutation::automorphism(5, 3, 1).unwrap();
        assert_eq!(alone.vectors, Vectors::default());
    }
}
