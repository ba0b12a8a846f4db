// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registry of a device: an executor for each operation.

use std::any::{Any, TypeId};
use std::fmt;

use halimede_arith::job::{Executor, Operation};

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
    name: &'static str,
    /// [`Limits::may_fail`](halimede_arith::job::Limits::may_fail).
    may_fail: bool,
    /// A `Box<dyn Executor<Op>>`.
    executor: Box<dyn Any + Send + Sync>,
}

impl Registry {
    /// The same with an executor for one operation more, in place of any that it had for it.
    #[must_use]
    pub fn with<Op: Operation>(mut self, executor: impl Executor<Op> + 'static) -> Self {
        let operation = TypeId::of::<Op>();
        self.entries.retain(|entry| entry.operation != operation);
        let may_fail = executor.limits().may_fail;
        let executor: Box<dyn Executor<Op>> = Box::new(executor);
        let executor = Box::new(executor);
        self.entries.push(Entry { operation, name: Op::NAME, may_fail, executor });
        self
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
        self.entries.iter().map(|entry| entry.name)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.operations()).finish()
    }
}
