// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Post-processing during import: the steps after decryption.

use std::collections::HashMap;

use super::moves::{transposed, Move};
use super::unsupported::CHOOSE;
use super::value::{Computed, Decrypted};
use crate::graph::{Graph, NodeId, Operator, Shape};
use crate::post_processing::{Content, Label, Operation, PostProcessing, Step};

/// Post-processing during import.
#[derive(Default)]
pub(super) struct AfterDecryption {
    /// The node whose values are decrypted.
    scores: Option<NodeId>,
    /// The operator that made the first value, and its node.
    pub first: String,
    steps: Vec<Step>,
    vectors: Vec<(usize, Content)>,
    /// The names of a vector's values.
    names: HashMap<usize, Vec<Label>>,
}

impl AfterDecryption {
    /// Returns a value of the network after decryption.
    ///
    /// # Errors
    /// For a second value: the client decrypts the values of one node.
    pub fn begin(&mut self, graph: &Graph, of: &Computed) -> Result<Decrypted, String> {
        let mut id = of.id;
        while let Operator::Reshape(_) = graph.node(id).operator {
            id = graph.node(id).inputs[0];
        }
        match self.scores {
            None => {
                self.scores = Some(id);
                self.vectors = vec![(graph.node(id).shape.size(), Content::Numbers)];
            }
            Some(scores) if scores == id => {}
            Some(scores) => {
                return Err(format!(
                    "the client computes values from those of {} and of {} after decryption, but \
                     only one of them can be the encrypted result: choose one output ({CHOOSE})",
                    graph.node(scores).name,
                    graph.node(id).name
                ))
            }
        }
        Ok(Decrypted { vector: 0, axes: of.axes.clone(), content: Content::Numbers })
    }

    /// Keeps the name of the first node after decryption, for errors.
    pub fn begin_with(&mut self, name: &str, kind: &str) {
        if self.first.is_empty() {
            self.first = format!("{kind} (node {name})");
        }
    }

    /// Adds a step, and returns its vector.
    pub fn push(&mut self, operation: Operation, inputs: &[usize]) -> Result<usize, String> {
        let vectors: Vec<(usize, Content)> = inputs.iter().map(|of| self.vectors[*of]).collect();
        self.vectors.push(operation.check(self.steps.len(), &vectors)?);
        self.steps.push(Step { operation, inputs: inputs.to_vec() });
        Ok(self.vectors.len() - 1)
    }

    /// Returns the content of a vector.
    pub fn content(&self, vector: usize) -> Content {
        self.vectors[vector].1
    }

    /// Names the values of a vector.
    pub fn name(&mut self, vector: usize, names: Vec<Label>) {
        self.names.insert(vector, names);
    }

    /// Adds a step on one value, which keeps the axes.
    pub fn of(&mut self, a: &Decrypted, operation: Operation) -> Result<Decrypted, String> {
        let vector = self.push(operation, &[a.vector])?;
        Ok(Decrypted { vector, axes: a.axes.clone(), content: self.content(vector) })
    }

    pub fn moved(&mut self, a: &Decrypted, by: Move) -> Result<Decrypted, String> {
        let moved = match by.places {
            None => a.clone(),
            Some(places) => self.of(a, Operation::Select(places))?,
        };
        Ok(Decrypted { axes: by.axes, ..moved })
    }

    /// Adds a step on the rows along an axis. The result has the axis with this size.
    pub fn along(
        &mut self,
        a: &Decrypted,
        axis: usize,
        size: usize,
        operation: Operation,
    ) -> Result<Decrypted, String> {
        let count = a.axes.len();
        let last: Vec<i64> =
            (0..count).filter(|of| *of != axis).chain([axis]).map(|of| of as i64).collect();
        let is_last = a.axes[axis + 1..].iter().all(|size| *size == 1);
        let rows = match is_last {
            true => a.clone(),
            false => self.moved(a, transposed(&a.axes, Some(last))?)?,
        };
        let mut result = self.of(&rows, operation)?;
        if is_last {
            result.axes[axis] = size;
            return Ok(result);
        }
        result.axes[count - 1] = size;
        let back = (0..count).map(|of| match of.cmp(&axis) {
            std::cmp::Ordering::Less => of as i64,
            std::cmp::Ordering::Equal => count as i64 - 1,
            std::cmp::Ordering::Greater => of as i64 - 1,
        });
        let back = transposed(&result.axes, Some(back.collect()))?;
        self.moved(&result, back)
    }

    /// Makes these values and labels the network's.
    pub fn finish(
        self,
        graph: &mut Graph,
        values: Option<Decrypted>,
        labels: Option<Decrypted>,
    ) -> Result<(), String> {
        let scores = self.scores.ok_or("it has no value to decrypt")?;
        let (vector, shape) = match values {
            None => (0, graph.node(scores).shape.clone()),
            Some(of) => {
                let axes = match &of.axes[..] {
                    [] => &[1],
                    [1, axes @ ..] if !axes.is_empty() => axes,
                    axes => axes,
                };
                (of.vector, Shape::new(axes).map_err(|error| error.to_string())?)
            }
        };
        let classes = self.names.get(&vector).cloned().unwrap_or_default();
        let size = graph.node(scores).shape.size();
        let labels = labels.map(|of| of.vector);
        let made = PostProcessing::new(size, self.steps, (vector, shape), labels, classes)?;
        graph.set_post_processing(scores, made);
        Ok(())
    }
}
