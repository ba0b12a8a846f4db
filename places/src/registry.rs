// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The registry of a device: one executor per operation.

use std::any::{Any, TypeId};
use std::fmt;

use halimede_arith::job::{Executor, Offer, Operation};
#[cfg(feature = "ckks")]
use halimede_ckks::executor::{ProgramPlace, Routine};

use crate::engine::Engine;
#[cfg(feature = "ckks")]
use crate::programs::{Programs, RunCkksProgram};

/// Executors by operation.
#[derive(Default)]
pub struct Registry {
    /// A handful: searched from the front.
    entries: Vec<Entry>,
    #[cfg(feature = "ckks")]
    programs: Option<Programs>,
}

/// An executor that may or may not fail in the middle of a batch.
pub enum Found<'r, Op: Operation> {
    /// May fail in the middle of a batch.
    MayFail(&'r dyn Executor<Op>),
    /// Always answers a whole batch.
    Reliable(&'r dyn Executor<Op>),
}

struct Entry {
    operation: TypeId,
    names: &'static [&'static str],
    /// [`Limits::may_fail`](halimede_arith::job::Limits::may_fail).
    may_fail: bool,
    /// [`Executor::offer`].
    offer: Option<Offer>,
    /// A `Box<dyn Executor<Op>>`.
    executor: Box<dyn Any + Send + Sync>,
}

impl Registry {
    /// Adds an executor for an operation, or replaces the existing one.
    #[must_use]
    pub fn with<Op: Operation>(self, executor: impl Executor<Op> + 'static) -> Self {
        self.with_names(const { &[Op::NAME] }, executor)
    }

    /// Adds an executor of an operation with these names for callers.
    fn with_names<Op: Operation>(
        mut self,
        names: &'static [&'static str],
        executor: impl Executor<Op> + 'static,
    ) -> Self {
        let operation = TypeId::of::<Op>();
        let (may_fail, offer) = (executor.limits().may_fail, executor.offer());
        let executor: Box<dyn Executor<Op>> = Box::new(executor);
        self.entries.retain(|other| other.operation != operation);
        let executor = Box::new(executor);
        self.entries.push(Entry { operation, names, may_fail, offer, executor });
        self
    }

    /// Adds a place that runs CKKS programs, or replaces the existing one: an executor of
    /// [`RunCkksProgram`].
    #[cfg(feature = "ckks")]
    #[must_use]
    pub fn with_programs(mut self, place: impl ProgramPlace + 'static) -> Self {
        let programs = Programs::new(place);
        self.programs = Some(programs.clone());
        self.with_names::<RunCkksProgram>(&Routine::NAMES, programs)
    }

    /// Returns the place that runs CKKS programs.
    #[cfg(feature = "ckks")]
    pub fn programs(&self) -> Option<&Programs> {
        self.programs.as_ref()
    }

    /// Returns the executor of an operation.
    pub fn get<Op: Operation>(&self) -> Option<Found<'_, Op>> {
        let operation = TypeId::of::<Op>();
        let entry = self.entries.iter().find(|entry| entry.operation == operation)?;
        let executor = entry.executor.downcast_ref::<Box<dyn Executor<Op>>>()?;
        Some(match entry.may_fail {
            true => Found::MayFail(&**executor),
            false => Found::Reliable(&**executor),
        })
    }

    /// Returns the engines, with the operations that can answer requests.
    pub fn engines(&self) -> Vec<Engine> {
        let mut engines: Vec<Engine> = Vec::new();
        for Entry { names, offer, .. } in &self.entries {
            let (Some(offer), Some(first)) = (offer, names.first()) else { continue };
            let name = first.split('.').next().unwrap_or(first);
            let known = engines.iter().position(|engine| engine.name == name);
            let place = known.unwrap_or_else(|| {
                engines.push(Engine::new(name));
                engines.len() - 1
            });
            engines[place].add(names, offer);
        }
        engines
    }

    /// Returns the operations, by [`Operation::NAME`].
    pub fn operations(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.iter().flat_map(|entry| entry.names).copied()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.operations()).finish()
    }
}
