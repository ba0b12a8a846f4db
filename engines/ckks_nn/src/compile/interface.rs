// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a network: the data that a client needs. It reveals nothing of the weights
//! except the norms in bounds and estimates, and constants after a softmax or sigmoid at the end.
//! [`Interface::save`] writes it for clients that must not receive the network.

use std::collections::BTreeMap;

use halimede_ckks::keys::{KeyUse, SwitchingKey};
use halimede_ckks::{Bound, Parameters};

use crate::calibrate::Range;
use crate::graph::Shape;
use crate::layout::{Batch, SlotPlace};
use crate::post_processing::PostProcessing;

/// The properties of a compiled network on which client and server agree.
#[derive(Clone, Debug)]
pub struct Interface {
    pub(crate) parameters: Parameters,
    pub(crate) keys: BTreeMap<KeyUse, usize>,
    pub(crate) level: usize,
    pub(crate) batch: Batch,
    /// The parts of the input, in order. Each part has its own ciphertexts. If the period of a part
    /// is shorter than its block, its vectors have the length of the period: CKKS repeats them in
    /// the slots.
    pub(crate) inputs: Vec<SlotPlace>,
    pub(crate) input_shape: Shape,
    pub(crate) input_range: Range,
    /// The shape of the scores, which are decrypted.
    pub(crate) score_shape: Shape,
    /// The parts of the result.
    pub(crate) outputs: Vec<SlotPlace>,
    /// The slot of the guard in blocks of the first part.
    pub(crate) guard: Option<usize>,
    /// The computation of values and labels from the scores.
    pub(crate) post_processing: Option<PostProcessing>,
}

impl Interface {
    /// Returns the parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the keys that the server needs, with the highest level at which each is used.
    pub fn keys(&self) -> &BTreeMap<KeyUse, usize> {
        &self.keys
    }

    /// Returns the size of those keys in a server's memory, in bytes.
    pub fn key_bytes(&self) -> usize {
        let bytes =
            |(of, level): (&KeyUse, &usize)| SwitchingKey::bytes_of(&self.parameters, *of, *level);
        // With addresses of 32 bits, a file can name more keys than fit.
        self.keys.iter().map(bytes).fold(0, usize::saturating_add)
    }

    /// Returns the level at which inputs are encrypted.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Returns the shape of an input.
    pub fn input_shape(&self) -> &Shape {
        &self.input_shape
    }

    /// Returns the shape of the network's values, after post-processing.
    pub fn output_shape(&self) -> &Shape {
        self.post_processing.as_ref().map_or(&self.score_shape, PostProcessing::shape)
    }

    /// Returns the computation of values and labels from the scores; `None` if the scores are the
    /// network's values.
    pub fn post_processing(&self) -> Option<&PostProcessing> {
        self.post_processing.as_ref()
    }

    /// Returns the number of slots of a vector.
    pub fn slots(&self) -> usize {
        self.batch.slots()
    }

    /// Returns the number of inputs that are encrypted together.
    pub fn batch(&self) -> usize {
        self.batch.inputs()
    }

    /// Returns `true` if results reveal whether an argument left its interval.
    pub fn has_guard(&self) -> bool {
        self.guard.is_some()
    }

    /// Returns the number of ciphertexts of an input, or of all inputs of a batch.
    pub fn input_ciphertexts(&self) -> usize {
        self.ciphertexts_of(&self.inputs)
    }

    /// Returns the number of ciphertexts of a result.
    pub fn output_ciphertexts(&self) -> usize {
        self.ciphertexts_of(&self.outputs)
    }

    /// Returns `true` if the values of an input repeat in its slots: its ciphertexts are then
    /// vectors of fewer values than those of the network.
    pub fn input_repeats(&self) -> bool {
        self.inputs.iter().any(|place| place.period < place.block)
    }

    /// Returns the number of values of each ciphertext of an input.
    pub(crate) fn input_lengths(&self) -> Vec<usize> {
        let of_part = |place: &SlotPlace| {
            let length = match place.period < place.block {
                true => place.period,
                false => self.slots(),
            };
            std::iter::repeat_n(length, self.batch.ciphertexts(place.block))
        };
        self.inputs.iter().flat_map(of_part).collect()
    }

    fn ciphertexts_of(&self, parts: &[SlotPlace]) -> usize {
        parts.iter().map(|part| self.batch.ciphertexts(part.block)).sum()
    }

    /// Returns the range in which the values of an input must lie.
    pub fn input_range(&self) -> Range {
        self.input_range
    }
}

/// Returns the parts of places that a client needs.
pub(super) fn blocks_of(places: &[SlotPlace]) -> Vec<SlotPlace> {
    places.iter().map(|place| SlotPlace { period: place.block, ..*place }).collect()
}

/// Returns the declared bound of an input's ciphertexts.
pub(crate) fn input_bound(range: Range, batch: Batch) -> Bound {
    let most = range.magnitude();
    match batch.is_paired() {
        true => Bound::complex(most.hypot(most)),
        false => Bound::between(range.low, range.high),
    }
}
