// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What executes on a device: an executor for each operation.

use std::any::{Any, TypeId};
use std::fmt;

use halimede_arith::job::{Executor, Operation};

/// Executors by operation.
#[derive(Default)]
pub struct Registry {
    /// A handful: searched from the front.
    entries: Vec<Entry>,
}

struct Entry {
    operation: TypeId,
    name: &'static str,
    /// A `Box<dyn Executor<Op>>`.
    executor: Box<dyn Any + Send + Sync>,
}

impl Registry {
    /// The same with an executor for one operation more, in place of any that it had for it.
    #[must_use]
    pub fn with<Op: Operation>(mut self, executor: impl Executor<Op> + 'static) -> Self {
        let operation = TypeId::of::<Op>();
        self.entries.retain(|entry| entry.operation != operation);
        let executor: Box<dyn Executor<Op>> = Box::new(executor);
        self.entries.push(Entry { operation, name: Op::NAME, executor: Box::new(executor) });
        self
    }

    /// The executor of an operation.
    pub(crate) fn get<Op: Operation>(&self) -> Option<&dyn Executor<Op>> {
        let operation = TypeId::of::<Op>();
        let entry = self.entries.iter().find(|entry| entry.operation == operation)?;
        entry.executor.downcast_ref::<Box<dyn Executor<Op>>>().map(|executor| &**executor)
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
