// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Number-theoretic transforms over the scalar field of BLS12-381 (Pollard: "The fast Fourier
//! transform in a finite field", 1971), in place, on the threads of the current rayon pool.
//!
//! A block of n coefficients is a polynomial modulo x^n − ζ². One level splits it into its residues
//! modulo x^(n/2) − ζ and x^(n/2) + ζ, with one product for each pair; single coefficients are
//! values. So values are in bit-reversed order, and each block has one root ([`roots`]). The
//! inverse goes the same way back. A transform of 2^k elements takes k·2^(k − 1) products, less
//! those by the root 1.
//!
//! The time does not depend on the elements.

mod lanes;
pub mod roots;
mod serial;

#[cfg(test)]
mod tests;

pub use roots::Generator;

use rayon::prelude::*;

use crate::lanes as lane;
use crate::serial::run;
use crate::{Backend, Fr};
use lanes::{lane_root, EvaluateInLanes, InterpolateInLanes, LaneRoots, LevelInLanes};
use roots::{block_roots, TWO_ADICITY};
use serial::{EvaluateBlock, EvaluateLevel, InterpolateBlock, InterpolateLevel};

/// The number of elements of a block that one thread transforms within its L2 cache.
const BLOCK: usize = 1 << 12;

/// The same in lanes, where values take 40 bytes.
const BLOCK_IN_LANES: usize = 1 << 14;

const _: () = assert!(BLOCK_IN_LANES.ilog2() <= lanes::MOST_LEVELS && BLOCK < BLOCK_IN_LANES);

/// The number of pairs of a thread's part of a level.
const PART: usize = 1 << 12;

/// The largest size of a domain is 2 to this power: its cosets need a root of twice that order.
pub const MOST_LOG_SIZE: u32 = TWO_ADICITY - 1;

/// The ring of the polynomials of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ring {
    /// Modulo x^n − 1: values at the powers of ω, the root of order n.
    Cyclic,
    /// Modulo x^n + 1: values at ω₂ times these powers, where ω₂ is the root of order 2n.
    Negacyclic,
}

impl Ring {
    /// Returns the index of the root of the whole polynomial.
    const fn block(self) -> usize {
        match self {
            Self::Cyclic => 0,
            Self::Negacyclic => 1,
        }
    }
}

/// The roots of unity for polynomials with 2^k coefficients: 32 bytes for each, and 40 for lanes.
#[derive(Clone, Debug)]
pub struct Domain {
    generator: Generator,
    log_size: u32,
    roots: Vec<Fr>,
    /// The same roots for lanes, and then −1; empty without lanes.
    lane_roots: Vec<[u64; 5]>,
    backend: Backend,
}

impl Domain {
    /// Creates the domain of 2^log_size points. `None` if log_size is above [`MOST_LOG_SIZE`].
    pub fn new(generator: Generator, log_size: u32) -> Option<Self> {
        if log_size > MOST_LOG_SIZE {
            return None;
        }
        let (roots, lane_roots) = (block_roots(generator, log_size), Vec::new());
        let domain = Self { generator, log_size, roots, lane_roots, backend: Backend::Portable };
        Some(domain.with_backend(Backend::active()))
    }

    /// The same domain, whose transforms run with a backend, or the best of this processor if it
    /// lacks that backend.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self.lane_roots.clear();
        if lane::available(backend) && self.size() >= lanes::LEAST_BLOCK {
            let all = self.roots.iter().copied().chain([-Fr::ONE]);
            self.lane_roots.extend(all.map(lane_root));
        }
        self
    }

    /// Returns the roots for lanes, if blocks of a size are computed in lanes.
    fn in_lanes(&self, size: usize) -> Option<LaneRoots<'_>> {
        let (minus_one, roots) = self.lane_roots.split_last()?;
        (size >= lanes::LEAST_BLOCK).then_some(LaneRoots { roots, minus_one })
    }

    /// Returns the number n of points.
    pub const fn size(&self) -> usize {
        1 << self.log_size
    }

    /// Returns ω, the root of order n.
    pub fn root(&self) -> Fr {
        self.generator.root_of_order(self.log_size)
    }

    /// Returns 1/n.
    pub fn size_inverse(&self) -> Fr {
        Fr::from(self.size() as u64).inverse().unwrap_or_default()
    }

    /// Returns 1/2.
    pub fn half() -> Fr {
        Fr::from(2).inverse().unwrap_or_default()
    }

    /// Replaces coefficients by the values at 1, ω, ω², …
    ///
    /// # Panics
    /// If there are not n of them.
    pub fn evaluate(&self, coefficients: &mut [Fr]) {
        self.evaluate_reversed(Ring::Cyclic, coefficients);
        bit_reverse(coefficients);
    }

    /// Replaces values at 1, ω, ω², … by the coefficients.
    ///
    /// # Panics
    /// If there are not n of them.
    pub fn interpolate(&self, values: &mut [Fr]) {
        bit_reverse(values);
        self.interpolate_reversed(Ring::Cyclic, values);
        let scale = self.size_inverse();
        values.par_chunks_mut(PART).for_each(|part| part.iter_mut().for_each(|x| *x *= scale));
    }

    /// Replaces coefficients by the values at g, gω, gω², …
    ///
    /// # Panics
    /// If there are not n of them.
    pub fn evaluate_on_coset(&self, coefficients: &mut [Fr], g: Fr) {
        multiply_by_powers(coefficients, Fr::ONE, g);
        self.evaluate(coefficients);
    }

    /// Replaces values at g, gω, gω², … by the coefficients. `None` if g is 0.
    ///
    /// # Panics
    /// If there are not n of them.
    #[must_use]
    pub fn interpolate_from_coset(&self, values: &mut [Fr], g: Fr) -> Option<()> {
        let inverse = g.inverse()?;
        bit_reverse(values);
        self.interpolate_reversed(Ring::Cyclic, values);
        multiply_by_powers(values, self.size_inverse(), inverse);
        Some(())
    }

    /// Replaces coefficients by values in bit-reversed order.
    ///
    /// # Panics
    /// If there are not n of them.
    pub fn evaluate_reversed(&self, ring: Ring, coefficients: &mut [Fr]) {
        assert_eq!(coefficients.len(), self.size(), "the size of the domain");
        self.evaluate_block(coefficients, ring.block());
    }

    /// Replaces values in bit-reversed order by n times the coefficients.
    ///
    /// # Panics
    /// If there are not n of them.
    pub fn interpolate_reversed(&self, ring: Ring, values: &mut [Fr]) {
        assert_eq!(values.len(), self.size(), "the size of the domain");
        self.interpolate_block(values, ring.block());
    }

    fn evaluate_block(&self, values: &mut [Fr], block: usize) {
        let (roots, lane_roots) = (&self.roots[..], self.in_lanes(values.len()));
        match lane_roots {
            _ if values.len() < 2 => return,
            Some(roots) if values.len() <= BLOCK_IN_LANES => {
                let kernel = EvaluateInLanes { values: &mut *values, block, roots };
                return lane::run(self.backend, kernel).unwrap_or_default();
            }
            None if values.len() <= BLOCK => {
                return run(self.backend, EvaluateBlock { values, block, roots });
            }
            _ => (),
        }
        let (low, high) = values.split_at_mut(values.len() / 2);
        low.par_chunks_mut(PART).zip(high.par_chunks_mut(PART)).for_each(|(low, high)| {
            match lane_roots {
                None => run(self.backend, EvaluateLevel { low, high, root: roots[block] }),
                Some(roots) => {
                    let kernel = LevelInLanes { low, high, block, roots, inverse: false };
                    lane::run(self.backend, kernel).unwrap_or_default();
                }
            }
        });
        rayon::join(
            || self.evaluate_block(low, 2 * block),
            || self.evaluate_block(high, 2 * block + 1),
        );
    }

    fn interpolate_block(&self, values: &mut [Fr], block: usize) {
        let (roots, lane_roots) = (&self.roots[..], self.in_lanes(values.len()));
        match lane_roots {
            _ if values.len() < 2 => return,
            Some(roots) if values.len() <= BLOCK_IN_LANES => {
                let kernel = InterpolateInLanes { values: &mut *values, block, roots };
                return lane::run(self.backend, kernel).unwrap_or_default();
            }
            None if values.len() <= BLOCK => {
                return run(self.backend, InterpolateBlock { values, block, roots });
            }
            _ => (),
        }
        let (low, high) = values.split_at_mut(values.len() / 2);
        rayon::join(
            || self.interpolate_block(low, 2 * block),
            || self.interpolate_block(high, 2 * block + 1),
        );
        low.par_chunks_mut(PART).zip(high.par_chunks_mut(PART)).for_each(|(low, high)| {
            match lane_roots {
                None => run(self.backend, InterpolateLevel { low, high, block, roots }),
                Some(roots) => {
                    let kernel = LevelInLanes { low, high, block, roots, inverse: true };
                    lane::run(self.backend, kernel).unwrap_or_default();
                }
            }
        });
    }
}

/// Returns the index of the root −1/ζᵢ, for i above 0: its exponent is half a turn minus that of
/// ζᵢ, which flips all bits of the index below the highest.
#[inline(always)]
const fn roots_of_inverse(index: usize) -> usize {
    index ^ ((1 << index.ilog2()) - 1)
}

/// Moves each element to the index with the bits in reverse order.
///
/// # Panics
/// If the number of elements is not a power of two.
pub fn bit_reverse<T>(elements: &mut [T]) {
    assert!(elements.len().is_power_of_two(), "a power of two");
    let bits = elements.len().ilog2();
    for index in 0..elements.len() {
        let reversed = reversed(index, bits);
        if index < reversed {
            elements.swap(index, reversed);
        }
    }
}

/// Returns an index with its lowest `bits` bits in reverse order, for an index below 2^bits.
pub const fn reversed(index: usize, bits: u32) -> usize {
    match bits {
        0 => index,
        _ => index.reverse_bits() >> (usize::BITS - bits),
    }
}

/// Multiplies element i by first·gⁱ.
fn multiply_by_powers(elements: &mut [Fr], first: Fr, g: Fr) {
    elements.par_chunks_mut(PART).enumerate().for_each(|(number, part)| {
        let mut power = first * g.pow(&[(number * PART) as u64]);
        for element in part {
            *element *= power;
            power *= g;
        }
    });
}
