// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The polynomials of a circuit as a graph of sums and products, in which equal parts occur once.

use std::collections::HashMap;

use crate::pasta::Fp;

/// The kinds of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Instance,
    Advice,
    Fixed,
}

/// A value of the graph. Operands are numbers of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// The evaluation of a query.
    Query(Kind, usize),
    Constant(Fp),
    Negated(usize),
    Sum(usize, usize),
    Product(usize, usize),
}

/// A graph in which an operand is built before it is used.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
}

impl Builder {
    fn node(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    /// Adds an expression in postfix notation: numbers with `0x`, queries with the letter of their
    /// kind, `+`, `*`, and `-` for the opposite number. Returns the number of its node; `None` for
    /// another text.
    pub fn expression(&mut self, text: &str) -> Option<usize> {
        let mut stack = Vec::new();
        for token in text.split_ascii_whitespace() {
            let node = match token {
                "-" => Node::Negated(stack.pop()?),
                "+" | "*" => {
                    let (second, first) = (stack.pop()?, stack.pop()?);
                    if token == "+" {
                        Node::Sum(first, second)
                    } else {
                        Node::Product(first, second)
                    }
                }
                _ if token.starts_with("0x") => Node::Constant(token.parse().ok()?),
                _ => {
                    let (kind, number) = query(token)?;
                    Node::Query(kind, number)
                }
            };
            stack.push(self.node(node));
        }
        let number = stack.pop()?;
        stack.is_empty().then_some(number)
    }

    /// Returns the graph, and the numbers of its nodes by their numbers here.
    pub fn finish(self) -> (Graph, Vec<usize>) {
        let mut is_common: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            is_common.push(match *node {
                Node::Query(kind, _) => kind == Kind::Fixed,
                Node::Constant(_) => true,
                Node::Negated(a) => is_common[a],
                Node::Sum(a, b) | Node::Product(a, b) => is_common[a] && is_common[b],
            });
        }
        let all = 0..self.nodes.len();
        let (first, rest): (Vec<usize>, Vec<usize>) = all.partition(|number| is_common[*number]);
        let mut places = vec![0; self.nodes.len()];
        for (place, number) in first.iter().chain(&rest).enumerate() {
            places[*number] = place;
        }
        let moved = |number: &usize| match self.nodes[*number] {
            Node::Negated(a) => Node::Negated(places[a]),
            Node::Sum(a, b) => Node::Sum(places[a], places[b]),
            Node::Product(a, b) => Node::Product(places[a], places[b]),
            other => other,
        };
        let nodes = first.iter().chain(&rest).map(moved).collect();
        (Graph { nodes, common: first.len() }, places)
    }
}

/// Returns the kind and the number of a query or of a column, such as `a7`.
pub fn query(token: &str) -> Option<(Kind, usize)> {
    let kind = match token.as_bytes().first()? {
        b'i' => Kind::Instance,
        b'a' => Kind::Advice,
        b'f' => Kind::Fixed,
        _ => return None,
    };
    Some((kind, token.get(1..)?.parse().ok()?))
}

/// The evaluations of the queries of one action.
#[derive(Clone, Copy, Debug)]
pub struct Evaluations<'a> {
    pub instance: &'a [Fp],
    pub advice: &'a [Fp],
    pub fixed: &'a [Fp],
}

impl Evaluations<'_> {
    /// Returns the evaluation of a query, whose number the description bounds.
    pub fn of(&self, kind: Kind, number: usize) -> Fp {
        match kind {
            Kind::Instance => self.instance[number],
            Kind::Advice => self.advice[number],
            Kind::Fixed => self.fixed[number],
        }
    }
}

/// A graph. The nodes that only fixed columns determine come first.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    common: usize,
}

impl Graph {
    /// Returns the values of the nodes that only fixed columns determine.
    pub fn common(&self, fixed: &[Fp]) -> Vec<Fp> {
        let mut values = Vec::with_capacity(self.nodes.len());
        self.extend(&mut values, &Evaluations { instance: &[], advice: &[], fixed }, self.common);
        values
    }

    /// Computes the values of all nodes, given those that only fixed columns determine.
    pub fn of_action(&self, values: &mut Vec<Fp>, evaluations: &Evaluations<'_>) {
        values.truncate(self.common);
        self.extend(values, evaluations, self.nodes.len());
    }

    fn extend(&self, values: &mut Vec<Fp>, evaluations: &Evaluations<'_>, end: usize) {
        for node in &self.nodes[values.len()..end] {
            values.push(match *node {
                Node::Query(kind, number) => evaluations.of(kind, number),
                Node::Constant(constant) => constant,
                Node::Negated(a) => -values[a],
                Node::Sum(a, b) => values[a] + values[b],
                Node::Product(a, b) => values[a] * values[b],
            });
        }
    }

    /// Returns `true` if all queries are below these bounds for instance, advice and fixed columns.
    pub fn is_within(&self, bounds: [usize; 3]) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Query(kind, number) => *number < bounds[*kind as usize],
            _ => true,
        })
    }
}
