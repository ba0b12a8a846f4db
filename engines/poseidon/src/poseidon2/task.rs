// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Permutation, compression and hash, and the operation that computes batches of them.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::job::{Amount, Compute};
use halimede_arith::{operation_over, Backend, Field};

use super::batch::Widths;
use super::field::{Poseidon2Field, PrimeField};
use super::instance::{Instance, Origin};
use super::{permute_with, ElementError, Elements};
use crate::batches::{by_key, in_chunks};
use crate::merkle::{self, MerkleError};

/// The number of elements that Noir's sponge absorbs per permutation.
const NOIR_RATE: usize = 3;

/// A function of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// The permutation of a state.
    Permute,
    /// The compression of two elements.
    ///
    /// - Horizen Labs, width 3: *truncation*, element 0 of the permuted (left, right, 0).
    /// - gnark-crypto, width 2: *feed-forward sum*, element 1 of the permuted (left, right) plus
    ///   right.
    Compress,
    /// The hash of any number of elements.
    ///
    /// - Noir and Barretenberg, `bn254-4`: `Poseidon2::hash`, a sponge of rate 3. Element 3 of the
    ///   state begins with the number of elements times 2⁶⁴; the last block is padded with zeros;
    ///   the digest is element 0.
    /// - gnark-crypto, width 2: the Merkle–Damgård chain of its compression, which begins with 0.
    ///   The chain does not encode the length.
    Hash,
}

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The origin of the instance defines no such function.
    #[error("{instance} has no published {}", match task {
        Task::Permute => "permutation",
        Task::Compress => "compression",
        Task::Hash => "hash",
    })]
    Undefined {
        /// The instance.
        instance: Instance,
        /// The function.
        task: Task,
    },
    /// The number of elements is wrong.
    #[error("expected {expected} elements, got {got}")]
    Count {
        /// The number that the function takes.
        expected: usize,
        /// The number of elements given.
        got: usize,
    },
    /// A number is not an element of the field.
    #[error(transparent)]
    Element(#[from] ElementError),
}

impl Task {
    /// Checks that the origin of an instance defines the function.
    ///
    /// # Errors
    /// [`RequestError::Undefined`].
    pub fn require(self, instance: Instance) -> Result<(), RequestError> {
        let is_defined = match (self, instance.origin()) {
            (Self::Permute, _) => true,
            (Self::Compress, Origin::Script { .. }) => instance.width() == 3,
            (Self::Compress | Self::Hash, Origin::Gnark { .. }) => instance.width() == 2,
            (Self::Hash, Origin::Script { .. }) => instance == Instance::NOIR,
        };
        is_defined.then_some(()).ok_or(RequestError::Undefined { instance, task: self })
    }
}

/// Elements of an instance's field and a function of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    instance: Instance,
    task: Task,
    elements: Elements,
}

impl Request {
    /// Reads canonical little-endian numbers.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn from_le_bytes(
        instance: Instance,
        task: Task,
        numbers: &[[u8; 32]],
    ) -> Result<Self, RequestError> {
        task.require(instance)?;
        let expected = match task {
            Task::Permute => instance.width(),
            Task::Compress => 2,
            Task::Hash => numbers.len(),
        };
        if numbers.len() != expected {
            return Err(RequestError::Count { expected, got: numbers.len() });
        }
        let elements = Elements::from_le_bytes(instance.field(), numbers)?;
        Ok(Self { instance, task, elements })
    }

    /// The instance.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The function.
    pub fn task(&self) -> Task {
        self.task
    }

    /// The elements.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }
}

/// Poseidon2's functions: a state or a digest for each request.
pub struct RunPoseidon2;

operation_over!(RunPoseidon2, Request, Elements, "poseidon2.run", |request| {
    request.elements.len().max(request.instance.width())
});

impl Compute for RunPoseidon2 {
    const BRIEF: Amount = Amount { requests: usize::MAX, units: 1 << 12 };
    const PIECE: Amount = Amount { requests: usize::MAX, units: 1 << 18 };

    fn instances() -> Vec<String> {
        Instance::all().map(|instance| instance.to_string()).collect()
    }

    fn compute(request: &Request) -> Elements {
        let empty = || Elements::new::<Bn254Scalar>(&[]);
        replies(Backend::active(), &[request]).pop().unwrap_or_else(empty)
    }

    fn compute_batch(requests: &[Request]) -> Vec<Elements> {
        let key = |request: &Request| (request.instance, request.task, request.elements.len());
        let answer = |requests: &[&Request]| replies(Backend::active(), requests);
        in_chunks(requests, |chunk| by_key(chunk, key, answer))
    }
}

/// Answers requests with the same instance, function and number of elements.
pub(super) fn replies(backend: Backend, requests: &[&Request]) -> Vec<Elements> {
    match requests.first().map(|request| request.instance.field()) {
        Some(PrimeField::Bls12381) => replies_over::<Bls12381Scalar>(backend, requests),
        Some(PrimeField::Bn254) => replies_over::<Bn254Scalar>(backend, requests),
        Some(PrimeField::Pallas) => replies_over::<PallasBase>(backend, requests),
        Some(PrimeField::Vesta) => replies_over::<VestaBase>(backend, requests),
        None => Vec::new(),
    }
}

fn replies_over<M: Widths>(backend: Backend, requests: &[&Request]) -> Vec<Elements> {
    let Some(first) = requests.first() else { return Vec::new() };
    let (instance, count) = (first.instance, first.elements.len());
    let all: Vec<Field<M>> =
        requests.iter().flat_map(|request| request.elements.of::<M>()).collect();
    match first.task {
        Task::Permute => {
            let mut states = all;
            permute_with(backend, instance, &mut states);
            states.chunks(instance.width()).map(Elements::new).collect()
        }
        Task::Compress => digests(&compressed(backend, instance, &all)),
        Task::Hash if instance == Instance::NOIR => {
            digests(&noir_hashes(backend, requests.len(), count, &all))
        }
        Task::Hash => digests(&chained(backend, instance, requests.len(), count, &all)),
    }
}

fn digests<M: Poseidon2Field>(digests: &[Field<M>]) -> Vec<Elements> {
    digests.iter().map(|digest| Elements::new(std::slice::from_ref(digest))).collect()
}

/// Compresses pairs that are stored contiguously. The instance has a compression.
fn compressed<M: Widths>(
    backend: Backend,
    instance: Instance,
    pairs: &[Field<M>],
) -> Vec<Field<M>> {
    let pairs = pairs.as_chunks::<2>().0;
    if instance.width() == 2 {
        let mut states = pairs.as_flattened().to_vec();
        permute_with(backend, instance, &mut states);
        let states = states.as_chunks::<2>().0;
        return states.iter().zip(pairs).map(|(state, pair)| state[1] + pair[1]).collect();
    }
    let mut states: Vec<[Field<M>; 3]> =
        pairs.iter().map(|[left, right]| [*left, *right, Field::ZERO]).collect();
    permute_with(backend, instance, states.as_flattened_mut());
    states.iter().map(|state| state[0]).collect()
}

/// Noir's hashes of `hashes` lists of `count` elements each.
fn noir_hashes<M: Widths>(
    backend: Backend,
    hashes: usize,
    count: usize,
    elements: &[Field<M>],
) -> Vec<Field<M>> {
    let start = Field::from_integer([0, count as u64, 0, 0]);
    let mut states = vec![[Field::ZERO, Field::ZERO, Field::ZERO, start]; hashes];
    for block in 0..count.div_ceil(NOIR_RATE).max(1) {
        let places = block * NOIR_RATE..count.min((block + 1) * NOIR_RATE);
        for (state, list) in states.iter_mut().zip(elements.chunks_exact(count.max(1))) {
            for (element, input) in state.iter_mut().zip(&list[places.clone()]) {
                *element += *input;
            }
        }
        permute_with(backend, Instance::NOIR, states.as_flattened_mut());
    }
    states.iter().map(|state| state[0]).collect()
}

/// The chains of compressions of `hashes` lists of `count` elements each.
fn chained<M: Widths>(
    backend: Backend,
    instance: Instance,
    hashes: usize,
    count: usize,
    elements: &[Field<M>],
) -> Vec<Field<M>> {
    let mut digests = vec![Field::ZERO; hashes];
    for place in 0..count {
        let lists = elements.chunks_exact(count);
        let pairs: Vec<Field<M>> =
            digests.iter().zip(lists).flat_map(|(digest, list)| [*digest, list[place]]).collect();
        digests = compressed(backend, instance, &pairs);
    }
    digests
}

/// Returns the rows of the full binary Merkle tree over these leaves, which are row 0; the last row
/// is the root. Each node is the compression of two nodes of the row below.
///
/// # Errors
/// [`MerkleError`] if the instance has no compression or the number of leaves is not a positive
/// power of 2.
pub fn tree<M: Widths>(
    instance: Instance,
    leaves: &[Field<M>],
) -> Result<Vec<Vec<Field<M>>>, MerkleError> {
    if Task::Compress.require(instance).is_err() || instance.field() != M::FIELD {
        return Err(MerkleError::NoCompression { instance: instance.name() });
    }
    merkle::rows(2, 2, leaves, |nodes| compressed(Backend::active(), instance, nodes))
}
