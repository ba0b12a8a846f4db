// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groups tasks into items for the units: sums with common factors become columns of one sum.

use std::collections::HashMap;

use super::order::Ordered;
use super::task::{Factor, LimbId, Task, Tasks, Term, Work};

/// The second factors of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Second {
    /// Numbers for the lower and the upper half of the indices, in a single column.
    Halves([u32; 2]),
    /// One number for each column.
    Numbers(Vec<u32>),
    /// One limb for each column.
    Limbs(Vec<LimbId>),
}

/// A term of sums in several columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnTerm {
    pub first: LimbId,
    pub second: Second,
}

/// The work of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Work with a separate task.
    Single(Work),
    /// Sums in columns.
    Sum(Vec<ColumnTerm>),
}

/// Work that a unit does at a time. It has one result for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub action: Action,
    pub places: Vec<u16>,
    pub results: Vec<LimbId>,
}

impl Item {
    /// The limbs that the item uses, without duplicates.
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

/// The factors that sums of a block must share to be columns of one sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Common {
    /// Sums with numbers, which share first factors: those of conversions, for any prime.
    Numbers(Vec<LimbId>),
    /// Sums with limbs, which share first or second factors, for one prime.
    Limbs(u16, Vec<LimbId>),
}

struct Gathering<'t> {
    columns: usize,
    items: Vec<Option<Item>>,
    /// The item that computes each limb (plus one), and whether an item has used the limb.
    given: Vec<usize>,
    taken: Vec<bool>,
    /// Sums with room for a column.
    open: HashMap<(usize, Common), usize>,
    tasks: &'t [Task],
}

/// Groups ordered tasks into items, for a card with this number of columns.
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

/// The limbs of a term, where the limb that is common to the columns comes first.
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

    /// Adds a sum as a column to a sum with the same common factors, if there is one.
    fn join(&mut self, key: (usize, Common), task: &Task, terms: &[Term]) -> bool {
        let Some(number) = self.open.get(&key).copied() else { return false };
        let Some(mut item) = self.items[number].clone() else { return false };
        let Action::Sum(columns) = &mut item.action else { return false };
        if item.results.len() >= self.columns || !add_column(columns, terms, &key.1) {
            return false;
        }
        item.places.push(task.place);
        let takes = task.work.takes();
        // External, or computed before.
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

/// Adds the terms of a sum as a column, if all of them have their common factor.
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
            // In the first column, the common factor may be the second one.
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
