// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recurrent cells, unrolled over a fixed number of steps (ONNX's LSTM, GRU and RNN).

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Carried, Linear, Operator, Selection};
use super::shape::Shape;
use crate::error::NetworkError;

/// The largest number of weights of all steps together, since each step has a copy: 1 GiB.
const MOST_WEIGHTS: usize = 1 << 27;
/// The place of gate f of an LSTM.
const FORGET_GATE: usize = 2;

/// A kind of cell, and its functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Long short-term memory: gates i, o, f and c, in this order.
    Lstm {
        /// The function of gates i, o and f.
        gate: Activation,
        /// The function of gate c.
        candidate: Activation,
        /// The function of the cell state.
        output: Activation,
    },
    /// Gated recurrent unit: gates z, r and h.
    Gru {
        /// The function of gates z and r.
        gate: Activation,
        /// The function of gate h.
        candidate: Activation,
        /// `true` if gate r multiplies the product of the state and its weights instead of the
        /// state.
        resets_product: bool,
    },
    /// One gate, whose value is the state.
    Simple(Activation),
}

impl Cell {
    /// Returns the number of gates.
    pub fn gates(&self) -> usize {
        match self {
            Self::Lstm { .. } => 4,
            Self::Gru { .. } => 3,
            Self::Simple(_) => 1,
        }
    }
}

/// A layer of recurrent cells, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrent {
    /// The kind of cell.
    pub cell: Cell,
    /// The length of the hidden state.
    pub hidden: usize,
    /// W, by gate, value of the state and value of a step's input.
    pub input_weights: Vec<f64>,
    /// R, by gate, value of the state and value of the state before.
    pub state_weights: Vec<f64>,
    /// Biases of W, by gate and value of the state; empty for none.
    pub input_bias: Vec<f64>,
    /// Biases of R; empty for none.
    pub state_bias: Vec<f64>,
    /// The hidden state before the first step; empty for 0.
    pub first_hidden: Vec<f64>,
    /// The cell state before the first step, for LSTM; empty for 0.
    pub first_cell: Vec<f64>,
    /// `true` if the last step comes first.
    pub is_reverse: bool,
}

/// The nodes of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrolled {
    /// The hidden state after each step, in the order of the sequence.
    pub hidden: Vec<NodeId>,
    /// The hidden state after the step that came last.
    pub last_hidden: NodeId,
    /// The cell state after that step, for LSTM.
    pub last_cell: Option<NodeId>,
}

/// A state: numbers at first, then a node.
#[derive(Clone)]
enum State {
    Known(Vec<f64>),
    Node(NodeId),
}

impl Graph {
    /// Adds the nodes of a recurrent layer, step by step, over a sequence of `steps` concatenated
    /// vectors. The cell has the same polynomials in all steps.
    ///
    /// # Errors
    /// [`NetworkError::Node`] if the lengths of weights, biases or states do not match the layer,
    /// [`NetworkError::Limit`].
    pub fn push_recurrent(
        &mut self,
        name: &str,
        of: &Recurrent,
        sequence: NodeId,
        steps: usize,
    ) -> Result<Unrolled, NetworkError> {
        let size = self.node(sequence).shape.size();
        of.check(size, steps).map_err(|reason| NetworkError::node(name, reason))?;
        let weights = of.input_weights.len() + of.state_weights.len();
        if weights.saturating_mul(steps) > MOST_WEIGHTS {
            let what = format!("weights of {name} times its {steps} steps");
            let got = weights.saturating_mul(steps);
            return Err(NetworkError::Limit { what, got, limit: MOST_WEIGHTS });
        }
        let inputs = size / steps;
        let mut unroller =
            Unroller { graph: self, of, name, inputs, step: 0, alike: Vec::new(), activations: 0 };
        let known = |state: &Vec<f64>| match state.is_empty() {
            true => State::Known(vec![0.0; of.hidden]),
            false => State::Known(state.clone()),
        };
        let (mut hidden, mut cell) = (known(&of.first_hidden), known(&of.first_cell));
        let mut all = Vec::with_capacity(steps);
        for done in 0..steps {
            let step = if of.is_reverse { steps - 1 - done } else { done };
            let input = unroller.begin(sequence, step)?;
            let next = match &of.cell {
                Cell::Lstm { gate, candidate, output } => {
                    unroller.lstm([gate, candidate, output], input, &hidden, &mut cell)?
                }
                Cell::Gru { gate, candidate, resets_product } => {
                    unroller.gru([gate, candidate], *resets_product, input, &hidden)?
                }
                Cell::Simple(function) => {
                    let sum = unroller.gate("gate", 0, input, &hidden)?;
                    unroller.activation("state", function, sum)?
                }
            };
            all.push(next);
            hidden = State::Node(next);
        }
        let Some(last_hidden) = all.last().copied() else {
            return Err(NetworkError::node(name, "its sequence has no steps"));
        };
        if of.is_reverse {
            all.reverse();
        }
        let last_cell = match cell {
            State::Node(cell) => Some(cell),
            State::Known(_) => None,
        };
        Ok(Unrolled { hidden: all, last_hidden, last_cell })
    }
}

impl Recurrent {
    /// Checks the lengths of the sequence, weights, biases and states.
    fn check(&self, size: usize, steps: usize) -> Result<(), String> {
        let Self { hidden, .. } = *self;
        let gates = self.cell.gates();
        if steps == 0 || hidden == 0 || !size.is_multiple_of(steps) {
            return Err(format!(
                "{size} values do not fit a sequence of {steps} steps, states of {hidden}"
            ));
        }
        let rows = gates.saturating_mul(hidden);
        let is_lstm = matches!(self.cell, Cell::Lstm { .. });
        let none_or = |what: &'static str, got: usize, wanted: usize| {
            (what, got, if got == 0 { 0 } else { wanted })
        };
        let cells = if is_lstm { hidden } else { 0 };
        for (what, got, wanted) in [
            ("weights W", self.input_weights.len(), rows.saturating_mul(size / steps)),
            ("weights R", self.state_weights.len(), rows.saturating_mul(hidden)),
            none_or("biases of W", self.input_bias.len(), rows),
            none_or("biases of R", self.state_bias.len(), rows),
            none_or("values of the first hidden state", self.first_hidden.len(), hidden),
            none_or("values of the first cell state", self.first_cell.len(), cells),
        ] {
            if got != wanted {
                return Err(format!("it has {got} {what}, but its sizes need {wanted}"));
            }
        }
        Ok(())
    }
}

struct Unroller<'a> {
    graph: &'a mut Graph,
    of: &'a Recurrent,
    name: &'a str,
    inputs: usize,
    step: usize,
    /// The activations of the first step, in order.
    alike: Vec<NodeId>,
    /// The number of activations in this step.
    activations: usize,
}

impl Unroller<'_> {
    fn named(&self, part: &str) -> String {
        format!("{}: step {}, {part}", self.name, self.step + 1)
    }

    fn push(
        &mut self,
        part: &str,
        operator: Operator,
        inputs: &[NodeId],
    ) -> Result<NodeId, NetworkError> {
        self.graph.push(self.named(part), operator, inputs)
    }

    /// Returns the input of a step.
    fn begin(&mut self, sequence: NodeId, step: usize) -> Result<NodeId, NetworkError> {
        (self.step, self.activations) = (step, 0);
        let first = step * self.inputs;
        let places = (first..first + self.inputs).map(|place| place as u32).collect();
        let shape = Shape::new(&[self.inputs])?;
        self.push("input", Operator::Select(Selection { places, shape }), &[sequence])
    }

    /// Returns the rows of a gate.
    fn rows<'w>(&self, gate: usize, weights: &'w [f64], columns: usize) -> &'w [f64] {
        let rows = self.of.hidden;
        weights.get(gate * rows * columns..(gate + 1) * rows * columns).unwrap_or_default()
    }

    /// Adds W·x + b.
    fn of_input(&mut self, part: &str, gate: usize, input: NodeId) -> Result<NodeId, NetworkError> {
        let weights = self.rows(gate, &self.of.input_weights, self.inputs).to_vec();
        let bias = self.rows(gate, &self.of.input_bias, 1).to_vec();
        let linear = Operator::Linear(Linear { rows: self.of.hidden, weights, bias });
        self.push(&format!("{part} of the input"), linear, &[input])
    }

    /// Adds R·h + b, which is a constant if the state is.
    fn of_state(
        &mut self,
        part: &str,
        gate: usize,
        state: &State,
        has_bias: bool,
    ) -> Result<State, NetworkError> {
        let rows = self.of.hidden;
        let weights = self.rows(gate, &self.of.state_weights, rows).to_vec();
        let bias = self.rows(gate, &self.of.state_bias, 1);
        let bias = if has_bias { bias.to_vec() } else { Vec::new() };
        match state {
            State::Node(state) => {
                let linear = Operator::Linear(Linear { rows, weights, bias });
                let part = format!("{part} of the state");
                Ok(State::Node(self.push(&part, linear, &[*state])?))
            }
            State::Known(state) => {
                let product = |(row, weights): (usize, &[f64])| {
                    let bias = bias.get(row).copied().unwrap_or(0.0);
                    bias + weights.iter().zip(state).map(|(weight, x)| weight * x).sum::<f64>()
                };
                Ok(State::Known(weights.chunks(rows).enumerate().map(product).collect()))
            }
        }
    }

    /// Adds a + b.
    fn sum(&mut self, part: &str, a: NodeId, b: &State) -> Result<NodeId, NetworkError> {
        match b {
            State::Node(b) => self.push(part, Operator::Add, &[a, *b]),
            State::Known(b) if b.iter().all(|x| *x == 0.0) => Ok(a),
            State::Known(b) => {
                let (factors, summands) = (vec![1.0; b.len()], b.clone());
                self.push(part, Operator::ChannelScale { factors, summands }, &[a])
            }
        }
    }

    /// Adds a·b, place by place; `None` if b is 0.
    fn product(
        &mut self,
        part: &str,
        a: NodeId,
        b: &State,
    ) -> Result<Option<NodeId>, NetworkError> {
        match b {
            State::Node(b) => self.push(part, Operator::Product, &[a, *b]).map(Some),
            State::Known(b) if b.iter().all(|x| *x == 0.0) => Ok(None),
            State::Known(b) => {
                let (factors, summands) = (b.clone(), vec![0.0; b.len()]);
                self.push(part, Operator::ChannelScale { factors, summands }, &[a]).map(Some)
            }
        }
    }

    /// Returns the argument of a gate.
    fn gate(
        &mut self,
        part: &str,
        gate: usize,
        input: NodeId,
        state: &State,
    ) -> Result<NodeId, NetworkError> {
        let of_input = self.of_input(part, gate, input)?;
        let of_state = self.of_state(part, gate, state, true)?;
        self.sum(&format!("{part}, argument"), of_input, &of_state)
    }

    /// Adds a function, on the interval of the same function in the first step.
    fn activation(
        &mut self,
        part: &str,
        function: &Activation,
        argument: NodeId,
    ) -> Result<NodeId, NetworkError> {
        let id = self.push(part, Operator::Activation(function.clone()), &[argument])?;
        match self.alike.get(self.activations) {
            Some(first) => self.graph.calibrate_alike(id, *first),
            None => self.alike.push(id),
        }
        self.activations += 1;
        Ok(id)
    }

    fn lstm(
        &mut self,
        [gate, candidate, output]: [&Activation; 3],
        input: NodeId,
        hidden: &State,
        cell: &mut State,
    ) -> Result<NodeId, NetworkError> {
        let parts = [
            ("input gate", 0, gate),
            ("output gate", 1, gate),
            ("forget gate", 2, gate),
            ("candidate", 3, candidate),
        ];
        let mut gates = [input; 4];
        for (gate, (part, index, _)) in gates.iter_mut().zip(parts) {
            *gate = self.gate(part, index, input, hidden)?;
        }
        self.carry(parts.map(|(part, _, _)| part), &mut gates, cell)?;
        for (gate, (part, _, function)) in gates.iter_mut().zip(parts) {
            *gate = self.activation(part, function, *gate)?;
        }
        let [input_gate, output_gate, forget_gate, candidate] = gates;
        // The factor of the first product is free, for the function of the cell state.
        let new = self.push("new part", Operator::Product, &[candidate, input_gate])?;
        let next = match self.product("kept part", forget_gate, cell)? {
            Some(kept) => self.push("cell state", Operator::Add, &[kept, new])?,
            None => new,
        };
        *cell = State::Node(next);
        let seen = self.activation("function of the cell state", output, next)?;
        self.push("hidden state", Operator::Product, &[output_gate, seen])
    }

    /// Carries the arguments of gates together with the cell state. A forget gate without a state
    /// to keep is left out.
    fn carry(
        &mut self,
        parts: [&str; 4],
        gates: &mut [NodeId; 4],
        cell: &mut State,
    ) -> Result<(), NetworkError> {
        let keeps = !matches!(cell, State::Known(cell) if cell.iter().all(|x| *x == 0.0));
        let is_carried = |gate: &usize| keeps || *gate != FORGET_GATE;
        let carried: Vec<usize> = (0..gates.len()).filter(is_carried).collect();
        let mut all: Vec<NodeId> = carried.iter().map(|gate| gates[*gate]).collect();
        let arguments = all.len();
        if let State::Node(cell) = cell {
            all.push(*cell);
        }
        let operator = |which: usize| Operator::Carried(Carried { which, arguments });
        for (which, gate) in carried.into_iter().enumerate() {
            gates[gate] = self.push(&format!("carried {}", parts[gate]), operator(which), &all)?;
        }
        if let State::Node(cell) = cell {
            *cell = self.push("carried cell state", operator(arguments), &all)?;
        }
        Ok(())
    }

    fn gru(
        &mut self,
        [gate, candidate]: [&Activation; 2],
        resets_product: bool,
        input: NodeId,
        hidden: &State,
    ) -> Result<NodeId, NetworkError> {
        let of_update = self.gate("update gate", 0, input, hidden)?;
        let of_reset = self.gate("reset gate", 1, input, hidden)?;
        let update = self.activation("update gate", gate, of_update)?;
        let reset = self.activation("reset gate", gate, of_reset)?;
        let of_input = self.of_input("candidate", 2, input)?;
        let of_state = if resets_product {
            let product = self.of_state("candidate", 2, hidden, true)?;
            self.product("reset product", reset, &product)?.map(State::Node)
        } else {
            let state = self.product("reset state", reset, hidden)?;
            let state = state.map_or_else(|| hidden.clone(), State::Node);
            Some(self.of_state("candidate", 2, &state, true)?)
        };
        let argument = match of_state {
            Some(of_state) => self.sum("candidate, argument", of_input, &of_state)?,
            None => of_input,
        };
        let new = self.activation("candidate", candidate, argument)?;
        // (1 − z)·n + z·h = n + z·(h − n).
        let change = match hidden {
            State::Node(hidden) => self.push("change", Operator::Subtract, &[*hidden, new])?,
            State::Known(hidden) => {
                let (factors, summands) = (vec![-1.0; hidden.len()], hidden.clone());
                self.push("change", Operator::ChannelScale { factors, summands }, &[new])?
            }
        };
        let part = self.push("part of the change", Operator::Product, &[update, change])?;
        self.push("hidden state", Operator::Add, &[new, part])
    }
}
