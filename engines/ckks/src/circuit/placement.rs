// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of a circuit: as few as the search finds.
//!
//! A path of steps that needs more levels than its start has must be bootstrapped somewhere. The
//! best placement is the smallest set of steps that meets all such paths, which is hard to find in
//! general (Paindavoine, Vialla, "Minimizing the number of bootstrappings in fully homomorphic
//! encryption", SAC 2015).
//!
//! *Greedy*: at the first step whose level is too low, the path to it is followed back. The search
//! bootstraps the step of that path after which the most further steps can be done: a value from
//! which all others come, rather than several that are needed together; and of equal steps the one
//! that costs the fewest bits. Superfluous bootstraps are removed again. *Branch and bound*
//! follows: one step of each path must be bootstrapped, so each is tried, unless too many disjoint
//! paths remain for a smaller set. A complete search has found the minimum; a
//! search that takes too long returns the greedy result at worst.

use std::cmp::Reverse;

/// The properties of a step that determine levels.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The steps before it that it uses.
    pub operands: Vec<usize>,
    /// The number of levels that it needs, or the level at which a bootstrap must begin.
    pub cost: usize,
    /// Its level once its operands have enough levels: that of an input or of a bootstrap.
    pub start: Option<usize>,
    /// `true` if its values are small enough to bootstrap.
    pub can: bool,
    /// The level that a bootstrap of it needs.
    pub least: usize,
    /// The number of bits that a bootstrap here would cost.
    pub bits: u32,
    /// The number of keys that it needs; their size grows with its level.
    pub keys: usize,
    /// The lowest level that has room for its values.
    pub room: usize,
    /// `true` if it runs together with others on the same operands, at one level: rotations, rows
    /// of blocks.
    pub is_joint: bool,
}

impl Node {
    /// Returns `true` for a requested bootstrap.
    pub fn is_bootstrap(&self) -> bool {
        self.start.is_some() && !self.operands.is_empty()
    }
}

/// The steps to bootstrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// For each step, `true` if its result is bootstrapped.
    pub after: Vec<bool>,
    /// `true` if the number of bootstraps is known to be minimal.
    pub is_least: bool,
}

/// No set of bootstraps suffices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stuck {
    /// The step whose level is too low.
    pub at: usize,
    /// The level of its operands.
    pub level: usize,
}

/// The number of steps that the search for the minimum may visit: a fraction of a second.
const WORK: usize = 1 << 24;
/// The number of steps of a path that the greedy search tries, and the depth limit of the other
/// search.
const MOST_CANDIDATES: usize = 48;
const MOST_BOOTSTRAPS: usize = 64;

/// A path that needs too many levels.
struct Violation {
    at: usize,
    level: i64,
    /// The steps of the path that can be bootstrapped and are not, the last first.
    candidates: Vec<usize>,
}

/// The steps, and the level that a bootstrap gives. No step has a higher level.
pub(super) struct Placer<'a> {
    nodes: &'a [Node],
    highest: usize,
    /// The number of steps that may still be visited.
    work: usize,
    best: Vec<bool>,
    least: usize,
}

/// Returns the levels of all steps with these bootstraps, before the bootstraps, up to the first
/// level below 0.
pub(super) fn levels(nodes: &[Node], after: &[bool], highest: usize) -> Vec<i64> {
    let mut levels = Vec::with_capacity(nodes.len());
    extend(&mut levels, nodes, after, highest);
    levels
}

/// Extends known levels.
fn extend(levels: &mut Vec<i64>, nodes: &[Node], after: &[bool], highest: usize) {
    while levels.last().is_none_or(|last| *last >= 0) && levels.len() < nodes.len() {
        let node = &nodes[levels.len()];
        let out = |operand: &usize| if after[*operand] { highest as i64 } else { levels[*operand] };
        let operands = node.operands.iter().map(out).min();
        let left = operands.map(|level| level - node.cost as i64);
        let mut level = match (node.start, left) {
            (_, Some(left)) if left < 0 => left,
            (Some(start), _) => start as i64,
            (None, left) => left.unwrap_or(0),
        };
        if after[levels.len()] && level < node.least as i64 {
            level -= node.least as i64;
        }
        levels.push(level);
    }
}

/// Returns the steps to bootstrap.
///
/// # Errors
/// [`Stuck`] if levels do not suffice for any set of bootstraps.
pub(super) fn place(nodes: &[Node], highest: usize) -> Result<Placement, Stuck> {
    let mut placer =
        Placer { nodes, highest, work: WORK, best: vec![false; nodes.len()], least: 0 };
    placer.greedy(vec![false; nodes.len()])?;
    placer.least = count(&placer.best);
    let mut after = vec![false; nodes.len()];
    let mut refused = vec![false; nodes.len()];
    let is_least = placer.least <= MOST_BOOTSTRAPS && placer.search(&mut after, &mut refused, 0);
    Ok(Placement { after: placer.best, is_least })
}

/// Adds missing bootstraps to these, and removes superfluous ones.
///
/// # Errors
/// As [`place`].
pub(super) fn completed(
    nodes: &[Node],
    highest: usize,
    after: Vec<bool>,
) -> Result<Vec<bool>, Stuck> {
    let mut placer = Placer { nodes, highest, work: 0, best: Vec::new(), least: 0 };
    placer.greedy(after)?;
    Ok(placer.best)
}

/// Returns the number of bootstraps.
pub(super) fn count(after: &[bool]) -> usize {
    after.iter().filter(|after| **after).count()
}

impl Placer<'_> {
    /// Returns the first step whose level is too low, which is the last of `levels`, and the path
    /// to it.
    fn violation(&self, levels: &[i64], after: &[bool]) -> Option<Violation> {
        let at = levels.len() - 1;
        let last = levels[at];
        if last >= 0 {
            return None;
        }
        let mut candidates = Vec::new();
        let mut place = at;
        let out = |step: usize| if after[step] { self.highest as i64 } else { levels[step] };
        // Goes back along the lowest operands, to a bootstrap or an input.
        while place == at || self.nodes[place].start.is_none() {
            let Some(lowest) = self.nodes[place].operands.iter().copied().min_by_key(|u| out(*u))
            else {
                break;
            };
            place = lowest;
            if after[place] {
                break;
            }
            let low = self.nodes[place].least as i64..self.highest as i64;
            if self.nodes[place].can && low.contains(&levels[place]) {
                candidates.push(place);
            }
        }
        let level = last + self.nodes[at].cost as i64;
        Some(Violation { at, level, candidates })
    }

    /// Runs the greedy search. Levels are only computed again from a changed step on, so that it
    /// takes little more time than the lengths of the paths.
    fn greedy(&mut self, mut after: Vec<bool>) -> Result<(), Stuck> {
        let (nodes, highest) = (self.nodes, self.highest);
        let mut levels = levels(nodes, &after, highest);
        let again = |levels: &mut Vec<i64>, from: usize, after: &[bool]| {
            levels.truncate(from + 1);
            extend(levels, nodes, after, highest);
            levels.len() - usize::from(levels.last().is_some_and(|last| *last < 0))
        };
        while let Some(Violation { at, level, candidates }) = self.violation(&levels, &after) {
            let stuck = Stuck { at, level: level.max(0) as usize };
            let mut best: Option<((usize, Reverse<u32>), usize)> = None;
            for candidate in thinned(&candidates) {
                after[candidate] = true;
                let progress = again(&mut levels, candidate, &after);
                after[candidate] = false;
                let value = (progress, Reverse(nodes[candidate].bits));
                if best.is_none_or(|(most, _)| value > most) {
                    best = Some((value, candidate));
                }
            }
            let (_, chosen) = best.ok_or(stuck)?;
            after[chosen] = true;
            again(&mut levels, candidates.last().copied().unwrap_or(chosen).min(chosen), &after);
        }
        let chosen: Vec<usize> = (0..after.len()).filter(|step| after[*step]).collect();
        for step in chosen {
            after[step] = false;
            if again(&mut levels, step, &after) < nodes.len() {
                after[step] = true;
                again(&mut levels, step, &after);
            }
        }
        self.best = after;
        Ok(())
    }

    /// Searches for fewer bootstraps than the best so far, with those of `after` and without the
    /// refused ones. Returns `false` if it takes too long.
    fn search(&mut self, after: &mut Vec<bool>, refused: &mut Vec<bool>, taken: usize) -> bool {
        let Some(first) = self.violation(&levels(self.nodes, after, self.highest), after) else {
            if taken < self.least {
                self.least = taken;
                self.best.clone_from(after);
            }
            return true;
        };
        match self.disjoint_paths(after, refused, self.least - taken) {
            None => return false,
            Some(needed) if taken + needed >= self.least => return true,
            Some(_) => {}
        }
        let mut is_complete = true;
        let open: Vec<usize> =
            first.candidates.into_iter().filter(|step| !refused[*step]).collect();
        for step in &open {
            after[*step] = true;
            is_complete &= self.search(after, refused, taken + 1);
            after[*step] = false;
            // The remaining search excludes this step.
            refused[*step] = true;
            if !is_complete {
                break;
            }
        }
        open.iter().for_each(|step| refused[*step] = false);
        is_complete
    }

    /// Returns the number of paths that share no step and must each be bootstrapped, counted up to
    /// a limit; the limit if one of them cannot be bootstrapped; `None` if the work is used up.
    fn disjoint_paths(&mut self, after: &[bool], refused: &[bool], limit: usize) -> Option<usize> {
        let mut after = after.to_vec();
        let mut paths = 0;
        let mut levels = levels(self.nodes, &after, self.highest);
        while let Some(Violation { candidates, .. }) = self.violation(&levels, &after) {
            self.work = self.work.checked_sub(self.nodes.len())?;
            paths += 1;
            if paths >= limit || candidates.iter().all(|step| refused[*step]) {
                return Some(limit);
            }
            // Bootstraps all candidates, so that only further paths remain.
            candidates.iter().for_each(|step| after[*step] = true);
            levels.truncate(candidates.last().map_or(0, |step| step + 1));
            extend(&mut levels, self.nodes, &after, self.highest);
        }
        Some(paths)
    }
}

/// Returns some of a long path's steps: the last ones, and others at equal distances.
fn thinned(candidates: &[usize]) -> Vec<usize> {
    let (last, others) = candidates.split_at(candidates.len().min(MOST_CANDIDATES / 2));
    let stride = others.len().div_ceil(MOST_CANDIDATES / 2).max(1);
    last.iter().chain(others.iter().step_by(stride)).copied().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    pub fn input(level: usize) -> Node {
        Node { start: Some(level), ..step(&[], 0) }
    }

    pub fn step(operands: &[usize], cost: usize) -> Node {
        Node {
            operands: operands.to_vec(),
            cost,
            start: None,
            can: true,
            least: 0,
            bits: 0,
            keys: 0,
            room: 0,
            is_joint: false,
        }
    }

    pub fn is_enough(nodes: &[Node], after: &[bool], highest: usize) -> bool {
        levels(nodes, after, highest).iter().all(|level| *level >= 0)
    }

    /// Returns the minimum number of bootstraps, by trying all sets of steps.
    fn least(nodes: &[Node], highest: usize) -> Option<usize> {
        let sets = (0u32..1 << nodes.len()).filter(|set| {
            let after: Vec<bool> = (0..nodes.len()).map(|step| set >> step & 1 == 1).collect();
            let is_allowed = (0..nodes.len()).all(|step| !after[step] || nodes[step].can);
            is_allowed && is_enough(nodes, &after, highest)
        });
        sets.map(u32::count_ones).min().map(|count| count as usize)
    }

    pub fn random(rng: &mut ChaCha8Rng, count: usize, highest: usize) -> Vec<Node> {
        let inputs = rng.gen_range(1..=3);
        let mut nodes: Vec<Node> = (0..inputs).map(|_| input(rng.gen_range(0..=highest))).collect();
        while nodes.len() < count {
            let recent = nodes.len().saturating_sub(rng.gen_range(1..=6));
            let mut operand = || rng.gen_range(recent..nodes.len());
            let operands = [operand(), operand()];
            let mut node = step(&operands, rng.gen_range(0..=highest.min(2)));
            node.can = rng.gen_bool(0.85);
            node.least = usize::from(rng.gen_bool(0.25));
            node.start = rng.gen_bool(0.05).then_some(highest);
            nodes.push(node);
        }
        nodes
    }

    #[test]
    fn no_set_of_steps_is_smaller() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        let (mut placed, mut stuck) = (0, 0);
        for case in 0..600 {
            let highest = rng.gen_range(1..=4);
            let length = rng.gen_range(4..=11);
            let nodes = random(&mut rng, length, highest);
            match (place(&nodes, highest), least(&nodes, highest)) {
                (Ok(placement), Some(least)) => {
                    assert!(is_enough(&nodes, &placement.after, highest), "case {case}");
                    assert!(placement.is_least, "case {case}");
                    assert_eq!(count(&placement.after), least, "case {case}");
                    placed += usize::from(least > 0);
                }
                (Err(_), None) => stuck += 1,
                (found, least) => panic!("case {case}: {found:?}, {least:?}"),
            }
        }
        assert!(placed > 200 && stuck > 50, "{placed}, {stuck}");
    }

    #[test]
    fn greedy_choices_are_nearly_the_least() {
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        let (mut greedy, mut best) = (0, 0);
        for _ in 0..300 {
            let nodes = random(&mut rng, 11, 3);
            let Some(least) = least(&nodes, 3) else { continue };
            let best_so_far = vec![false; nodes.len()];
            let mut placer =
                Placer { nodes: &nodes, highest: 3, work: 0, best: best_so_far, least: 0 };
            placer.greedy(vec![false; nodes.len()]).unwrap();
            assert!(is_enough(&nodes, &placer.best, 3));
            greedy += count(&placer.best);
            best += least;
        }
        assert!(best > 200 && greedy <= best + best / 20, "{greedy}, {best}");
    }

    #[test]
    fn a_value_that_all_come_from_is_bootstrapped_once() {
        // x → a, from which eight products of depth 3 come, and their sum.
        let mut nodes = vec![input(2), step(&[0], 1)];
        for _ in 0..8 {
            let last = nodes.len();
            nodes.extend([step(&[1], 1), step(&[last], 1), step(&[last + 1], 1)]);
        }
        let mut sum = 4;
        for product in (7..nodes.len()).step_by(3).collect::<Vec<_>>() {
            nodes.push(step(&[sum, product], 0));
            sum = nodes.len() - 1;
        }
        let placement = place(&nodes, 3).unwrap();
        assert!(placement.is_least && placement.after[1]);
        assert_eq!(count(&placement.after), 1);
    }

    #[test]
    fn long_chains_take_no_more_than_they_must() {
        // A recurrence with two values at a time, three levels a round.
        let mut nodes = vec![input(9), input(9)];
        let (mut x, mut y) = (0, 1);
        for _ in 0..1000 {
            let product = nodes.len();
            nodes.extend([step(&[x, y], 1), step(&[product], 2), step(&[x, product + 1], 0)]);
            (x, y) = (product + 2, product + 1);
        }
        let placement = place(&nodes, 9).unwrap();
        assert!(is_enough(&nodes, &placement.after, 9));
        // 3000 levels, 9 per bootstrap; x and y run in parallel, and y depends on the levels of x.
        assert!(count(&placement.after) <= 700, "{}", count(&placement.after));
    }

    #[test]
    fn what_cannot_be_bootstrapped_is_told() {
        assert_eq!(place(&[input(2), step(&[0], 3)], 2), Err(Stuck { at: 1, level: 2 }));
        let mut nodes = vec![input(1), step(&[0], 1), step(&[1], 1)];
        nodes[0].can = false;
        nodes[1].can = false;
        assert_eq!(place(&nodes, 2), Err(Stuck { at: 2, level: 0 }));
        nodes[0].can = true;
        assert_eq!(place(&nodes, 2).unwrap().after, [true, false, false]);
    }
}
