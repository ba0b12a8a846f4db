// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registry of a device: an executor for each operation.

use std::any::{Any, TypeId};
use std::fmt;

use halimede_arith::job::{Executor, Operation};
#[cfg(feature = "ckks")]
use halimede_ckks::executor::{ProgramPlace, Routine};

/// Executors by operation.
#[derive(Default)]
pub struct Registry {
    /// A handful: searched from the front.
    entries: Vec<Entry>,
}

/// An executor, by whether it can fail in the middle of a batch.
pub(crate) enum Found<'r, Op: Operation> {
    MayFail(&'r dyn Executor<Op>),
    Reliable(&'r dyn Executor<Op>),
}

struct Entry {
    operation: TypeId,
    names: &'static [&'static str],
    /// [`Limits::may_fail`](halimede_arith::job::Limits::may_fail).
    may_fail: bool,
    /// A `Box<dyn Executor<Op>>`, or a `Box<dyn ProgramPlace>`.
    executor: Box<dyn Any + Send + Sync>,
}

impl Registry {
    /// The same with an executor for one operation more, in place of any that it had for it.
    #[must_use]
    pub fn with<Op: Operation>(mut self, executor: impl Executor<Op> + 'static) -> Self {
        let operation = TypeId::of::<Op>();
        let may_fail = executor.limits().may_fail;
        let executor: Box<dyn Executor<Op>> = Box::new(executor);
        let (names, executor) = (const { &[Op::NAME] }, Box::new(executor));
        self.put(Entry { operation, names, may_fail, executor });
        self
    }

    /// The same with a place that runs CKKS programs, in place of any that it had.
    #[cfg(feature = "ckks")]
    #[must_use]
    pub fn with_programs(mut self, place: impl ProgramPlace + 'static) -> Self {
        let (operation, names) = (TypeId::of::<dyn ProgramPlace>(), &Routine::NAMES);
        let place: Box<dyn ProgramPlace> = Box::new(place);
        self.put(Entry { operation, names, may_fail: true, executor: Box::new(place) });
        self
    }

    /// The place that runs CKKS programs.
    #[cfg(feature = "ckks")]
    pub(crate) fn programs(&self) -> Option<&dyn ProgramPlace> {
        let operation = TypeId::of::<dyn ProgramPlace>();
        let entry = self.entries.iter().find(|entry| entry.operation == operation)?;
        entry.executor.downcast_ref::<Box<dyn ProgramPlace>>().map(|place| &**place)
    }

    fn put(&mut self, entry: Entry) {
        self.entries.retain(|other| other.operation != entry.operation);
        self.entries.push(entry);
    }

    /// The executor of an operation.
    pub(crate) fn get<Op: Operation>(&self) -> Option<Found<'_, Op>> {
        let operation = TypeId::of::<Op>();
        let entry = self.entries.iter().find(|entry| entry.operation == operation)?;
        let executor = entry.executor.downcast_ref::<Box<dyn Executor<Op>>>()?;
        Some(match entry.may_fail {
            true => Found::MayFail(&**executor),
            false => Found::Reliable(&**executor),
        })
    }

    /// The operations, by [`Operation::NAME`].
    pub fn operations(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.iter().flat_map(|entry| entry.names).copied()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.operations()).finish()
    }
}
