// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network compiled for parameters.

use halimede_ckks::circuit::Input;
use halimede_ckks::{Complex, Parameters, Plan};

use super::activation::{Approximation, Method};
use super::builder::{circuit, input_name, Circuit, Most, Source, Stage};
use super::groups::{least_radius, Groups};
use super::interface::{blocks_of, input_bound, Interface};
use super::options::Options;
use crate::calibrate::{Calibration, Range};
use crate::error::NetworkError;
use crate::graph::{Graph, Node, NodeId, Operator};
use crate::layout::{Batch, SlotPlace, MOST_BATCH, MOST_CIPHERTEXTS, MOST_INPUT_CIPHERTEXTS};

/// The level of a result with a guard, if it can be reached. The 16th power of an argument 60 times
/// beyond its interval, which a bootstrap wraps around, has 95 bits: a level with less room would
/// turn it into an arbitrary number.
const GUARD_LEVEL: usize = 2;

/// The approximate cost of a bootstrap in key switches at low levels: 3 s against 8 ms.
const BOOTSTRAP: usize = 400;

/// A network compiled for parameters: for the server, which has the weights.
pub struct Model {
    graph: Graph,
    plan: Plan,
    interface: Interface,
    pub(super) stages: Vec<Stage>,
    pub(super) approximations: Vec<(NodeId, Approximation)>,
    pub(crate) calibration: Calibration,
    /// The largest size in bytes of the encoded matrices that are kept.
    most_matrix_bytes: usize,
    /// `true` if bootstraps use few keys.
    pub(super) few_keys: bool,
}

impl Model {
    /// Compiles a network: activations become polynomials on the calibrated intervals, the layers
    /// between them matrices, and bootstraps are inserted where levels do not suffice. Vectors have
    /// the fewest slots that hold each layer. A layer with more values than a ciphertext has slots
    /// uses several ciphertexts.
    ///
    /// # Errors
    /// [`NetworkError::Slots`] for a layer that needs more ciphertexts than allowed,
    /// [`NetworkError::Circuit`] if levels do not suffice, [`NetworkError::Limit`].
    pub fn compile(
        graph: &Graph,
        calibration: &Calibration,
        parameters: &Parameters,
        options: &Options,
    ) -> Result<Self, NetworkError> {
        let mut approximations = Vec::new();
        for (id, activation) in graph.activations() {
            let name = &graph.node(id).name;
            let least = least_radius(graph, id, &approximations);
            let found = Approximation::new(name, id, activation, least, calibration, options)?;
            approximations.push((id, found));
        }
        widen_distances(graph, &mut approximations);
        let groups = Groups::new(graph, &mut approximations);
        let range = calibration.input();
        let source = Source {
            graph,
            approximations: &approximations,
            groups: &groups,
            input_range: range,
            has_guard: options.guard,
            later: if parameters.bootstrap().is_some() { BOOTSTRAP } else { 0 },
        };
        let (batch, circuit) = smallest(&source, parameters, options)?;
        let bound = input_bound(range, batch);
        let input = Input { length: batch.slots(), ..Input::fresh(parameters, bound) };
        let ciphertexts = |place: &SlotPlace| batch.ciphertexts(place.block);
        let count = circuit.inputs.iter().map(ciphertexts).sum();
        let inputs = (0..count).map(|part| (input_name(part, count), input)).collect();
        let result = if options.guard { GUARD_LEVEL } else { 0 };
        let plan = Plan::at_low_levels(&circuit.results, parameters, &inputs, result)?;
        let plan = plan.keeping_matrices(options.matrix_bytes);
        let level = plan.inputs().values().map(|input| input.level).max().unwrap_or(0);
        let interface = Interface {
            parameters: parameters.clone(),
            keys: plan.keys_by_level(options.few_keys),
            level,
            batch,
            inputs: circuit.inputs,
            input_shape: graph.input_shape().clone(),
            input_range: range,
            score_shape: graph.score_shape().clone(),
            outputs: blocks_of(&circuit.outputs),
            guard: circuit.guard,
            post_processing: graph.post_processing().cloned(),
        };
        let (graph, calibration) = (graph.clone(), calibration.clone());
        let stages = circuit.stages;
        let Options { matrix_bytes: most_matrix_bytes, few_keys, .. } = *options;
        Ok(Self {
            graph,
            plan,
            interface,
            stages,
            approximations,
            calibration,
            most_matrix_bytes,
            few_keys,
        })
    }

    /// Returns the interface, which a client needs.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Returns the steps, levels, keys and bootstraps.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns an upper bound for the bytes of the compiled network: its weights, the diagonals of
    /// its matrices, and the encoded matrices that are kept.
    pub fn memory_bytes(&self, onnx_bytes: usize) -> usize {
        let parameters = self.plan.parameters();
        let chain = parameters.chain();
        let primes = chain.primes.len();
        let diagonals: usize = self.stages.iter().map(|stage| stage.diagonals).sum();
        let polynomial = primes * parameters.degree() * size_of::<u32>();
        let encoded = diagonals.saturating_mul(polynomial).min(self.most_matrix_bytes);
        let raw = diagonals.saturating_mul(self.interface.slots() * size_of::<Complex>());
        // Weights are 64 bits wide in memory, once in the network and once in a matrix.
        onnx_bytes.saturating_mul(4).saturating_add(raw).saturating_add(encoded)
    }

    /// Returns the names of the input's ciphertexts in the plan.
    pub(crate) fn input_names(&self) -> Vec<String> {
        let count = self.interface.input_ciphertexts();
        (0..count).map(|part| input_name(part, count)).collect()
    }

    /// Returns the network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the network's values with its activations approximated: those of the circuit without
    /// encryption and its errors, after post-processing.
    ///
    /// # Errors
    /// [`NetworkError::Input`] if the number of values is wrong.
    pub fn approximate(&self, input: &[f64]) -> Result<Vec<f64>, NetworkError> {
        Ok(self.graph.answer_of(self.approximate_scores(input)?).values)
    }

    /// Returns the scores of [`Self::approximate`], before post-processing.
    ///
    /// # Errors
    /// As [`Self::approximate`].
    pub fn approximate_scores(&self, input: &[f64]) -> Result<Vec<f64>, NetworkError> {
        self.graph.evaluate_with(input, |id, activation, values| {
            let found = self.approximations.iter().find(|(of, _)| *of == id);
            values.iter_mut().for_each(|x| {
                *x = found.map_or_else(|| activation.value(*x), |(_, found)| found.value(*x));
            });
        })
    }
}

/// Returns the circuit with the fewest slots that hold each layer, and with the allowed number of
/// ciphertexts of the input. If no number of slots suffices, it uses several ciphertexts of all
/// slots. The inputs of a batch have blocks of this number of slots.
///
/// The values of a single input repeat in its slots if its matrices then need fewer diagonals and
/// key switches in total.
fn smallest(
    source: &Source<'_>,
    parameters: &Parameters,
    options: &Options,
) -> Result<(Batch, Circuit), NetworkError> {
    let inputs = options.input_ciphertexts;
    check_count("ciphertexts of an input, at least 1", inputs, MOST_INPUT_CIPHERTEXTS)?;
    check_count("inputs of a batch, at least 1", options.batch, MOST_BATCH)?;
    // Values that are carried in pairs already use the real and imaginary part.
    let is_carried = |node: &Node| matches!(node.operator, Operator::Carried(_));
    let is_paired = !source.graph.nodes().any(|(_, node)| is_carried(node));
    let most = parameters.slots();
    let of_blocks = |block: usize| Batch::new(options.batch, is_paired, block, most);
    let shape = source.graph.input_shape();
    let row = shape.axes().last().copied().filter(|_| inputs > 1);
    let mut block = row.unwrap_or(shape.size()).next_power_of_two().min(most);
    let mut limits = Most { layer: 1, input: inputs, repeats: false };
    let (batch, once) = loop {
        let batch = of_blocks(block);
        if block >= most {
            limits = Most { layer: MOST_CIPHERTEXTS, input: 1, ..limits };
        }
        match circuit(source, batch, limits) {
            Err(NetworkError::Slots { .. }) if block < most => block *= 2,
            result => break (batch, result?),
        }
    };
    if !(batch.is_alone() && once.could_repeat()) {
        return Ok((batch, once));
    }
    let repeated = circuit(source, batch, Most { repeats: true, ..limits })?;
    match repeated.matrix_cost() < once.matrix_cost() {
        true => Ok((batch, repeated)),
        false => Ok((batch, once)),
    }
}

/// Widens the declared intervals of distances whose mean square is the argument of a function, such
/// as those of a layer normalization, so that the squares of distances, relative to their
/// interval, add up to the argument relative to its interval: the sum then needs no factor, and no
/// level.
fn widen_distances(graph: &Graph, approximations: &mut [(NodeId, Approximation)]) {
    let widened = approximations.iter().filter_map(|(id, found)| {
        let sums = graph.node(*graph.node(*id).inputs.first()?);
        let Operator::Sums(of) = &sums.operator else { return None };
        let (_, weight) = *of.rows.first()?.first()?;
        let is_mean = of.rows.iter().flatten().all(|(_, other)| *other == weight);
        let squares = graph.node(*sums.inputs.first()?);
        let [a, b] = squares.inputs[..] else { return None };
        let is_square = squares.operator == Operator::Product && a == b;
        let radius = (found.interval.radius() / weight).sqrt();
        (is_mean && is_square && radius.is_finite()).then_some((a, radius))
    });
    let widened: Vec<(NodeId, f64)> = widened.collect();
    for (id, found) in approximations {
        let radius = widened.iter().find(|(of, _)| of == id).map(|(_, radius)| *radius);
        let wider = radius.filter(|radius| *radius >= found.interval.radius());
        if let (Method::Declared, Some(radius)) = (&found.method, wider) {
            found.interval = Range { low: -radius, high: radius };
            found.factor = radius;
        }
    }
}

/// # Errors
/// [`NetworkError::Limit`] for 0, and for more than the limit.
fn check_count(what: &str, got: usize, limit: usize) -> Result<(), NetworkError> {
    match (1..=limit).contains(&got) {
        true => Ok(()),
        false => Err(NetworkError::Limit { what: what.to_owned(), got, limit }),
    }
}
