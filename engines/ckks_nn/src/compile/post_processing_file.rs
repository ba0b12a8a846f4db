// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Post-processing in the file of an interface.
//!
//! | content | bytes |
//! |---|---|
//! | 1, or 0 without post-processing, which ends it | 1 |
//! | the number of steps | 2 |
//! | of each step, the number of its inputs, and each; the tag; the numbers of the operation | 1, 2 each; 1; below |
//! | the vector of the values; their axes: the number, and each; their names | 2; 1, 4 each; names |
//! | 1 and the vector of the labels, or 0 and 0 | 1, 2 |
//!
//! | tag | operation | numbers |
//! |---|---|---|
//! | 1, 2 | sigmoid, tanh | |
//! | 3, 4 | softmax, log-softmax | the width of a row: 4 bytes |
//! | 5, 6 | argmax, first and last | the width of a row: 4 bytes |
//! | 7, 8, 9 | normalization by the sum, the root of the sum of squares, the largest value | the width of a row: 4 bytes |
//! | 10 | scaling | the numbers of factors and of summands, 4 bytes each; each, 8 bytes |
//! | 11 | selection | the number of places, and each: 4 bytes each |
//! | 12 | concatenation | |
//! | 13 | labels | names |
//! | 14, 15 | threshold: above it, or not below it | the threshold: 8 bytes |
//!
//! Names have their number in 4 bytes, and each name a 0 and an integer of 8 bytes, or a 1, the
//! length in 2 bytes, and a text in UTF-8.

use super::fields::{Checked, Fields};
use crate::graph::Shape;
use crate::post_processing::{
    Label, Norm, Operation, PostProcessing, Step, MOST_INPUTS, MOST_NAME_BYTES,
};

/// The largest number of names, values and places, which the size of a file bounds further.
const MOST_VALUES: usize = 1 << 20;

/// Adds post-processing to the content of a file.
pub(super) fn write(of: Option<&PostProcessing>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(of.is_some()));
    let Some(of) = of else { return };
    let (steps, values, labels, classes) = of.parts();
    bytes.extend((steps.len() as u16).to_le_bytes());
    for Step { operation, inputs } in steps {
        bytes.push(inputs.len() as u8);
        inputs.iter().for_each(|of| bytes.extend((*of as u16).to_le_bytes()));
        write_operation(operation, bytes);
    }
    bytes.extend((values as u16).to_le_bytes());
    bytes.push(of.shape().axes().len() as u8);
    of.shape().axes().iter().for_each(|axis| bytes.extend((*axis as u32).to_le_bytes()));
    write_names(classes, bytes);
    bytes.push(u8::from(labels.is_some()));
    bytes.extend((labels.unwrap_or(0) as u16).to_le_bytes());
}

fn write_operation(operation: &Operation, bytes: &mut Vec<u8>) {
    let (tag, width) = match operation {
        Operation::Sigmoid => (1, None),
        Operation::Tanh => (2, None),
        Operation::Softmax { width, is_logarithm } => (3 + u8::from(*is_logarithm), Some(width)),
        Operation::ArgMax { width, is_last } => (5 + u8::from(*is_last), Some(width)),
        Operation::Normalize { width, norm: Norm::Sum } => (7, Some(width)),
        Operation::Normalize { width, norm: Norm::Euclidean } => (8, Some(width)),
        Operation::Normalize { width, norm: Norm::Largest } => (9, Some(width)),
        Operation::Affine { .. } => (10, None),
        Operation::Select(_) => (11, None),
        Operation::Concat => (12, None),
        Operation::Labels(_) => (13, None),
        Operation::Above { or_equal, .. } => (14 + u8::from(*or_equal), None),
    };
    bytes.push(tag);
    bytes.extend(width.into_iter().flat_map(|width| (*width as u32).to_le_bytes()));
    match operation {
        Operation::Affine { factors, summands } => {
            bytes.extend((factors.len() as u32).to_le_bytes());
            bytes.extend((summands.len() as u32).to_le_bytes());
            bytes.extend(factors.iter().chain(summands).flat_map(|value| value.to_le_bytes()));
        }
        Operation::Select(places) => {
            bytes.extend((places.len() as u32).to_le_bytes());
            bytes.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        }
        Operation::Labels(table) => write_names(table, bytes),
        Operation::Above { threshold, .. } => bytes.extend(threshold.to_le_bytes()),
        _ => {}
    }
}

fn write_names(names: &[Label], bytes: &mut Vec<u8>) {
    bytes.extend((names.len() as u32).to_le_bytes());
    for name in names {
        match name {
            Label::Integer(number) => {
                bytes.push(0);
                bytes.extend(number.to_le_bytes());
            }
            Label::Text(text) => {
                bytes.push(1);
                bytes.extend((text.len() as u16).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
        }
    }
}

impl Fields<'_> {
    /// Returns the post-processing of scores.
    pub(super) fn post_processing(&mut self, scores: &Shape) -> Checked<Option<PostProcessing>> {
        if self.number(1, "the mark of post-processing", 1)? == 0 {
            return Ok(None);
        }
        let count = self.number(2, "the number of steps", usize::from(u16::MAX))?;
        let mut steps = Vec::new();
        for place in 0..count {
            let inputs = self.number(1, "the number of inputs of a step", MOST_INPUTS)?;
            let input = |_| self.number(2, "an input of a step", place);
            let inputs = (0..inputs).map(input).collect::<Checked<Vec<usize>>>()?;
            steps.push(Step { operation: self.operation()?, inputs });
        }
        let values = self.number(2, "the vector of values", count)?;
        let values = (values, self.shape()?);
        let classes = self.names()?;
        let has_labels = self.number(1, "the mark of labels", 1)? == 1;
        let labels = self.number(2, "the vector of labels", if has_labels { count } else { 0 })?;
        let labels = has_labels.then_some(labels);
        let made = PostProcessing::new(scores.size(), steps, values, labels, classes);
        made.map(Some).or_else(|what| self.wrong(0, format!("post-processing: {what}")))
    }

    fn operation(&mut self) -> Checked<Operation> {
        let tag = self.number(1, "the tag of an operation", usize::from(u8::MAX))?;
        let width = match tag {
            3..=9 => self.number(4, "the width of a row", MOST_VALUES)?,
            _ => 0,
        };
        Ok(match tag {
            1 => Operation::Sigmoid,
            2 => Operation::Tanh,
            3 | 4 => Operation::Softmax { width, is_logarithm: tag == 4 },
            5 | 6 => Operation::ArgMax { width, is_last: tag == 6 },
            7 => Operation::Normalize { width, norm: Norm::Sum },
            8 => Operation::Normalize { width, norm: Norm::Euclidean },
            9 => Operation::Normalize { width, norm: Norm::Largest },
            10 => {
                let counts = [
                    self.number(4, "the number of factors", MOST_VALUES)?,
                    self.number(4, "the number of summands", MOST_VALUES)?,
                ];
                let mut number = |_| Ok(f64::from_le_bytes(self.array("a factor or summand")?));
                let [factors, summands] =
                    counts.map(|count| (0..count).map(&mut number).collect::<Checked<Vec<f64>>>());
                Operation::Affine { factors: factors?, summands: summands? }
            }
            11 => {
                let count = self.number(4, "the number of places", MOST_VALUES)?;
                let place = |_| Ok(u32::from_le_bytes(self.array("a place")?));
                Operation::Select((0..count).map(place).collect::<Checked<Vec<u32>>>()?)
            }
            12 => Operation::Concat,
            13 => Operation::Labels(self.names()?),
            14 | 15 => {
                let threshold = f64::from_le_bytes(self.array("a threshold")?);
                Operation::Above { threshold, or_equal: tag == 15 }
            }
            _ => return self.wrong(1, format!("no operation has the tag {tag}")),
        })
    }

    fn names(&mut self) -> Checked<Vec<Label>> {
        let count = self.number(4, "the number of names", MOST_VALUES)?;
        let mut names = Vec::new();
        for _ in 0..count {
            if self.number(1, "the mark of a text", 1)? == 0 {
                names.push(Label::Integer(i64::from_le_bytes(self.array("a name")?)));
                continue;
            }
            let length = self.number(2, "the length of a name", MOST_NAME_BYTES)?;
            let Some(text) = self.bytes(length) else {
                return self.wrong(0, "a name is missing".to_owned());
            };
            match std::str::from_utf8(text) {
                Ok(text) => names.push(Label::Text(text.to_owned())),
                Err(_) => return self.wrong(length, "a name is not UTF-8".to_owned()),
            }
        }
        Ok(names)
    }
}
