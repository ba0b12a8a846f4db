// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network compiled for parameters.

use halimede_ckks::circuit::Input;
use halimede_ckks::{Bound, Parameters, Plan};

use super::activation::Approximation;
use super::builder::{circuit, input_name, Circuit, Most, Source, Stage};
use super::groups::Groups;
use super::interface::Interface;
use super::options::Options;
use super::report::Report;
use crate::calibrate::Calibration;
use crate::error::NetworkError;
use crate::graph::{Graph, NodeId};
use crate::layout::{MOST_CIPHERTEXTS, MOST_INPUT_CIPHERTEXTS};

/// The level of a result with a guard, where it can be. The 16th power of an argument 60 times beyond its
/// interval, which a bootstrap folds back, has 95 bits: at a level of less room it becomes any number.
const GUARD_LEVEL: usize = 2;

/// A network compiled for parameters: for the server, who has the weights.
pub struct Model {
    graph: Graph,
    plan: Plan,
    interface: Interface,
    pub(super) stages: Vec<Stage>,
    pub(super) approximations: Vec<(NodeId, Approximation)>,
    pub(super) calibration: Calibration,
}

impl Model {
    /// Compiles a network: activations become polynomials on the calibrated intervals, layers
    /// between them matrices, and bootstraps are put in where levels do not suffice. Vectors take
    /// as few slots as hold each layer; a layer of more values than a ciphertext has slots takes
    /// several.
    ///
    /// # Errors
    /// [`NetworkError::Slots`] for a layer that takes more ciphertexts than it may have,
    /// [`NetworkError::Circuit`] where levels do not suffice, [`NetworkError::Limit`].
    pub fn compile(
        graph: &Graph,
        calibration: &Calibration,
        parameters: &Parameters,
        options: &Options,
    ) -> Result<Self, NetworkError> {
        let mut approximations = Vec::new();
        for (id, activation) in graph.activations() {
            let name = &graph.node(id).name;
            let found = Approximation::new(name, id, activation, calibration, options)?;
            approximations.push((id, found));
        }
        let groups = Groups::new(graph, &mut approximations);
        let range = calibration.input();
        let source = Source {
            graph,
            approximations: &approximations,
            groups: &groups,
            input_range: range,
            has_guard: options.guard,
        };
        let (slots, circuit) = smallest(&source, parameters, options.input_ciphertexts)?;
        let bound = Bound::between(range.low, range.high);
        let input = Input { length: slots, ..Input::fresh(parameters, bound) };
        let count = circuit.inputs.len();
        let inputs = (0..count).map(|part| (input_name(part, count), input)).collect();
        let result = if options.guard { GUARD_LEVEL } else { 0 };
        let plan = Plan::at_low_levels(&circuit.results, parameters, &inputs, result)?;
        let plan = plan.keeping_matrices(options.matrix_bytes);
        let level = plan.inputs().values().map(|input| input.level).max().unwrap_or(0);
        let interface = Interface {
            parameters: parameters.clone(),
            keys: plan.keys_by_level(options.few_keys),
            level,
            slots,
            inputs: circuit.inputs,
            input_shape: graph.input_shape().clone(),
            input_range: range,
            output_shape: graph.output_shape().clone(),
            outputs: circuit.outputs,
            guard: circuit.guard,
        };
        let (graph, calibration) = (graph.clone(), calibration.clone());
        let stages = circuit.stages;
        Ok(Self { graph, plan, interface, stages, approximations, calibration })
    }

    /// What the client must know.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The steps, levels, keys and bootstraps.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The names of the input's ciphertexts in the plan.
    pub(crate) fn input_names(&self) -> Vec<String> {
        let count = self.interface.inputs.len();
        (0..count).map(|part| input_name(part, count)).collect()
    }

    /// The network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Levels, rotations, products, bootstraps and errors, a layer a line.
    pub fn report(&self) -> Report {
        Report::of(self)
    }

    /// The values that are computed, without encryption and its errors: the network with its
    /// activations approximated.
    ///
    /// # Errors
    /// [`NetworkError::Input`] for another number of values.
    pub fn approximate(&self, input: &[f64]) -> Result<Vec<f64>, NetworkError> {
        self.graph.evaluate_with(input, |id, activation, values| {
            let found = self.approximations.iter().find(|(of, _)| *of == id);
            values.iter_mut().for_each(|x| {
                *x = found.map_or_else(|| activation.value(*x), |(_, found)| found.value(*x));
            });
        })
    }
}

/// The circuit of the fewest slots that hold each layer, and the input in `inputs` ciphertexts; where none
/// do, of several ciphertexts of all slots.
fn smallest(
    source: &Source<'_>,
    parameters: &Parameters,
    inputs: usize,
) -> Result<(usize, Circuit), NetworkError> {
    if !(1..=MOST_INPUT_CIPHERTEXTS).contains(&inputs) {
        let (what, limit) =
            ("ciphertexts of an input, at least 1".to_owned(), MOST_INPUT_CIPHERTEXTS);
        return Err(NetworkError::Limit { what, got: inputs, limit });
    }
    let shape = source.graph.input_shape();
    let row = shape.axes().last().copied().filter(|_| inputs > 1);
    let mut slots = row.unwrap_or(shape.size()).next_power_of_two().min(parameters.slots());
    while slots < parameters.slots() {
        match circuit(source, slots, Most { layer: 1, input: inputs }) {
            Err(NetworkError::Slots { .. }) => slots *= 2,
            result => return result.map(|circuit| (slots, circuit)),
        }
    }
    circuit(source, slots, Most { layer: MOST_CIPHERTEXTS, input: 1 })
        .map(|circuit| (slots, circuit))
}
