// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cost of each layer, and its distance from its bounds.

use std::fmt;

use super::activation::Approximation;
use super::builder::{matrix_label, StageKind};
use super::cost::Costs;
use super::model::Model;
use super::slots::part_name;
use crate::post_processing::PostProcessing;

/// A matrix and the operation after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The name of the activation, or of the output.
    pub name: String,
    /// The layers that became the matrix.
    pub layers: Vec<String>,
    /// The activation and its approximation, a product, or the output.
    pub activation: String,
    /// The level after the matrix, and after the activation, of the last ciphertext.
    pub levels: (usize, usize),
    /// The number of ciphertexts that hold the values.
    pub ciphertexts: usize,
    /// The number of diagonals of the matrix, which are products with plaintexts.
    pub diagonals: usize,
    /// The number of rotations.
    pub rotations: usize,
    /// The number of products of ciphertexts, in all ciphertexts of the layer.
    pub products: usize,
    /// The number of key switches of the matrix, the operation after it, and sums over periods,
    /// without those of bootstraps.
    pub key_switches: usize,
    /// The number of bootstraps since the layer before.
    pub bootstraps: usize,
    /// The estimated share of the time of all layers, 0 to 1, with these bootstraps: from the
    /// bytes of keys that the operations read. Measured shares above 2 % agree within a third.
    pub share: f64,
    /// The distance of neighboring values in slots.
    pub gap: usize,
    /// The largest argument of the activation in the samples, relative to its interval's radius: 1
    /// is the bound.
    pub used: Option<f64>,
    /// The largest error of the approximation on its interval.
    pub largest_error: f64,
    /// The root mean square of the error in the samples.
    pub mean_error: f64,
}

/// All layers, and the whole network.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The layers, in order.
    pub layers: Vec<Layer>,
    /// The number of slots of a vector.
    pub slots: usize,
    /// The number of levels of the longest path.
    pub depth: usize,
    /// The number of all bootstraps.
    pub bootstraps: usize,
    /// The number of keys that the server needs.
    pub keys: usize,
    /// The size of the keys in memory, in bytes.
    pub key_bytes: usize,
    /// `true` if results carry a guard.
    pub has_guard: bool,
    /// The operations of the client after decryption.
    pub post_processing: Vec<&'static str>,
}

impl Model {
    /// Returns the levels, rotations, products, bootstraps and errors of each layer.
    pub fn report(&self) -> Report {
        Report::of(self)
    }
}

impl Model {
    /// Returns the labels of steps with the places of their layers in the report.
    pub(crate) fn layer_labels(&self) -> Vec<(String, usize)> {
        let mut labels = Vec::new();
        for (place, stage) in self.stages.iter().enumerate() {
            for part in 0..stage.ciphertexts {
                let name = part_name(&stage.name, part, stage.ciphertexts);
                labels.push((matrix_label(&name), place));
                labels.push(match stage.kind {
                    StageKind::Output => (format!("output {name}"), place),
                    StageKind::Activation(_) | StageKind::Product => (name, place),
                });
            }
        }
        labels
    }
}

impl Report {
    fn of(model: &Model) -> Self {
        let plan = model.plan();
        let steps = plan.steps();
        let last = steps.len().saturating_sub(1);
        // The result of each stage among the steps.
        let result_of = |name: &str, is_output: bool| {
            let found = steps.iter().position(|step| step.label() == Some(name));
            if is_output {
                last
            } else {
                found.unwrap_or(last)
            }
        };
        let slots = model.interface().slots();
        let costs = Costs::new(plan.parameters(), slots, model.few_keys);
        let (mut layers, mut spent) = (Vec::new(), Vec::new());
        let mut done = 0;
        for stage in &model.stages {
            let name = part_name(&stage.name, stage.ciphertexts - 1, stage.ciphertexts);
            let end = result_of(&name, stage.kind == StageKind::Output);
            let matrix = matrix_label(&name);
            let matrix = steps.iter().find(|step| step.label() == Some(matrix.as_str()));
            let after = steps[end].level();
            let between = steps.get(done..=end).unwrap_or_default();
            let bootstraps = between.iter().filter(|step| step.is_bootstrap()).count();
            done = done.max(end + 1);
            let activation = match stage.kind {
                StageKind::Activation(id) => Some(id),
                StageKind::Product | StageKind::Output => None,
            };
            let approximation = activation.and_then(|id| {
                model.approximations.iter().find(|(of, _)| *of == id).map(|(_, found)| found)
            });
            let used = activation.zip(approximation).and_then(|(id, approximation)| {
                let (range, interval) = (model.calibration.range(id)?, approximation.interval);
                let off = |x: f64| (x - interval.middle()).abs() / interval.radius();
                Some(off(range.low).max(off(range.high)))
            });
            let description = activation.zip(approximation).map(|(id, approximation)| {
                let name = model.graph().node(id).operator.name();
                format!("{name}, {}", approximation.description())
            });
            let is_product = stage.kind == StageKind::Product;
            let level = matrix.map_or(after, |step| step.level());
            let switches = stage.ciphertexts
                * approximation.map_or(usize::from(is_product), Approximation::key_switches);
            spent.push(
                costs.bootstrap() * bootstraps as f64
                    + costs.key_switch(level + 1) * stage.rotations as f64
                    + costs.plain_product(level + 1) * stage.diagonals as f64
                    + costs.key_switch(level.midpoint(after)) * switches as f64,
            );
            layers.push(Layer {
                name: stage.name.clone(),
                layers: stage.layers.clone(),
                activation: description.unwrap_or_else(|| {
                    let other = if is_product { "product" } else { "output" };
                    other.to_owned()
                }),
                levels: (level, after),
                diagonals: stage.diagonals,
                rotations: stage.rotations,
                ciphertexts: stage.ciphertexts,
                products: stage.ciphertexts
                    * approximation
                        .map_or(usize::from(is_product), |approximation| approximation.products()),
                key_switches: stage.rotations + switches,
                bootstraps,
                share: 0.0,
                gap: stage.gap,
                used,
                largest_error: approximation.map_or(0.0, |found| found.largest_error),
                mean_error: approximation.map_or(0.0, |found| found.mean_error),
            });
        }
        let all: f64 = spent.iter().sum();
        for (layer, spent) in layers.iter_mut().zip(spent) {
            layer.share = if all > 0.0 { spent / all } else { 0.0 };
        }
        let interface = model.interface();
        Self {
            layers,
            slots: interface.slots(),
            depth: plan.depth(),
            bootstraps: plan.bootstraps(),
            keys: interface.keys().len(),
            key_bytes: interface.key_bytes(),
            has_guard: interface.guard.is_some(),
            post_processing: interface
                .post_processing()
                .map(PostProcessing::operations)
                .unwrap_or_default(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = [
            "layer",
            "activation",
            "ciphertexts",
            "levels",
            "diagonals",
            "rotations",
            "products",
            "key switches",
            "bootstraps",
            "share",
            "range used",
            "error",
            "at most",
        ];
        let row = |layer: &Layer| {
            let used = layer.used.map_or_else(String::new, |used| format!("{:.0} %", used * 100.0));
            let error = |error: f64| match layer.used {
                Some(_) => format!("{error:.1e}"),
                None => String::new(),
            };
            [
                layer.name.clone(),
                layer.activation.clone(),
                layer.ciphertexts.to_string(),
                format!("{}, {}", layer.levels.0, layer.levels.1),
                layer.diagonals.to_string(),
                layer.rotations.to_string(),
                layer.products.to_string(),
                layer.key_switches.to_string(),
                layer.bootstraps.to_string(),
                format!("{:.1} %", layer.share * 100.0),
                used,
                error(layer.mean_error),
                error(layer.largest_error),
            ]
        };
        let mut rows = vec![header.map(str::to_owned)];
        rows.extend(self.layers.iter().map(row));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..header.len()).map(|of| width(of).unwrap_or(0)).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        let guard = if self.has_guard { "yes" } else { "no" };
        write!(
            f,
            "slots {}, depth {}, bootstraps {}, keys {} ({:.2} GB), guard {guard}",
            self.slots,
            self.depth,
            self.bootstraps,
            self.keys,
            self.key_bytes as f64 / 1e9
        )?;
        match self.post_processing.is_empty() {
            true => Ok(()),
            false => write!(f, "\nafter decryption: {}", self.post_processing.join(", ")),
        }
    }
}
