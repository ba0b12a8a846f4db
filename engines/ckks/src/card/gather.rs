// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tasks to what the units do at a time: sums that have factors in common become columns of one.

use std::collections::HashMap;

use super::order::Ordered;
use super::task::{Factor, LimbId, Task, Tasks, Term, Work};

/// The second factors of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Second {
    /// For the lower half of the places and the upper one, of one column.
    Halves([u32; 2]),
    /// For each column.
    Numbers(Vec<u32>),
    /// For each column.
    Limbs(Vec<LimbId>),
}

/// A term of sums in several columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnTerm {
    pub first: LimbId,
    pub second: Second,
}

/// What a unit does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// What has a task of its own.
    Single(Work),
    /// Sums in columns.
    Sum(Vec<ColumnTerm>),
}

/// What a unit does at a time: one result for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub action: Action,
    pub places: Vec<u16>,
    pub results: Vec<LimbId>,
}

impl Item {
    /// The limbs that it takes, each once.
    pub fn takes(&self) -> Vec<LimbId> {
        let mut limbs = match &self.action {
            Action::Single(work) => work.takes(),
            Action::Sum(terms) => {
                let mut limbs = Vec::new();
                for term in terms {
                    limbs.push(term.first);
                    if let Second::Limbs(second) = &term.second {
                        limbs.extend(second);
                    }
                }
                limbs
            }
        };
        let mut seen = std::collections::HashSet::new();
        limbs.retain(|limb| seen.insert(*limb));
        limbs
    }
}

/// What sums of a block must have in common to be columns of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Common {
    /// First factors by numbers: of conversions, whatever the prime.
    Numbers(Vec<LimbId>),
    /// First or second factors of a prime by limbs.
    Limbs(u16, Vec<LimbId>),
}

struct Gathering<'t> {
    columns: usize,
    items: Vec<Option<Item>>,
    /// Of each limb, the item that gives it, and whether one has taken it.
    given: Vec<usize>,
    taken: Vec<bool>,
    /// Sums that have room for a column.
    open: HashMap<(usize, Common), usize>,
    tasks: &'t [Task],
}

/// The items of ordered tasks, for a card with this many columns.
pub(super) fn gather(all: &Tasks, ordered: &[Ordered], columns: usize) -> Vec<Item> {
    let limbs = all.limbs as usize;
    let mut gathering = Gathering {
        columns,
        items: Vec::new(),
        given: vec![0; limbs],
        taken: vec![false; limbs],
        open: HashMap::new(),
        tasks: &all.tasks,
    };
    for one in ordered {
        gathering.add(*one);
    }
    gathering.items.into_iter().flatten().collect()
}

fn is_by_number(term: &Term) -> bool {
    matches!(term.factor, Factor::Numbers([low, high]) if low == high)
}

/// A term with the limb that is common to its columns first.
fn by_limb(term: &Term, common_is_second: bool) -> Option<(LimbId, LimbId)> {
    match term.factor {
        Factor::Numbers(_) => None,
        Factor::Limb { limb, .. } if common_is_second => Some((limb, term.limb)),
        Factor::Limb { limb, .. } => Some((term.limb, limb)),
    }
}

impl Gathering<'_> {
    fn add(&mut self, one: Ordered) {
        let task = &self.tasks[one.task];
        let Work::Sum(terms) = &task.work else {
            let action = Action::Single(task.work.clone());
            self.push(Item { action, places: vec![task.place], results: vec![task.to] });
            return;
        };
        let mut keys = Vec::new();
        if terms.iter().all(is_by_number) {
            keys.push(Common::Numbers(terms.iter().map(|term| term.limb).collect()));
        } else {
            for common_is_second in [false, true] {
                let pairs = terms.iter().map(|term| by_limb(term, common_is_second));
                if let Some(pairs) = pairs.collect::<Option<Vec<_>>>() {
                    let common = pairs.into_iter().map(|(common, _)| common).collect();
                    keys.push(Common::Limbs(task.place, common));
                }
            }
        }
        for key in &keys {
            if self.join((one.block, key.clone()), task, terms) {
                return;
            }
        }
        let number = self.push(Item {
            action: Action::Sum(terms.iter().map(column_term).collect()),
            places: vec![task.place],
            results: vec![task.to],
        });
        for key in keys {
            self.open.insert((one.block, key), number);
        }
    }

    /// Makes a sum a further column of one that has the same in common, where there is one.
    fn join(&mut self, key: (usize, Common), task: &Task, terms: &[Term]) -> bool {
        let Some(number) = self.open.get(&key).copied() else { return false };
        let Some(mut item) = self.items[number].clone() else { return false };
        let Action::Sum(columns) = &mut item.action else { return false };
        if item.results.len() >= self.columns || !add_column(columns, terms, &key.1) {
            return false;
        }
        item.places.push(task.place);
        let takes = task.work.takes();
        // From outside, or given before.
        let is_ready = takes.iter().all(|limb| self.given[limb.0 as usize] <= number);
        let is_free = |limb: &LimbId| !self.taken[limb.0 as usize] && !takes.contains(limb);
        let is_free = item.results.iter().all(is_free);
        item.results.push(task.to);
        if is_ready {
            self.given[task.to.0 as usize] = number + 1;
            takes.iter().for_each(|limb| self.taken[limb.0 as usize] = true);
            self.items[number] = Some(item);
        } else if is_free {
            self.items[number] = None;
            let moved = self.push(item);
            self.open.insert(key, moved);
        } else {
            return false;
        }
        true
    }

    fn push(&mut self, item: Item) -> usize {
        let number = self.items.len();
        for limb in item.takes() {
            self.taken[limb.0 as usize] = true;
        }
        for limb in &item.results {
            self.given[limb.0 as usize] = number + 1;
        }
        self.items.push(Some(item));
        number
    }
}

fn column_term(term: &Term) -> ColumnTerm {
    let second = match term.factor {
        Factor::Numbers([low, high]) if low == high => Second::Numbers(vec![low]),
        Factor::Numbers(halves) => Second::Halves(halves),
        Factor::Limb { limb, .. } => Second::Limbs(vec![limb]),
    };
    ColumnTerm { first: term.limb, second }
}

/// Adds a sum's terms as a column, where all have their common factor first.
fn add_column(columns: &mut [ColumnTerm], terms: &[Term], common: &Common) -> bool {
    if let Common::Numbers(_) = common {
        for (column, term) in columns.iter_mut().zip(terms) {
            let (Second::Numbers(numbers), Factor::Numbers([number, _])) =
                (&mut column.second, term.factor)
            else {
                return false;
            };
            numbers.push(number);
        }
        return true;
    }
    let Common::Limbs(_, wanted) = common else { return false };
    for ((column, term), wanted) in columns.iter_mut().zip(terms).zip(wanted) {
        let Second::Limbs(limbs) = &mut column.second else { return false };
        if column.first != *wanted {
            // The first column may have it second.
            if limbs.as_slice() != [*wanted] {
                return false;
            }
            limbs[0] = std::mem::replace(&mut column.first, *wanted);
        }
        let pair = [by_limb(term, false), by_limb(term, true)].into_iter().flatten();
        let Some((_, other)) = { pair }.find(|(first, _)| first == wanted) else { return false };
        limbs.push(other);
    }
    true
}
