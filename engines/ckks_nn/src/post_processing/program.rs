// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Post-processing: steps from the scores to values and labels, and its form in a file.

use super::answer::{Answer, Label};
use super::operation::{Content, Operation};
use crate::graph::Shape;

/// The largest number of steps.
const MOST_STEPS: usize = 256;
/// The largest number of inputs of a step.
pub(crate) const MOST_INPUTS: usize = 255;
/// The largest size of a name in bytes.
pub(crate) const MOST_NAME_BYTES: usize = 1 << 10;
/// The largest number of values of all steps together.
const MOST_VALUES: usize = 1 << 22;

/// An operation on earlier vectors: 0 are the scores, and n is the result of step n − 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub operation: Operation,
    pub inputs: Vec<usize>,
}

/// The computation of values and labels from a network's scores, after decryption. It is part of
/// the client's [`Interface`](crate::compile::Interface), and reveals nothing of the weights except
/// its constants.
#[derive(Clone, Debug, PartialEq)]
pub struct PostProcessing {
    steps: Vec<Step>,
    /// The vector of the values, and their shape.
    values: (usize, Shape),
    /// The vector of the labels.
    labels: Option<usize>,
    /// The names of the values; empty without names.
    classes: Vec<Label>,
    /// The vectors' lengths and contents.
    vectors: Vec<(usize, Content)>,
}

impl PostProcessing {
    /// Returns checked steps for this number of scores.
    ///
    /// # Errors
    /// A description of the error.
    pub(crate) fn new(
        scores: usize,
        steps: Vec<Step>,
        values: (usize, Shape),
        labels: Option<usize>,
        classes: Vec<Label>,
    ) -> Result<Self, String> {
        if steps.len() > MOST_STEPS {
            return Err(format!("{} steps, and the limit is {MOST_STEPS}", steps.len()));
        }
        let (mut vectors, mut all) = (vec![(scores, Content::Numbers)], scores);
        for (place, step) in steps.iter().enumerate() {
            if step.inputs.len() > MOST_INPUTS {
                let got = step.inputs.len();
                return Err(format!("a step of {got} inputs, and the limit is {MOST_INPUTS}"));
            }
            if let Operation::Labels(table) = &step.operation {
                check_names(table)?;
            }
            let input = |of: &usize| {
                vectors.get(*of).copied().ok_or_else(|| format!("step {place} before its input"))
            };
            let inputs = step.inputs.iter().map(input).collect::<Result<Vec<_>, String>>()?;
            let vector = step.operation.check(place, &inputs)?;
            all = all.saturating_add(vector.0);
            if all > MOST_VALUES {
                return Err(format!("{all} values of all steps, and the limit is {MOST_VALUES}"));
            }
            vectors.push(vector);
        }
        let count = match vectors.get(values.0) {
            Some((length, Content::Numbers)) if *length == values.1.size() => *length,
            _ => return Err(format!("values of {} are not those of a step", values.1)),
        };
        if !classes.is_empty() && classes.len() != count {
            return Err(format!("{} names of {count} values", classes.len()));
        }
        check_names(&classes)?;
        match labels.map(|of| vectors.get(of).map(|(_, content)| *content)) {
            None | Some(Some(Content::Places(_) | Content::Labels(_))) => {}
            Some(_) => return Err("labels that no step has".to_owned()),
        }
        Ok(Self { steps, values, labels, classes, vectors })
    }

    /// Returns the values and labels of decrypted scores.
    ///
    /// # Panics
    /// For another number of scores.
    pub fn answer(&self, scores: &[f64]) -> Answer {
        assert_eq!(scores.len(), self.scores(), "the scores belong to another network");
        let mut vectors = vec![scores.to_vec()];
        for step in &self.steps {
            let inputs: Vec<&[f64]> = step.inputs.iter().map(|of| &vectors[*of][..]).collect();
            vectors.push(step.operation.value(&inputs));
        }
        let labels = self.labels.map(|of| self.named(of, &vectors[of]));
        Answer { values: vectors.swap_remove(self.values.0), labels: labels.unwrap_or_default() }
    }

    fn named(&self, vector: usize, places: &[f64]) -> Vec<Label> {
        let table = self.table(vector);
        let label = |place: &f64| match table.and_then(|table| table.get(*place as usize)) {
            Some(label) => label.clone(),
            None => Label::Integer(*place as i64),
        };
        places.iter().map(label).collect()
    }

    /// Returns the table of a vector of labels.
    fn table(&self, vector: usize) -> Option<&[Label]> {
        let Content::Labels(step) = self.vectors[vector].1 else { return None };
        match &self.steps[step].operation {
            Operation::Labels(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the number of scores.
    pub fn scores(&self) -> usize {
        self.vectors[0].0
    }

    /// Returns the shape of the values.
    pub fn shape(&self) -> &Shape {
        &self.values.1
    }

    /// Returns `true` if the network states labels.
    pub fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    /// Returns the names of the values: those that the network states, or its table of labels if
    /// that has one for each value. Empty without names.
    pub fn classes(&self) -> &[Label] {
        let table = self.labels.and_then(|of| self.table(of)).unwrap_or_default();
        match self.classes.is_empty() && table.len() == self.shape().size() {
            true => table,
            false => &self.classes,
        }
    }

    /// Returns the names of the operations, in order.
    pub fn operations(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.operation.name()).collect()
    }

    pub(crate) fn parts(&self) -> (&[Step], usize, Option<usize>, &[Label]) {
        (&self.steps, self.values.0, self.labels, &self.classes)
    }
}

fn check_names(names: &[Label]) -> Result<(), String> {
    let size = |name: &Label| match name {
        Label::Integer(_) => 0,
        Label::Text(text) => text.len(),
    };
    match names.iter().map(size).find(|size| *size > MOST_NAME_BYTES) {
        None => Ok(()),
        Some(got) => Err(format!("a name of {got} bytes, and the limit is {MOST_NAME_BYTES}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(steps: Vec<Step>, classes: Vec<Label>) -> Result<PostProcessing, String> {
        PostProcessing::new(2, steps, (0, Shape::new(&[2]).unwrap()), None, classes)
    }

    fn step(operation: Operation, inputs: &[usize]) -> Step {
        Step { operation, inputs: inputs.to_vec() }
    }

    #[test]
    fn programs_beyond_limits_are_refused() {
        let name = |size: usize| Label::Text("é".repeat(size / 2));
        let doubled = (0..24).map(|of| step(Operation::Concat, &[of, of])).collect();
        let table = vec![name(2 * MOST_NAME_BYTES), Label::Integer(1)];
        let argmax = Operation::ArgMax { width: 2, is_last: false };
        let affine = |value: f64| Operation::Affine { factors: vec![value], summands: vec![0.0] };
        for (steps, wanted) in [
            (vec![step(Operation::Sigmoid, &[0]); MOST_STEPS + 1], "257 steps"),
            (vec![step(Operation::Concat, &[0; MOST_INPUTS + 1])], "a step of 256 inputs"),
            (doubled, "values of all steps"),
            (
                vec![step(argmax.clone(), &[0]), step(Operation::Labels(table), &[1])],
                "a name of 2048 bytes",
            ),
            (vec![step(Operation::Sigmoid, &[1])], "step 0 before its input"),
            (vec![step(Operation::Concat, &[])], "a concatenation of nothing"),
            (vec![step(Operation::Tanh, &[0, 0])], "a tanh of 2 inputs"),
            (vec![step(argmax, &[0]), step(Operation::Tanh, &[1])], "a tanh of labels"),
            (vec![step(affine(f64::NAN), &[0])], "must be finite"),
            (vec![step(Operation::Select(vec![2]), &[0])], "places that 2 values do not have"),
            (
                vec![step(Operation::Softmax { width: 3, is_logarithm: false }, &[0])],
                "rows of 3 in 2 values",
            ),
            (
                vec![step(Operation::Softmax { width: 0, is_logarithm: false }, &[0])],
                "rows of 0 in 2 values",
            ),
            (vec![step(Operation::Labels(Vec::new()), &[0])], "not places of classes"),
        ] {
            let error = made(steps, Vec::new()).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
        let error = made(Vec::new(), vec![name(MOST_NAME_BYTES + 2); 2]).unwrap_err();
        assert!(error.contains("a name of 1026 bytes"), "{error}");
        assert!(made(Vec::new(), vec![name(MOST_NAME_BYTES); 2]).is_ok());
        assert!(made(Vec::new(), vec![name(2)]).unwrap_err().contains("1 names of 2 values"));
    }
}
