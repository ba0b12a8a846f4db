// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The columns that a proof opens, and the sets of rotations at which it opens them.

/// The maximum number of rotations of a description.
pub const ROTATIONS: usize = 8;

/// The places of rotations that arguments use.
pub const HERE: usize = 0;
/// The next row.
pub const NEXT: usize = 1;
/// The previous row.
pub const PREVIOUS: usize = 2;

/// A column at a rotation, given by its place in
/// [`Description::rotations`](super::description::Description::rotations).
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub column: usize,
    pub rotation: usize,
}

/// A set of rotations, by their places.
pub type Rotations = u8;

/// The numbers of a circuit that its plan depends on.
pub struct Shape<'a> {
    pub instance: &'a [Query],
    pub advice: &'a [Query],
    pub fixed: &'a [Query],
    /// The place of the rotation to the last row that is not blinding.
    pub last: usize,
    /// The number of parts of the permutation argument.
    pub parts: usize,
    pub lookups: usize,
}

/// Returns the columns of queries in the order of their first query, each with its queries.
fn columns(queries: &[Query]) -> Vec<(usize, Vec<(usize, usize)>)> {
    let mut columns: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        let found = columns.iter_mut().find(|(column, _)| *column == query.column);
        match found {
            Some((_, queries)) => queries.push((query.rotation, number)),
            None => columns.push((query.column, vec![(query.rotation, number)])),
        }
    }
    columns
}

/// The columns of each kind with their queries, and the sets of rotations, in the order of their
/// first commitment.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub instance: Vec<(usize, Vec<(usize, usize)>)>,
    pub advice: Vec<(usize, Vec<(usize, usize)>)>,
    pub fixed: Vec<(usize, Vec<(usize, usize)>)>,
    pub last: usize,
    pub sets: Vec<Rotations>,
}

impl Plan {
    /// Returns the plan of a circuit.
    pub fn new(of: &Shape<'_>) -> Self {
        let mut plan = Self {
            instance: columns(of.instance),
            advice: columns(of.advice),
            fixed: columns(of.fixed),
            last: of.last,
            sets: Vec::new(),
        };
        let of_columns = |columns: &[(usize, Vec<(usize, usize)>)]| -> Vec<Rotations> {
            let rotations = |(_, queries): &(usize, Vec<(usize, usize)>)| {
                queries.iter().fold(0, |rotations, (rotation, _)| rotations | 1 << rotation)
            };
            columns.iter().map(rotations).collect()
        };
        let mut all = of_columns(&plan.instance);
        all.extend(of_columns(&plan.advice));
        let product: Rotations = 1 << HERE | 1 << NEXT;
        for part in 0..of.parts {
            let is_last = part + 1 == of.parts;
            all.push(if is_last { product } else { product | 1 << plan.last });
        }
        for _ in 0..of.lookups {
            all.extend([product, 1 << HERE | 1 << PREVIOUS, 1 << HERE]);
        }
        all.extend(of_columns(&plan.fixed));
        // The permutation's columns, the pieces of h and the random polynomial.
        all.push(1 << HERE);
        for rotations in all {
            if !plan.sets.contains(&rotations) {
                plan.sets.push(rotations);
            }
        }
        plan
    }
}

/// Returns the places of the rotations of a set.
pub fn places(rotations: Rotations) -> impl Iterator<Item = usize> + Clone {
    (0..ROTATIONS).filter(move |place| rotations >> place & 1 == 1)
}
