// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Linear models of `ai.onnx.ml` (ONNX operators of classical machine learning, version 1 and
//! later): Scaler, LinearRegressor and LinearClassifier.

use super::import::Importer;
use super::messages::NodeMessage;
use super::tensor::Constant;
use super::value::{Computed, Decrypted, Value};
use crate::error::NetworkError;
use crate::graph::{Linear, Operator};
use crate::post_processing::{Content, Operation};

impl Importer {
    /// Adds (x − offset)·scale for each feature.
    pub(super) fn scaler(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
    ) -> Result<Value, NetworkError> {
        let mut value = Value::Node(a.clone());
        for (list, kind) in [("offset", "Sub"), ("scale", "Mul")] {
            let values = node.floats(list);
            let constant = Constant { axes: vec![values.len()], values };
            if let Value::Node(a) = &value {
                if !constant.values.is_empty() {
                    value = self.with_constant(name, kind, a, &constant, false)?;
                }
            }
        }
        Ok(value)
    }

    /// Adds the matrix of a linear model, with a row for each target.
    fn rows_of(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
        rows: usize,
    ) -> Result<Computed, String> {
        let [1, features] = a.axes[..] else {
            return Err(format!("its input has the axes {:?}, expected [1, features]", a.axes));
        };
        let (weights, mut bias) = (node.floats("coefficients"), node.floats("intercepts"));
        if rows == 0 || Some(weights.len()) != rows.checked_mul(features) {
            let got = weights.len();
            return Err(format!("it has {got} coefficients for {rows} rows of {features}"));
        }
        if bias.iter().all(|bias| *bias == 0.0) {
            bias.clear();
        }
        let input = self.batched(a)?;
        let layer = Operator::Linear(Linear { rows, weights, bias });
        let id = self.graph.push(name, layer, &[input]).map_err(|error| error.to_string())?;
        Ok(Computed { id, axes: vec![1, rows] })
    }

    /// Adds a linear regression.
    pub(super) fn linear_regressor(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
    ) -> Result<Value, String> {
        let targets = usize::try_from(node.int("targets", 1)).unwrap_or(0);
        match node.text("post_transform", "NONE").as_str() {
            "NONE" => self.rows_of(name, node, a, targets).map(Value::Node),
            other => Err(format!("post_transform {other} is not supported: only NONE is")),
        }
    }

    /// Adds a linear classifier: its label, and its scores or probabilities.
    ///
    /// With a score for each of two or more classes, the label is that of the largest score. A
    /// single score is that of the second of two classes: the first one has 1 − s (1 − p with
    /// LOGISTIC), and the label is that of the second class if s > 0, as in onnxruntime.
    pub(super) fn linear_classifier(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
    ) -> Result<Vec<Value>, String> {
        let table = node.labels("classlabels_ints", "classlabels_strings");
        let count = match node.floats("intercepts").len() {
            0 => table.len(),
            rows => rows,
        };
        if table.len() != count && (table.len(), count) != (2, 1) {
            return Err(format!("it has {} labels for {count} scores", table.len()));
        }
        let scores = self.rows_of(name, node, a, count)?;
        self.after.begin_with(name, "ai.onnx.ml.LinearClassifier");
        let Decrypted { vector: scores, .. } = self.after.begin(&self.graph, &scores)?;
        let after = &mut self.after;
        let (compared, is_single) = match count {
            1 if table.len() == 2 => {
                let zero = Operation::Affine { factors: vec![0.0], summands: vec![0.0] };
                let zero = after.push(zero, &[scores])?;
                (after.push(Operation::Concat, &[zero, scores])?, true)
            }
            _ => (scores, false),
        };
        let width = table.len();
        let places = after.push(Operation::ArgMax { width, is_last: false }, &[compared])?;
        let labels = after.push(Operation::Labels(table.clone()), &[places])?;
        let mut values = match node.text("post_transform", "NONE").as_str() {
            "NONE" => scores,
            "LOGISTIC" => after.push(Operation::Sigmoid, &[scores])?,
            "SOFTMAX" if !is_single => {
                after.push(Operation::Softmax { width, is_logarithm: false }, &[scores])?
            }
            other => {
                return Err(format!(
                "post_transform {other} of {count} scores is not supported: NONE, LOGISTIC and, \
                     of several scores, SOFTMAX are"
            ))
            }
        };
        if is_single {
            let other = Operation::Affine { factors: vec![-1.0], summands: vec![1.0] };
            let other = after.push(other, &[values])?;
            values = after.push(Operation::Concat, &[other, values])?;
        }
        after.name(values, table);
        let value = |vector, axes: &[usize], content| {
            Value::Decrypted(Decrypted { vector, axes: axes.to_vec(), content })
        };
        let content = after.content(labels);
        Ok(vec![value(labels, &[1], content), value(values, &[1, width], Content::Numbers)])
    }
}
