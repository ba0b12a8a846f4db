// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's hashes on the width-3 permutation (Starknet documentation, "Cryptography", Poseidon).
//!
//! - `hash(x, y)` = P(x, y, 2)₀
//! - `hash_single(x)` = P(x, 0, 1)₀
//! - `hash_many`: a sponge of rate 2. The input, a 1, and a 0 if the length is then odd, are added
//!   in pairs to elements 0 and 1, with a permutation after each pair; the digest is element 0.

use halimede_arith::Felt;

use crate::optimized::permute_stark;

/// The width of the state of every Starknet hash.
pub const STARKNET_WIDTH: usize = 3;

/// The state of every Starknet hash.
pub type StarknetState = [Felt; STARKNET_WIDTH];

/// The input of a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StarknetInput {
    /// The input of [`hash`].
    Pair(Felt, Felt),
    /// The input of [`hash_single`].
    Single(Felt),
    /// The input of [`hash_many`].
    Many(Vec<Felt>),
}

/// Hashes a pair.
pub fn hash(x: Felt, y: Felt) -> Felt {
    permuted(pair_state(x, y))[0]
}

/// Hashes one element.
pub fn hash_single(x: Felt) -> Felt {
    permuted(single_state(x))[0]
}

/// Hashes any number of elements, including zero; allocates nothing.
pub fn hash_many(elements: &[Felt]) -> Felt {
    let absorb = |state, pair| permuted(absorbed(state, pair));
    padded_pairs(elements).fold([Felt::ZERO; 3], absorb)[0]
}

/// [`hash_many`] as an incremental hasher, in constant memory.
///
/// A clone continues from the state of the original, so a common prefix is absorbed only once.
///
/// ```
/// use halimede_arith::Felt;
/// use halimede_poseidon::starknet::{hash_many, Hasher};
///
/// let elements = [1, 2, 3].map(Felt::from);
/// let mut hasher = Hasher::new();
/// hasher.update(elements[0]);
/// hasher.update_slice(&elements[1..]);
/// assert_eq!(hasher.finalize(), hash_many(&elements));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hasher {
    state: StarknetState,
    /// The first element of an incomplete pair.
    waiting: Option<Felt>,
}

impl Hasher {
    /// Returns a hasher that has absorbed nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Absorbs one element.
    pub fn update(&mut self, element: Felt) {
        match self.waiting.take() {
            None => self.waiting = Some(element),
            Some(first) => self.absorb([first, element]),
        }
    }

    /// Absorbs elements in order.
    pub fn update_slice(&mut self, elements: &[Felt]) {
        let mut rest = elements;
        if let (Some(_), [second, others @ ..]) = (self.waiting, elements) {
            self.update(*second);
            rest = others;
        }
        let pairs = rest.chunks_exact(2);
        let last = pairs.remainder().first().copied();
        pairs.for_each(|pair| self.absorb([pair[0], pair[1]]));
        if let Some(element) = last {
            self.update(element);
        }
    }

    /// Returns the digest of everything absorbed so far; more elements may follow.
    pub fn finalize(&self) -> Felt {
        let waiting = self.waiting.as_slice();
        let absorb = |state, pair| permuted(absorbed(state, pair));
        padded_pairs(waiting).fold(self.state, absorb)[0]
    }

    fn absorb(&mut self, pair: [Felt; 2]) {
        self.state = permuted(absorbed(self.state, pair));
    }
}

impl Extend<Felt> for Hasher {
    fn extend<I: IntoIterator<Item = Felt>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.update(element));
    }
}

/// The state before the permutation of [`hash`].
pub fn pair_state(x: Felt, y: Felt) -> StarknetState {
    [x, y, Felt::from(2)]
}

/// The state before the permutation of [`hash_single`].
pub fn single_state(x: Felt) -> StarknetState {
    [x, Felt::ZERO, Felt::ONE]
}

/// Returns the pairs that [`hash_many`] absorbs, including the padding; there is at least one.
pub fn padded_pairs(elements: &[Felt]) -> impl Iterator<Item = [Felt; 2]> + '_ {
    let pairs = elements.chunks_exact(2);
    let last = match pairs.remainder() {
        [single] => [*single, Felt::ONE],
        _ => [Felt::ONE, Felt::ZERO],
    };
    pairs.map(|pair| [pair[0], pair[1]]).chain(std::iter::once(last))
}

/// Returns the state with a pair added to its first two elements.
pub fn absorbed(state: StarknetState, pair: [Felt; 2]) -> StarknetState {
    [state[0] + pair[0], state[1] + pair[1], state[2]]
}

fn permuted(mut state: StarknetState) -> StarknetState {
    permute_stark(&mut state);
    state
}
