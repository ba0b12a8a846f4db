// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a network in a file, for a client that does not have the network.
//!
//! It is a file of [`halimede_ckks::files`]: a header with the parameters, the number of bytes,
//! these bytes, little-endian, and a checksum.
//!
//! | content | bytes |
//! |---|---|
//! | the level at which inputs are encrypted | 2 |
//! | the inputs of a batch; 1 if two of them are real and imaginary part; the largest number of slots of an input | 2, 1, 4 |
//! | the range of an input's values: the smallest, the largest | 8, 8 |
//! | 1 and the slot of the guard, or 0 and 0 | 1, 4 |
//! | the axes of an input, and of a result: their number, and each | 1, 4 each |
//! | the parts of an input, and of a result: their number; of each channels, rows and columns of a channel and of the grid, the gap, the slots of a block | 2, 28 each |
//! | the number of keys; of each 1 for products, 2 for an automorphism, 5 for one of matrices at level 1, 3 and 4 for bootstraps, to and from the sparse secret; the exponent; the level | 4, 7 each |
//! | the [post-processing](super::post_processing_file) of the scores | 1 or more |
//! | where the values of an input repeat in its slots: the number of values after which they repeat, for each part of an input | 4 each, or none |
//!
//! Earlier versions do not know the last field, and refuse a file that has it.
//!
//! The author of such a file may be an adversary of the client. The parameters must therefore have
//! the security that they claim. The keys must be keys that the parameters can have, each once,
//! with those of bootstraps at the safe level. Their number is bounded, and so is the number of
//! ciphertexts of an input. The rest of the file determines where values are placed and which
//! inputs are rejected, and is not secret.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use halimede_ckks::files::{write_content, FileKind, FileReader};
use halimede_ckks::keys::{KeyUse, LOW_LEVEL};
use halimede_ckks::{FileError, Operations, Parameters};

use super::fields::{Checked, Fields};
use super::interface::Interface;
use super::post_processing_file;
use crate::calibrate::Range;
use crate::graph::Shape;
use crate::layout::{
    Batch, Packing, SlotPlace, MOST_BATCH, MOST_CIPHERTEXTS, MOST_INPUT_CIPHERTEXTS,
};

/// The largest number of keys: 20 layers of a residual network need 161.
const MOST_KEYS: usize = 1 << 12;
/// The largest content in bytes.
const MOST_BYTES: u32 = 1 << 17;
/// The largest size in bytes of the keys that a client creates for a file: those of a residual
/// network of 20 layers need 12.3 GB. Half of the address space where addresses have 32 bits.
pub const MOST_KEY_BYTES: usize = if usize::BITS < 64 { 2 << 30 } else { (16u64 << 30) as usize };

/// The tags of keys.
const MULTIPLY: u8 = 1;
const AUTOMORPHISM: u8 = 2;
const TO_SPARSE: u8 = 3;
const FROM_SPARSE: u8 = 4;
const LOW_AUTOMORPHISM: u8 = 5;

impl Interface {
    /// Writes the interface, which contains no weights and no secrets.
    ///
    /// # Errors
    /// If writing fails, and [`FileError::Malformed`] for more keys or post-processing than a
    /// reader accepts.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        if self.keys.len() > MOST_KEYS {
            let what = format!("{} keys are above the limit of {MOST_KEYS}", self.keys.len());
            return Err(FileError::Malformed { at: 0, what });
        }
        let content = self.content();
        if content.len() > MOST_BYTES as usize {
            let what = format!("{} bytes are above the limit of {MOST_BYTES}", content.len());
            return Err(FileError::Malformed { at: 0, what });
        }
        write_content(output, FileKind::Interface, &self.parameters, &content)
    }

    /// Reads an interface whose parameters have 128 bits of security or more.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not an interface, for insecure parameters, and for keys
    /// that need more than [`MOST_KEY_BYTES`].
    pub fn load(input: impl Read) -> Result<Self, FileError> {
        let reader = FileReader::new(input)?;
        let parameters = reader.header().parameters()?;
        Self::read(reader, &parameters)?.with_keys_within(MOST_KEY_BYTES)
    }

    /// Reads an interface whose parameters may be insecure. Use this only for tests.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not an interface, and for keys that need more than
    /// [`MOST_KEY_BYTES`].
    pub fn load_insecure(input: impl Read) -> Result<Self, FileError> {
        let reader = FileReader::new(input)?;
        let parameters = reader.header().insecure_parameters()?;
        Self::read(reader, &parameters)?.with_keys_within(MOST_KEY_BYTES)
    }

    /// Returns the interface if its keys need at most `most` bytes of memory. No key is created
    /// before this check.
    ///
    /// # Errors
    /// [`FileError::KeyBytes`] for larger keys.
    pub fn with_keys_within(self, most: usize) -> Result<Self, FileError> {
        match self.key_bytes() {
            bytes if bytes <= most => Ok(self),
            bytes => Err(FileError::KeyBytes { count: self.keys.len(), bytes, most }),
        }
    }

    /// Reads the interface of a file with these parameters in its header, for keys of any size.
    /// Check their size with [`Self::with_keys_within`] before you create them.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not an interface.
    pub fn read<R: Read>(
        reader: FileReader<R>,
        parameters: &Parameters,
    ) -> Result<Self, FileError> {
        let (content, at) = reader.content(FileKind::Interface, MOST_BYTES)?;
        Self::of_content(&content, parameters)
            .map_err(|(place, what)| FileError::Malformed { at: at + place as u64, what })
    }

    fn content(&self) -> Vec<u8> {
        let mut bytes = (self.level as u16).to_le_bytes().to_vec();
        bytes.extend((self.batch.inputs() as u16).to_le_bytes());
        bytes.push(u8::from(self.batch.is_paired()));
        bytes.extend((self.batch.largest() as u32).to_le_bytes());
        bytes.extend([self.input_range.low, self.input_range.high].map(f64::to_le_bytes).concat());
        bytes.push(u8::from(self.guard.is_some()));
        bytes.extend((self.guard.unwrap_or(0) as u32).to_le_bytes());
        for shape in [&self.input_shape, &self.score_shape] {
            bytes.push(shape.axes().len() as u8);
            shape.axes().iter().for_each(|axis| bytes.extend((*axis as u32).to_le_bytes()));
        }
        for parts in [&self.inputs, &self.outputs] {
            bytes.extend((parts.len() as u16).to_le_bytes());
            for part in parts {
                let numbers = part.packing.numbers().into_iter().chain([part.block]);
                numbers.for_each(|number| bytes.extend((number as u32).to_le_bytes()));
            }
        }
        bytes.extend((self.keys.len() as u32).to_le_bytes());
        for (of, level) in &self.keys {
            let (tag, exponent) = match of {
                KeyUse::Multiply => (MULTIPLY, 0),
                KeyUse::Automorphism(exponent) => (AUTOMORPHISM, *exponent),
                KeyUse::LowAutomorphism(exponent) => (LOW_AUTOMORPHISM, *exponent),
                KeyUse::ToSparse => (TO_SPARSE, 0),
                KeyUse::FromSparse => (FROM_SPARSE, 0),
            };
            bytes.push(tag);
            bytes.extend((exponent as u32).to_le_bytes());
            bytes.extend((*level as u16).to_le_bytes());
        }
        post_processing_file::write(self.post_processing.as_ref(), &mut bytes);
        if self.input_repeats() {
            let periods = self.inputs.iter().map(|place| (place.period as u32).to_le_bytes());
            bytes.extend(periods.flatten());
        }
        bytes
    }

    /// Returns an interface from its content, or the error and its position.
    fn of_content(content: &[u8], parameters: &Parameters) -> Result<Self, (usize, String)> {
        let mut fields = Fields { content, at: 0 };
        let level = fields.number(2, "the level of inputs", parameters.fresh_level())?;
        let batch = fields.batch(parameters.slots())?;
        let low = f64::from_le_bytes(fields.array("the smallest value")?);
        let high = f64::from_le_bytes(fields.array("the largest value")?);
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return fields.wrong(16, format!("values from {low} to {high}"));
        }
        let has_guard = fields.number(1, "the mark of a guard", 1)? == 1;
        let slot = fields.number(
            4,
            "the slot of the guard",
            if has_guard { batch.largest() - 1 } else { 0 },
        )?;
        let shapes = [fields.shape()?, fields.shape()?];
        let [input_shape, score_shape] = shapes;
        let mut inputs = fields.parts(batch, MOST_INPUT_CIPHERTEXTS, &input_shape)?;
        let outputs = fields.parts(batch, MOST_CIPHERTEXTS, &score_shape)?;
        let guard = has_guard.then_some(slot);
        let of_result = |slot: usize| {
            slot >= outputs[0].block || outputs[0].packing.slots().any(|other| other == slot)
        };
        if guard.is_some_and(of_result) {
            return fields.wrong(0, "the guard is in a slot of the result".to_owned());
        }
        let keys = fields.keys(parameters)?;
        let post_processing = fields.post_processing(&score_shape)?;
        if fields.at < content.len() && batch.is_alone() {
            fields.periods(&mut inputs)?;
        }
        if fields.at < content.len() {
            return fields.wrong(0, "bytes follow the interface".to_owned());
        }
        let (parameters, input_range) = (parameters.clone(), Range { low, high });
        Ok(Self {
            parameters,
            keys,
            level,
            batch,
            inputs,
            input_shape,
            input_range,
            outputs,
            score_shape,
            guard,
            post_processing,
        })
    }
}

impl Fields<'_> {
    /// Returns a batch in vectors of at most `most` slots.
    fn batch(&mut self, most: usize) -> Checked<Batch> {
        let inputs = self.number(2, "the inputs of a batch", MOST_BATCH)?;
        let is_paired = self.number(1, "the mark of pairs", usize::from(inputs > 1))? == 1;
        let largest = self.number(4, "the slots of an input", most)?;
        if inputs == 0 || !largest.is_power_of_two() {
            let what = format!("{inputs} inputs of {largest} slots, which must be a power of two");
            return self.wrong(7, what);
        }
        Ok(Batch::new(inputs, is_paired, largest, most))
    }

    /// Returns the parts of a tensor, which have at most `most` ciphertexts.
    fn parts(&mut self, batch: Batch, most: usize, shape: &Shape) -> Checked<Vec<SlotPlace>> {
        let (count, largest) = (self.number(2, "the number of parts", most)?, batch.largest());
        let (mut parts, mut values, mut ciphertexts) = (Vec::new(), 0, 0);
        for _ in 0..count {
            let mut numbers = [0; 6];
            for number in &mut numbers {
                *number = self.number(4, "the places of values", largest)?;
            }
            let block = self.number(4, "the slots of a block", largest)?;
            let packing = Packing::of_numbers(numbers, block).filter(|_| block.is_power_of_two());
            let is_one = !batch.is_alone() || block == largest;
            let Some(packing) = packing.filter(|_| is_one) else {
                return self.wrong(28, format!("the places of values do not fit {block} slots"));
            };
            values += packing.count();
            ciphertexts += batch.ciphertexts(block);
            parts.push(SlotPlace { packing, block, period: block });
        }
        if values != shape.size() || ciphertexts > most {
            let what =
                format!("{ciphertexts} ciphertexts of {values} values for a tensor of {shape}");
            return self.wrong(28 * count, what);
        }
        Ok(parts)
    }

    /// Reads the numbers of slots after which the values of an input's parts repeat.
    fn periods(&mut self, parts: &mut [SlotPlace]) -> Checked<()> {
        for place in &mut *parts {
            let period = self.number(4, "the slots after which values repeat", place.block)?;
            if !period.is_power_of_two() || period < place.packing.extent() {
                let (extent, block) = (place.packing.extent(), place.block);
                let what = format!(
                    "values repeat after {period} slots: expected a power of two from {extent} to \
                     {block}"
                );
                return self.wrong(4, what);
            }
            place.period = period;
        }
        match parts.iter().any(|place| place.period < place.block) {
            true => Ok(()),
            false => self.wrong(4, "no value repeats".to_owned()),
        }
    }

    fn keys(&mut self, parameters: &Parameters) -> Checked<BTreeMap<KeyUse, usize>> {
        let order = 2 * parameters.degree();
        let of_bootstraps = match parameters.bootstrap() {
            None => BTreeMap::new(),
            Some(_) => Operations { bootstrap: true, ..Operations::default() }.keys(parameters),
        };
        let count = self.number(4, "the number of keys", MOST_KEYS)?;
        let mut keys = BTreeMap::new();
        for _ in 0..count {
            let tag = self.number(1, "the use of a key", usize::from(u8::MAX))? as u8;
            let exponent = self.number(4, "an automorphism", order - 1)?;
            let level = self.number(2, "the level of a key", parameters.top())?;
            let of = match (tag, exponent) {
                (MULTIPLY, 0) => KeyUse::Multiply,
                (AUTOMORPHISM, 3..) if exponent % 2 == 1 => KeyUse::Automorphism(exponent as u64),
                (LOW_AUTOMORPHISM, 3..) if exponent % 2 == 1 && level <= LOW_LEVEL => {
                    KeyUse::LowAutomorphism(exponent as u64)
                }
                (TO_SPARSE, 0) => KeyUse::ToSparse,
                (FROM_SPARSE, 0) => KeyUse::FromSparse,
                _ => return self.wrong(7, "unknown use of a key".to_owned()),
            };
            let is_of_bootstrap = matches!(of, KeyUse::ToSparse | KeyUse::FromSparse);
            if is_of_bootstrap && of_bootstraps.get(&of) != Some(&level) {
                let what = format!("the key {of} has no level {level}");
                return self.wrong(7, what);
            }
            let is_next = keys.last_key_value().is_none_or(|(last, _)| *last < of);
            if !is_next {
                return self.wrong(7, "keys are not in order".to_owned());
            }
            keys.insert(of, level);
        }
        Ok(keys)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use halimede_ckks::params::{BootstrapShape, ParametersBuilder, SecretKind};
    use proptest::prelude::*;

    use super::*;
    use crate::calibrate::Calibration;
    use crate::compile::{Model, Options};
    use crate::graph::{Activation, Graph, Linear, Operator};
    use crate::post_processing::{Label, Norm, Operation, PostProcessing, Step};

    fn without_bootstraps() -> Parameters {
        ParametersBuilder::new().depth(8).build_insecure(10).unwrap()
    }

    fn with_bootstraps() -> Parameters {
        Parameters::insecure(BootstrapShape::new(10, 9, 3), SecretKind::Ternary).unwrap()
    }

    /// Interfaces of networks with and without bootstraps and guards, of one and of several
    /// ciphertexts, and of a batch; those of several ciphertexts have post-processing.
    static INTERFACES: LazyLock<Vec<Interface>> = LazyLock::new(|| {
        let all = [without_bootstraps(), with_bootstraps()].into_iter().flat_map(|parameters| {
            let cases = [(false, 40, 1), (true, 40, 1), (true, 600, 1), (true, 40, 37)];
            cases.map(move |(guard, size, batch)| {
                let mut graph = Graph::new(Shape::new(&[size]).unwrap());
                let (input, weights) = (graph.input(), vec![0.25; 3 * size]);
                let linear = Operator::Linear(Linear { rows: 3, weights, bias: Vec::new() });
                let argument = graph.push("linear", linear, &[input]).unwrap();
                let square = Operator::Activation(Activation::Polynomial(vec![0.0, 1.0, 1.0]));
                graph.push("square", square, &[argument]).unwrap();
                let calibration = Calibration::new(&graph, &[vec![0.01; size]]).unwrap();
                let options = Options { guard, batch, ..Options::default() };
                let model = Model::compile(&graph, &calibration, &parameters, &options).unwrap();
                let mut interface = model.interface().clone();
                interface.post_processing = (size > 40).then(every_operation);
                interface
            })
        });
        all.collect()
    });

    /// Returns post-processing of three scores with each operation.
    fn every_operation() -> PostProcessing {
        let labels = [Label::Integer(-7), Label::Text("é".to_owned()), Label::Text(String::new())];
        let operations = [
            Operation::Sigmoid,
            Operation::Tanh,
            Operation::Softmax { width: 3, is_logarithm: false },
            Operation::Softmax { width: 1, is_logarithm: true },
            Operation::Normalize { width: 3, norm: Norm::Sum },
            Operation::Normalize { width: 3, norm: Norm::Euclidean },
            Operation::Normalize { width: 3, norm: Norm::Largest },
            Operation::Affine { factors: vec![0.5], summands: vec![1.0, 2.0, 3.0] },
            Operation::Select(vec![2, 0, 1, 1]),
            Operation::Above { threshold: 0.25, or_equal: false },
            Operation::Above { threshold: 0.25, or_equal: true },
            Operation::ArgMax { width: 3, is_last: false },
            Operation::ArgMax { width: 3, is_last: true },
        ];
        let step = |operation| Step { operation, inputs: vec![0] };
        let mut steps: Vec<Step> = operations.into_iter().map(step).collect();
        steps.push(Step { operation: Operation::Concat, inputs: vec![1, 2, 3] });
        let last = steps.len() - 1;
        steps.push(Step { operation: Operation::Labels(labels.to_vec()), inputs: vec![last] });
        let shape = Shape::new(&[3]).unwrap();
        PostProcessing::new(3, steps, (1, shape), Some(last + 2), labels.to_vec()).unwrap()
    }

    fn bytes_of(interface: &Interface) -> Vec<u8> {
        let mut file = Vec::new();
        interface.save(&mut file).unwrap();
        file
    }

    #[test]
    fn interfaces_are_read_as_they_were_written() {
        for interface in INTERFACES.iter() {
            let file = bytes_of(interface);
            let read = Interface::load_insecure(&file[..]).unwrap();
            assert_eq!(bytes_of(&read), file);
            assert_eq!(format!("{read:?}"), format!("{interface:?}"));
            assert!(matches!(Interface::load(&file[..]), Err(FileError::Insecure { .. })));
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        for interface in [&INTERFACES[1], &INTERFACES[6], &INTERFACES[7]] {
            let file = bytes_of(interface);
            for length in 0..file.len() {
                assert!(Interface::load_insecure(&file[..length]).is_err(), "{length}");
            }
            for place in 0..file.len() {
                let mut damaged = file.clone();
                damaged[place] ^= 1 << (place % 8);
                assert!(Interface::load_insecure(&damaged[..]).is_err(), "{place}");
            }
        }
    }

    /// 4,096 keys of N = 2^16 need half a terabyte, and the file that requests them 30 KB.
    #[test]
    fn keys_that_fill_the_memory_are_refused_before_any_is_made() {
        let parameters = Parameters::dry_preset("n16").unwrap();
        let mut interface = INTERFACES[1].clone();
        let exponents = (0..MOST_KEYS as u64).map(|k| KeyUse::Automorphism(2 * k + 3));
        interface.keys = exponents.map(|of| (of, parameters.top())).collect();
        interface.parameters = parameters;
        let file = bytes_of(&interface);
        let bytes = interface.key_bytes();
        assert!(file.len() < 50_000 && bytes > 400 << 30, "{} for {bytes}", file.len());
        let Err(FileError::KeyBytes { count, bytes: got, most }) = Interface::load(&file[..])
        else {
            panic!("not refused")
        };
        assert_eq!((count, got, most), (MOST_KEYS, bytes, MOST_KEY_BYTES));
        // The caller's limit is exact to the byte.
        let interface = INTERFACES[5].clone();
        let bytes = interface.key_bytes();
        assert!(interface.clone().with_keys_within(bytes).is_ok());
        assert!(interface.with_keys_within(bytes - 1).is_err());
    }

    /// A file must not make a client accept such keys and places.
    #[test]
    fn keys_and_places_that_cannot_be_are_refused() {
        let interface = &INTERFACES[5];
        let parameters = interface.parameters();
        let refused = |change: &dyn Fn(&mut Interface), reason: &str| {
            let mut other = interface.clone();
            change(&mut other);
            let (_, what) = Interface::of_content(&other.content(), parameters).unwrap_err();
            assert!(what.contains(reason), "{what}");
        };
        let (top, order) = (parameters.top(), 2 * parameters.degree() as u64);
        let key = |of: KeyUse, level: usize| {
            move |interface: &mut Interface| {
                interface.keys.insert(of, level);
            }
        };
        refused(&key(KeyUse::ToSparse, 1), "has no level 1");
        refused(&key(KeyUse::FromSparse, 0), "has no level 0");
        refused(&key(KeyUse::Multiply, top + 1), "the level of a key");
        refused(&key(KeyUse::Automorphism(4), 1), "unknown use of a key");
        refused(&key(KeyUse::Automorphism(1), 1), "unknown use of a key");
        refused(&key(KeyUse::Automorphism(order + 1), 1), "an automorphism");
        refused(&key(KeyUse::LowAutomorphism(5), 2), "unknown use of a key");
        refused(&key(KeyUse::LowAutomorphism(6), 1), "unknown use of a key");
        let many = |interface: &mut Interface| {
            let exponents = (0..=MOST_KEYS as u64).map(|k| KeyUse::Automorphism(2 * k + 3));
            interface.keys.extend(exponents.map(|of| (of, 0)));
        };
        refused(&many, "the number of keys");
        let most = parameters.slots();
        refused(&|of| of.batch = Batch::alone(3), "a power of two");
        refused(&|of| of.batch = Batch::alone(2 * most), "the slots of an input");
        refused(&|of| of.batch = Batch::new(MOST_BATCH + 1, true, 64, most), "the inputs of a");
        refused(&|of| of.batch = Batch::new(2, false, 32, most), "the places of values");
        // Too many ciphertexts for this number of inputs.
        let many = Batch::new(MOST_BATCH, false, most, most);
        let crowded = |of: &mut Interface| {
            of.batch = many;
            of.outputs.iter_mut().for_each(|place| place.block = most);
        };
        refused(&crowded, "ciphertexts of 3 values for a tensor");
        refused(&|of| of.level = parameters.fresh_level() + 1, "the level of inputs");
        refused(&|of| of.input_range.low = f64::NAN, "values from NaN");
        refused(&|of| of.input_range.high = f64::NEG_INFINITY, "values from");
        refused(&|of| of.guard = Some(0), "a slot of the result");
        refused(&|of| of.guard = Some(most), "the slot of the guard");
        refused(&|of| of.inputs.push(of.inputs[0]), "values for a tensor");
        refused(&|of| of.outputs.clear(), "values for a tensor");
        let shape = |size| Shape::new(&[size]).unwrap();
        let other = |of: &mut Interface| {
            let made = PostProcessing::new(4, Vec::new(), (0, shape(4)), None, Vec::new());
            of.post_processing = Some(made.unwrap());
        };
        refused(&other, "post-processing: values of 4 are not those of a step");
        // Parameters without bootstraps have no keys for them at any level.
        let mut none = INTERFACES[1].clone();
        none.keys.insert(KeyUse::ToSparse, 0);
        let (_, what) = Interface::of_content(&none.content(), none.parameters()).unwrap_err();
        assert!(what.contains("has no level"), "{what}");
    }

    /// A repeated input has one more field, so that earlier versions refuse the file.
    #[test]
    fn periods_of_inputs_are_read_and_checked() {
        let mut interface = INTERFACES[0].clone();
        let parameters = interface.parameters().clone();
        let once = interface.content();
        interface.batch = Batch::alone(128);
        for place in interface.inputs.iter_mut().chain(&mut interface.outputs) {
            (place.block, place.period) = (128, 128);
        }
        assert_eq!(interface.content().len(), once.len());
        let with_period = |period: usize| {
            let mut other = interface.clone();
            other.inputs[0].period = period;
            let mut content = other.content();
            if period == 128 {
                content.extend(128u32.to_le_bytes());
            }
            (Interface::of_content(&content, &parameters), content)
        };
        let (read, content) = with_period(64);
        let read = read.unwrap();
        assert_eq!((read.content(), content.len()), (content, once.len() + 4));
        assert!(read.input_repeats() && read.input_lengths() == [64]);
        for (period, reason) in [
            (32, "values repeat after 32 slots: expected a power of two from 40 to 128"),
            (48, "values repeat after 48 slots"),
            (0, "values repeat after 0 slots"),
            (128, "no value repeats"),
        ] {
            let (_, what) = with_period(period).0.unwrap_err();
            assert!(what.contains(reason), "{what}");
        }
        let mut content = with_period(64).1;
        content.truncate(content.len() - 1);
        let (_, what) = Interface::of_content(&content, &parameters).unwrap_err();
        assert!(what.contains("the slots after which values repeat is missing"), "{what}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Content with any bytes changed, removed and added gives an error, or an interface that a
        /// client can use or that rejects its inputs, and that encodes to this content.
        #[test]
        fn changed_content_is_an_error_or_an_interface(
            which in 0..8usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..6),
        ) {
            let interface = &INTERFACES[which];
            let mut content = interface.content();
            for (place, byte, kind) in changes {
                let place = place.index(content.len());
                match kind {
                    0 | 1 => content[place] = byte,
                    2 => content.insert(place, byte),
                    _ => drop(content.remove(place)),
                }
            }
            if let Ok(read) = Interface::of_content(&content, interface.parameters()) {
                prop_assert_eq!(read.content(), content);
                let mut client = halimede_ckks::Client::of_test(interface.parameters(), 1);
                let input = vec![read.input_range.low; read.input_shape.size()];
                if let Ok(ciphertext) = read.encrypt(&mut client, &input) {
                    prop_assert_eq!(ciphertext.parts().len(), read.input_ciphertexts());
                }
                prop_assert!(read.key_bytes() > 0 || read.keys.is_empty());
                if let Some(of) = read.post_processing() {
                    let answer = of.answer(&vec![0.5; of.scores()]);
                    prop_assert_eq!(answer.values.len(), read.output_shape().size());
                }
            }
        }
    }
}
