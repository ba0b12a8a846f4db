// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inputs and results of a network in slots, encrypted and decrypted.

use halimede_ckks::{Client, Complex, Values};
use zeroize::Zeroizing;

use super::ciphertexts::Ciphertexts;
use crate::calibrate::Range;
use crate::compile::{input_bound, Interface};
use crate::error::NetworkError;
use crate::layout::{Seat, SlotPlace};
use crate::post_processing::{Answer, Label};

/// The largest guard of a valid result: each argument that leaves its interval adds more.
const MOST_GUARD: f64 = 1.0;
/// The number of standard deviations of its error by which the guard of a valid result may lie
/// below 0: the guard is a sum of even powers.
const GUARD_DEVIATIONS: f64 = 8.0;

/// A network's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The network's values, after post-processing.
    pub values: Vec<f64>,
    /// The labels that the network itself states; empty for a network without labels.
    pub labels: Vec<Label>,
    /// The decrypted values. Without post-processing, they are the network's values.
    pub scores: Vec<f64>,
    /// The standard deviation of the scores' errors of encryption, and the largest error of signs.
    /// The errors of polynomials are not included.
    pub error: f64,
    /// The sum of the 16th powers of all arguments of activations, scaled to their intervals. It is
    /// below 1 for all valid results. `None` for a network without a guard.
    pub guard: Option<f64>,
}

/// The error limits of decrypted slots.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The standard deviation of the values' errors.
    pub error: f64,
    /// The tolerance of the guard.
    pub slack: f64,
}

impl Output {
    /// Returns the place of the largest of two or more values: the label of a classifier that
    /// states none. A single value has none.
    pub fn label(&self) -> Option<usize> {
        label(&self.values)
    }

    /// Returns the class of the input: the first label that the network states, or
    /// [`Self::label`].
    pub fn class(&self) -> Option<Label> {
        class(&self.labels, &self.values)
    }
}

/// Returns the first label, or the place of the largest of two or more values.
pub(super) fn class(labels: &[Label], values: &[f64]) -> Option<Label> {
    let place = || label(values).map(|place| Label::Integer(place as i64));
    labels.first().cloned().or_else(place)
}

/// Returns the place of the largest of two or more values.
pub fn label(values: &[f64]) -> Option<usize> {
    let places = values.iter().enumerate();
    let largest = places.max_by(|a, b| a.1.total_cmp(b.1)).map(|(place, _)| place);
    largest.filter(|_| values.len() > 1)
}

impl Interface {
    /// Encrypts an input with the key of a client. In a batch, the input fills all places.
    ///
    /// # Errors
    /// As [`Self::encrypt_all`].
    pub fn encrypt(&self, client: &mut Client, input: &[f64]) -> Result<Ciphertexts, NetworkError> {
        self.encrypt_all(client, &[input])
    }

    /// Encrypts the inputs of a batch, in order, with the key of a client. If there are fewer
    /// inputs than places, the last input fills the remaining places.
    ///
    /// # Errors
    /// [`NetworkError::Batch`] for no inputs, and for more than the batch has;
    /// [`NetworkError::Input`] if the number of values is wrong; [`NetworkError::InputRange`] for a
    /// value outside the calibrated range.
    pub fn encrypt_all<I: AsRef<[f64]>>(
        &self,
        client: &mut Client,
        inputs: &[I],
    ) -> Result<Ciphertexts, NetworkError> {
        let most = self.batch();
        let last = inputs.last().filter(|_| inputs.len() <= most);
        let Some(last) = last else {
            return Err(NetworkError::Batch { got: inputs.len(), most });
        };
        let input = |number| Some(inputs.get(number).unwrap_or(last).as_ref());
        let places: Vec<_> = (0..most).map(input).collect();
        self.encrypt_places(client, &places)
    }

    /// Encrypts an input in one place of a batch, from 0, with zeros in the others: a server can
    /// [join](super::NetworkServer::join) inputs in different places, and their results are in the
    /// same places.
    ///
    /// # Errors
    /// As [`Self::encrypt_all`], and [`NetworkError::Place`] for a place that does not exist, and
    /// for a network whose inputs cannot be 0.
    pub fn encrypt_in_place(
        &self,
        client: &mut Client,
        input: &[f64],
        place: usize,
    ) -> Result<Ciphertexts, NetworkError> {
        self.check_place(place)?;
        let places: Vec<_> = (0..self.batch()).map(|at| (at == place).then_some(input)).collect();
        self.encrypt_places(client, &places)
    }

    /// Checks a place of a batch for [`Self::encrypt_in_place`].
    ///
    /// # Errors
    /// [`NetworkError::Place`].
    pub fn check_place(&self, place: usize) -> Result<(), NetworkError> {
        let (batch, Range { low, high }) = (self.batch(), self.input_range);
        match place < batch && (low..=high).contains(&0.0) {
            true => Ok(()),
            false => Err(NetworkError::Place { place, batch, low, high }),
        }
    }

    /// Encrypts the input of each place, or zeros.
    fn encrypt_places(
        &self,
        client: &mut Client,
        places: &[Option<&[f64]>],
    ) -> Result<Ciphertexts, NetworkError> {
        places.iter().flatten().try_for_each(|input| self.check(input))?;
        let bound = input_bound(self.input_range, self.batch);
        // Slots without a value are multiplied by zeros, but their value must lie in the bound too.
        let none = 0f64.clamp(self.input_range.low, self.input_range.high);
        let none = match self.batch.is_paired() {
            true => Complex::default(),
            false => Complex::from(none),
        };
        let mut parts = Vec::with_capacity(self.input_ciphertexts());
        let mut first = 0;
        let mut lengths = self.input_lengths().into_iter();
        for place in &self.inputs {
            let count = place.packing.count();
            let vector = |length| Zeroizing::new(vec![none; length]);
            let mut vectors: Vec<_> =
                lengths.by_ref().take(self.batch.ciphertexts(place.block)).map(vector).collect();
            for (number, input) in places.iter().enumerate() {
                let Some(input) = input else { continue };
                let Seat { ciphertext, half, offset } = self.batch.seat(number, place.block);
                for (slot, value) in place.packing.slots().zip(&input[first..first + count]) {
                    let at = &mut vectors[ciphertext][offset + slot];
                    let part = if half == 0 { &mut at.re } else { &mut at.im };
                    *part = *value;
                }
            }
            first += count;
            for vector in &vectors {
                parts.push(client.encrypt_at(Values::from(vector).bounded(bound), self.level)?);
            }
        }
        Ciphertexts::new(parts)
    }

    /// Checks the values of an input.
    ///
    /// # Errors
    /// [`NetworkError::Input`] if the number of values is wrong, [`NetworkError::InputRange`] for a
    /// value outside the calibrated range.
    pub fn check(&self, input: &[f64]) -> Result<(), NetworkError> {
        if input.len() != self.input_shape.size() {
            let (got, wanted) = (input.len(), self.input_shape.size());
            let shape = self.input_shape.to_string();
            return Err(NetworkError::Input { got, wanted, shape });
        }
        let (low, high) = (self.input_range.low, self.input_range.high);
        match input.iter().position(|value| !(low..=high).contains(value)) {
            Some(place) => Err(NetworkError::InputRange { place, got: input[place], low, high }),
            None => Ok(()),
        }
    }

    /// Decrypts the values of one input from a result, and checks its guard. In a batch, it is the
    /// first input.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] if the number of ciphertexts is wrong, [`NetworkError::Guard`]
    /// if an argument of an activation left its interval, so that the values are meaningless.
    pub fn decrypt(&self, client: &Client, result: &Ciphertexts) -> Result<Output, NetworkError> {
        let outputs = self.decrypt_all(client, result)?;
        let first = outputs.into_iter().next();
        first.unwrap_or(Err(NetworkError::Batch { got: 0, most: self.batch() }))
    }

    /// Decrypts the values of all inputs of a batch, in order. An input whose guard fails has that
    /// error. If its values became so large that they leave noise in all slots, all other inputs
    /// have the error too.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] if the number of ciphertexts is wrong.
    pub fn decrypt_all(
        &self,
        client: &Client,
        result: &Ciphertexts,
    ) -> Result<Vec<Result<Output, NetworkError>>, NetworkError> {
        result.check_count("a result", self.output_ciphertexts())?;
        let decrypt = |part| client.decrypt(part);
        let slots = result.parts().iter().map(decrypt).collect::<Result<Vec<_>, _>>()?;
        let errors = result.parts().iter().map(|part| part.estimate().error);
        let error = errors.fold(0.0, f64::max);
        let limits = Limits { error, slack: 0.0 };
        Ok((0..self.batch()).map(|input| self.output_of(&slots, input, limits)).collect())
    }

    /// Returns the values of one input from the slots of a decrypted result.
    pub(super) fn output_of(
        &self,
        ciphertexts: &[Vec<Complex>],
        input: usize,
        Limits { error, slack }: Limits,
    ) -> Result<Output, NetworkError> {
        // A slot of the input's block in a part whose first ciphertext is known.
        let at = |first: usize, place: &SlotPlace, slot: usize| {
            let Seat { ciphertext, half, offset } = self.batch.seat(input, place.block);
            let slots = ciphertexts.get(first + ciphertext);
            let value = slots.and_then(|slots| slots.get(offset + slot));
            value.map_or(f64::NAN, |value| if half == 0 { value.re } else { value.im })
        };
        let guard = self.guard.zip(self.outputs.first()).map(|(slot, place)| at(0, place, slot));
        // An estimate that is too large must not excuse a wrong guard.
        let least = -(GUARD_DEVIATIONS * error + slack).min(MOST_GUARD);
        let is_valid = |guard: &f64| (least..MOST_GUARD - slack).contains(guard);
        if let Some(got) = guard.filter(|guard| !is_valid(guard)) {
            return Err(NetworkError::Guard { got });
        }
        let (mut values, mut first) = (Vec::new(), 0);
        for (part, place) in self.outputs.iter().enumerate() {
            // The guard of a single input was added in all slots of the first part.
            let added = guard.filter(|_| part == 0 && self.batch.is_alone()).unwrap_or(0.0);
            values.extend(place.packing.slots().map(|slot| at(first, place, slot) - added));
            first += self.batch.ciphertexts(place.block);
        }
        let (scores, Answer { values, labels }) = match &self.post_processing {
            Some(of) => (values.clone(), of.answer(&values)),
            None => (values.clone(), Answer { values, labels: Vec::new() }),
        };
        Ok(Output { values, labels, scores, error, guard })
    }
}
