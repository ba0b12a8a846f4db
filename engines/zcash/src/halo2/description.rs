// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Orchard circuit: `orchard.txt`, which `examples/circuit.rs` writes from the crate `orchard`.
//!
//! Each line is a name and its values. `gate`, `input` and `table` lines have an expression in
//! postfix notation ([`expressions`](super::expressions)); `g`, `lagrange`, `w`, `u`, `fixed` and
//! `sigma` lines have the encoding of a point of Vesta. `key` begins a version of the circuit,
//! which has its own commitments.

use halimede_arith::Field;
use orchard::circuit::OrchardCircuitVersion;

use super::expressions::{query, Builder, Graph, Kind};
use super::plan::{Plan, Query, Shape, ROTATIONS};
use crate::pasta::Fp;

/// The text.
const TEXT: &str = include_str!("orchard.txt");

/// Returns the generator of the cosets of the permutation argument, 5^(2³²).
fn delta() -> Fp {
    Fp::from(5).pow(&[1 << 32])
}

/// A lookup argument: the nodes of its expressions.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    pub inputs: Vec<usize>,
    pub tables: Vec<usize>,
}

/// A version of the circuit.
#[derive(Clone, Debug)]
pub struct Key {
    pub version: OrchardCircuitVersion,
    /// The digest of the whole verifying key, which begins the transcript.
    pub digest: Fp,
    pub fixed: Vec<[u8; 32]>,
    pub sigma: Vec<[u8; 32]>,
}

/// The bases of commitments.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    pub g: Vec<[u8; 32]>,
    pub lagrange: Vec<[u8; 32]>,
    pub w: Option<[u8; 32]>,
    pub u: Option<[u8; 32]>,
}

/// The shape of the circuit, and its versions.
#[derive(Clone, Debug)]
pub struct Description {
    /// The number of rows is 2^k.
    pub k: u32,
    /// The maximum degree of a constraint.
    pub degree: usize,
    /// The root of unity of order 2^k.
    pub omega: Fp,
    pub advice_columns: usize,
    pub instance_queries: Vec<Query>,
    pub advice_queries: Vec<Query>,
    pub fixed_queries: Vec<Query>,
    /// The rotations of the queries of columns and of arguments: 0, 1, −1, others of columns, and
    /// last the one to the last row that is not blinding.
    pub rotations: Vec<i32>,
    /// ω to the power of each rotation.
    pub omegas: Vec<Fp>,
    /// The queries, without rotation, of the columns of the permutation argument.
    pub permutation: Vec<(Kind, usize)>,
    pub graph: Graph,
    /// The nodes of the gates' polynomials.
    pub gates: Vec<usize>,
    pub lookups: Vec<Lookup>,
    pub keys: Vec<Key>,
    pub bases: Bases,
    /// The commitments by their rotations.
    pub plan: Plan,
    /// The generator of the cosets of the permutation argument.
    pub delta: Fp,
    /// 1/2^k.
    pub inverse_of_rows: Fp,
}

impl Description {
    /// Reads the description; `None` only if the file in this crate is damaged.
    pub fn read() -> Option<Self> {
        Self::parse(TEXT)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rotations: vec![0, 1, -1], ..Parser::default() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, values) = line.split_once(' ').unwrap_or((line, ""));
            parser.line(name, values)?;
        }
        parser.finish()
    }

    /// Returns the place of the rotation to the last row that is not blinding.
    pub fn last_rotation(&self) -> usize {
        self.rotations.len() - 1
    }

    /// Returns the number of rows at the end that hide the columns.
    pub fn blinding_factors(&self) -> usize {
        blinding_factors(self.advice_columns, &self.advice_queries)
    }

    /// The number of columns in a part of the permutation argument.
    pub fn columns_of_part(&self) -> usize {
        self.degree - 2
    }

    /// The number of parts of the permutation argument.
    pub fn parts(&self) -> usize {
        self.permutation.len().div_ceil(self.columns_of_part())
    }

    /// The number of sets of commitments that are opened at the same rotations.
    pub fn sets(&self) -> usize {
        self.plan.sets.len()
    }

    /// The number of fixed columns.
    pub fn fixed_columns(&self) -> usize {
        self.keys.first().map_or(0, |key| key.fixed.len())
    }

    /// The number of pieces of the quotient polynomial h.
    pub fn pieces(&self) -> usize {
        self.degree - 1
    }
}

/// The number of rows that hide columns: an opening of each query of a column, at least three of
/// arguments, one more in the multipoint opening argument, and one in reserve.
fn blinding_factors(columns: usize, queries: &[Query]) -> usize {
    let of_column = |column| queries.iter().filter(|query| query.column == column).count();
    (0..columns).map(of_column).max().unwrap_or(0).max(3) + 2
}

/// The parts of a description that were read.
#[derive(Default)]
struct Parser {
    k: Option<u32>,
    degree: Option<usize>,
    omega: Option<Fp>,
    advice_columns: Option<usize>,
    queries: [Vec<Query>; 3],
    rotations: Vec<i32>,
    permutation: Vec<(Kind, usize)>,
    builder: Builder,
    gates: Vec<usize>,
    lookups: Vec<Lookup>,
    keys: Vec<Key>,
    bases: Bases,
}

impl Parser {
    fn line(&mut self, name: &str, values: &str) -> Option<()> {
        match name {
            "k" => self.k = Some(values.parse().ok()?),
            "degree" => self.degree = Some(values.parse().ok()?),
            "omega" => self.omega = Some(values.parse().ok()?),
            "advice_columns" => self.advice_columns = Some(values.parse().ok()?),
            "instance_queries" => self.queries(Kind::Instance, values)?,
            "advice_queries" => self.queries(Kind::Advice, values)?,
            "fixed_queries" => self.queries(Kind::Fixed, values)?,
            "permutation" => {
                let columns = values.split_ascii_whitespace().map(query);
                self.permutation = columns.collect::<Option<_>>()?;
            }
            "gate" => self.gates.push(self.builder.expression(values)?),
            "lookup" => self.lookups.push(Lookup::default()),
            "input" => {
                let node = self.builder.expression(values)?;
                self.lookups.last_mut()?.inputs.push(node);
            }
            "table" => {
                let node = self.builder.expression(values)?;
                self.lookups.last_mut()?.tables.push(node);
            }
            "g" => self.bases.g.push(encoding(values)?),
            "lagrange" => self.bases.lagrange.push(encoding(values)?),
            "w" => self.bases.w = Some(encoding(values)?),
            "u" => self.bases.u = Some(encoding(values)?),
            "key" => self.keys.push(key(values)?),
            "fixed" => self.keys.last_mut()?.fixed.push(encoding(values)?),
            "sigma" => self.keys.last_mut()?.sigma.push(encoding(values)?),
            _ => return None,
        }
        Some(())
    }

    /// Returns the place of a rotation.
    fn rotation(&mut self, rotation: i32) -> usize {
        let known = self.rotations.iter().position(|other| *other == rotation);
        known.unwrap_or_else(|| {
            self.rotations.push(rotation);
            self.rotations.len() - 1
        })
    }

    fn queries(&mut self, kind: Kind, values: &str) -> Option<()> {
        for value in values.split_ascii_whitespace() {
            let (column, rotation) = value.split_once('@')?;
            let rotation = self.rotation(rotation.parse().ok()?);
            self.queries[kind as usize].push(Query { column: column.parse().ok()?, rotation });
        }
        Some(())
    }

    fn finish(mut self) -> Option<Description> {
        let columns = self.advice_columns?;
        let last = blinding_factors(columns, &self.queries[Kind::Advice as usize]) + 1;
        let last = -i32::try_from(last).ok()?;
        if self.rotations.contains(&last) {
            return None;
        }
        self.rotations.push(last);
        let (graph, places) = self.builder.finish();
        let moved = |nodes: Vec<usize>| nodes.into_iter().map(|node| places[node]).collect();
        let lookups = self
            .lookups
            .into_iter()
            .map(|lookup| Lookup { inputs: moved(lookup.inputs), tables: moved(lookup.tables) });
        let query_of = |&(kind, column): &(Kind, usize)| {
            let mut queries = self.queries[kind as usize].iter();
            let number = queries.position(|query| query.column == column && query.rotation == 0);
            Some((kind, number?))
        };
        let permutation = self.permutation.iter().map(query_of).collect::<Option<_>>()?;
        let omega = self.omega?;
        let keys_match = self.keys.iter().all(|key| {
            key.fixed.len() == self.keys[0].fixed.len() && key.sigma.len() == self.permutation.len()
        });
        let is_valid = keys_match
            && self.rotations.len() <= ROTATIONS
            && self.bases.g.len() == 1 << self.k?
            && self.degree? > 2
            && graph.is_within(self.queries.each_ref().map(Vec::len));
        let [instance_queries, advice_queries, fixed_queries] = self.queries;
        if !is_valid {
            return None;
        }
        let mut description = Description {
            k: self.k?,
            degree: self.degree?,
            omega,
            advice_columns: columns,
            instance_queries,
            advice_queries,
            fixed_queries,
            omegas: self.rotations.iter().map(|rotation| power(&omega, *rotation)).collect(),
            rotations: self.rotations,
            permutation,
            graph,
            gates: moved(self.gates),
            lookups: lookups.collect(),
            keys: self.keys,
            bases: self.bases,
            plan: Plan::default(),
            delta: delta(),
            inverse_of_rows: Fp::from(1 << self.k?).inverse()?,
        };
        description.plan = Plan::new(&Shape {
            instance: &description.instance_queries,
            advice: &description.advice_queries,
            fixed: &description.fixed_queries,
            last: description.last_rotation(),
            parts: description.parts(),
            lookups: description.lookups.len(),
        });
        Some(description)
    }
}

fn encoding(value: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(value, &mut bytes).ok()?;
    Some(bytes)
}

fn key(values: &str) -> Option<Key> {
    let (name, digest) = values.split_once(' ')?;
    let version = match name {
        "insecure-pre-nu6.2" => OrchardCircuitVersion::InsecurePreNu6_2,
        "fixed-post-nu6.2" => OrchardCircuitVersion::FixedPostNu6_2,
        "post-nu6.3" => OrchardCircuitVersion::PostNu6_3,
        _ => return None,
    };
    Some(Key { version, digest: digest.parse().ok()?, fixed: Vec::new(), sigma: Vec::new() })
}

/// Returns ω^rotation.
pub fn power(omega: &Fp, rotation: i32) -> Fp {
    let power = omega.pow(&[u64::from(rotation.unsigned_abs())]);
    if rotation < 0 {
        power.inverse().unwrap_or(Field::ZERO)
    } else {
        power
    }
}
