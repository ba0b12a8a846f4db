// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Steps at the lowest sufficient levels: the size of a key and the time of an operation grow with
//! the level.
//!
//! *Levels.* A step must be as high as the steps after it need, up to the next bootstraps, and have
//! room for its values. The operands of steps with keys are brought down to that level.
//!
//! *Late bootstraps.* [`placement`] follows paths from the inputs on, so that a bootstrap is as
//! often before a matrix as after it, and the matrix is at the highest level or at the lowest. The
//! same search on the reversed circuit, from the result back, moves each bootstrap as late as
//! possible.

use std::collections::{BTreeMap, BTreeSet};

use super::placement::{self, completed, count, Node, Placement, Stuck};

/// The limits of levels.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The level that a bootstrap gives.
    pub highest: usize,
    /// The requested level of results, which no step uses, if it can be reached.
    pub result: usize,
}

/// The levels of a circuit's steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    /// The level of each step's value, before a bootstrap of it.
    pub of: Vec<usize>,
    /// The level to which the operands of a step are brought down, if it needs keys.
    pub from: Vec<Option<usize>>,
}

/// Returns the steps to bootstrap: as few as [`placement::place`] finds, and of these sets one with
/// small keys.
///
/// # Errors
/// [`Stuck`] if levels do not suffice for any set of bootstraps.
pub(super) fn place(nodes: &[Node], limits: Limits) -> Result<Placement, Stuck> {
    let early = placement::place(nodes, limits.highest)?;
    let Some(late) = late(nodes, limits.highest) else { return Ok(early) };
    let cost = |after: &[bool]| (count(after), key_levels(nodes, after, limits));
    match cost(&late) < cost(&early.after) {
        true => Ok(Placement { after: late, is_least: early.is_least }),
        false => Ok(early),
    }
}

/// Returns the sum of the levels of all steps' keys.
fn key_levels(nodes: &[Node], after: &[bool], limits: Limits) -> usize {
    let from = levels(nodes, after, limits).from;
    let keys = nodes.iter().zip(from).map(|(node, from)| node.keys * (1 + from.unwrap_or(0)));
    keys.sum()
}

/// Returns the lowest sufficient levels with these bootstraps, which must suffice.
pub(super) fn levels(nodes: &[Node], after: &[bool], limits: Limits) -> Levels {
    let Limits { highest, result } = limits;
    let high = placement::levels(nodes, after, highest);
    let high: Vec<usize> = high.into_iter().map(|level| level.max(0) as usize).collect();
    let out = |of: &[usize], step: usize| if after[step] { highest } else { of[step] };
    let mut needed: Vec<usize> = nodes.iter().map(|node| node.room).collect();
    let taken: BTreeSet<usize> =
        nodes.iter().flat_map(|node| node.operands.iter().copied()).collect();
    for step in (0..nodes.len()).filter(|step| !taken.contains(step)) {
        needed[step] = needed[step].max(result.min(high[step]));
    }
    let mut from = vec![0; nodes.len()];
    for (step, node) in nodes.iter().enumerate().rev() {
        let Some(most) = node.operands.iter().map(|operand| out(&high, *operand)).min() else {
            continue;
        };
        needed[step] = needed[step].max(if after[step] { node.least } else { 0 });
        let room = node.operands.iter().map(|operand| nodes[*operand].room).max().unwrap_or(0);
        let above = if node.is_bootstrap() { 0 } else { needed[step] };
        from[step] = (above + node.cost).max(room).min(most);
        needed[step] = from[step].saturating_sub(node.cost);
        for operand in node.operands.iter().filter(|operand| !after[**operand]) {
            needed[*operand] = needed[*operand].max(from[step]);
        }
    }
    let mut joint: BTreeMap<&[usize], usize> = BTreeMap::new();
    for (node, from) in nodes.iter().zip(&from).filter(|(node, _)| node.is_joint) {
        let most = joint.entry(&node.operands).or_default();
        *most = (*from).max(*most);
    }
    let mut of: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut brought = vec![None; nodes.len()];
    for (step, node) in nodes.iter().enumerate() {
        let operands = node.operands.iter().map(|operand| out(&of, *operand)).min();
        let level = match (node.start, operands) {
            (Some(start), None) => needed[step].min(start),
            (Some(start), Some(_)) => start,
            (None, Some(_)) if node.keys > 0 => {
                let all = joint.get(&node.operands[..]).filter(|_| node.is_joint);
                let from = all.unwrap_or(&from[step]);
                brought[step] = Some(*from);
                from.saturating_sub(node.cost)
            }
            (None, operands) => operands.unwrap_or(0).saturating_sub(node.cost),
        };
        of.push(level);
    }
    Levels { of, from: brought }
}

/// Returns bootstraps that are as late as possible, if the search finds any.
fn late(nodes: &[Node], highest: usize) -> Option<Vec<bool>> {
    let reversed = reversed(nodes, highest);
    let found = completed(&reversed, highest, vec![false; reversed.len()]).ok()?;
    let after = (0..nodes.len()).map(|step| found[joined(nodes.len(), step)]).collect();
    completed(nodes, highest, after).ok()
}

/// Returns the place in the reversed circuit of the levels that a step's users need.
fn joined(count: usize, step: usize) -> usize {
    2 * (count - 1 - step)
}

/// Returns the circuit from its results back. A level there is the highest level minus the levels
/// needed here. Each step becomes two: the levels that its users need, where it may be
/// bootstrapped, and the levels that it needs itself.
fn reversed(nodes: &[Node], highest: usize) -> Vec<Node> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (step, node) in nodes.iter().enumerate() {
        let own = joined(nodes.len(), step) + 1;
        node.operands.iter().for_each(|operand| users[*operand].push(own));
    }
    let pair = |(step, (node, users)): (usize, (&Node, Vec<usize>))| {
        // Nothing uses the result.
        let start = users.is_empty().then_some(highest);
        let needed = Node { operands: users, cost: 0, start, least: 0, ..node.clone() };
        let operands = vec![joined(nodes.len(), step)];
        let own = match node.start {
            None => Node { operands, can: false, least: 0, ..node.clone() },
            // The levels needed must not exceed the levels at the start of a path.
            Some(start) => {
                let cost = highest.saturating_sub(start);
                let start = node.is_bootstrap().then_some(highest.saturating_sub(node.cost));
                Node { operands, cost, start, can: false, least: 0, ..node.clone() }
            }
        };
        [needed, own]
    };
    nodes.iter().zip(users).enumerate().rev().flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::placement::tests::{input, is_enough, random, step};
    use super::*;

    fn with_keys(node: Node, keys: usize) -> Node {
        Node { keys, ..node }
    }

    /// Returns a chain of layers, each a matrix of one level and an activation of some levels.
    /// Every second layer also adds a matrix of an earlier result.
    fn residual(layers: usize, activation: usize, highest: usize) -> Vec<Node> {
        let matrix = |of: usize| with_keys(step(&[of], 1), 20);
        let mut nodes = vec![input(highest)];
        let (mut last, mut before) = (0, None);
        for layer in 0..layers {
            nodes.push(matrix(last));
            let mut argument = nodes.len() - 1;
            if layer % 2 == 0 {
                if let Some(before) = before {
                    nodes.push(matrix(before));
                    nodes.push(step(&[argument, argument + 1], 0));
                    argument += 2;
                }
                before = Some(argument + 1);
            }
            nodes.push(with_keys(step(&[argument], activation), 1));
            last = nodes.len() - 1;
        }
        nodes.push(matrix(last));
        nodes
    }

    #[test]
    fn bootstraps_stand_behind_matrices_where_that_takes_no_more() {
        for (activation, highest) in [(11, 12), (6, 9), (3, 4)] {
            let nodes = residual(9, activation, highest);
            let limits = Limits { highest, result: 0 };
            let (low, usual) = (place(&nodes, limits).unwrap(), placement::place(&nodes, highest));
            assert_eq!(count(&low.after), count(&usual.unwrap().after));
            let from = levels(&nodes, &low.after, limits).from;
            let matrices = from.iter().zip(&nodes).filter(|(_, node)| node.keys == 20).skip(1);
            let levels: Vec<usize> = matrices.map(|(from, _)| from.unwrap()).collect();
            assert!(levels.iter().all(|level| *level <= 1), "{activation}: {levels:?}");
        }
    }

    #[test]
    fn levels_are_enough_and_no_lower_ones_are() {
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        let (mut lowered, mut moved) = (0, 0);
        for case in 0..600 {
            let highest = rng.gen_range(1..=5);
            let length = rng.gen_range(6..=24);
            let mut nodes = random(&mut rng, length, highest);
            for node in &mut nodes {
                node.keys = if node.operands.is_empty() { 0 } else { rng.gen_range(0..=2) };
                node.is_joint = node.start.is_none() && rng.gen_bool(0.2);
                node.operands.truncate(if node.is_joint { 1 } else { 2 });
            }
            let limits = Limits { highest, result: rng.gen_range(0..=2) };
            let (usual, Ok(low)) = (placement::place(&nodes, highest), place(&nodes, limits))
            else {
                assert!(placement::place(&nodes, highest).is_err(), "case {case}");
                continue;
            };
            let usual = usual.unwrap().after;
            assert!(is_enough(&nodes, &low.after, highest), "case {case}");
            assert!(count(&low.after) <= count(&usual), "case {case}");
            moved += usize::from(low.after != usual);
            let high = placement::levels(&nodes, &low.after, highest);
            let Levels { of, from } = levels(&nodes, &low.after, limits);
            let last = nodes.len() - 1;
            let wanted = limits.result.min(high[last] as usize);
            assert!(of[last] >= wanted, "case {case}");
            let out = |step: &usize| if low.after[*step] { highest } else { of[*step] };
            let is_end = |step: usize| nodes.iter().all(|node| !node.operands.contains(&step));
            for (step, node) in nodes.iter().enumerate() {
                assert!(of[step] as i64 <= high[step], "case {case}, step {step}");
                assert!(!low.after[step] || of[step] >= node.least, "case {case}, step {step}");
                let Some(operands) = node.operands.iter().map(out).min() else { continue };
                assert!(operands >= from[step].unwrap_or(node.cost), "case {case}, step {step}");
                lowered += usize::from(from[step].is_some_and(|from| from < operands));
                let Some(from) = from[step] else { continue };
                assert_eq!(of[step] + node.cost, from, "case {case}, step {step}");
                // One level lower would be too low for a step that uses it, or for a rotation of
                // the same operands.
                let is_due = |(user, by): (usize, &Node)| {
                    let takes = by.operands.contains(&step) && !low.after[step];
                    let own = levels(&nodes, &low.after, limits).from[user];
                    takes && own.is_none_or(|own| own >= of[step])
                };
                let is_bound = of[step] == 0
                    || node.is_joint
                    || (is_end(step) && of[step] == limits.result.min(high[step] as usize))
                    || (low.after[step] && of[step] == node.least)
                    || nodes.iter().enumerate().any(is_due);
                assert!(is_bound, "case {case}, step {step}");
            }
        }
        assert!(lowered > 100 && moved > 20, "{lowered}, {moved}");
    }

    #[test]
    fn a_step_is_as_high_as_its_values_take_room() {
        let roomy = |node: Node, room: usize| Node { room, ..node };
        // A product with a key has large values, before a requested bootstrap.
        let asked = Node { start: Some(5), ..step(&[2], 0) };
        let mut nodes = vec![
            input(5),
            with_keys(step(&[0], 1), 1),
            with_keys(roomy(step(&[1], 1), 2), 1),
            asked,
            with_keys(step(&[3], 1), 1),
        ];
        let none = [false; 5];
        let limits = Limits { highest: 5, result: 0 };
        let found = levels(&nodes, &none, limits);
        assert_eq!(found.of, [4, 3, 2, 5, 0]);
        assert_eq!(found.from, [None, Some(4), Some(3), None, Some(1)]);
        // More room than the remaining levels have: the step is as high as possible.
        nodes[2].room = 9;
        assert_eq!(levels(&nodes, &none, limits).of, [5, 4, 3, 5, 0]);
        // A result that should be high, and one that should be higher than possible.
        let of = |result: usize| levels(&nodes, &none, Limits { highest: 5, result }).of;
        assert_eq!((of(3), of(5)), (vec![5, 4, 3, 5, 3], vec![5, 4, 3, 5, 4]));
    }

    #[test]
    fn rotations_of_a_value_are_at_one_level() {
        let rotation = || with_keys(Node { is_joint: true, ..step(&[0], 0) }, 1);
        let nodes = [input(4), rotation(), rotation(), with_keys(step(&[1], 3), 1), step(&[2], 0)];
        let found = levels(&nodes, &[false; 5], Limits { highest: 4, result: 0 });
        assert_eq!((found.of, found.from[1..3].to_vec()), (vec![3, 3, 3, 0, 3], vec![Some(3); 2]));
    }
}
