// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Post-processing: steps from the scores to values and labels, and its form in a file.

use super::answer::{Answer, Label};
use super::operation::{Content, Operation};
use crate::graph::Shape;

/// The largest number of steps.
const MOST_STEPS: usize = 256;
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
